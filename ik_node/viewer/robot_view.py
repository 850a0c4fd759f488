"""View of one ik_node: its robot, its markers and its goals."""

import contextlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import viser

from ik_node.control.options import model_path
from ik_node.kinematics.reach import extent
from ik_node.model.chain import Chain
from ik_node.model.joint_space import JointSpace
from ik_node.model.mesh_parts import whole_of
from ik_node.model.mesh_reader import MeshReader
from ik_node.model.meshes import Meshes, Places
from ik_node.model.readers import read_urdf_text
from ik_node.spatial import inverse, pose_from_rpy
from ik_node.support.exceptions import IkError, InputError
from ik_node.viewer.drawn_robot import DrawnRobot
from ik_node.viewer.marker_scene import MarkerScene
from ik_node.viewer.node_link import NodeLink
from ik_node.viewer.node_parameters import ARM_GOAL, Freedom, Target, task_names, task_targets
from ik_node.viewer.node_state import AMBER, GoalGap, StateLine
from ik_node.viewer.page_text import length_text
from ik_node.viewer.scene_nodes import add_line
from ik_node.workspace.task_rank import task_rank

_GAP = 1e-3        # of the reach: a shorter way from tip to goal is not drawn
_COVERED = 0.03    # of the reach, between a handle and a goal whose marker it covers
_GAP_COLOR = 208, 52, 44
_TRIANGLES = 20000  # of the mesh of a marker
# Colours of the robots in a comparison, red, green and blue, 0 to 1.
COLORS = ((0.25, 0.47, 0.75), (0.80, 0.35, 0.28), (0.30, 0.62, 0.40), (0.58, 0.40, 0.70),
          (0.80, 0.60, 0.25), (0.25, 0.60, 0.62))


