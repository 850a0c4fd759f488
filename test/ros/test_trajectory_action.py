import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from action_msgs.msg import GoalStatus
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PoseStamped
from rclpy.task import Future
from sensor_msgs.msg import JointState

from harness.bent_arm import ARM, CHAIN, START
from harness.node_here import running
from harness.ros_harness import seconds
from ik_node.ros import trajectory_action
from ik_node.ros.conversions import matrix_to_pose

ACTION = '/controller/follow_joint_trajectory'
SUCCEEDED, CANCELED, ABORTED = (
    GoalStatus.STATUS_SUCCEEDED, GoalStatus.STATUS_CANCELED, GoalStatus.STATUS_ABORTED)


class Handle:
    """A goal as its client sees it; `end` is what a controller does."""

    def __init__(self, goal, on_feedback, accepted):
        self.goal, self.on_feedback, self.accepted = goal, on_feedback, accepted
        self.is_cancelled, self._result = False, Future()

    def get_result_async(self):
        return self._result

    def cancel_goal_async(self):
        self.is_cancelled = True

    def end(self, status, code=0, text=''):
        self._result.set_result(SimpleNamespace(status=status, result=SimpleNamespace(
            error_code=code, error_string=text)))


class Server:
    """Stands in for an `ActionClient` and its server, which a test controls."""

    def __init__(self):
        self.handles, self._responses = [], []
        self.is_ready, self.accepts, self.is_destroyed = True, True, False

    def __call__(self, node, kind, name):
        assert name == ACTION
        return self

    def server_is_ready(self):
        return self.is_ready

    def send_goal_async(self, goal, on_feedback):
        self.handles.append(Handle(goal, on_feedback, self.accepts))
        self._responses.append(Future())
        return self._responses[-1]

    def respond(self):
        """Accept or reject the goals that have come."""
        for future in self._responses:
            future.set_result(self.handles[-1])
        self._responses.clear()

    def destroy(self):
        self.is_destroyed = True


@pytest.fixture
def server(monkeypatch):
    """Return what stands in for a controller, and for control_msgs, which need not be installed."""
    package = ModuleType('control_msgs')
    package.__spec__ = sys.__spec__
    monkeypatch.setitem(sys.modules, 'control_msgs', package)
    for name, content in (('action', {'FollowJointTrajectory': SimpleNamespace(
            Goal=SimpleNamespace)}), ('msg', {'JointTolerance': SimpleNamespace})):
        module = ModuleType(f'control_msgs.{name}')
        vars(module).update(content)
        monkeypatch.setitem(sys.modules, f'control_msgs.{name}', module)
    made = Server()
    monkeypatch.setattr(trajectory_action, 'ActionClient', made)
    return made


def commanding(**parameters):
    return running(**{'urdf_path': ARM, 'publish_rate': 100.0, 'start_pose': START,
                      'motion': 'cartesian', 'output': 'follow_joint_trajectory',
                      'output_topic': ACTION, **parameters})


def go(node, server, y=0.1):
    """Send a goal aside of the start, and let the controller respond; return the report of it."""
    T = CHAIN.forward(START)
    T[1, 3] += y
    report = node.send('goal_pose', PoseStamped(pose=matrix_to_pose(T)))
    server.respond()
    return report


def last(states):
    return states[-1].position.tolist()


def test_a_motion_is_a_goal_with_the_tolerances_of_the_parameters(server):
    with commanding(path_tolerance=0.1, goal_time_tolerance=1.5) as node:
        states = node.listen(JointState, 'joint_states')
        assert go(node, server).level == 0
        node.spin(0.1)
        (handle,) = server.handles
        goal = handle.goal
        assert list(goal.trajectory.joint_names) == list(CHAIN.joint_names)
        assert goal.trajectory.points[0].positions.tolist() == START
        assert [(one.name, one.position) for one in goal.path_tolerance] == [
            (name, 0.1) for name in CHAIN.joint_names]
        assert goal.goal_tolerance == []
        assert seconds(goal.goal_time_tolerance) == 1.5
        node.spin(3.0)
        handle.end(SUCCEEDED)
        assert last(states) == pytest.approx(goal.trajectory.points[-1].positions.tolist())
        assert [report.level for report in node.reports] == [0]


@pytest.mark.parametrize(('code', 'words'), [
    (-1, 'the trajectory is invalid or was replaced'),
    (-2, 'the joints are not those of the controller'),
    (-3, 'the trajectory is over'), (-4, 'a joint has left the tolerance of the path'),
    (-5, 'a joint has not come within the tolerance of the goal in time'), (-9, 'error code -9')])
