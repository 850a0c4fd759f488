"""Proofs that no joint configuration meets a goal, by complete closed forms.

At a singular configuration two roots coincide, and a direction that another joint is computed from
vanishes: rounding decides whether there are roots at all, and what the direction is. At most poses
around the goal neither happens, and their branches lead to those of the goal.
"""

from collections.abc import Iterator

import numpy as np

from ik_node.model.chain import Chain
from ik_node.solvers.analytic.elbow import Elbow
from ik_node.solvers.analytic.goal_closed_form import Plan
from ik_node.solvers.analytic.refinement.refinement import Refiner
from ik_node.solvers.goal import Goal, task_singular_values
from ik_node.solvers.kernel.settings import Settings
from ik_node.solvers.options import SolverOptions
from ik_node.solvers.result import StopReason
from ik_node.solvers.solver_output import Found
from ik_node.spatial import rotation_exp

# A closed form that misses by less may miss by rounding, its own or the model's.
_CONFIRMED = 1e-9   # of the arm's length, and rad: tolerances that every branch meets
_BEYOND = 1e-6      # rad or m: a branch outside the limits by less may be inside
_NEAR_MISS = 1e-3   # of the arm's length, and rad
_TOLERANCES = 10.0  # the same, in multiples of the tolerance
_REGULAR = 1e-3     # smallest over largest singular value of a nonredundant configuration
_CONFIGURATIONS = 3  # random ones that are examined for that: a single one might be singular

_POSES = 16        # around a goal, in opposite pairs
_AROUND = 1e-4     # rad, and of the arm's length: their distance from it
_MOST = 16         # branches that are refined
_NEAR = 1e-4       # rad, and of the length: a goal missed by less may be met
_SAME = 1e-2       # rad or m: branches at nearer joint values are the same


