"""The handles of a robot in RViz: dragging sends goals, the menu changes settings."""

import contextlib
import math
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from geometry_msgs.msg import PointStamped, Pose, PoseStamped, Quaternion
from rclpy.lifecycle import LifecycleNode
from rclpy.parameter import Parameter
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import (
    InteractiveMarker,
    InteractiveMarkerControl,
    InteractiveMarkerFeedback,
    Marker,
    MenuEntry,
)

from ik_node.control.group import Group
from ik_node.control.options import SERVO, NodeOptions
from ik_node.control.robot import Robot
from ik_node.ros.conversions import pose_to_matrix
from ik_node.ros.publishing.markers.shapes import cube
from ik_node.ros.services.interaction.handle import Handle, LastGoal, Look, TipHandle
from ik_node.support.exceptions import InputError

HOME, POSITION_ONLY, SOLVER = 1, 2, 3
"""Entries of the menu; solvers to choose from have the numbers after them."""
_FIRST_SOLVER = 4

_COLOR = ColorRGBA(r=0.95, g=0.95, b=0.98, a=0.4)
# Of the group's size.
_SIZE = 0.2
_BALL = 0.09
_HALF = math.sqrt(0.5)
# Each rotates the x axis of a control, along and about which it acts, to one of the handle's axes.
_ALONG = (('x', Quaternion(x=0.0, y=0.0, z=0.0, w=1.0)),
          ('y', Quaternion(x=0.0, y=0.0, z=_HALF, w=_HALF)),
          ('z', Quaternion(x=0.0, y=-_HALF, z=0.0, w=_HALF)))

_NAMESPACE = '~'  # of update, feedback and get_interactive_markers

GoalSink: TypeAlias = Callable[[str, PoseStamped | PointStamped], None]
"""Takes goals, by the names of tasks."""


class Handles:
    """A handle for each task whose target goals can move, such as the tip of an arm.

    They are served where interactive_markers is installed, while the node is active and the
    parameter interactive_marker is true.
    """

    def __init__(self, node: LifecycleNode, goals: GoalSink, last_goal: LastGoal,
                 reset: Callable[[], object]) -> None:
        """Begin without handles.

        last_goal: returns that of a chain. reset: goes to the start pose.
        """
        self._node, self._goals, self._last_goal, self._reset = node, goals, last_goal, reset
        self._server: Any = None
        self._handles: dict[str, Handle] = {}
        self._robot: Robot | None = None

    def update(self, robot: Robot | None, options: NodeOptions, active: bool) -> None:
        """Create handles for the tasks of a robot; those that stay valid keep their poses.

        active: whether the node is. What is shown unchanged is not sent again: it would end a drag.
        Servo refuses goals, so that it has no handles.
        """
        active = active and options.motion != SERVO
        if not options.interactive_marker:
            self.destroy()
            return
        if self._server is None:
            self._server = self._make_server()
        if self._server is not None:
            self._robot = robot if active else None
            self._replace([] if robot is None or not active else [
                Handle(robot, group, name, options) if group.chain is None else
                TipHandle(robot, group, group.chain, name, options, self._last_goal)
                for group in robot.groups.values() for name, task in group.tasks.items()
                if task.is_movable])

    def destroy(self) -> None:
        """Remove the handles and their server."""
        if self._server is not None:
            self._replace([])
            self._server.shutdown()
        self._server = None

    def _make_server(self) -> Any:
        """Return the server of interactive_markers; None where that is not installed."""
        try:
            from interactive_markers import InteractiveMarkerServer
        except ImportError as error:
            self._node.get_logger().info(
                f'no handles in RViz: interactive_markers is not installed ({error})', once=True)
            return None
        return InteractiveMarkerServer(self._node, _NAMESPACE)

    def _replace(self, handles: list[Handle]) -> None:
        before, self._handles = self._handles, {handle.name: handle for handle in handles}
        for gone in before.keys() - self._handles.keys():
            self._server.erase(gone)
        for name, handle in self._handles.items():
            previous = before.get(name)
            if previous is not None:
                handle.replace(previous)
            self._show(handle, None if previous is None else previous.pose)
        self._server.applyChanges()

    def follow(self, robot: Robot) -> None:
        """Move handles to goals from other sources, or with the robot."""
        for handle in self._handles.values():
            before = handle.pose
            handle.follow(robot)
            self._show(handle, before)
        if self._handles:
            self._server.applyChanges()

    def go_with_tips(self, group: Group) -> None:
        """Let the handles of a group rest from now on: it has no goal any more."""
        for handle in self._handles.values():
            if handle.group is group:
                handle.rest()

    def on_feedback(self, feedback: InteractiveMarkerFeedback) -> None:
        """Handle a drag, or a choice in the menu."""
        handle = self._handles.get(feedback.marker_name)
        if handle is None or self._robot is None:
            return
        if feedback.event_type == InteractiveMarkerFeedback.POSE_UPDATE or (
                # Of messages faster than they are handled the last counts, which is this one.
                feedback.event_type == InteractiveMarkerFeedback.MOUSE_UP
                and not handle.is_same_pose(feedback.pose, handle.pose)):
            self._drag(handle, feedback)
        if feedback.event_type == InteractiveMarkerFeedback.MOUSE_UP:
            self._end_drag(handle, self._robot)
        elif feedback.event_type == InteractiveMarkerFeedback.MENU_SELECT:
            self._choose(handle, feedback.menu_entry_id)

    def _drag(self, handle: Handle, feedback: InteractiveMarkerFeedback) -> None:
        """Send the pose of the handle as a goal; during the drag the handle stays there."""
        header, pose = feedback.header, feedback.pose
        self._goals(handle.task, handle.goal(header, pose))
        with contextlib.suppress(InputError):
            pose_to_matrix(pose)  # it is valid
            if header.frame_id == handle.frame:
                handle.pose, handle.placed = pose, True
                handle.sent.append(pose)
        # The server has stored the pose of the feedback, even in another frame or an invalid one.
        self._server.setPose(handle.name, handle.pose)

    def _end_drag(self, handle: Handle, robot: Robot) -> None:
        """Let a handle that was dragged out of reach go back to the tip, or to its target."""
        if handle.placed and not handle.is_in_reach(robot, handle.pose):
            handle.placed, handle.pose = False, handle.rest_pose(robot)
            self._server.setPose(handle.name, handle.pose)
            self._server.applyChanges()

    def _choose(self, handle: Handle, entry: int) -> None:
        solver = chosen_solver(handle.group.solvers, entry)
        if solver is not None:
            # Set like by a client: checked, and refused with a reason.
            self._node.set_parameters_atomically([
                Parameter(name, value=solver) for name in handle.group.solver_parameters])
        elif entry == POSITION_ONLY and handle.may_free_orientation:
            handle.position_only = not handle.position_only
            self._show(handle, handle.pose)
            self._server.applyChanges()
        elif entry == HOME:
            self._reset()

    def _show(self, handle: Handle, shown_pose: Pose | None) -> None:
        """Tell the server what has changed. shown_pose: the one that it has."""
        look = handle.look
        if look == handle.shown:
            if handle.pose != shown_pose:
                self._server.setPose(handle.name, handle.pose)
            return
        handle.shown = look
        self._server.insert(handle_marker(handle.name, handle.pose, look),
                            feedback_callback=self.on_feedback)


