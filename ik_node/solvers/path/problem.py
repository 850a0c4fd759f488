"""The problem of a path, and local solutions for many of its poses at once."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ik_node.collision.model import CollisionModel
from ik_node.kinematics.reach import extent
from ik_node.model.chain import Chain
from ik_node.solvers.goal import Goal
from ik_node.solvers.path.projection import Projection
from ik_node.support import clock

_TURN = 2.0 * math.pi
_ROUNDING = 1e-12  # rad or m: of a step
_CHOOSING, _CHOOSING_EACH = 8e-4, 1.2e-5  # s, and s for each pose


class PathProblem(NamedTuple):
    """Poses for a chain, and what a path through them may do."""

    chain: Chain
    projection: Projection
    poses: np.ndarray       # (m, 4, 4) T_base_goal, m
    weights: np.ndarray     # (m, 6) of the goals
    tolerances: np.ndarray  # (2,) m and rad
    scale: np.ndarray       # (n,) see `travel_scale`
    margin: float           # soft distance from the limits, rad or m
    q0: np.ndarray | None   # (n,) the configuration before the first pose, or None
    joined: bool            # whether the step from q0 is limited as the others are
    most: float             # largest step of a joint from pose to pose, rad or m
    solve: Callable[[int, np.ndarray], Any]  # the solver's verified `Found` for pose i from (n,)
    seed: int
    deadline: float  # of time.perf_counter(), s: after it no more candidates are looked for
    collisions: CollisionModel | None = None  # what a path does not touch
    bound: Any = math.inf  # largest step of each joint, from q0 too, rad or m: a number or (n,)

    @property
    def is_late(self) -> bool:
        """Whether the deadline is over, or the search is cancelled."""
        return clock.is_over(self.deadline)

    @property
    def anchored(self) -> int:
        """1 where the path begins at q0, else 0."""
        return int(self.q0 is not None)

    def too_far(self, steps: np.ndarray) -> np.ndarray:
        """Return (m,) whether steps (m, n) to each pose are longer than they may be."""
        longest = np.full(steps.shape, self.most)
        if not self.joined:  # travel from q0 to the first may be of any size
            longest[:1] = math.inf
        far: np.ndarray = (np.abs(steps) > np.minimum(longest, self.bound) + _ROUNDING).any(axis=1)
        return far

    def errors(self, q: np.ndarray) -> np.ndarray:
        """Return (m, 2) position and orientation errors, m and rad, at q (m, n)."""
        errors = np.empty((len(q), 2))
        self.projection.near(self.poses, self.weights, q, errors, math.inf, False)
        return errors

    def is_free(self, q: np.ndarray) -> bool:
        """Tell whether q (n,) touches nothing, where that matters."""
        return self.collisions is None or self.collisions.is_free(q)

    def blocked(self, q: np.ndarray, cyclic: np.ndarray | None = None) -> np.ndarray:
        """Return (m,) whether the step to each of q (m, n) comes too near to contact.

        On the straight line from the one before; steps above the largest are not looked at.
        cyclic: (n,) joints whose steps are measured but for whole turns.
        """
        found = np.zeros(len(q), dtype=bool)
        if self.collisions is None or len(q) < 2:
            return found
        steps = np.diff(q, axis=0)
        if cyclic is not None:
            steps[:, cyclic] -= _TURN * np.round(steps[:, cyclic] / _TURN)
        with np.errstate(invalid='ignore'):
            ends = np.flatnonzero(~(np.abs(steps).max(axis=1) <= self.most)).tolist()
        for first, last in zip([0, *(i + 1 for i in ends)], [*ends, len(steps)]):
            while first < last:
                ahead = q[first] + np.cumsum(steps[first:last], axis=0)
                part = self.collisions.free_part(np.concatenate([q[first:first + 1], ahead]))
                if part == math.inf:
                    break
                first += min(int(part), last - first - 1) + 1
                found[first] = True
        return found

    def near(self, guesses: np.ndarray,
             part: slice = slice(None)) -> tuple[np.ndarray, np.ndarray]:
        """Return local solutions (m, n) near guesses (m, n), and whether they meet the poses."""
        q, errors = guesses.copy(), np.empty((len(guesses), 2))
        self.projection.near(self.poses[part], self.weights[part], q, errors, self.deadline)
        met: np.ndarray = np.all(errors <= self.tolerances, axis=1)
        return q, met

    def near_pose(self, i: int, guess: np.ndarray) -> tuple[np.ndarray, bool]:
        """Return a local solution (n,) of pose i near a guess (n,), and whether it meets it."""
        q, met = self.near(guess[None], slice(i, i + 1))
        return q[0], bool(met[0])

    def track(self, i: int, q: np.ndarray, forward: bool) -> np.ndarray:
        """Return solutions (k, n) of the poses after i, each near the one before, from q (n,).

        Backward: of those before i, in descending order. The track ends where the next pose cannot
        be reached like this, within the largest step. i may be −1, which stands for q0.
        """
        count = len(self.poses) - i - 1 if forward else i
        if count <= 0:
            return np.empty((0, len(q)))
        part = slice(i + 1, None) if forward else slice(i - 1, None, -1)
        found = np.tile(q, (count, 1))
        reached = self.projection.near(
            np.ascontiguousarray(self.poses[part]), np.ascontiguousarray(self.weights[part]), found,
            np.empty((count, 2)), self.deadline, True, self.tolerances, self.most)
        return found[:reached]


def choosing_time(m: int) -> float:
    """Return the time, s, to choose and to verify a path of m poses when its search has ended."""
    return _CHOOSING + m * _CHOOSING_EACH


def travel_scale(chain: Chain, joint_weights: np.ndarray | None) -> np.ndarray:
    """Return the factor (n,) of each joint's step: the root of its weight, per radian."""
    scale = np.ones(chain.n_joints) if joint_weights is None else np.sqrt(joint_weights)
    length = extent(chain.arrays).length_scale
    return np.where(chain.prismatic, scale / length, scale)


def stacked(goals: list[Goal]) -> tuple[np.ndarray, np.ndarray]:
    """Return the poses (m, 4, 4) and weights (m, 6) of goals."""
    return (np.array([goal.pose for goal in goals]).reshape(-1, 4, 4),
            np.array([goal.weights for goal in goals]).reshape(-1, 6))
