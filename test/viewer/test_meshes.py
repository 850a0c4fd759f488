"""Where mesh files may be: in what the user has named, however a description names them."""

import itertools
from pathlib import Path
from types import SimpleNamespace

import pytest

from hostile_texts import chain, texts_that_name
from ik_node.model.geometry import Mesh
from ik_node.model.meshes import MeshError, Meshes, Places
from ik_node.model.readers import read_model
from ik_node.ros.intake.planning_scene import MeshFiles
from ik_node.support.downloads import described_place
from ik_node.viewer import gallery
from ik_node.viewer.node_parameters import NodeParameters
from opened_files import opened_files

BOX = 'v 0 0 0\nv 1 0 0\nv 0 2 0\nf 1 2 3\n'


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """Folders of a package, of another robot, and of what is nobody's."""
    monkeypatch.delenv('ROS_PACKAGE_PATH', raising=False)
    monkeypatch.delenv('AMENT_PREFIX_PATH', raising=False)
    for name in ('ws/arm/urdf/arm.urdf', 'ws/arm/meshes/a.obj', 'ws/arm/urdf/near.obj',
                 'ws/other/meshes/b.obj', 'plain/arm.urdf', 'plain/meshes/c.obj', 'secret.obj'):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(BOX)
    (tmp_path / 'ws/arm/package.xml').write_text('<package/>')
    (tmp_path / 'ws/arm/meshes/link.obj').symlink_to(tmp_path / 'secret.obj')
    (tmp_path / 'ws/arm/meshes/up').symlink_to(tmp_path)
    (tmp_path / 'ws/arm/meshes/circle.obj').symlink_to(tmp_path / 'ws/arm/meshes/circle.obj')
    return tmp_path


@pytest.mark.parametrize(('filename', 'found'), [
    ('package://arm/meshes/a.obj', 'ws/arm/meshes/a.obj'),
    ('package://renamed/meshes/a.obj', 'ws/arm/meshes/a.obj'),
    ('../meshes/a.obj', 'ws/arm/meshes/a.obj'), ('near.obj', 'ws/arm/urdf/near.obj'),
    ('file://{tree}/ws/arm/meshes/a.obj', 'ws/arm/meshes/a.obj'),
    ('{tree}/ws/arm/meshes/../meshes/a.obj', 'ws/arm/meshes/a.obj'),
    ('{tree}/secret.obj', None), ('file://{tree}/secret.obj', None), ('../../../secret.obj', None),
    ('package://arm/../../secret.obj', None), ('package://../../secret.obj', None),
    ('package://arm/meshes/link.obj', None), ('../meshes/up/secret.obj', None),
    ('../meshes/circle.obj', None), ('%2e%2e/%2e%2e/%2e%2e/secret.obj', None),
    ('package://other/meshes/b.obj', None), ('{tree}/ws/other/meshes/b.obj', None)])
def test_meshes_are_in_the_package_of_a_robot_that_the_user_has_named(tree, filename, found):
    robot = tree / 'ws/arm/urdf/arm.urdf'
    places = Places()
    places.add_robot(robot)
    name = filename.format(tree=tree)
    if found is not None:
        assert places.find(name, places.near(str(robot))) == tree / found
    else:
        with pytest.raises(MeshError, match='not opened, since|not found|loop'):
            places.find(name, places.near(str(robot)))


def test_a_mesh_that_a_node_of_this_machine_got_as_a_message_is_found():
    corners = [SimpleNamespace(x=x, y=y, z=0.0) for x, y in ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0))]
    files = MeshFiles()
    mesh = files.mesh(SimpleNamespace(vertices=corners, triangles=[
        SimpleNamespace(vertex_indices=[0, 1, 2])]))
    assert Places().find(f'file://{mesh.filename}') == Path(mesh.filename).resolve()


def test_a_robot_outside_packages_has_its_own_folder(tree):
    places = Places()
    places.add_robot(tree / 'plain/arm.urdf')
    near = places.near(str(tree / 'plain/arm.urdf'))
    assert places.find('meshes/c.obj', near) == tree / 'plain/meshes/c.obj'
    assert places.find('package://plain/meshes/c.obj', near) == tree / 'plain/meshes/c.obj'
    with pytest.raises(MeshError, match='--mesh-folder'):
        places.find('../secret.obj', near)


def test_a_file_that_only_a_node_names_opens_no_folder(tree):
    assert Places().near(str(tree / 'plain/arm.urdf')) == []
    with pytest.raises(MeshError, match='not found'):
        Meshes(Places(), robot=str(tree / 'plain/arm.urdf')).load(
            Mesh('package://plain/meshes/c.obj'))


def test_folders_that_the_user_names_are_looked_in(tree, monkeypatch):
    assert Places([tree / 'ws']).find('package://other/meshes/b.obj').is_file()
    assert Places([tree / 'ws/other']).find('package://any/meshes/b.obj').is_file()
    monkeypatch.setenv('ROS_PACKAGE_PATH', f'{tree / "nowhere"}:{tree / "ws"}')
    assert Places().find('package://other/meshes/b.obj').is_file()
    with pytest.raises(MeshError):
        Places().find('package://arm/meshes/link.obj')