def handle_marker(name: str, pose: Pose, look: Look) -> InteractiveMarker:
    """Return a handle at a pose, with arrows and rings for the weighted axes, and a menu.

    The stamp is zero: it stays in its frame.
    """
    weights = look.weights
    handle = InteractiveMarker(name=name, pose=pose, scale=_SIZE * look.size,
                               menu_entries=_menu_entries(look))
    handle.header.frame_id = look.frame
    handle.controls = [_centre(weights, look.size), *(
        _control(f'{verb}_{axis}', mode, orientation)
        for verb, mode, part in (('move', InteractiveMarkerControl.MOVE_AXIS, weights[:3]),
                                 ('rotate', InteractiveMarkerControl.ROTATE_AXIS, weights[3:]))
        for (axis, orientation), weight in zip(_ALONG, part) if weight)]
    return handle


def _centre(weights: Sequence[float], size: float) -> InteractiveMarkerControl:
    """Return a ball to drag in all weighted directions, or only for the menu with fewer than two.

    With two directions it moves in their plane, whose normal is the control's x axis.
    """
    free = [i for i in range(3) if weights[i] == 0.0]
    if not free:
        control = _control('move', InteractiveMarkerControl.MOVE_3D, _ALONG[0][1])
    elif len(free) == 1:
        control = _control('move', InteractiveMarkerControl.MOVE_PLANE, _ALONG[free[0]][1])
    else:
        control = _control('menu', InteractiveMarkerControl.MENU, _ALONG[0][1])
    control.always_visible = True
    control.markers = [Marker(type=Marker.SPHERE, scale=cube(_BALL * size), color=_COLOR)]
    return control


def _control(name: str, mode: int, orientation: Quaternion) -> InteractiveMarkerControl:
    return InteractiveMarkerControl(name=name, interaction_mode=mode, orientation=orientation)


def _menu_entries(look: Look) -> list[MenuEntry]:
    """Return the entries, with ticks at the present solver and at position only if set."""
    return [
        _entry(SOLVER, 'Solver'),
        *(_entry(_FIRST_SOLVER + i, _ticked(name, name == look.solver), SOLVER)
          for i, name in enumerate(look.solvers)),
        *([] if look.position_only is None else [
            _entry(POSITION_ONLY, _ticked('Position only', look.position_only))]),
        _entry(HOME, 'Home')]


def chosen_solver(solvers: Sequence[str], entry: int) -> str | None:
    """Return the solver of an entry; None for other entries."""
    return dict(enumerate(solvers, _FIRST_SOLVER)).get(entry)


def _ticked(title: str, ticked: bool) -> str:
    """Return a title as interactive_markers' own menus tick them; the message has no field."""
    return f'[{"x" if ticked else " "}] {title}'


def _entry(number: int, title: str, parent: int = 0) -> MenuEntry:
    return MenuEntry(id=number, parent_id=parent, title=title, command_type=MenuEntry.FEEDBACK)