class RobotView(DrawnRobot, NodeLink):
    """The view of a node: its robot, its markers, its goals.

    - `name`: its name on the page. `is_only_played`: whether a player moves the robot, without a
      node.
    - `text`: of the robot that is drawn, as URDF; '' for none.
    - `frame`: of the whole view in the scene. `markers`: those of the node. `is_fine`: whether
      meshes are drawn with all of their triangles. `places`: where meshes may be.
    """

    def __init__(self, server: viser.ViserServer, name: str, changed: Callable[[], None], *,
                 namespace: str = '', target: str = 'ik_node', arm: str = '',
                 color: tuple[float, float, float] | None = None,
                 domain_id: int | None = None, places: Places | None = None) -> None:
        """Connect to a node.

        changed: called, in any thread, when there is something to draw. places: where meshes may
        be, by default in packages of ROS.
        """
        DrawnRobot.__init__(self, server, f'/{name}/robot', color)
        self.name, self.text = name, ''
        self.is_only_played = self.is_fine = False
        self.frame = server.scene.add_frame(f'/{name}', show_axes=False)
        self.places = Places() if places is None else places
        self._reader = MeshReader()
        self.markers = MarkerScene(
            server, f'/{name}/markers', lambda mesh: self._meshes.simplified(
                whole_of(self._meshes.load(mesh)), _TRIANGLES))
        self._gap_line = add_line(server, f'/{name}/gap/line', np.zeros((2, 3)), _GAP_COLOR, 3.0,
                                  thickness_units='screen', visible=False)
        self._gap_label = server.scene.add_label(f'/{name}/gap/text', '', anchor='center-left',
                                                 visible=False)
        self._chain: Chain | None = None
        self._able = np.ones(6, bool)  # the axes of goals that the arm can serve
        self._chain_error = ''
        self._selection: tuple[Any, ...] = ()  # the robot that is drawn, and its chain
        NodeLink.__init__(self, changed, namespace, target, arm, domain_id)

    def close(self) -> None:
        """Leave the graph."""
        self.connection.close()
        self._reader.close()

    def check_node(self) -> bool:
        """Update the state of the node; return whether it responds again after a silence."""
        back = super().check_node()
        if self.state.responds is False:
            self._new_markers.clear()
            self.markers.clear()
        return back

    @property
    def tasks(self) -> tuple[str, ...]:
        """The names of its tasks."""
        return task_names(self.parameters)

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
    def follows_paths(self) -> bool:
        """Whether it takes paths of the tip."""
        return self.chain is not None and not self.parameters.has_body_solver

    @property
    def targets(self) -> tuple[Target, ...]:
        """What can be dragged: the targets of its tasks, or the goal of the arm."""
        if self.tasks:
            return task_targets(self.parameters)
        if self.chain is None or self.is_only_played:
            return ()
        x, y, z, *turns = self.served_axes.tolist()
        return (ARM_GOAL._replace(served=Freedom((x, y, z), any(turns))),)

    @property
    def served_axes(self) -> np.ndarray:
        """Which axes (6,) of a goal of the arm it serves: those of the goal itself."""
        chain = self.chain
        with contextlib.suppress(IkError):  # the node itself reports a wrong parameter
            if chain is not None:
                return self._able & (self.parameters.task_weights(chain) > 0.0)
        return np.ones(6, bool)

    @property
    def problems(self) -> list[str]:
        """Messages about what cannot be shown."""
        needs_chain = not (self.tasks or self.is_only_played)
        is_lacking = self.state.lifecycle == 'unconfigured'  # else the node has read the file
        return [line for line in (self._error, self.parameters.error * is_lacking,
                                  *self.mesh_errors,
                                  self._chain_error if needs_chain else '') if line]

    @property
    def is_changing(self) -> bool:
        """Whether the next picture is of another robot, which may take long."""
        wanted = self._wanted
        return bool(wanted[0]) and wanted[:2] != self._selection[:2]

    def paint(self) -> bool:
        """Draw what has arrived; return whether the robot, or its chain, has changed."""
        parameters, wanted = self.parameters, self._wanted
        with self._lock:
            values, self._new_values = self._new_values, None
        other = bool(wanted[0]) and wanted != self._selection
        if other:
            same, self._selection = wanted[:2] == self._selection[:2], wanted
            self._change_robot(wanted[0], same and self.tree is not None)
        self.refine(self.is_fine)
        self.move(values, self.T_world_root if parameters.moves_root else np.eye(4), True)
        if self.glides:
            self._changed()
        if self.tree is not None:
            self._show_markers()
        self._show_gap()
        self.connection.offer_goals(self.tasks)  # the node has to know before they are sent
        return other

    def _show_gap(self) -> None:
        """Draw a line from the tip to a goal that is missed, with its length."""
        gap, report = self.gap, self.state.report
        shown = bool(gap and report and report.level
                     and gap.errors.position >= _GAP * self.reach)
        self._gap_line.visible = self._gap_label.visible = shown
        if gap is not None and shown:  # viser sends what has changed
            self._gap_line.points = np.array([[gap.tip, gap.goal]])
            self._gap_label.position = 0.5 * (gap.tip + gap.goal)
            self._gap_label.text = length_text(gap.errors.position)

    @property
    def _wanted(self) -> tuple[Any, ...]:
        """The robot that the parameters describe, '' while it is not known, and its chain."""
        parameters = self.parameters
        text = '' if parameters.switching else parameters.description or self._topic_text
        return (text, model_path(parameters), parameters.get('arms'), parameters.tool,
                *parameters.links)

    def _show_markers(self) -> None:
        self.markers.refresh()
        prefix = self.parameters.get('frame_prefix') or ''
        frames = {prefix + link: T for link, T in self.poses().items()}
        if self.parameters.moves_root:
            frames[self.parameters.get('world_frame') or 'world'] = np.eye(4)
        for _ in range(len(self._new_markers)):  # what arrives meanwhile is for the next picture
            self.markers.show(self._new_markers.popleft(), frames)
        self.markers.follow(frames)

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
            (base, tip), tool = self.parameters.links, self.parameters.tool
            chain = self.tree.chain(base or None, tip or None,  # type: ignore[union-attr]
                                    pose_from_rpy(tool[:3], tool[3:]))
            self._able = task_rank(chain).weights > 0.0
            self._chain = chain
        except IkError as error:
            self._chain_error = str(error)
        self.text = text

    @property
    def plane_normal(self) -> np.ndarray | None:
        """The normal (3,) of the plane that the tip cannot leave, towards +z; None for none."""
        chain, axes = self.chain, self._able[:3]
        if chain is None or axes.sum() != 2:
            return None
        normal = self.tip_pose(chain)[:3, :3] @ ~axes
        return normal * np.copysign(1.0, normal.sum())

    @property
    def goal_turns(self) -> bool:
        """Whether the last goal of the arm has an orientation: its marker has axes then."""
        return self.markers.pose((self.goal_markers(), 1)) is not None

    @property
    def gap(self) -> GoalGap | None:
        """How far the arm as it is drawn is from its last goal."""
        chain, T_goal = self.chain, self.markers.pose((self.goal_markers(), 0))
        if chain is None or T_goal is None:
            return None
        try:
            weights = self.parameters.task_weights(chain).copy()
        except IkError:  # the node itself reports a wrong parameter
            return None
        if not self.goal_turns:
            weights[3:] = 0.0
        return GoalGap.between(self.tip_pose(chain), T_goal, weights)

    @property
    def status(self) -> StateLine:
        """The state of the node, or of its last goal, with the error of the arm as drawn."""
        if self.is_changing:
            return StateLine(AMBER, 'drawing the robot …')
        if self.parameters.outdated and self.state.responds and self.state.report is None:
            return StateLine(AMBER, 'reading its parameters …')  # another process may have others
        gap = self.gap
        return self.state.line(None if gap is None else gap.errors)

    @property
    def reach(self) -> float:
        """The reach of the tip, m; without one the size of the robot, 1 where it is unbounded."""
        chain = self.chain
        far = (self.size or 1.0) if chain is None else extent(chain.arrays).reach
        return min(max(far, 0.05), 100.0) if np.isfinite(far) else 1.0

    @property
    def is_placed(self) -> bool:
        """Whether the node's robot is drawn: its joints have values, and a moving root a pose.

        Without a node: whether a player moves the robot.
        """
        if self.is_only_played:
            return bool(self.values)
        space = self.space
        return (self._wanted == self._selection and space is not None
                and (self._has_root_pose or not self.parameters.moves_root)
                and all(name in self.values for name in space.joint_names))

    def tip_pose(self, chain: Chain) -> np.ndarray:
        """Return the pose (4, 4), m, of the tip as drawn, or of the tool on it."""
        return self.pose(chain.tip_link) @ chain.tool

    def target_pose(self, target: Target) -> np.ndarray | None:
        """Return the pose (4, 4), m, of a target, for an arm's goal the tip's; None for none."""
        if target.name:  # where the node draws its marker
            return self.markers.pose((self.goal_markers(target.name), 0))
        chain = self.chain
        return None if chain is None else self.tip_pose(chain)

    def cover_goals(self, handles: Mapping[str, np.ndarray | None]) -> None:
        """Draw no markers of goals where handles are.

        handles: their poses (4, 4), m, by task; None for one that the user has dragged.
        """
        goals = {self.goal_markers(task): T for task, T in handles.items()}
        self.markers.covered = frozenset(
            goal for goal, T in goals.items() if (T_goal := self.markers.pose((goal, 0))) is None
            or T is None or np.linalg.norm(T_goal[:3, 3] - T[:3, 3]) < _COVERED * self.reach)
        self.markers.refresh()

    def target_frame(self, target: Target = ARM_GOAL) -> np.ndarray:
        """Return the pose (4, 4), m, of the frame in which the node takes goals for a target."""
        return self.pose(self._frame_link(target))

    def target_frame_at(self, target: Target, values: Mapping[str, float],
                        T_world_root: np.ndarray) -> np.ndarray:
        """Return the same at values of some joints, rad or m, and a pose of the root (4, 4), m."""
        tree, link = self.tree, self._frame_link(target)
        if tree is None or link not in tree.links:
            return np.eye(4)
        return T_world_root @ self._forward(tree, {**self.values, **values})[link]

    def _frame_link(self, target: Target) -> str:
        return target.reference if target.name else self.parameters.links[0]

    def send_goal(self, target: Target, T_frame_goal: np.ndarray,
                  position_only: bool) -> None:
        """Send a goal (4, 4), m, in the target's frame, see `target_frame`."""
        if target in self.targets and not self.parameters.switching:
            self.state.on_goal()
            self.connection.send_goal(T_frame_goal, target.name or self.arm,
                                      target.is_point or (position_only and not target.name))

    def send_path(self, waypoints: list[np.ndarray]) -> None:
        """Send waypoints of the tip, (4, 4) each, m. Raises InputError where it is stopped."""
        self.state.check_goals()
        T_base_world = inverse(self.target_frame())
        self.connection.send_path([T_base_world @ T for T in waypoints], self.arm)
