"""The status of a goal as a diagnostic message."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from std_msgs.msg import Header

from ik_node.control.controller import Outcome
from ik_node.control.group import Aim, AnyResult, Group
from ik_node.control.robot import Robot
from ik_node.solvers.body.result import error_words
from ik_node.solvers.result import Result, StopReason
from ik_node.support.bounds import MAX_NAME

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
    is_step: bool = False
    """Whether it is the next waypoint of a path, not a message."""


def outcome(outcome: Outcome) -> tuple[bytes, str]:
    """Return the level and the text of the status of a goal that was solved."""
    result = outcome.result
    assert result is not None
    text = result.reason.value
    if result.reason is StopReason.CONVERGED:
        level = DiagnosticStatus.OK
    elif outcome.accepted:
        level, text = DiagnosticStatus.WARN, f'{text}; the closest is published'
    else:
        level, text = DiagnosticStatus.ERROR, f'{text}; holding'
    text = _with_duration(text, outcome.duration)
    diagnosis = getattr(result, 'diagnosis', '')
    return level, f'{text}; {diagnosis}' if diagnosis else text


def _with_duration(text: str, duration: float | None) -> str:
    """Return the text of a status with the duration of its motion, s; None where joints jump."""
    return text if duration is None else f'{text}; moving for {duration:.3f} s'


def solved(group: Group, outcome: Outcome, aim: Aim, level: bytes, text: str,
           joint_stamp: Time) -> GoalStatus:
    """Return the status of a goal that was solved, met or not.

    level, text: of `outcome`. joint_stamp: of the joint states of the result.
    """
    result = outcome.result
    assert result is not None
    along, about = group.errors(result, aim.task) or (0.0, 0.0)
    entries = {
        'solver': solver_name(group, result),
        'reason': result.reason.name,
        'position_error': f'{along:.9g}',
        'orientation_error': f'{about:.9g}',
        'iterations': str(result.iterations),
        'restarts': str(result.restarts),
        'solve_time': f'{result.solve_time:.9g}'}
    if isinstance(result, Result):
        entries['smallest_singular_value'] = f'{result.smallest_singular_value:.6g}'
    return _status(_named(group, aim.task), level, text, aim.header, joint_stamp,
                   {**_motion(outcome.duration), **entries})


def set_joints(outcome: Outcome, arrival: Arrival, joint_stamp: Time) -> GoalStatus:
    """Return the status of joint values that were set; joint_stamp: see `solved`."""
    reason = StopReason.CONVERGED
    return _status({'arm': arrival.name}, DiagnosticStatus.OK,
                   _with_duration(reason.value, outcome.duration), arrival.header, joint_stamp,
                   {**_motion(outcome.duration), 'reason': reason.name})


def refused(robot: Robot | None, arrival: Arrival, message: str, joint_stamp: Time) -> GoalStatus:
    """Return the status of a refused goal. robot: None without one."""
    group = None if robot is None else robot.group_of(arrival.name)
    named = {'arm': arrival.name} if group is None else _named(group, arrival.name)
    return _status(named, DiagnosticStatus.ERROR, message, arrival.header, joint_stamp,
                   {'accepted': 'false', 'reason': REFUSED})


def _named(group: Group, task: str) -> dict[str, str]:
    """Return the key of a status that says whose goal it was: an arm's, or a task's."""
    return {group.status_key: task}


def _motion(duration: float | None) -> dict[str, str]:
    return {'accepted': 'true', 'motion_duration': '' if duration is None else f'{duration:.9g}'}


def task_report(node: str, group: Group, name: str,
                result: Any) -> DiagnosticStatus:
    """Return the report of a task for /diagnostics; result: the last one, None for none yet."""
    if name in group.undefined:
        return DiagnosticStatus(
            level=DiagnosticStatus.WARN, name=f'{node}: task {name}',
            message=f'it has no type: set {name}.type', hardware_id=group.space.tree.name)
    task = group.tasks[name]
    errors = None if result is None else group.errors(result, name)
    level, message = DiagnosticStatus.OK, 'not solved yet'
    if errors is not None:
        met = group.meets(errors)
        message = 'met' if met else f'misses by {error_words(errors)}'
        if not met and task.is_necessary:
            level = DiagnosticStatus.WARN
    elif result is not None:
        message = 'without errors'
    along, about = ('', '') if errors is None else (f'{value:.9g}' for value in errors)
    return DiagnosticStatus(
        level=level, name=f'{node}: task {name}', message=message,
        hardware_id=group.space.tree.name,
        values=[KeyValue(key=key, value=value) for key, value in (
            ('type', type(task).__name__), ('priority', str(task.priority)),
            ('weight', f'{task.weight:g}'), ('position_error', along),
            ('orientation_error', about))])


def solver_name(group: Group, result: AnyResult) -> str:
    """Return the name of the solver, with the method that it has selected: auto (dls)."""
    method, name = getattr(result, 'method', ''), group.solver.name
    return f'{name} ({method})' if method else str(name)


def seconds(stamp: Time) -> str:
    """Return a time as text: seconds, to the nanosecond."""
    return f'{stamp.sec}.{stamp.nanosec:09d}'


def _status(named: Mapping[str, str], level: bytes, message: str, header: Header,
            joint_stamp: Time, entries: Mapping[str, str]) -> GoalStatus:
    return GoalStatus(level, message, {
        **named, 'goal_frame': header.frame_id[:MAX_NAME],
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
