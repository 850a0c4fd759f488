"""SDF that includes other files: where they are found, their names, poses and errors."""

import numpy as np
import pytest

from ik_node import KinematicTree
from ik_node.model.geometry import Mesh
from ik_node.model.meshes import Places
from ik_node.model.readers import read_model, read_untrusted_model
from ik_node.spatial import pose_from_rpy
from ik_node.support.exceptions import ModelError
from sdf_writer import joint, link, sdf

GRIPPER = (link('palm', '0 0 0.1 0 0 0') + link('finger', '0 0 0.3 0 0 0')
           + joint('slide', 'palm', 'finger', 'prismatic'))
ARM = link('base') + link('flange', '0 0 1 0 0 0') + joint('j', 'base', 'flange')


def include(uri, inner='', attributes=''):
    return f'<include {attributes}><uri>{uri}</uri>{inner}</include>'


def written(file, text):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def mounted(uri, inner=''):
    """Return an arm whose flange carries the gripper of a URI."""
    return sdf(ARM + include(uri, inner) + joint('mount', 'flange', 'gripper::palm', 'fixed'))


@pytest.fixture
def models(tmp_path, monkeypatch):
    """Return a folder with a model of a gripper in its folder, and no other place for models."""
    for name in ('ROS_PACKAGE_PATH', 'GZ_SIM_RESOURCE_PATH', 'SDF_PATH'):
        monkeypatch.delenv(name, raising=False)
    written(tmp_path / 'gripper' / 'model.sdf', sdf(GRIPPER, name='gripper'))
    return tmp_path


@pytest.mark.parametrize(('uri', 'file'), [
    ('gripper', 'arm.sdf'), ('gripper/model.sdf', 'arm.sdf'), ('model://gripper', 'arm.sdf'),
    ('model://gripper', 'arm/model.sdf'), ('../gripper', 'arm/model.sdf'),
    ('package://gripper/model.sdf', 'arm/model.sdf')])
def test_a_model_is_found_beside_the_file_or_its_folder(models, uri, file):
    tree = read_model(written(models / file, mounted(uri)))
    assert tree.links == ('base', 'flange', 'gripper::palm', 'gripper::finger')
    assert tree.independent_joints == ('j', 'gripper::slide')


@pytest.mark.parametrize('name', ['GZ_SIM_RESOURCE_PATH', 'SDF_PATH', 'ROS_PACKAGE_PATH'])
def test_a_model_is_found_in_the_folders_of_the_environment(models, monkeypatch, name):
    file = written(models / 'elsewhere' / 'deep' / 'arm.sdf', mounted('model://gripper'))
    with pytest.raises(ModelError, match=r"model://gripper.*not found.*GZ_SIM_RESOURCE_PATH"):
        KinematicTree.from_sdf(file)
    monkeypatch.setenv(name, f'/nowhere:{models}')
    assert 'gripper::palm' in KinematicTree.from_sdf(file).links


def test_an_absolute_path_and_a_file_url_are_taken_as_they_are(models):
    for uri in (f'{models}/gripper/model.sdf', f'file://{models}/gripper'):
        assert 'gripper::palm' in KinematicTree.from_sdf(
            written(models / 'x' / 'y' / 'arm.sdf', mounted(uri))).links


def test_the_latest_version_in_a_configuration_is_read(models):
    other = GRIPPER.replace('slide', 'newer')
    written(models / 'gripper' / 'v10.sdf', sdf(other, version='1.10', name='gripper'))
    written(models / 'gripper' / 'model.config', '<model><name>Gripper</name>'
            '<sdf version="1.9">model.sdf</sdf><sdf version="1.10">v10.sdf</sdf></model>')
    tree = KinematicTree.from_sdf(written(models / 'arm.sdf', mounted('gripper')))
    assert 'gripper::newer' in tree.joints


def test_name_pose_and_placement_frame_of_an_include_replace_those_of_the_model(models):
    inner = '<name>left</name><pose relative_to="flange">1 0 0 0 0 1</pose>'
    body = ARM + include('gripper', inner) + joint('mount', 'flange', 'left::palm', 'fixed')
    at = KinematicTree.from_sdf(written(models / 'arm.sdf', sdf(body))).forward()
    T = pose_from_rpy((1, 0, 1), (0, 0, 1)) @ pose_from_rpy((0, 0, 0.1), (0, 0, 0))
    assert at['left::palm'] == pytest.approx(T, abs=1e-12)
    for placed in ('<placement_frame>palm</placement_frame>', ''):
        attributes = '' if placed else 'placement_frame="palm"'
        body = (ARM + include('gripper', inner + placed, attributes)
                + joint('mount', 'flange', 'left::palm', 'fixed'))
        at = KinematicTree.from_sdf(written(models / 'arm.sdf', sdf(body))).forward()
        assert at['left::palm'] == pytest.approx(pose_from_rpy((1, 0, 1), (0, 0, 1)), abs=1e-12)
    placed = '<placement_frame>palm</placement_frame>'  # without a pose it does not count
    body = ARM + include('gripper', placed) + joint('mount', 'flange', 'gripper::palm', 'fixed')
    at = KinematicTree.from_sdf(written(models / 'arm.sdf', sdf(body))).forward()
    assert at['gripper::palm'][2, 3] == pytest.approx(0.1)


