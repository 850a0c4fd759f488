"""Subscriptions of goals: those of arms and of tasks, of which the newest are solved together."""

import functools
import time
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from geometry_msgs.msg import PointStamped, PoseStamped
from rclpy.lifecycle import LifecycleNode
from rclpy.qos import QoSProfile

from ik_node.control.controller import Controller
from ik_node.control.figure import Figure
from ik_node.control.group import Aim
from ik_node.control.robot import Robot
from ik_node.control.searches import NEWER, CancelledError, turn
from ik_node.ros.execution.execution import Execution
from ik_node.ros.intake.handling import Handling
from ik_node.ros.intake.targets import Targets, takes_point, takes_pose
from ik_node.ros.publishing.status import Arrival
from ik_node.support.exceptions import InputError, names

_Message: TypeAlias = PoseStamped | PointStamped
LATEST = QoSProfile(depth=1)  # reliable, volatile: only the newest waiting goal counts


class _Accepted:
    """A goal that has been converted, but not answered."""

    def __init__(self, aim: Aim, arrival: Arrival) -> None:
        """Keep a goal."""
        self.aim, self.arrival = aim, arrival


class _Pending:
    """The goals of one controller that have not been answered."""

    def __init__(self) -> None:
        """Begin without goals."""
        self.newest: dict[str, _Accepted] = {}  # by task
        self.searched: list[_Accepted] = []     # those that are solved for at present
        self.serving = 0                        # coroutines that have not ended

    def answered(self, goals: Iterable[_Accepted]) -> None:
        """Drop goals that have been answered."""
        for one in goals:
            self.searched.remove(one)
            if self.newest.get(one.aim.task) is one:
                del self.newest[one.aim.task]


class Goals:
    """The goals of a configured node: poses and positions for each arm, and for each task."""

    def __init__(self, node: LifecycleNode, arm_names: Sequence[str], handling: Handling,
                 execution: Execution, targets: Targets) -> None:
        """Subscribe to the goals of every arm."""
        self._node, self._handling = node, handling
        self._execution, self._targets = execution, targets
        self._pending: dict[Controller, _Pending] = {}
        self._subscriptions: dict[tuple[str, type], Any] = {}
        self._arms = frozenset(arm_names)
        for arm in arm_names:
            self._subscribe(arm, PoseStamped)
            self._subscribe(arm, PointStamped)

    def destroy(self) -> None:
        """Destroy the subscriptions."""
        for key in list(self._subscriptions):
            self._node.destroy_subscription(self._subscriptions.pop(key))

    def take_up(self, robot: Robot | None) -> None:
        """Subscribe to the goals of the tasks of a robot, and of no others."""
        wanted: set[tuple[str, type]] = set()
        if robot is not None and robot.figure is not None:
            for name, task in robot.figure.tasks.items():
                if name in robot.figure.tips:
                    continue
                if takes_pose(task):
                    wanted.add((name, PoseStamped))
                elif takes_point(task):
                    wanted.add((name, PointStamped))
        present = {key for key in self._subscriptions if key[0] not in self._arms}
        for gone in present - wanted:
            self._node.destroy_subscription(self._subscriptions.pop(gone))
        for key in wanted - present:
            self._subscribe(*key)

    def _subscribe(self, name: str, kind: type) -> None:
        topic = 'goal_pose' if kind is PoseStamped else 'goal_point'
        self._subscriptions[name, kind] = self._node.create_subscription(
            kind, f'{name}/{topic}' if name else topic, functools.partial(self.take, name), LATEST)

    def take(self, name: str, message: _Message) -> None:
        """Take a goal for the arm or task of this name, with those of other tasks that have come.

        So tasks whose goals are streamed are solved once for all of them, and always for the
        newest.
        """
        robot, admitted = self._handling.robot, set()
        messages = [(name, message)]
        if robot is not None and robot.figure is not None:
            name = robot.task_name(name)
            messages = [(name, message), *self._others(name, robot.figure)]
        for one in messages:
            controller = self._admit(*one)
            if controller is not None:
                admitted.add(controller)
        for controller in admitted:
            assert robot is not None
            pending = self._pending[controller]
            pending.serving += 1
            self._handling.begin(controller, self._serve(robot, controller, pending))

    def _admit(self, name: str, message: _Message) -> Controller | None:
        """Accept a goal, or refuse it; return the controller of one that is accepted."""
        def accept(robot: Robot, controller: Controller) -> None:
            aim = self._targets.aim(robot, controller.group, name, message,
                                    self._handling.options)
            pending = self._pending.setdefault(controller, _Pending())
            older = pending.newest.get(aim.task)
            if older is not None and older not in pending.searched:
                self._handling.refuse(older.arrival, CancelledError(NEWER))
            pending.newest[aim.task] = _Accepted(aim, arrival)
        arrival = Arrival(name, message.header, time.perf_counter())
        return self._handling.admit(arrival, self._controller, accept,
                                    functools.partial(self.take, name, message))

    async def _serve(self, robot: Robot, controller: Controller, pending: _Pending) -> None:
        """Solve for all accepted goals together; where they cannot be met so, one by one.

        Cancelled for newer goals, it leaves those that have not been answered to the next one.
        """
        searched: list[_Accepted] = []
        try:
            await turn()
            searched = pending.searched = list(pending.newest.values())
            self._handling.start(robot, controller)
            if not (len(searched) > 1 and await self._go(
                    robot, controller, pending, tuple(searched))):
                for one in tuple(searched):
                    await self._go(robot, controller, pending, (one,))
        except CancelledError as error:
            left = [one for one in searched if pending.newest.get(one.aim.task) is not one]
            if pending.serving == 1:  # nobody serves the others
                left += pending.newest.values()
                pending.newest.clear()
            for one in left:
                self._handling.refuse(one.arrival, error)
        finally:
            searched.clear()
            pending.serving -= 1
            if not (pending.serving or pending.newest):
                self._pending.pop(controller, None)

    async def _go(self, robot: Robot, controller: Controller, pending: _Pending,
                  goals: Sequence[_Accepted]) -> bool:
        """Solve for goals and answer them; return whether that was done.

        It is not where there are several, and they are not met together.
        """
        arrival = goals[0].arrival
        try:
            outcome = await controller.go(robot, [one.aim for one in goals])
            if len(goals) > 1 and not outcome.accepted:
                return False
            self._handling.publish(robot, controller, outcome, arrival)
        except CancelledError:
            raise
        except Exception as error:  # of several it is reported with the one that has it
            if len(goals) > 1:
                return False
            self._handling.refuse(arrival, error)
        pending.answered(goals)
        return True

    def _others(self, name: str, figure: Figure) -> list[tuple[str, _Message]]:
        """Take the newest messages of the tasks except one of this name, where there are any."""
        found = []
        for (other, kind), subscription in self._subscriptions.items():
            if other != name and other in figure.tasks:
                with subscription.handle:
                    taken = subscription.handle.take_message(kind, False)
                if taken is not None:
                    found.append((other, taken[0]))
        return found

    def _controller(self, robot: Robot, name: str) -> Controller:
        """Return the controller that has an arm or a task. Raises InputError without one."""
        group = robot.group_of(name)
        if group is not None:
            return self._execution.controllers[group.name]
        tasks = () if robot.figure is None else robot.figure.tasks
        if name not in self._arms:
            raise InputError(f'there is no task {name!r} any more; the tasks are {names(tasks)}')
        raise InputError(f'with tasks, goals are those of a task: publish to <task>/goal_pose or '
                         f'<task>/goal_point; the tasks are {names(tasks)}')
