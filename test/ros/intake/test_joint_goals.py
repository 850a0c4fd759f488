"""Joint values as goals: of an arm, of several arms, and of a body with tasks."""

import importlib.util
import math

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed (make test brings it from PyPI)')

from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PointStamped, PoseStamped
from nav_msgs.msg import Path
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool, Trigger

import robots
from ik_node import KinematicTree
from ik_node.ros.conversions import array_to_point, matrix_to_pose
from ik_node.ros.publishing.status import KEYS
from node_here import running

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

moving = pytest.mark.parametrize('motion', ['cartesian', pytest.param(
    'joint', marks=pytest.mark.skipif(importlib.util.find_spec('ruckig') is None,
                                      reason='ruckig is not installed'))])


def values_of(state):
    return dict(zip(state.name, state.position))


class Robot:
    """A running node, and what it has published."""

    def __init__(self, node):
        self.node = node
        self.states = node.listen(JointState, 'joint_states')
        self.statuses = node.listen(DiagnosticStatus, 'ik_node/status')
        self.stamp = 0

    @property
    def values(self):
        return values_of(self.states[-1])

    def send(self, values, topic='goal_joints', **fields):
        """Send joint values; return the level, the message and the values of the status."""
        message = JointState(name=list(values), position=[float(q) for q in values.values()])
        for field, value in fields.items():
            setattr(message, field, value)
        return self.publish(JointState, topic, message)

    def publish(self, kind, topic, message):
        before, self.stamp = len(self.statuses), self.stamp + 1
        message.header.stamp.sec = self.stamp
        self.node.publish(kind, topic, message)
        assert len(self.statuses) == before + 1
        (status,) = self.statuses[before:]
        values = {pair.key: pair.value for pair in status.values}
        assert tuple(values) == KEYS
        assert values['goal_stamp'] == f'{self.stamp}.000000000'
        return status.level, status.message, values

    def reset(self):
        assert self.node.call(Trigger, 'ik_node/reset', Trigger.Request()).success


@pytest.fixture(scope='module')
def arm():
    with running(urdf_path=ARM, solver='dls') as node:
        yield Robot(node)


@pytest.fixture
def robot(arm):
    arm.reset()
    return arm


def test_joints_go_to_their_values_and_those_left_out_keep_theirs(robot):
    robot.send(dict(zip(NAMES, (0.1, 0.2, 0.3))))
    level, message, values = robot.send({NAMES[2]: -0.4, NAMES[0]: 0.5})
    assert list(robot.values.values()) == [0.5, 0.2, -0.4, 0.0, 0.0, 0.0]
    assert (level, message) == (DiagnosticStatus.OK, 'the goal is met')
    assert values['reason'] == 'CONVERGED'
    assert values['accepted'] == 'true'
    stamp = robot.states[-1].header.stamp
    assert values['joint_stamp'] == f'{stamp.sec}.{stamp.nanosec:09d}'


def test_the_limits_themselves_are_allowed(robot):
    for bound in (CHAIN.lower, CHAIN.upper):
        assert robot.send(dict(zip(NAMES, bound)))[0] == DiagnosticStatus.OK
        assert list(robot.values.values()) == bound.tolist()
        rounded = np.float32(bound).astype(float)
        inside = np.clip(rounded, CHAIN.lower, CHAIN.upper)
        assert (inside != rounded).any()
        assert robot.send(dict(zip(NAMES, rounded.tolist())))[0] == DiagnosticStatus.OK
        assert list(robot.values.values()) == inside.tolist()


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
def test_invalid_values_are_refused_as_a_whole_with_the_reason(robot, values, fields, reason):
    robot.send({NAMES[0]: 0.1})
    level, message, status = robot.send({NAMES[2]: 0.7, **values} if values else {}, **fields)
    assert level == DiagnosticStatus.ERROR
    assert reason in message
    assert (status['accepted'], status['reason']) == ('false', 'REFUSED')
    assert list(robot.values.values()) == [0.1, 0.0, 0.0, 0.0, 0.0, 0.0]


