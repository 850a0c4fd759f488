"""Goals that are refused, or whose solver raises: what goes on, and what the status says."""

import math

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed (make test brings it from PyPI)')

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import Path
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger

import robots
from ik_node import KinematicTree
from ik_node.ros.conversions import matrix_to_pose
from node_here import running

ARM = str(robots.OWN / 'arm_6r.urdf')
CHAIN = KinematicTree.from_urdf(ARM).chain()
FAR_OFF = np.eye(4)
FAR_OFF[0, 3] = math.inf
BENT = np.array([0.4, 0.3, 0.5, 0.4, -1.2, 0.4])


class Robot:
    """A running node, and what it has published."""

    def __init__(self, node):
        self.node, self.states = node, node.listen(JointState, 'joint_states')
        self.statuses = node.listen(DiagnosticStatus, 'ik_node/status')

    @property
    def q(self):
        return np.array(self.states[-1].position)

    @property
    def arm(self):
        return self.node.subject._configuration.robot.groups['']

    @property
    def waypoints(self):
        return self.node.subject._session._execution.controllers[''].waypoints

    def send(self, T, frame='', stamp=None):
        """Send a goal pose (4, 4); return its status, with values as a mapping."""
        before, message = len(self.statuses), PoseStamped(pose=matrix_to_pose(T))
        message.header.frame_id, message.header.stamp = frame, stamp or Time()
        self.node.publish(PoseStamped, 'goal_pose', message)
        (status,) = self.statuses[before:]
        return status, {pair.key: pair.value for pair in status.values}

    def stand(self, q):
        """Set joint values (6,); return the stamp of the joint states that have them."""
        self.node.publish(JointState, 'goal_joints', JointState(
            name=list(CHAIN.joint_names), position=[float(value) for value in q]))
        assert self.q == pytest.approx(q, abs=0.0)
        return self.states[-1].header.stamp


@pytest.fixture(scope='module')
def node():
    with running(urdf_path=ARM, solver='dls', frame_prefix='a/', tf_timeout=0.0) as node:
        yield node


@pytest.fixture
def robot(node):
    assert node.call(Trigger, 'ik_node/reset', Trigger.Request()).success
    assert node.set(on_failure='hold')[0]
    return Robot(node)


@pytest.mark.parametrize(('T', 'frame'), [
    (FAR_OFF, ''), (CHAIN.forward(BENT), 'nowhere'),
    (CHAIN.forward(BENT), 'tool0')])
def test_an_invalid_goal_does_not_end_a_path(robot, T, frame):
    path = [BENT, BENT + 0.05, BENT + 0.1]
    robot.node.publish(Path, 'goal_path', Path(poses=[
        PoseStamped(pose=matrix_to_pose(CHAIN.forward(q))) for q in path]))
    assert robot.send(T, frame)[1]['reason'] == 'REFUSED'
    assert robot.node.until(lambda: not robot.waypoints)
    assert CHAIN.forward(robot.q) == pytest.approx(CHAIN.forward(path[-1]), abs=1e-5)


def test_a_valid_goal_ends_a_path(robot):
    robot.node.publish(Path, 'goal_path', Path(poses=[
        PoseStamped(pose=matrix_to_pose(CHAIN.forward(q))) for q in (BENT, BENT + 0.1)]))
    assert robot.waypoints
    robot.send(CHAIN.forward(BENT - 0.1))
    assert not robot.waypoints


def test_a_repeated_goal_is_solved_again_after_a_change_of_on_failure(robot):
    robot.stand(BENT)
    goal = CHAIN.forward(BENT)
    goal[:3, 3] *= 3.0  # out of reach
    status, _ = robot.send(goal)
    assert status.level == DiagnosticStatus.ERROR
    assert robot.node.set(on_failure='closest')[0]
    status, values = robot.send(goal)
    assert status.level == DiagnosticStatus.WARN
    closest = robot.arm.solver.closest(goal, BENT)
    assert float(values['position_error']) == pytest.approx(closest.position_error, rel=1e-6)
    assert robot.q == pytest.approx(closest.q)


def test_a_solver_that_raises_is_reported_in_one_line_and_the_next_goal_is_met(robot, monkeypatch):
    def fail(*_):
        raise np.linalg.LinAlgError('Singular\nmatrix ' + 500 * 'x')
    with monkeypatch.context() as patch:
        patch.setattr(type(robot.arm.solver), 'solve', fail)
        status, values = robot.send(CHAIN.forward(BENT))
    assert status.level == DiagnosticStatus.ERROR
    assert status.message.startswith('internal error: LinAlgError: Singular matrix x')
    assert len(status.message) < 250
    assert (values['accepted'], values['reason']) == ('false', 'REFUSED')
    assert robot.send(CHAIN.forward(BENT))[0].level == DiagnosticStatus.OK


def test_a_parameter_that_raises_is_refused_in_one_line_too(robot, monkeypatch):
    def fail(*_, **__):
        raise RuntimeError
    monkeypatch.setattr('ik_node.ros.configuration.build', fail)
    assert robot.node.set(dls__max_iterations=77) == (False, 'internal error: RuntimeError')


def test_a_goal_in_the_frame_of_a_link_is_where_the_link_was_at_the_stamp(robot):
    stamp = robot.stand(BENT)
    robot.stand(BENT + 0.2)
    offset = np.eye(4)
    offset[2, 3] = -0.03
    assert robot.send(offset, 'a/tool0', stamp)[0].level == DiagnosticStatus.OK
    assert CHAIN.forward(robot.q) == pytest.approx(CHAIN.forward(BENT) @ offset, abs=1e-5)
    now = CHAIN.forward(robot.q)
    assert robot.send(offset, 'a/tool0')[0].level == DiagnosticStatus.OK
    assert CHAIN.forward(robot.q) == pytest.approx(now @ offset, abs=1e-5)


def test_a_goal_in_the_frame_of_a_link_before_all_known_joint_values_is_refused(robot):
    status, values = robot.send(np.eye(4), 'a/tool0', Time(sec=1))
    assert 'the joint values at 1.000 s are not known any more' in status.message
    assert values['reason'] == 'REFUSED'
