"""A client of the node: sends goals and waits for their outcome."""

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import rclpy
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseStamped
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import QoSProfile
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import JointState

from ik_node.ros.conversions import matrix_to_pose
from ik_node.ros.publishing.status import seconds

_REMEMBERED = 1000  # joint states


class Outcome(NamedTuple):
    """The outcome of a goal."""

    met: bool
    message: str
    values: Mapping[str, str]
    """The keys of the status, see `status.KEYS`."""
    joints: Mapping[str, float]
    """The joint values published with it, rad or m."""
    round_trip: float
    """From sending the goal to the joint state, s."""


class Client:
    """A client node of one ik_node; a context manager."""

    def __init__(self, target: str = 'ik_node', domain_id: int | None = None,
                 namespace: str = '') -> None:
        """Subscribe to the node named `target` in a namespace, in a separate context.

        domain_id: by default that of the environment.
        """
        self._context = rclpy.Context()
        rclpy.init(context=self._context, domain_id=domain_id,
                   signal_handler_options=SignalHandlerOptions.NO)
        self.node = rclpy.create_node('ik_node_client', namespace=namespace or None,
                                      context=self._context)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self.node)
        self._goal = self.node.create_publisher(PoseStamped, 'goal_pose', QoSProfile(depth=1))
        self._joints: OrderedDict[str, tuple[JointState, float]] = OrderedDict()
        self._status: DiagnosticStatus | None = None
        self._goal_stamp = ''
        # Deep queues: joint states arrive at the node's rate while nobody spins.
        self.node.create_subscription(
            JointState, 'joint_states', self._on_joints, _REMEMBERED)
        self.node.create_subscription(
            DiagnosticStatus, f'{target}/status', self._on_status, _REMEMBERED)

    def __enter__(self) -> 'Client':
        """Return the client itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Destroy the node."""
        self._executor.shutdown()
        self.node.destroy_node()
        rclpy.shutdown(context=self._context)

    def wait_until_ready(self, timeout: float) -> bool:
        """Wait, at most timeout s, for the first joint state and a subscription to goals."""
        return self.spin_until(
            lambda: self._joints and self._goal.get_subscription_count() > 0
            and self.node.count_publishers('ik_node/status') > 0, timeout)

    def send(self, T_frame_goal: np.ndarray, frame: str = '', timeout: float = 10.0) -> Outcome:
        """Send a goal pose (4, 4), m, in a frame, and wait for the outcome.

        Raises TimeoutError without one within timeout, s.
        """
        goal = PoseStamped(pose=matrix_to_pose(T_frame_goal))
        goal.header.frame_id = frame
        goal.header.stamp = self.node.get_clock().now().to_msg()
        self._status, self._goal_stamp = None, seconds(goal.header.stamp)
        sent = time.perf_counter()
        self._goal.publish(goal)
        if not self.spin_until(self._has_outcome, timeout):
            raise TimeoutError(f'no response within {timeout:g} s')
        status: Any = self._status
        values = {pair.key: pair.value for pair in status.values}
        joints, arrived = self._joints.get(values['joint_stamp'], (JointState(), sent))
        return Outcome(status.level == DiagnosticStatus.OK, status.message, values,
                       dict(zip(joints.name, joints.position)), arrived - sent)

    def _has_outcome(self) -> bool:
        """Return whether a status and its joint states have arrived; either may be first."""
        if self._status is None:
            return False
        stamp = {pair.key: pair.value for pair in self._status.values}['joint_stamp']
        return stamp in self._joints or stamp == seconds(Time())

    def _on_joints(self, message: JointState) -> None:
        self._joints[seconds(message.header.stamp)] = message, time.perf_counter()
        if len(self._joints) > _REMEMBERED:
            self._joints.popitem(last=False)

    def _on_status(self, message: DiagnosticStatus) -> None:
        """Keep the status of the last goal sent; those of other goals are ignored."""
        if any(pair.key == 'goal_stamp' and pair.value == self._goal_stamp
               for pair in message.values):
            self._status = message

    def spin_until(self, done: Callable[[], object], timeout: float) -> bool:
        """Process messages until a condition holds; return whether it did within timeout, s."""
        deadline = time.monotonic() + timeout
        while not done():
            if time.monotonic() > deadline:
                return False
            self._executor.spin_once(timeout_sec=0.1)
        return True
