"""View of one ik_node: its robot, its markers and its goals.

Messages arrive in the connection's thread, which only stores them; the painter's thread draws the
newest.
"""

import contextlib
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import viser
from visualization_msgs.msg import Marker

from ik_node.control.options import MODEL_PATHS, model_path
from ik_node.exceptions import IkError, InputError
from ik_node.kinematics.reach import reach
from ik_node.model.chain import Chain
from ik_node.model.readers import read_model, read_urdf_text
from ik_node.model.tree import KinematicTree
from ik_node.ros.clients.connection import Connection, Report, SilentError
from ik_node.spatial import inverse
from ik_node.viewer.marker_scene import MarkerScene
from ik_node.viewer.meshes import Meshes
from ik_node.viewer.robot_scene import RobotScene
from ik_node.viewer.state import State

_REMEMBERED = 300  # reports
_WAITING = 100     # messages with markers
_OF_ARM = ('base_link', 'tip_link', 'start_pose')  # parameters that each arm has
_MODEL = ('robot_description', *MODEL_PATHS, 'xacro_args')  # parameters of the robot


# Colours of the robots in a comparison, red, green and blue, 0 to 1.
COLORS = ((0.25, 0.47, 0.75), (0.80, 0.35, 0.28), (0.30, 0.62, 0.40), (0.58, 0.40, 0.70),
          (0.80, 0.60, 0.25), (0.25, 0.60, 0.62))


