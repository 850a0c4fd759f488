"""What every body solver is: tasks checked once, attempts from several starts, verification."""

import math
import threading
import time
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from ik_node.model.body import Body, check_body
from ik_node.solvers.body.attempts import Attempts, BodyProblem
from ik_node.solvers.body.diagnosis import described
from ik_node.solvers.body.levels.pursuit import Pursuit
from ik_node.solvers.body.levels.velocity import Velocity, within
from ik_node.solvers.body.limits import Limits
from ik_node.solvers.body.problem import Level, checked_tasks, unique_names
from ik_node.solvers.body.pursuit import search
from ik_node.solvers.body.records import Records
from ik_node.solvers.body.result import BodyResult
from ik_node.solvers.body.stacked_tasks import Problem as StackedLevels
from ik_node.solvers.found import Attempt, Budget, VerifiedAttempt
from ik_node.solvers.options import BodyOptions
from ik_node.solvers.result import REASONS, StopReason
from ik_node.support.arguments import number
from ik_node.support.bounds import MAX_NUMBER
from ik_node.support.exceptions import InputError, names, shown
from ik_node.tasks.base import Task
from ik_node.tasks.checks import bounded

_FLOAT = np.dtype(float)


class BodySolver(Attempts):
    """Finds joint values of a body for several tasks. A method overrides `_levels`.

    Targets are read at each solve. Threads may use one solver: they solve one after the other.
    Success is decided by frames computed anew at the q that is returned, whatever the method
    believes.

    - `body`, `tasks`, `options`; `task_names`: the keys of `BodyResult.errors`.
    """

    name: ClassVar[str]
    Options: ClassVar[type[BodyOptions]] = BodyOptions

    def __init__(self, body: Body, tasks: Sequence[Task], **options: Any) -> None:
        """Take a body and tasks. Raises an IkError for malformed tasks and options."""
        self.body = check_body(body)
        self.tasks = checked_tasks(body, tasks)
        super().__init__(options, body, self.tasks)
        self.task_names = unique_names(self.tasks)
        weights = self.options.joint_weights
        self._scale = np.ones(body.n_joints)  # 1/√weight of each joint
        if weights is not None:
            self._scale /= np.sqrt(weights)
        self._limits = self._limits_of(self._scale)
        self._lock = threading.RLock()  # levels, and targets that kernels read, are shared
        self._records: Records | None = None
        self._kept: list[Level] = []
        self._quick: Level | None = None
        self._steps: Velocity | None = None
        self._pursuits: dict[int, Pursuit] = {}

    def solve(self, q0: Any = None) -> BodyResult:
        """Return joint values that meet the tasks, or the best found and what they miss.

        q0: (n,) where to start, rad or m; by default zero where that is inside the limits, else in
        the middle of them. What is outside the limits starts at the limit. Raises InputError for a
        malformed q0, and an IkError that names the task for a target that is not set; not
        converging is a result.
        """
        return self._drive(self.options.closest, q0)

    def closest(self, q0: Any = None) -> BodyResult:
        """Return the joint values closest to the tasks, whether they can be met or not.

        They minimise Σ weight · |W r|² of the tasks, a level after the other where the solver knows
        priorities: the least that is found from what `solve` found and some other starts. q0, and
        what is raised: as of `solve`; the reason is that of `solve`.
        """
        return self._drive(True, q0)

    def velocity(self, q: Any, dt: float) -> np.ndarray:
        """Return joint velocities (n,), rad/s or m/s, that bring q (n,) nearer to the tasks.

        One differential step of dt seconds, which would meet the linearised tasks by its end where
        the limits let it: q + dt · velocity is inside the limits of q, and the velocity inside the
        velocity limits; a q outside the limits comes back as fast as those let it. Raises
        InputError for a malformed q or dt.
        """
        at = q if self._is_plain(q) else bounded(self.body.checked(q), 'q')
        period = number(dt, 'dt')
        if not period > 0.0:
            raise InputError(f'dt must be above 0 s, not {period:g}')
        if not 1.0 / MAX_NUMBER <= period <= MAX_NUMBER:
            raise InputError(f'dt must be from {1.0 / MAX_NUMBER:g} to {MAX_NUMBER:g} s, not '
                             f'{period:g}')
        steps = self._steps
        if steps is None or self._records is None or not self._records.refresh():
            steps = self._steps_now()
        velocity: np.ndarray | None = steps.run(at, period)
        if velocity is None:
            raise InputError(f'the step of {self.name} overflows: {shown(self._own_options)}')
        return velocity

    def _drive(self, closest: bool, *arguments: Any) -> BodyResult:
        with self._lock:
            return super()._drive(closest, *arguments)

    def _is_plain(self, q: Any) -> bool:
        """Tell whether q is an array of floats (n,) that needs no more checks."""
        return (type(q) is np.ndarray and q.dtype is _FLOAT and q.shape == (self.body.n_joints,)
                and q.flags.c_contiguous and within(q, MAX_NUMBER))

    def _shown_arguments(self) -> tuple[str, ...]:
        return repr(self.body), f'tasks {names(self.task_names)}'

    @abstractmethod
    def _levels(self) -> list[list[Task]]:
        """Return the tasks by level, the strictest first; levels may be empty."""

    def _differential_steps(self, levels: Sequence[Level]) -> Velocity:
        """Return what takes differential steps for some levels, the first of those that are."""
        return Velocity(self.body.record, self._stacked(levels), self._limits)

    def _stacked(self, levels: Sequence[Level]) -> StackedLevels:
        """Return levels for kernels."""
        assert self._records is not None
        tasks = self._records.tasks
        return self._records.problem([[tasks.index(task) for task in level.tasks]
                                      for level in levels])

    def _limits_of(self, scale: np.ndarray) -> Limits:
        """Return the limits of q and of its steps, for a scale (n,): 1/√weight of each joint."""
        body, most = self.body, self.options.max_step
        return Limits(body.lower, body.upper, body.velocity_limits,
                      np.where(body.prismatic, np.inf, most), scale)

    def _attempt(self, levels: list[Level], q: np.ndarray, budget: Budget,
                 thorough: bool) -> Attempt:
        """Search from q (n,)."""
        return search(levels, q, budget, self._pursue, thorough, self._merges)

    def _pursue(self, levels: Sequence[Level], q: np.ndarray, budget: Budget,
                progress: float) -> Attempt:
        """Search over levels from q (n,); see `pursuit.search`."""
        if len(levels) not in self._pursuits:
            self._pursuits[len(levels)] = Pursuit(self._differential_steps(levels),
                                                  self.body.root == 'floating')
        q = q.copy()
        end, iterations = self._pursuits[len(levels)].run(
            q, budget.deadline, budget.max_iterations, progress)
        return Attempt(q, REASONS[end], iterations)

    def _levels_now(self) -> list[Level]:
        """Return the levels that have tasks. Raises an IkError where a target is not set."""
        if self._records is not None and self._records.refresh():
            return self._kept
        self._steps, self._pursuits = None, {}
        self._records = Records(self.body, self.tasks, self._limits, self.options, self._lock)
        wanted = ([task for task in tasks if task.weight > 0.0] for tasks in self._levels())
        self._kept = [Level(self._records, tasks) for tasks in wanted if tasks]
        self._quick = self._level_of_all()
        return self._kept

    def _steps_now(self) -> Velocity:
        """Return what takes differential steps for the levels that have tasks."""
        with self._lock:
            levels = self._levels_now()
            if self._steps is None:
                self._steps = self._differential_steps(levels)
            return self._steps

    def _level_of_all(self) -> Level | None:
        """Return the level that one descent can meet; None where there is more to do."""
        levels = self._kept
        if self._merges and levels and (
                len(levels) == 1 or all(level.all_necessary for level in levels)):
            return Level.merged(levels)
        return None

    def _start(self, q0: Any) -> np.ndarray:
        """Return q0 (n,) as a new array inside the limits."""
        if q0 is None:
            return self.body.neutral()
        at = bounded(self.body.checked(q0), 'q0')
        q = np.minimum(np.maximum(at, self.body.lower), self.body.upper)
        return shorten_root(self.body, q)

    def _problem(self, *arguments: Any) -> BodyProblem:
        start = self._start(*arguments)
        return BodyProblem(self._levels_now(), start,
                       Budget(self.options.max_iterations, self._deadline()))

    def _report(self, problem: BodyProblem, found: VerifiedAttempt, started: float) -> BodyResult:
        """Return the result, with a diagnosis where it is a failure."""
        words, reason = '', found.reason
        if not found.success:
            words, singular = described(
                self.body, self.tasks, self.task_names, found.q, found.errors, self._is_met,
                None if reason is StopReason.TIMEOUT else self._proof_of)
            if singular and reason is StopReason.STALLED:
                reason = StopReason.SINGULAR
        return BodyResult.of(words, found.q, found.success, reason, found.errors,
                             found.iterations, found.restarts, time.perf_counter() - started)


def shorten_root(body: Body, q: np.ndarray) -> np.ndarray:
    """Return q (n,) with the rotation vector of a floating root no longer than 1.5 π.

    The same rotation by another vector: at a length of 2π the vector's derivatives vanish.
    """
    if body.root == 'floating':
        w = q[3:6]
        angle = math.sqrt(w @ w)
        if angle > 1.5 * math.pi:
            q = q.copy()
            q[3:6] *= 1.0 - 2.0 * np.pi * round(angle / (2.0 * np.pi)) / angle
    return q
