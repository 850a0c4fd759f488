"""A client's connection to one ik_node: receives its messages, sends goals, sets parameters.

Messages are passed to a listener in the connection's thread. Methods may be called from any thread,
also while another thread closes the connection.
"""

import contextlib
import itertools
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent import futures
from typing import Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PointStamped, PoseStamped
from nav_msgs.msg import Path
from rcl_interfaces.msg import ParameterEvent
from rclpy.parameter import Parameter, parameter_value_to_python
from rclpy.parameter_client import AsyncParameterClient
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import SetBool, Trigger
from trajectory_msgs.msg import JointTrajectory
from visualization_msgs.msg import Marker, MarkerArray

from ik_node.control.worker import NEWER
from ik_node.ros.clients.client import GoalTopics, Listener, Report, client_node, goal_message
from ik_node.ros.clients.heartbeat import Heartbeat
from ik_node.ros.conversions import pose_to_matrix
from ik_node.ros.parameters import Described, refusal_text
from ik_node.ros.publishing.status import seconds
from ik_node.ros.run import WAIT, NodeExecutor
from ik_node.ros.topics import LATCHED, LATEST
from ik_node.support.exceptions import IkError
from ik_node.support.processes import reported, start_thread

_PATIENCE = 5.0  # s that a service may take,
_LONGEST = 120.0  # … where the node works: on large robots, and shapes for collisions
_PERIOD = 0.01   # s, between two looks for a subscription
_LOOK = 0.25     # s, between two looks whether the node has been restarted


class SilentError(IkError):
    """The node does not respond, refuses a request, or the connection is closed."""


