"""Time-optimal scaling of a path in joint space, by two passes over its grid.

With x = ṡ² and u = s̈ the joints have q̇² = q'² x and q̈ = q' u + q'' x, so that their limits are
straight lines in (x, u), and x grows by 2 u Δs from one place to the next. Backwards: the highest x
from which the end can still be reached at rest; forwards: as much u as that allows.
[Pham & Pham, A New Approach to Time-Optimal Path Parameterization based on Reachability Analysis,
IEEE T-RO 2018]. The limits hold at both ends of every piece.
"""

import math

import cython
import numpy as np

from ik_node.support import arrays
from ik_node.support.arrays import Memory

INF = math.inf
STEPS = 100     # of Newton's method, which takes a few
HIGHEST = 1e12  # of x, where nothing bounds it


class JointPath:
    """A path of n joints at k places, and its limits there; matrices (k, n) row by row.

    - `parts`: the places, increasing; `x`: ṡ² there.
    - `dq`, `ddq`: derivatives of the joints by the place, rad or m.
    - `velocity`, `acceleration`: limits, per s and s², above 0.
    """

    def __init__(self, parts: np.ndarray, dq: np.ndarray, ddq: np.ndarray, velocity: np.ndarray,
                 acceleration: np.ndarray) -> None:
        """Copy places (k,) and matrices (k, n). Raises ValueError for other shapes."""
        self.count, self.n = dq.shape
        if len(parts) != self.count or self.count < 2 or not (
                ddq.shape == velocity.shape == acceleration.shape == dq.shape):
            raise ValueError('a path has two places at least, and matrices of one row for each')
        self.memory = memory = Memory()
        self.parts, self.x = memory.vector(parts), memory.vector(parts)
        self.dq, self.ddq = memory.vector(dq.ravel()), memory.vector(ddq.ravel())
        self.velocity = memory.vector(velocity.ravel())
        self.acceleration = memory.vector(acceleration.ravel())

    def quickest(self) -> np.ndarray:
        """Return the highest x = ṡ² (k,) from rest to rest."""
        with cython.nogil:
            two_passes(self)
        x = np.empty(self.count)
        arrays.copy_vector(self.x, x)
        return x


def two_passes(path: JointPath) -> None:
    """Write the highest x = ṡ² into path.x."""
    parts, x, last = path.parts, path.x, path.count - 1
    x[last] = 0.0
    for i in range(last - 1, -1, -1):
        x[i] = highest(path, i, 2.0 * (parts[i + 1] - parts[i]), x[i + 1])
    x[0] = 0.0
    for i in range(last):
        step = 2.0 * (parts[i + 1] - parts[i])
        _, _, up, _ = push(path, i, step, x[i])
        x[i + 1] = max(min(x[i + 1], x[i] + step * up), 0.0)


def highest(path: JointPath, i: int, step: float, most: float) -> float:
    """Return the highest x at place i from which some u leads to an x from 0 to `most` at i + 1.

    The room for u, the largest less the least, is a concave function of x and piecewise linear:
    Newton's method comes down to where it is zero in a few steps, each onto another piece.
    """
    x = bound(path, i, step)
    for _ in range(STEPS):
        low, low_slope, up, up_slope = push(path, i, step, x)
        if (most - x) / step < up:
            up, up_slope = (most - x) / step, -1.0 / step
        if -x / step > low:
            low, low_slope = -x / step, -1.0 / step
        if up >= low:
            break
        lower = x - (up - low) / (up_slope - low_slope)
        if not lower < x:  # only rounding is missed
            break
        x = max(lower, 0.0)
    return x


def bound(path: JointPath, i: int, step: float) -> float:
    """Return the highest x at place i that the velocities, and q'' alone, allow."""
    x = HIGHEST
    for k in range(i * path.n, (i + 1) * path.n):
        if path.dq[k] != 0.0:
            rate = path.velocity[k] / path.dq[k]
            x = min(x, rate * rate)
        elif path.ddq[k] != 0.0:
            x = min(x, path.acceleration[k] / math.fabs(path.ddq[k]))
        after = k + path.n
        if path.dq[after] + step * path.ddq[after] == 0.0 and path.ddq[after] != 0.0:
            x = min(x, path.acceleration[after] / math.fabs(path.ddq[after]))
    return x


def push(path: JointPath, i: int, step: float, x: float) -> tuple[float, float, float, float]:
    """Return the least and the largest u that the accelerations allow from place i to i + 1.

    At i: |q' u + q'' x| ≤ a; at i + 1, where x has become x + step u, likewise. Each is followed by
    its derivative by x.
    """
    dq, ddq, acceleration, n = path.dq, path.ddq, path.acceleration, path.n
    low, low_slope, up, up_slope = -INF, 0.0, INF, 0.0
    for k in range(i * n, (i + 2) * n):
        slope = dq[k]
        if k >= (i + 1) * n:
            slope += step * ddq[k]
        if slope == 0.0:
            continue
        middle, half = -ddq[k] * x / slope, math.fabs(acceleration[k] / slope)
        if middle - half > low:
            low, low_slope = middle - half, -ddq[k] / slope
        if middle + half < up:
            up, up_slope = middle + half, -ddq[k] / slope
    return low, low_slope, up, up_slope
