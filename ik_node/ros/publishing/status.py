"""The status of a goal as a diagnostic message."""

from collections.abc import Mapping

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from std_msgs.msg import Header

from ik_node.bounds import MAX_NAME
from ik_node.control.arm import Arm
from ik_node.solvers.result import Result, StopReason

REFUSED = 'REFUSED'  # in place of a StopReason

# The keys of a goal's status, always all of them, in this order.
KEYS = ('arm', 'solver', 'reason', 'position_error', 'orientation_error', 'iterations', 'restarts',
        'solve_time', 'goal_frame', 'goal_stamp', 'joint_stamp', 'motion_duration', 'accepted',
        'smallest_singular_value')


def outcome(result: Result, closest: bool, duration: float | None = None) -> tuple[bytes, str]:
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
    return level, text if duration is None else f'{text}; moving for {duration:.3f} s'


def solved(arm: Arm, result: Result, level: bytes, text: str, header: Header, joint_stamp: Time,
           duration: float | None = None) -> DiagnosticStatus:
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


def refused(arm: str, message: str, header: Header, joint_stamp: Time) -> DiagnosticStatus:
    """Return the status of a refused goal."""
    return _status(arm, DiagnosticStatus.ERROR, message, header, joint_stamp,
                   {'accepted': 'false', 'reason': REFUSED})


def solver_name(arm: Arm, result: Result) -> str:
    """Return the name of the solver, with the method that it has selected: auto (dls)."""
    return f'{arm.solver.name} ({result.method})' if result.method else arm.solver.name


def seconds(stamp: Time) -> str:
    """Return a time as text: seconds, to the nanosecond."""
    return f'{stamp.sec}.{stamp.nanosec:09d}'


def _status(arm: str, level: bytes, message: str, header: Header, joint_stamp: Time,
            entries: Mapping[str, str]) -> DiagnosticStatus:
    values = {
        **dict.fromkeys(KEYS, ''), 'arm': arm, 'goal_frame': header.frame_id[:MAX_NAME],
        'goal_stamp': seconds(header.stamp), 'joint_stamp': seconds(joint_stamp), **entries}
    return DiagnosticStatus(level=level, name='ik_node: goal', message=message,
                            values=[KeyValue(key=key, value=value)
                                    for key, value in values.items()])
