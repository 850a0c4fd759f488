"""Publishes the outcome of each goal: joint states first, then status, markers and branches."""

import time
from typing import NamedTuple, TypeAlias

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticStatus
from std_msgs.msg import Header

from ik_node.control.arm import Arm
from ik_node.control.controller import Outcome
from ik_node.control.figure import Figure
from ik_node.control.figure_controller import FigureOutcome
from ik_node.control.group import Group
from ik_node.control.mover import JointOutcome
from ik_node.control.options import NodeOptions
from ik_node.control.robot import Robot
from ik_node.ros.publishing import status
from ik_node.ros.publishing.branches import Branches
from ik_node.ros.publishing.health import Health
from ik_node.ros.publishing.log import ThrottledLog, internal_error
from ik_node.ros.publishing.markers.goal import ShownGoal
from ik_node.ros.publishing.outputs import Outputs

AnyOutcome: TypeAlias = Outcome | FigureOutcome | JointOutcome


class Arrival(NamedTuple):
    """A goal as it has arrived."""

    name: str
    """Of its arm or task."""
    header: Header
    """Of its message."""
    received: float
    """When, s of `time.perf_counter`."""
    place: str = ''
    """Which one of several it is, in words."""


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

    def publish(self, robot: Robot, group: Group, outcome: AnyOutcome, arrival: Arrival) -> None:
        """Publish the outcome of a goal of an arm or a figure that was not refused."""
        header, received = arrival.header, arrival.received
        # The joint states come first: clients wait for them.
        stamp = self._outputs.joint_states(robot)
        if isinstance(outcome, JointOutcome):
            self._health.count(None, time.perf_counter() - received)
            self._publish_joints(group, outcome, header, stamp)
            return
        self._health.count(outcome.result, time.perf_counter() - received)
        level, text = self._in_words(outcome, arrival.place)
        if isinstance(group, Figure) and isinstance(outcome, FigureOutcome):
            self._publish_tasks(group, outcome, stamp, level, text)
        elif isinstance(group, Arm) and isinstance(outcome, Outcome):
            self._publish_goal(robot, group, outcome, header, stamp, level, text)
            if self._options.publish_solutions:
                self._branches.publish_later(robot, group, outcome.goal, stamp)

    def _publish_joints(self, group: Group, outcome: JointOutcome, header: Header,
                        stamp: Time) -> None:
        if self._outputs.has_listeners('status'):
            self._outputs.status(status.set_joints(outcome, header, stamp))
        self._outputs.scene.forget_goals([group])

    def _in_words(self, outcome: Outcome | FigureOutcome, place: str) -> tuple[bytes, str]:
        """Return the level and the text of an outcome."""
        level, text = status.outcome(outcome.result, self._options.on_failure == 'closest',
                                     outcome.duration)
        return level, f'{place}: {text}' if place else text

    def _publish_tasks(self, figure: Figure, outcome: FigureOutcome, stamp: Time, level: bytes,
                       text: str) -> None:
        result = outcome.result
        if result.diagnosis:
            text = f'{text}; {result.diagnosis}'
        self._health.take_tasks(figure, outcome)
        if self._outputs.has_listeners('status'):
            for aim in outcome.aims:
                self._outputs.status(
                    status.task_solved(figure, outcome, aim, level, text, stamp))
        self._outputs.scene.show_tasks(outcome, level, f'{figure.solver_name}: {text}')
        if level != DiagnosticStatus.OK:
            self._log.warn(f'tasks not met: {text} ({figure.solver_name})')

    def _publish_goal(self, robot: Robot, arm: Arm, outcome: Outcome, header: Header, stamp: Time,
                      level: bytes, text: str) -> None:
        goal, result, _, duration = outcome
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

    def fail(self, robot: Robot | None, name: str, header: Header, error: Exception) -> None:
        """Refuse a goal because of a defect; the log has its traceback."""
        self.refuse(robot, name, header, internal_error(error, self._log.warn))

    def refuse(self, robot: Robot | None, name: str, header: Header, reason: str) -> None:
        """Publish that a goal for the arm or task of this name was refused.

        robot: None without one.
        """
        self._log.warn(f'goal refused: {reason}')
        self._health.refuse()
        stamp = Time() if robot is None else self._outputs.joint_states(robot)
        figure = None if robot is None else robot.figure
        is_task = figure is not None and name in figure.tasks and name not in figure.source.arms
        self._outputs.status(status.refused(name, is_task, reason, header, stamp))
        self._outputs.scene.show_refusal(name, reason)
