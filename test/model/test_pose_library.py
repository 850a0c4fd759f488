from collections.abc import Mapping

import numpy as np
import pytest

import robots
from ik_node import KinematicTree
from ik_node.model.pose_library import PoseLibrary, read_poses
from ik_node.support.exceptions import InputError, ModelError

CONFIG = robots.OWN.parent / 'config'

LIMIT = 'lower="-2" upper="2" effort="1" velocity="1"'
TREE = KinematicTree.from_urdf(robots.robot(
    robots.joint('shoulder', 'revolute', 'base', 'upper', limit=LIMIT),
    robots.joint('elbow', 'continuous', 'upper', 'fore', xyz='1 0 0'),
    robots.joint('quill', 'prismatic', 'fore', 'slide', limit='lower="0.1" upper="0.5"'),
    robots.joint('mount', 'fixed', 'slide', 'hand'),
    robots.joint('finger', 'revolute', 'hand', 'left', limit=LIMIT),
    robots.joint('thumb', 'revolute', 'hand', 'right', limit='lower="-1" upper="4.5"',
                 mimic='joint="finger" multiplier="-2" offset="0.5"')))
ARM = TREE.chain(tip_link='hand')

YAML = """
angle_unit: deg
poses:
  home: {shoulder: 90, elbow: -720, quill: 0.2}
  ready: {elbow: 45}
"""


def library(poses, **keys):
    return PoseLibrary.from_yaml({'poses': poses, **keys}, TREE)


def srdf(*states, root='robot'):
    return f'<{root} name="test">{"".join(states)}</{root}>'


def state(name, group=None, **values):
    joints = ''.join(f'<joint name="{joint}" value="{value}"/>' for joint, value in values.items())
    return (f'<group_state name="{name}"{f""" group="{group}" """ if group else ""}>{joints}'
            '</group_state>')


def from_srdf(*states):
    return PoseLibrary.from_srdf(srdf(*states), TREE)


# A library

def test_a_file_in_degrees_is_read_in_radians_and_metres(tmp_path):
    (tmp_path / 'poses.yaml').write_text(YAML)
    poses = PoseLibrary.from_yaml(tmp_path / 'poses.yaml', TREE)
    assert poses['home'] == pytest.approx(
        {'shoulder': np.pi / 2, 'elbow': -4 * np.pi, 'quill': 0.2})
    assert list(poses) == ['home', 'ready']
    assert poses.warnings == ()


def test_it_is_a_mapping_that_cannot_be_changed():
    poses = library({'home': {'elbow': 1.5}})
    assert isinstance(poses, Mapping)
    assert dict(poses) == {'home': {'elbow': 1.5}}
    assert 'home' in poses
    assert poses.get('away') is None
    with pytest.raises(TypeError):
        poses['home'] = {}
    with pytest.raises(TypeError):
        poses['home']['elbow'] = 0.0


def test_a_configuration_has_the_pose_where_it_names_a_joint_and_the_default_elsewhere():
    poses = library({'home': {'elbow': 1.5, 'finger': 0.1}})
    assert poses.configuration('home', ARM) == pytest.approx([0.0, 1.5, ARM.neutral()[2]], abs=0)
    default = np.array([1.0, 2.0, 0.4])
    assert poses.configuration('home', ARM, default).tolist() == [1.0, 1.5, 0.4]
    assert default.tolist() == [1.0, 2.0, 0.4]


def test_a_configuration_is_refused_for_an_unknown_name_or_a_wrong_default():
    poses = library({'home': {'elbow': 1.5}, 'ready': {'elbow': 1.0}})
    with pytest.raises(ModelError, match="no pose 'hom'; did you mean 'home'.*'home', 'ready'"):
        poses.configuration('hom', ARM)
    with pytest.raises(InputError, match=r'default must have the shape \(3,\)'):
        poses.configuration('home', ARM, [0.0])


