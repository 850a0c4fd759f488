"""Time-optimal scaling of a path in joint space; see `motion.joint_path`."""

from typing import NamedTuple

import numpy as np

from ik_node.motion.joint_path import JointPath


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
    rates = np.sqrt(JointPath(parts, dq, ddq, velocity, acceleration).quickest())
    # Over a piece of constant u the mean rate is that of its ends; never zero at both.
    times = 2.0 * np.diff(parts) / np.maximum(rates[1:] + rates[:-1], 1e-12)
    return Pace(np.concatenate([[0.0], np.cumsum(times)]), parts, rates)
