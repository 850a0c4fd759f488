"""A node's link to one ik_node on the graph: hears all it says, sends goals, sets parameters.

What comes in is handed on in a thread of the link; what goes out may be called from any.
"""

import threading
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import rclpy
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PointStamped, PoseStamped
from nav_msgs.msg import Path
from rcl_interfaces.msg import ParameterEvent
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.parameter import Parameter, parameter_value_to_python
from rclpy.parameter_client import AsyncParameterClient
from rclpy.qos import QoSProfile
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import JointState
from std_msgs.msg import Header, String
from std_srvs.srv import Trigger
from visualization_msgs.msg import MarkerArray

from ik_node.exceptions import IkError
from ik_node.ros.conversions import matrix_to_pose
from ik_node.ros.outputs import LATCHED

_LATEST = QoSProfile(depth=1)
_PATIENCE = 5.0  # s that a service may take


class SilentError(IkError):
    """The node does not answer, or not as it should."""


class Report(NamedTuple):
    """What became of a goal."""

    level: int
    """0 met, 1 the closest was taken, 2 refused or not met."""
    message: str
    values: Mapping[str, str]
    """As `status.KEYS`."""


class Described(NamedTuple):
    """A parameter, as the node describes it."""

    name: str
    value: Any
    text: str
    choices: tuple[str, ...]
    low: float | None
    high: float | None
    read_only: bool


class Listener(Protocol):
    """Who is told what the node says, in the link's thread."""

    def on_description(self, text: str) -> None:
        """Take a robot as URDF text."""

    def on_joints(self, values: Mapping[str, float]) -> None:
        """Take joint values, rad or m."""

    def on_report(self, report: Report) -> None:
        """Take what became of a goal."""

    def on_markers(self, message: MarkerArray) -> None:
        """Take markers."""

    def on_parameters(self, changed: Mapping[str, Any]) -> None:
        """Take parameters that have changed, {name: value}."""