def test_a_disabled_robot_is_not_reset(robot):
    robot.send({NAMES[0]: 0.4})
    before = list(robot.values.values())
    assert robot.node.call(SetBool, 'ik_node/enable', SetBool.Request(data=False)).success
    refused = robot.node.call(Trigger, 'ik_node/reset', Trigger.Request())
    assert (refused.success, 'disabled' in refused.message) == (False, True)
    assert list(robot.node.joint_states()[0].position) == before
    assert robot.node.call(SetBool, 'ik_node/enable', SetBool.Request(data=True)).success
    robot.reset()
    assert list(robot.node.joint_states()[0].position) != before


def test_a_disabled_node_refuses_them(robot):
    for enabled, expected in ((False, DiagnosticStatus.ERROR), (True, DiagnosticStatus.OK)):
        assert robot.node.call(SetBool, 'ik_node/enable', SetBool.Request(data=enabled)).success
        assert robot.send({NAMES[0]: 0.3})[0] == expected
        assert robot.values[NAMES[0]] == (0.3 if enabled else 0.0)


def test_they_end_a_path_unless_they_are_refused(robot):
    controller = robot.node.subject._session._execution.controllers['']
    robot.node.publish(Path, 'goal_path', Path(poses=[
        PoseStamped(pose=matrix_to_pose(CHAIN.forward(q))) for q in ([0.1] * 6, [0.2] * 6)]))
    assert robot.send({NAMES[0]: 99.0})[0] == DiagnosticStatus.ERROR
    assert controller.waypoints
    robot.send({NAMES[0]: 0.5})
    assert not controller.waypoints


def test_a_goal_after_them_is_solved_from_there(robot):
    q = [0.4, -0.5, 0.6, 0.3, -1.2, 0.2]
    robot.send(dict(zip(NAMES, q)))
    level, _, values = robot.publish(PoseStamped, 'goal_pose', PoseStamped(
        pose=matrix_to_pose(CHAIN.forward(q))))
    assert (level, values['iterations']) == (DiagnosticStatus.OK, '0')


@pytest.fixture
def gripper(tmp_path):
    file = tmp_path / 'gripper.urdf'
    file.write_text(GRIPPER)
    return str(file)


def test_a_mimic_is_refused_and_follows_the_joint_that_it_mimics(gripper):
    with running(urdf_path=gripper, tip_link='other', task_weights='auto') as node:
        robot = Robot(node)
        level, message, _ = robot.send({'mirror': 0.1})
        assert level == DiagnosticStatus.ERROR
        assert message == "joint 'mirror' follows joint 'spin'; give the value of that one"
        robot.send({'spin': 1.0})
        assert robot.values == {'roll': 0.0, 'spin': 1.0, 'mirror': -1.5}
        level, message, _ = robot.send({'spin': 2e9})
        assert level == DiagnosticStatus.ERROR
        assert 'at most 1e+09' in message


@moving
def test_they_are_reached_by_a_motion_to_the_very_values(gripper, motion):
    with running(urdf_path=gripper, tip_link='other', task_weights='auto', motion=motion,
                 publish_rate=200.0) as node:
        robot = Robot(node)
        level, message, values = robot.send({'roll': 4.0, 'spin': 4.5})
        assert level == DiagnosticStatus.OK
        assert message == (f'the goal is met; moving for '
                           f'{float(values["motion_duration"]):.3f} s')
        assert robot.values['roll'] < 0.1
        assert node.until(lambda: robot.values['roll'] > 0.5)
        before = robot.values['spin']
        robot.send({'roll': -0.5})  # on the way; the other joint keeps the value it has now
        after = robot.values['spin']
        assert node.until(lambda: robot.values['roll'] == pytest.approx(-0.5, abs=1e-9)
                          and not any(robot.states[-1].velocity))
        assert 0.0 < before <= robot.values['spin'] <= after + 1e-9 < 4.5
        speeds = np.abs([state.velocity for state in robot.states if state.velocity])
        assert speeds[:, :2].max() <= 5.0 + 1e-6


@moving
def test_a_goal_that_they_have_superseded_is_solved_again(motion):
    with running(urdf_path=ARM, solver='dls', motion=motion) as node:
        robot = Robot(node)
        start = [0.4, 0.3, 0.5, 0.4, -1.2, 0.4]
        robot.send(dict(zip(NAMES, start)))
        assert node.until(lambda: not any(robot.states[-1].velocity))
        goal = CHAIN.forward(start)
        goal[2, 3] += 0.05
        for k in range(2):
            robot.publish(PoseStamped, 'goal_pose', PoseStamped(pose=matrix_to_pose(goal)))
            if k == 0:
                robot.send({NAMES[0]: 0.2})
        assert node.until(lambda: not any(robot.states[-1].velocity) and np.allclose(
            CHAIN.forward(list(robot.values.values())), goal, atol=2e-3))


