"""A client of the node: sends goals and waits for their outcome. Other clients share its parts."""

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np
import rclpy
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PointStamped, PoseStamped
from rclpy.exceptions import NameValidationException
from rclpy.node import Node
from rclpy.validate_topic_name import validate_topic_name
from sensor_msgs.msg import JointState
from std_msgs.msg import Header
from std_srvs.srv import Trigger
from visualization_msgs.msg import MarkerArray

from ik_node.ros.conversions import array_to_point, matrix_to_pose, pose_to_matrix
from ik_node.ros.publishing.status import seconds
from ik_node.ros.run import NodeExecutor, start_ros
from ik_node.ros.topics import LATEST, goal_topic
from ik_node.support.exceptions import InputError

_REMEMBERED = 1000  # joint states


class Report(NamedTuple):
    """The outcome of a goal, as its status says it."""

    level: int  # 0 met, 1 the closest was accepted, 2 refused or not met
    message: str
    values: Mapping[str, str]  # by the keys of the status, see `status.KEYS`

    @classmethod
    def of(cls, status: DiagnosticStatus) -> 'Report':
        """Return what a status reports."""
        return cls(int.from_bytes(status.level, 'little'), status.message,
                   {pair.key: pair.value for pair in status.values})


class Listener(Protocol):
    """Receives the node's messages, in the connection's thread."""

    def on_description(self, text: str) -> None:
        """Receive a robot as URDF text."""

    def on_joints(self, values: Mapping[str, float]) -> None:
        """Receive joint values, rad or m."""

    def on_root_pose(self, T_world_root: np.ndarray) -> None:
        """Receive the pose (4, 4), m, of a moving root; it follows the joint values."""

    def on_report(self, report: Report) -> None:
        """Receive the outcome of a goal, except of joint values that this client has sent."""

    def on_markers(self, message: MarkerArray) -> None:
        """Receive markers: the same message again as long as the node publishes equal ones."""

    def on_parameters(self, changed: Mapping[str, Any]) -> None:
        """Receive changed parameters, {name: value}."""

    def on_error(self, line: str) -> None:
        """Receive a line about a defect in one of the others, which go on."""


class GoalTopics:
    """The publishers of goals to arms and tasks, created when they are needed."""

    def __init__(self, node: Any) -> None:
        self._node = node
        self._publishers: dict[str, Any] = {}

    def publisher(self, kind: type, name: str = '') -> Any:
        """Return the publisher of messages of a kind to an arm or a task."""
        topic = goal_topic(kind, name)
        if topic not in self._publishers:
            self._publishers[topic] = self._node.create_publisher(kind, topic, LATEST)
        return self._publishers[topic]

    def header(self, frame: str = '') -> Header:
        """Return a header with the present time."""
        return Header(stamp=self._node.get_clock().now().to_msg(), frame_id=frame)


def goal_message(target: np.ndarray, header: Header) -> PoseStamped | PointStamped:
    """Return a goal: a pose (4, 4) or a point (3,), m."""
    if target.shape == (4, 4):
        return PoseStamped(header=header, pose=matrix_to_pose(target))
    return PointStamped(header=header, point=array_to_point(target))


def client_node(name: str, target: str, namespace: str, domain_id: int | None) -> Node:
    """Return a node in a context of its own; domain_id: by default that of the environment.

    Raises InputError where the target or the namespace cannot be those of a node.
    """
    context = rclpy.Context()
    start_ros(context=context, domain_id=domain_id)
    try:
        validate_topic_name(target)
        return rclpy.create_node(name, namespace=namespace or None, context=context)
    except NameValidationException as error:
        context.shutdown()
        raise InputError(' '.join(str(error).split()).rstrip(' ^')) from error


class GoalResponse(NamedTuple):
    """What the node has published about a goal."""

    met: bool
    message: str
    values: Mapping[str, str]  # the keys of the status, see `status.KEYS`
    joints: Mapping[str, float]  # the joint values published with it, rad or m
    T_world_root: np.ndarray
    """(4, 4) the pose of a moving root published with it, m; else the identity."""
    round_trip: float  # from sending the goal to the joint state, s


