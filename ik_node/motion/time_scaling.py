"""Time-optimal scaling of a path in joint space, by two passes over its grid.

With x = ṡ² and u = s̈ the joints have q̇² = q'² x and q̈ = q' u + q'' x, so that their limits are
straight lines in (x, u), and x grows by 2 u Δs from one place to the next. Backwards: the highest x
from which the end can still be reached at rest; forwards: as much u as that allows.
[Pham & Pham, A New Approach to Time-Optimal Path Parameterization based on Reachability Analysis,
IEEE T-RO 2018]. The limits hold at both ends of every piece.
"""

import math
from typing import NamedTuple

import numpy as np

from ik_node._jit import Matrix, Vector, entry, njit

_HALVINGS = 60


class Pace(NamedTuple):
    """The part of a path as a function of time."""

    times: np.ndarray
    """(k,) s, from 0."""
    parts: np.ndarray
    """(k,) of the path."""
    rates: np.ndarray
    """(k,) of the path, per s."""

    def at(self, t: np.ndarray) -> np.ndarray:
        """Return the part of the path (m,) at times (m,), s; at its ends before and after."""
        k = np.clip(np.searchsorted(self.times, t, side='right') - 1, 0, len(self.times) - 2)
        dt = np.clip(t - self.times[k], 0.0, self.times[k + 1] - self.times[k])
        u = (self.rates[k + 1] - self.rates[k]) / (self.times[k + 1] - self.times[k])
        return np.clip(self.parts[k] + dt * (self.rates[k] + 0.5 * u * dt),
                       self.parts[0], self.parts[-1])


def quickest_pace(parts: np.ndarray, dq: np.ndarray, ddq: np.ndarray, velocity: np.ndarray,
                  acceleration: np.ndarray) -> Pace:
    """Return the quickest pace from rest to rest over a path.

    parts: (k,) places on it, increasing; dq, ddq: (k, n) derivatives of the joints by them, rad or
    m. velocity, acceleration: (k, n) limits, per s and s², above 0.
    """
    x = np.empty(len(parts))
    two_passes(parts, dq, ddq, velocity, acceleration, x)
    rates = np.sqrt(x)
    # Over a piece of constant u the mean rate is that of its ends; never zero at both.
    times = 2.0 * np.diff(parts) / np.maximum(rates[1:] + rates[:-1], 1e-12)
    return Pace(np.concatenate([[0.0], np.cumsum(times)]), parts, rates)


@entry
def two_passes(parts: Vector, dq: Matrix, ddq: Matrix, velocity: Matrix, acceleration: Matrix,
               x: Vector) -> None:
    """Write the highest x = ṡ² (k,) into x; see `quickest_pace`."""
    last = parts.shape[0] - 1
    x[last] = 0.0
    for i in range(last - 1, -1, -1):
        most = 0.0
        step = 2.0 * (parts[i + 1] - parts[i])
        # The steepest piece that leads to x[i + 1] at all bounds the search where q' is zero.
        high = highest(dq, ddq, velocity, acceleration, i)
        for _ in range(_HALVINGS):
            middle = 0.5 * (most + high)
            low, up = push(dq, ddq, acceleration, i, step, middle)
            if low <= up and middle + step * low <= x[i + 1] and middle + step * up >= 0.0:
                most = middle
            else:
                high = middle
        x[i] = most
    x[0] = 0.0
    for i in range(last):
        step = 2.0 * (parts[i + 1] - parts[i])
        low, up = push(dq, ddq, acceleration, i, step, x[i])
        x[i + 1] = max(min(x[i + 1], x[i] + step * up), 0.0)


@njit
def highest(dq: Matrix, ddq: Matrix, velocity: Matrix, acceleration: Matrix, i: int) -> float:
    """Return the highest x at place i that the velocities, and q'' alone, allow."""
    x = 1e12
    for k in range(dq.shape[1]):
        if dq[i, k] != 0.0:
            x = min(x, (velocity[i, k] / dq[i, k]) ** 2)
        elif ddq[i, k] != 0.0:
            x = min(x, acceleration[i, k] / abs(ddq[i, k]))
    return x


@njit
def push(dq: Matrix, ddq: Matrix, acceleration: Matrix, i: int, step: float,
         x: float) -> tuple[float, float]:
    """Return the least and the largest u that the accelerations allow between places i and i + 1.

    At i: |q' u + q'' x| ≤ a; at i + 1, where x has become x + step u, likewise.
    """
    low, up = -math.inf, math.inf
    for j in range(2):
        for k in range(dq.shape[1]):
            slope, offset = dq[i + j, k] + j * step * ddq[i + j, k], ddq[i + j, k] * x
            a = acceleration[i + j, k]
            if slope > 0.0:
                low, up = max(low, (-a - offset) / slope), min(up, (a - offset) / slope)
            elif slope < 0.0:
                low, up = max(low, (a - offset) / slope), min(up, (-a - offset) / slope)
            elif abs(offset) > a:
                return 1.0, -1.0
    return low, up