class Link:
    """A node beside one ik_node; `close` it."""

    def __init__(self, listener: Listener, namespace: str = '', target: str = 'ik_node',
                 arms: Sequence[str] = ('',), domain_id: int | None = None) -> None:
        """Listen to the node named target in a namespace. arms: names that goals may be for."""
        self._listener = listener
        self._context = rclpy.Context()
        rclpy.init(context=self._context, domain_id=domain_id,
                   signal_handler_options=SignalHandlerOptions.NO)
        self.node = node = rclpy.create_node('ik_view', namespace=namespace or None,
                                             context=self._context)
        self._full_name = node.resolve_topic_name(target)
        self._goals = {arm: node.create_publisher(PoseStamped, _topic(arm, 'goal_pose'), _LATEST)
                       for arm in arms}
        self._points = {arm: node.create_publisher(PointStamped, _topic(arm, 'goal_point'),
                                                   _LATEST) for arm in arms}
        self._paths = {arm: node.create_publisher(Path, _topic(arm, 'goal_path'), _LATEST)
                       for arm in arms}
        node.create_subscription(String, 'robot_description',
                                 lambda message: listener.on_description(message.data), LATCHED)
        node.create_subscription(JointState, 'joint_states', self._on_joints, _LATEST)
        node.create_subscription(DiagnosticStatus, f'{target}/status', self._on_status, 10)
        node.create_subscription(MarkerArray, f'{target}/markers', listener.on_markers, 10)
        node.create_subscription(ParameterEvent, '/parameter_events', self._on_event, 100)
        self._reset: Any = node.create_client(Trigger, f'{target}/reset')
        self._parameters = AsyncParameterClient(node, target)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(node)
        self._thread = threading.Thread(target=self._spin, name='ik_view ROS', daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Leave the graph."""
        self._context.try_shutdown()
        self._thread.join(5.0)
        self._executor.shutdown()
        self.node.destroy_node()

    def _spin(self) -> None:
        while self._context.ok():
            try:
                self._executor.spin()
            except ExternalShutdownException:
                return
            except Exception as error:  # of a listener: what comes next is still to be heard
                if self._context.ok():
                    self.node.get_logger().error(f'{type(error).__name__}: {error}')

    @property
    def is_there(self) -> bool:
        """Whether the node is on the graph."""
        return self._parameters.services_are_ready()

    def send_goal(self, T_base_goal: np.ndarray, arm: str = '',
                  position_only: bool = False) -> None:
        """Send a goal pose (4, 4), m, in the frame of the arm's base, or its position alone."""
        pose, header = matrix_to_pose(T_base_goal), self._header()
        if position_only:
            self._points[arm].publish(PointStamped(header=header, point=pose.position))
        else:
            self._goals[arm].publish(PoseStamped(header=header, pose=pose))

    def send_path(self, poses: Sequence[np.ndarray], arm: str = '') -> None:
        """Send waypoints, (4, 4) each, m, in the frame of the arm's base."""
        header = self._header()
        self._paths[arm].publish(Path(header=header, poses=[
            PoseStamped(header=header, pose=matrix_to_pose(T)) for T in poses]))

    def _header(self) -> Header:
        return Header(stamp=self.node.get_clock().now().to_msg())

    def reset(self) -> str:
        """Send the robot to its start pose; return the node's words. Raises SilentError."""
        response = self._answer(self._reset.call_async(Trigger.Request()), 'reset')
        if not response.success:
            raise SilentError(response.message)
        return str(response.message)

    def set_parameters(self, values: Mapping[str, Any]) -> None:
        """Set parameters, all or none. Raises SilentError with the node's reason for a refusal."""
        response = self._answer(self._parameters.set_parameters_atomically(
            [Parameter(name, value=value) for name, value in values.items()]), 'parameters')
        if not response.result.successful:
            raise SilentError(response.result.reason)

    def parameters(self, prefixes: Sequence[str] = ()) -> dict[str, Described]:
        """Return the parameters below some prefixes, by default all. Raises SilentError."""
        listed = self._answer(self._parameters.list_parameters(list(prefixes), 0), 'parameters')
        return self.describe(sorted(listed.result.names))

    def describe(self, names: Sequence[str]) -> dict[str, Described]:
        """Return parameters by name, with their values. Raises SilentError."""
        values = self._answer(self._parameters.get_parameters(list(names)), 'parameters').values
        told = self._answer(self._parameters.describe_parameters(list(names)),
                            'parameters').descriptors
        return {name: _described(name, parameter_value_to_python(value), descriptor)
                for name, value, descriptor in zip(names, values, told)}

    def _answer(self, future: Any, what: str) -> Any:
        """Wait for a service's answer; the link's own thread takes it in."""
        done = threading.Event()
        future.add_done_callback(lambda _: done.set())
        if not done.wait(_PATIENCE):
            future.cancel()
            raise SilentError(f'{self._full_name} does not answer: {what}, for {_PATIENCE:g} s')
        if future.exception() is not None:
            raise SilentError(f'{self._full_name}: {future.exception()}')
        return future.result()

    def _on_joints(self, message: JointState) -> None:
        self._listener.on_joints(dict(zip(message.name, message.position)))

    def _on_status(self, message: DiagnosticStatus) -> None:
        self._listener.on_report(Report(
            int.from_bytes(message.level, 'little'), message.message,
            {pair.key: pair.value for pair in message.values}))

    def _on_event(self, event: ParameterEvent) -> None:
        if event.node == self._full_name:
            self._listener.on_parameters({
                parameter.name: parameter_value_to_python(parameter.value)
                for parameter in (*event.new_parameters, *event.changed_parameters)})


def _topic(arm: str, name: str) -> str:
    return f'{arm}/{name}' if arm else name


def _described(name: str, value: Any, descriptor: Any) -> Described:
    constraints = descriptor.additional_constraints
    choices = constraints[len('one of '):].split(', ') if constraints.startswith('one of ') else ()
    ranges = [*descriptor.floating_point_range, *descriptor.integer_range]
    low, high = (ranges[0].from_value, ranges[0].to_value) if ranges else (None, None)
    return Described(name, value, descriptor.description, tuple(choices), low, high,
                     descriptor.read_only)
