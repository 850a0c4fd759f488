"""A client of the node: sends goals and waits for their outcome."""

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import rclpy
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PointStamped, PoseStamped
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import QoSProfile
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import JointState

from ik_node.ros.conversions import array_to_point, matrix_to_pose, pose_to_matrix
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
    T_world_root: np.ndarray
    """(4, 4) the pose of a moving root published with it, m; else the identity."""
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
        self._listen(target)

    def _listen(self, target: str) -> None:
        """Subscribe to what the node named `target` publishes."""
        self._goals: dict[str, Any] = {}
        self._joints: OrderedDict[str, tuple[JointState, float]] = OrderedDict()
        self._roots: OrderedDict[str, np.ndarray] = OrderedDict()
        self._status: DiagnosticStatus | None = None
        self._moves_root = False
        self._goal_stamp = ''
        self._root_topic = f'{target}/root_pose'
        # Deep queues: joint states arrive at the node's rate while nobody spins.
        self.node.create_subscription(
            JointState, 'joint_states', self._on_joints, _REMEMBERED)
        self.node.create_subscription(
            PoseStamped, self._root_topic, self._on_root, _REMEMBERED)
        self.node.create_subscription(
            DiagnosticStatus, f'{target}/status', self._on_status, _REMEMBERED)
        self._publisher('goal_pose', PoseStamped)

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
            lambda: self._joints and self._goals['goal_pose'].get_subscription_count() > 0
            and self.node.count_publishers('ik_node/status') > 0, timeout)

    def send(self, goal: np.ndarray, frame: str = '', timeout: float = 10.0,
             task: str = '') -> Outcome:
        """Send a goal, a pose (4, 4) or a point (3,), m, in a frame, and wait for the outcome.

        task: the name of the task whose target it is; '' for the goal of the arm. Raises
        TimeoutError where no node takes such goals, or there is no outcome, within timeout, s.
        """
        message: PoseStamped | PointStamped
        if goal.shape == (4, 4):
            message = PoseStamped(pose=matrix_to_pose(goal))
        else:
            message = PointStamped(point=array_to_point(goal))
        topic = 'goal_pose' if isinstance(message, PoseStamped) else 'goal_point'
        publisher = self._publisher(f'{task}/{topic}' if task else topic, type(message))
        if not self.spin_until(lambda: publisher.get_subscription_count() > 0, timeout):
            raise TimeoutError(f'nobody subscribes to {publisher.topic_name}')
        message.header.frame_id = frame
        message.header.stamp = self.node.get_clock().now().to_msg()
        self._status, self._goal_stamp = None, seconds(message.header.stamp)
        self._moves_root = self.node.count_publishers(self._root_topic) > 0
        sent = time.perf_counter()
        publisher.publish(message)
        if not self.spin_until(self._has_outcome, timeout):
            raise TimeoutError(f'no response within {timeout:g} s')
        status: Any = self._status
        values = {pair.key: pair.value for pair in status.values}
        joints, arrived = self._joints.get(values['joint_stamp'], (JointState(), sent))
        return Outcome(status.level == DiagnosticStatus.OK, status.message, values,
                       dict(zip(joints.name, joints.position)),
                       self._roots.get(values['joint_stamp'], np.eye(4)), arrived - sent)

    def _has_outcome(self) -> bool:
        """Return whether a status and its joint states have arrived; either may be first."""
        if self._status is None:
            return False
        stamp = {pair.key: pair.value for pair in self._status.values}['joint_stamp']
        complete = stamp in self._joints and (not self._moves_root or stamp in self._roots)
        return complete or stamp == seconds(Time())

    def _publisher(self, topic: str, kind: type) -> Any:
        """Return the publisher of a topic of goals."""
        if topic not in self._goals:
            self._goals[topic] = self.node.create_publisher(kind, topic, QoSProfile(depth=1))
        return self._goals[topic]

    def _on_root(self, message: PoseStamped) -> None:
        self._roots[seconds(message.header.stamp)] = pose_to_matrix(message.pose)
        if len(self._roots) > _REMEMBERED:
            self._roots.popitem(last=False)

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
