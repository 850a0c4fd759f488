"""What is drawn: links where forward kinematics says, meshes found, markers as they are sent."""

import numpy as np
import pytest
import trimesh

pytest.importorskip('viser', reason='viser is not installed (make test brings it)')
pytest.importorskip('rclpy', reason='ROS 2 is not installed (make test brings it from PyPI)')

from builtin_interfaces.msg import Duration
from geometry_msgs.msg import Point, Pose, Quaternion, Vector3
from std_msgs.msg import ColorRGBA, Header
from visualization_msgs.msg import Marker, MarkerArray

import robots
from fake_node import FakeNode
from hostile_texts import chain, texts_that_name
from ik_node import KinematicTree
from ik_node.model.geometry import Mesh
from ik_node.model.meshes import MeshError, Meshes, Places
from ik_node.model.readers import read_model
from ik_node.ros.clients.client import Report
from ik_node.ros.publishing.markers.group_markers import NO_GOAL
from ik_node.viewer import gallery
from ik_node.viewer.drawn_robot import DrawnRobot
from ik_node.viewer.marker_scene import MarkerScene
from ik_node.viewer.node_state import NodeState
from ik_node.viewer.readout import robot_text
from ik_node.viewer.robot_view import RobotView
from ik_node.viewer.scene_nodes import matrix, position_wxyz
from opened_files import opened_files
from page_here import robot_view_of, viser_server


@pytest.fixture(scope='module')
def server():
    with viser_server() as made:
        yield made


def robot_drawn(server, name, tree, meshes=None):
    """Return a robot that is drawn, with all joints at zero."""
    robot = DrawnRobot(server, name)
    robot.draw(tree, meshes or Meshes())
    return robot


def placed(scene, link):
    """Return where a link is in the scene (4, 4), by way of all the frames above it."""
    T = np.eye(4)
    while link is not None:
        frame = scene._frames[link]
        T = matrix(frame.position, frame.wxyz) @ T
        link = scene._parents.get(link)
    return T


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


@pytest.mark.parametrize('kind', texts_that_name('x'))
def test_a_description_that_names_a_file_opens_none_and_is_a_problem_told(server, kind, tmp_path):
    secret = tmp_path / 'secret.xacro'
    secret.write_text(chain(2))
    robot_view = robot_view_of(server, FakeNode(), f'station_{secret.parent.name}')
    robot_view.on_description(chain(4))
    robot_view.paint()
    assert (robot_view.tree.links[-1], robot_view.problems) == ('l3', [])
    with opened_files() as opened:
        robot_view.on_description(texts_that_name(secret)[kind])
        robot_view.paint()
    assert not any(str(secret) in name for name in opened)
    assert len(robot_view.problems) == 1


TASKS = {'solver': 'least_squares', 'tasks': ['hand'], 'hand.type': 'position',
         'hand.link': 'left_palm'}


@pytest.fixture
def figure(server, request):
    """The view of a humanoid with a task, without a node."""
    robot_view = robot_view_of(server, FakeNode(), request.node.name)
    robot_view.on_description((robots.OWN / 'humanoid.urdf').read_text())
    robot_view.on_parameters(TASKS)
    return robot_view


def ball(frame, position):
    """Return the marker of the target of a position."""
    made = marker(Marker.SPHERE, 0, pose=Pose(position=position))
    made.header.frame_id, made.ns = frame, 'hand/goal'
    return MarkerArray(markers=[made])


def test_a_defect_in_the_handling_of_messages_is_shown_until_another_robot_comes(figure):
    figure.paint()
    figure.on_error('Internal error in "messages of the node"')
    assert figure.problems == ['Internal error in "messages of the node"']
    figure.on_description(chain(4))
    figure.paint()
    assert not any('Internal' in line for line in figure.problems)


def test_markers_that_arrive_while_others_are_drawn_are_for_the_next_picture(figure, monkeypatch):
    shown, show = [], MarkerScene.show
    arriving = [ball('world', Point(x=float(k))) for k in range(5)]

    def slow(scene, message, frames):
        shown.append(message)
        show(scene, message, frames)
        if arriving:
            figure.on_markers(arriving.pop(0))
    monkeypatch.setattr(MarkerScene, 'show', slow)
    figure.on_markers(arriving.pop(0))
    figure.paint()
    assert [len(shown), len(arriving)] == [1, 3]
    figure.paint()
    assert len(shown) == 2


