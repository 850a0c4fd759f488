"""Handling of goals: checks whether they may be executed, and reports what fails."""

import functools
import time
from collections.abc import Callable
from typing import TypeAlias

from rclpy.clock import Clock
from rclpy.lifecycle import LifecycleNode
from std_msgs.msg import Header

from ik_node.control.controller import Controller, Outcome
from ik_node.control.options import NodeOptions
from ik_node.control.robot import Robot
from ik_node.control.searches import NEWER, Goal, Worker, turn
from ik_node.ros.conversions import time_of
from ik_node.ros.execution.execution import Execution
from ik_node.ros.intake.measured import Measured
from ik_node.ros.intake.waiting import NotYetError, Waiting
from ik_node.ros.publishing.outcomes import Outcomes
from ik_node.ros.publishing.status import Arrival
from ik_node.support.exceptions import IkError, InputError

Find: TypeAlias = Callable[[Robot, str], Controller]
"""Returns the controller of an arm or a task, by its name; raises InputError without one."""


class Handling:
    """Executes goals of arms and tasks.

    Attributes:
    - `active`: whether the node is active; otherwise goals are ignored, which is logged once.
    - `enabled`: whether goals are solved; otherwise they are refused.
    - `robot`, `options`: the present ones.
    """

    def __init__(self, node: LifecycleNode, options: NodeOptions, execution: Execution,
                 outcomes: Outcomes, measured: Measured, worker: Worker, steady: Clock) -> None:
        """Begin inactive, without a robot. worker: carries out goals."""
        self.active, self.enabled, self._ignored = False, True, False
        self.robot: Robot | None = None
        self.options = options
        self._node, self._execution = node, execution
        self._outcomes, self._measured, self._worker = outcomes, measured, worker
        self._late = Waiting(node, steady)

    def destroy(self) -> None:
        """Drop waiting goals."""
        self._late.destroy()

    def activate(self, active: bool) -> None:
        """Begin to handle goals, or stop."""
        if not active:
            self._worker.cancel_all('the node has been deactivated')
            self.stop('the node has been deactivated')
        self.active, self._ignored = active, False

    def take_up(self, robot: Robot | None, options: NodeOptions) -> None:
        """Use a robot and options. Goals that wait for a frame are dropped with their tree."""
        if robot is None or self.robot is None or robot.tree is not self.robot.tree:
            self._late.stop()
        self.robot, self.options = robot, options

    def stop(self, reason: str) -> None:
        """End the current paths and all goals; those that are being carried out are refused."""
        self._worker.cancel(reason, *map(self._key, self._execution.controllers.values()))
        self._execution.drop_paths()
        self._late.stop()

    def handle(self, name: str, header: Header, find: Find,
               execute: Callable[[Robot, Controller], Goal[Outcome | None]], place: str = '',
               arrives: bool = True) -> None:
        """Execute a goal and publish its outcome; errors are logged and reported in the status.

        name: of its arm or task. find: returns the controller. execute: returns what carries the
        goal out; without an outcome there is nothing to publish. place: which goal of several it
        is, in words. arrives: whether it is a new message, not a step of the current path.
        """
        def accept(robot: Robot, controller: Controller) -> None:
            goal = execute(robot, controller)
            if arrives:  # it replaces all that are under way, however new they are
                self._worker.cancel(NEWER, self._key(controller))
            self.begin(controller, self._carry_out(robot, controller, arrival, goal))
        arrival = Arrival(name, header, time.perf_counter(), place, not arrives)
        self.admit(arrival, find, accept, functools.partial(
            self.handle, name, header, find, execute, place), arrives)

    def admit(self, arrival: Arrival, find: Find, accept: Callable[[Robot, Controller], None],
              again: Callable[[], object], arrives: bool = True) -> Controller | None:
        """Accept a goal where it may be executed, else refuse it; return its controller.

        None where it is not accepted. accept: converts it and begins it. again: called later where
        a frame may still come. The other arguments: see `handle`.
        """
        robot = self.robot
        if not self.active:
            self._ignore()
            return None
        try:
            if robot is None:
                raise InputError('there is no robot yet: no description has been received')
            if not self.enabled:
                raise InputError('the node is disabled: call ~/enable')
            controller = find(robot, arrival.name)
            if arrives:
                self._check_arrival(robot, controller, arrival.header)
            self._execution.follow(robot)
            accept(robot, controller)
        except NotYetError as error:
            self._put_off(arrival, error, again)
            return None
        except Exception as error:
            self.refuse(arrival, error)
            return None
        if arrives:
            self.overtaken(arrival.name)
        return controller

    def begin(self, controller: Controller, goal: Goal[None]) -> None:
        """Carry out a goal; an older one of the same controller is cancelled."""
        self._worker.begin(self._key(controller), goal)

    def is_busy(self, controller: Controller) -> bool:
        """Return whether a goal of a controller is being carried out."""
        return self._worker.is_busy(self._key(controller))

    @staticmethod
    def _key(controller: Controller) -> tuple[str, str]:
        return 'goals', controller.group.name

    def start(self, robot: Robot, controller: Controller) -> None:
        """Set the joint values that a goal starts from: those of motions, or measured ones."""
        self._execution.follow(robot)
        if self._measured.topic and controller.motion is None:
            self._begin_from_measured(robot, controller)

    def publish(self, robot: Robot, controller: Controller, outcome: Outcome,
                arrival: Arrival) -> None:
        """Publish the outcome of a goal."""
        self._outcomes.publish(robot, controller.group, outcome, arrival)

    def refuse(self, arrival: Arrival, error: Exception) -> None:
        """Refuse a goal because of an error, or of a defect, which must not stop the node."""
        if isinstance(error, IkError):
            self._outcomes.refuse(self.robot, arrival, str(error))
        else:
            self._outcomes.fail(self.robot, arrival, error)

    async def _carry_out(self, robot: Robot, controller: Controller, arrival: Arrival,
                         goal: Goal[Outcome | None]) -> None:
        """Execute a goal in its turn, and publish its outcome."""
        try:
            await turn()
            if not arrival.is_step:
                self.start(robot, controller)
            outcome = await goal
            if outcome is not None:
                self.publish(robot, controller, outcome, arrival)
        except Exception as error:
            self.refuse(arrival, error)
        finally:
            goal.close()

    def overtaken(self, name: str) -> None:
        """Drop goals of an arm or a task that wait for a frame: a newer one has been handled."""
        self._late.overtaken(name)

    def adopt_measured(self) -> None:
        """Set joints at rest that no goal has moved yet to their measured values."""
        if self.robot is not None and self._measured.topic:
            for controller in self._execution.controllers.values():
                if not (controller.has_moved or controller.motion is not None
                        or self.is_busy(controller)):
                    self._begin_from_measured(self.robot, controller)

    def _ignore(self) -> None:
        """Log once that goals arrive while the node is inactive."""
        if not self._ignored:
            self._ignored = True
            self._node.get_logger().warning(
                'goals are ignored: the node is inactive; activate it first')

    def _check_arrival(self, robot: Robot, controller: Controller, header: Header) -> None:
        """Check the age of a goal, and begin from the measured joint values, if there are any."""
        self._check_age(header)
        if self._measured.topic:
            self._measured.look_after(controller.group)
            if controller.motion is None and not self.is_busy(controller):
                self._begin_from_measured(robot, controller)

    def _begin_from_measured(self, robot: Robot, controller: Controller) -> None:
        self._measured.take_up(robot, controller.group)
        controller.begin_at_present(robot)

    def _put_off(self, arrival: Arrival, error: NotYetError, again: Callable[[], object]) -> None:
        """Execute a goal as soon as its frame is known; refuse it after the timeout."""
        timeout = self.options.tf_timeout
        if not self._late.wait(arrival.name, error.come, again, timeout):
            waited = f'; waited {timeout:g} s for it' if timeout > 0.0 else ''
            self._outcomes.refuse(self.robot, arrival, f'{error}{waited}')

    def _check_age(self, header: Header) -> None:
        """Raise InputError for a goal older than max_goal_age, and for a stamp that is not a time.

        Without a stamp a goal has no age.
        """
        most = self.options.max_goal_age
        if most == 0.0:
            return
        stamp = 1e-9 * time_of(header).nanoseconds
        if stamp > 0.0:
            age = 1e-9 * self._node.get_clock().now().nanoseconds - stamp
            if age > most:
                raise InputError(f'the goal is {age:.3f} s old, more than max_goal_age allows, '
                                 f'{most:g} s')
