"""The status of a goal as a diagnostic message."""

from collections.abc import Mapping
from typing import NamedTuple

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from std_msgs.msg import Header

from ik_node.bounds import MAX_NAME
from ik_node.control.arm import Arm
from ik_node.control.figure import Figure
from ik_node.control.figure_controller import Aim, FigureOutcome
from ik_node.control.mover import JointOutcome
from ik_node.solvers.body.result import BodyResult, error_words
from ik_node.solvers.result import Result, StopReason

REFUSED = 'REFUSED'  # in place of a StopReason

# The keys of a goal's status, always all of them, in this order.
KEYS = ('arm', 'task', 'solver', 'reason', 'position_error', 'orientation_error', 'iterations',
        'restarts', 'solve_time', 'goal_frame', 'goal_stamp', 'joint_stamp', 'motion_duration',
        'accepted', 'smallest_singular_value')


class GoalStatus(NamedTuple):
    """What the status of a goal says."""

    level: bytes
    message: str
    values: Mapping[str, str]
    """By those of `KEYS` that have one."""


def outcome(result: Result | BodyResult, closest: bool,
            duration: float | None = None) -> tuple[bytes, str]:
    """Return the level and the text of the status of a goal that was solved.

    closest: whether the closest configuration is published where the goal is not met. duration: of
    the motion there, s; None where joints jump.
    """
    text = result.reason.value
    if result.reason is StopReason.CONVERGED:
        level = DiagnosticStatus.OK
    elif closest:
        level, text = DiagnosticStatus.WARN, f'{text}; the closest is published'
    else:
        level, text = DiagnosticStatus.ERROR, f'{text}; holding'
    return level, with_duration(text, duration)


def with_duration(text: str, duration: float | None) -> str:
    """Return the text of a status with the duration of its motion, s; None where joints jump."""
    return text if duration is None else f'{text}; moving for {duration:.3f} s'


def solved(arm: Arm, result: Result, level: bytes, text: str, header: Header, joint_stamp: Time,
           duration: float | None = None) -> GoalStatus:
    """Return the status of a goal that was solved, met or not.

    level, text: of `outcome`. header: the goal's. joint_stamp: of the joint states of the result.
    duration: of the motion there, s; None where joints jump.
    """
    return _status(arm.name, level, text, header, joint_stamp, {
        'accepted': 'true',
        'motion_duration': '' if duration is None else f'{duration:.9g}',
        'solver': solver_name(arm, result),
        'reason': result.reason.name,
        'position_error': f'{result.position_error:.9g}',
        'orientation_error': f'{result.orientation_error:.9g}',
        'smallest_singular_value': f'{result.smallest_singular_value:.6g}',
        'iterations': str(result.iterations),
        'restarts': str(result.restarts),
        'solve_time': f'{result.solve_time:.9g}'})


def task_solved(figure: Figure, outcome: FigureOutcome, aim: Aim, level: bytes, text: str,
                joint_stamp: Time) -> GoalStatus:
    """Return the status of a goal of a task; level, text, joint_stamp: see `solved`."""
    result = outcome.result
    along, about = result.errors[aim.task]
    is_arm = aim.task in figure.source.arms
    return _status(aim.task if is_arm else '', level, text, aim.header, joint_stamp, {
        'task': '' if is_arm else aim.task,
        'accepted': 'true',
        'motion_duration': '' if outcome.duration is None else f'{outcome.duration:.9g}',
        'solver': figure.solver_name,
        'reason': result.reason.name,
        'position_error': f'{along:.9g}',
        'orientation_error': f'{about:.9g}',
        'iterations': str(result.iterations),
        'restarts': str(result.restarts),
        'solve_time': f'{result.solve_time:.9g}'})


def set_joints(outcome: JointOutcome, header: Header, joint_stamp: Time) -> GoalStatus:
    """Return the status of joint values that were set; header, joint_stamp: see `solved`."""
    reason, duration = StopReason.CONVERGED, outcome.duration
    return _status(outcome.arm, DiagnosticStatus.OK, with_duration(reason.value, duration), header,
                   joint_stamp, {
        'accepted': 'true', 'reason': reason.name,
        'motion_duration': '' if duration is None else f'{duration:.9g}'})


def refused(name: str, is_task: bool, message: str, header: Header,
            joint_stamp: Time) -> GoalStatus:
    """Return the status of a refused goal. name: of its task where it has one, else of its arm."""
    return _status('' if is_task else name, DiagnosticStatus.ERROR, message, header, joint_stamp,
                   {'task': name if is_task else '', 'accepted': 'false', 'reason': REFUSED})


def task_report(node: str, figure: Figure, name: str,
                outcome: FigureOutcome | None) -> DiagnosticStatus:
    """Return the report of a task for /diagnostics; outcome: the last one, None for none yet."""
    if name in figure.undefined:
        return DiagnosticStatus(
            level=DiagnosticStatus.WARN, name=f'{node}: task {name}',
            message=f'it has no type: set {name}.type', hardware_id=figure.body.tree.name)
    task = figure.tasks[name]
    errors = None if outcome is None else outcome.result.errors.get(name)
    level, message = DiagnosticStatus.OK, 'not solved yet'
    if errors is not None:
        met = figure.meets(errors)
        message = 'met' if met else f'misses by {error_words(errors)}'
        if not met and task.is_necessary:
            level = DiagnosticStatus.WARN
    elif outcome is not None:
        message = 'without errors'
    along, about = ('', '') if errors is None else (f'{value:.9g}' for value in errors)
    return DiagnosticStatus(
        level=level, name=f'{node}: task {name}', message=message,
        hardware_id=figure.body.tree.name,
        values=[KeyValue(key=key, value=value) for key, value in (
            ('type', type(task).__name__), ('priority', str(task.priority)),
            ('weight', f'{task.weight:g}'), ('position_error', along),
            ('orientation_error', about))])


def solver_name(arm: Arm, result: Result) -> str:
    """Return the name of the solver, with the method that it has selected: auto (dls)."""
    return f'{arm.solver.name} ({result.method})' if result.method else arm.solver.name


def seconds(stamp: Time) -> str:
    """Return a time as text: seconds, to the nanosecond."""
    return f'{stamp.sec}.{stamp.nanosec:09d}'


def _status(arm: str, level: bytes, message: str, header: Header, joint_stamp: Time,
            entries: Mapping[str, str]) -> GoalStatus:
    return GoalStatus(level, message, {
        'arm': arm, 'goal_frame': header.frame_id[:MAX_NAME],
        'goal_stamp': seconds(header.stamp), 'joint_stamp': seconds(joint_stamp), **entries})


class StatusMessage:
    """The message of a goal's status, made once: making one takes as long as a solve."""

    def __init__(self) -> None:
        """Make the message, with every key."""
        self._entries = [KeyValue(key=key) for key in KEYS]
        self._message = DiagnosticStatus(name='ik_node: goal', values=self._entries)

    def of(self, status: GoalStatus) -> DiagnosticStatus:
        """Return the message of a status, which the next call changes."""
        for entry in self._entries:
            entry.value = status.values.get(entry.key, '')
        self._message.level, self._message.message = status.level, status.message
        return self._message