def test_a_configuration_is_refused_where_it_would_take_a_mimic_outside_its_limits():
    # thumb = 0.5 − 2 finger stays above −1 up to finger = 0.75
    poses = library({'open': {'finger': 0.75}, 'wide': {'finger': 0.76}})
    fingers = TREE.chain(tip_link='right')
    assert poses.configuration('open', fingers)[-1] == 0.75
    with pytest.raises(ModelError, match="pose 'wide': joint 'finger': 0.76 is outside the limits "
                                         '-2 to 0.75 in the chain'):
        poses.configuration('wide', fingers)


# What is wrong in YAML

@pytest.mark.parametrize(('values', 'says'), [
    ({'elbo': 1.0}, "pose 'home': there is no joint 'elbo'; did you mean 'elbow'.*'shoulder'"),
    ({3: 1.0}, "pose 'home': there is no joint 3"),
    ({'mount': 0.0}, "pose 'home': joint 'mount' is fixed; those that move are 'shoulder'"),
    ({'thumb': 0.0}, "pose 'home': joint 'thumb' follows 'finger'"),
    ({'elbow': np.nan}, "pose 'home': joint 'elbow' must be a finite number, not nan"),
    ({'elbow': np.inf}, 'finite number, not inf'),
    ({'elbow': '1e-3'}, "joint 'elbow' must be a number, not '1e-3'; in YAML write 0.001"),
    ({'elbow': True}, 'must be a number, not True'),
    ({'elbow': None}, 'must be a number, not None'),
    ({'elbow': [1.0]}, r'must be a number, not \[1.0\]'),
    ({'shoulder': 2.5}, "joint 'shoulder': 2.5 rad is outside its limits -2 to 2 rad"),
    ({'quill': 0.0}, "joint 'quill': 0 m is outside its limits 0.1 to 0.5 m"),
    ({}, "pose 'home' must hold joint: value for at least one"),
    ([1.0, 2.0], "pose 'home' must hold joint: value"), (None, "pose 'home' must hold")])
def test_a_wrong_pose_is_refused_by_name(values, says):
    with pytest.raises(ModelError, match=f'^the pose library: {says}' if says.startswith('pose')
                       else says):
        library({'zero': {'elbow': 0.0}, 'home': values})


def test_limits_are_reported_in_the_unit_of_the_file():
    with pytest.raises(ModelError, match='120 deg is outside its limits -114.59\\d+ to 114.59'):
        library({'home': {'shoulder': 120}}, angle_unit='deg')


@pytest.mark.parametrize(('table', 'says'), [
    ({'poses': {}}, 'has no poses'), ({}, 'has no poses'), ({'poses': [1]}, 'has no poses'),
    ({'poses': {'home': {'elbow': 0}}, 'angle_unit': 'degrees'}, "rad or deg, not 'degrees'"),
    ({'poses': {'home': {'elbow': 0}}, 'angle_unit': ['deg']}, 'rad or deg, not'),
    ({'pose': {'home': {'elbow': 0}}}, "no key 'pose'; did you mean 'poses'"),
    ({'poses': {True: {'elbow': 0}}}, 'must be text, not True')])
def test_a_wrong_table_is_refused(table, says):
    with pytest.raises(ModelError, match=says):
        PoseLibrary.from_yaml(table, TREE)


@pytest.mark.parametrize(('text', 'says'), [
    ('poses: {home: {elbow: 0, elbow: 1}}', "'elbow' appears twice"),
    ('poses:\n  home: {elbow: 0}\n  home: {elbow: 1}', "'home' appears twice"),
    ('poses: {home: {[a]: 1}}', 'the poses .* is not YAML'),
    ('poses: {{', 'the poses .* is not YAML'),
    ('', "a mapping with the keys 'angle_unit', 'poses', not None"), ('- 1', 'a mapping'),
    ('poses: {home: {elbow: .nan}}', 'not nan'), ('poses: {home: {elbow: 1,5}}', 'elbow|joint')])
def test_a_wrong_file_is_refused_and_named(tmp_path, text, says):
    (tmp_path / 'bad.yaml').write_text(text)
    with pytest.raises(ModelError, match=says) as caught:
        read_poses(tmp_path / 'bad.yaml', TREE)
    assert 'bad.yaml' in str(caught.value)


