"""The handles of a robot in RViz: dragging sends goals, the menu changes settings."""

import contextlib
from collections.abc import Callable
from typing import Any, TypeAlias

from geometry_msgs.msg import PointStamped, Pose, PoseStamped
from rclpy.lifecycle import LifecycleNode
from rclpy.parameter import Parameter
from visualization_msgs.msg import InteractiveMarkerFeedback

from ik_node.control.group import Group
from ik_node.control.options import NodeOptions
from ik_node.control.robot import Robot
from ik_node.ros.conversions import pose_to_matrix
from ik_node.ros.services.interaction.handle import Handle, LastGoal, TipHandle
from ik_node.ros.services.interaction.marker import (
    HOME,
    POSITION_ONLY,
    chosen_solver,
    handle_marker,
)
from ik_node.support.exceptions import InputError

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
        """
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
        """Show handles in place of the present ones."""
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
