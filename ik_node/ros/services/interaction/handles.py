"""Behaviour of the handles: dragging sends goals, the menu changes settings.

A server has the methods of interactive_markers' InteractiveMarkerServer, which is not imported.
"""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from geometry_msgs.msg import Pose
from visualization_msgs.msg import InteractiveMarkerFeedback

from ik_node.control.group import Group
from ik_node.control.options import NodeOptions
from ik_node.control.robot import Robot
from ik_node.ros.conversions import pose_to_matrix
from ik_node.ros.services.interaction.arm_goal import LastGoal, arm_goals
from ik_node.ros.services.interaction.draggable import Draggable, GoalSink
from ik_node.ros.services.interaction.marker import handle_marker
from ik_node.ros.services.interaction.menu import HOME, POSITION_ONLY, chosen_solver, menu_entries
from ik_node.ros.services.interaction.task_target import task_targets
from ik_node.support.exceptions import InputError

_MOST_SENT = 64  # poses of a drag that are kept until they become goals


class Actions(NamedTuple):
    """Functions of the node for handles."""

    goals: GoalSink
    """Takes the goals of arms and tasks."""
    choose_solver: Callable[[Sequence[str], str], None]
    """Sets the solver by these parameters."""
    go_home: Callable[[], None]
    last_goal: LastGoal


class _Look(NamedTuple):
    """What a handle is shown with, besides its pose."""

    frame: str
    size: float
    weights: tuple[float, ...]
    solvers: tuple[str, ...]
    solver: str
    position_only: bool | None
    """None where there is no choice."""


@dataclass
class _Handle:
    """The handle of one arm or task."""

    item: Draggable
    pose: Pose
    seen: object
    """The last goal that the handle has moved to, or that a drag has set."""
    sent: deque[Pose] = field(default_factory=lambda: deque(maxlen=_MOST_SENT))
    """Poses that were dragged to and have not become goals yet, the oldest first."""
    position_only: bool = False
    placed: bool = False
    """Whether a drag or a goal has placed it; else it is at its rest pose."""
    look: _Look | None = None
    """As it is shown; None before."""


