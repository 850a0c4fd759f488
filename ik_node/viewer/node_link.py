"""A node and what it has sent: messages are stored here until they are drawn, and goals are sent.

Messages arrive in the connection's thread, which only stores them; the painter's thread draws the
latest. What is as before does not wake it, and waits for the next picture.
"""

import threading
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from visualization_msgs.msg import Marker

from ik_node.model.body import ROOTS, root_values
from ik_node.ros.clients.client import Listener, Report
from ik_node.ros.clients.connection import Connection
from ik_node.ros.publishing.markers.group_markers import NO_GOAL
from ik_node.viewer.node_parameters import NodeParameters
from ik_node.viewer.node_state import NodeState, StateLine

_REMEMBERED = 300  # reports
_WAITING = 100     # messages with markers
_OF_ARM = ('base_link', 'tip_link', 'tool', 'start_pose')  # parameters that each arm has


class NodeLink(Listener):
    """A `connection` to a node, its `state` and `parameters`, and its messages.

    - `node_name`: with its namespace. `arm`: one of its arms, '' for the only one.
    - `reports`: the last ones of this robot, the newest at the end; `count`: of all reports.
    - `restarts`: observed restarts of the node.
    - `T_world_root`: the last pose (4, 4), m, of a moving root.
    - `drop_goals`: called before the robot leaves its goal, to drop those that wait to be sent.
    """

    def __init__(self, changed: Callable[[], None], namespace: str, target: str, arm: str,
                 domain_id: int | None) -> None:
        """Connect to a node. changed: called, in any thread, when there is something to draw."""
        self.arm, self._changed = arm, changed
        self.node_name = f'{namespace.rstrip("/")}/{target}'
        self._status_markers = f'{arm}/status' if arm else 'status'
        self.reports: deque[Report] = deque(maxlen=_REMEMBERED)
        self.count = self.restarts = 0
        self.state = NodeState()
        self.parameters = NodeParameters(arm, self.state.forget_goal)
        self.drop_goals: Callable[[], None] = lambda: None
        self._processes: frozenset[bytes] = frozenset()
        self._lock = threading.Lock()
        self._leaving = threading.Lock()  # held until the node has taken where to go
        self._topic_text = self._error = ''
        self._new_values: Mapping[str, float] | None = None
        self._last_values: Mapping[str, float] = {}  # of the last message
        self._moved = False  # since the painter was woken
        self._has_moved = False  # since the last message of markers, which are drawn in its frames
        self.T_world_root = np.eye(4)
        self._has_root_pose = False
        self._new_markers: deque[Any] = deque(maxlen=_WAITING)
        self._last_markers: Any = None
        self._status_text = NO_GOAL  # of the markers
        self.connection = Connection(self, namespace, target, (arm,), domain_id)

    def on_description(self, text: str) -> None:
        self._topic_text = text
        self._changed()

    def on_joints(self, values: Mapping[str, float]) -> None:
        """Store joint values, rad or m; the latest count."""
        with self._lock:
            self._new_values = {**(self._new_values or {}), **values}
        self._moved |= values != self._last_values
        self._last_values = values
        if not self.parameters.moves_root:  # else the pose of the root follows at once
            self._on_motion()

    def on_root_pose(self, T_world_root: np.ndarray) -> None:
        self._moved |= not (self._has_root_pose and np.array_equal(T_world_root, self.T_world_root))
        self.T_world_root, self._has_root_pose = T_world_root, True
        self._on_motion()

    def _on_motion(self) -> None:
        moved, self._moved = self._moved, False
        if moved:
            self._has_moved = True
            self._changed()

    def on_report(self, report: Report) -> None:
        if report.values.get('arm', '') == self.arm:
            self.state.on_report(report)
            self.reports.append(report)
            self.count += 1
            self._changed()

    def on_markers(self, message: Any) -> None:
        """Store markers: each message may have different ones. A deleted goal has no report.

        A deletion is sent only once, and may be lost; the text of the status is in every message.
        They may be late: the newest tells whether the last report still describes the robot.
        """
        text = ' '.join(marker.text for marker in message.markers
                        if marker.ns == self._status_markers and marker.text)
        before, self._status_text = self._status_text, text or self._status_text
        ends = NO_GOAL in text and NO_GOAL not in before
        if ends or any(marker.action == Marker.DELETE and marker.id == 0
                       and marker.ns == self.goal_markers() for marker in message.markers):
            self.state.forget_goal()
        elif text and NO_GOAL not in text:
            self.state.forget_goal(False)
        self._new_markers.append(message)
        has_moved, self._has_moved = self._has_moved, False
        if has_moved or message is not self._last_markers:
            self._last_markers = message
            self._changed()

    def goal_markers(self, task: str = '') -> str:
        """Return the namespace of the markers of the goal of a task, or of the arm."""
        return f'{task or self.arm}/goal'.lstrip('/')

    def on_parameters(self, changed: Mapping[str, Any]) -> None:
        self.parameters.on_event(changed)
        self._changed()

    def on_error(self, line: str) -> None:
        self._error = line
        self._changed()

    def check_node(self) -> bool:
        """Update the state of the node; return whether it responds again, be it without a silence.

        A process may replace another one before that counts as silent.
        """
        back = self.state.update(self.connection.responds, self.connection.lifecycle)
        before, processes = self._processes, self.connection.processes()  # after the lifecycle
        self._processes |= processes
        if before and processes - before:
            back = True
            self.restarts += 1
            self.state.leave_goal()
            self.state.is_stopped = False
        if back:
            self.parameters.expire()
        return back

    def set_parameters(self, values: Mapping[str, Any]) -> None:
        """Set parameters of the node, all or none. Raises SilentError with its reason."""
        with self.state.working(_work(values)):
            self.parameters.set(self.connection, values)
        self._changed()

    def fetch_parameters(self) -> None:
        """Fetch the parameters of the node. Raises SilentError where it does not respond."""
        self.parameters.fetch(self.connection)
        self._changed()

    def load(self, robot: Mapping[str, Any]) -> None:
        """Set another robot by its parameters. Raises SilentError; it is then unchanged."""
        # The description may arrive before or after its parameters.
        self.parameters.switching = True
        self.state.leave_goal()
        try:
            with self.state.working('loading the robot'):
                self.connection.set_parameters({
                    self.parameters.option_name(name) if name in _OF_ARM else name: value
                    for name, value in robot.items()})
                self.fetch_parameters()
        finally:
            self.parameters.switching = False
            self._changed()

    def go_to(self, values: Mapping[str, float], state: StateLine | None = None,
              T_world_root: np.ndarray | None = None) -> None:
        """Send the robot to joint values, rad or m, by name.

        state: there, by default without a goal. T_world_root (4, 4), m: of a moving root, by
        default where it is. Raises IkError with the reason for a refusal.
        """
        if T_world_root is not None and self.parameters.moves_root:
            root = self.parameters['root']
            values = {**values, **dict(zip((joint.name for joint in ROOTS[root]),
                                           root_values(root, T_world_root).tolist()))}
        self._leave(lambda: self.connection.send_joints(values, self.arm), state)

    def go_home(self) -> None:
        """Send the robot to its start pose. Raises IkError with the reason for a refusal."""
        self._leave(self.connection.reset)

    def _leave(self, send: Callable[[], object], state: StateLine | None = None) -> None:
        self.state.check_goals()
        with self._leaving:
            self.drop_goals()
            send()
            self.state.leave_goal(state)

    def enable(self, enabled: bool) -> None:
        """Stop the robot, which refuses goals then, or let it go on. Raises SilentError."""
        self.connection.enable(enabled)
        self.state.is_stopped = not enabled
        self.state.leave_goal()


def _work(values: Mapping[str, Any]) -> str:
    """Return what a node does for these parameters."""
    return 'preparing collision shapes' if any(
        value is True and name.endswith('.avoid_collisions') for name, value in values.items()
        ) else 'setting parameters'
