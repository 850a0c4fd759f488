"""Base class of iterative solvers, whose whole search runs in one kernel."""

import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from ik_node._arrays import numbers, vector
from ik_node._jit import Kernel, OutOfTimeError, unlimited
from ik_node.exceptions import InputError, OptionError, shown
from ik_node.kinematics.reach import extent, wrist_ball
from ik_node.model.chain import Chain
from ik_node.solvers.base import Solver
from ik_node.solvers.batch import search_many
from ik_node.solvers.diagnosis import diagnose
from ik_node.solvers.found import Found, Verified
from ik_node.solvers.goal import Goal, as_goal
from ik_node.solvers.packing import Packed, pack
from ik_node.solvers.result import StopReason
from ik_node.solvers.search import STEP, Outcome, goal_error, into_limits, outcome_of
from ik_node.solvers.settings import (
    BEYOND,
    CONVERGED,
    FIRST,
    INVALID,
    LIMITS,
    MANIPULABILITY,
    NEAREST,
    STALLED,
    TIMED_OUT,
    Settings,
    make_scratch,
)
from ik_node.solvers.start_table import StartTable, start_table

_MOST_SAMPLES = 10_000_000  # numbers in the initial guesses of restarts, 80 MB
# Continuation from the best configuration: patience, and the ratio that counts as progress.
_PATIENT = 20
_HARDLY_ANY = 0.999

PREFERENCES = {'nearest': NEAREST, 'first': FIRST, 'manipulability': MANIPULABILITY,
                'limits': LIMITS}


