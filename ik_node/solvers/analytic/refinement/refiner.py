"""Refinement of a configuration to full precision, and its errors, for Python."""

try:
    import cython
except ImportError:
    from ik_node.support import cython

from ik_node.kinematics.forward import ChainRecord
from ik_node.solvers import search
from ik_node.solvers.analytic.refinement import precision
from ik_node.solvers.settings import Scratch, Settings
from ik_node.support import checks
from ik_node.support.arrays import InputMatrix, InputVector, OutputVector


class Refiner:
    """Refines for one chain. Threads may use it at the same time: each has its own `Scratch`."""

    def __init__(self, chain: ChainRecord, settings: Settings) -> None:
        """Prepare for a chain, and the tolerances in settings."""
        self.chain, self.settings = chain, settings
        self.idle = [Scratch(chain.m, chain.n)]

    def refine(self, T_base_goal: InputMatrix, weights: InputVector, q: OutputVector) -> tuple:
        """Refine q (n,) in place, where that is better: see `precision.refine_to_precision`.

        Return (position error, orientation error), m and rad. T_base_goal (4, 4), m, weights (6,):
        of a checked goal. Raises ValueError for arrays of other lengths.
        """
        work = self._begin(T_base_goal, weights, q)
        with cython.nogil:
            position, orientation = precision.refine_to_precision(
                self.chain, work.task, self.settings, work, work.best)
        for k in range(self.chain.n):
            q[k] = work.best[k]
        self.idle.append(work)
        return position, orientation

    def errors(self, T_base_goal: InputMatrix, weights: InputVector, q: InputVector) -> tuple:
        """Return (squared weighted error, position error, orientation error) at q (n,).

        In m² and rad², m and rad. Arguments as for `refine`.
        """
        work = self._begin(T_base_goal, weights, q)
        error, position, orientation = search.residual(self.chain, work.task, work, work.best)
        self.idle.append(work)
        return error, position, orientation

    def _begin(self, T_base_goal: InputMatrix, weights: InputVector, q: InputVector) -> Scratch:
        """Return scratch arrays that no other thread uses, with the goal, and q as the best."""
        checks.check_lengths(T_base_goal.shape[0] == 4 and T_base_goal.shape[1] == 4
                             and weights.shape[0] == 6 and q.shape[0] == self.chain.n)
        try:
            work = self.idle.pop()
        except IndexError:
            work = Scratch(self.chain.m, self.chain.n)
        search.load_goal(work.task, T_base_goal, weights)
        for k in range(self.chain.n):
            work.best[k] = q[k]
        return work
