"""A trajectory as a controller follows it, by a quintic in time between its points."""

from typing import NamedTuple

import numpy as np

from ik_node.motion.trajectory import State


class Followed(NamedTuple):
    """A trajectory of points (k, n) at times (k,), s after the stamp, s."""

    stamp: float
    times: np.ndarray
    points: State

    @classmethod
    def of(cls, message):
        """Return the trajectory of a message; its stamp is a ROS time, s."""
        times = np.array([seconds(point.time_from_start) for point in message.points])
        return cls(seconds(message.header.stamp), times, State(*(
            np.array([getattr(point, name) for point in message.points])
            for name in ('positions', 'velocities', 'accelerations'))))

    def at(self, t):
        """Return the state (m, n) at times (m,)."""
        if len(self.times) == 1:
            return State(*(np.repeat(values, len(t), axis=0) for values in self.points))
        t = np.clip(np.asarray(t) - self.stamp, 0.0, self.times[-1])
        k = np.clip(np.searchsorted(self.times, t, side='right') - 1, 0, len(self.times) - 2)
        h = (self.times[k + 1] - self.times[k])[:, None]
        (q0, v0, a0), (q1, v1, a1) = ([values[j] for values in self.points] for j in (k, k + 1))
        v0, v1, a0, a1 = v0 * h, v1 * h, a0 * h * h, a1 * h * h
        d, s = q1 - q0 - v0 - 0.5 * a0, t[:, None] - self.times[k][:, None]
        dv, da, s = v1 - v0 - a0, a1 - a0, s / h
        c3, c4, c5 = (10.0 * d - 4.0 * dv + 0.5 * da, -15.0 * d + 7.0 * dv - da,
                      6.0 * d - 3.0 * dv + 0.5 * da)
        return State(
            q0 + s * (v0 + s * (0.5 * a0 + s * (c3 + s * (c4 + s * c5)))),
            (v0 + s * (a0 + s * (3.0 * c3 + s * (4.0 * c4 + s * 5.0 * c5)))) / h,
            (a0 + s * (6.0 * c3 + s * (12.0 * c4 + s * 20.0 * c5))) / (h * h))

    def dense(self):
        """Return the times (m,) of the points and of ten between each two."""
        parts = np.linspace(0.0, 1.0, 11)[:-1]
        inner = self.times[:-1, None] + parts * np.diff(self.times)[:, None]
        return self.stamp + np.append(inner.ravel(), self.times[-1])


def seconds(stamp):
    """Return a stamp or a duration of a message in s."""
    return stamp.sec + 1e-9 * stamp.nanosec
