"""Diagnostics of the node, published once a second."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from std_msgs.msg import Header

from ik_node.control.group import AnyResult, Group
from ik_node.control.robot import Robot
from ik_node.solvers.result import error_words

PERIOD = 1.0  # s, from one report to the next
_PERCENTILES = (50, 99, 100)


@dataclass
class Health:
    """Counters and warnings for /diagnostics."""

    error: str = ''  # an error of the node itself, '' for none
    warnings: dict[str, str] = field(default_factory=dict)
    """Warnings about its environment, by subject."""
    goals: int = 0
    met: int = 0
    refused: int = 0
    failed: int = 0
    results: dict[Group, AnyResult] = field(default_factory=dict)
    """The last result of each group whose tasks are reported."""
    solve_times: list[float] = field(default_factory=list)
    """s, of the goals since the last report that a solver solved."""
    response_times: list[float] = field(default_factory=list)
    """s, of all goals since then: from their reception to the publication of joint states."""
    deviations: list[float] = field(default_factory=list)
    """s, how late cycles of servo began since then; another thread appends to them."""

    def count(self, result: AnyResult | None, response_time: float) -> None:
        """Count a goal; result: None for joint values; response_time: see `response_times`."""
        success = result is None or bool(result.success)
        self.goals += 1
        self.met += success
        self.failed += not success
        if result is not None:
            self.solve_times.append(result.solve_time)
        self.response_times.append(response_time)

    def refuse(self) -> None:
        """Count a goal that was refused."""
        self.goals += 1
        self.refused += 1

    def warn(self, about: str, warning: str) -> bool:
        """Set the warning about a subject, '' for none; return whether it is new."""
        new = warning != self.warnings.get(about, '')
        self.warnings[about] = warning
        return new and warning != ''

    def report(self, name: str, state: str, robot: Robot | None, header: Header) -> DiagnosticArray:
        """Return the node's diagnostics, and begin the next period."""
        level, message = DiagnosticStatus.OK, state
        warnings = [warning for warning in self.warnings.values() if warning]
        if self.error:
            level, message = DiagnosticStatus.ERROR, self.error
        elif robot is None:
            level, message = DiagnosticStatus.WARN, 'waiting for a robot_description'
        elif warnings:
            level, message = DiagnosticStatus.WARN, '; '.join(warnings)
        values = {
            'state': state,
            'robot': robot.tree.name if robot else '',
            'solver': ', '.join(group.solver.name for group in robot.groups.values()
                                if group is not robot.side) if robot else '',
            'goals': str(self.goals), 'met': str(self.met), 'failed': str(self.failed),
            'refused': str(self.refused),
            'goals_per_second': f'{len(self.response_times) / PERIOD:g}',
            **_percentiles('solve_time', self.solve_times),
            **_percentiles('answer_time', self.response_times)}
        if count := len(self.deviations):
            values.update(_percentiles('servo_deviation', self.deviations[:count]))
            del self.deviations[:count]
        self.solve_times, self.response_times = [], []
        return DiagnosticArray(header=header, status=[DiagnosticStatus(
            level=level, name=f'{name}: inverse kinematics', message=message,
            hardware_id=robot.tree.name if robot else '',
            values=[KeyValue(key=key, value=value) for key, value in values.items()]),
            *self._task_reports(name, robot)])

    def _task_reports(self, name: str, robot: Robot | None) -> list[DiagnosticStatus]:
        """Return one report for each task; results of former groups are dropped."""
        groups = [] if robot is None else list(robot.groups.values())
        self.results = {group: self.results[group] for group in groups if group in self.results}
        return [_task_report(name, group, task, self.results.get(group))
                for group in groups for task in group.reported]


def _task_report(node: str, group: Group, name: str, result: Any) -> DiagnosticStatus:
    """Return the report of a task for /diagnostics; result: the last one, None for none yet."""
    if name in group.undefined:
        return DiagnosticStatus(
            level=DiagnosticStatus.WARN, name=f'{node}: task {name}',
            message=f'it has no type: set {name}.type', hardware_id=group.space.tree.name)
    task = group.tasks[name]
    errors = None if result is None else group.errors(result, name)
    level, message = DiagnosticStatus.OK, 'not solved yet'
    if errors is not None:
        met = group.solver.options.allow(errors)
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


def _percentiles(name: str, times: Iterable[float]) -> dict[str, str]:
    """Return percentiles of times, s, by the nearest rank; '' without times."""
    ranked = sorted(times)
    return {f'{name}_p{percent}': f'{ranked[-(-percent * len(ranked) // 100) - 1]:.6g}'
            if ranked else '' for percent in _PERCENTILES}