class Connection:
    """A client node of one ik_node; `close` it."""

    def __init__(self, listener: Listener, namespace: str = '', target: str = 'ik_node',
                 arms: Sequence[str] = ('',), domain_id: int | None = None) -> None:
        """Subscribe to the node named target in a namespace. arms: names of those to send to."""
        self._listener = listener
        self._lock, self._closed = threading.Lock(), False
        self.node = node = client_node('ik_view', target, namespace, domain_id)
        self._full_name = node.resolve_topic_name(target)
        self._topics = GoalTopics(node)
        for arm, kind in itertools.product(arms, (PoseStamped, PointStamped, Path, JointState)):
            self._topics.publisher(kind, arm)
        self._obstacles = node.create_publisher(MarkerArray, f'{target}/obstacles', 100)
        # Of goals that wait for them, by the stamp of the goal.
        self._reports: dict[str, futures.Future[Report]] = {}
        self._branches: dict[tuple[str, ...], np.ndarray] = {}  # by the joints of the arm
        self._branches_came = threading.Event()
        for message, topic, receive, qos in (
                (String, 'robot_description',
                 lambda message: listener.on_description(message.data), LATCHED),
                (JointState, 'joint_states', lambda message: listener.on_joints(
                    dict(zip(message.name, message.position))), LATEST),
                (PoseStamped, f'{target}/root_pose', lambda message: listener.on_root_pose(
                    pose_to_matrix(message.pose)), LATEST),
                (DiagnosticStatus, f'{target}/status', self._on_status, 10),
                (JointTrajectory, f'{target}/solutions', self._on_solutions, 10),
                (ParameterEvent, '/parameter_events', self._on_event, 100)):
            node.create_subscription(message, topic, receive, qos)
        node.create_subscription(
            MarkerArray, f'{target}/markers', self._on_markers, 10, raw=True)
        self._markers = b'', MarkerArray()  # the last, as received and read
        self._reset: Any = node.create_client(Trigger, f'{target}/reset')
        self._enable: Any = node.create_client(SetBool, f'{target}/enable')
        self._solve_all: Any = node.create_client(Trigger, f'{target}/solve_all')
        self._parameters = AsyncParameterClient(node, target)
        self._heartbeat = Heartbeat(node, target)
        self._executor = NodeExecutor(context=node.context)
        self._executor.add_node(node)
        self._thread = start_thread(self._spin, 'ik_view ROS')

    def close(self) -> None:
        """Leave the graph."""
        with self._lock:
            self._closed = True
        # The context last: the executor aborts the process where it is shut down while the node's
        # entities are being added.
        self._executor.wake()
        self._thread.join()
        self._executor.shutdown()
        self.node.destroy_node()
        self.node.context.try_shutdown()

    @contextlib.contextmanager
    def _open(self) -> Iterator[None]:
        """Keep the connection open in a context. Raises SilentError where it is closed."""
        with self._lock:
            if self._closed:
                raise SilentError(f'the connection to {self._full_name} is closed')
            yield

    def _spin(self) -> None:
        while not self._closed:
            # A defect of a listener must not end it: later messages still count.
            with reported('messages of the node', self._listener.on_error):
                self._executor.spin_once(WAIT)

    @property
    def responds(self) -> bool:
        """Whether the node responds."""
        return self._heartbeat.responds

    def goal_topic(self, arm: str = '', position_only: bool = False) -> str:
        """Return the full name of the topic of an arm's goal, or of its position alone."""
        kind = PointStamped if position_only else PoseStamped
        return str(self._topics.publisher(kind, arm).topic_name)

    def processes(self) -> frozenset[bytes]:
        """Return an identifier of each process that the node had, see `Heartbeat`."""
        return self._heartbeat.processes

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
                self._topics.publisher(PoseStamped, name)
                self._topics.publisher(PointStamped, name)

    def send_goal(self, T_frame_goal: np.ndarray, name: str = '',
                  position_only: bool = False) -> None:
        """Send a goal pose (4, 4), m, to an arm or a task, or its position alone.

        It is in the node's frame for goals without one: the base of the arm, the reference of a
        relative_pose, else the world. Raises SilentError where the connection is closed.
        """
        target = T_frame_goal[:3, 3] if position_only else T_frame_goal
        with self._open():
            publisher = self._topics.publisher(
                PointStamped if position_only else PoseStamped, name)
        if self.responds:  # that of a task may be new
            self._wait_until(publisher.get_subscription_count, time.monotonic() + _PATIENCE)
        with self._open():
            publisher.publish(goal_message(target, self._topics.header()))

    def send_path(self, poses: Sequence[np.ndarray], arm: str = '') -> None:
        """Send waypoints, (4, 4) each, m, in the frame of the arm's base. Raises SilentError."""
        with self._open():
            header = self._topics.header()
            self._topics.publisher(Path, arm).publish(
                Path(header=header, poses=[goal_message(T, header) for T in poses]))

    def send_obstacles(self, markers: Sequence[Marker]) -> None:
        """Send the node markers of obstacles, to be added or deleted. Raises SilentError."""
        self._wait_until(self._obstacles.get_subscription_count, time.monotonic() + _PATIENCE)
        with self._open():
            for marker in markers:
                marker.header.stamp = self._topics.header().stamp
            self._obstacles.publish(MarkerArray(markers=list(markers)))

    def send_joints(self, values: Mapping[str, float], arm: str = '') -> str:
        """Send joint values, rad or m, by name, and return the node's message when it takes them.

        Joints left out keep their values. Where values are sent before the last ones are taken, the
        node may skip those, which then have no message. Raises SilentError with the node's reason.
        """
        if self.lifecycle not in ('', 'active'):
            raise SilentError(f'{self._full_name} is {self.lifecycle}: it accepts no goals')
        report: futures.Future[Report] = futures.Future()
        publisher, deadline = self._topics.publisher(JointState, arm), time.monotonic() + _PATIENCE
        self._wait_until(publisher.get_subscription_count, deadline)
        with self._open():
            message = JointState(header=self._topics.header(), name=list(values),
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

    def _wait_until(self, holds: Callable[[], object], deadline: float) -> None:
        """Wait until a condition holds, or for too long. Raises SilentError when it is closed."""
        while time.monotonic() < deadline:
            with self._open():
                if holds():
                    return
            time.sleep(_PERIOD)

    def reset(self) -> str:
        """Send the robot to its start pose; return the node's message. Raises SilentError."""
        return self._trigger(self._reset, 'reset')

    def enable(self, enabled: bool) -> None:
        """Let the node accept goals, or freeze the robot and refuse them. Raises SilentError."""
        self.call(lambda: self._enable.call_async(SetBool.Request(data=enabled)), 'enable')

    def branches(self) -> tuple[str, dict[tuple[str, ...], np.ndarray]]:
        """Return the branches of the last goals, in words and as {joint names: (k, n)}.

        rad or m, the nearest to the present joint values first. Raises SilentError with the node's
        reason where it lists none.
        """
        self._branches_came.clear()
        text = self._trigger(self._solve_all, 'solve_all')
        if not self._branches_came.wait(_PATIENCE):
            raise SilentError(f'{self._full_name} has published no solutions')
        return text, dict(self._branches)

    def _trigger(self, client: Any, what: str) -> str:
        """Call a service without arguments; return its message. Raises SilentError with it."""
        response = self.call(lambda: client.call_async(Trigger.Request()), what)
        if not response.success:
            raise SilentError(response.message)
        return str(response.message)

    def set_parameters(self, values: Mapping[str, Any]) -> None:
        """Set parameters, all or none. Raises SilentError with the node's reason for a refusal."""
        response = self.call(lambda: self._parameters.set_parameters_atomically(
            [Parameter(name, value=value) for name, value in values.items()]),
            'parameters', works=True)
        if not response.result.successful:
            raise SilentError(refusal_text(response.result.reason))

    def parameters(self, prefixes: Sequence[str] = ()) -> dict[str, Described]:
        """Return the parameters below some prefixes, by default all. Raises SilentError."""
        client = self._parameters
        listed = self.call(lambda: client.list_parameters(list(prefixes), 0), 'parameters')
        return self.describe(sorted(listed.result.names))

    def describe(self, names: Sequence[str]) -> dict[str, Described]:
        """Return parameters by name, with their values. Raises SilentError."""
        client, wanted = self._parameters, list(names)
        values = self.call(lambda: client.get_parameters(wanted), 'parameters').values
        found = self.call(lambda: client.describe_parameters(wanted), 'parameters').descriptors
        return {name: Described.of(name, parameter_value_to_python(value), descriptor)
                for name, value, descriptor in zip(names, values, found)}

    def call(self, call: Callable[[], Any], what: str, whom: str = '',
             works: bool = False) -> Any:
        """Call a service and wait for its response, received in the connection's thread.

        call: returns the future; whom: the full name of the node, by default the connection's own,
        whose services are awaited: earlier requests would be lost. works: whether the node may work
        on it for long, while it responds. Raises SilentError where no response comes, at once where
        another process has taken the place of the node's.
        """
        own, whom = not whom, whom or self._full_name
        deadline = time.monotonic() + _PATIENCE
        if own:
            self._wait_until(lambda: self.lifecycle, deadline)
        before, done, latest = self.processes(), threading.Event(), deadline + _LONGEST
        with self._open():
            future = call()
        future.add_done_callback(lambda _: done.set())
        while not done.wait(min(_LOOK, max(deadline - time.monotonic(), 0.0))):
            if works and self.responds:
                deadline = min(time.monotonic() + _PATIENCE, latest)
            replaced = own and self.processes() - before
            if replaced or time.monotonic() > deadline:
                future.cancel()
                raise SilentError(
                    f'{whom} was restarted before it responded: {what}' if replaced else
                    f'{whom} does not respond: {what}, for {_PATIENCE:g} s')
        if future.exception() is not None:
            raise SilentError(f'{whom}: {future.exception()}')
        return future.result()

    def _on_solutions(self, message: JointTrajectory) -> None:
        self._branches[tuple(message.joint_names)] = np.reshape(
            [point.positions for point in message.points], (-1, len(message.joint_names)))
        self._branches_came.set()

    def _on_markers(self, content: bytes) -> None:
        self._heartbeat.on_message()
        if content != self._markers[0]:  # most are as the last one; to read one takes 2 ms
            self._markers = content, deserialize_message(content, MarkerArray)
        self._listener.on_markers(self._markers[1])

    def _on_status(self, message: DiagnosticStatus) -> None:
        self._heartbeat.on_message()
        report = Report.of(message)
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