class Handles:
    """One handle for each arm, at its last goal or its tip, and for each task, at its target."""

    def __init__(self, server: Any, actions: Actions) -> None:
        """Begin without handles. server: that of interactive_markers, or an equivalent."""
        self._server, self._actions = server, actions
        self._handles: dict[str, _Handle] = {}
        self._robot: Robot | None = None

    def update(self, robot: Robot, options: NodeOptions) -> None:
        """Create a handle for each arm and task; those that stay valid keep their poses.

        What is shown unchanged is not sent again: it would end a drag.
        """
        actions, before = self._actions, self._handles
        self._robot = robot
        items: list[Draggable] = [
            *arm_goals(robot, options.frame_prefix, actions.goals, actions.last_goal),
            *task_targets(robot, options, actions.goals)]
        self._handles = {
            item.name: _made(robot, item, before.get(item.name)) for item in items}
        for gone in before.keys() - self._handles.keys():
            self._server.erase(gone)
        for name, handle in self._handles.items():
            previous = before.get(name)
            self._show(handle, None if previous is None else previous.pose)
        self._server.applyChanges()

    def clear(self) -> None:
        """Remove all handles."""
        for name in self._handles:
            self._server.erase(name)
        self._handles.clear()
        self._server.applyChanges()

    def follow(self, robot: Robot) -> None:
        """Move handles to goals from other sources, or with the robot."""
        for handle in self._handles.values():
            item, before = handle.item, handle.pose
            goal = item.last_goal()
            if goal is not None and goal != handle.seen:
                handle.seen, pose = goal, item.goal_pose(handle.pose)
                if not _was_sent(handle, pose):
                    handle.sent.clear()
                    handle.placed = item.is_in_reach(robot, pose)
                    if handle.placed:
                        handle.pose = pose
            if not handle.placed:
                handle.pose = item.rest_pose(robot)
            handle.pose = item.tracked(robot, handle.pose)
            self._show(handle, before)
        self._server.applyChanges()

    def go_with_tips(self, group: Group) -> None:
        """Let handles stay at their rest poses from now on: their group has no goal any more."""
        for handle in self._handles.values():
            if handle.item.group is group:
                handle.seen, handle.placed = handle.item.last_goal(), False
                handle.sent.clear()

    def on_feedback(self, feedback: InteractiveMarkerFeedback) -> None:
        """Handle a drag, or a choice in the menu."""
        handle = self._handles.get(feedback.marker_name)
        if handle is None or self._robot is None:
            return
        if feedback.event_type == InteractiveMarkerFeedback.POSE_UPDATE or (
                # Of messages faster than they are handled the last counts, which is this one.
                feedback.event_type == InteractiveMarkerFeedback.MOUSE_UP
                and not handle.item.is_same_pose(feedback.pose, handle.pose)):
            self._drag(handle, feedback)
        if feedback.event_type == InteractiveMarkerFeedback.MOUSE_UP:
            self._end_drag(handle, self._robot)
        elif feedback.event_type == InteractiveMarkerFeedback.MENU_SELECT:
            self._choose(handle, feedback.menu_entry_id)

    def _drag(self, handle: _Handle, feedback: InteractiveMarkerFeedback) -> None:
        """Send the pose of the handle as a goal; during the drag the handle stays there."""
        item, header, pose = handle.item, feedback.header, feedback.pose
        item.send(header, pose, handle.position_only)
        if header.frame_id == item.frame and _is_pose(pose):
            handle.pose, handle.placed = pose, True
            handle.sent.append(pose)
        # The server has stored the pose of the feedback, even in another frame or an invalid one.
        self._server.setPose(item.name, handle.pose)

    def _end_drag(self, handle: _Handle, robot: Robot) -> None:
        """Let a handle that was dragged out of reach go back to the tip, or to its target."""
        if handle.placed and not handle.item.is_in_reach(robot, handle.pose):
            handle.placed, handle.pose = False, handle.item.rest_pose(robot)
            self._server.setPose(handle.item.name, handle.pose)
            self._server.applyChanges()

    def _choose(self, handle: _Handle, entry: int) -> None:
        item = handle.item
        solver = chosen_solver(item.solvers, entry)
        if solver is not None:
            self._actions.choose_solver(item.group.solver_parameters, solver)
        elif entry == POSITION_ONLY and item.may_free_orientation:
            handle.position_only = not handle.position_only
            self._show(handle, handle.pose)
            self._server.applyChanges()
        elif entry == HOME:
            self._actions.go_home()

    def _show(self, handle: _Handle, shown_pose: Pose | None) -> None:
        """Tell the server what has changed. shown_pose: the one that it has."""
        item, look = handle.item, _look(handle)
        if look == handle.look:
            if handle.pose != shown_pose:
                self._server.setPose(item.name, handle.pose)
            return
        handle.look = look
        marker = handle_marker(item.name, item.frame, handle.pose,
                               item.shown_weights(handle.position_only), item.size)
        marker.menu_entries = menu_entries(look.solvers, look.solver, look.position_only)
        self._server.insert(marker, feedback_callback=self.on_feedback)


def _made(robot: Robot, item: Draggable, previous: _Handle | None) -> _Handle:
    """Return the handle of an item. previous: the one of the same name, which it replaces."""
    handle = _Handle(item, item.rest_pose(robot), item.last_goal())
    if previous is None:
        return handle
    handle.position_only = previous.position_only and item.may_free_orientation
    handle.look, handle.sent = previous.look, previous.sent
    if previous.item.place == item.place:
        if previous.placed:
            handle.pose, handle.placed = previous.pose, True
        if type(previous.item) is type(item):  # whose goals are comparable
            handle.seen = previous.seen
    return handle


def _was_sent(handle: _Handle, pose: Pose) -> bool:
    """Return whether a goal is from a drag of the handle; older drags are then forgotten."""
    for count, sent in enumerate(handle.sent):
        if handle.item.is_same_pose(pose, sent):
            for _ in range(count):
                handle.sent.popleft()
            return True
    return False


def _look(handle: _Handle) -> _Look:
    item = handle.item
    return _Look(item.frame, item.size, tuple(item.shown_weights(handle.position_only).tolist()),
                 item.solvers, item.group.solver.name,
                 handle.position_only if item.may_free_orientation else None)


def _is_pose(pose: Pose) -> bool:
    try:
        pose_to_matrix(pose)
    except InputError:
        return False
    return True
