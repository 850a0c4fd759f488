"""The solvers that iterate: the whole search runs in one kernel."""

import math
import time
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from ik_node._arrays import numbers, vector
from ik_node._jit import compiled
from ik_node.exceptions import OptionError
from ik_node.kinematics.reach import reach, wrist_ball
from ik_node.model.chain import Chain
from ik_node.solvers.base import Found, Solver
from ik_node.solvers.batch import search_many
from ik_node.solvers.diagnosis import diagnose
from ik_node.solvers.goal import Goal, as_goal
from ik_node.solvers.packing import Packed, pack
from ik_node.solvers.result import StopReason
from ik_node.solvers.search import Kernels, Outcome, begin, goal_error, outcome_of
from ik_node.solvers.settings import (
    BEYOND,
    CONVERGED,
    FIRST,
    INVALID,
    LIMITS,
    MANIPULABILITY,
    NEAREST,
    STALLED,
    Settings,
    make_scratch,
)
from ik_node.solvers.starts import low_discrepancy

_MOST_SAMPLES = 10_000_000  # numbers that say where restarts begin, 80 MB
# Of the way on from the best posture: iterations to wait, and what counts as progress meanwhile.
_PATIENT = 20
_HARDLY_ANY = 0.999

PREFERENCES = {'nearest': NEAREST, 'first': FIRST, 'manipulability': MANIPULABILITY,
                'limits': LIMITS}


