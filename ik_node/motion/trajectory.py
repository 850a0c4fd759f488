"""Trajectories: position, velocity and acceleration of every joint over time.

Parts and series of others, and cubic splines, whose extrema are computed exactly.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ik_node.motion.limits import MotionLimits

_APART = 5e-6    # s: knots nearer to each other are one
_INSTANT = 1e-9  # s: a part that ends so little earlier ends with the whole
_ROUNDING = 1.0 + 1e-7
_KEPT = 1.0 + 1e-5


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
    """A trajectory from 0 to `duration`, s; afterwards at rest at its end.

    - `end`: where the joints come to rest, (n,), rad or m.
    - `knots`: times (k,) from 0 to the duration, s, between which positions are cubic in time.
    - `rests`: whether it ends at rest; part of another may end in motion.
    """

    duration: float
    end: np.ndarray
    knots: np.ndarray
    rests: bool = True

    def at(self, t: float) -> State:
        """Return the state (n,) at a time t, s; after the duration at rest, exactly at the end."""
        return State(*(values[0] for values in self.sample(np.array([t]))))

    def sample(self, times: np.ndarray) -> State:
        """Return the states (k, n) at times (k,), s; before 0 that at 0."""
        states = self.raw(np.clip(times, 0.0, self.duration))
        over = np.asarray(times) >= self.duration
        for values, last in zip(states, State.at_rest(self.end)):
            values[over] = last
        return states

    def point_times(self, period: float, most: int) -> np.ndarray:
        """Return times (k,), s, from 0 to the duration: the knots, and others a period apart.

        A quintic in time between the states at two of them is the trajectory itself; nearly so
        where there are more than `most` knots, of which some are then left out. Others are added
        up to as many in all.
        """
        knots = self.knots[np.append(np.diff(self.knots) > _APART, True)]
        knots = np.append(knots[:-1:math.ceil(len(knots) / most)], knots[-1])
        knots[0] = 0.0
        period = max(period, self.duration / max(most - len(knots), 1)) * _ROUNDING
        counts = np.maximum(np.ceil(np.diff(knots) / period), 1.0)
        places = np.concatenate([[0.0], np.cumsum(counts)])
        return np.interp(np.arange(places[-1] + 1.0), places, knots)

    def peaks(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the largest speed, acceleration and jerk of each joint, (n,), per s, s² and s³."""
        times = self.point_times(math.inf, len(self.knots))
        _, v, a = self.raw(times)
        h = np.diff(times)[:, None]
        jerk = np.diff(a, axis=0) / h
        # Between two knots the velocity is extreme where the acceleration, a + j t, is zero.
        with np.errstate(divide='ignore', invalid='ignore'):
            t = -a[:-1] / jerk
            between = np.where((t > 0.0) & (t < h), np.abs(v[:-1] + 0.5 * a[:-1] * t), 0.0)
        return (np.maximum(np.abs(v).max(axis=0), between.max(axis=0, initial=0.0)),
                np.abs(a).max(axis=0), np.abs(jerk).max(axis=0, initial=0.0))

    @abstractmethod
    def raw(self, times: np.ndarray) -> State:
        """Return the states (k, n), new arrays, at times from 0 to the duration, both included."""


class Rest(Trajectory):
    """A robot at rest."""

    def __init__(self, q: np.ndarray, duration: float = 0.0) -> None:
        """Rest at q (n,), rad or m, for a duration, s."""
        self.duration, self.end = duration, q
        self.knots = np.array([0.0, duration] if duration else [0.0])

    def raw(self, times: np.ndarray) -> State:
        return State.at_rest(np.tile(self.end, (len(times), 1)))


class Part(Trajectory):
    """An interval of another trajectory; it may end in motion."""

    def __init__(self, whole: Trajectory, start: float, duration: float | None = None) -> None:
        """Use the rest of it after `start`, s, or the next `duration`, s."""
        start = max(start, 0.0)
        left = max(whole.duration - start, 0.0)
        self.duration = left
        if duration is not None and duration < left - _INSTANT:
            self.duration = duration
        self.rests = whole.rests and self.duration == left
        if isinstance(whole, Part):
            start, whole = start + whole.start, whole.whole
        self.whole: Trajectory = whole
        self.start: float = start
        inner = whole.knots - start
        inner = inner[(inner > 0.0) & (inner < self.duration)]
        self.knots = np.concatenate([[0.0], inner, [self.duration]])
        self.end = whole.end if self.rests else self.raw(self.knots[-1:]).position[0]

    def raw(self, times: np.ndarray) -> State:
        return self.whole.raw(self.start + times)