def test_a_figure_is_shown_without_a_chain(figure):
    figure.paint()
    assert (figure.tree.name, figure.chain, figure.problems) == ('humanoid', None, [])
    assert (figure.space.n_joints, figure.follows_paths) == (32, False)
    assert robot_text(figure) == 'humanoid, 32 joints, tasks hand'
    assert 1.6 < figure.reach < 1.8


def test_links_and_markers_are_in_the_world_where_the_root_moves(figure):
    T = matrix((1.0, 2.0, 0.9), (0.8, 0.0, 0.0, 0.6))
    figure.paint()
    tree = figure.tree
    figure.on_parameters({'root': 'floating'})
    figure.on_joints(dict.fromkeys(figure.space.joint_names, 0.1))
    figure.on_markers(ball('world', Point(x=3.0)))
    figure.paint()
    assert not figure.is_placed
    figure.on_root_pose(T)
    figure.paint()
    assert figure.is_placed
    links = tree.forward(dict.fromkeys(figure.space.joint_names, 0.1))
    for link in ('pelvis', 'left_palm', 'gaze'):
        assert figure.pose(link) == pytest.approx(T @ links[link])
        assert placed(figure, link) == pytest.approx(T @ links[link], abs=1e-5)
    (hand,) = figure.targets
    assert figure.target_pose(hand)[:3, 3] == pytest.approx([3.0, 0.0, 0.0])
    figure.on_parameters({'root': 'fixed'})
    figure.on_markers(ball('pelvis', Point(x=4.0)))
    figure.paint()
    assert figure.pose('gaze') == pytest.approx(links['gaze'])
    assert figure.target_pose(hand)[:3, 3] == pytest.approx([4.0, 0.0, 0.0])


def test_what_is_as_before_does_not_wake_the_painter_and_is_drawn_with_the_next_picture(figure):
    woken = []
    figure._changed = lambda: woken.append(1)
    values = {'hip': 0.1, 'knee': 0.1}
    message, T = ball('world', Point(x=3.0)), matrix((1.0, 2.0, 0.9), (0.8, 0.0, 0.0, 0.6))
    for receive, first, other in (
            (figure.on_joints, values, {**values, 'hip': 0.2}),
            (figure.on_markers, message, ball('world', Point(x=4.0)))):
        for content, count in (first, 1), (first, 0), (other, 1), (other, 0), (first, 1):
            woken.clear()
            receive(content)
            assert len(woken) == count
    assert len(figure._new_markers) == 5
    figure.on_parameters({'root': 'floating'})
    figure.on_root_pose(T)
    woken.clear()
    figure.on_joints({**values, 'hip': 0.3})  # the pose of the root follows
    assert not woken
    for pose, count in (T, 1), (T, 0), (np.eye(4), 1), (np.eye(4), 0):
        woken.clear()
        figure.on_root_pose(pose)
        assert len(woken) == count


def test_a_marker_that_is_locked_to_a_link_follows_it_without_another_message(figure):
    figure.paint()
    held = ball('left_palm', Point())
    held.markers[0].frame_locked = True
    figure.on_markers(held)
    figure.on_joints(dict.fromkeys(figure.space.joint_names, 0.0))
    figure.paint()
    figure.on_joints(dict.fromkeys(figure.space.joint_names, 0.2))
    figure.paint()
    assert figure.markers.pose(('hand/goal', 0)) == pytest.approx(figure.pose('left_palm'))
    assert figure.pose('left_palm')[:3, 3] != pytest.approx(
        figure.tree.forward({})['left_palm'][:3, 3], abs=0.01)


