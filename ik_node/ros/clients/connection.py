"""A client's connection to one ik_node: receives its messages, sends goals, sets parameters.

Messages are passed to a listener in the connection's thread. Methods may be called from any thread,
also while another thread closes the connection.
"""

import contextlib
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent import futures
from typing import Any, NamedTuple, Protocol

import numpy as np
import rclpy
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PointStamped, PoseStamped
from nav_msgs.msg import Path
from rcl_interfaces.msg import ParameterEvent
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter, parameter_value_to_python
from rclpy.parameter_client import AsyncParameterClient
from rclpy.qos import QoSProfile
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import JointState
from std_msgs.msg import Header, String
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory
from visualization_msgs.msg import MarkerArray

from ik_node.control.worker import NEWER
from ik_node.ros.clients.heartbeat import Heartbeat
from ik_node.ros.conversions import matrix_to_pose, pose_to_matrix
from ik_node.ros.publishing.outputs import LATCHED
from ik_node.ros.publishing.status import seconds
from ik_node.support.exceptions import IkError
from ik_node.support.threads import reported, start_thread

_LATEST = QoSProfile(depth=1)
_PATIENCE = 5.0  # s that a service may take
_PERIOD = 0.01   # s, between two looks for a subscription


class SilentError(IkError):
    """The node does not respond, refuses a request, or the connection is closed."""


class Report(NamedTuple):
    """The outcome of a goal."""

    level: int
    """0 met, 1 the closest was accepted, 2 refused or not met."""
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
        """Receive markers."""

    def on_parameters(self, changed: Mapping[str, Any]) -> None:
        """Receive changed parameters, {name: value}."""

    def on_error(self, line: str) -> None:
        """Receive a line about a defect in one of the others, which go on."""