class IterativeSolver(Solver):
    """A solver whose iterations run in kernels; subclasses say in which and with what settings."""

    kernels: ClassVar[Kernels]
    patience: ClassVar[int] = 5
    progress: ClassVar[float] = 0.5

    def __init__(self, chain: Chain, **options: Any) -> None:
        """Prepare to solve for a chain; see `Solver`."""
        super().__init__(chain, **options)
        most = _MOST_SAMPLES // chain.n_joints
        if self.options.max_restarts > most:
            raise OptionError(f'max_restarts must be at most {most} for an arm of '
                              f'{chain.n_joints} joints, not {self.options.max_restarts}')
        self.centre, self.reach = reach(self.chain.arrays)
        self.settings = self._settings()
        self.packed = pack(self.chain.arrays, self.settings)
        self._scratch_size = len(make_scratch(len(self.chain.arrays.column), chain.n_joints))
        self._soft = self._soft_limits()
        self.samples = low_discrepancy(self.options.max_restarts, chain.n_joints,
                                       self.options.seed)

    def step(self, goal: Any, q: Sequence[float] | np.ndarray) -> np.ndarray:
        """Return one bare step Δq (n,) of the method from q (n,): no limits, no line search.

        For ccd a step is a sweep over all joints. Raises InputError for a malformed goal or q.
        """
        start = vector(q, self.chain.n_joints, 'q')
        dq = np.zeros(self.chain.n_joints)
        goal = as_goal(goal)
        self.kernels.step(*self.packed, goal.pose, goal.weights, self.scratch(), start, dq)
        return dq

    def scratch(self) -> np.ndarray:
        """Return what a kernel works in; one for each call, so that threads do not meet."""
        return np.zeros(self._scratch_size)

    def compiled(self) -> bool:
        """Tell whether the kernels are on disk; see `Solver.compiled`."""
        timed = self.options.timeout is not None
        return compiled((self.kernels.resume if timed else self.kernels.search).__name__)

    def _start(self, q0: Any) -> np.ndarray:
        """Return q0 (n,) as a new array; the kernel brings it inside the limits."""
        if q0 is None or self.chain.has_balls:
            return super()._start(q0)
        start = numbers(q0, 'q0')
        return start if start.shape == self._shape else super()._start(q0)

    def _solve(self, goal: Goal, q0: np.ndarray) -> Found:
        timeout = self.options.timeout
        deadline = None if timeout is None else time.perf_counter() + timeout
        if self._soft is not None:
            q, outcome, timed_out = self.search(goal, q0, deadline=deadline, packed=self._soft)
            if outcome[0] == CONVERGED:
                return self._found(goal, q0, q, outcome, timed_out)
        return self._found(goal, q0, *self.search(goal, q0, deadline=deadline))

    def _found(self, goal: Goal, q0: np.ndarray, q: np.ndarray, outcome: Outcome,
               timed_out: bool) -> Found:
        end, iterations, attempts, _, position, orientation = outcome
        if end == CONVERGED:
            return Found(q, True, StopReason.CONVERGED, position, orientation, iterations,
                         attempts - 1)
        if end == INVALID:
            vector(q0, self.chain.n_joints, 'q0')  # says what is wrong with it
        return self._failed(goal, q0, q, outcome, timed_out)

    def _solve_many(self, goals: Sequence[Goal], starts: np.ndarray,
                    progress: Callable[[float], None]) -> list[Found]:
        if self.options.timeout is not None or self._soft is not None or not goals:
            return super()._solve_many(goals, starts, progress)
        postures, outcomes = search_many(self, goals, starts, progress)
        return [self._found(goal, start, q, outcome, False)
                for goal, start, q, outcome in zip(goals, starts, postures, outcomes)]

    def _failed(self, goal: Goal, q0: np.ndarray, q: np.ndarray, outcome: Outcome,
                timed_out: bool) -> Found:
        """Return why a search failed, and the best there is instead."""
        end, iterations, attempts, _, position, orientation = outcome
        beyond = end == BEYOND
        if end in (STALLED, BEYOND) and not timed_out and not self.options.closest:
            end, position, orientation = self._go_on(goal, q)
        if end == CONVERGED:
            reason = StopReason.CONVERGED
        elif timed_out:
            reason = StopReason.TIMEOUT
        elif beyond:
            reason = StopReason.UNREACHABLE
        else:
            reason = diagnose(self, goal, q0, q, end)
        return Found(q, end == CONVERGED, reason, position, orientation, iterations, attempts - 1)

    def _go_on(self, goal: Goal, q: np.ndarray) -> tuple[int, float, float]:
        """Go on, in place, from the best q (n,) of a search that gave up, until it gains no more.

        An attempt is given up as soon as another promises more; where the error is smallest is
        another question. Return (how it ended, position error, orientation error).
        """
        patient = pack(self.chain.arrays, self.settings._replace(
            patience=_PATIENT, progress=_HARDLY_ANY))
        nearer = np.empty_like(q)
        before = goal_error(*patient, goal.pose, goal.weights, self.scratch(), q)
        after = self.kernels.search(*patient, goal.pose, goal.weights, q, self.samples, 1,
                                    self.scratch(), nearer)
        if after[0] != CONVERGED and after[3] >= before[0]:
            return STALLED, before[1], before[2]
        q[:] = nearer
        return CONVERGED if after[0] == CONVERGED else STALLED, after[4], after[5]

    def search(self, goal: Goal, q0: np.ndarray, attempts: int | None = None,
               deadline: float | None = None,
               packed: Packed | None = None) -> tuple[np.ndarray, Outcome, bool]:
        """Return (q (n,), the outcome of `search.search`, whether the time ran out).

        attempts: how many at the most, instead of all that the options allow. deadline: when the
        time is over, by time.perf_counter. packed: instead of the solver's own.
        """
        last = 1 + self.options.max_restarts if attempts is None else attempts
        q = np.empty(self._shape)
        asked = (*(packed or self.packed), goal.pose, goal.weights, q0, self.samples)
        if deadline is None:
            return q, self.kernels.search(*asked, last, self.scratch(), q), False
        known, scratch = np.empty(8), self.scratch()
        begin(known)
        timed_out = False
        for attempt in range(last):
            timed_out = attempt > 0 and time.perf_counter() >= deadline
            if timed_out or self.kernels.resume(
                    *asked, attempt, attempt + 1, known, scratch, q):
                break
        return q, outcome_of(known), timed_out and known[0] != CONVERGED

    def _soft_limits(self) -> Packed | None:
        """Return chain and settings within limits drawn in by the margin; None without one."""
        if self.options.limit_margin == 0.0:
            return None
        lower, upper = self.chain.lower, self.chain.upper
        margin = np.minimum(self.options.limit_margin, 0.5 * (upper - lower))
        soft = self.chain.with_limits(lower + margin, upper - margin)
        return pack(soft.arrays, self.settings)

    def _settings(self) -> Settings:
        """Return the options as the kernels take them."""
        n, ball = self.chain.n_joints, wrist_ball(self.chain.arrays)
        weights = self.options.joint_weights
        scale = np.ones(n)
        if weights is not None:
            scale /= np.sqrt(weights)
            scale /= scale.max()
        return Settings(
            self.options.position_tolerance, self.options.orientation_tolerance,
            self.options.max_iterations, self.options.max_step, self.patience, self.progress,
            self.reach if math.isfinite(self.reach) and self.reach > 0.0 else 1.0, self.reach,
            ball.radius, PREFERENCES[self.options.prefer], self.centre, ball.wrist, ball.centre,
            scale, self._method_settings())

    def _method_settings(self) -> Any:
        """Return what only the method's kernels know, a NamedTuple."""
        raise NotImplementedError