def test_each_arm_has_its_own():
    tree = KinematicTree.from_urdf(TORSO)
    arms = {side: tree.chain('torso_link', f'{side}_tool0') for side in ('left', 'right')}
    with running(urdf_path=TORSO, arms=list(arms), **{
            f'{side}__{field}': value for side in arms for field, value in (
                ('base_link', 'torso_link'), ('tip_link', f'{side}_tool0'))}) as node:
        robot = Robot(node)
        robot.reset()
        q = 0.6 * arms['right'].lower + 0.4 * arms['right'].upper
        wanted = dict(zip(arms['right'].joint_names, q))
        before = dict(robot.values)
        level, _, values = robot.send(wanted, 'right/goal_joints')
        assert (level, values['arm']) == (DiagnosticStatus.OK, 'right')
        assert robot.values == {**before, **wanted}
        level, message, values = robot.send(wanted, 'left/goal_joints')
        assert (level, values['arm']) == (DiagnosticStatus.ERROR, 'left')
        assert 'there is no joint of the arm named' in message


def test_arms_that_share_joints_take_those_of_each():
    tree = KinematicTree.from_urdf(TORSO)
    left, right = (tree.chain(None, f'{side}_tool0') for side in ('left', 'right'))
    shared = [name for name in left.joint_names if name in right.joint_names]
    own = [name for name in left.joint_names if name not in shared]
    with running(urdf_path=TORSO, arms=['left', 'right'], left__tip_link='left_tool0',
                 right__tip_link='right_tool0') as node:
        robot = Robot(node)
        robot.reset()
        wanted = {shared[0]: 0.1, own[-1]: 0.2}
        before = dict(robot.values)
        level, _, values = robot.send(wanted, 'left/goal_joints')
        assert (level, values['arm'], values['task']) == (DiagnosticStatus.OK, 'left', '')
        assert robot.values == {**before, **wanted}
        level, message, _ = robot.send({own[-1]: 0.1}, 'right/goal_joints')
        assert level == DiagnosticStatus.ERROR
        assert f"there is no joint of the arm named '{own[-1]}'" in message


def test_a_body_with_tasks_takes_them_with_those_of_its_root():
    tree = KinematicTree.from_urdf(robots.OWN / 'humanoid.urdf')
    palms = {'left': 'left_palm', 'right': 'right_palm'}
    with running(urdf_path=str(robots.OWN / 'humanoid.urdf'), solver='least_squares',
                 tasks=list(palms), root='floating', **{
                     f'{name}__{field}': value for name, link in palms.items()
                     for field, value in (('type', 'position'), ('link', link))}) as node:
        robot, body = Robot(node), tree.body(root='floating')
        figure = node.subject._configuration.robot
        elbow = next(name for name in tree.joints if 'left' in name and 'elbow' in name)
        value = 0.5 * (tree.joints[elbow].lower + tree.joints[elbow].upper)
        level, _, values = robot.send({'root_x': 1.5, 'root_wz': 0.3, elbow: value})
        assert (level, values['task']) == (DiagnosticStatus.OK, '')
        assert robot.values[elbow] == value
        assert figure.T_world_root[0, 3] == 1.5
        assert figure.T_world_root[1, 0] == pytest.approx(math.sin(0.3))
        level, message, _ = robot.send({'root_q': 1.5})
        assert "there is no joint of the body named 'root_q'; did you mean 'root_" in message

        palms_at = {name: body.forward(figure.joint_configuration(figure.groups['']))[link][:3, 3]
                    for name, link in palms.items()}
        robot.publish(PointStamped, 'left/goal_point', PointStamped(
            point=array_to_point(palms_at['left'] + [0.0, 0.0, 0.05])))
        frames = body.forward(figure.joint_configuration(figure.groups['']))
        assert frames['left_palm'][:3, 3] == pytest.approx(
            palms_at['left'] + [0.0, 0.0, 0.05], abs=1e-5)
        assert frames['right_palm'][:3, 3] == pytest.approx(palms_at['right'], abs=1e-5)