class Infeasibility:
    """Decides whether the closed form proves that a goal cannot be met."""

    def __init__(self, chain: Chain, options: SolverOptions, settings: Settings,
                 elbow: Elbow | None) -> None:
        """Prepare for a chain, and the settings of its solver; elbow: swivel angles, or None."""
        self._chain, self._options, self._length, self._elbow = (
            chain, options, settings.length, elbow)
        self._random = np.random.default_rng(0).uniform(
            -1.0, 1.0, (_CONFIGURATIONS, chain.n_joints))
        self._free = Refiner(chain.without_limits().record, settings)
        half = np.random.default_rng(0).normal(size=(_POSES // 2, 6))
        half *= _AROUND / np.linalg.norm(half, axis=1)[:, None]
        self._shifts = np.concatenate([half, -half])
        self._shifts[:, :3] *= self._length

    def is_confirmed(self) -> bool:
        """Tell whether every branch meets the tolerances, in spite of rounding."""
        return (self._options.position_tolerance >= _CONFIRMED * self._length
                and self._options.orientation_tolerance >= _CONFIRMED)

    @property
    def is_loose(self) -> bool:
        """Whether the tolerances are so large that a search may miss what is within them.

        Nothing is proved then: poses within them may have branches where the goal has none.
        """
        return (_TOLERANCES * self._options.position_tolerance > _NEAR_MISS * self._length
                or _TOLERANCES * self._options.orientation_tolerance > _NEAR_MISS)

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
            beyond = all(self._is_beyond(goal, q) for q in outside)
            # Fewer joints than axes may meet by others a goal that these meet roughly.
            beyond = beyond and (self._chain.n_joints >= 6 or all(
                self._miss(goal, q) <= _CONFIRMED for q in outside))
            return StopReason.LIMITS if beyond and all(regular) else None
        return StopReason.UNREACHABLE if any(regular) else None

    def _is_near(self, best: Found) -> bool:
        """Tell whether a goal is missed by no more than rounding, or the tolerances, explain."""
        return self.is_loose or not self.is_confirmed() or (
            best.position_error <= _NEAR_MISS * self._length
            and best.orientation_error <= _NEAR_MISS)

    def _is_beyond(self, goal: Goal, q: np.ndarray) -> bool:
        """Tell whether all that is near a branch q (n,) and meets the tolerances exceeds limits.

        An error e of the pose moves joints by at most |e|/σ, σ the smallest singular value.
        """
        least = task_singular_values(self._chain, goal, q, self._length)[-1]
        allowed = self._tolerance * goal.weights.max()
        excess = np.maximum(self._chain.lower - q, q - self._chain.upper).max()
        return bool(excess * least > max(_BEYOND * least, allowed))

    @property
    def _tolerance(self) -> float:
        """A bound of errors within the tolerances, rad, and of the arm's length."""
        return _TOLERANCES * (self._options.position_tolerance / self._length
                              + self._options.orientation_tolerance)

    def is_missed(self, goal: Goal, relaxed: Goal, branches: np.ndarray) -> bool:
        """Tell whether the branches (k, n) of a relaxed goal prove that a goal cannot be met.

        relaxed: the goal without as many rotations as the arm has fewer joints than six. What
        meets the goal within the tolerances is near a branch of it, see `_is_beyond`, which then
        misses the goal by little.
        """
        for q in branches:
            if not self._is_regular(relaxed, q):
                return False
            largest = task_singular_values(self._chain, goal, q, self._length)[0]
            least = task_singular_values(self._chain, relaxed, q, self._length)[-1]
            if self._miss(goal, q) <= max(_NEAR_MISS, self._tolerance * (1.0 + largest / least)):
                return False
        return True

    def _is_regular(self, goal: Goal, q: np.ndarray) -> bool:
        """Tell whether every motion of the joints at q (n,) changes a constrained axis."""
        n = self._chain.n_joints
        values = task_singular_values(self._chain, goal, q, self._length)
        return len(values) == n and bool(values[-1] > _REGULAR * values[0])

    def hidden(self, plan: Plan, goal: Goal, parameters: np.ndarray, q0: np.ndarray,
               listed: np.ndarray) -> Iterator[np.ndarray]:
        """Yield configurations (n,) that nearly meet a goal, nearest first, whatever the limits.

        Rounding may hide at a goal the branches of the poses around it. They are none of the listed
        (k, n). parameters (p,): of the plan. q0 (n,): reference for joints whose value makes no
        difference.
        """
        poses = np.tile(goal.pose, (1 + _POSES, 1, 1))
        for pose, shift in zip(poses[1:], self._shifts):
            pose[:3, 3] += shift[:3]
            pose[:3, :3] = rotation_exp(shift[3:]) @ pose[:3, :3]
        found = plan.loose.branches(poses, parameters, q0)
        found = found[np.isfinite(found).all(axis=1)]
        found = found[~self._is_among(found, listed)]
        # Of branches that are the same, one is kept.
        found = found[np.unique(np.round(found / _SAME), axis=0, return_index=True)[1]]
        for q in sorted(found, key=lambda q: self._miss(goal, q))[:_MOST]:
            self._free.refine(goal.pose, goal.weights, q)
            if self._miss(goal, q) < _NEAR and not self._is_among(q[None], listed)[0]:
                yield q

    def _miss(self, goal: Goal, q: np.ndarray) -> float:
        """Return the larger error of a goal at q (n,), rad, and of the arm's length."""
        _, position, orientation = self._free.errors(goal.pose, goal.weights, q)
        return max(position / self._length, orientation)

    def _is_among(self, found: np.ndarray, listed: np.ndarray) -> np.ndarray:
        """Return which of some configurations (m, n) are listed ones (k, n), whole turns aside."""
        off = found[:, None] - listed
        off -= np.where(self._chain.arrays.turns, 2.0 * np.pi * np.round(off / (2.0 * np.pi)), 0.0)
        among: np.ndarray = (np.abs(off).max(axis=2) < _SAME).any(axis=1)
        return among