def test_an_aborted_trajectory_ends_the_motion_and_is_reported_in_words(server, code, words):
    with commanding() as node:
        states, health = (node.listen(JointState, 'joint_states'),
                          node.listen(DiagnosticArray, '/diagnostics'))
        go(node, server)
        node.spin(0.3)
        handle = server.handles[-1]
        handle.on_feedback(SimpleNamespace(feedback=SimpleNamespace(
            joint_names=['joint_1', 'joint_2'], error=SimpleNamespace(positions=[0.01, -0.25]))))
        handle.end(ABORTED, code, 'says the controller')
        report = node.reports[-1]
        assert report.level == 2
        assert report.values['reason'] == 'ABORTED'
        assert report.message == (
            f'the controller has aborted the trajectory: {words} (says the controller); '
            "'joint_2' was 0.25 rad or m from it")
        assert report.message in node.log()
        stopped = last(states)
        node.spin(1.5)
        assert last(states) == stopped
        assert not any(states[-1].velocity)
        assert report.message in health[-1].status[0].message
        assert go(node, server).level == 0
        node.spin(0.1)
        assert server.handles[-1].goal.trajectory.points[0].positions.tolist() == stopped
        node.spin(3.0)
        server.handles[-1].end(SUCCEEDED)
        node.spin(1.5)
        assert 'aborted' not in health[-1].status[0].message


def test_a_newer_goal_replaces_the_older_whose_end_is_no_fault(server):
    with commanding() as node:
        states = node.listen(JointState, 'joint_states')
        go(node, server, 0.3)
        node.spin(0.2)
        go(node, server, -0.1)
        node.spin(0.2)
        older, newer = server.handles
        older.end(ABORTED, -1, 'preempted')
        assert not older.is_cancelled  # the controller would stop
        assert [report.level for report in node.reports] == [0, 0]
        before = last(states)
        node.spin(0.1)
        assert last(states) != before
        newer.end(CANCELED)
        assert node.reports[-1].message == 'another client has cancelled the trajectory'


def test_a_stop_is_a_goal_that_brakes(server):
    with commanding() as node:
        go(node, server, 0.3)
        node.spin(0.3)
        node.enable(False)
        node.spin(0.1)
        moving, braking = (handle.goal.trajectory.points[-1] for handle in server.handles)
        assert not any(braking.velocities)
        assert np.abs(np.subtract(moving.positions, braking.positions)).max() > 0.05


def test_of_a_rejected_goal_the_older_trajectory_is_cancelled(server):
    with commanding() as node:
        go(node, server, 0.3)
        node.spin(0.2)
        server.accepts = False
        go(node, server, -0.1)
        node.spin(0.2)
        assert server.handles[0].is_cancelled
        assert 'the controller has rejected the trajectory' in node.reports[-1].message
        server.accepts = True
        assert go(node, server).level == 0
        node.spin(0.2)
        assert len(server.handles) == 3


def test_a_missing_controller_is_reported_and_one_that_goes_ends_the_motion(server):
    with commanding() as node:
        missing = f"there is no action '{ACTION}': no controller is active"
        server.is_ready = False
        assert go(node, server).message == missing
        assert node.reset().message == missing
        server.is_ready = True
        go(node, server)
        node.spin(0.2)
        server.is_ready = False
        node.spin(0.1)
        assert node.reports[-1].message == missing
        assert len(server.handles) == 1
        server.is_ready = True
        assert go(node, server, 0.2).level == 0


def test_another_output_cancels_the_goal_and_destroys_the_client(server):
    with commanding() as node:
        go(node, server, 0.3)
        node.spin(0.2)
        assert node.set(output='none') == (True, '')
        assert server.handles[0].is_cancelled
        assert server.is_destroyed


def test_servo_is_refused_with_the_action_and_the_action_with_servo(server):
    with commanding() as node:
        done, reason = node.set(motion='servo')
        assert not done
        assert 'which takes whole motions' in reason


def test_without_control_msgs_the_action_is_refused_with_the_reason(monkeypatch):
    monkeypatch.setitem(sys.modules, 'control_msgs', None)
    with running(urdf_path=ARM) as node:
        done, reason = node.set(output='follow_joint_trajectory', output_topic=ACTION)
        assert not done
        assert 'control_msgs/FollowJointTrajectory, is not installed' in reason
        assert node.get('output', 'output_topic') == ['none', '']