def test_includes_within_includes_have_names_below_each_other(models):
    written(models / 'hand' / 'model.sdf', sdf(
        link('wrist') + include('../gripper', '<pose>0 0 2 0 0 0</pose>')
        + joint('grip', 'wrist', 'gripper::palm'), name='hand'))
    body = ARM + include('hand') + joint('mount', 'flange', 'hand::wrist', 'fixed')
    tree = KinematicTree.from_sdf(written(models / 'arm.sdf', sdf(body)))
    assert tree.links[-1] == 'hand::gripper::finger'
    assert tree.forward()['hand::gripper::palm'][2, 3] == pytest.approx(2.1)


def test_axes_of_an_old_file_are_along_its_model(models):
    turned = link('tip', '0 0 1 1.5 0 0')
    old = sdf(link('palm') + turned + joint('k', 'palm', 'tip', axis='0 1 0'), version='1.4',
              name='gripper')
    written(models / 'gripper' / 'model.sdf', old)
    tree = KinematicTree.from_sdf(written(models / 'arm.sdf', mounted('gripper')))
    R = pose_from_rpy((0, 0, 0), (1.5, 0, 0))[:3, :3]
    assert tree.joints['gripper::k'].axis == pytest.approx(R.T @ np.array([0, 1, 0]), abs=1e-12)


def test_a_world_of_includes_has_one_that_moves(models):
    written(models / 'ground' / 'model.sdf', sdf('<static>1</static>' + link('plane')))
    written(models / 'arm' / 'model.sdf', mounted('../gripper'))
    world = include('ground') + include('arm', '<name>robot</name>') + include('model://sun')
    begin, end = '<sdf version="1.9"><world name="w">', '</world></sdf>'
    file = written(models / 'all.world', begin + world + end)
    assert read_model(file).name == 'robot'
    two = world + include('arm', '<name>other</name><static>true</static>')
    file.write_text(begin + two + end)
    assert read_model(file).name == 'robot'
    file.write_text(begin + include('model://sun') + end)
    with pytest.raises(ModelError, match='model://sun'):
        read_model(file)


def test_meshes_of_an_included_model_are_beside_its_file(models, monkeypatch):
    for uri, inside in (('meshes/a.stl', models / 'gripper' / 'meshes' / 'a.stl'),
                        ('model://gripper/a.stl', models / 'gripper' / 'a.stl')):
        shape = f'<visual name="v"><geometry><mesh><uri>{uri}</uri></mesh></geometry></visual>'
        written(models / 'gripper' / 'model.sdf', sdf(link('palm', inner=shape), name='gripper'))
        tree = KinematicTree.from_sdf(written(models / 'arm.sdf', mounted('gripper')))
        (visual,) = tree.visuals['gripper::palm']
        assert isinstance(visual.shape, Mesh)
        monkeypatch.setenv('GZ_SIM_RESOURCE_PATH', str(models))
        written(inside, '')
        assert Places().find(visual.shape.filename) == inside.resolve()


@pytest.mark.parametrize(('body', 'words'), [
    (include('model://gone'), ['model://gone', 'not found', 'arm.sdf']),
    (include(''), ['includes', "''"]), (include('arm.sdf'), ['circle', 'arm.sdf']),
    (include('https://fuel.gazebosim.org/models/Sun'), ['https://', 'only model://']),
    (include('gripper', attributes='merge="true"'), ['gripper', 'merge']),
    (include('empty'), ['empty', 'not found']), (include('http://[x'), ['http://[x']),
    (include('a' * 5000), ['aaa']), (include('arm.urdf'), ['arm.urdf', '<robot>'])])
def test_what_cannot_be_included_is_refused_with_the_reason(models, body, words):
    (models / 'empty').mkdir()
    written(models / 'arm.urdf', '<robot name="r"><link name="a"/></robot>')
    file = written(models / 'arm.sdf', sdf(ARM + body))
    with pytest.raises(ModelError) as raised:
        KinematicTree.from_sdf(file)
    for word in words:
        assert word in str(raised.value)


def test_includes_that_multiply_end_at_a_bound(models):
    for k in range(40):
        written(models / f'm{k}.sdf', sdf(''.join(
            include(f'm{k + 1}.sdf', f'<name>{side}</name>') for side in 'ab') + link('a')))
    written(models / 'm40.sdf', sdf(link('a')))
    with pytest.raises(ModelError, match='2001 included models'):
        KinematicTree.from_sdf(models / 'm0.sdf')
    written(models / 'm1.sdf', sdf(link('a') + '<x/>' * 60_000))
    with pytest.raises(ModelError, match='too many elements'):
        KinematicTree.from_sdf(models / 'm0.sdf')
    for k in range(60):
        written(models / f'd{k}.sdf', sdf(include(f'd{k + 1}.sdf')))
    with pytest.raises(ModelError, match='too deep'):
        KinematicTree.from_sdf(models / 'd0.sdf')


def test_text_and_files_from_strangers_include_nothing(models):
    file = written(models / 'arm.sdf', mounted(f'{models}/gripper'))
    for read in (lambda: KinematicTree.from_sdf(file.read_text()),
                 lambda: read_model(file.read_text()), lambda: read_untrusted_model(file)):
        with pytest.raises(ModelError, match='not opened'):
            read()
