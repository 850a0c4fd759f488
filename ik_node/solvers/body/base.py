"""The base of body solvers: tasks checked once, levels, steps; and least squares over levels."""

import math
import threading
import time
from abc import abstractmethod
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any, ClassVar

import numpy as np

from ik_node.model.body import Body, check_body
from ik_node.solvers.body.attempts import Attempts, BodyProblem
from ik_node.solvers.body.compiled_tasks import Records, TaskLevel, checked_tasks, unique_names
from ik_node.solvers.body.diagnosis import diagnosis
from ik_node.solvers.collision.guarded_steps import GuardedSteps
from ik_node.solvers.kernel.body.level_search import LevelSearch
from ik_node.solvers.kernel.body.stacked_tasks import StackedTasks
from ik_node.solvers.kernel.body.steps import Limits
from ik_node.solvers.kernel.body.velocity import Velocity, is_plain
from ik_node.solvers.options import BodyOptions
from ik_node.solvers.result import REASONS, BodyResult, StopReason
from ik_node.solvers.solver_output import Attempt, Budget, VerifiedAttempt
from ik_node.support import clock
from ik_node.support.arguments import flag, number
from ik_node.support.bounds import MAX_NUMBER
from ik_node.support.exceptions import InputError, names, shown
from ik_node.tasks.base import Task
from ik_node.tasks.checks import bounded


