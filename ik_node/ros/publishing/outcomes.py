"""Publishes the outcome of each goal: status, markers and branches."""

import time

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticStatus

from ik_node.control.controller import Controller, Outcome
from ik_node.control.worker import NEWER
from ik_node.ros.configuration import Configuration
from ik_node.ros.log import ThrottledLog, reason_of
from ik_node.ros.publishing import status
from ik_node.ros.publishing.branches import Branches
from ik_node.ros.publishing.health import Health
from ik_node.ros.publishing.outputs import Outputs
from ik_node.ros.publishing.status import Arrival
from ik_node.solvers.result import error_words


class Outcomes:
    """Publishes, counts and logs the outcomes of goals.

    - `outputs`: the publishers, of which joint states come first: clients wait for them.
    """

    def __init__(self, configuration: Configuration, outputs: Outputs, branches: Branches,
                 health: Health, log: ThrottledLog) -> None:
        self._configuration, self.outputs, self._branches = configuration, outputs, branches
        self._health, self._log = health, log

    def publish(self, controller: Controller, outcome: Outcome, arrival: Arrival,
                stamp: Time) -> None:
        """Publish the outcome of goals that were not refused; stamp: of the joint states."""
        robot, group = controller.robot, controller.group
        self._health.count(outcome.result, time.perf_counter() - arrival.received)
        level, text = status.outcome(outcome)
        is_heard = self.outputs.has_listeners('status')
        if outcome.result is None:
            if is_heard:
                self.outputs.status(level, text, {'arm': arrival.name, **status.set_joints(
                    outcome, arrival.header, stamp)})
            self.outputs.scene.forget_goals([group])
            return
        text = f'{arrival.place}: {text}' if arrival.place else text
        for goal in outcome.goals if is_heard else ():
            self.outputs.status(level, text, status.solved(group, outcome, goal, stamp))
        solver = status.solver_name(group, outcome.result)
        self.outputs.scene.show(robot, group, outcome, level, f'{solver}: {text}')
        if group.reported:
            self._health.results[group] = outcome.result
        if group.chain is not None and self._configuration.options.publish_solutions:
            self._branches.publish_later(robot, group, outcome.goals[0].target, stamp)
        if level != DiagnosticStatus.OK:
            errors = group.errors(outcome.result, outcome.goals[0].task)
            missed = '' if errors is None or group.reported else (  # the text names such tasks
                f'misses by {error_words(errors)}, ')
            self._log.warn(f'goal not met: {text} ({missed}{solver})')

    def end(self, controller: Controller, reason: str) -> None:
        """Publish why a motion is not followed to its end by its robot; '' where it was."""
        name = controller.group.name
        self._health.warn(f'output of {name}', reason)
        if reason:
            stamp = self.outputs.joint_states(controller.robot)
            self.outputs.status(DiagnosticStatus.ERROR, reason, {
                'arm': name, 'reason': status.ABORTED, 'joint_stamp': status.seconds(stamp)})
            self._log.warn(f'the arm stops: {reason}')

    def refuse(self, arrival: Arrival, error: BaseException | str) -> None:
        """Publish that a goal was refused, also because of a defect, which must not stop the node.

        Of one that a newer has replaced there is a status only: in streams there are many.
        """
        robot = self._configuration.robot
        reason = error if isinstance(error, str) else reason_of(error, self._log.warn)
        replaced = reason == NEWER
        self._health.refuse()
        stamp = Time() if robot is None or replaced else self.outputs.joint_states(robot)
        if not replaced or self.outputs.has_listeners('status'):
            self.outputs.status(DiagnosticStatus.ERROR, reason,
                                 status.refused(robot, arrival, stamp))
        if not replaced:
            self._log.warn(f'goal refused: {reason}')
            self.outputs.scene.show_refusal(arrival.name, reason)
