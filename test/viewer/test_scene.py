"""What is drawn: links where forward kinematics says, and meshes that are found."""

import numpy as np
import pytest
import trimesh

import robots
from harness.page_here import placed
from ik_node import KinematicTree
from ik_node.model.geometry import Mesh
from ik_node.model.meshes import MeshError, Meshes, Places
from ik_node.viewer.drawn_robot import DrawnRobot
from ik_node.viewer.scene_nodes import matrix


def robot_drawn(server, name, tree, meshes=None):
    """Return a robot that is drawn, with all joints at zero."""
    robot = DrawnRobot(server, name)
    robot.draw(tree, meshes or Meshes())
    return robot


@pytest.mark.parametrize('name', ['arm_6r', 'arm_7r', 'scara', 'torso', 'planar_3r'])
def test_links_are_where_forward_kinematics_says(server, name):
    tree = KinematicTree.from_urdf(robots.OWN / f'{name}.urdf')
    scene = robot_drawn(server, f'/{name}', tree)
    rng = np.random.default_rng(1)
    for _ in range(3):
        values = {joint.name: rng.uniform(max(joint.lower, -3.0), min(joint.upper, 3.0))
                  for joint in tree.joints.values() if joint.moves and joint.mimic is None}
        scene.move({**values, 'of_another_robot': 1.0}, np.eye(4))
        for link, T in tree.forward(values).items():
            assert placed(scene, link) == pytest.approx(T, abs=1e-5)
    assert scene.mesh_errors == []
    scene.remove()


def test_no_node_has_the_name_of_a_removed_one(server):
    tree = KinematicTree.from_urdf(robots.OWN / 'arm_6r.urdf')
    names = []
    for _ in range(3):
        scene = robot_drawn(server, '/again', tree)
        names += [frame.name for frame in scene._frames.values()]
        scene.remove()
        assert not any(name.startswith('/again') for name in server.scene._handle_from_node_name)
    assert len(set(names)) == 3 * len(tree.links)


def test_a_tree_without_looks_is_drawn_with_simple_shapes(server):
    tree = KinematicTree.from_dh(robots.OWN.parent / 'config/dh/puma560.yaml')
    robot_drawn(server, '/dh', tree)
    drawn = [name for name in server.scene._handle_from_node_name if name.startswith('/dh')]
    assert sum('visual' in name for name in drawn) >= 6


def test_what_has_not_moved_is_not_sent_again(server):
    tree = KinematicTree.from_urdf(robots.OWN / 'arm_6r.urdf')
    scene = robot_drawn(server, '/still', tree)
    scene.move({'joint_1': 0.3}, np.eye(4))
    sent = []
    for link, frame in scene._frames.items():
        scene._frames[link] = Noticed(frame, sent, link)
    scene.move({'joint_1': 0.5}, np.eye(4))
    assert sent == [('wxyz', tree.joints['joint_1'].child)]


class Noticed:
    """A frame that notes what is set."""

    def __init__(self, frame, sent, link):
        self.__dict__.update(frame=frame, sent=sent, link=link)

    def __getattr__(self, name):
        return getattr(self.frame, name)

    def __setattr__(self, name, value):
        self.sent.append((name, self.link))
        setattr(self.frame, name, value)


def test_meshes_are_found_in_packages_beside_the_robot_and_scaled(tmp_path, reader):
    (tmp_path / 'my_robot' / 'meshes').mkdir(parents=True)
    trimesh.creation.box((1.0, 2.0, 3.0)).export(tmp_path / 'my_robot/meshes/box.stl')
    places = Places()
    places.add(tmp_path)
    meshes = Meshes(places, reader, tmp_path / 'my_robot' / 'urdf' / 'robot.urdf')
    mesh = meshes.load(Mesh('package://my_robot/meshes/box.stl', (0.1, 0.1, 0.01)))
    assert mesh.extents == pytest.approx([0.1, 0.2, 0.03])
    assert meshes.load(Mesh(f'file://{tmp_path}/my_robot/meshes/box.stl')).extents == (
        pytest.approx([1.0, 2.0, 3.0]))


@pytest.mark.parametrize(('radius', 'length'), [(0.1, 0.5), (0.1, 0.0), (0.0, 0.5), (0.0, 0.0)])
def test_a_capsule_is_drawn_with_its_hemispheres(server, radius, length):
    tree = KinematicTree.from_urdf(f'''<robot name="r" version="1.1"><link name="a"><visual>
        <origin xyz="1 0 0" quat_xyzw="0 1 0 1"/>
        <geometry><capsule radius="{radius}" length="{length}"/></geometry></visual></link>
        <link name="b"/><joint name="j" type="continuous"><parent link="a"/><child link="b"/>
        </joint></robot>''')
    scene = robot_drawn(server, '/capsule', tree)
    drawn = server.scene._handle_from_node_name[f'{scene._frames["a"].name}/visual_0_0']
    end = 0.5 * length + radius
    assert drawn.vertices.min(axis=0) == pytest.approx([-radius, -radius, -end], abs=2e-3)
    assert drawn.vertices.max(axis=0) == pytest.approx([radius, radius, end], abs=2e-3)
    assert matrix(drawn.position, drawn.wxyz) == pytest.approx(tree.visuals['a'][0].placement)
    assert scene.mesh_errors == []
    scene.remove()


@pytest.mark.parametrize(('filename', 'words'), [
    ('package://nobody/box.stl', 'not found'), ('http://example.com/box.stl', 'only package'),
    ('/nowhere/box.stl', 'not opened, since it is outside .* --mesh-folder FOLDER'),
    ('//[nowhere/box.stl', 'Invalid'), ('a\0b.stl', 'null'), ('', 'not opened')])
def test_what_is_no_mesh_is_reported(filename, words):
    with pytest.raises(MeshError, match=words):
        Meshes().load(Mesh(filename))


def test_a_broken_mesh_is_reported_and_the_rest_is_drawn(server, tmp_path, reader):
    (tmp_path / 'broken.stl').write_text('no mesh')
    tree = KinematicTree.from_urdf(f'''<robot name="r"><link name="a"><visual><geometry>
        <mesh filename="file://{tmp_path}/broken.stl"/></geometry></visual></link>
        <link name="b"><visual><geometry><sphere radius="0.1"/></geometry></visual></link>
        <joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint></robot>''')
    scene = robot_drawn(server, '/broken', tree, Meshes(Places([tmp_path]), reader))
    assert len(scene.mesh_errors) == 1
    assert scene.mesh_errors[0].startswith('a: broken.stl')
    assert '/broken/a/b/visual_0_0' in server.scene._handle_from_node_name
