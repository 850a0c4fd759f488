"""Limits of joint values, and whole turns of joints inside them."""

import math
from typing import Any

import numpy as np

from ik_node.support.arrays import Memory, Vector

PI, TWO_PI = math.pi, 2.0 * math.pi
AT_LIMIT = 1e-9   # rad or m: a smaller excess over a limit is a rounding error
FARTHEST = 1e12   # rad: turns beyond have no digits of an angle left


class JointLimits:
    """Limits of n joint values, of a chain or of a body: `lower`, `upper` and `turns` (n,) each."""

    def __init__(self, arrays: Any) -> None:
        self.memory, self.n = Memory(), len(arrays.lower)
        self.lower = self.memory.vector(arrays.lower)
        self.upper = self.memory.vector(arrays.upper)
        self.turns = self.memory.integers(arrays.turns)

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the lower and the upper limits (n,), rad or m."""
        return (np.array([self.lower[k] for k in range(self.n)]),
                np.array([self.upper[k] for k in range(self.n)]))

    def narrow(self, lower: Any, upper: Any) -> None:
        """Replace the limits (n,), rad or m, while nothing searches in them."""
        for k in range(self.n):
            self.lower[k], self.upper[k] = float(lower[k]), float(upper[k])


def turned_inside(limits: JointLimits, k: int, value: float) -> float:
    """Return a value of joint k, by a whole turn inside the limits where that is possible."""
    if limits.turns[k]:
        if value > limits.upper[k] and value - TWO_PI >= limits.lower[k]:
            return value - TWO_PI
        if value < limits.lower[k] and value + TWO_PI <= limits.upper[k]:
            return value + TWO_PI
    return value


def nearest_turn(limits: JointLimits, q0: Vector, q: Vector) -> None:
    """Wrap revolute joints of q in place by whole turns, inside the limits, nearest to q0.

    A joint that a whole turn brings within rounding of a limit is set to that limit.
    """
    lower, upper, turns = limits.lower, limits.upper, limits.turns
    for k in range(limits.n):
        if not turns[k] or (math.fabs(q0[k] - q[k]) <= PI and lower[k] <= q[k] <= upper[k]):
            continue
        count, off = 0.0, min(max(q0[k] - q[k], -FARTHEST), FARTHEST)
        if math.fabs(off) > PI:  # skips the division in the usual case
            count = round(off / TWO_PI)
        least, most = lower[k] - AT_LIMIT, upper[k] + AT_LIMIT
        if q[k] + TWO_PI * count > most:
            count -= 1.0  # usually enough, without a division
            if q[k] + TWO_PI * count > most:
                count = math.floor((most - q[k]) / TWO_PI)
                if q[k] + TWO_PI * count > most:  # by rounding
                    count -= 1.0
        if q[k] + TWO_PI * count < least:
            count += 1.0
            if q[k] + TWO_PI * count < least:
                count = math.ceil((least - q[k]) / TWO_PI)
                if q[k] + TWO_PI * count < least:
                    count += 1.0
        turned = q[k] + TWO_PI * count
        if turned <= most:
            q[k] = min(max(turned, lower[k]), upper[k])


def into_limits(limits: JointLimits, q: Vector) -> None:
    """Bring q (n,) inside the limits in place: by whole turns where possible, else clipped."""
    lower, upper = limits.lower, limits.upper
    for k in range(limits.n):
        if lower[k] <= q[k] <= upper[k]:
            continue
        if limits.turns[k]:
            if q[k] < lower[k]:
                turned = q[k] + TWO_PI * math.ceil((lower[k] - q[k] - AT_LIMIT) / TWO_PI)
            else:
                turned = q[k] - TWO_PI * math.ceil((q[k] - upper[k] - AT_LIMIT) / TWO_PI)
            if lower[k] - AT_LIMIT <= turned <= upper[k] + AT_LIMIT:
                q[k] = turned
        q[k] = min(max(q[k], lower[k]), upper[k])