class RobotView:
    """The view of a node: `connection` to it, `tree` and `chain` once its robot is known.

    - `name`: its name on the page. `state`: of the node and its last goal.
    - `reports`: the last ones of this robot, the newest at the end.
    - `problems`: messages about what cannot be shown. `values`: of its joints, rad or m.
    - `outdated`: whether the parameters have to be fetched.
    - `switching`: whether another robot has been requested.
    - `restarts`: observed restarts of the node.
    """

    def __init__(self, server: viser.ViserServer, name: str, changed: Callable[[], None], *,
                 namespace: str = '', target: str = 'ik_node', arm: str = '',
                 color: tuple[float, float, float] | None = None,
                 domain_id: int | None = None) -> None:
        """Connect to a node. changed: called, in any thread, when there is something to draw."""
        self.name, self.arm = name, arm
        self._goal_markers = f'{arm}/goal' if arm else 'goal'
        self.tree: KinematicTree | None = None
        self.chain: Chain | None = None
        self.reports: deque[Report] = deque(maxlen=_REMEMBERED)
        self.count = 0  # of all reports
        self.state = State()
        self.outdated, self.switching, self.restarts = True, False, 0
        self._processes: frozenset[bytes] = frozenset()
        self.problems: list[str] = []
        self.values: dict[str, float] = {}
        self.parameters: dict[str, Any] = {}
        self._event_records: list[dict[str, Any]] = []  # see `_record_events`
        self._server, self._changed, self._color = server, changed, color
        self._root = f'/{name}'
        self._place = server.scene.add_frame(self._root, show_axes=False)
        self._scene: RobotScene | None = None
        self._markers = MarkerScene(server, f'{self._root}/markers')
        self._lock = threading.Lock()
        self._posing = threading.Lock()  # held while start_pose is another one, to go there
        self._text = ''  # of the robot that is drawn
        self._file_text = self._topic_text = ''
        self._received: dict[str, float] = {}  # joint values, of any robot
        self._new_values: Mapping[str, float] | None = None
        self._new_markers: deque[Any] = deque(maxlen=_WAITING)
        self._selection: dict[str, Any] = {}
        self.connection = Connection(self, namespace, target, (arm,), domain_id)

    def close(self) -> None:
        """Leave the graph."""
        self.connection.close()

    def on_description(self, text: str) -> None:
        """Store a robot as URDF text."""
        with self._lock:
            self._topic_text = text
        self._changed()

    def on_joints(self, values: Mapping[str, float]) -> None:
        """Store joint values, rad or m; the newest count."""
        with self._lock:
            self._new_values = {**(self._new_values or {}), **values}
        self._changed()

    def on_report(self, report: Report) -> None:
        """Store the report of a goal."""
        if report.values.get('arm', '') == self.arm:
            self.state.on_report(report)
            self.reports.append(report)
            self.count += 1
            self._changed()

    def on_markers(self, message: Any) -> None:
        """Store markers: each message may have different ones. A deleted goal has no report."""
        if any(marker.action == Marker.DELETE and marker.id == 0 and marker.ns == self._goal_markers
               for marker in message.markers):
            self.state.forget_goal()
        self._new_markers.append(message)
        self._changed()

    def on_parameters(self, changed: Mapping[str, Any]) -> None:
        """Store the changed parameters of an event."""
        with self._lock:
            for record in self._event_records:
                record.update(changed)
            self._store_parameters(changed)

    @contextlib.contextmanager
    def _record_events(self) -> Iterator[dict[str, Any]]:
        """Collect the parameters of events that arrive during a request.

        A response may be read after the event of a later change; the event counts then.
        """
        record: dict[str, Any] = {}
        with self._lock:
            self._event_records.append(record)
        try:
            yield record
        finally:
            with self._lock:
                self._event_records = [one for one in self._event_records if one is not record]

    def _store_parameters(self, changed: Mapping[str, Any]) -> None:
        if any(name in changed for name in _MODEL):
            # Its description and the rest of its parameters are needed together.
            self.outdated |= not self.switching
        else:
            solver = self.option('solver')
            self.parameters.update(changed)
            if self.option('solver') != solver:
                self.state.forget_goal()
        self._changed()

    def set_parameter(self, name: str, value: Any) -> None:
        """Set a parameter of the node. Raises SilentError with its reason for a refusal."""
        with self._record_events() as newer:
            self.connection.set_parameters({name: value})
            with self._lock:
                if name not in newer:  # its event is still on its way
                    self._store_parameters({name: value})

    def check_node(self) -> bool:
        """Update the state of the node; return whether it responds again after a silence."""
        seen_before = self.state.responds is not None
        back = self.state.update(self.connection.responds, self.connection.lifecycle)
        if self.state.responds is False:
            self._new_markers.clear()
            self._markers.clear()
        elif back or not seen_before:
            processes = self.connection.processes()
            if back and processes - self._processes:
                self.restarts += 1
                self.state.forget_goal()
            self._processes |= processes
            self.outdated |= back
        return back

    def take(self, robot: Mapping[str, str]) -> None:
        """Set another robot by its parameters, see `gallery.robots`.

        Raises SilentError with the node's reason; the robot is then unchanged.
        """
        self.switching = True  # the description may arrive before or after its parameters
        self.state.forget_goal()
        try:
            self.connection.set_parameters({
                self.option_name(name) if name in _OF_ARM else name: value
                for name, value in robot.items()})
            self.fetch_parameters()
        finally:
            self.switching = False
            self._changed()

    def fetch_parameters(self) -> None:
        """Fetch the parameters of the node, and read the file that they name, if any.

        Raises SilentError where the node does not respond.
        """
        self.outdated = False
        with self._record_events() as newer:
            try:
                values = {name: one.value for name, one in self.connection.parameters().items()}
            except SilentError:
                self.outdated = True
                raise
            text = _description(values)
            with self._lock:
                self.parameters, self._file_text = {**values, **newer}, text
        self._changed()

    def option(self, name: str) -> Any:
        """Return a parameter of the arm."""
        return self.parameters.get(self.option_name(name))

    def option_name(self, name: str) -> str:
        """Return the full name of a parameter of the arm."""
        return f'{self.arm}.{name}' if self.arm else name

    def move_to(self, y: float) -> None:
        """Move the whole view to y, m."""
        self._place.position = (0.0, y, 0.0)

    def paint(self) -> bool:
        """Draw what has arrived; return whether the robot, or its chain, has changed."""
        with self._lock:
            text = '' if self.switching else self._file_text or self._topic_text
            values, self._new_values = self._new_values, None
        selection = {'arms': self.parameters.get('arms'), 'model_path': model_path(self.parameters),
                     **{name: self.option(name) or '' for name in ('base_link', 'tip_link')}}
        other = bool(text) and (text != self._text or selection != self._selection)
        if values is not None:
            self._received.update(values)
        if other:
            self._take_up(text, selection)
        if self.tree is not None and self._scene is not None and (values is not None or other):
            # Each of several publishers may have some of the joints.
            self._received = {name: value for name, value in self._received.items()
                              if name in self.tree.joints or name in (values or ())}
            self.values = {name: value for name, value in self._received.items()
                           if name in self.tree.joints}
            self._scene.move(self.values)
        if self._scene is not None:
            self._show_markers(self._scene)
        return other

    def _show_markers(self, scene: RobotScene) -> None:
        prefix = self.parameters.get('frame_prefix') or ''
        frames = {prefix + link: T for link, T in scene.T_root_link.items()}
        while self._new_markers:
            self._markers.show(self._new_markers.popleft(), frames)

    def _take_up(self, text: str, selection: dict[str, Any]) -> None:
        """Draw another robot, or find another chain of it."""
        same = text == self._text and selection['model_path'] == self._selection.get('model_path')
        self._text, self._selection, self.chain = text, selection, None
        self.state.forget_goal()
        self.reports.clear()
        try:
            if not same or self.tree is None:
                self._draw(read_urdf_text(text))
            self.problems = list(self._scene.problems) if self._scene else []
            if isinstance(selection['arms'], list) and self.arm not in selection['arms']:
                raise InputError('the node has several arms; choose one of '
                                 f'{", ".join(selection["arms"])} with --arm')
            self.chain = self.tree.chain(  # type: ignore[union-attr]
                selection['base_link'] or None, selection['tip_link'] or None)
        except IkError as error:
            self.problems = [*self.problems, str(error)]

    def _draw(self, tree: KinematicTree) -> None:
        if self._scene is not None:
            self._scene.remove()
        self._markers.clear()
        self._scene = RobotScene(self._server, f'{self._root}/robot', tree, self._meshes(),
                                 self._color)
        self.tree = tree

    def _meshes(self) -> Meshes:
        """Return a reader of meshes that searches near the robot's file."""
        meshes = Meshes()
        file = model_path(self.parameters)
        if file:
            meshes.look_near(Path(file))
        return meshes

    @property
    def reach(self) -> float:
        """The reach of the tip, m; 1 where it is unknown or unbounded."""
        far = reach(self.chain.arrays)[1] if self.chain is not None else 1.0
        return min(max(far, 0.05), 100.0) if np.isfinite(far) else 1.0

    @property
    def T_root_base(self) -> np.ndarray:
        """(4, 4), m, pose of the base in the configuration that was drawn last."""
        return self._link_pose('base_link')

    @property
    def T_root_tip(self) -> np.ndarray:
        """(4, 4), m, pose of the tip in the configuration that was drawn last."""
        return self._link_pose('tip_link')

    @property
    def is_placed(self) -> bool:
        """Whether every joint of the arm has a value."""
        return self.chain is not None and all(
            name in self.values for name in self.chain.joint_names)

    def _link_pose(self, end: str) -> np.ndarray:
        if self._scene is None or self.chain is None:
            return np.eye(4)
        return self._scene.T_root_link[getattr(self.chain, end)]

    def send_goal(self, T_root_goal: np.ndarray, position_only: bool) -> None:
        """Send a goal (4, 4), m, in the root's frame."""
        if self.chain is None or self.switching:
            return
        self.connection.send_goal(inverse(self.T_root_base) @ T_root_goal, self.arm, position_only)

    def send_path(self, waypoints: list[np.ndarray]) -> None:
        """Send waypoints, (4, 4) each, m, in the root's frame."""
        T_base_root = inverse(self.T_root_base)
        self.connection.send_path([T_base_root @ T for T in waypoints], self.arm)

    def go_to(self, configuration: list[float] | str) -> None:
        """Send the arm to joint values, base to tip, rad or m, or to a named pose.

        The parameter start_pose is restored afterwards. Raises SilentError.
        """
        name = self.option_name('start_pose')
        with self._posing:
            # The node's own: the events of the last time may still be on their way.
            before = self.connection.describe([name])[name].value
            self.connection.set_parameters({name: configuration})
            try:
                self.connection.reset()
                self.state.forget_goal()
            finally:
                self.connection.set_parameters({name: 'none' if before is None else before})

    def go_home(self) -> None:
        """Send the arm to its start pose. Raises SilentError."""
        with self._posing:
            self.connection.reset()
            self.state.forget_goal()


def _description(values: Mapping[str, Any]) -> str:
    """Return the description in a node's parameters, or in the file they name; '' for none."""
    if values.get('robot_description'):
        return str(values['robot_description'])
    file = model_path(values)
    if not file or not Path(file).is_file():
        return ''
    pairs = values.get('xacro_args')
    try:
        tree = read_model(Path(file), dict(pair.split(':=', 1) for pair in pairs)
                          if isinstance(pairs, list) else None)
    except IkError:
        return ''  # the node itself reports the error
    return tree.description
