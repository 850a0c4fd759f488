"""Nodes of ros2_control in a graph: joint_trajectory_controller and joint_state_broadcaster."""

from array import array

import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed (make test brings it from PyPI)')

from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

from harness.trajectory_controller import TrajectoryController


class ControllerNode:
    """A `TrajectoryController` on its topic.

    node: an rclpy node, which is spun elsewhere, or the `node` of a `NodeHere`. others: joints that
    are published beside its own, with their values, rad or m. rate: of the controller manager, Hz.
    states: the topic of joint states, which joint_state_broadcaster publishes.

    - `controller`; `received`: all trajectories, those that are refused included.
    """

    def __init__(self, node, joints, q, name='joint_trajectory_controller', rate=100.0,
                 others=None, states='joint_states', **options):
        self._node, self.others = node, dict(others or {})
        period = round(1e9 / rate)
        self.controller = TrajectoryController(joints, q, period, **options)
        self.received = []
        self._states = node.create_publisher(JointState, states, 10)
        node.create_subscription(JointTrajectory, f'{name}/joint_trajectory', self._receive, 10)
        self._timer = node.create_timer(1e-9 * period, self._cycle)

    def _now(self):
        return self._node.get_clock().now()

    def _receive(self, message):
        self.received.append(message)
        self.controller.receive(message, self._now().nanoseconds)

    def _cycle(self):
        now = self._now()
        self.controller.update(now.nanoseconds)
        q, v, _ = self.controller.measured
        message = JointState(name=[*self.controller.joints, *self.others],
                             position=array('d', [*q, *self.others.values()]),
                             velocity=array('d', [*v, *[0.0] * len(self.others)]))
        message.header.stamp = now.to_msg()
        self._states.publish(message)
