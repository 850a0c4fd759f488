"""Proofs that no joint configuration meets a goal, by complete closed forms."""

import math

import numpy as np

from ik_node.model.chain import Chain
from ik_node.solvers.analytic.elbow import Elbow
from ik_node.solvers.found import Found
from ik_node.solvers.goal import Goal
from ik_node.solvers.options import SolverOptions
from ik_node.solvers.result import StopReason, task_singular_values

# A closed form that misses by less may miss by rounding, its own or the model's.
_CONFIRMED = 1e-9   # of the arm's length, and rad: tolerances that every branch meets
_BEYOND = 1e-6      # rad or m: a branch outside the limits by less may be inside
_NEAR_MISS = 1e-3   # of the arm's length, and rad
_TOLERANCES = 10.0  # the same, in multiples of the tolerance
_REGULAR = 1e-3     # smallest over largest singular value of a nonredundant configuration
_CONFIGURATIONS = 3  # random ones that are examined for that: a single one might be singular


class Infeasibility:
    """Decides whether the closed form proves that a goal cannot be met."""

    def __init__(self, chain: Chain, options: SolverOptions, length: float,
                 elbow: Elbow | None) -> None:
        """Prepare for a chain.

        length: the chain's length scale, m. elbow: the swivel angles, None without.
        """
        self._chain, self._options, self._length, self._elbow = chain, options, length, elbow
        self._random = np.random.default_rng(0).uniform(
            -1.0, 1.0, (_CONFIGURATIONS, chain.n_joints))

    def is_confirmed(self) -> bool:
        """Tell whether every branch meets the tolerances, in spite of rounding."""
        return (self._options.position_tolerance >= _CONFIRMED * self._length
                and self._options.orientation_tolerance >= _CONFIRMED)

    def swivel_reason(self, goal: Goal, best: Found) -> StopReason | None:
        """Return `reason` for an arm with a swivel angle: all angles are covered."""
        if self._elbow is None or self._is_near(best) or self._elbow.intervals_nearby(goal.pose):
            return None
        if not self._elbow.exists(goal.pose):
            return StopReason.UNREACHABLE
        return None if self._elbow.may_be_singular(goal.pose) else StopReason.LIMITS

    def reason(self, goal: Goal, best: Found, outside: np.ndarray) -> StopReason | None:
        """Return UNREACHABLE or LIMITS where that is proved; else None.

        The proof needs a miss larger than rounding explains, and that the arm has no self-motion.
        best: the nearest configuration found. outside (k, n): every branch, whatever the limits,
        none of them inside.
        """
        if self._is_near(best):
            return None
        regular = [self._is_regular(goal, q) for q in (outside if len(outside) else self._random)]
        if len(outside):
            beyond = min(self._limit_excess(q) for q in outside) > _BEYOND
            return StopReason.LIMITS if beyond and all(regular) else None
        return StopReason.UNREACHABLE if any(regular) else None

    def _is_near(self, best: Found) -> bool:
        """Tell whether a goal is missed by no more than rounding, or the tolerances, explain."""
        position = _TOLERANCES * self._options.position_tolerance
        orientation = _TOLERANCES * self._options.orientation_tolerance
        return not self.is_confirmed() or (
            best.position_error <= max(_NEAR_MISS * self._length, position)
            and best.orientation_error <= max(_NEAR_MISS, orientation))

    def _limit_excess(self, q: np.ndarray) -> float:
        """Return the largest distance of q (n,) from its limits, whole turns aside, rad or m."""
        most = 0.0
        for value, lower, upper, turns in zip(q.tolist(), self._chain.lower.tolist(),
                                              self._chain.upper.tolist(), self._chain.turns):
            excess = max(lower - value, value - upper)
            if turns and excess > 0.0:
                # a whole turn leads below the upper limit, or it is between that and the lower one
                above = (value - lower) % (2.0 * math.pi) - (upper - lower)
                excess = min(above, 2.0 * math.pi - (value - lower) % (2.0 * math.pi)) if (
                    math.isfinite(upper - lower)) else 0.0
            most = max(most, excess)
        return most

    def _is_regular(self, goal: Goal, q: np.ndarray) -> bool:
        """Tell whether every motion of the joints at q (n,) changes a constrained axis."""
        n = self._chain.n_joints
        values = task_singular_values(self._chain, goal, q, self._length)
        return len(values) == n and bool(values[-1] > _REGULAR * values[0])
