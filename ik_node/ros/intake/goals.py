"""Subscriptions of the goals of arms: transforms them into the arm's base, to be executed."""

import functools
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import PointStamped, PoseArray, PoseStamped
from nav_msgs.msg import Path
from rclpy.lifecycle import LifecycleNode
from rclpy.qos import QoSProfile
from std_msgs.msg import Header

from ik_node.bounds import MAX_POSES
from ik_node.control.arm import Arm
from ik_node.control.controller import Controller, Outcome, Waypoint
from ik_node.control.figure import GOAL
from ik_node.control.options import JUMP
from ik_node.control.robot import Robot
from ik_node.control.searches import CancelledError
from ik_node.control.searches import Goal as Course
from ik_node.exceptions import IkError, InputError, names
from ik_node.ros import conversions
from ik_node.ros.execution.execution import Execution
from ik_node.ros.intake.frames import BASE, Frames
from ik_node.ros.intake.handling import Handling
from ik_node.ros.intake.task_goals import TaskGoals
from ik_node.ros.intake.waiting import NotYetError
from ik_node.solvers.goal import Goal

LATEST = QoSProfile(depth=1)  # reliable, volatile: only the newest waiting goal counts

Execute = Callable[[Robot, Controller], Course[Outcome | None]]


class Goals:
    """The goal subscriptions of a configured node, for each arm."""

    def __init__(self, node: LifecycleNode, arm_names: Sequence[str], handling: Handling,
                 execution: Execution, frames: Frames, task_goals: TaskGoals) -> None:
        """Subscribe to the goals of every arm. task_goals: take those of a figure's tip."""
        self._node, self._handling = node, handling
        self._execution, self._frames = execution, frames
        self._task_goals = task_goals
        self._subscriptions: list[Any] = []
        for arm in arm_names:
            for kind, topic, callback in ((PoseStamped, 'goal_pose', self.take),
                                          (PointStamped, 'goal_point', self.take),
                                          (Path, 'goal_path', self._on_path),
                                          (PoseArray, 'goal_poses', self._on_poses)):
                subscription = node.create_subscription(
                    kind, f'{arm}/{topic}' if arm else topic, functools.partial(callback, arm),
                    LATEST)
                self._subscriptions.append(subscription)
                if kind in (PoseStamped, PointStamped):
                    task_goals.of_arms[arm, kind] = subscription

    def destroy(self) -> None:
        """Destroy the subscriptions."""
        for subscription in self._subscriptions:
            self._node.destroy_subscription(subscription)

    def follow_paths(self) -> None:
        """Go to the next waypoint of every path whose arm is not on its way to another goal."""
        for name, controller in self._execution.controllers.items():
            if controller.waypoints and not self._handling.is_busy(controller):
                waypoint = controller.waypoints.popleft()
                self._handle(name, waypoint.header, functools.partial(_follow, waypoint),
                             waypoint.place, arrives=False)

    def take(self, name: str, message: PoseStamped | PointStamped) -> None:
        """Execute a goal pose, or a goal position, for the arm of this name."""
        tip = self._tip_of_figure(name)
        if tip is not None:
            self._task_goals.take(tip, message)
            return
        convert = self._point_goal if isinstance(message, PointStamped) else self._pose_goal
        self._handle(name, message.header, lambda robot, controller: controller.go(
            robot, convert(robot, controller.arm, message)))

    def _on_path(self, name: str, message: Path) -> None:
        self._handle(name, message.header, lambda robot, controller: self._take_path(
            robot, controller, message), 'all waypoints')

    def _on_poses(self, name: str, message: PoseArray) -> None:
        self._on_path(name, Path(header=message.header, poses=[
            PoseStamped(header=message.header, pose=pose) for pose in message.poses]))

    def _tip_of_figure(self, name: str) -> str | None:
        """Return the task that takes goals of this arm, the tip of a figure; None for others."""
        robot = self._handling.robot
        tips = {} if robot is None or robot.figure is None else robot.figure.tips
        task = name or GOAL
        return task if task in tips else None

    def _handle(self, name: str, header: Header, execute: Execute, place: str = '',
                arrives: bool = True) -> None:
        """Execute a goal and publish its outcome; see `Handling.handle`."""
        self._handling.handle(
            name, header, lambda: self._controller(name), execute, place, arrives)

    def _controller(self, name: str) -> Controller:
        """Return the controller of an arm. Raises InputError where tasks are solved."""
        if name in self._execution.controllers:
            return self._execution.controllers[name]
        robot = self._handling.robot
        tasks = () if robot is None or robot.figure is None else robot.figure.tasks
        if GOAL in tasks:
            raise InputError('paths need a solver of one arm')
        if name:
            raise InputError(f'paths need an arm that shares no joints: {name!r} is solved '
                             f'together with {names(other for other in tasks if other != name)}')
        raise InputError(f'with tasks, goals are those of a task: publish to <task>/goal_pose or '
                         f'<task>/goal_point; the tasks are {names(tasks)}')

    def _pose_goal(self, robot: Robot, arm: Arm, message: PoseStamped) -> Goal:
        T_frame_goal = conversions.pose_to_matrix(message.pose)
        T_base_frame = self._frames.in_link(
            robot, arm.chain.base_link, message.header, self._handling.options)
        if T_base_frame is BASE and arm.weights is None:
            return Goal.from_pose(T_frame_goal)
        return Goal.from_pose(T_base_frame @ T_frame_goal, arm.weights)

    def _point_goal(self, robot: Robot, arm: Arm, message: PointStamped) -> Goal:
        p = np.array([*conversions.point_to_array(message.point), 1.0])
        position = (self._frames.in_link(
            robot, arm.chain.base_link, message.header, self._handling.options) @ p)[:3]
        weights = arm.task_weights
        return Goal(position=position, weights=weights if np.any(weights[:3]) else None)

    def _take_path(self, robot: Robot, controller: Controller,
                   message: Path) -> Course[Outcome | None]:
        """Check the whole path before its first step; a path without poses stops the arm."""
        if len(message.poses) > MAX_POSES:
            raise InputError(f'a path must have at most {MAX_POSES} poses, not '
                             f'{len(message.poses)}')
        waypoints: list[Waypoint] = []
        for i, pose in enumerate(message.poses):
            place = f'waypoint {i + 1} of {len(message.poses)}'
            if not pose.header.frame_id:
                pose.header.frame_id = message.header.frame_id
                if pose.header.stamp == Time():
                    pose.header.stamp = message.header.stamp
            try:
                waypoints.append(Waypoint(self._pose_goal(robot, controller.arm, pose), place,
                                          pose.header))
            except NotYetError as error:
                raise NotYetError(f'{place}: {error}', error.come) from error
            except IkError as error:
                raise InputError(f'{place}: {error}') from error
        return _begin_path(waypoints, robot, controller)


async def _begin_path(waypoints: Sequence[Waypoint], robot: Robot,
                      controller: Controller) -> Outcome | None:
    """Move through waypoints, or begin to go from one to the next where joints jump."""
    if controller.arm.motion == JUMP:
        controller.waypoints = deque(await controller.with_guesses(robot, waypoints))
        return None
    if waypoints:
        return await controller.go_through(robot, waypoints)
    controller.halt(robot)
    return None


async def _follow(waypoint: Waypoint, robot: Robot, controller: Controller) -> Outcome:
    """Go to a waypoint; where it is not met, drop the rest of the path."""
    goes_on = False
    try:
        outcome = await controller.follow(robot, waypoint)
        goes_on = outcome.accepted
    except CancelledError:  # by a newer goal, or with the path
        goes_on = True
        raise
    finally:
        if not goes_on:
            controller.waypoints.clear()
    return outcome