class Series(Trajectory):
    """Several trajectories in sequence; each begins in the state in which the previous one ends."""

    def __init__(self, parts: Sequence[Trajectory]) -> None:
        """Join trajectories; those without duration are skipped, except for the last."""
        parts = [*(part for part in parts[:-1] if part.duration > 0.0), parts[-1]]
        self.parts: list[Trajectory] = [one for part in parts for one in _unnested(part)]
        self._times = np.cumsum([0.0, *(part.duration for part in self.parts)])
        self.duration, self.end = float(self._times[-1]), self.parts[-1].end
        begins = np.cumsum([0.0, *(part.duration for part in parts)]).tolist()
        self.knots = np.unique(np.minimum(np.concatenate([self._times, *(
            begin + part.knots for begin, part in zip(begins, parts))]), self.duration))
        self.rests = self.parts[-1].rests

    def between(self, start: float, end: float) -> list[Trajectory]:
        """Return the parts from one time to another, s."""
        first = max(int(np.searchsorted(self._times, start, side='right')) - 1, 0)
        last = min(int(np.searchsorted(self._times, end)), len(self.parts)) - 1
        parts = self.parts[first:last + 1]
        for k in {first, last} if parts else ():
            begin = float(self._times[k])
            own = Part(self.parts[k], start - begin, end - max(begin, start))
            if own.duration < self.parts[k].duration:  # else it is whole, like those between
                parts[k - first] = own
        return parts

    def to_rest(self) -> Trajectory:
        """Return the parts up to the first that ends at rest."""
        for k, part in enumerate(self.parts, start=1):
            if part.rests:
                return Series(self.parts[:k])
        return self

    def peaks(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        v, a, j = zip(*(part.peaks() for part in self.parts))
        return np.max(v, axis=0), np.max(a, axis=0), np.max(j, axis=0)

    def raw(self, times: np.ndarray) -> State:
        places = np.clip(np.searchsorted(self._times, times, side='right') - 1,
                         0, len(self.parts) - 1)
        states = State.at_rest(np.empty((len(times), len(self.end))))
        for k in np.unique(places).tolist():
            own, part = places == k, self.parts[k]
            here = part.raw(np.clip(times[own] - self._times[k], 0.0, part.duration))
            for values, found in zip(states, here):
                values[own] = found
        return states


def _unnested(part: Trajectory) -> list[Trajectory]:
    """Return the parts of a series, or of part of one; else the trajectory."""
    if isinstance(part, Part) and isinstance(part.whole, Series):
        return part.whole.between(part.start, part.start + part.duration) or [part]
    return part.parts if isinstance(part, Series) else [part]


def braking_limits(limits: MotionLimits, current: Trajectory) -> MotionLimits:
    """Return the limits for braking: those given, and where the current motion uses more, that.

    They are those given where it keeps them, whatever its jerk is.
    """
    velocity, acceleration, jerk = current.peaks()
    if ((velocity <= limits.velocity * _KEPT).all()
            and (acceleration <= limits.acceleration * _KEPT).all()):
        return limits
    return replace(limits, velocity=np.maximum(limits.velocity, velocity),
                   acceleration=np.maximum(limits.acceleration, acceleration),
                   jerk=np.maximum(limits.jerk, jerk))


def left_of(trajectory: Trajectory, t: float) -> Trajectory:
    """Return the rest of a trajectory from a time t, s, on; at rest where it is over."""
    if t >= trajectory.duration:
        return Rest(trajectory.end)
    left = Part(trajectory, t)
    return Series([left]) if isinstance(trajectory, Series) else left


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
                 begin: State | None = None) -> None:
        """Interpolate configurations (k, n), rad or m, at times (k,), s from 0, ending at rest.

        begin: the state at the beginning, whose velocity and acceleration are kept by moving the
        second configuration a little; by default the velocity is zero.
        """
        self.duration, self._limits, self.knots = float(times[-1]), limits, times
        from scipy.interpolate import CubicSpline  # late: it takes a third of a node's start
        moved = np.zeros((len(times), 1))  # the second configuration, by 1
        moved[1] = 1.0
        rest = np.zeros(configurations.shape[1] + 1)
        first = rest if begin is None else np.append(begin.velocity, 0.0)
        self._spline = CubicSpline(times, np.hstack([configurations, moved]),
                                   bc_type=((1, first), (1, rest)))
        *a, by_moving = self._spline(0.0, 2)
        moves = np.zeros_like(a) if begin is None else (begin.acceleration - a) / by_moving
        c = self._spline.c
        self._spline.c = c[:, :, :-1] + c[:, :, -1:] * moves
        self.end = np.clip(configurations[-1], limits.lower, limits.upper)

    def excess(self) -> Excess:
        """Return the part of each limit that the motion uses, exactly."""
        limits, positions = self._limits, self._spline.c[3]
        velocity, acceleration, jerk = self.peaks()
        return Excess(float((velocity / limits.velocity).max()),
                      float((acceleration / limits.acceleration).max()),
                      float((jerk / limits.jerk).max()),
                      float(max((limits.lower - positions.min(axis=0)).max(),
                                (positions.max(axis=0) - limits.upper).max())))

    def raw(self, times: np.ndarray) -> State:
        q, v, a = (self._spline(times, order) for order in range(3))
        return State(np.clip(q, self._limits.lower, self._limits.upper), v, a)
