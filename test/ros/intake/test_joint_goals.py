"""Joint values as goals: of an arm, of several arms, and of a body with tasks."""

import math

import numpy as np
import pytest
from geometry_msgs.msg import PointStamped
from sensor_msgs.msg import JointState

import robots
from harness.node_here import running
from ik_node import KinematicTree
from ik_node.ros.conversions import array_to_point
from ik_node.ros.publishing.status import KEYS, seconds

ARM, TORSO = str(robots.OWN / 'arm_6r.urdf'), str(robots.OWN / 'torso.urdf')
CHAIN = KinematicTree.from_urdf(ARM).chain()
NAMES = CHAIN.joint_names
GRIPPER = """<robot name="gripper"><link name="base"/><link name="hand"/><link name="finger"/>
<link name="other"/>
<joint name="roll" type="revolute"><parent link="base"/><child link="hand"/><axis xyz="0 0 1"/>
<limit lower="-6.2" upper="6.2" effort="1" velocity="5"/></joint>
<joint name="spin" type="continuous"><parent link="hand"/><child link="finger"/>
<axis xyz="0 0 1"/><limit effort="1" velocity="5"/></joint>
<joint name="mirror" type="continuous"><parent link="finger"/><child link="other"/>
<axis xyz="0 0 1"/><mimic joint="spin" multiplier="-2" offset="0.5"/></joint></robot>"""


@pytest.fixture(scope='module')
def shared():
    with running(urdf_path=ARM, solver='dls') as node:
        yield node


@pytest.fixture
def node(shared):
    assert shared.reset().success
    return shared


def send(node, values, topic='goal_joints', **fields):
    message = JointState(name=list(values), position=[float(q) for q in values.values()])
    for field, value in fields.items():
        setattr(message, field, value)
    message.header.stamp.sec = 7
    report = node.send(topic, message)
    assert tuple(report.values) == KEYS
    assert report.values['goal_stamp'] == '7.000000000'
    return report


def test_joints_go_to_their_values_and_those_left_out_keep_theirs(node):
    send(node, dict(zip(NAMES, (0.1, 0.2, 0.3))))
    states = node.listen(JointState, 'joint_states')
    report = send(node, {NAMES[2]: -0.4, NAMES[0]: 0.5})
    assert list(states[-1].position) == [0.5, 0.2, -0.4, 0.0, 0.0, 0.0]
    assert report[:2] == (0, 'the goal is met')
    assert (report.values['reason'], report.values['accepted']) == ('CONVERGED', 'true')
    assert report.values['joint_stamp'] == seconds(states[-1].header.stamp)


def test_the_limits_themselves_are_allowed(node):
    for bound in (CHAIN.lower, CHAIN.upper):
        assert send(node, dict(zip(NAMES, bound))).level == 0
        assert list(node.values().values()) == bound.tolist()
        rounded = np.float32(bound).astype(float)
        inside = np.clip(rounded, CHAIN.lower, CHAIN.upper)
        assert (inside != rounded).any()
        assert send(node, dict(zip(NAMES, rounded.tolist()))).level == 0
        assert list(node.values().values()) == inside.tolist()


@pytest.mark.parametrize(('values', 'fields', 'reason'), [
    ({'joint_9': 0.1}, {}, "there is no joint of the arm named 'joint_9'; did you mean"),
    ({'': 0.1}, {}, "there is no joint of the arm named ''"),
    ({NAMES[0]: math.nan}, {}, 'is nan, not a finite number'),
    ({NAMES[0]: math.inf}, {}, 'is inf, not a finite number'),
    ({NAMES[0]: CHAIN.upper[0] + 1e-6}, {}, 'is outside the limits'),
    ({NAMES[1]: CHAIN.lower[1] - 1.0}, {}, 'is outside the limits'),
    ({}, {'name': [NAMES[0], NAMES[1], NAMES[0]], 'position': [0.1, 0.2, 0.1]},
     f"joint '{NAMES[0]}' is named more than once"),
    ({}, {'name': list(NAMES), 'velocity': [0.1] * 6}, '6 names and 0 positions'),
    ({}, {'position': [0.1]}, '0 names and 1 positions'),
    ({}, {}, 'joint values need names and positions')])
