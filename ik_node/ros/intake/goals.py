"""Subscriptions of goals: those of arms and of tasks, of which the newest are solved together."""

from dataclasses import dataclass, field
from functools import partial
from operator import attrgetter
from typing import Any, TypeAlias

from geometry_msgs.msg import PointStamped, PoseStamped
from rclpy.lifecycle import LifecycleNode

from ik_node.control.controller import Controller
from ik_node.control.worker import NEWER, CancelledError, turn
from ik_node.ros.configuration import Configuration
from ik_node.ros.intake.dispatcher import Dispatcher, Received
from ik_node.ros.intake.frames import Frames
from ik_node.ros.publishing.outcomes import Outcomes
from ik_node.ros.topics import LATEST, goal_topic
from ik_node.tasks.base import POINT

_Message: TypeAlias = PoseStamped | PointStamped
_content = attrgetter('content')


@dataclass
class _Pending:
    """The goals of one controller that have not been answered; their content is a `TaskGoal`."""

    newest: dict[str, Received] = field(default_factory=dict)  # by task
    searched: list[Received] = field(default_factory=list)     # that are solved for at present
    serving: int = 0                                           # coroutines that solve for them


class Goals:
    """The goals of a configured node: poses and positions for each arm, and for each task."""

    def __init__(self, node: LifecycleNode, configuration: Configuration, dispatcher: Dispatcher,
                 outcomes: Outcomes, frames: Frames) -> None:
        self._node, self._configuration, self._dispatcher = node, configuration, dispatcher
        self._outcomes, self._convert = outcomes, frames.to_goal
        self._pending: dict[Controller, _Pending] = {}
        self._subscriptions: dict[tuple[str, type], Any] = {}
        self._streams: dict[tuple[str, type], Any] = {}  # those that have had goals
        self._arms = {(name, kind) for name in configuration.arm_names
                      for kind in (PoseStamped, PointStamped)}
        self.update()

    def update(self) -> None:
        """Subscribe to the goals of arms and of the tasks of the robot, and to no others."""
        wanted, robot = set(self._arms), self._configuration.robot
        for group in [] if robot is None else robot.groups.values():
            for name, task in group.tasks.items():
                if name not in group.tips and task.is_movable:
                    wanted.add((name, PointStamped if task.target_kind == POINT else PoseStamped))
        self._streams.clear()
        for gone in self._subscriptions.keys() - wanted:
            self._node.destroy_subscription(self._subscriptions.pop(gone))
        for name, kind in wanted - self._subscriptions.keys():
            self._subscriptions[name, kind] = self._node.create_subscription(
                kind, goal_topic(kind, name), partial(self.take, name), LATEST)

    def take(self, name: str, message: _Message) -> None:
        """Take a goal for the arm or task of this name, with those of other tasks that have come.

        So streams of several tasks are solved once for all, and always for the newest goals.
        """
        robot, group, newest = self._configuration.robot, None, None
        if robot is not None and name in robot.tasks:
            group, name = robot.tasks[name]
        messages = [(name, message)]
        if group is not None and len(group.tasks) > 1:
            own = name, type(message)
            if own in self._subscriptions:
                self._streams[own] = self._subscriptions[own]
            for (other, kind), subscription in self._streams.items():
                if other != name and other in group.tasks:
                    with subscription.handle:
                        taken = subscription.handle.take_message(kind, False)
                    if taken is not None:
                        messages.append((other, taken[0]))
        for name, message in messages:
            received = self._dispatcher.receive(name, message, self._convert, self.take)
            if received is None:
                continue
            pending = self._pending.setdefault(received.controller, _Pending())
            older = pending.newest.get(name)
            if older is not None and older not in pending.searched:
                self._dispatcher.refuse(older.arrival, CancelledError(NEWER))
            pending.newest[name] = newest = received
        if newest is not None:
            pending.serving += 1
            self._dispatcher.worker.begin(('goals', newest.controller.group.name), self._serve(
                newest.controller, pending))

    async def _serve(self, controller: Controller, pending: _Pending) -> None:
        """Solve for all accepted goals together; where they cannot be met so, one by one.

        Cancelled for newer goals, it leaves those that have not been answered to the next one.
        """
        searched: list[Received] = []
        try:
            await turn()
            searched = pending.searched = list(pending.newest.values())
            if self._dispatcher.measured.topic:
                self._dispatcher.update_from_measured(controller)
            batches = [searched.copy()]
            for goals in batches:
                is_alone = len(goals) == 1
                try:
                    outcome = await controller.go(list(map(_content, goals)))
                    is_answer = is_alone or outcome.accepted
                    if is_answer:
                        self._outcomes.publish(controller.robot, controller.group, outcome,
                                               goals[0].arrival)
                except Exception as error:  # of several it is reported with the one that has it
                    is_answer = is_alone
                    if is_alone:
                        self._dispatcher.refuse(goals[0].arrival, error)
                if not is_answer:
                    batches += [[goal] for goal in goals]
                    continue
                for goal in goals:
                    searched.remove(goal)
                    if pending.newest.get(goal.content.task) is goal:
                        del pending.newest[goal.content.task]
        except CancelledError as error:
            left = [goal for goal in searched
                    if pending.newest.get(goal.content.task) is not goal]
            if pending.serving == 1:  # nobody serves the others
                left += pending.newest.values()
                pending.newest.clear()
            for goal in left:
                self._dispatcher.refuse(goal.arrival, error)
        finally:
            searched.clear()
            pending.serving -= 1
            if not (pending.serving or pending.newest):
                self._pending.pop(controller, None)