@pytest.mark.parametrize('name', ['gone.yaml', 'gone.srdf', 'gone'])
def test_a_file_that_is_not_there_is_refused(tmp_path, name):
    with pytest.raises(ModelError, match=f'cannot read .*{name}'):
        read_poses(tmp_path / name, TREE)


def test_a_file_that_is_no_text_is_refused(tmp_path):
    (tmp_path / 'bad.yaml').write_bytes(b'\xff\xfe\x00\x80')
    with pytest.raises(ModelError, match='cannot read the poses'):
        read_poses(tmp_path / 'bad.yaml', TREE)


# SRDF

@pytest.mark.parametrize(('states', 'poses'), [
    ([state('home', elbow='1')], {'home': {'elbow': 1.0}}),
    ([state('home', 'arm', shoulder='1.5', elbow=' 1 '),
      state('home', 'hand', finger='0.2', elbow='1.0')],
     {'home': {'shoulder': 1.5, 'elbow': 1.0, 'finger': 0.2},
      'arm/home': {'shoulder': 1.5, 'elbow': 1.0}, 'hand/home': {'finger': 0.2, 'elbow': 1.0}})])
def test_group_states_are_poses_by_name_together_and_by_group_and_name(states, poses):
    found = from_srdf(*states)
    assert dict(found) == poses
    assert found.warnings == ()


def test_states_of_one_name_that_collide_are_found_by_their_group_only():
    poses = from_srdf(state('home', 'arm', elbow='1.0'), state('home', 'hand', elbow='2.0'))
    assert list(poses) == ['arm/home', 'hand/home']
    assert "want joint 'elbow' at different values, 1 and 2" in poses.warnings[0]


def test_joints_without_a_value_of_their_own_are_skipped_with_a_warning():
    poses = from_srdf(state('home', 'all', world='0 0 0', elbow='1', mount='0.', finger='0.1',
                            thumb='0.9'))
    assert poses['home'] == {'elbow': 1.0, 'finger': 0.1}
    assert [warning.partition("'all/home': ")[2] for warning in poses.warnings] == [
        "joint 'world' has 3 values, one for each of its degrees of freedom; it is skipped",
        "joint 'mount' is fixed; it is skipped",
        "joint 'thumb' follows 'finger'; it is skipped"]


def test_a_state_that_does_not_fit_is_left_out_and_the_others_stay():
    poses = from_srdf(state('home', 'arm', elbow='1'), state('far', 'arm', shoulder='2.5'),
                      state('home', 'head', neck='0'))
    assert list(poses) == ['arm/home']  # half of "home" is no "home"
    assert "'arm/far': joint 'shoulder': 2.5 rad is outside its limits" in poses.warnings[0]
    assert "'head/home': there is no joint 'neck'" in poses.warnings[2]
    assert all(warning.endswith('the pose is skipped') for warning in poses.warnings[1::2])


@pytest.mark.parametrize('bad', [{'neck': '0'}, {'shoulder': '2.5'}, {'shoulder': 'nan'},
                                 {'shoulder': ''}, {'shoulder': '0 0'}, {'': '0'}])
def test_a_joint_that_does_not_fit_does_not_drop_the_others(bad):
    poses = from_srdf(state('home', 'arm', elbow='1', **bad), state('rest', 'arm', elbow='0'))
    assert poses['home'] == {'elbow': 1.0}
    assert poses['rest'] == {'elbow': 0.0}
    assert len(poses.warnings) == 1
    assert next(iter(bad)) in poses.warnings[0]


@pytest.mark.parametrize(('value', 'used'), [
    (-1.5707, -1.5707 + 2.0 * np.pi), (14.0, 14.0 - 4.0 * np.pi), (1.5, 1.5), (0.2, None),
    (7.0, 7.0 - 2.0 * np.pi)])
def test_an_angle_that_fits_after_whole_turns_is_taken(value, used):
    tree = KinematicTree.from_urdf(robots.robot(robots.joint(
        'j', 'revolute', 'base', 'l', limit='lower="0.33" upper="5.95"')))
    text = srdf(state('home', j=str(value)))
    if used is None:
        with pytest.raises(ModelError, match='0.2 rad is outside its limits 0.33 to 5.95 rad'):
            PoseLibrary.from_srdf(text, tree)
        return
    poses = PoseLibrary.from_srdf(text, tree)
    assert poses['home']['j'] == pytest.approx(used)
    assert len(poses.warnings) == (value != used)


