"""View of one ik_node: its robot, its markers and its goals.

Messages arrive in the connection's thread, which only stores them; the painter's thread draws the
latest.
"""

import contextlib
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import viser
from visualization_msgs.msg import Marker

from ik_node.control.arm import goal_weights
from ik_node.control.options import ArmOptions, model_path
from ik_node.kinematics.reach import reach
from ik_node.model.chain import Chain
from ik_node.model.joint_space import JointSpace
from ik_node.model.mesh_parts import whole_of
from ik_node.model.mesh_reader import MeshReader
from ik_node.model.meshes import Meshes, Places
from ik_node.model.readers import read_urdf_text
from ik_node.ros.clients.client import Report
from ik_node.ros.clients.connection import Connection
from ik_node.ros.publishing.markers.group_markers import NO_GOAL
from ik_node.spatial import inverse, rotation_log
from ik_node.support.exceptions import IkError, InputError
from ik_node.viewer import node_state
from ik_node.viewer.drawn_robot import DrawnRobot
from ik_node.viewer.marker_scene import MarkerScene
from ik_node.viewer.page_text import length_text
from ik_node.viewer.scene_nodes import GapLine

_REMEMBERED = 300  # reports
_GAP = 1e-3        # of the reach: a shorter way from tip to goal is not drawn
_TRIANGLES = 20000  # of the mesh of a marker
_WAITING = 100     # messages with markers
# With the options of the solver, and those of tasks, they decide how goals are solved.
_SETTING = ('solver', 'task_weights', 'base_link', 'tip_link')
_ABLE = ArmOptions.read({'task_weights': 'auto'})
_OF_ARM = ('base_link', 'tip_link', 'start_pose')  # parameters that each arm has
# Colours of the robots in a comparison, red, green and blue, 0 to 1.
COLORS = ((0.25, 0.47, 0.75), (0.80, 0.35, 0.28), (0.30, 0.62, 0.40), (0.58, 0.40, 0.70),
          (0.80, 0.60, 0.25), (0.25, 0.60, 0.62))


