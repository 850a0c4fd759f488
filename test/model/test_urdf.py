"""What stands in real files and urdf_parser_py refuses, or takes though it is wrong."""

import math

import numpy as np
import pytest

import robots
from ik_node import KinematicTree, ModelError
from ik_node.support.exceptions import InputError

LINKS = '<link name="a"/><link name="b"/>'


def one(inner='', kind='revolute', attributes='', extra=''):
    """Return a robot of one joint with the given insides."""
    return (f'<robot name="r" {attributes}>{LINKS}{extra}<joint name="j" type="{kind}">'
            f'<parent link="a"/><child link="b"/>{inner}</joint></robot>')


def load(*arguments, **named):
    return KinematicTree.from_urdf(one(*arguments, **named))


RANGE = '<limit lower="-1" upper="2" effort="3" velocity="4"/>'


@pytest.mark.parametrize('text', [
    one('<limit lower="-1" upper="2"/>'),
    one(RANGE, attributes='version="1.1"'),
    one(RANGE, attributes='version="1"'),
    one(RANGE, extra='<transmission name="t"><type>x</type><joint name="j"/></transmission>'),
    one(RANGE, extra='<material><color rgba="1 0 0"/></material>'),
    one(RANGE, extra='<link name="c"><visual><geometry><capsule radius="1" length="1"/></geometry>'
                     '</visual><inertial><origin xyz="0 0 0"/></inertial></link>'
                     '<joint name="k" type="fixed"><parent link="a"/><child link="c"/></joint>'),
    one(RANGE, extra='<ros2_control name="x" type="system"/><gazebo><sensor/></gazebo>'),
    one(RANGE + '<dynamics damping="much"/><safety_controller/><calibration rising="x"/>'),
    one('<limit lower="-1" upper="2" effort="nan" velocity="fast"/>'),
    '\n\n  <?xml version="1.0"?>\n' + one(RANGE),
    '\ufeff<?xml version="1.0" encoding="us-ascii"?>' + one(RANGE),
    '<?xml version="1.0" encoding="utf-8"?><!-- Gelenkgröße: π -->' + one(RANGE),
], ids=range(12))
def test_what_kinematics_does_not_need_never_stops_a_load(text, capfd):
    joint = KinematicTree.from_urdf(text).joints['j']
    assert (joint.lower, joint.upper) == (-1.0, 2.0)
    assert capfd.readouterr() == ('', '')  # the parser's own complaints are no use to anyone


def test_speed_and_effort_are_kept_where_they_are_usable():
    joint = load(RANGE).joints['j']
    assert (joint.velocity, joint.effort) == (4.0, 3.0)
    joint = load('<limit lower="-1" upper="2" effort="0" velocity="-1"/>').joints['j']
    assert (joint.velocity, joint.effort) == (math.inf, math.inf)


@pytest.mark.parametrize(('axis', 'direction', 'words'), [
    ('', [1.0, 0.0, 0.0], None), ('<axis/>', [1.0, 0.0, 0.0], "joint 'j': its axis has no xyz"),
    ('<axis xyz="0 0 -20"/>', [0.0, 0.0, -1.0], "joint 'j': its axis"),
    ('<axis xyz="0.70711 0.70711 0"/>', [0.5 ** 0.5, 0.5 ** 0.5, 0.0], None)])
def test_an_axis_is_a_direction_and_x_where_none_is_given(axis, direction, words):
    tree = load(RANGE + axis)
    assert tree.joints['j'].axis == pytest.approx(direction, abs=1e-15)
    assert [words] == [one[:len(words)] for one in tree.warnings] if words else not tree.warnings


@pytest.mark.parametrize('limit', ['', '<limit effort="1" velocity="1"/>',
                                   '<limit lower="-1" upper="1" effort="1" velocity="1"/>'])
def test_a_continuous_joint_has_no_limits_whatever_is_written(limit):
    tree = load(limit, kind='continuous')
    assert (tree.joints['j'].lower, tree.joints['j'].upper) == (-math.inf, math.inf)
    assert tree.warnings == ()


@pytest.mark.parametrize('limit', ['', '<limit effort="1" velocity="1"/>'])
def test_a_revolute_joint_without_bounds_is_continuous_with_a_warning(limit):
    tree = load(limit)
    assert tree.joints['j'].type == 'continuous'
    assert (tree.joints['j'].lower, tree.joints['j'].upper) == (-math.inf, math.inf)
    assert "joint 'j' is revolute without limits" in tree.warnings[0]


def test_one_missing_bound_is_zero():
    assert load('<limit upper="2" effort="1" velocity="1"/>').joints['j'].lower == 0.0


