"""A node that searches stays responsive: nothing waits for its searches, which take minutes."""

import signal

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseArray, PoseStamped
from rclpy.duration import Duration
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger

from harness.bent_arm import ARM, BENT, CHAIN
from harness.ros_harness import running
from ik_node.control.worker import NEWER
from ik_node.ros.conversions import matrix_to_pose

EASY = CHAIN.forward([0.3, 0.2, -0.6, 0.3, -0.8, 0.2])
# The orientation cannot be had there, which dls does not prove.
HARD = np.array([[0.0, 0.0, -1.0, 0.3], [0.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.4],
                 [0.0, 0.0, 0.0, 1.0]])


class Searching:
    """A node under test, and the statuses of its goals by their stamps."""

    def __init__(self, node):
        self.node, self._count = node, 0
        self.publisher = node.node.create_publisher(PoseStamped, 'goal_pose', QoSProfile(depth=1))
        assert node.until(lambda: self.publisher.get_subscription_count() > 0), node.log()
        self.statuses = {}
        node.node.create_subscription(DiagnosticStatus, 'ik_node/status', self._on_status, 50)

    def _on_status(self, message):
        values = {pair.key: pair.value for pair in message.values}
        self.statuses[int(values['goal_stamp'].partition('.')[0])] = {
            **values, 'message': message.message}

    def send(self, T):
        """Publish a goal; return its number."""
        self._count += 1
        message = PoseStamped(pose=matrix_to_pose(T))
        message.header.stamp.sec = self._count
        self.publisher.publish(message)
        return self._count

    def search(self):
        """Begin a search, and wait until the node is at it; return the number of its goal."""
        number = self.send(HARD)
        assert self.publisher.wait_for_all_acked(Duration(seconds=60))
        self.node.settle()
        assert number not in self.statuses
        return number

    def begin(self):
        """Send goals until the node has found the subscription of statuses; return self."""
        for _ in range(60):
            self.send(EASY)
            if self.node.until(lambda: self.statuses, 1.0):
                return self
        raise AssertionError(self.node.log())

    def status(self, number):
        """Return the status of a goal: its message, and its values by their keys."""
        assert self.node.until(lambda: number in self.statuses), self.node.log()
        return self.statuses[number]


@pytest.fixture(scope='module')
def searching():
    with running(urdf_path=ARM, solver='dls', publish_rate=50.0, dls__timeout=600.0,
                 dls__max_restarts=1_000_000) as node:
        yield Searching(node).begin()


def test_a_newer_goal_is_solved_and_the_older_refused(searching):
    older, before = searching.search(), searching.node.log()
    newer = searching.send(EASY)
    assert searching.status(newer)['reason'] == 'CONVERGED'
    assert searching.status(older)['reason'] == 'REFUSED'
    assert searching.status(older)['message'] == NEWER
    # It is no fault that a newer one has come.
    assert 'goal refused' not in searching.node.log().removeprefix(before)


def test_joint_values_are_set_and_the_goal_refused(searching):
    number, values = searching.search(), JointState(name=['joint_1'], position=[0.25])
    searching.node.publish(JointState, 'goal_joints', values)
    assert searching.status(number)['message'] == NEWER
    assert searching.node.joint_states()[0].position[0] == 0.25


@pytest.mark.parametrize(('act', 'reason'), [
    (lambda node: (node.enable(False), node.enable(True)), 'disabled'),
    (lambda node: node.enable(True), 'enabled anew'), (lambda node: node.reset(), 'start pose')])
def test_enabling_disabling_and_a_reset_end_the_search(searching, act, reason):
    number = searching.search()
    act(searching.node)
    assert reason in searching.status(number)['message']


def test_joint_states_go_on_and_a_parameter_of_the_robot_but_no_other_ends_the_search(searching):
    number = searching.search()
    searching.node.joint_states(10)
    assert searching.node.set(show_branches=True, publish_rate=100.0) == (True, '')
    assert number not in searching.statuses
    assert searching.node.set(speed=0.5) == (True, '')
    assert 'the robot has changed' in searching.status(number)['message']


def test_a_service_that_searches_responds(searching):
    searching.status(searching.send(EASY))
    searching.search()
    answer = searching.node.call(Trigger, 'ik_node/solve_all', Trigger.Request())
    assert answer.success
    assert 'branches inside the limits' in answer.message


def test_a_deactivated_node_ends_the_search(searching):
    number = searching.search()
    assert searching.node.transition('deactivate')
    assert 'deactivated' in searching.status(number)['message']
    assert searching.node.transition('activate')
    assert searching.status(searching.send(EASY))['reason'] == 'CONVERGED'


def test_a_signal_ends_the_node_and_the_goal_has_a_status(searching):
    number = searching.search()
    assert searching.node.stop(signal.SIGINT) == 0
    assert 'shuts down' in searching.status(number)['message']


@pytest.fixture(scope='module')
def moving():
    with running(urdf_path=ARM, motion='joint', publish_rate=50.0) as node:
        yield Searching(node)


def send_path(moving, count):
    """Publish a path of so many poses, and wait until the node is at it; return its number."""
    number, path = 10_000 + count, PoseArray(poses=[matrix_to_pose(CHAIN.forward(
        BENT + 0.2 * np.sin(0.01 * k * np.arange(1.0, 7.0)))) for k in range(count)])
    path.header.stamp.sec = number
    publisher = moving.node.publish(PoseArray, 'goal_poses', path)
    assert publisher.wait_for_all_acked(Duration(seconds=60))  # short goals overtake it before
    moving.node.settle()
    return number


def test_joint_states_and_services_go_on_while_a_long_path_is_planned(moving):
    number = send_path(moving, 600)
    moving.node.joint_states(10)
    moving.node.settle()
    assert number not in moving.statuses
    assert moving.status(number)['reason'] == 'CONVERGED'


def test_a_newer_goal_is_solved_while_a_long_path_is_planned(moving):
    number = send_path(moving, 9000)
    assert moving.status(moving.send(EASY))['reason'] == 'CONVERGED'
    assert moving.status(number)['message'] == NEWER