class RobotView(DrawnRobot):
    """The view of a node: `connection` to it, its robot, its markers, its goals.

    - `name`: its name on the page. `state`: of the node and its last goal.
    - `reports`: the last ones of this robot, the newest at the end; `count`: of all reports.
    - `restarts`: observed restarts of the node. `is_only_played`: whether a player moves the robot,
      without a node.
    - `text`: of the robot that is drawn, as URDF; '' for none.
    - `T_world_root`: the last pose (4, 4), m, of a moving root.
    - `frame`: of the whole view in the scene. `markers`: those of the node. `is_fine`: whether
      meshes are drawn with all of their triangles. `places`: where meshes may be.
    - `drop_goals`: called before the robot leaves its goal, to drop those that wait to be sent.
    """

    def __init__(self, server: viser.ViserServer, name: str, changed: Callable[[], None], *,
                 namespace: str = '', target: str = 'ik_node', arm: str = '',
                 color: tuple[float, float, float] | None = None,
                 domain_id: int | None = None, places: Places | None = None) -> None:
        """Connect to a node.

        changed: called, in any thread, when there is something to draw. places: where meshes may
        be, by default in packages of ROS.
        """
        super().__init__(server, f'/{name}/robot', color)
        self.name, self.arm = name, arm
        self._goal_markers = f'{arm}/goal' if arm else 'goal'
        self._status_markers = f'{arm}/status' if arm else 'status'
        self.reports: deque[Report] = deque(maxlen=_REMEMBERED)
        self.count = self.restarts = 0
        self.state = node_state.NodeState()
        self.parameters = node_state.NodeParameters(arm, self.state.forget_goal)
        self.is_only_played = self.is_fine = False
        self.drop_goals: Callable[[], None] = lambda: None
        self._processes: frozenset[bytes] = frozenset()
        self._changed = changed
        self.frame = server.scene.add_frame(f'/{name}', show_axes=False)
        self.places = Places() if places is None else places
        self._reader = MeshReader()
        self.markers = MarkerScene(
            server, f'/{name}/markers', lambda mesh: self._meshes.simplified(
                whole_of(self._meshes.load(mesh)), _TRIANGLES))
        self._gap_line = GapLine(server, f'/{name}/gap')
        self._lock = threading.Lock()
        self._leaving = threading.Lock()  # held until the node has taken where to go
        self.text = self._topic_text = ''
        self._new_values: Mapping[str, float] | None = None
        self.T_world_root = np.eye(4)  # the last that was received
        self._has_root_pose = False
        self._new_markers: deque[Any] = deque(maxlen=_WAITING)
        self._status_text = NO_GOAL  # of the markers
        self._chain: Chain | None = None
        self._able = np.ones(6, bool)  # the axes of goals that the arm can serve
        self._chain_error = self._error = ''
        self._offered: tuple[str, ...] = ()
        self._selection: tuple[Any, ...] = ()  # the robot that is drawn, and its chain
        self.connection = Connection(self, namespace, target, (arm,), domain_id)

    def close(self) -> None:
        """Leave the graph."""
        self.connection.close()
        self._reader.close()

    def on_description(self, text: str) -> None:
        """Store a robot as URDF text."""
        self._topic_text = text
        self._changed()

    def on_joints(self, values: Mapping[str, float]) -> None:
        """Store joint values, rad or m; the latest count."""
        with self._lock:
            self._new_values = {**(self._new_values or {}), **values}
        if not self.parameters.moves_root:  # else the pose of the root follows at once
            self._changed()

    def on_root_pose(self, T_world_root: np.ndarray) -> None:
        """Store the pose (4, 4), m, of a moving root."""
        self.T_world_root, self._has_root_pose = T_world_root, True
        self._changed()

    def on_report(self, report: Report) -> None:
        """Store the report of a goal."""
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
                       and marker.ns == self._goal_markers for marker in message.markers):
            self.state.forget_goal()
        elif text and NO_GOAL not in text:
            self.state.forget_goal(False)
        self._new_markers.append(message)
        self._changed()

    def on_parameters(self, changed: Mapping[str, Any]) -> None:
        """Store the changed parameters of an event."""
        self.parameters.on_event(changed)
        self._changed()

    def on_error(self, line: str) -> None:
        """Store a line about a defect in the handling of messages."""
        self._error = line
        self._changed()

    def set_parameter(self, name: str, value: Any) -> None:
        """Set a parameter of the node. Raises SilentError with its reason for a refusal."""
        self.parameters.set(self.connection, name, value)
        self._changed()

    def fetch_parameters(self) -> None:
        """Fetch the parameters of the node. Raises SilentError where it does not respond."""
        self.parameters.fetch(self.connection)
        self._changed()

    def check_node(self) -> bool:
        """Update the state of the node; return whether it responds again after a silence."""
        seen_before = self.state.responds is not None
        back = self.state.update(self.connection.responds, self.connection.lifecycle)
        if self.state.responds is False:
            self._new_markers.clear()
            self.markers.clear()
        elif back or not seen_before:
            processes = self.connection.processes()
            if back and processes - self._processes:
                self.restarts += 1
                self.state.leave_goal()
                self.state.is_stopped = False
            self._processes |= processes
            self.parameters.outdated |= back
        return back

    def load(self, robot: Mapping[str, Any]) -> None:
        """Set another robot by its parameters, see `gallery.robots`.

        Raises SilentError with the node's reason; the robot is then unchanged.
        """
        # The description may arrive before or after its parameters.
        self.parameters.switching = True
        self.state.leave_goal()
        try:
            self.connection.set_parameters({
                self.parameters.option_name(name) if name in _OF_ARM else name: value
                for name, value in robot.items()})
            self.fetch_parameters()
        finally:
            self.parameters.switching = False
            self._changed()

    @property
    def tasks(self) -> tuple[str, ...]:
        """The names of its tasks."""
        return node_state.task_names(self.parameters)

    @property
    def chain(self) -> Chain | None:
        """The chain of the arm; None where there is none, and with tasks."""
        return None if self.tasks else self._chain

    @property
    def arm_values(self) -> tuple[Chain, np.ndarray] | None:
        """The chain of the arm with its joint values (n,); None where one of them is missing."""
        chain, values = self.chain, self.values
        if chain is None or any(name not in values for name in chain.joint_names):
            return None
        return chain, np.array([values[name] for name in chain.joint_names])

    @property
    def space(self) -> JointSpace | None:
        """The joints of the arm, or of the body without those of a moving root.

        Another thread may change the parameters at any time: read it once.
        """
        return self.body if self.parameters.has_body_solver else self.chain

    @property
    def setting(self) -> tuple[tuple[str, str], ...]:
        """The parameters that decide how goals are solved; empty before the first."""
        parameters = self.parameters.snapshot
        names = [*map(self.parameters.option_name, _SETTING), 'on_failure']
        solver = parameters.get(names[0])
        below = (f'{solver}.', *(f'{task}.' for task in node_state.task_names(parameters)))
        return tuple((name, str(value)) for name, value in sorted(parameters.items())
                     if name in names or name.startswith(below))

    @property
    def follows_paths(self) -> bool:
        """Whether it takes paths of the tip."""
        return self.chain is not None and not self.parameters.has_body_solver

    @property
    def targets(self) -> tuple[node_state.Target, ...]:
        """What can be dragged: the targets of its tasks, or the goal of the arm."""
        if self.tasks:
            return node_state.task_targets(self.parameters)
        chain, served = self.chain, node_state.Freedom()
        if chain is None or self.is_only_played:
            return ()
        with contextlib.suppress(IkError):  # the node itself reports a wrong parameter
            x, y, z, *turns = (self._able & (self.parameters.task_weights(chain) > 0.0)).tolist()
            served = node_state.Freedom((x, y, z), any(turns))
        return (node_state.ARM_GOAL._replace(served=served),)

    @property
    def description(self) -> str:
        """A line about the robot, its joints and what moves them."""
        if self.tree is None:
            return 'waiting for its robot …'
        tasks, space = self.tasks, self.space
        if tasks and space is not None:
            root = f'{self.parameters["root"]} root, ' if self.parameters.moves_root else ''
            return (f'{self.tree.name}, {root}{space.n_joints} joints, tasks '
                    f'{", ".join(tasks)}')
        chain = self.chain
        return self.tree.name if chain is None else (
            f'{self.tree.name}, {chain.n_joints} joints from {chain.base_link} to '
            f'{chain.tip_link}')

    @property
    def problems(self) -> list[str]:
        """Messages about what cannot be shown."""
        needs_chain = not (self.tasks or self.is_only_played)
        return [line for line in (self._error, *self.mesh_errors,
                                  self._chain_error if needs_chain else '') if line]

    def paint(self) -> bool:
        """Draw what has arrived; return whether the robot, or its chain, has changed."""
        parameters = self.parameters
        text = '' if parameters.switching else parameters.description or self._topic_text
        with self._lock:
            values, self._new_values = self._new_values, None
        selection = (text, model_path(parameters), parameters.get('arms'), *parameters.links)
        other = bool(text) and selection != self._selection
        if other:
            same, self._selection = selection[:2] == self._selection[:2], selection
            self._change_robot(text, same and self.tree is not None)
        self.refine(self.is_fine)
        self.move(values, self.T_world_root if parameters.moves_root else np.eye(4))
        if self.tree is not None:
            self._show_markers()
        self._show_gap()
        if self.tasks != self._offered:  # the node has to know of goals before they are sent
            self._offered = self.tasks
            self.connection.offer_goals(self._offered)
        return other

    def _show_markers(self) -> None:
        self.markers.refresh()
        if not self._new_markers:
            return
        prefix = self.parameters.get('frame_prefix') or ''
        frames = {prefix + link: T for link, T in self.poses().items()}
        if self.parameters.moves_root:
            frames[self.parameters.get('world_frame') or 'world'] = np.eye(4)
        for _ in range(len(self._new_markers)):  # what arrives meanwhile is for the next picture
            self.markers.show(self._new_markers.popleft(), frames)

    def _show_gap(self) -> None:
        """Show how far the arm as it is drawn is from a goal that it does not meet."""
        report, gap = self.state.report, self.gap
        if report is None or not report.level or gap is None or (
                gap[2].position < _GAP * self.reach):
            self._gap_line.hide()
        else:
            self._gap_line.show(gap[0], gap[1], length_text(gap[2].position))

    def _change_robot(self, text: str, is_drawn: bool) -> None:
        """Draw another robot, if it is not drawn yet, and find its chain."""
        self._chain, self._chain_error, self._error = None, '', ''
        self.state.leave_goal()
        self.reports.clear()
        try:
            if not is_drawn:
                tree = read_urdf_text(text)
                self.markers.clear()
                self.draw(tree, Meshes(
                    self.places, self._reader, model_path(self.parameters)))
            if self.parameters.other_arms:
                raise InputError('the node has several arms; choose one of '
                                 f'{", ".join(self.parameters.other_arms)} with --arm')
            base, tip = self.parameters.links
            chain = self.tree.chain(base or None, tip or None)  # type: ignore[union-attr]
            self._able = goal_weights(_ABLE, chain) > 0.0
            self._chain = chain
        except IkError as error:
            self._chain_error = str(error)
        self.text = text

    @property
    def gap(self) -> tuple[np.ndarray, np.ndarray, node_state.Errors] | None:
        """Where the tip is drawn and where its last goal, (3,) each, m, and how far apart."""
        chain, T_goal = self.chain, self.markers.pose((self._goal_markers, 0))
        if chain is None or T_goal is None:
            return None
        try:
            weights = self.parameters.task_weights(chain).copy()
        except IkError:  # the node itself reports a wrong parameter
            return None
        if self.markers.pose((self._goal_markers, 1)) is None:  # no axes: a position only
            weights[3:] = 0.0
        T, R = self.pose(chain.tip_link), T_goal[:3, :3]
        off = (weights > 0.0) * np.concatenate([
            R.T @ (T[:3, 3] - T_goal[:3, 3]), R.T @ rotation_log(T[:3, :3] @ R.T)])
        return T[:3, 3], T_goal[:3, 3], node_state.Errors(
            float(np.linalg.norm(off[:3])), float(np.linalg.norm(off[3:])))

    @property
    def status(self) -> node_state.StateLine:
        """The state of the node, or of its last goal, with the error of the arm as drawn."""
        if self.parameters.switching:
            return node_state.StateLine(node_state.AMBER, 'loading the robot …')
        gap = self.gap
        return self.state.line(None if gap is None else gap[2])

    @property
    def reach(self) -> float:
        """The reach of the tip, m; without one the size of the robot, 1 where it is unbounded."""
        far = self.size or 1.0
        chain = self.chain
        if chain is not None:
            far = reach(chain.arrays)[1]
        return min(max(far, 0.05), 100.0) if np.isfinite(far) else 1.0

    @property
    def is_placed(self) -> bool:
        """Whether every joint that moves has a value, and a moving root a pose.

        Without a node, whether a player moves the robot.
        """
        if self.is_only_played:
            return bool(self.values)
        space = self.space
        return (space is not None and (self._has_root_pose or not self.parameters.moves_root)
                and all(name in self.values for name in space.joint_names))

    def target_pose(self, target: node_state.Target) -> np.ndarray | None:
        """Return the present pose (4, 4), m, of a target; None where it is unknown.

        That of an arm's goal is the tip's.
        """
        if target.name:
            return self.markers.pose(target.marker)
        chain = self.chain
        return None if chain is None else self.pose(chain.tip_link)

    def target_frame(self, target: node_state.Target = node_state.ARM_GOAL) -> np.ndarray:
        """Return the pose (4, 4), m, of the frame in which the node takes goals for a target."""
        return self.pose(target.reference if target.name else self.parameters.links[0])

    def send_goal(self, target: node_state.Target, T_frame_goal: np.ndarray,
                  position_only: bool) -> None:
        """Send a goal (4, 4), m, in the target's frame, see `target_frame`."""
        if target in self.targets and not self.parameters.switching:
            self.state.on_goal()
            self.connection.send_goal(T_frame_goal, target.name or self.arm,
                                      target.is_point or (position_only and not target.name))

    def send_path(self, waypoints: list[np.ndarray]) -> None:
        """Send waypoints of the tip, (4, 4) each, m."""
        T_base_world = inverse(self.target_frame())
        self.connection.send_path([T_base_world @ T for T in waypoints], self.arm)

    def go_to(self, configuration: Sequence[float] | Mapping[str, float],
              state: node_state.StateLine | None = None) -> None:
        """Send the robot to joint values, rad or m: all of `space`, or some by name.

        state: there, by default without a goal. Raises IkError with the reason for a refusal.
        """
        values = configuration
        if not isinstance(values, Mapping):
            space = self.space
            names = () if space is None else space.joint_names
            if len(values) != len(names):
                raise InputError(f'there must be {len(names)} joint values, not {len(values)}')
            values = dict(zip(names, map(float, values)))
        with self._leaving:
            self.drop_goals()
            self.connection.send_joints(values, self.arm)
            self.state.leave_goal(state)

    def enable(self, enabled: bool) -> None:
        """Stop the robot, which refuses goals then, or let it go on. Raises SilentError."""
        self.connection.enable(enabled)
        self.state.is_stopped = not enabled
        self.state.leave_goal()

    def go_home(self) -> None:
        """Send the robot to its start pose. Raises SilentError."""
        with self._leaving:
            self.drop_goals()
            self.connection.reset()
            self.state.leave_goal()
