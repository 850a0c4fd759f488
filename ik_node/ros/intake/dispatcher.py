"""The dispatcher of goals: checks whether they may be executed, and hands them to controllers."""

import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar, cast

from rclpy.clock import Clock
from rclpy.lifecycle import LifecycleNode
from rclpy.task import Future
from std_msgs.msg import Header

from ik_node.control.controller import Controller, Outcome
from ik_node.control.group import Group
from ik_node.control.robot import Robot
from ik_node.control.worker import NEWER, CancelledError, Job, Worker, turn
from ik_node.ros.configuration import Configuration
from ik_node.ros.conversions import time_of
from ik_node.ros.execution.execution import Execution
from ik_node.ros.intake.measured import Measured
from ik_node.ros.intake.waiting import NotYetError, Waiting
from ik_node.ros.publishing.outcomes import Outcomes
from ik_node.ros.publishing.status import Arrival
from ik_node.support.exceptions import InputError

T = TypeVar('T')
_MOST_REQUESTS = 16  # of a service, that wait at a time


@dataclass(eq=False)
class Received:
    """A message that has been checked and converted."""

    arrival: Arrival
    controller: Controller
    content: Any


class Dispatcher:
    """Checks goals of arms and tasks, and has them executed.

    - `active`: whether the node is active; otherwise goals are ignored, which is logged once.
    - `enabled`: whether goals are solved; otherwise they are refused.
    - `newest`: the last goal of each group that was not refused.
    - `worker`: executes goals, those of a group by the key ('goals', its name), and converts long
      paths by the key ('paths', its name).
    """

    def __init__(self, node: LifecycleNode, configuration: Configuration, execution: Execution,
                 outcomes: Outcomes, measured: Measured, worker: Worker, steady: Clock) -> None:
        self.active, self.enabled, self._ignored = False, True, False
        self._configuration = configuration
        self._node, self._execution = node, execution
        self._outcomes, self.measured, self.worker = outcomes, measured, worker
        self.waiting = Waiting(node, steady)
        self.newest: dict[str, Arrival] = {}

    def activate(self, active: bool) -> None:
        """Begin to handle goals, or stop."""
        if not active:
            self.worker.cancel_all('the node has been deactivated')
            self.stop('the node has been deactivated')
        self.active, self._ignored = active, False

    def stop(self, reason: str) -> None:
        """End the current paths, and refuse the goals under way."""
        self.worker.cancel(reason, *((kind, name) for name in self._execution.controllers
                                     for kind in ('paths', 'goals')))
        for controller in self._execution.controllers.values():
            controller.waypoints.clear()  # motions continue
        self.waiting.stop(reason)

    def receive(self, name: str, message: Any, convert: Callable[[Robot, Group, str, Any], Any],
                again: Callable[[str, Any], None], place: str = '') -> Received | None:
        """Check a message, and convert it; None where it is refused, ignored or waits for a frame.

        name: of its arm or task. convert: returns its content. again: called with name and message
        when the frame may have come. place: which goal of several it is, for messages.
        """
        if not self.active:
            if not self._ignored:
                self._ignored = True
                self._node.get_logger().warning(
                    'goals are ignored: the node is inactive; activate it first')
            return None
        arrival = Arrival(name, message.header, time.perf_counter(), place)
        robot = self._configuration.robot
        try:
            if robot is None:
                raise InputError('there is no robot yet: no description has been received')
            if not self.enabled:
                raise InputError('the node is disabled: call ~/enable')
            group = robot.tasks[name][0] if name in robot.tasks else robot.groups.get(name)
            if group is None:
                raise InputError(f'there is no arm or task {name!r} any more')
            controller = self._execution.controllers[group.name]
            if self._configuration.options.max_goal_age > 0.0:
                self._check_age(message.header)
            if self.measured.topic:
                self.measured.check_freshness(group)
                if not self.is_busy(controller):
                    self.update_from_measured(controller)
            received = Received(arrival, controller, convert(robot, group, name, message))
        except NotYetError as error:
            self.wait(arrival, error, partial(again, name, message))
            return None
        except Exception as error:
            self.refuse(arrival, error)
            return None
        self.newest[group.name] = arrival
        if self.waiting.goals:
            self.waiting.refuse_older(name)
        return received

    def replace(self, received: Received, goal: Job[Outcome | None]) -> None:
        """Execute a goal in place of all that are under way, however new they are."""
        self.worker.cancel(NEWER, ('goals', received.controller.group.name))
        self.execute(received.controller, received.arrival, goal, True)

    def execute(self, controller: Controller, arrival: Arrival, goal: Job[Outcome | None],
                is_new: bool) -> None:
        """Execute a goal, and publish its outcome; is_new: not a step of the current path."""
        async def execution() -> None:
            try:
                await turn()
                if is_new:
                    self.update_from_measured(controller)
                outcome = await goal
                if outcome is not None:
                    self._outcomes.publish(controller.robot, controller.group, outcome, arrival)
            except (Exception, CancelledError) as error:
                self.refuse(arrival, error)
            finally:
                goal.close()
        self.worker.begin(('goals', controller.group.name), execution())

    def is_busy(self, controller: Controller) -> bool:
        """Return whether a goal of a controller is being executed."""
        return self.worker.is_busy(('goals', controller.group.name))

    def update_from_measured(self, controller: Controller) -> None:
        """Set a group at rest to its measured joint values, where there are any."""
        if self.measured.topic and controller.motion is None:
            self.measured.update(controller.robot, controller.group)
            controller.begin_at_present()

    def refuse(self, arrival: Arrival, error: BaseException | str) -> None:
        """Refuse a goal because of an error, or of a defect, which must not stop the node."""
        self._outcomes.refuse(self._configuration.robot, arrival, error)

    def follow_measured(self) -> None:
        """Set joints at rest that no goal has moved yet to their measured values."""
        for controller in self._execution.controllers.values():
            if not (controller.has_moved or self.is_busy(controller)):
                self.update_from_measured(controller)

    def active_robot(self) -> Robot:
        """Return the robot. Raises InputError where the node is not active, or has none yet."""
        if not self.active:
            raise InputError('the node is not active')
        if self._configuration.robot is None:
            raise InputError('there is no robot yet')
        return self._configuration.robot

    async def in_turn(self, service: Hashable, answer: Job[T],
                      most: float = _MOST_REQUESTS) -> T:
        """Return what answers a request, after the requests of the same service before it.

        For callbacks of a reentrant callback group. Raises what the answer raises, CancelledError
        where the worker cancels it, and InputError where too many requests wait.
        """
        if self.worker.count(service) >= most:
            answer.close()
            raise InputError(f'{most} requests wait already')
        future: Future[Any] = Future(executor=self._node.executor)
        self.worker.begin(service, _settle(future, answer), queued=True)
        await future
        return cast(T, future.result())

    def wait(self, arrival: Arrival, error: NotYetError, again: Callable[[], object]) -> None:
        """Execute a goal as soon as it can be handled; refuse it after the timeout."""
        timeout = self._configuration.options.tf_timeout
        if not self.waiting.wait(arrival.name, error.come, again, partial(self.refuse, arrival),
                                 timeout):
            waited = f'; waited {timeout:g} s for it' if timeout > 0.0 else ''
            self.refuse(arrival, f'{error}{waited}')

    def _check_age(self, header: Header) -> None:
        """Raise InputError for a stamp that is no time, or older than max_goal_age; 0 is no age."""
        most, stamp = self._configuration.options.max_goal_age, 1e-9 * time_of(header).nanoseconds
        if stamp > 0.0:
            age = 1e-9 * self._node.get_clock().now().nanoseconds - stamp
            if age > most:
                raise InputError(f'the goal is {age:.3f} s old, more than max_goal_age allows, '
                                 f'{most:g} s')


async def _settle(future: Any, answer: Job[T]) -> None:
    try:
        await turn()
        future.set_result(await answer)
    except (Exception, CancelledError) as error:  # raised in the callback of the service
        future.set_exception(error)
    finally:
        answer.close()