@pytest.mark.parametrize(('kind', 'ratio', 'taken'), [
    ('revolute', -2.0, True), ('revolute', 0.5, False), ('prismatic', 1.0, False)])
def test_an_angle_is_not_turned_where_a_mimic_would_move(kind, ratio, taken):
    tree = KinematicTree.from_urdf(robots.robot(
        robots.joint('j', 'revolute', 'base', 'l', limit='lower="0.33" upper="5.95"'),
        robots.joint('k', kind, 'l', 'm', limit='lower="-99" upper="99"',
                     mimic=f'joint="j" multiplier="{ratio}"')))
    text = srdf(state('home', j='-1.5707', other='1'), state('rest', j='1'))
    assert ('home' in PoseLibrary.from_srdf(text, tree)) == taken


@pytest.mark.parametrize(('values', 'says'), [
    ({'neck': '0'}, "there is no joint 'neck'"), ({'mount': '0'}, 'at least one joint'),
    ({'thumb': '0'}, "'thumb' follows 'finger'"), ({'shoulder': '2.5'}, '-2 to 2 rad'),
    ({'elbow': '0 0'}, "joint 'elbow' has one value, not 2"), ({}, 'at least one joint'),
    ({'elbow': 'nan'}, "finite number.*not 'nan'"), ({'elbow': '1,5'}, "not '1,5'"),
    ({'elbow': ''}, "home': joint 'elbow': the value must be"),
    ({'world': '0 0 inf'}, "not '0 0 inf'")])
def test_a_file_without_a_state_that_fits_is_refused_with_the_reason(tmp_path, values, says):
    (tmp_path / 'bad.srdf').write_text(srdf(state('home', 'arm', **values)))
    with pytest.raises(ModelError, match=says) as caught:
        read_poses(tmp_path / 'bad.srdf', TREE)
    assert 'bad.srdf' in str(caught.value)
    assert 'home' in str(caught.value)


BOMB = '<!DOCTYPE robot [<!ENTITY a "1"><!ENTITY b "&a;&a;">]>'


@pytest.mark.parametrize(('text', 'says'), [
    (srdf(), 'has no poses: there is no <group_state>'),
    (srdf(state('home', elbow='1'), root='sdf'), 'must be a <robot>, not a <sdf>'),
    (srdf(state('home', elbow='1'))[:-3], 'is not XML'),
    (BOMB + srdf(state('home', elbow='&b;')), "declares the XML entity 'a'"),
    (srdf(state('', elbow='1')), 'group_state number 1 has no name'),
    (srdf('<group_state name="home"><joint value="1"/></group_state>'), "no joint ''"),
    (srdf('<group_state name="home"><joint name="elbow"/></group_state>'), 'not None'),
    (srdf(state('home', elbow='1_0')), "finite number, .* not '1_0'"),
    (srdf(state('home', elbow='１')), "finite number, .* not '１'"),
    (srdf(f'<group_state name="home">{2 * """<joint name="elbow" value="1"/>"""}</group_state>'),
     "joint 'elbow' appears twice"),
    (srdf(state('home', 'arm', elbow='1'), state('home', 'arm', shoulder='1')),
     "two states of the group 'arm' are named 'home'"),
    (srdf('<xacro:include filename="arm.srdf.xacro"/>').replace(
        '<robot', '<robot xmlns:xacro="x"'), 'expand it first')])
def test_a_wrong_srdf_is_refused(text, says):
    with pytest.raises(ModelError, match=says):
        PoseLibrary.from_srdf(text, TREE)


@pytest.mark.parametrize('encoding', ['utf-8-sig', 'latin-1', 'utf-16'])
def test_the_encoding_a_file_declares_is_read(tmp_path, encoding):
    declared = encoding.removesuffix('-sig')
    text = f'<?xml version="1.0" encoding="{declared}"?>' + srdf(state('löse', elbow='1'))
    (tmp_path / 'robot.srdf').write_bytes(text.encode(encoding))
    assert list(read_poses(tmp_path / 'robot.srdf', TREE)) == ['löse']
    assert list(PoseLibrary.from_srdf(f'\ufeff\n{text}', TREE)) == ['löse']


