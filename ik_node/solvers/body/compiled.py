"""Levels of built-in tasks, evaluated and searched by kernels."""

import math
import time
from collections.abc import Sequence

import numpy as np

from ik_node import _jit
from ik_node.solvers.body.descent_kernels import (
    BOTH,
    CONVERGED,
    DESCEND,
    EXHAUSTED,
    RUNNING,
    STALLED,
    VERIFY,
    attempt,
)
from ik_node.solvers.body.level_kernels import rows_of_level
from ik_node.solvers.body.packing import PackedTasks
from ik_node.solvers.body.space import Attempt
from ik_node.solvers.result import StopReason

KERNELS = (attempt, rows_of_level)
_CHUNK = 8  # iterations from one look at the clock to the next
_FOREVER = 10**9


class PackedLevel:
    """Some tasks of `PackedTasks` as one level.

    - `packed`: all tasks; `indices`: of those of the level; `codes`: see `PackedTasks.level`.
    """

    def __init__(self, packed: PackedTasks, indices: Sequence[int]) -> None:
        """Take the indices of the tasks, all of them switched on."""
        self.packed, self.indices = packed, tuple(indices)
        self.codes = packed.level(indices)
        self._settling = self.codes.copy()
        self._settling[2] = 1
        self._rows, self._joints = int(self.codes[0]), int(packed.codes[1])

    def rows(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray, float, bool]:
        """Return A (m, n), e (m,), cost and whether all is met at q (n,); see `LevelRows`."""
        packed = self.packed
        A, e, summary = np.empty((self._joints, self._rows)), np.empty(self._rows), np.empty(2)
        rows_of_level(packed.codes, packed.numbers, self.codes, packed.scratch(), q, A, e, summary)
        return A.T, e, float(summary[0]), bool(summary[1])

    def descend(self, q: np.ndarray, end: float, settles: bool) -> Attempt:
        """Search from q (n,); see `descent.descend`. end: of the time, s; see `Space`."""
        q, misses = q.copy(), np.empty((0, 2))
        state = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, DESCEND])
        reason = self._run(state, q, q, misses, end, self._settling if settles else self.codes)
        return Attempt(q, reason, int(state[0]))

    def solve(self, q: np.ndarray, start: np.ndarray, end: float) -> tuple[
            Attempt, bool, list[list[float]]]:
        """Search from q (n,) and verify; return also whether all is met, and what tasks miss.

        Continuous joints end at the turn nearest to start (n,).
        """
        q, misses = q.copy(), np.empty((len(self.packed.tasks), 2))
        state = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, BOTH])
        reason = self._run(state, start, q, misses, end, self.codes)
        if reason is StopReason.TIMEOUT:
            state[6] = VERIFY
            with _jit.unlimited():
                self._run(state, start, q, misses, math.inf, self.codes)
        return Attempt(q, reason, int(state[0])), bool(state[5]), misses.tolist()

    def _run(self, state: np.ndarray, start: np.ndarray, q: np.ndarray, misses: np.ndarray,
             end: float, codes: np.ndarray) -> StopReason:
        packed = self.packed
        scratch, indices = packed.scratch(), np.empty(2 * packed.rows + len(q), dtype=np.int64)
        while True:
            if not attempt.is_ready:  # plain Python, which a time limit may interrupt
                state[4] = state[0] + 1.0
            else:
                state[4] = _FOREVER if end == math.inf else state[0] + _CHUNK
            try:
                status = attempt(packed.codes, packed.numbers, codes, state, scratch,
                                 indices, start, q, misses)
            except _jit.OutOfTimeError:
                return StopReason.TIMEOUT
            if status != RUNNING:
                return _REASONS[status]
            if time.perf_counter() >= end:
                return StopReason.TIMEOUT


_REASONS = {CONVERGED: StopReason.CONVERGED, EXHAUSTED: StopReason.ITERATIONS,
            STALLED: StopReason.STALLED}
