"""Limits of joint values."""

import math
from typing import Any

import numpy as np

from ik_node.support.arrays import Memory

_TURN = 2.0 * math.pi


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
        if value > limits.upper[k] and value - _TURN >= limits.lower[k]:
            return value - _TURN
        if value < limits.lower[k] and value + _TURN <= limits.upper[k]:
            return value + _TURN
    return value
