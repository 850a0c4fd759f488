import time

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed (make test brings it from PyPI)')

import rclpy
from action_msgs.msg import GoalStatus
from rclpy.action import ActionClient
from rclpy.duration import Duration
from rclpy.executors import SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

import robots
from domains import Domain
from harness.controller_node import ControllerNode
from harness.node_here import running
from harness.trajectory_controller import Rules
from ik_node import KinematicTree

ARM = robots.OWN / 'arm_6r.urdf'
START, END = np.zeros(6), np.array([0.3, -0.4, 0.5, 0.2, -0.3, 0.4])


def test_it_moves_its_joints_along_the_motions_of_a_node_and_publishes_their_states():
    pytest.importorskip('ruckig', reason='ruckig is not installed (make test brings it from PyPI)')
    chain = KinematicTree.from_urdf(ARM).chain()
    topic = '/joint_trajectory_controller/joint_trajectory'
    with running(urdf_path=ARM, motion='joint', state_topic='/measured', output='trajectory',
                 output_topic=topic,
                 publish_rate=100.0, start_pose=f'{END.tolist()}') as node:
        side = ControllerNode(node.node, chain.joint_names, START, states='/measured',
                              others={'finger': 0.02})
        states = node.listen(JointState, '/measured')
        node.spin(0.1)
        assert node.reset().success
        assert node.until(lambda: len(side.received) == 1)
        duration = side.received[0].points[-1].time_from_start
        node.spin(duration.sec + 1e-9 * duration.nanosec + 0.2)
        assert side.controller.refused == []
        assert list(states[-1].name) == [*chain.joint_names, 'finger']
        assert list(states[-1].position) == pytest.approx([*END, 0.02], abs=1e-9)
        assert not any(states[-1].velocity)


@pytest.fixture
def graph():
    """Return a node, and what spins it until a condition holds."""
    context = rclpy.Context()
    domain = Domain()
    rclpy.init(context=context, domain_id=domain.id, signal_handler_options=SignalHandlerOptions.NO)
    node = rclpy.create_node('controllers', context=context)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)

    def until(done, timeout=20.0):
        deadline = time.monotonic() + timeout
        while not done():
            assert time.monotonic() < deadline
            executor.spin_once(0.1)
    yield node, until
    executor.shutdown()
    node.destroy_node()
    context.shutdown()
    domain.give_back()


def test_goals_of_the_action_are_rejected_reached_aborted_and_cancelled(graph):
    action = pytest.importorskip('control_msgs.action', reason='control_msgs is not installed')
    node, until = graph
    names = ['a', 'b']
    side = ControllerNode(node, names, np.zeros(2), rules=Rules(goal=0.01))
    client = ActionClient(node, action.FollowJointTrajectory,
                          'joint_trajectory_controller/follow_joint_trajectory')
    until(client.server_is_ready)
    feedback = []

    def sent(q, seconds, velocities=()):
        point = JointTrajectoryPoint(positions=q, velocities=velocities,
                                     time_from_start=Duration(seconds=seconds).to_msg())
        future = client.send_goal_async(action.FollowJointTrajectory.Goal(
            trajectory=JointTrajectory(joint_names=names, points=[point])), feedback.append)
        until(future.done)
        return future.result()

    def result(handle):
        future = handle.get_result_async()
        until(future.done)
        return future.result()
    assert not sent([1.0, 1.0], 0.3, [1.0, 0.0]).accepted
    assert 'not zero' in side.controller.refused[-1]
    reached = result(sent([1.0, -1.0], 0.3))
    assert (reached.status, reached.result.error_code) == (GoalStatus.STATUS_SUCCEEDED, 0)
    until(lambda: side.controller.measured.q.tolist() == [1.0, -1.0])  # a cycle later
    assert list(feedback[-1].feedback.joint_names) == names
    older = sent([0.0, 0.0], 5.0)
    newer = sent([0.5, -0.5], 5.0)
    aborted = result(older)
    assert (aborted.status, aborted.result.error_code) == (GoalStatus.STATUS_ABORTED, -1)
    future = newer.cancel_goal_async()
    until(future.done)
    assert result(newer).status == GoalStatus.STATUS_CANCELED
    held = side.controller.measured.q
    assert side.controller.is_holding
    assert side.controller.commands[-1][1] == pytest.approx(held, abs=0.01)
