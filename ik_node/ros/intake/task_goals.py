"""Subscriptions of the goals of tasks: transforms them into the world, to be executed."""

import functools
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from geometry_msgs.msg import PointStamped, PoseStamped
from rclpy.lifecycle import LifecycleNode
from rclpy.qos import QoSProfile
from std_msgs.msg import Header

from ik_node.control.figure_controller import Aim, FigureController, FigureOutcome
from ik_node.control.robot import Robot
from ik_node.control.searches import CancelledError
from ik_node.exceptions import InputError, names
from ik_node.ros import conversions
from ik_node.ros.execution.execution import Execution
from ik_node.ros.intake.frames import Frames
from ik_node.ros.intake.handling import Handling
from ik_node.tasks import (
    CenterOfMass,
    LookAt,
    Orientation,
    Pose,
    Position,
    RelativePose,
    Task,
)

_Message: TypeAlias = PoseStamped | PointStamped
_LATEST = QoSProfile(depth=1)  # reliable, volatile: only the newest waiting goal counts
_POSES = (Pose, Orientation, RelativePose)
_POINTS = (Position, LookAt, CenterOfMass)


def takes_pose(task: Task) -> bool:
    """Return whether the target of a task is a pose, or an orientation."""
    return isinstance(task, _POSES)


def takes_point(task: Task) -> bool:
    """Return whether the target of a task is a point."""
    return isinstance(task, _POINTS) and (
        not isinstance(task, CenterOfMass) or task.target is not None)