def test_a_reset_by_others_ends_the_goal_of_a_task(figure):
    def status(words):
        made = marker(Marker.TEXT_VIEW_FACING, 0, text=words)
        made.ns = 'status'
        return MarkerArray(markers=[made])
    figure.state.update(True, 'active')
    figure.on_report(Report(0, 'the goal is met', {'arm': '', 'task': 'hand'}))
    figure.on_markers(status('the goal is met'))
    assert figure.state.line().text == 'hand: reached'
    figure.on_markers(status('no goal yet'))
    assert figure.state.line().text == 'no goal yet'
    figure.on_report(Report(2, 'out of reach', {'arm': '', 'task': 'hand'}))
    figure.on_markers(status('no goal yet'))  # from before the goal
    assert figure.state.line().text == 'hand: not reached'


def test_a_reset_by_others_ends_the_goal_of_an_arm_although_the_deletion_is_lost():
    view = RobotView.__new__(RobotView)
    view.state, view._new_markers, view._changed = NodeState(), [], lambda: None
    view._last_markers = None
    view._goal_markers, view._status_markers, view._status_text = 'goal', 'status', NO_GOAL

    def status(words):
        return MarkerArray(markers=[Marker(ns='status', text=words)])
    view.state.update(True, 'active')
    view.state.on_report(Report(0, 'the goal is met', {}))
    view.on_markers(status('no goal yet'))  # from before the goal
    view.on_markers(status('dls: the goal is met'))
    assert view.state.line().text == 'reached'
    view.on_markers(status('no goal yet'))
    assert view.state.line().text == NO_GOAL
    view.state.on_report(Report(0, 'the goal is met', {}))  # of the next goal
    view.on_markers(status('solving'))
    view.on_markers(status('no goal yet'))  # of the change before it, late
    view.on_markers(status('dls: the goal is met'))
    assert view.state.line().text == 'reached'


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
    import trimesh
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
    drawn = server.scene._handle_from_node_name[f'{scene._frames["a"].name}/visual_0']
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
def test_what_is_no_mesh_is_told(filename, words):
    with pytest.raises(MeshError, match=words):
        Meshes().load(Mesh(filename))


def test_a_broken_mesh_is_told_and_the_rest_is_drawn(server, tmp_path, reader):
    (tmp_path / 'broken.stl').write_text('no mesh')
    tree = KinematicTree.from_urdf(f'''<robot name="r"><link name="a"><visual><geometry>
        <mesh filename="file://{tmp_path}/broken.stl"/></geometry></visual></link>
        <link name="b"><visual><geometry><sphere radius="0.1"/></geometry></visual></link>
        <joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint></robot>''')
    scene = robot_drawn(server, '/broken', tree, Meshes(Places([tmp_path]), reader))
    assert len(scene.mesh_errors) == 1
    assert scene.mesh_errors[0].startswith('a: broken.stl')
    assert '/broken/a/b/visual_0' in server.scene._handle_from_node_name


def marker(kind, number, **given):
    return Marker(header=Header(frame_id='base'), id=number, type=kind, action=Marker.ADD,
                  scale=Vector3(x=0.1, y=0.1, z=0.1), **{
                      'ns': 'n', 'color': ColorRGBA(r=1.0, a=1.0), 'pose': Pose(
                          position=Point(x=1.0), orientation=Quaternion(w=1.0)), **given})


POINTS = [Point(x=0.1 * k) for k in range(6)]
KINDS = {Marker.ARROW: {}, Marker.CUBE: {}, Marker.SPHERE: {}, Marker.CYLINDER: {},
         Marker.LINE_STRIP: {'points': POINTS}, Marker.LINE_LIST: {'points': POINTS},
         Marker.CUBE_LIST: {'points': POINTS}, Marker.SPHERE_LIST: {'points': POINTS},
         Marker.POINTS: {'points': POINTS}, Marker.TEXT_VIEW_FACING: {'text': 'here'},
         Marker.TRIANGLE_LIST: {'points': POINTS}}


