"""What a closed form finds at the poses around a goal, where rounding may hide it at the goal.

At a singular configuration two roots coincide, and a direction that another joint is computed from
vanishes: rounding decides whether there are roots at all, and what the direction is. At most poses
around the goal neither happens, and their branches lead to those of the goal.
"""

from collections.abc import Iterator

import numpy as np

from ik_node.kinematics.forward import ChainRecord
from ik_node.model.chain import Chain
from ik_node.solvers.analytic.plan import Plan
from ik_node.solvers.analytic.refinement.refiner import Refiner
from ik_node.solvers.goal import Goal
from ik_node.solvers.settings import Settings
from ik_node.spatial import rotation_exp

_POSES = 16        # around a goal, in opposite pairs
_AROUND = 1e-4     # rad, and of the arm's length: their distance from it
_MOST = 16         # branches that are refined
_NEAR = 1e-4       # rad, and of the length: a goal missed by less may be met
_SAME = 1e-2       # rad or m: branches at nearer joint values are the same


class Neighbourhood:
    """Branches of the nominal arm for the poses around a goal."""

    def __init__(self, chain: Chain, settings: Settings, length: float) -> None:
        """Prepare for a chain, and the settings of its solver; length: the chain's scale, m."""
        self._turns, self._length = chain.arrays.turns, length
        self._free = Refiner(ChainRecord(chain.without_limits().arrays), settings)
        half = np.random.default_rng(0).normal(size=(_POSES // 2, 6))
        half *= _AROUND / np.linalg.norm(half, axis=1)[:, None]
        self._shifts = np.concatenate([half, -half])
        self._shifts[:, :3] *= self._length

    def candidates(self, plan: Plan, goal: Goal, parameters: np.ndarray, q0: np.ndarray,
                   listed: np.ndarray) -> list[np.ndarray]:
        """Return the branches (n,) that nearly meet a goal, nearest first, whatever the limits.

        listed (k, n): branches that are left out. parameters (p,): of the plan. q0 (n,): reference
        for joints whose value makes no difference.
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
        misses = np.array([self._miss(goal, q) for q in found])
        order = np.argsort(misses, kind='stable')
        return [found[i] for i in order[:_MOST]]

    def hidden(self, goal: Goal, candidates: list[np.ndarray],
               listed: np.ndarray) -> Iterator[np.ndarray]:
        """Yield configurations (n,) that nearly meet a goal, and are none of the listed (k, n).

        Whatever the limits. candidates: of `candidates`, which are refined in place.
        """
        for q in candidates:
            position, orientation = self._free.refine(goal.pose, goal.weights, q)
            if max(position / self._length, orientation) < _NEAR and not self._is_among(
                    q[None], listed)[0]:
                yield q

    def _miss(self, goal: Goal, q: np.ndarray) -> float:
        """Return by how much q (n,) misses a goal, rad, and in lengths of the arm."""
        _, position, orientation = self._free.errors(goal.pose, goal.weights, q)
        return max(position / self._length, orientation)

    def _is_among(self, found: np.ndarray, listed: np.ndarray) -> np.ndarray:
        """Return which of some configurations (m, n) are listed ones (k, n), whole turns aside."""
        off = found[:, None] - listed
        off -= np.where(self._turns, 2.0 * np.pi * np.round(off / (2.0 * np.pi)), 0.0)
        among: np.ndarray = (np.abs(off).max(axis=2) < _SAME).any(axis=1)
        return among
