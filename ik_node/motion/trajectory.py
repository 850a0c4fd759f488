"""Trajectories: position, velocity and acceleration of every joint over time.

Parts and series of others, and cubic splines, whose extrema are computed exactly.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ik_node.motion.limits import MotionLimits

_AT_REST = 1e-6  # per s
_ROUNDING = 1.0 + 1e-7


class State(NamedTuple):
    """Joints at one time, each array (n,), or at k times, each (k, n)."""

    position: np.ndarray  # rad or m
    velocity: np.ndarray  # per s
    acceleration: np.ndarray  # per s²

    @classmethod
    def at_rest(cls, q: np.ndarray) -> 'State':
        """Return the state of joints at rest at q (n,), rad or m."""
        return cls(q.copy(), np.zeros_like(q), np.zeros_like(q))

    @property
    def moves(self) -> bool:
        """Whether anything moves, or is about to."""
        return bool(self.velocity.any() or self.acceleration.any())


class Trajectory(ABC):
    """A trajectory from 0 to `duration`, s; at rest before at its beginning, afterwards at its end.

    `end`: where the joints come to rest, (n,), rad or m.
    """

    duration: float
    end: np.ndarray

    def at(self, t: float) -> State:
        """Return the state (n,) at a time t, s; after the duration at rest, exactly at the end."""
        return State.at_rest(self.end) if t >= self.duration else self._at(max(t, 0.0))

    def sample(self, times: np.ndarray) -> State:
        """Return the states (k, n) at times (k,), s."""
        states = [self.at(float(t)) for t in times]
        return State(*(np.array(column) for column in zip(*states)))

    @abstractmethod
    def _at(self, t: float) -> State:
        """Return the state at a time from 0 up to the duration."""


class Rest(Trajectory):
    """A robot at rest."""

    def __init__(self, q: np.ndarray) -> None:
        """Rest at q (n,), rad or m."""
        self.duration, self.end = 0.0, q

    def _at(self, t: float) -> State:
        return State.at_rest(self.end)


class Part(Trajectory):
    """An interval of another trajectory; it may end in motion."""

    def __init__(self, whole: Trajectory, start: float, duration: float | None = None) -> None:
        """Use the rest of it after `start`, s, or the next `duration`, s."""
        if isinstance(whole, Part):
            start, whole = start + whole.start, whole.whole
        self.whole: Trajectory = whole
        self.start: float = max(start, 0.0)
        left = max(whole.duration - self.start, 0.0)
        self._cut = duration is not None and duration < left
        self.duration = left if duration is None else min(duration, left)
        self.end = whole.at(self.start + self.duration).position

    def sample(self, times: np.ndarray) -> State:
        return super().sample(times) if self._cut else self.whole.sample(self.start + times)

    def _at(self, t: float) -> State:
        return self.whole.at(self.start + t)


class Series(Trajectory):
    """Several trajectories in sequence; each begins in the state in which the previous one ends."""

    def __init__(self, parts: Sequence[Trajectory]) -> None:
        """Join trajectories; those without duration are skipped, except for the last."""
        unnested = [one for part in parts
                    for one in (part.parts if isinstance(part, Series) else [part])]
        self.parts: list[Trajectory] = [
            *(part for part in unnested[:-1] if part.duration > 0.0), unnested[-1]]
        self._ends = np.cumsum([part.duration for part in self.parts])
        self.duration, self.end = float(self._ends[-1]), self.parts[-1].end

    def left(self, t: float) -> Trajectory:
        """Return the rest from a time t, s, on, without the parts that are over."""
        k, t = self._place(t)
        first = Part(self.parts[k], t)
        return Series([first, *self.parts[k + 1:]]) if k + 1 < len(self.parts) else first

    def to_rest(self) -> Trajectory:
        """Return the parts up to the first that ends at rest."""
        for k, part in enumerate(self.parts, start=1):
            before = part.at(np.nextafter(part.duration, 0.0))
            if np.abs(before.velocity).max() < _AT_REST:
                return Series(self.parts[:k])
        return self

    def _place(self, t: float) -> tuple[int, float]:
        """Return the index of the part at a time, s, and the time in it."""
        k = min(int(np.searchsorted(self._ends, t, side='right')), len(self.parts) - 1)
        return k, t - (float(self._ends[k - 1]) if k else 0.0)

    def _at(self, t: float) -> State:
        k, t = self._place(t)
        return self.parts[k].at(t)


def left_of(trajectory: Trajectory, t: float) -> Trajectory:
    """Return the rest of a trajectory from a time t, s, on; at rest where it is over."""
    if t >= trajectory.duration:
        return Rest(trajectory.end)
    return trajectory.left(t) if isinstance(trajectory, Series) else Part(trajectory, t)


class Excess(NamedTuple):
    """The largest part of each limit that a motion uses; above 1 it exceeds the limit."""

    velocity: float
    acceleration: float
    jerk: float
    position: float  # rad or m beyond the limits; not above 0: nowhere

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
        self.duration, self._limits = float(times[-1]), limits
        rest = np.zeros(configurations.shape[1])
        begin = rest if velocity is None else velocity
        from scipy.interpolate import CubicSpline  # late: it takes a third of a node's start
        self._spline = CubicSpline(times, configurations, bc_type=((1, begin), (1, rest)))
        self.end = configurations[-1].copy()

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
        q, v, a = self._at(np.clip(times, 0.0, self.duration))
        over = np.asarray(times) >= self.duration
        q[over], v[over], a[over] = np.clip(self.end, self._limits.lower, self._limits.upper), 0, 0
        return State(q, v, a)

    def _at(self, t: float | np.ndarray) -> State:
        q, v, a = (self._spline(t, order) for order in range(3))
        return State(np.clip(q, self._limits.lower, self._limits.upper), v, a)
