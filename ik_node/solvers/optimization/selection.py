"""Selection among the solutions of several attempts, as `solvers.search` has it."""

import math

import numpy as np

from ik_node.model.chain import Chain
from ik_node.solvers.codes import FIRST, LIMITS, MANIPULABILITY, NEAREST
from ik_node.solvers.goal import Goal
from ik_node.solvers.result import task_singular_values

_SOLUTIONS = 4     # that are compared
_FAR_NEARER = 0.5  # of the squared distance of the nearest solution: worth one more attempt


class Selection:
    """Keeps the least selection cost of the solutions found so far.

    `q0`: the initial guess (n,), inside the limits; `count`: the number of solutions.
    """

    q0: np.ndarray

    def __init__(self, chain: Chain, goal: Goal, prefer: int, unit: np.ndarray) -> None:
        """Begin without solutions; unit (n,): what counts as a radian of each joint."""
        self._chain, self._goal, self._prefer, self._unit = chain, goal, prefer, unit
        self._least, self.count = math.inf, 0

    def prefers(self, q: np.ndarray) -> bool:
        """Count a solution (n,); tell whether it is the best so far."""
        cost = self._cost(q)
        self.count += 1
        if self.count > 1 and not cost < self._least:
            return False
        self._least = cost
        return True

    def is_enough(self, index: int) -> bool:
        """Tell whether the search is over after the attempt `index` has found a solution."""
        return (self._prefer == FIRST or self.count == _SOLUTIONS
                or (self._prefer == NEAREST and index == 0))

    def is_complete(self, start: np.ndarray) -> bool:
        """Tell whether the next initial guess (n,) promises no solution much nearer to q0."""
        return (self._prefer == NEAREST and self.count > 0
                and self._distance(start) >= _FAR_NEARER * self._least)

    def _distance(self, q: np.ndarray) -> float:
        """Return the squared distance of q (n,) from q0, as `preference.joint_distance` does."""
        return float(np.square((q - self.q0) / self._unit).sum())

    def _cost(self, q: np.ndarray) -> float:
        """Return the selection cost of q (n,); see `preference.selection_cost`."""
        prefer, lower, upper = self._prefer, self._chain.lower, self._chain.upper
        if prefer == NEAREST:
            return self._distance(q)
        if prefer == LIMITS:
            limited = np.isfinite(upper - lower) & (lower < upper)
            half = 0.5 * (upper - lower)[limited]
            off = np.abs(q[limited] - lower[limited] - half) / half
            return float(off.max(initial=0.0))
        if prefer == MANIPULABILITY:
            constrained = Goal(self._goal.position, self._goal.orientation,
                               self._goal.weights > 0.0)
            sigma = task_singular_values(self._chain, constrained, q)
            full = len(sigma) == int((self._goal.weights > 0.0).sum())
            return -float(np.prod(sigma)) if full else 0.0
        return 0.0