class TaskGoals:
    """The goal subscriptions of the tasks of a figure, which change with them.

    - `of_arms`: those of arms, which are tasks where arms are solved together.
    """

    def __init__(self, node: LifecycleNode, handling: Handling, execution: Execution,
                 frames: Frames) -> None:
        """Begin without subscriptions."""
        self._node, self._handling = node, handling
        self._execution, self._frames = execution, frames
        self._subscriptions: dict[tuple[str, type], Any] = {}
        self.of_arms: dict[tuple[str, type], Any] = {}

    def destroy(self) -> None:
        """Destroy the subscriptions."""
        for key in list(self._subscriptions):
            self._node.destroy_subscription(self._subscriptions.pop(key))

    def take_up(self, robot: Robot | None) -> None:
        """Subscribe to the goals of the tasks of a robot, and of no others."""
        figure = None if robot is None else robot.figure
        tasks = {} if figure is None else {
            name: task for name, task in figure.tasks.items() if name in figure.source.task_options}
        wanted: dict[tuple[str, type], tuple[str, Callable[[str, Any], None]]] = {}
        for name, task in tasks.items():
            if takes_pose(task):
                wanted[name, PoseStamped] = f'{name}/goal_pose', self.take_pose
            elif takes_point(task):
                wanted[name, PointStamped] = f'{name}/goal_point', self.take_point
        for gone in self._subscriptions.keys() - wanted.keys():
            self._node.destroy_subscription(self._subscriptions.pop(gone))
        for (name, kind), (topic, callback) in wanted.items():
            if (name, kind) not in self._subscriptions:
                self._subscriptions[name, kind] = self._node.create_subscription(
                    kind, topic, functools.partial(callback, name), _LATEST)

    def take_pose(self, name: str, message: PoseStamped) -> None:
        """Execute a goal pose for the task of this name, with those of other tasks that wait."""
        self._handle(name, message)

    def take_point(self, name: str, message: PointStamped) -> None:
        """Execute a goal position for the task of this name, with those of others that wait."""
        self._handle(name, message)

    def _handle(self, name: str, message: _Message) -> None:
        """Execute a goal together with those of other tasks that have arrived as well.

        So tasks whose goals are streamed are solved once for all of them, and always for the
        newest. Goals that are invalid, or cannot be met together, are handled one by one.
        """
        alone: list[tuple[str, _Message]] = []
        together: list[str] = []

        async def execute(robot: Robot, controller: FigureController) -> FigureOutcome:
            aims = [self._aim(robot, controller, name, message)]
            alone.extend(self._waiting(name))
            invalid: list[tuple[str, _Message]] = []
            # An error, or a defect, is reported where the goals are handled one by one.
            for other in alone:
                try:
                    self._handling.check_age(other[1].header)
                    aims.append(self._aim(robot, controller, *other))
                except Exception:
                    invalid.append(other)
            if len(aims) > 1:
                try:
                    outcome = await controller.go(robot, aims)
                except CancelledError:
                    raise
                except Exception:
                    outcome = None
                if outcome is not None and outcome.accepted:
                    together.extend(aim.task for aim in aims[1:])
                    alone[:] = invalid
                    return outcome
            return await controller.go(robot, aims[:1])

        self._handling.handle(name, message.header, self._controller, execute)
        for task in together:
            self._handling.overtaken(task)
        for other in alone:
            self._handling.handle(
                other[0], other[1].header, self._controller,
                functools.partial(self._go_alone, *other))

    async def _go_alone(self, name: str, message: _Message, robot: Robot,
                        controller: FigureController) -> FigureOutcome:
        return await controller.go(robot, [self._aim(robot, controller, name, message)])

    def _waiting(self, name: str) -> list[tuple[str, _Message]]:
        """Take the newest goals of the tasks other than one of this name, where there are any."""
        figure, found = self._controller().figure, []
        for (other, kind), subscription in (*self._subscriptions.items(), *self.of_arms.items()):
            if other != name and other in figure.tasks:
                with subscription.handle:
                    taken = subscription.handle.take_message(kind, False)
                if taken is not None:
                    found.append((other, taken[0]))
        return found

    def _aim(self, robot: Robot, controller: FigureController, name: str, message: _Message) -> Aim:
        """Return a message as a goal of a task. Raises InputError."""
        figure = controller.figure
        task = figure.tasks.get(name)
        if task is None:
            raise InputError(f'there is no task {name!r} any more; the tasks are '
                             f'{names(figure.tasks)}')
        T_world_frame = self._T_world_frame(robot, name, task, message.header)
        weights = None
        if isinstance(message, PointStamped):
            T = np.eye(4) if task.target is None or isinstance(
                task, _POINTS) else task.target.copy()
            T[:3, 3] = T_world_frame[:3, :3] @ conversions.point_to_array(
                message.point) + T_world_frame[:3, 3]
        else:
            T = T_world_frame @ conversions.pose_to_matrix(message.pose)
        if name in figure.tips:
            weights = figure.tips[name].weights.copy()
            if isinstance(message, PointStamped) and weights[:3].any():
                weights[3:] = 0.0
        return Aim(name, _as_target(task, T), weights, message.header)

    def _controller(self) -> FigureController:
        if self._execution.figure is None:
            raise InputError('there are no tasks any more')
        return self._execution.figure

    def _T_world_frame(self, robot: Robot, name: str, task: Task, header: Header) -> np.ndarray:
        """Return the pose (4, 4), m, of a message's frame in the frame of the task's target.

        That is the world, and the reference of a RelativePose. An empty frame is that frame itself,
        and the base link for the goal of a tip.
        """
        options = self._handling.options
        if isinstance(task, RelativePose):
            return self._frames.in_link(robot, task.reference, header, options)
        root = robot.tree.root
        if header.frame_id.strip('/'):
            return robot.T_world_root @ self._frames.in_link(robot, root, header, options)
        tip = None if robot.figure is None else robot.figure.tips.get(name)
        base = '' if tip is None else tip.base_link
        return robot.T_world_root @ robot.in_link(root, base) if base else np.eye(4)


def _as_target(task: Task, T: np.ndarray) -> np.ndarray:
    """Return a pose (4, 4) as a task's target."""
    if isinstance(task, Orientation):
        return T[:3, :3]
    if isinstance(task, CenterOfMass) and task.target is not None:
        return np.where(np.isnan(task.target), np.nan, T[:3, 3])  # free axes stay free
    return T[:3, 3] if isinstance(task, _POINTS) else T