@pytest.fixture
def installed(tree, monkeypatch):
    """The folder of an installed package `arm`, whose mesh is a link to its source."""
    pytest.importorskip('ament_index_python')
    share = tree / 'install/share'
    (share / 'ament_index/resource_index/packages').mkdir(parents=True)
    (share / 'ament_index/resource_index/packages/arm').write_text('')
    (share / 'arm').mkdir()
    (share / 'arm/a.obj').symlink_to(tree / 'ws/arm/meshes/a.obj')
    monkeypatch.setenv('AMENT_PREFIX_PATH', str(tree / 'install'))
    return share / 'arm'


def test_installed_packages_are_found_also_where_they_are_links_to_sources(installed):
    assert Places().find('package://arm/a.obj').is_file()
    for name in ('package://arm/../../../secret.obj', 'package://arm/..%2f..%2f..%2fsecret.obj'):
        with pytest.raises(MeshError):
            Places().find(name)


def test_files_that_a_mesh_names_are_in_places_too(tree, reader):
    (tree / 'ws/arm/meshes/red.mtl').write_text('newmtl red\nKd 1 0 0\n')
    (tree / 'red.mtl').write_text('newmtl red\nKd 1 0 0\n')
    meshes = Meshes(Places([tree / 'ws/arm']), reader)
    for name, red in (('red.mtl', True), ('../../../red.mtl', False), (f'{tree}/red.mtl', False),
                      ('up/red.mtl', False)):
        mesh = tree / 'ws/arm/meshes' / f'{len(name)}.obj'
        mesh.write_text(f'mtllib {name}\nusemtl red\n{BOX}')
        with opened_files() as opened:
            loaded = meshes.load(Mesh(str(mesh)))
        assert _is_red(loaded) is red
        assert not any(f'{tree}/red.mtl' in file for file in opened)


@pytest.mark.parametrize(('name', 'red'), [
    ('red.mtl', True), ('meshes/../red.mtl', True), ('../../../red.mtl', False),
    ('{tree}/red.mtl', False)])
def test_files_that_a_mesh_of_an_installed_package_names_are_in_that_package(
        tree, installed, reader, name, red):
    (tree / 'red.mtl').write_text('newmtl red\nKd 1 0 0\n')
    (tree / 'ws/arm/red.mtl').write_text('newmtl red\nKd 1 0 0\n')
    (installed / 'red.mtl').symlink_to(tree / 'ws/arm/red.mtl')
    (installed / 'b.obj').write_text(f'mtllib {name.format(tree=tree)}\nusemtl red\n{BOX}')
    assert _is_red(Meshes(Places(), reader).load(Mesh('package://arm/b.obj'))) is red


def _is_red(mesh):
    color = getattr(getattr(mesh.visual, 'material', None), 'main_color', (0, 0, 0, 0))
    return tuple(color) == (255, 0, 0, 255)


def test_robots_of_the_gallery_load_and_their_meshes_are_found():
    places, robots = Places(), gallery.robots()
    assert {'arm_6r', 'scara', 'puma560 (DH rows)'} <= set(robots)
    for folder in gallery.mesh_folders():
        places.add(folder)
    for given in robots.values():
        file = given['model_path']
        tree = read_model(file)
        assert tree.chain(given['base_link'] or None, given['tip_link'] or None).n_joints > 1
        for visual in itertools.chain(*tree.visuals.values()):
            if isinstance(visual.shape, Mesh):
                assert places.find(visual.shape.filename, places.near(file)).is_file()


def test_the_place_of_a_downloaded_robot_is_the_cache(tmp_path, monkeypatch):
    monkeypatch.setenv('ROBOT_DESCRIPTIONS_CACHE', str(tmp_path / 'cache'))
    assert described_place(tmp_path / 'cache/arm/urdf/a.urdf') == tmp_path / 'cache'
    assert described_place(tmp_path / 'arm/urdf/a.urdf') == tmp_path / 'arm/urdf'


@pytest.mark.parametrize('kind', ['include', 'expression', 'external entity'])
def test_xacro_of_a_path_that_a_node_names_is_not_expanded(tmp_path, kind):
    def described(file):
        parameters = NodeParameters()
        parameters.fetch(SimpleNamespace(parameters=lambda: {
            'model_path': SimpleNamespace(value=str(file))}))
        return parameters.description
    secret = tmp_path / 'secret.xacro'
    secret.write_text(chain(2))
    assert 'l1' in described(secret)  # it uses no xacro
    file = tmp_path / f'arm.{"urdf" if kind == "expression" else "xacro"}'
    file.write_text(texts_that_name(secret)[kind])
    with opened_files() as opened:
        assert described(file) == ''
    assert any(str(file) in name for name in opened)
    assert not any(str(secret) in name for name in opened)
    assert described(Path('/dev/zero')) == ''
