import zipfile
from urllib.parse import unquote

import pytest

from ik_node import ModelError
from ik_node.model.geometry import Mesh
from ik_node.model.readers import find_reader, read_model


def urdf(*meshes, name='arm'):
    """Return an arm of two links, the first with meshes."""
    visuals = ''.join(f'<visual><geometry><mesh filename="{mesh}"/></geometry></visual>'
                      for mesh in meshes)
    return (f'<?xml version="1.0"?><robot name="{name}"><link name="base">{visuals}</link>'
            '<link name="tip"/><joint name="j" type="continuous"><parent link="base"/>'
            '<child link="tip"/><axis xyz="0 0 1"/></joint></robot>')


@pytest.fixture
def packed(tmp_path):
    """Return a function that packs {name: content} and returns the archive."""
    def pack(files):
        with zipfile.ZipFile(tmp_path / 'my robot.zip', 'w') as archive:
            for name, content in files.items():
                archive.writestr(name, content)
        return tmp_path / 'my robot.zip'
    return pack


@pytest.mark.parametrize(('mesh', 'found'), [
    ('package://arm_description/meshes/a.stl', 'arm_description/meshes/a.stl'),
    ('package://renamed/meshes/a.stl', 'arm_description/meshes/a.stl'),
    ('../meshes/a.stl', 'arm_description/meshes/a.stl'),
    ('meshes/a.stl', 'arm_description/meshes/a.stl'),
    ('file:///home/me/ws/src/arm_description/meshes/a.stl', 'arm_description/meshes/a.stl'),
    ('C:\\robots\\meshes\\a.stl', 'arm_description/meshes/a.stl'),
    ('package://other/meshes/a.stl', 'other/meshes/a.stl'),
    ('only%20one.stl', 'other/only one.stl'),
    ('../../../../other/only one.stl', 'other/only one.stl'),
    ('package://arm_description/meshes/missing.stl', None),
    ('https://example.com/meshes/a.stl', None),
    ('/etc/passwd', None)])
def test_a_mesh_is_the_file_of_the_archive_that_its_name_means(packed, mesh, found):
    archive = packed({'ws/other/meshes/a.stl': '', 'ws/other/only one.stl': '',
                      'ws/arm_description/meshes/a.stl': '',
                      'ws/arm_description/urdf/arm.urdf': urdf(mesh)})
    (visual,) = read_model(archive).visuals['base']
    assert isinstance(visual.shape, Mesh)
    wanted = mesh if found is None else f'file://{archive}/ws/{found}'
    assert unquote(visual.shape.filename) == unquote(wanted)


def test_one_of_several_robots_is_chosen_by_a_path(packed):
    archive = packed({'deep/b.urdf': urdf(name='b'), 'a.urdf': urdf(name='a'), 'c.yaml': ''})
    with pytest.raises(ModelError, match=r'has 2 robots: a\.urdf, deep/b\.urdf; choose one, as '
                                         r'my robot\.zip/a\.urdf'):
        read_model(archive)
    assert read_model(archive / 'deep/b.urdf').name == 'b'
    assert read_model(str(archive / 'a.urdf'), hold_complex_joints=True).name == 'a'
    assert find_reader(archive / 'a.urdf').name == 'URDF and meshes'


def test_an_archive_without_a_robot_is_refused(packed):
    archive = packed({'a.xacro': '<robot/>', 'b.stl': ''})
    with pytest.raises(ModelError, match=r'has no URDF \(\.urdf\); expand a\.xacro first: "xacro '
                                         r'a\.xacro > robot\.urdf"; its files are a\.xacro, b\.st'):
        read_model(archive)
    with pytest.raises(ModelError, match='its files are none'):
        read_model(packed({}))
    with pytest.raises(ModelError, match=r'a\.urdf in my robot\.zip is not XML'):
        read_model(packed({'a.urdf': 'nonsense'}))
    text = urdf().replace('<robot', '<robot xmlns:xacro="http://ros.org/wiki/xacro"', 1).replace(
        '<link name="tip"/>', '<xacro:include filename="/etc/passwd"/><link name="tip"/>')
    with pytest.raises(ModelError, match='uses xacro'):
        read_model(packed({'a.urdf': text}))
