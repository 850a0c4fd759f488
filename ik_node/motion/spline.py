"""A trajectory as a cubic spline over time, whose extrema are computed exactly."""

from typing import NamedTuple

import numpy as np

from ik_node.motion.limits import MotionLimits
from ik_node.motion.trajectory import State, Trajectory

_ROUNDING = 1.0 + 1e-7


class Excess(NamedTuple):
    """The largest part of each limit that a motion uses; above 1 it exceeds the limit."""

    velocity: float
    acceleration: float
    jerk: float
    position: float
    """rad or m beyond the limits; not above 0: nowhere."""

    @property
    def slower(self) -> float:
        """How many times as long the motion must last to keep within the limits; at least 1."""
        slower = max(self.velocity, self.acceleration ** 0.5, self.jerk ** (1.0 / 3.0))
        return max(1.0, slower * _ROUNDING)


class SplineTrajectory(Trajectory):
    """Cubic in time: positions twice differentiable, accelerations linear between the knots."""

    def __init__(self, times: np.ndarray, configurations: np.ndarray, limits: MotionLimits,
                 velocity: np.ndarray | None = None) -> None:
        """Interpolate configurations (k, n), rad or m, at times (k,), s from 0, ending at rest.

        velocity: (n,) at the beginning, per s; by default at rest.
        """
        self.duration = float(times[-1])
        self._limits = limits
        rest = np.zeros(configurations.shape[1])
        begin = rest if velocity is None else velocity
        from scipy.interpolate import CubicSpline  # late: it takes a third of a node's start
        self._spline = CubicSpline(times, configurations, bc_type=((1, begin), (1, rest)))
        self._end = configurations[-1].copy()

    @property
    def end(self) -> np.ndarray:
        """Where the joints come to rest, (n,), rad or m."""
        return self._end.copy()

    def excess(self) -> Excess:
        """Return the part of each limit that the motion uses, exactly."""
        limits, spline = self._limits, self._spline
        c, h = spline.c, np.diff(spline.x)[:, None]
        accelerations = np.abs(np.vstack([2.0 * c[1], 2.0 * c[1, -1:] + 6.0 * c[0, -1:] * h[-1]]))
        velocities = np.abs(np.vstack([c[2], c[2, -1:]]))
        # Within a piece the velocity is extreme where the acceleration, 2 c1 + 6 c0 t, is zero.
        with np.errstate(divide='ignore', invalid='ignore'):
            t = -c[1] / (3.0 * c[0])
            between = np.where((t > 0.0) & (t < h), np.abs(c[2] + c[1] * t), 0.0)
        fastest = np.maximum(velocities.max(axis=0), between.max(axis=0))
        return Excess(float((fastest / limits.velocity).max()),
                      float((accelerations.max(axis=0) / limits.acceleration).max()),
                      float((6.0 * np.abs(c[0]).max(axis=0) / limits.jerk).max()),
                      float(max((limits.lower - c[3].min(axis=0)).max(),
                                (c[3].max(axis=0) - limits.upper).max())))

    def sample(self, times: np.ndarray) -> State:
        """Return the states (k, n) at times (k,), s."""
        t = np.clip(times, 0.0, self.duration)
        q, v, a = (self._spline(t, order) for order in range(3))
        over = np.asarray(times) >= self.duration
        q[over], v[over], a[over] = self._end, 0.0, 0.0
        return State(np.clip(q, self._limits.lower, self._limits.upper), v, a)

    def _at(self, t: float) -> State:
        q, v, a = (self._spline(t, order) for order in range(3))
        return State(np.clip(q, self._limits.lower, self._limits.upper), v, a)