class Client:
    """A client node of one ik_node; a context manager."""

    def __init__(self, target: str = 'ik_node', domain_id: int | None = None,
                 namespace: str = '') -> None:
        """Subscribe to the node named `target` in a namespace, in a separate context.

        domain_id: by default that of the environment.
        """
        self.node = client_node('ik_node_client', target, namespace, domain_id)
        self._executor = NodeExecutor(context=self.node.context)
        self._executor.add_node(self.node)
        self._listen(target)

    def _listen(self, target: str) -> None:
        self._topics = GoalTopics(self.node)
        self._topics.publisher(PoseStamped)
        self._joints: OrderedDict[str, tuple[JointState, float]] = OrderedDict()
        self._roots: OrderedDict[str, np.ndarray] = OrderedDict()
        self._report: Report | None = None
        self._moves_root = False
        self._goal_stamp = ''
        self._reset: Any = self.node.create_client(Trigger, f'{target}/reset')
        self._root_topic, self._status_topic = f'{target}/root_pose', f'{target}/status'
        # Deep queues: joint states arrive at the node's rate while nobody spins.
        for kind, topic, receive in ((JointState, 'joint_states', self._on_joints),
                                     (PoseStamped, self._root_topic, self._on_root),
                                     (DiagnosticStatus, self._status_topic, self._on_status)):
            self.node.create_subscription(kind, topic, receive, _REMEMBERED)

    def __enter__(self) -> 'Client':
        return self

    def __exit__(self, *_: object) -> None:
        self._executor.shutdown()
        self.node.destroy_node()
        rclpy.shutdown(context=self.node.context)

    def wait_until_ready(self, timeout: float) -> bool:
        """Wait, at most timeout s, for the first joint state and a subscription to goals."""
        return self.spin_until(
            lambda: self._joints and self._topics.publisher(PoseStamped).get_subscription_count()
            and self.node.count_publishers(self._status_topic), timeout)

    def send(self, goal: np.ndarray, frame: str = '', timeout: float = 10.0,
             task: str = '') -> GoalResponse:
        """Send a goal, a pose (4, 4) or a point (3,), m, in a frame, and wait for the outcome.

        task: the name of the task whose target it is; '' for the goal of the arm. Raises
        TimeoutError where no node takes such goals, or there is no outcome, within timeout, s.
        """
        message = goal_message(goal, Header())
        publisher = self._topics.publisher(type(message), task)
        if not self.spin_until(publisher.get_subscription_count, timeout):
            raise TimeoutError(f'nobody subscribes to {publisher.topic_name}')
        message.header = self._topics.header(frame)
        self._report, self._goal_stamp = None, seconds(message.header.stamp)
        self._moves_root = self.node.count_publishers(self._root_topic) > 0
        sent = time.perf_counter()
        publisher.publish(message)
        if not self.spin_until(self._has_response, timeout):
            raise TimeoutError(f'no response within {timeout:g} s')
        report: Any = self._report
        stamp = report.values['joint_stamp']
        joints, arrived = self._joints.get(stamp, (JointState(), sent))
        return GoalResponse(report.level == 0, report.message, report.values,
                            dict(zip(joints.name, joints.position)),
                            self._roots.get(stamp, np.eye(4)), arrived - sent)

    def go_home(self, timeout: float = 10.0) -> None:
        """Send the robot to its start pose. Raises TimeoutError as `send` does."""
        self.spin_until(self._reset.service_is_ready, timeout)
        if not self.spin_until(self._reset.call_async(Trigger.Request()).done, timeout):
            raise TimeoutError(f'no response within {timeout:g} s')

    def _has_response(self) -> bool:
        """Return whether a status and its joint states have arrived; either may be first."""
        if self._report is None:
            return False
        stamp = self._report.values['joint_stamp']
        complete = stamp in self._joints and (not self._moves_root or stamp in self._roots)
        return complete or stamp == seconds(Time())

    def _on_root(self, message: PoseStamped) -> None:
        _remember(self._roots, message.header, pose_to_matrix(message.pose))

    def _on_joints(self, message: JointState) -> None:
        _remember(self._joints, message.header, (message, time.perf_counter()))

    def _on_status(self, message: DiagnosticStatus) -> None:
        """Keep the status of the last goal sent; those of other goals are ignored."""
        report = Report.of(message)
        if report.values.get('goal_stamp') == self._goal_stamp:
            self._report = report

    def spin_until(self, done: Callable[[], object], timeout: float) -> bool:
        """Process messages until a condition holds; return whether it did within timeout, s."""
        deadline = time.monotonic() + timeout
        while not done():
            if time.monotonic() > deadline:
                return False
            self._executor.spin_once(timeout_sec=0.1)
        return True


def _remember(kept: OrderedDict[str, Any], header: Header, value: Any) -> None:
    kept[seconds(header.stamp)] = value
    if len(kept) > _REMEMBERED:
        kept.popitem(last=False)
