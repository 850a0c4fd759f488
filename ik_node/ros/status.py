"""What the node says of a goal and of itself, as diagnostic messages."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from std_msgs.msg import Header

from ik_node.bounds import MAX_NAME
from ik_node.ros.robot import Arm, Robot
from ik_node.solvers.result import Result, StopReason

REFUSED = 'REFUSED'  # in the place of a StopReason

# The keys of a goal's status, always all of them, in this order.
KEYS = ('arm', 'solver', 'reason', 'position_error', 'orientation_error', 'iterations', 'restarts',
        'solve_time', 'goal_frame', 'goal_stamp', 'joint_stamp', 'motion_duration', 'accepted',
        'smallest_singular_value')


def outcome(result: Result, closest: bool, duration: float | None = None) -> tuple[bytes, str]:
    """Return what became of a goal that was solved for: the level of its status, and in words.

    closest: whether the nearest posture is published where the goal is not met. duration: of the
    motion there, s; None where joints jump.
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
    """Return the status of a goal that was solved for, met or not.

    level, text: of `outcome`. header: the goal's. joint_stamp: of the joint states that answer it.
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
    """Return the status of a goal that was not even tried."""
    return _status(arm, DiagnosticStatus.ERROR, message, header, joint_stamp,
                   {'accepted': 'false', 'reason': REFUSED})


def solver_name(arm: Arm, result: Result) -> str:
    """Return the solver, and where it chooses among several which of them answered: auto (dls)."""
    return f'{arm.solver.name} ({result.method})' if result.method else arm.solver.name


def seconds(stamp: Time) -> str:
    """Return a time as text: seconds, to the nanosecond."""
    return f'{stamp.sec}.{stamp.nanosec:09d}'


def _status(arm: str, level: bytes, message: str, header: Header, joint_stamp: Time,
            known: Mapping[str, str]) -> DiagnosticStatus:
    values = {
        **dict.fromkeys(KEYS, ''), 'arm': arm, 'goal_frame': header.frame_id[:MAX_NAME],
        'goal_stamp': seconds(header.stamp), 'joint_stamp': seconds(joint_stamp), **known}
    return DiagnosticStatus(level=level, name='ik_node: goal', message=message,
                            values=[KeyValue(key=key, value=value)
                                    for key, value in values.items()])


@dataclass
class Health:
    """What the node counts for /diagnostics."""

    trouble: str = ''
    """What is wrong with the node itself, if anything."""
    goals: int = 0
    met: int = 0
    refused: int = 0
    failed: int = 0
    solve_times: list[float] = field(default_factory=list)
    """s, of the goals since the last report."""

    def count(self, result: Result) -> None:
        """Count a goal that was solved for."""
        self.goals += 1
        self.met += bool(result.success)
        self.failed += not result.success
        self.solve_times.append(result.solve_time)

    def refuse(self) -> None:
        """Count a goal that was not solved for."""
        self.goals += 1
        self.refused += 1

    def report(self, name: str, state: str, robot: Robot | None, header: Header) -> DiagnosticArray:
        """Return the node's diagnostics, and begin the next period."""
        times, self.solve_times = sorted(self.solve_times), []
        level, message = DiagnosticStatus.OK, state
        if self.trouble:
            level, message = DiagnosticStatus.ERROR, self.trouble
        elif robot is None:
            level, message = DiagnosticStatus.WARN, 'waiting for a robot_description'
        values = {
            'state': state,
            'robot': robot.tree.name if robot else '',
            'solver': ', '.join(arm.solver.name for arm in robot.arms.values()) if robot else '',
            'goals': str(self.goals), 'met': str(self.met), 'failed': str(self.failed),
            'refused': str(self.refused), 'goals_per_second': str(len(times)),
            'solve_time_median': f'{times[len(times) // 2]:.6g}' if times else '',
            'solve_time_max': f'{times[-1]:.6g}' if times else ''}
        return DiagnosticArray(header=header, status=[DiagnosticStatus(
            level=level, name=f'{name}: inverse kinematics', message=message,
            hardware_id=robot.tree.name if robot else '',
            values=[KeyValue(key=key, value=value) for key, value in values.items()])])