def test_a_mimic_without_multiplier_and_offset_has_1_and_0():
    tree = KinematicTree.from_urdf(robots.robot(
        robots.joint('a', 'continuous', 'base', 'la'),
        robots.joint('b', 'continuous', 'base', 'lb', mimic='joint="a"')))
    mimic = tree.joints['b'].mimic
    assert (mimic.joint, mimic.multiplier, mimic.offset) == ('a', 1.0, 0.0)


def test_a_mimic_tag_of_a_fixed_joint_says_nothing():
    tree = load('<mimic joint="nobody"/><axis xyz="0 0 0"/><limit lower="1" upper="0"/>',
                kind='fixed')
    assert tree.joints['j'].mimic is None


@pytest.mark.parametrize('limit', [
    'lower="1" upper="0"', 'lower="nan" upper="1"', 'lower="" upper="1"', 'lower="2e9" upper="3e9"',
    ''])
@pytest.mark.parametrize('kind', ['revolute', 'prismatic'])
def test_wrong_limits_of_a_mimic_are_ignored_with_a_warning(kind, limit):
    tree = KinematicTree.from_urdf(robots.robot(
        robots.joint('a', 'prismatic', 'base', 'la', limit='lower="0" upper="1"'),
        robots.joint('b', kind, 'base', 'lb', limit=limit, mimic='joint="a" multiplier="-1"')))
    assert tree.limits('a') == (0.0, 1.0)
    assert (tree.joints['b'].lower, tree.joints['b'].upper) == (-math.inf, math.inf)
    assert sum("joint 'b'" in warning for warning in tree.warnings) == 1
    assert KinematicTree.from_urdf(tree.to_urdf()).limits('a') == (0.0, 1.0)


SLOW = "velocity limits that are not above 0 are ignored: 'j'"


@pytest.mark.parametrize(('limit', 'words'), [
    ('upper="2"', "joint 'j' has only the limit upper; the other one is 0"),
    ('lower="-1"', "joint 'j' has only the limit lower; the other one is 0"),
    ('lower="0" upper="0"', "joint 'j': its limits 0 to 0 allow no motion"),
    ('lower="-1" upper="1" velocity="0"', SLOW),
    ('lower="-1" upper="1" velocity="-2"', SLOW),
    ('lower="-1" upper="1" velocity="fast"', SLOW),
    ('lower="-180" upper="180"', "joint 'j': its limits -180 to 180 rad look like degrees"),
    ('lower="0" upper="92.5"', "joint 'j': its limits 0 to 92.5 rad look like degrees"),
    ('lower="-6.28318" upper="6.28318"', None), ('lower="-12.5663" upper="12.5663"', None),
    ('lower="-1e4" upper="1e4"', None), ('lower="-18.85" upper="18.85"', None),
    ('lower="-0" upper="1"', None)])
def test_odd_limits_are_used_with_a_warning(limit, words):
    tree = load(f'<limit {limit}/>')
    assert [words] == [one[:len(words)] for one in tree.warnings] if words else not tree.warnings
    assert not np.signbit(tree.joints['j'].lower) or tree.joints['j'].lower < 0.0


SAFETY = '<safety_controller k_velocity="1" soft_lower_limit="{}" soft_upper_limit="{}"/>'


@pytest.mark.parametrize(('soft', 'limits', 'warned'), [
    ((-0.5, 0.75), (-0.5, 0.75), False), ((-3, 0.75), (-1.0, 0.75), False),
    ((-3, 3), (-1.0, 1.0), False), ((0, 0), (-1.0, 1.0), False), ((0.5, -0.5), (-1.0, 1.0), False),
    ((2, 3), (-1.0, 1.0), True), ((1, 3), (-1.0, 1.0), True), (('x', 3), (-1.0, 1.0), True),
    (('nan', 3), (-1.0, 1.0), True)])
def test_soft_limits_narrow_the_limits_where_they_leave_a_range(soft, limits, warned):
    text = one('<limit lower="-1" upper="1"/>' + SAFETY.format(*soft))
    joint = KinematicTree.from_urdf(text).joints['j']
    assert (joint.lower, joint.upper) == limits
    assert joint.has_soft_limits == (limits != (-1.0, 1.0))
    assert any('its soft limits' in one for one in KinematicTree.from_urdf(text).warnings) == warned
    without = KinematicTree.from_urdf(text, soft_limits=False)
    assert (without.joints['j'].lower, without.joints['j'].upper) == (-1.0, 1.0)
    assert without.warnings == ()