@pytest.mark.parametrize('kind', KINDS)
def test_every_kind_of_marker_is_drawn_in_its_frame_until_it_is_deleted(server, kind):
    scene = MarkerScene(server, '/m')
    T = matrix((0.0, 2.0, 0.0), (0.0, 0.0, 0.0, 1.0))  # half a turn about z
    scene.show(MarkerArray(markers=[marker(kind, 1, **KINDS[kind])]), {'base': T})
    handle = server.scene.get_handle_by_name('/m/n_1')
    assert handle.position == pytest.approx([-1.0, 2.0, 0.0], abs=1e-6)
    moved = marker(kind, 1, **{**KINDS[kind], 'pose': Pose(position=Point(x=3.0))})
    scene.show(MarkerArray(markers=[moved]), {'base': T})
    assert server.scene.get_handle_by_name('/m/n_1') is handle  # what looks as before only moves
    assert handle.position == pytest.approx([-3.0, 2.0, 0.0], abs=1e-6)
    gone = marker(kind, 1)
    gone.action = Marker.DELETE
    scene.show(MarkerArray(markers=[gone]), {'base': T})
    assert server.scene.get_handle_by_name('/m/n_1') is None


def test_a_mesh_is_drawn_at_its_scale_and_one_that_cannot_be_read_is_left_out(server):
    asked = []

    def load(mesh):
        asked.append(mesh)
        if 'none' in mesh.filename:
            raise MeshError('not found')
        return trimesh.creation.box((1.0, 2.0, 3.0))
    scene = MarkerScene(server, '/mesh', load)
    found, lost = (marker(Marker.MESH_RESOURCE, k, mesh_resource=f'file:///{name}.stl')
                   for k, name in enumerate(('part', 'none')))
    found.scale = lost.scale = Vector3(x=0.1, y=0.2, z=0.3)
    scene.show(MarkerArray(markers=[found, lost]), {'base': np.eye(4)})
    assert asked[0] == Mesh('file:///part.stl', (0.1, 0.2, 0.3))
    handle = server.scene.get_handle_by_name('/mesh/n_0')
    assert np.ptp(handle.vertices, axis=0) == pytest.approx([1.0, 2.0, 3.0])
    assert server.scene.get_handle_by_name('/mesh/n_1') is None


def test_a_marker_that_is_locked_to_its_frame_follows_it(server):
    scene = MarkerScene(server, '/locked')
    held = marker(Marker.CUBE, 1, frame_locked=True)
    scene.show(MarkerArray(markers=[held, marker(Marker.CUBE, 2)]), {'base': np.eye(4)})
    T = matrix((0.0, 0.0, 2.0), (1.0, 0.0, 0.0, 0.0))
    scene.follow({'base': T})
    first, second = (server.scene.get_handle_by_name(f'/locked/n_{k}').position for k in (1, 2))
    assert first - second == pytest.approx([0.0, 0.0, 2.0])


def test_lists_of_solids_keep_their_size_along_every_axis(server):
    scene = MarkerScene(server, '/s')
    bars = marker(Marker.CUBE_LIST, 1, points=POINTS)
    bars.scale = Vector3(x=0.1, y=0.02, z=0.03)
    bars.colors = [ColorRGBA(g=1.0, a=1.0)] * len(POINTS)
    scene.show(MarkerArray(markers=[bars]), {'base': np.eye(4)})
    handle = server.scene.get_handle_by_name('/s/n_1')
    assert np.ptp(handle.vertices, axis=0) == pytest.approx([1.0, 1.0, 1.0])
    assert handle.batched_scales[0] == pytest.approx([0.1, 0.02, 0.03])
    assert len(handle.batched_positions) == len(POINTS)


def test_a_marker_that_changes_is_the_new_one(server):
    scene = MarkerScene(server, '/c')
    for words, color in (('before', ColorRGBA(r=1.0, a=1.0)), ('after', ColorRGBA(g=1.0, a=1.0))):
        scene.show(MarkerArray(markers=[marker(Marker.TEXT_VIEW_FACING, 1, text=words),
                                        marker(Marker.SPHERE, 2, color=color)]),
                   {'base': np.eye(4)})
    assert server.scene.get_handle_by_name('/c/n_1').text == 'after'
    assert tuple(server.scene.get_handle_by_name('/c/n_2').color) == (0, 255, 0)


