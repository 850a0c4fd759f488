"""The status of a goal: its level, its text and the values of its keys."""

from typing import NamedTuple

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticStatus
from std_msgs.msg import Header

from ik_node.control.controller import Outcome
from ik_node.control.group import AnyResult, Group, TaskGoal
from ik_node.control.robot import Robot
from ik_node.solvers.result import Result, StopReason
from ik_node.support.bounds import MAX_NAME

REFUSED, ABORTED = 'REFUSED', 'ABORTED'  # in place of a StopReason

# The keys of a goal's status, always all of them, in this order.
KEYS = ('arm', 'task', 'solver', 'reason', 'position_error', 'orientation_error', 'iterations',
        'restarts', 'solve_time', 'goal_frame', 'goal_stamp', 'joint_stamp', 'motion_duration',
        'accepted', 'smallest_singular_value', 'contact_first', 'contact_second',
        'contact_distance', 'obstacles_stamp')


class Arrival(NamedTuple):
    """The arrival of a goal: its arm or task, its header, and when, s of `time.perf_counter`."""

    name: str
    header: Header
    received: float
    place: str = ''  # which one of several it is, for messages


def outcome(outcome: Outcome) -> tuple[bytes, str]:
    """Return the level and the text of the status of an outcome."""
    result = outcome.result
    reason = StopReason.CONVERGED if result is None else result.reason
    level, text = DiagnosticStatus.OK, reason.value
    if reason is not StopReason.CONVERGED and outcome.accepted:
        level, text = DiagnosticStatus.WARN, f'{text}; the closest is published'
    elif reason is not StopReason.CONVERGED:
        level, text = DiagnosticStatus.ERROR, f'{text}; holding'
    if outcome.duration is not None:
        text = f'{text}; moving for {outcome.duration:.3f} s'
    diagnosis = getattr(result, 'diagnosis', '') or str(getattr(result, 'contact', None) or '')
    return level, f'{text}; {diagnosis}' if diagnosis else text


def solved(group: Group, outcome: Outcome, goal: TaskGoal, joint_stamp: Time) -> dict[str, str]:
    """Return the values of the status of a goal that was solved, met or not.

    joint_stamp: of the joint states of the result.
    """
    result = outcome.result
    assert result is not None
    along, about = group.errors(result, goal.task) or (0.0, 0.0)
    values = {
        group.status_key: goal.task, **set_joints(outcome, goal.header, joint_stamp),
        'solver': solver_name(group, result),
        'reason': result.reason.name,
        'position_error': f'{along:.9g}',
        'orientation_error': f'{about:.9g}',
        'iterations': str(result.iterations),
        'restarts': str(result.restarts),
        'solve_time': f'{result.solve_time:.9g}'}
    if isinstance(result, Result):
        values['smallest_singular_value'] = f'{result.smallest_singular_value:.6g}'
    if outcome.obstacles_stamp is not None:
        values['obstacles_stamp'] = '{}.{:09d}'.format(*divmod(outcome.obstacles_stamp, 10 ** 9))
    if result.contact is not None:
        values.update(contact_first=result.contact.first, contact_second=result.contact.second,
                      contact_distance=f'{result.contact.distance:.6g}')
    return values


def set_joints(outcome: Outcome, header: Header, joint_stamp: Time) -> dict[str, str]:
    """Return the values of the status of joint values that were set; see `solved`."""
    duration = outcome.duration
    return {**_stamps(header, joint_stamp), 'reason': StopReason.CONVERGED.name, 'accepted': 'true',
            'motion_duration': '' if duration is None else f'{duration:.9g}'}


def refused(robot: Robot | None, arrival: Arrival, joint_stamp: Time) -> dict[str, str]:
    """Return the values of the status of a refused goal. robot: None without one."""
    group = None if robot is None else robot.group_of(arrival.name)
    return {'arm' if group is None else group.status_key: arrival.name,
            **_stamps(arrival.header, joint_stamp), 'accepted': 'false', 'reason': REFUSED}


def _stamps(header: Header, joint_stamp: Time) -> dict[str, str]:
    return {'goal_frame': header.frame_id[:MAX_NAME], 'goal_stamp': seconds(header.stamp),
            'joint_stamp': seconds(joint_stamp)}


def solver_name(group: Group, result: AnyResult) -> str:
    """Return the name of the solver, with the method that it has selected: auto (dls)."""
    method, name = getattr(result, 'method', ''), group.solver.name
    return f'{name} ({method})' if method else str(name)


def seconds(stamp: Time) -> str:
    """Return a time as text: seconds, to the nanosecond."""
    return f'{stamp.sec}.{stamp.nanosec:09d}'