def test_soft_limits_need_both_and_a_joint_with_limits():
    half = '<safety_controller k_velocity="1" soft_upper_limit="0.5"/>'
    joint = load('<limit lower="-1" upper="1"/>' + half).joints['j']
    assert (joint.lower, joint.upper) == (-1.0, 1.0)
    assert load(SAFETY.format(-1, 1), kind='continuous').joints['j'].upper == math.inf
    with pytest.raises(InputError, match='soft_limits'):
        KinematicTree.from_urdf(one(RANGE), soft_limits='no')


@pytest.mark.parametrize(('text', 'words'), [
    (one('<limit lower="2" upper="1"/>'), "joint 'j': its limits 2 to 1 are no range"),
    (one('<limit lower="nan" upper="1"/>'), "joint 'j': its limits nan"),
    (one(RANGE + '<axis xyz="0 0 0"/>'), "joint 'j': its axis .* has no direction"),
    (one(RANGE + '<axis xyz="0 nan 1"/>'), "joint 'j': its axis .* has no direction"),
    (one(RANGE + '<axis xyz="0 1"/>'), "its axis xyz=.0 1. must be three numbers"),
    (one(RANGE + '<origin xyz="0 0 inf"/>'), "joint 'j': its origin .* finite"),
    (one(RANGE + '<origin rpy="a b c"/>'), "joint 'j': its origin rpy=\"a b c\" must be three"),
    (one('<limit lower="low" upper="1"/>'), "joint 'j': its limit lower=.low. must be a number"),
    (one(RANGE + '<mimic/>'), "joint 'j' has a <mimic> without joint="),
    (one(kind='prismatic'), "joint 'j' is prismatic and needs <limit"),
    (one('<limit effort="1" velocity="1"/>', kind='prismatic'), "joint 'j' is prismatic and needs"),
    (one(RANGE, kind='hinge'), "joint 'j' is of type 'hinge'; the types are 'fixed', 'revolute'"),
    (one(RANGE + '<mimic joint="nobody"/>'),
     "joint 'j' mimics another: there is no joint 'nobody'"),
    (one(RANGE + '<mimic joint="j" multiplier="nan"/>'),
     "joint 'j': the multiplier of a mimic of 'j' must be finite"),
    (one(RANGE).replace('<parent link="a"/>', ''), "joint 'j' has no <parent"),
    (one(RANGE).replace('<child link="b"/>', '<child/>'), "joint 'j' has no <child"),
    (one(RANGE).replace('joint name="j"', 'joint'), 'joint number 1 of the robot .* has no name'),
    (one(RANGE).replace('<link name="b"/>', '<link/>'), 'link number 2 of the robot .* no name'),
    ('<robot name="r"/>', 'has no links'),
    ('<sdf/>', 'must be a <robot>, not a <sdf>'),
    ('<robot name="r"><link></robot>', 'not XML'),
    ('<', 'not XML'),
    ('hello.urdf', 'cannot read the robot description .*hello.urdf'),
    ('', 'cannot read the robot description'),
    ('<!DOCTYPE robot [<!ENTITY x "y">]><robot name="&x;"/>', "entity 'x'")], ids=range(25))
def test_what_is_wrong_is_refused_by_name(text, words):
    with pytest.raises(ModelError, match=words):
        KinematicTree.from_urdf(text)


def test_a_path_may_be_text_or_a_path(tmp_path):
    file = tmp_path / 'arm.urdf'
    file.write_bytes('<?xml version="1.0" encoding="latin-1"?><!-- ö -->'.encode('latin-1')
                     + one(RANGE).encode())
    for source in (file, str(file)):
        assert list(KinematicTree.from_urdf(source).links) == ['a', 'b']


def test_a_file_that_is_no_text_is_refused(tmp_path):
    file = tmp_path / 'arm.urdf'
    file.write_bytes(b'\xff\xfe\x00\x81')
    with pytest.raises(ModelError, match='not text'):
        KinematicTree.from_urdf(file)


def test_xacro_that_cannot_be_expanded_is_refused(tmp_path):
    file = tmp_path / 'arm.xacro'
    file.write_text(one('<origin xyz="${2 * m} 0 0"/>', 'fixed'))
    with pytest.raises(ModelError, match=r'xacro cannot expand .*arm\.xacro'):
        KinematicTree.from_urdf(file)


def test_declaring_xacros_name_space_is_not_using_it():
    text = one(RANGE, attributes='xmlns:xacro="http://wiki.ros.org/xacro"')
    assert np.allclose(KinematicTree.from_urdf(text).forward()['b'], np.eye(4))


@pytest.mark.parametrize('source', [None, 5, b'<robot name="r"/>'])
def test_what_is_neither_a_path_nor_text_is_refused(source):
    with pytest.raises(ModelError, match='must be a path .* or the XML text itself, not'):
        KinematicTree.from_urdf(source)
