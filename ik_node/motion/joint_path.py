"""Time-optimal scaling of a path in joint space, by two passes over its grid.

With x = ṡ² and u = s̈ the joints have q̇² = q'² x and q̈ = q' u + q'' x, so that their limits are
straight lines in (x, u), and x grows by 2 u Δs from one place to the next. Backwards: the highest x
from which the end can still be reached at rest; forwards: as much u as that allows.
[Pham & Pham, A New Approach to Time-Optimal Path Parameterization based on Reachability Analysis,
IEEE T-RO 2018]. The limits hold at both ends of every piece.
"""

import math

try:
    import cython
except ImportError:
    from ik_node.support import cython
import numpy as np

from ik_node.support import copies
from ik_node.support.arrays import Memory, Vector

INF = math.inf
HALVINGS = 60
HIGHEST = 1e12  # of x, where nothing bounds it


class JointPath:
    """A path of n joints at k places, and its limits there; matrices (k, n) row by row."""

    count: int
    n: int
    parts: Vector
    """(k,) places, increasing."""
    dq: Vector
    """(k · n,) derivatives of the joints by the place, rad or m."""
    ddq: Vector
    """(k · n,) second derivatives."""
    velocity: Vector
    """(k · n,) limits, per s, above 0."""
    acceleration: Vector
    """(k · n,) limits, per s², above 0."""
    x: Vector
    """(k,) ṡ²."""

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
        copies.copy_vector(self.x, x)
        return x


def two_passes(path: JointPath) -> None:
    """Write the highest x = ṡ² into path.x."""
    parts, x, last = path.parts, path.x, path.count - 1
    x[last] = 0.0
    for i in range(last - 1, -1, -1):
        most = 0.0
        step = 2.0 * (parts[i + 1] - parts[i])
        # The steepest piece that leads to x[i + 1] at all bounds the search where q' is zero.
        high = highest(path, i)
        for _ in range(HALVINGS):
            middle = 0.5 * (most + high)
            if middle == most:  # there is no number between
                break
            low, up = push(path, i, step, middle, x[i + 1])
            if low <= up and middle + step * low <= x[i + 1] and middle + step * up >= 0.0:
                most = middle
            else:
                high = middle
        x[i] = most
    x[0] = 0.0
    for i in range(last):
        step = 2.0 * (parts[i + 1] - parts[i])
        low, up = push(path, i, step, x[i], INF)
        x[i + 1] = max(min(x[i + 1], x[i] + step * up), 0.0)


def highest(path: JointPath, i: int) -> float:
    """Return the highest x at place i that the velocities, and q'' alone, allow."""
    x = HIGHEST
    for k in range(i * path.n, (i + 1) * path.n):
        if path.dq[k] != 0.0:
            rate = path.velocity[k] / path.dq[k]
            x = min(x, rate * rate)
        elif path.ddq[k] != 0.0:
            x = min(x, path.acceleration[k] / math.fabs(path.ddq[k]))
    return x


def push(path: JointPath, i: int, step: float, x: float, most: float) -> tuple[float, float]:
    """Return the least and the largest u that the accelerations allow between places i and i + 1.

    At i: |q' u + q'' x| ≤ a; at i + 1, where x has become x + step u, likewise. Where there is
    none that leads to an x there from 0 to `most`, joints that are left are not looked at.
    """
    dq, ddq, acceleration, n = path.dq, path.ddq, path.acceleration, path.n
    low, up = -INF, INF
    for k in range(i * n, (i + 2) * n):
        slope, offset, a = dq[k], ddq[k] * x, acceleration[k]
        if k >= (i + 1) * n:
            slope += step * ddq[k]
        if slope != 0.0:
            one, other = (-a - offset) / slope, (a - offset) / slope
            low, up = max(low, min(one, other)), min(up, max(one, other))
            if low > up or x + step * low > most or x + step * up < 0.0:
                break
        elif math.fabs(offset) > a:
            return 1.0, -1.0
    return low, up
