"""Behaviour of the handles: dragging sends goals, the menu changes settings.

A server has the methods of interactive_markers' InteractiveMarkerServer, which is not imported.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from geometry_msgs.msg import PointStamped, Pose, PoseStamped
from visualization_msgs.msg import InteractiveMarkerFeedback

from ik_node.control.arm import Arm, same_chain
from ik_node.control.robot import Robot
from ik_node.exceptions import InputError
from ik_node.ros.conversions import matrix_to_pose, pose_to_matrix
from ik_node.ros.publishing.markers.arm_markers import shown_size
from ik_node.ros.services.interaction.marker import handle_marker
from ik_node.ros.services.interaction.menu import HOME, POSITION_ONLY, chosen_solver, menu_entries
from ik_node.solvers.goal import Goal

ONLY_ARM = 'tip'  # the name of the handle of an arm without a name


class Actions(NamedTuple):
    """Functions of the node for handles; the first argument of all but go_home names the arm."""

    take_pose: Callable[[str, PoseStamped], None]
    take_point: Callable[[str, PointStamped], None]
    choose_solver: Callable[[str, str], None]
    go_home: Callable[[], None]
    last_goal: Callable[[Arm], Goal | None]


@dataclass
class _Handle:
    """The handle of one arm."""

    arm: Arm
    frame: str
    pose: Pose
    seen: Goal | None
    """The last goal that the handle has moved to or created."""
    position_only: bool = False
    at_tip: bool = True
    """Whether it follows the tip: until it is dragged, or there is a goal."""


class Handles:
    """One handle for each arm, at its last goal or its tip."""

    def __init__(self, server: Any, actions: Actions) -> None:
        """Begin without handles. server: that of interactive_markers, or an equivalent."""
        self._server, self._actions = server, actions
        self._handles: dict[str, _Handle] = {}

    def take_up(self, robot: Robot, frame_prefix: str) -> None:
        """Create a handle for each arm, at the tip, or at its previous pose for the same arm."""
        before, self._handles = self._handles, {}
        for gone in before.keys() - {_handle_name(name) for name in robot.arms}:
            self._server.erase(gone)
        for name, arm in robot.arms.items():
            handle = _Handle(arm, frame_prefix + arm.chain.base_link,
                             _tip_pose(robot, arm), self._actions.last_goal(arm))
            previous = before.get(_handle_name(name))
            if previous is not None:
                handle.position_only = previous.position_only
                if same_chain(previous.arm.chain, arm.chain):
                    handle.pose, handle.seen = previous.pose, previous.seen
                    handle.at_tip = previous.at_tip
            self._handles[_handle_name(name)] = handle
            self._show(handle)
        self._server.applyChanges()

    def clear(self) -> None:
        """Remove all handles."""
        for name in self._handles:
            self._server.erase(name)
        self._handles.clear()
        self._server.applyChanges()

    def follow(self, robot: Robot) -> None:
        """Move handles to goals from other sources, or with the tip."""
        for name, handle in self._handles.items():
            goal, pose = self._actions.last_goal(handle.arm), handle.pose
            if goal is not None and goal is not handle.seen:
                handle.seen, handle.at_tip = goal, False
                pose = matrix_to_pose(goal.pose)
                if goal.orientation is None:
                    pose.orientation = handle.pose.orientation
            elif handle.at_tip:
                pose = _tip_pose(robot, handle.arm)
            if pose != handle.pose:
                handle.pose = pose
                self._server.setPose(name, pose)
        self._server.applyChanges()

    def go_with_tips(self) -> None:
        """Follow the tips from now on: there is no goal any more."""
        for handle in self._handles.values():
            handle.seen, handle.at_tip = self._actions.last_goal(handle.arm), True

    def on_feedback(self, feedback: InteractiveMarkerFeedback) -> None:
        """Handle a drag, or a choice in the menu."""
        handle = self._handles.get(feedback.marker_name)
        if handle is None:
            return
        if feedback.event_type == InteractiveMarkerFeedback.POSE_UPDATE or (
                # Of messages faster than they are handled the last counts, which is this one.
                feedback.event_type == InteractiveMarkerFeedback.MOUSE_UP
                and not _is_same(feedback.pose, handle.pose)):
            self._drag(handle, feedback)
        elif feedback.event_type == InteractiveMarkerFeedback.MENU_SELECT:
            self._choose(handle, feedback.menu_entry_id)

    def _drag(self, handle: _Handle, feedback: InteractiveMarkerFeedback) -> None:
        """Send the pose of the handle as a goal; the handle stays there in any case."""
        name, header, pose = handle.arm.name, feedback.header, feedback.pose
        if handle.position_only:
            self._actions.take_point(name, PointStamped(header=header, point=pose.position))
        else:
            self._actions.take_pose(name, PoseStamped(header=header, pose=pose))
        if header.frame_id == handle.frame and _is_pose(pose):
            handle.pose, handle.seen = pose, self._actions.last_goal(handle.arm)
            handle.at_tip = False
        # The server has stored the pose of the feedback, even in another frame or an invalid one.
        self._server.setPose(feedback.marker_name, handle.pose)

    def _choose(self, handle: _Handle, entry: int) -> None:
        solver = chosen_solver(entry)
        if solver is not None:
            self._actions.choose_solver(handle.arm.name, solver)
        elif entry == POSITION_ONLY:
            handle.position_only = not handle.position_only
            self._show(handle)
            self._server.applyChanges()
        elif entry == HOME:
            self._actions.go_home()

    def _show(self, handle: _Handle) -> None:
        arm = handle.arm
        weights = arm.task_weights
        if handle.position_only:
            linear = weights[:3] if weights[:3].any() else np.ones(3)
            weights = np.concatenate([linear, np.zeros(3)])
        marker = handle_marker(_handle_name(arm.name), handle.frame, handle.pose, weights,
                               shown_size(arm))
        marker.menu_entries = menu_entries(arm.solver.name, handle.position_only)
        self._server.insert(marker, feedback_callback=self.on_feedback)


def _handle_name(arm: str) -> str:
    return arm or ONLY_ARM


def _tip_pose(robot: Robot, arm: Arm) -> Pose:
    return matrix_to_pose(arm.chain.forward(robot.joint_configuration(arm)))


def _is_same(pose: Pose, other: Pose) -> bool:
    """Return whether two poses differ by no more than RViz's single precision."""
    a, b = ((p.x, p.y, p.z, o.x, o.y, o.z, o.w) for p, o in (
        (each.position, each.orientation) for each in (pose, other)))
    return bool(np.allclose(a, b, rtol=1e-6, atol=1e-6))


def _is_pose(pose: Pose) -> bool:
    try:
        pose_to_matrix(pose)
    except InputError:
        return False
    return True