def test_invalid_values_are_refused_as_a_whole_with_the_reason(node, values, fields, reason):
    send(node, {NAMES[0]: 0.1})
    report = send(node, {NAMES[2]: 0.7, **values} if values else {}, **fields)
    assert report.level == 2
    assert reason in report.message
    assert (report.values['accepted'], report.values['reason']) == ('false', 'REFUSED')
    assert list(node.values().values()) == [0.1, 0.0, 0.0, 0.0, 0.0, 0.0]


@pytest.fixture
def gripper(tmp_path):
    file = tmp_path / 'gripper.urdf'
    file.write_text(GRIPPER)
    return str(file)


def test_a_mimic_is_refused_and_follows_the_joint_that_it_mimics(gripper):
    with running(urdf_path=gripper, tip_link='other', task_weights='auto') as node:
        assert send(node, {'mirror': 0.1})[:2] == (
            2, "joint 'mirror' follows joint 'spin'; give the value of that one")
        send(node, {'spin': 1.0})
        assert node.values() == {'roll': 0.0, 'spin': 1.0, 'mirror': -1.5}
        report = send(node, {'spin': 2e9})
        assert (report.level, 'at most 1e+09' in report.message) == (2, True)


@pytest.mark.parametrize('base', ['torso_link', ''], ids=['apart', 'shared'])
def test_each_arm_has_its_own(base):
    tree = KinematicTree.from_urdf(TORSO)
    with running(urdf_path=TORSO, arms=['left', 'right'], **{
            f'{side}__{field}': value for side in ('left', 'right') for field, value in (
                ('base_link', base), ('tip_link', f'{side}_tool0')) if value}) as node:
        arm = tree.chain(base or None, 'right_tool0')
        names = arm.joint_names[0], arm.joint_names[-1]
        wanted = {name: 0.6 * tree.joints[name].lower + 0.4 * tree.joints[name].upper
                  for name in names}
        before = node.values()
        report = send(node, wanted, 'right/goal_joints')
        assert (report.level, report.values['arm'], report.values['task']) == (0, 'right', '')
        assert node.values() == {**before, **wanted}
        report = send(node, {names[1]: 0.1}, 'left/goal_joints')
        assert (report.level, report.values['arm']) == (2, 'left')
        assert f"there is no joint of the arm named '{names[1]}'" in report.message


def test_a_body_with_tasks_takes_them_with_those_of_its_root():
    tree = robots.tree('humanoid')
    palms = {'left': 'left_palm', 'right': 'right_palm'}
    with running(urdf_path=str(robots.OWN / 'humanoid.urdf'), solver='least_squares',
                 tasks=list(palms), root='floating', **{
                     f'{name}__{field}': value for name, link in palms.items()
                     for field, value in (('type', 'position'), ('link', link))}) as node:
        robot, body = node.subject._configuration.robot, tree.body(root='floating')
        elbow = next(name for name in tree.joints if 'left' in name and 'elbow' in name)
        value = 0.5 * (tree.joints[elbow].lower + tree.joints[elbow].upper)
        report = send(node, {'root_x': 1.5, 'root_wz': 0.3, elbow: value})
        assert (report.level, report.values['task']) == (0, '')
        assert node.values()[elbow] == value
        assert robot.T_world_root[0, 3] == 1.5
        assert robot.T_world_root[1, 0] == pytest.approx(math.sin(0.3))
        assert "there is no joint of the body named 'root_q'; did you mean 'root_" in send(
            node, {'root_q': 1.5}).message

        def frames():
            return body.forward(robot.joint_configuration(robot.groups['']))
        before = frames()
        wanted = before['left_palm'][:3, 3] + [0.0, 0.0, 0.05]
        node.send('left/goal_point', PointStamped(point=array_to_point(wanted)))
        assert frames()['left_palm'][:3, 3] == pytest.approx(wanted, abs=1e-5)
        assert frames()['right_palm'][:3, 3] == pytest.approx(before['right_palm'][:3, 3], abs=1e-5)
