"""Answers to goals: solved, gone to, told."""

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus
from std_msgs.msg import Header

from ik_node.exceptions import InputError
from ik_node.ros import status
from ik_node.ros.branches import Branches
from ik_node.ros.configuration import Configuration
from ik_node.ros.health import Health
from ik_node.ros.last_answers import LastAnswers
from ik_node.ros.markers.goal import ShownGoal
from ik_node.ros.motion import Aim, Motions
from ik_node.ros.outputs import Outputs
from ik_node.ros.robot import Arm, Robot
from ik_node.solvers.goal import Goal
from ik_node.solvers.result import Result


class Waypoint(NamedTuple):
    """One of the goals of a path."""

    goal: Goal
    header: Header
    place: str
    """Which one it is, in words."""


class Answers:
    """Solves for goals, sends the arm there, and publishes joint states and what became of it.

    - `taken_up`: when the goal under way was, s of a monotonic clock.
    """

    def __init__(self, configuration: Configuration, outputs: Outputs, health: Health,
                 motions: Motions, branches: Branches, log: Callable[[str], None]) -> None:
        """Remember nothing yet. log: where a line goes about a goal that is not met."""
        self.taken_up = 0.0
        self._configuration, self._outputs, self._health = configuration, outputs, health
        self._motions, self._branches, self._log = motions, branches, log
        self._last = LastAnswers()
        self._sent: set[str] = set()

    def has_sent(self, arm: Arm) -> bool:
        """Tell whether an arm has been sent anywhere."""
        return arm.name in self._sent

    def answer(self, robot: Robot, arm: Arm, goal: Goal, header: Header, place: str = '') -> bool:
        """Answer for a goal; return whether it is met, or the closest to it is taken.

        header: of its message. place: which one of several it is, in words. Raises IkError where
        there is no motion to it.
        """
        if self._motions.moves(arm):
            result = self._last.result_for(arm, goal)
            if result is not None:  # it is on its way there
                self._tell(robot, arm, goal, result, header, place, self._motions.time_left(arm))
                return True
        q0 = robot.posture(arm)
        result = self._last.answer(arm, goal, q0)
        if result is None:
            result = self._solve(arm, goal, q0)
        taken = self._go(robot, arm, [Aim(goal, result)], header, place)
        self._last.keep(arm, goal, robot.posture(arm), result)
        return taken

    def through(self, robot: Robot, arm: Arm, waypoints: Sequence[Waypoint],
                header: Header) -> None:
        """Move through waypoints to rest at the last; header: of the path.

        Raises InputError, naming the waypoint, where one cannot be met and none may be missed.
        """
        aims: list[Aim] = []
        for waypoint in waypoints:
            q = aims[-1].result.q if aims else robot.posture(arm)
            aim = Aim(waypoint.goal, self._solve(arm, waypoint.goal, q))
            if not (aim.result.success or self._closest):
                raise InputError(f'{waypoint.place}: {aim.result.reason.value}')
            aims.append(aim)
        self._last.forget(arm)
        self._go(robot, arm, aims, header, 'all waypoints')

    @property
    def _closest(self) -> bool:
        return self._configuration.options.on_failure == 'closest'

    def _solve(self, arm: Arm, goal: Goal, q0: np.ndarray) -> Result:
        """Solve from q0 (n,); where that fails and the closest is wanted, find that."""
        result = arm.solver.solve(goal, q0)
        if self._closest and not result.success:
            nearest = arm.solver.closest(goal, q0)
            return nearest if nearest.success else nearest.because(result.reason)
        return result

    def _go(self, robot: Robot, arm: Arm, aims: Sequence[Aim], header: Header, place: str) -> bool:
        """Go to what was found, through all to the last, or stay; return which."""
        goal, result = aims[-1]
        self._branches.keep(arm, goal)
        taken, duration = bool(result.success or self._closest), None
        if taken:
            duration, result = self._motions.go(robot, arm, aims)
            self._sent.add(arm.name)
        self._tell(robot, arm, goal, result, header, place, duration)
        return taken

    def _tell(self, robot: Robot, arm: Arm, goal: Goal, result: Result, header: Header, place: str,
              duration: float | None) -> None:
        """Publish the joint states, then what became of a goal."""
        # What waits for the answer gets it before anything else is done.
        stamp = self._outputs.joint_states(robot)
        answer_time = time.perf_counter() - self.taken_up
        level, text = status.outcome(result, self._closest, duration)
        if place:
            text = f'{place}: {text}'
        if self._outputs.has_listeners('status'):
            self._outputs.status(
                status.solved(arm, result, level, text, header, stamp, duration))
        self._health.count(result, answer_time)
        self._outputs.scene.show_goal(
            robot, arm, ShownGoal(goal, level, result.reason.name),
            f'{status.solver_name(arm, result)}: {text}')
        if level != DiagnosticStatus.OK:
            self._log(f'goal not met: {text} (position error {result.position_error:.3g} m, '
                      f'orientation error {result.orientation_error:.3g} rad, '
                      f'{status.solver_name(arm, result)})')
        if self._configuration.options.publish_solutions:
            self._branches.publish(robot, arm, goal, stamp)