class BodySolver(Attempts):
    """Finds joint values of a body for several tasks. A method overrides `_tasks_by_level`.

    Targets are read at each solve. Threads may use one solver: they solve one after the other.
    Success is decided by frames computed anew at the q that is returned, whatever the method
    believes.

    - `body`, `tasks`, `options`; `task_names`: the keys of `BodyResult.errors`.
    - `lock`: held by a solve; targets that belong together are set while it is held.
    """

    name: ClassVar[str]
    Options: ClassVar[type[BodyOptions]] = BodyOptions

    def __init__(self, body: Body, tasks: Sequence[Task], **options: Any) -> None:
        self.body = check_body(body)
        self.tasks = checked_tasks(body, tasks)
        super().__init__(options, body, self.tasks)
        self.task_names = unique_names(self.tasks)
        weights = self.options.joint_weights
        self._scale = np.ones(body.n_joints)  # 1/√weight of each joint
        if weights is not None:
            self._scale /= np.sqrt(weights)
        self._space, self._made = body, list[Limits]()  # see `_search_in`
        self._limits = self._limits_of(self._scale)
        self.lock = threading.RLock()  # levels, and targets that kernels read, are shared
        self._records: Records | None = None
        self._is_fresh: Callable[[], bool] = bool  # whether levels are as the tasks are now
        self._levels: list[TaskLevel] = []
        self._quick: TaskLevel | None = None
        self._velocity: Velocity | None = None
        self._guard: GuardedSteps | None = None
        self._searches: dict[int, LevelSearch] = {}

    def solve(self, q0: Any = None, *, closest: bool | None = None) -> BodyResult:
        """Return joint values that meet the tasks, or the best found and what they miss.

        q0: (n,) where to start, rad or m; by default zero where that is inside the limits, else in
        the middle of them. What is outside the limits starts at the limit. Raises InputError for a
        malformed q0, and an IkError that names the task for a target that is not set; not
        converging is a result. closest: whether to do as `closest`; by default the option.
        """
        closest = self.options.closest if closest is None else flag(closest, 'closest')
        with self.lock:
            started, budget = time.perf_counter(), Budget(self.options.max_iterations,
                                                          self._deadline())
            q = q0 if q0 is None or is_plain(q0, self.body.n_joints, MAX_NUMBER) else bounded(
                self.body.checked(q0), 'q0')
            if not self._is_fresh():
                self._make_levels()
            assert self._records is not None
            start = self.body.neutral() if q is None else self._records.check.start(q)
            if self.options.consistency_limits is not None:
                lower, upper = self.options.limits_about(start, self.body.lower, self.body.upper)
                self._search_in(self.body._with(lower=lower, upper=upper))
            problem = BodyProblem(self._levels, start, budget)
            with nullcontext() if budget.deadline == math.inf else clock.ends_by(budget.deadline):
                found = self._find(problem)
                if closest and not found.success:
                    found = self._find_closest(problem, found)
            return self._report(found, started)

    def closest(self, q0: Any = None) -> BodyResult:
        """Return the joint values closest to the tasks, whether they can be met or not.

        They minimise Σ weight · |W r|² of the tasks, a level after the other where the solver knows
        priorities: the least that is found from what `solve` found and some other starts. q0, and
        what is raised: as of `solve`; the reason is that of `solve`.
        """
        return self.solve(q0, closest=True)

    def _search_in(self, space: Body) -> None:
        """Keep inside the limits of the body, or of the same with narrower ones, from now on."""
        if space is not self._space:
            self._space = space
            for limits in self._made:
                limits.narrow(space.lower, space.upper)

    def velocity(self, q: Any, dt: float) -> np.ndarray:
        """Return joint velocities (n,), rad/s or m/s, that bring q (n,) nearer to the tasks.

        One differential step of dt seconds, which would meet the linearised tasks by its end where
        the limits let it: q + dt · velocity is inside the limits of q, the velocity inside the
        velocity limits, and what is in rad moves by no more than the option `max_step` in it; a q
        outside the limits comes back as fast as those let it. With
        avoid_collisions the whole step keeps the margin less 0.1 mm, and gets no nearer to what is
        nearer already; but where no such step leads out of a collision, it is one on a straight
        line to a free configuration. Raises InputError for a malformed q or dt.
        """
        at = q if is_plain(q, self.body.n_joints, MAX_NUMBER) else bounded(
            self.body.checked(q), 'q')
        period = number(dt, 'dt')
        if not period > 0.0:
            raise InputError(f'dt must be above 0 s, not {period:g}')
        if not 1.0 / MAX_NUMBER <= period <= MAX_NUMBER:
            raise InputError(f'dt must be from {1.0 / MAX_NUMBER:g} to {MAX_NUMBER:g} s, not '
                             f'{period:g}')
        steps = self._velocity
        if steps is None or not self._is_fresh():
            steps = self._velocity_now()
        velocity: np.ndarray | None
        if self.options.consistency_limits is None:
            velocity = steps.run(at, period)
        else:
            with self.lock:  # a search leaves the limits narrowed
                self._search_in(self.body)
                velocity = steps.run(at, period)
        if velocity is None:
            raise InputError(f'the step of {self.name} overflows: {shown(self._own_options)}')
        return velocity if self.collisions is None else self._guarded(at, velocity, period)

    def _guarded(self, q: np.ndarray, velocity: np.ndarray, dt: float) -> np.ndarray:
        """Return the velocity (n,) next to one that keeps the margin from contact from q (n,)."""
        assert self.collisions is not None
        with self.lock:
            if self._guard is None or self._guard.collisions is not self.collisions:
                self._guard = GuardedSteps(self.collisions)
            fastest = np.minimum(self.body.velocity_limits * dt, self.options.max_step)
            step = self._guard.step(
                q, dt * velocity, [level.evaluate(q) for level in self._levels],
                np.clip(self.body.lower - q, -fastest, fastest),
                np.clip(self.body.upper - q, -fastest, fastest))
        return step / dt

    def _shown_arguments(self) -> tuple[str, ...]:
        return repr(self.body), f'tasks {names(self.task_names)}'

    @abstractmethod
    def _tasks_by_level(self) -> list[list[Task]]:
        """Return the tasks by level, the strictest first; levels may be empty."""

    def _make_velocity(self, levels: Sequence[TaskLevel]) -> Velocity:
        """Return the velocity kernel of the first levels."""
        return Velocity(self.body.record, self._stacked(levels), self._limits)

    def _stacked(self, levels: Sequence[TaskLevel]) -> StackedTasks:
        assert self._records is not None
        return self._records.stacked([level.indices for level in levels])

    def _limits_of(self, scale: np.ndarray) -> Limits:
        """Return the limits of q and of its steps, for a scale (n,): 1/√weight of each joint."""
        self._made.append(Limits(self._space, np.where(
            self.body.prismatic, np.inf, self.options.max_step), scale))
        return self._made[-1]

    def _search_levels(self, levels: Sequence[TaskLevel], q: np.ndarray, budget: Budget,
                       progress: float) -> Attempt:
        if len(levels) not in self._searches:
            self._searches[len(levels)] = LevelSearch(self._make_velocity(levels))
        q = q.copy()
        end, iterations = self._searches[len(levels)].run(
            q, budget.deadline, budget.max_iterations, progress)
        return Attempt(q, REASONS[end], iterations)

    def _make_levels(self) -> None:
        """Make the levels that have tasks. Raises an IkError where a target is not set."""
        self._velocity, self._searches, self._is_fresh = None, {}, bool
        self._made = [self._limits]
        self._records = records = Records(self.body, self.tasks, self._limits, self.options,
                                          self.lock)
        wanted = ([task for task in tasks if task.weight > 0.0]
                  for tasks in self._tasks_by_level())
        self._levels = levels = [TaskLevel(records, tasks) for tasks in wanted if tasks]
        self._quick = records.merged(levels) if self._merges and levels and (
            len(levels) == 1 or all(level.all_necessary for level in levels)) else None
        self._is_fresh = records.refresh

    def _velocity_now(self) -> Velocity:
        """Return the differential steps of all levels that have tasks."""
        with self.lock:
            if not self._is_fresh():
                self._make_levels()
            if self._velocity is None:
                self._velocity = self._make_velocity(self._levels)
            return self._velocity

    def _report(self, found: VerifiedAttempt, started: float) -> BodyResult:
        """Return the result, with a diagnosis where it is a failure."""
        text, reason = '', found.reason
        errors = dict(zip(self.task_names, map(tuple, found.misses.tolist())))
        if not found.success:
            text, singular = diagnosis(
                self.body, self.tasks, self.task_names, found.q, errors, self.options.allow,
                None if reason is StopReason.TIMEOUT else self._proof_of)
            if singular and reason is StopReason.STALLED:
                reason = StopReason.SINGULAR
        result = BodyResult(found.q, found.success, reason, errors, found.iterations,
                            found.restarts, time.perf_counter() - started)
        contact = None
        if self.collisions is not None and reason is StopReason.COLLISION:
            contact = next(iter(self.collisions.contacts(found.q)), None)
            text = text if contact is None else str(contact)
        vars(result).update(diagnosis=text, contact=contact)
        return result


