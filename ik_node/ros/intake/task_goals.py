"""Subscriptions of the goals of tasks: transforms them into the world, to be executed."""

import functools
import time
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from geometry_msgs.msg import PointStamped, PoseStamped
from rclpy.lifecycle import LifecycleNode
from rclpy.qos import QoSProfile
from std_msgs.msg import Header

from ik_node.control.figure_controller import Aim, FigureController
from ik_node.control.robot import Robot
from ik_node.control.searches import NEWER, CancelledError, turn
from ik_node.exceptions import InputError, names
from ik_node.ros import conversions
from ik_node.ros.execution.execution import Execution
from ik_node.ros.intake.frames import Frames
from ik_node.ros.intake.handling import Handling
from ik_node.ros.publishing.outcomes import Arrival
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


class _Accepted:
    """A goal that has been converted, but not answered."""

    def __init__(self, aim: Aim, received: float) -> None:
        """Keep a goal. received: when, s of `time.perf_counter`."""
        self.aim, self.received = aim, received


class TaskGoals:
    """The goal subscriptions of the tasks of a figure, which change with them.

    - `of_arms`: those of arms, which are tasks where arms are solved together.
    """

    def __init__(self, node: LifecycleNode, handling: Handling, execution: Execution,
                 frames: Frames) -> None:
        """Begin without subscriptions."""
        self._node, self._handling = node, handling
        self._execution, self._frames = execution, frames
        self._pending: dict[str, _Accepted] = {}  # by task
        self._searched: list[_Accepted] = []      # those that are solved for at present
        self._serving = 0                         # coroutines that have not ended
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
        wanted: dict[tuple[str, type], str] = {}
        for name, task in tasks.items():
            if takes_pose(task):
                wanted[name, PoseStamped] = f'{name}/goal_pose'
            elif takes_point(task):
                wanted[name, PointStamped] = f'{name}/goal_point'
        for gone in self._subscriptions.keys() - wanted.keys():
            self._node.destroy_subscription(self._subscriptions.pop(gone))
        for (name, kind), topic in wanted.items():
            if (name, kind) not in self._subscriptions:
                self._subscriptions[name, kind] = self._node.create_subscription(
                    kind, topic, functools.partial(self.take, name), _LATEST)

    def take(self, name: str, message: _Message) -> None:
        """Take a goal for the task of this name, and those of others that have arrived as well.

        So tasks whose goals are streamed are solved once for all of them, and always for the
        newest.
        """
        admitted = [self._admit(*one) for one in ((name, message), *self._others(name))]
        if any(admitted):
            robot, controller = self._handling.robot, self._execution.figure
            assert robot is not None
            assert controller is not None
            self._serving += 1
            self._handling.begin(controller, self._serve(robot, controller))

    def _admit(self, name: str, message: _Message) -> bool:
        """Accept a goal, or refuse it; return whether it is accepted."""
        def accept(robot: Robot, controller: FigureController) -> None:
            aim = self._aim(robot, controller, name, message)
            older = self._pending.get(name)
            if older is not None and older not in self._searched:
                self._handling.refuse(name, older.aim.header, CancelledError(NEWER))
            self._pending[name] = _Accepted(aim, received)
        received = time.perf_counter()
        return self._handling.admit(name, message.header, self._controller, accept,
                                    functools.partial(self.take, name, message))

    async def _serve(self, robot: Robot, controller: FigureController) -> None:
        """Solve for all accepted goals together; where they cannot be met so, one by one.

        Cancelled for newer goals, it leaves those that have not been answered to the next one.
        """
        try:
            await turn()
            self._searched = list(self._pending.values())
            self._execution.follow(robot)
            if not (len(self._searched) > 1
                    and await self._go(robot, controller, tuple(self._searched))):
                for one in tuple(self._searched):
                    await self._go(robot, controller, (one,))
        except CancelledError as error:
            if self._serving == 1:
                self._searched.extend(one for one in self._pending.values()
                                      if one not in self._searched)
                self._pending.clear()
            for one in self._searched:
                if self._pending.get(one.aim.task) is not one:
                    self._handling.refuse(one.aim.task, one.aim.header, error)
        finally:
            self._searched = []
            self._serving -= 1

    async def _go(self, robot: Robot, controller: FigureController,
                  goals: Sequence['_Accepted']) -> bool:
        """Solve for goals and answer them; return whether that was done.

        It is not where there are several, and they are not met together.
        """
        first = goals[0]
        try:
            outcome = await controller.go(robot, [one.aim for one in goals])
            if len(goals) > 1 and not outcome.accepted:
                return False
            self._handling.publish(robot, controller, outcome, Arrival(
                first.aim.task, first.aim.header, first.received))
        except CancelledError:
            raise
        except Exception as error:  # of several it is reported with the one that has it
            if len(goals) > 1:
                return False
            self._handling.refuse(first.aim.task, first.aim.header, error)
        for one in goals:
            self._searched.remove(one)
            if self._pending.get(one.aim.task) is one:
                del self._pending[one.aim.task]
        return True

    def _others(self, name: str) -> list[tuple[str, _Message]]:
        """Take the newest messages of the tasks except one of this name, where there are any."""
        if self._execution.figure is None:
            return []
        figure, found = self._execution.figure.figure, []
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
