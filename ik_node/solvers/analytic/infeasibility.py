"""Proofs that no joint configuration meets a goal, by complete closed forms."""

from collections.abc import Callable

import numpy as np

from ik_node.model.chain import Chain
from ik_node.solvers.analytic.elbow import Elbow
from ik_node.solvers.analytic.plan import Plan
from ik_node.solvers.found import Found
from ik_node.solvers.goal import Goal
from ik_node.solvers.options import SolverOptions
from ik_node.solvers.result import StopReason, task_singular_values
from ik_node.solvers.search import into_limits

# A closed form that misses by less may miss by rounding, its own or the model's.
_CONFIRMED = 1e-9   # of the arm's length, and rad: tolerances that every branch meets
_BEYOND = 1e-6      # rad or m: a branch outside the limits by less may be inside
_NEAR_MISS = 1e-3   # of the arm's length, and rad
_TOLERANCES = 10.0  # the same, in multiples of the tolerance
_REGULAR = 1e-3     # smallest over largest singular value of a nonredundant configuration
_CONFIGURATIONS = 3  # random ones that are examined for that: a single one might be singular


class Infeasibility:
    """Decides whether the closed form proves that a goal cannot be met."""

    def __init__(self, chain: Chain, options: SolverOptions, length: float, whole: Plan,
                 elbow: Elbow | None) -> None:
        """Prepare for a chain.

        length: the chain's length scale, m. whole: the plan for all six axes; elbow: its swivel
        angles, None without.
        """
        self._chain, self._options, self._length = chain, options, length
        self._whole, self._elbow = whole, elbow
        self._random = np.random.default_rng(0).uniform(
            -1.0, 1.0, (_CONFIGURATIONS, chain.n_joints))

    def reason(self, plan: Plan, goal: Goal, best: Found,
               branches: Callable[[], np.ndarray]) -> StopReason | None:
        """Return UNREACHABLE or LIMITS where that is proved; else None.

        The proof needs a complete list of branches and a miss larger than rounding explains:
        either the arm has no self-motion, or all swivel angles are covered. best: the nearest
        configuration found. branches: returns every branch (k, n), whatever the limits.
        """
        options = self._options
        length = self._length
        if (not plan.complete or options.position_tolerance < _CONFIRMED * length
                or options.orientation_tolerance < _CONFIRMED):
            return None  # tighter ones may reject a branch that exists
        if (best.position_error <= max(_NEAR_MISS * length,
                                       _TOLERANCES * options.position_tolerance)
                and best.orientation_error <= max(_NEAR_MISS,
                                                  _TOLERANCES * options.orientation_tolerance)):
            return None
        if plan.swivels:
            if self._elbow is None or plan is not self._whole:
                return None
            if not self._elbow.exists(goal.pose):
                return StopReason.UNREACHABLE
            return None if self._elbow.may_be_singular(goal.pose) else StopReason.LIMITS
        outside = branches()
        examined = outside if len(outside) else self._random
        regular = [self._is_regular(goal, q) for q in examined]
        if len(outside):
            beyond = min(self._limit_excess(q) for q in outside) > _BEYOND
            return StopReason.LIMITS if beyond and all(regular) else None
        return StopReason.UNREACHABLE if any(regular) else None

    def _limit_excess(self, q: np.ndarray) -> float:
        """Return the largest distance of q (n,) from its limits, whole turns aside, rad or m."""
        inside = q.copy()
        into_limits(self._chain.arrays, inside)
        off = inside - q
        off -= np.where(self._chain.arrays.turns, 2.0 * np.pi * np.round(off / (2.0 * np.pi)), 0.0)
        return float(np.abs(off).max())

    def _is_regular(self, goal: Goal, q: np.ndarray) -> bool:
        """Tell whether every motion of the joints at q (n,) changes a constrained axis."""
        n = self._chain.n_joints
        values = task_singular_values(self._chain, goal, q, self._length)
        return len(values) == n and bool(values[-1] > _REGULAR * values[0])
