"""The initial guesses of attempts, for searches whose attempts are made elsewhere."""

import math

try:
    import cython
except ImportError:
    from ik_node.support import cython
import numpy as np

from ik_node.kinematics.forward import Chain
from ik_node.solvers import codes, restarts, search
from ik_node.solvers.entries import Verifier
from ik_node.solvers.restarts import Table
from ik_node.solvers.settings import Settings, Work
from ik_node.solvers.task import Task

INF = math.inf


class InitialGuesses(Verifier):
    """Initial guesses of a chain: the caller's, then those of `restarts.next_start`."""

    def __init__(self, chain: Chain, settings: Settings, table: Table) -> None:
        """Prepare for a chain."""
        super().__init__(chain)
        self.settings, self.table = settings, table

    def guess(self, T_base_goal: np.ndarray, weights: np.ndarray, q: np.ndarray,
              index: int) -> int:
        """Replace the caller's guess q (n,) by that of attempt `index`, 0 for the first.

        Return CONVERGED where it meets the goal, else BEYOND where the goal is out of reach, else
        EXHAUSTED. Where q is not finite it is left as it is: INVALID.
        """
        work = self.begin(T_base_goal, weights, q)
        task = work.task
        with cython.nogil:
            end = choose(self.chain, task, self.settings, self.table, work, index)
        if end != codes.INVALID:
            for k in range(self.chain.n):
                q[k] = work.q[k]
        self.idle.append(work)
        return end


def choose(chain: Chain, task: Task, settings: Settings, table: Table, work: Work,
           index: int) -> int:
    """Write a guess into work.q (n,); see `InitialGuesses.guess`."""
    n, q, start = chain.n, work.q, work.start
    for k in range(n):
        if not math.isfinite(work.q0[k]):
            return codes.INVALID
        start[k] = work.q0[k]
    search.into_limits(chain, start)
    if index == 0:
        for k in range(n):
            q[k] = start[k]
    else:
        entries = restarts.pick_entries(chain, task, settings, work, table, start)
        restarts.next_start(chain, settings, work, table, entries, index - 1, start, q)
    search.nearest_turn(chain, start, q)
    for k in range(n):  # rounding may exceed a limit
        q[k] = min(max(q[k], chain.lower[k]), chain.upper[k])
    error, position, orientation = search.residual(chain, task, work, q)
    if (error < INF and position <= settings.position_tolerance
            and orientation <= settings.orientation_tolerance):
        return codes.CONVERGED
    return codes.BEYOND if search.beyond_reach(task, settings) else codes.EXHAUSTED