class IterativeSolver(Solver):
    """A solver whose iterations run in a kernel; subclasses define kernel and settings."""

    _kernel: ClassVar[Kernel]
    patience: ClassVar[int] = 5
    progress: ClassVar[float] = 0.5

    def __init__(self, chain: Chain, **options: Any) -> None:
        """Prepare to solve for a chain; see `Solver`."""
        super().__init__(chain, **options)
        most = _MOST_SAMPLES // chain.n_joints
        if self.options.max_restarts > most:
            raise OptionError(f'max_restarts must be at most {most} for an arm of '
                              f'{chain.n_joints} joints, not {self.options.max_restarts}')
        self.settings = self._settings()
        table = start_table(self.chain, self.options.max_restarts, self.options.seed)
        self.packed = pack(self.chain.arrays, self.settings, table)
        self._scratch_size = len(make_scratch(len(self.chain.arrays.column), chain.n_joints))
        self._soft = self._soft_limits(table)
        self._has_balls = self.chain.has_balls

    def step(self, goal: Any, q: Sequence[float] | np.ndarray) -> np.ndarray:
        """Return one bare step Δq (n,) of the method from q (n,): no limits, no line search.

        For ccd a step is a sweep over all joints. Raises InputError for a malformed goal or q, and
        where options are so large or small that the step is no finite number.
        """
        start = vector(q, self.chain.n_joints, 'q')
        dq = np.zeros(self.chain.n_joints)
        goal = as_goal(goal)
        self._run(goal, start, STEP, 0, math.inf, self._scratch(), np.empty(8), dq, self.packed)
        if not np.isfinite(dq).all():
            raise InputError(f'the step of {self.name} overflows: {shown(self._own_options)}')
        return dq

    def _scratch(self) -> np.ndarray:
        """Return a scratch array; a new one for each call, for thread safety."""
        return np.empty(self._scratch_size)

    def kernels(self) -> tuple[Kernel, ...]:
        """Return the entries that the solver can reach; see `Solver`."""
        return self._kernel, *super().kernels()

    def _start(self, q0: Any) -> np.ndarray:
        """Return q0 (n,) as a new array; the kernel brings it inside the limits."""
        if q0 is not None and not self._has_balls:
            start = numbers(q0, 'q0')
            if start.shape == self._shape:
                return start
        return super()._start(q0)

    def _solve(self, goal: Goal, q0: np.ndarray) -> Found:
        return self._solve_with(goal, q0, self.packed, self._soft)

    def _solve_with(self, goal: Goal, q0: np.ndarray, packed: Packed,
                    soft: Packed | None) -> Found:
        """Solve with settings; soft: those within the soft limits, which come first."""
        deadline = self._deadline()
        if soft is not None:
            q, outcome = self._search(goal, q0, deadline=deadline, packed=soft)
            if outcome[0] == CONVERGED:
                return self._found(goal, q0, q, outcome, deadline)
        q, outcome = self._search(goal, q0, deadline=deadline, packed=packed)
        return self._found(goal, q0, q, outcome, deadline)

    def _found(self, goal: Goal, q0: np.ndarray, q: np.ndarray, outcome: Outcome,
               deadline: float) -> Found:
        end, iterations, attempts, _, position, orientation = outcome
        if end == CONVERGED:
            return Verified(q, True, StopReason.CONVERGED, position, orientation, iterations,
                            attempts - 1)
        if end == INVALID:
            vector(q0, self.chain.n_joints, 'q0')  # raises the error
        return self._failed(goal, q, outcome, deadline)

    def _solve_many(self, goals: Sequence[Goal], starts: np.ndarray,
                    progress: Callable[[float], None]) -> list[Found]:
        one_by_one = type(self)._solve is not IterativeSolver._solve  # a subclass's own
        if one_by_one or self.options.timeout is not None or self._soft is not None or not goals:
            return super()._solve_many(goals, starts, progress)
        attempts = 1 + self.options.max_restarts
        configurations, outcomes = search_many(
            lambda poses, weights, starts, records, q: self._kernel(
                *self.packed, poses, weights, starts, 0, attempts, math.inf, self._scratch(),
                records, q),
            goals, starts, progress)
        return [self._found(goal, start, q, outcome, math.inf)
                for goal, start, q, outcome in zip(goals, starts, configurations, outcomes)]

    def _failed(self, goal: Goal, q: np.ndarray, outcome: Outcome, deadline: float) -> Found:
        """Return the best configuration of a failed search, and the reason."""
        end, iterations, attempts, _, position, orientation = outcome
        beyond, timed_out = end == BEYOND, end == TIMED_OUT
        if end in (STALLED, BEYOND) and not self.options.closest:
            end, position, orientation = self._approach(goal, q, deadline)
        if end == CONVERGED:
            reason = StopReason.CONVERGED
        elif timed_out:
            reason = StopReason.TIMEOUT
        elif beyond:
            reason = StopReason.UNREACHABLE
        else:
            reason = diagnose(self.chain, self.settings.length, goal, q, end)
        return Verified(q, end == CONVERGED, reason, position, orientation, iterations,
                        attempts - 1)

    def _approach(self, goal: Goal, q: np.ndarray,
                  deadline: float = math.inf) -> tuple[int, float, float]:
        """Continue from the best q (n,) of a failed search, in place, while the error falls.

        Attempts end as soon as a restart is more promising, usually before the least error. Return
        (how it ended, position error, orientation error).
        """
        patient = pack(self.chain.arrays, self._patient_settings())
        nearer = np.empty_like(q)
        before = goal_error(*patient, goal.pose, goal.weights, self._scratch(), q)
        record = np.empty(8)
        self._run(goal, q, 0, 1, deadline, self._scratch(), record, nearer, patient)
        after = outcome_of(record)
        if after[0] != CONVERGED and after[3] >= before[0]:
            return STALLED, before[1], before[2]
        q[:] = nearer
        return CONVERGED if after[0] == CONVERGED else STALLED, after[4], after[5]

    def _search(self, goal: Goal, q0: np.ndarray, attempts: int | None = None,
               deadline: float = math.inf,
               packed: Packed | None = None) -> tuple[np.ndarray, Outcome]:
        """Return q (n,) and the outcome of `search.search`.

        attempts: maximum number, by default that of the options. deadline: by time.perf_counter,
        s. packed: by default the solver's own.
        """
        last = 1 + self.options.max_restarts if attempts is None else attempts
        q, record, scratch = np.empty(self._shape), np.empty(8), self._scratch()
        record[3] = math.inf
        packed, attempt = packed or self.packed, 0
        try:
            while attempt < last:  # one at a time until machine code is ready
                until = last if self._kernel.is_ready else attempt + 1
                if self._run(goal, q0, attempt, until, deadline, scratch, record, q, packed):
                    break
                attempt = until
        except OutOfTimeError:
            if not record[3] < math.inf:  # the first attempt has not finished
                with unlimited():
                    q[:] = self._within(q0)
                    record[:] = STALLED, 0.0, 1.0, *goal_error(
                        *packed, goal.pose, goal.weights, scratch, q), 0.0, math.inf
            if record[0] != CONVERGED:
                record[0] = TIMED_OUT
        return q, outcome_of(record)

    def _within(self, q0: np.ndarray) -> np.ndarray:
        """Return q0 (n,) inside the limits."""
        q = q0.copy()
        into_limits(self.chain.arrays, q)
        return q

    def _run(self, goal: Goal, q0: np.ndarray, first: int, last: int, deadline: float,
             scratch: np.ndarray, record: np.ndarray, q: np.ndarray, packed: Packed) -> bool:
        """Call the kernel for one goal; see `search.search`."""
        return self._kernel(*packed, goal.pose[None], goal.weights, q0[None], first, last, deadline,
                           scratch, record[None], q[None])

    def _patient_settings(self) -> Settings:
        """Return the settings of `_approach`."""
        return self.settings._replace(patience=_PATIENT, progress=_HARDLY_ANY)

    def _soft_limits(self, table: StartTable) -> Packed | None:
        """Return chain and settings with limits narrowed by the margin; None without a margin."""
        if self.options.limit_margin == 0.0:
            return None
        return pack(self._soft_chain().arrays, self.settings, table)

    def _soft_chain(self) -> Chain:
        """Return the chain with limits narrowed by the margin."""
        lower, upper = self.chain.lower, self.chain.upper
        margin = np.where(lower < upper, self.options.limit_margin, 0.0)
        return self.chain.with_limits(lower + margin, upper - margin)

    def _settings(self) -> Settings:
        """Return the options as settings of the kernels."""
        n, ball = self.chain.n_joints, wrist_ball(self.chain.arrays)
        size = extent(self.chain.arrays)
        weights = self.options.joint_weights
        scale = np.ones(n)
        if weights is not None:
            scale /= np.sqrt(weights)
            scale /= scale.max()
        span = np.where(self.chain.prismatic, self.chain.upper - self.chain.lower, 0.0)
        return Settings(
            self.options.position_tolerance, self.options.orientation_tolerance,
            self.options.max_iterations, self.options.max_step, self.patience, self.progress,
            size.length_scale, size.reach, size.hole, ball.radius,
            PREFERENCES[self.options.prefer], size.centre, ball.wrist, ball.centre, scale, span,
            self._method_settings())

    def _method_settings(self) -> Any:
        """Return the method's own settings, a NamedTuple."""
        raise NotImplementedError
