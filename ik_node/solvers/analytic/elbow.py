"""Swivel angles of an arm with spherical shoulder and wrist, for a pose of its tip."""

import math
from typing import Any

import numpy as np

from ik_node.model.chain import Chain
from ik_node.solvers.analytic.families.swivel_intervals import Intervals
from ik_node.solvers.analytic.goal_closed_form import Plan
from ik_node.solvers.analytic.selection.swivel_selection import into_interval
from ik_node.spatial import rotation_exp
from ik_node.support.arrays import taken

_BESIDE = 1e-12      # rad: intervals nearer to each other are merged
_NARROW = 1e-3       # rad: intervals of smaller total length get one sample each
_LOOSER = 1e-4       # rad, and of the arm's size: more than rounding explains
_PER_TOLERANCE = 1e3  # change of a joint by an error of the pose, but where it is singular
_ALIGNED = 1e-6      # of a cosine: half the square of an angle, rad, that counts as zero
_NO_LIMITS = np.full(7, -np.inf), np.full(7, np.inf)


class Elbow:
    """The swivel angles of an arm, within its limits or not; poses are T_base_goal (4, 4), m."""

    def __init__(self, plan: Plan, chain: Chain, tolerance: float) -> None:
        """Prepare for a plan of the family SWIVEL; tolerance: of poses, rad, and of the size."""
        self._family, self._limits = plan.family, (chain.lower, chain.upper)
        self._margin = max(_LOOSER, _PER_TOLERANCE * tolerance)
        self._looser = plan.structure._replace(slack=self._margin).closed_form()
        self._axes, self._points = plan.structure.axes, plan.structure.points
        self._T_tip_base = plan.structure.T_tip_base
        self._idle = [Intervals()]

    def intervals(self, pose: np.ndarray, chain: Chain) -> np.ndarray:
        """Return the intervals (k, 2), rad, at which some branch is inside the limits of a chain.

        Disjoint and ascending: −π ≤ from < to, where one through π ends beyond it.
        """
        rows = self._within(pose, self._family, chain.lower, chain.upper)[:, 3:]
        return _united(rows[np.argsort(rows[:, 0])])

    def exists(self, pose: np.ndarray) -> bool:
        """Tell whether some branch meets a pose at some swivel angle, whatever the limits."""
        return len(self._within(pose, self._family, *_NO_LIMITS)) > 0

    def intervals_nearby(self, pose: np.ndarray) -> bool:
        """Tell whether rounding or the tolerance may hide an interval inside the limits.

        One appears where the goal is brought into reach, or a limit is exceeded, by little more.
        """
        return len(self._within(pose, self._looser, *self._limits, -self._margin)) > 0

    def _within(self, pose: np.ndarray, family: Any, lower: np.ndarray, upper: np.ndarray,
                narrower: float = 0.0) -> np.ndarray:
        """Return intervals (k, 5), see `Intervals.within`; each thread has scratch of its own."""
        scratch = taken(self._idle, Intervals)
        rows = scratch.within(family, pose, lower, upper, narrower)
        self._idle.append(scratch)
        return rows

    def may_be_singular(self, pose: np.ndarray) -> bool:
        """Tell whether shoulder, elbow or wrist is nearly singular at some angle for a pose.

        Two joints may then share a rotation arbitrarily at a single angle, which the intervals, of
        nonzero length, do not contain. With n from shoulder to wrist, Rot(n, ψ) sweeps h₁·R h₃
        between cos(α + β) and cos(α − β), α and β the angles of n with h₁ and with R h₃; singular
        is where that is the maximum or minimum over joint 2. Likewise in the wrist.
        """
        h, s, w = self._axes, self._points[0], self._points[4]
        M = pose @ self._T_tip_base
        line = M[:3, :3] @ w + M[:3, 3] - s
        distance = float(np.linalg.norm(line))
        # |R₄ u − v|² = u² + v² − 2 v·R₄ u = distance²
        u, v = w - self._points[3], s - self._points[3]
        still, across = h[3] * (h[3] @ u), np.cross(h[3], u)
        a, b = float(v @ (u - still)), float(v @ across)
        cosine = (0.5 * (u @ u + v @ v - distance ** 2) - v @ still) / max(math.hypot(a, b), 1e-300)
        if distance == 0.0 or abs(cosine) > 1.0 - _ALIGNED:
            return True
        for side in (1.0, -1.0):
            theta = math.atan2(b, a) + side * math.acos(cosine)
            R = rotation_exp(theta * h[3])
            n0 = (R @ u - v) / distance
            if (_reaches_end(h[:3], line @ h[0] / distance, n0 @ h[2])
                    or _reaches_end(h[4:], n0 @ R @ h[4], line @ M[:3, :3] @ h[6] / distance)):
                return True
        return False

    @staticmethod
    def nearest(intervals: np.ndarray, psi: float) -> float:
        """Return the angle in intervals (k, 2) nearest to psi, rad, in (−π, π]; psi of none."""
        found = min((into_interval(psi, *row) for row in intervals), key=lambda near: near[1],
                    default=(psi, 0.0))[0]
        return found - 2.0 * math.pi if found > math.pi else found

    @staticmethod
    def spread(intervals: np.ndarray, samples: np.ndarray) -> np.ndarray:
        """Return angles (m,) in intervals (k, 2), rad, spread over them as samples in [0, 1)."""
        lengths = intervals[:, 1] - intervals[:, 0]
        if lengths.sum() < _NARROW:
            return intervals.mean(axis=1)
        ends = lengths.cumsum()
        at = samples * ends[-1]
        which = np.searchsorted(ends, at, side='right')
        return intervals[which, 1] - (ends[which] - at)


def _reaches_end(axes: np.ndarray, a: float, b: float) -> bool:
    """Tell whether a sweep about a line takes three axes (3, 3) to where they are singular.

    a, b: cosines of the line with the first, and with the third as it is carried.
    """
    first, second = float(axes[0] @ axes[1]), float(axes[1] @ axes[2])
    middle, half = first * second, math.sqrt((1.0 - first * first) * (1.0 - second * second))
    sweep = math.sqrt(max(1.0 - a * a, 0.0) * max(1.0 - b * b, 0.0))
    return a * b + sweep > middle + half - _ALIGNED or a * b - sweep < middle - half + _ALIGNED


def _united(rows: np.ndarray) -> np.ndarray:
    """Return the union (k, 2) of intervals (m, 2) of angles that are sorted."""
    united: list[list[float]] = []
    for begin, end in rows.tolist():
        if united and begin <= united[-1][1] + _BESIDE:
            united[-1][1] = max(united[-1][1], end)
        else:
            united.append([begin, end])
    # an interval through π may overlap the first ones
    while len(united) > 1 and united[-1][1] - 2.0 * math.pi >= united[0][0] - _BESIDE:
        united[-1][1] = max(united[-1][1], united.pop(0)[1] + 2.0 * math.pi)
    if any(end - begin >= 2.0 * math.pi - _BESIDE for begin, end in united):
        united = [[-math.pi, math.pi]]
    return np.array(united).reshape(-1, 2)