class Connection:
    """A client node of one ik_node; `close` it."""

    def __init__(self, listener: Listener, namespace: str = '', target: str = 'ik_node',
                 arms: Sequence[str] = ('',), domain_id: int | None = None) -> None:
        """Subscribe to the node named target in a namespace. arms: names of those to send to."""
        self._listener = listener
        self._lock, self._closed = threading.Lock(), False
        self._context = rclpy.Context()
        rclpy.init(context=self._context, domain_id=domain_id,
                   signal_handler_options=SignalHandlerOptions.NO)
        self.node = node = rclpy.create_node('ik_view', namespace=namespace or None,
                                             context=self._context)
        self._full_name = node.resolve_topic_name(target)
        self._goals: dict[str, Any] = {}
        self._points: dict[str, Any] = {}
        self.offer_goals(arms)
        self._paths = {arm: node.create_publisher(Path, _topic(arm, 'goal_path'), _LATEST)
                       for arm in arms}
        self._joints = {arm: node.create_publisher(JointState, _topic(arm, 'goal_joints'), _LATEST)
                        for arm in arms}
        # Of goals that wait for them, by the stamp of the goal.
        self._reports: dict[str, futures.Future[Report]] = {}
        node.create_subscription(String, 'robot_description',
                                 lambda message: listener.on_description(message.data), LATCHED)
        node.create_subscription(JointState, 'joint_states', self._on_joints, _LATEST)
        node.create_subscription(PoseStamped, f'{target}/root_pose', self._on_root_pose, _LATEST)
        node.create_subscription(DiagnosticStatus, f'{target}/status', self._on_status, 10)
        node.create_subscription(MarkerArray, f'{target}/markers', self._on_markers, 10)
        node.create_subscription(ParameterEvent, '/parameter_events', self._on_event, 100)
        self._reset: Any = node.create_client(Trigger, f'{target}/reset')
        self._solve_all: Any = node.create_client(Trigger, f'{target}/solve_all')
        self._branches: dict[tuple[str, ...], np.ndarray] = {}  # by the joints of the arm
        self._branches_came = threading.Event()
        node.create_subscription(JointTrajectory, f'{target}/solutions', self._on_solutions, 10)
        self._parameters = AsyncParameterClient(node, target)
        self._heartbeat = Heartbeat(node, target)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(node)
        self._thread = start_thread(self._spin, 'ik_view ROS')

    def close(self) -> None:
        """Leave the graph."""
        with self._lock:
            self._closed = True
        self._context.try_shutdown()
        self._thread.join(5.0)
        self._executor.shutdown()
        self.node.destroy_node()

    @contextlib.contextmanager
    def _open(self) -> Iterator[None]:
        """Keep the connection open in a context. Raises SilentError where it is closed."""
        with self._lock:
            if self._closed:
                raise SilentError(f'the connection to {self._full_name} is closed')
            yield

    def _spin(self) -> None:
        while self._context.ok():
            # A defect of a listener must not end it: later messages still count.
            with reported('messages of the node', self._listener.on_error):
                try:
                    self._executor.spin()
                except Exception:
                    if self._context.ok():
                        raise
                    return  # closed meanwhile

    @property
    def is_there(self) -> bool:
        """Whether the node is on the graph, where a killed node remains for a while."""
        with self._lock:
            return not self._closed and self._parameters.services_are_ready()

    @property
    def responds(self) -> bool:
        """Whether the node responds."""
        return self._heartbeat.responds

    def goal_topic(self, arm: str = '') -> str:
        """Return the full name of the topic of an arm's goal."""
        return self.node.resolve_topic_name(_topic(arm, 'goal_pose'))

    def processes(self) -> frozenset[bytes]:
        """Return an identifier of each process of the node that is or recently was on the graph."""
        return frozenset(bytes(info.endpoint_gid) for info in
                         self.node.get_publishers_info_by_topic(
                             f'{self._full_name}/transition_event'))

    @property
    def lifecycle(self) -> str:
        """The label of the node's lifecycle state, '' where it is unknown."""
        return self._heartbeat.lifecycle

    def offer_goals(self, names: Iterable[str]) -> None:
        """Prepare to send goals to arms or tasks; before that the node does not receive them.

        Raises SilentError where the connection is closed.
        """
        with self._open():
            for name in names:
                for publishers, kind, topic in ((self._goals, PoseStamped, 'goal_pose'),
                                                (self._points, PointStamped, 'goal_point')):
                    if name not in publishers:
                        publishers[name] = self.node.create_publisher(
                            kind, _topic(name, topic), _LATEST)

    def send_goal(self, T_frame_goal: np.ndarray, name: str = '',
                  position_only: bool = False) -> None:
        """Send a goal pose (4, 4), m, to an arm or a task, or its position alone.

        It is in the node's frame for goals without one: the base of the arm, the reference of a
        relative_pose, else the world. Raises SilentError where the connection is closed.
        """
        pose = matrix_to_pose(T_frame_goal)
        with self._open():
            if position_only:
                self._points[name].publish(PointStamped(header=self._header(), point=pose.position))
            else:
                self._goals[name].publish(PoseStamped(header=self._header(), pose=pose))

    def send_path(self, poses: Sequence[np.ndarray], arm: str = '') -> None:
        """Send waypoints, (4, 4) each, m, in the frame of the arm's base. Raises SilentError."""
        with self._open():
            header = self._header()
            self._paths[arm].publish(Path(header=header, poses=[
                PoseStamped(header=header, pose=matrix_to_pose(T)) for T in poses]))

    def send_joints(self, values: Mapping[str, float], arm: str = '') -> str:
        """Send joint values, rad or m, by name, and return the node's message when it takes them.

        Joints left out keep their values. Where values are sent before the last ones are taken, the
        node may skip those, which then have no message. Raises SilentError with the node's reason.
        """
        if self.lifecycle not in ('', 'active'):
            raise SilentError(f'{self._full_name} is {self.lifecycle}: it accepts no goals')
        report: futures.Future[Report] = futures.Future()
        publisher, deadline = self._joints[arm], time.monotonic() + _PATIENCE
        while not self._is_heard(publisher) and time.monotonic() < deadline:
            time.sleep(_PERIOD)
        with self._open():
            message = JointState(header=self._header(), name=list(values),
                                 position=[float(value) for value in values.values()])
            stamp = seconds(message.header.stamp)
            self._reports[stamp] = report
            publisher.publish(message)
        try:
            level, text, _ = report.result(max(deadline - time.monotonic(), 0.0))
        except futures.TimeoutError:  # a class of its own in Python 3.10
            raise SilentError(f'{self._full_name} does not respond: joint values, for '
                              f'{_PATIENCE:g} s') from None
        finally:
            self._reports.pop(stamp, None)
        if level:
            raise SilentError(text)
        return text

    def _is_heard(self, publisher: Any) -> bool:
        with self._open():
            return bool(publisher.get_subscription_count())

    def _header(self) -> Header:
        return Header(stamp=self.node.get_clock().now().to_msg())

    def reset(self) -> str:
        """Send the robot to its start pose; return the node's message. Raises SilentError."""
        response = self.call(lambda: self._reset.call_async(Trigger.Request()), 'reset')
        if not response.success:
            raise SilentError(response.message)
        return str(response.message)

    def branches(self) -> tuple[str, dict[tuple[str, ...], np.ndarray]]:
        """Return the branches of the last goals, in words and as {joint names: (k, n)}.

        rad or m, the nearest to the present joint values first. Raises SilentError with the node's
        reason where it lists none.
        """
        self._branches_came.clear()
        response = self.call(lambda: self._solve_all.call_async(Trigger.Request()), 'solve_all')
        if not response.success:
            raise SilentError(response.message)
        if not self._branches_came.wait(_PATIENCE):
            raise SilentError(f'{self._full_name} has published no solutions')
        return str(response.message), dict(self._branches)

    def set_parameters(self, values: Mapping[str, Any]) -> None:
        """Set parameters, all or none. Raises SilentError with the node's reason for a refusal."""
        response = self.call(lambda: self._parameters.set_parameters_atomically(
            [Parameter(name, value=value) for name, value in values.items()]), 'parameters')
        if not response.result.successful:
            raise SilentError(response.result.reason)

    def parameters(self, prefixes: Sequence[str] = ()) -> dict[str, Described]:
        """Return the parameters below some prefixes, by default all. Raises SilentError."""
        listed = self.call(lambda: self._parameters.list_parameters(list(prefixes), 0),
                            'parameters')
        return self.describe(sorted(listed.result.names))

    def describe(self, names: Sequence[str]) -> dict[str, Described]:
        """Return parameters by name, with their values. Raises SilentError."""
        values = self.call(lambda: self._parameters.get_parameters(list(names)),
                            'parameters').values
        descriptors = self.call(lambda: self._parameters.describe_parameters(list(names)),
                                 'parameters').descriptors
        return {name: _described(name, parameter_value_to_python(value), descriptor)
                for name, value, descriptor in zip(names, values, descriptors)}

    def call(self, call: Callable[[], Any], what: str, whom: str = '') -> Any:
        """Call a service and wait for its response, received in the connection's thread.

        call: returns the future; whom: the full name of the node, by default the connection's own.
        Raises SilentError where no response comes.
        """
        whom = whom or self._full_name
        with self._open():
            future = call()
        done = threading.Event()
        future.add_done_callback(lambda _: done.set())
        if not done.wait(_PATIENCE):
            future.cancel()
            raise SilentError(f'{whom} does not respond: {what}, for {_PATIENCE:g} s')
        if future.exception() is not None:
            raise SilentError(f'{whom}: {future.exception()}')
        return future.result()

    def _on_joints(self, message: JointState) -> None:
        self._listener.on_joints(dict(zip(message.name, message.position)))

    def _on_solutions(self, message: JointTrajectory) -> None:
        self._branches[tuple(message.joint_names)] = np.reshape(
            [point.positions for point in message.points], (-1, len(message.joint_names)))
        self._branches_came.set()

    def _on_root_pose(self, message: PoseStamped) -> None:
        self._listener.on_root_pose(pose_to_matrix(message.pose))

    def _on_markers(self, message: MarkerArray) -> None:
        self._heartbeat.on_message()
        self._listener.on_markers(message)

    def _on_status(self, message: DiagnosticStatus) -> None:
        self._heartbeat.on_message()
        report = Report(int.from_bytes(message.level, 'little'), message.message,
                        {pair.key: pair.value for pair in message.values})
        awaited = self._reports.get(report.values.get('goal_stamp', ''))
        if awaited is None:
            if report.message != NEWER:  # the outcome of the newer goal follows
                self._listener.on_report(report)
        elif not awaited.done():
            awaited.set_result(report)

    def _on_event(self, event: ParameterEvent) -> None:
        if event.node == self._full_name:
            self._listener.on_parameters({
                parameter.name: parameter_value_to_python(parameter.value)
                for parameter in (*event.new_parameters, *event.changed_parameters)})


def _topic(name: str, topic: str) -> str:
    return f'{name}/{topic}' if name else topic


def _described(name: str, value: Any, descriptor: Any) -> Described:
    constraints = descriptor.additional_constraints
    choices = constraints[len('one of '):].split(', ') if constraints.startswith('one of ') else ()
    ranges = [*descriptor.floating_point_range, *descriptor.integer_range]
    low, high = (ranges[0].from_value, ranges[0].to_value) if ranges else (None, None)
    return Described(name, value, descriptor.description, tuple(choices), low, high,
                     descriptor.read_only)
