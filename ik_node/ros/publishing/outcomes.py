"""Publishes the outcome of each goal: joint states first, then status, markers and branches."""

import time

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticStatus
from std_msgs.msg import Header

from ik_node._jit import unlimited
from ik_node.control.arm import Arm
from ik_node.control.compilation import explanation
from ik_node.control.controller import Outcome
from ik_node.control.options import NodeOptions
from ik_node.control.robot import Robot
from ik_node.ros.publishing import status
from ik_node.ros.publishing.branches import Branches
from ik_node.ros.publishing.health import Health
from ik_node.ros.publishing.log import ThrottledLog
from ik_node.ros.publishing.markers.goal import ShownGoal
from ik_node.ros.publishing.outputs import Outputs
from ik_node.solvers.result import StopReason


class Outcomes:
    """Publishes, counts and logs the outcomes of goals."""

    def __init__(self, options: NodeOptions, outputs: Outputs, branches: Branches, health: Health,
                 log: ThrottledLog) -> None:
        """Begin with the present options of the node."""
        self._options, self._outputs, self._branches = options, outputs, branches
        self._health, self._log = health, log

    def take_up(self, options: NodeOptions) -> None:
        """Use changed options."""
        self._options = options

    def publish(self, robot: Robot, arm: Arm, outcome: Outcome, header: Header, place: str,
                received: float) -> None:
        """Publish the outcome of a goal that was solved, met or not.

        header: of its message. place: which one of several it is, in words. received: when, s of
        `time.perf_counter`.
        """
        with unlimited():  # short, and needed even after a timeout
            # The joint states come first: clients wait for them.
            stamp = self._outputs.joint_states(robot)
            self._health.count(outcome.result, time.perf_counter() - received)
            self._publish_status(robot, arm, outcome, header, place, stamp)
            if self._options.publish_solutions:
                self._branches.publish(robot, arm, outcome.goal, stamp)

    def _publish_status(self, robot: Robot, arm: Arm, outcome: Outcome, header: Header,
                        place: str, stamp: Time) -> None:
        goal, result, _, duration = outcome
        level, text = status.outcome(result, self._options.on_failure == 'closest', duration)
        if result.reason is StopReason.TIMEOUT and (why := explanation(robot)):
            text = text.replace(result.reason.value, f'{result.reason.value}: {why}', 1)
        if place:
            text = f'{place}: {text}'
        if self._outputs.has_listeners('status'):
            self._outputs.status(
                status.solved(arm, result, level, text, header, stamp, duration))
        self._outputs.scene.show_goal(
            robot, arm, ShownGoal(goal, level, result.reason.name),
            f'{status.solver_name(arm, result)}: {text}')
        if level != DiagnosticStatus.OK:
            self._log.warn(f'goal not met: {text} (position error {result.position_error:.3g} m, '
                           f'orientation error {result.orientation_error:.3g} rad, '
                           f'{status.solver_name(arm, result)})')

    def refuse(self, robot: Robot | None, name: str, header: Header, reason: str) -> None:
        """Publish that a goal for the arm of this name was refused; robot: None without one."""
        self._log.warn(f'goal refused: {reason}')
        self._health.refuse()
        stamp = Time() if robot is None else self._outputs.joint_states(robot)
        self._outputs.status(status.refused(name, reason, header, stamp))
        self._outputs.scene.show_refusal(name, reason)