def test_markers_of_a_hidden_layer_are_drawn_when_it_is_shown_again(server):
    scene = MarkerScene(server, '/l')
    frames = {'base': np.eye(4)}
    made = [marker(Marker.SPHERE, 1, ns='left/trail'), marker(Marker.SPHERE, 2, ns='left/goal'),
            marker(Marker.TEXT_VIEW_FACING, 3, ns='left/goal', text='met')]

    def drawn():
        return [number for name, number in (('trail', 1), ('goal', 2), ('goal', 3))
                if server.scene.get_handle_by_name(f'/l/left/{name}_{number}') is not None]
    scene.show(MarkerArray(markers=made), frames)
    assert drawn() == [1, 2, 3]
    scene.hidden = frozenset({'trail'})
    scene.refresh()
    assert drawn() == [2, 3]
    made[0].pose.position.x = 2.0
    scene.hidden = frozenset({'trail', 'labels'})
    scene.show(MarkerArray(markers=made), frames)
    assert drawn() == [2]
    assert scene.pose(('left/trail', 1)) is None
    scene.hidden = frozenset()
    scene.refresh()
    assert drawn() == [1, 2, 3]
    assert scene.pose(('left/trail', 1))[:3, 3] == pytest.approx([2.0, 0.0, 0.0])
    scene.clear()
    assert drawn() == []


def test_a_long_text_is_wrapped_and_cut_and_a_short_one_is_not(server):
    scene = MarkerScene(server, '/w')
    full, rest = ('word ' * 12).strip(), ('word ' * 8).strip()
    for words, lines in (('two\nlines', ['two', 'lines']), ('word ' * 20, [full, rest]),
                         ('word ' * 99, [full, full, full, '…'])):
        scene.show(MarkerArray(markers=[marker(Marker.TEXT_VIEW_FACING, 1, text=words)]),
                   {'base': np.eye(4)})
        assert server.scene.get_handle_by_name('/w/n_1').text.split('\n') == lines


def test_the_pose_of_a_marker_is_sent_though_one_of_its_name_was_removed_just_before(server):
    scene = MarkerScene(server, '/a')
    turned = Quaternion(x=0.6, w=0.8)
    scene.show(MarkerArray(markers=[marker(Marker.CUBE, 1, pose=Pose(orientation=turned))]),
               {'base': np.eye(4)})
    upright = marker(Marker.CUBE, 1, pose=Pose(orientation=Quaternion(w=1.0)))
    scene.show(MarkerArray(markers=[Marker(action=Marker.DELETEALL), upright]),
               {'base': np.eye(4)})
    sent = [message for message in
            server._websock_server.get_message_buffer().message_from_id.values()
            if getattr(message, 'name', '') == '/a/n_1']
    poses = {type(message).__name__: message for message in sent}
    assert poses['SetOrientationMessage'].wxyz == pytest.approx((1.0, 0.0, 0.0, 0.0))
    assert poses['SetPositionMessage'].position == pytest.approx((0.0, 0.0, 0.0))


def test_markers_end_with_their_lifetime_and_those_of_unknown_frames_are_left_out(server):
    scene = MarkerScene(server, '/l')
    short = marker(Marker.CUBE, 1)
    short.lifetime = Duration(nanosec=1)
    lost = marker(Marker.CUBE, 2)
    lost.header.frame_id = 'elsewhere'
    scene.show(MarkerArray(markers=[short, lost, marker(Marker.CUBE, 3)]), {'base': np.eye(4)})
    scene.show(MarkerArray(), {'base': np.eye(4)})
    shown = [server.scene.get_handle_by_name(f'/l/n_{k}') is not None for k in (1, 2, 3)]
    assert shown == [False, False, True]


def test_poses_come_back_as_they_were():
    T = KinematicTree.from_urdf(robots.OWN / 'arm_6r.urdf').chain().forward([0.3] * 6)
    assert matrix(*position_wxyz(T)) == pytest.approx(T, abs=1e-12)


def test_every_robot_of_the_gallery_loads():
    found = gallery.robots()
    assert {'arm_6r', 'scara', 'puma560 (DH rows)'} <= set(found)
    for given in found.values():
        tree = read_model(given['model_path'])
        assert tree.chain(given['base_link'] or None, given['tip_link'] or None).n_joints > 1