@pytest.mark.parametrize(('name', 'text'), [
    ('a.yaml', YAML), ('a.YML', YAML), ('a.srdf', srdf(state('home', elbow='1'))),
    ('a.txt', YAML), ('a.xml', '\n' + srdf(state('home', elbow='1'))),
    ('a', srdf(state('home', elbow='1')))])
def test_the_suffix_or_else_the_content_says_what_a_file_is(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    assert 'home' in read_poses(tmp_path / name, TREE)
    assert 'home' in read_poses(str(tmp_path / name), TREE)


# Real ones

def test_the_panda_s_poses_fit_its_urdf_and_its_dh_table():
    for tree in (robots.tree('panda'), KinematicTree.from_dh(CONFIG / 'dh/panda.yaml')):
        poses = read_poses(CONFIG / 'poses/panda.yaml', tree)
        assert list(poses) == ['home', 'ready', 'extended', 'transport']
        for name in ('home', 'ready'):
            assert poses.configuration(name, tree.chain(tip_link=None if 'tool' in tree.links else
                                                        'panda_hand_tcp')) == pytest.approx(
                [0.0, -np.pi / 4, 0.0, -3 * np.pi / 4, 0.0, np.pi / 2, np.pi / 4])


def test_the_puma_s_poses_are_the_shapes_they_are_named_for():
    tree = KinematicTree.from_dh(CONFIG / 'dh/puma560.yaml')
    poses, chain = read_poses(CONFIG / 'poses/puma560.yaml', tree), tree.chain()
    assert list(poses) == ['qz', 'qr', 'qs', 'qn']
    tip = {name: chain.forward(poses.configuration(name, chain))[:3, 3] for name in poses}
    base, upper, fore, across = 0.67183, 0.4318, 0.4318, -0.15005
    assert tip['qz'] == pytest.approx([upper + 0.0203, across, base + fore])
    assert tip['qr'] == pytest.approx([0.0203, across, base + upper + fore])
    assert tip['qs'] == pytest.approx([upper + fore, across, base - 0.0203])
    # The toolbox's own qn has the elbow at +π.
    corke = [0.0, np.pi / 4, np.pi, 0.0, np.pi / 4, 0.0]
    assert tip['qn'] == pytest.approx(chain.forward(corke)[:3, 3], abs=1e-12)


# What is refused, of the SRDFs of example-robot-data beside their URDFs, and why.
REFUSED = {
    'baxter_manipulation': "no joint 'baxter/head_pan'",
    'ur3_gripper': 'there is no <group_state>',
    'ur5_gripper': 'there is no <group_state>',
    'ur5_joint_limited_robot': 'there is no <group_state>',
}


def urdf_beside(file):
    """Return the URDF of the same name as an SRDF, or the only one there is; else None."""
    urdfs = [*file.parents[1].glob('urdf/*.urdf'), *file.parents[1].glob('robots/*.urdf')]
    same = [urdf for urdf in urdfs if urdf.stem == file.stem]
    return (same or urdfs)[0] if same or len(urdfs) == 1 else None


def test_the_srdfs_of_example_robot_data_are_read_or_refused_for_a_reason():
    read = set()
    for file in sorted(robots.package_folder('erd').glob('*/srdf/*.srdf')):
        urdf = urdf_beside(file)
        # psyonic's own URDF is refused: it mimics a joint that it does not have.
        if urdf is None or file.stem == 'alex_psyonic_hands':
            continue
        tree = KinematicTree.from_urdf(urdf)
        if file.stem in REFUSED:
            with pytest.raises(ModelError, match=REFUSED[file.stem]):
                read_poses(file, tree)
            continue
        poses = read_poses(file, tree)
        for values in poses.values():
            assert tree.forward(values)[tree.root] == pytest.approx(np.eye(4))
        read.add(file.stem)
    assert {'panda', 'pr2', 'xarm7', 'z1', 'hextilt_flying_arm_5', 'finger_edu'} <= read
    assert len(read) >= 20