class LeastSquaresSolver(BodySolver):
    """Minimises Σ weight · |W r|² of the tasks, those of priority 0 strictly first.

    Tasks of priority 0 are met first, and the others act in the null space of theirs. Those others
    are weighted against each other, whatever their priority; but those that do not count, `Spring`,
    `Force` and a `Posture` of another priority than 0, act in what the tasks that count leave free.
    Where all tasks are of one kind each iteration is a single bounded least-squares step.
    """

    name = 'least_squares'

    def _tasks_by_level(self) -> list[list[Task]]:
        """Return the strict tasks, the weighted ones, and those that never count."""
        counted = [task for task in self.tasks if task.affects_success]
        return [[task for task in counted if task.priority == 0],
                [task for task in counted if task.priority > 0],
                [task for task in self.tasks if not task.affects_success]]


class HierarchySolver(BodySolver):
    """Solves priority after priority: a lower one moves only in the null space of the higher.

    Tasks of one priority are weighted against each other, but those that never count act in what
    the others of their priority leave free. One-sided rows and limits hold at every level.
    """

    name = 'hierarchy'

    def _tasks_by_level(self) -> list[list[Task]]:
        """Return two levels for each priority: the tasks that count, then those that do not."""
        return [[task for task in self.tasks
                 if task.priority == priority and task.affects_success == needed]
                for priority in sorted({task.priority for task in self.tasks})
                for needed in (True, False)]
