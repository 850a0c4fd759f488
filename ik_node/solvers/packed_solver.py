"""Base class of the solvers whose whole search is one numba kernel."""

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from ik_node._arrays import vector
from ik_node._jit import Kernel, OutOfTimeError, unlimited
from ik_node.exceptions import InputError, shown
from ik_node.solvers.diagnosis import diagnose
from ik_node.solvers.found import Found, Verified
from ik_node.solvers.goal import Goal, as_goal
from ik_node.solvers.iterative import IterativeSolver
from ik_node.solvers.packing import Packed, pack
from ik_node.solvers.result import StopReason
from ik_node.solvers.search import STEP, Outcome, goal_error, into_limits, outcome_of
from ik_node.solvers.settings import (
    BEYOND,
    CONVERGED,
    INVALID,
    STALLED,
    TIMED_OUT,
    make_scratch,
)
from ik_node.solvers.start_table import start_table


class PackedSolver(IterativeSolver):
    """A solver whose iterations run in a numba kernel; subclasses define it and its settings."""

    _kernel: ClassVar[Kernel]

    def _prepare_search(self) -> None:
        self._scratch_size = len(make_scratch(len(self.chain.arrays.column), self.chain.n_joints))
        self._soft = self._soft_limits()

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

    def _solve(self, goal: Goal, q0: np.ndarray) -> Found:
        return self._solve_packed(goal, q0, self.packed, self._soft)

    def _solve_packed(self, goal: Goal, q0: np.ndarray, packed: Packed,
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

    def _soft_limits(self) -> Packed | None:
        """Return chain and settings with limits narrowed by the margin; None without a margin."""
        if self.options.limit_margin == 0.0:
            return None
        table = start_table(self.chain, self.options.max_restarts, self.options.seed)
        return pack(self._soft_chain().arrays, self.settings, table)
