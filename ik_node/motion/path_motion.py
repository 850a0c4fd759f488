"""Motions along paths in joint space: from rest to rest, quick and smooth in time, and braking.

While an arm brakes, its current motion continues and the clock of that motion slows down to a stop.
At the time σ of the current motion the joints have q̇ = v(σ) σ̇ and q̈ = a(σ) σ̇² + v(σ) σ̈. With
σ̇ ≤ 1 velocities only decrease, and σ̈ = 0 never exceeds the accelerations: an arm can brake on any
path without leaving it, and in the worst case follows it to its end.
"""

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ik_node.motion.joint_path import JointPath
from ik_node.motion.limits import MotionLimits
from ik_node.motion.trajectory import Excess, Series, SplineTrajectory, Trajectory, braking_limits
from ik_node.support.clock import is_over

if TYPE_CHECKING:
    from scipy.interpolate import CubicSpline

_STEP = 0.004        # s between the knots of a motion, at least
BLENDING_JERK = 2.0  # of the limit: while one motion takes over from another
_FEWEST, _MOST = 24, 20000  # knots
_RESTING = 2         # knots at rest at either end: a cubic's acceleration is next to zero there
_GRID = 4            # places to each piece of the path's spline
_ROUNDS = 4          # of slowing down where limits are exceeded
_WINDOW = 1.5        # of a/j: over how long accelerations are averaged
_STEPS = 40          # knots to a window, at most
_KEPT = 1.0 + 1e-6
_SHORTEST = 0.016     # s, of braking
_DURATIONS = 24       # to choose that of braking from
_RAMPS = (0.5, 0.15)  # shares of it in which the deceleration rises, for jerk and for speed


class Pace(NamedTuple):
    """The part of a path as a function of time."""

    times: np.ndarray  # (k,) s, from 0
    parts: np.ndarray  # (k,) of the path
    rates: np.ndarray  # (k,) of the path, per s

    def at(self, t: np.ndarray) -> np.ndarray:
        """Return the part of the path (m,) at times (m,), s; at its ends before and after."""
        k = np.clip(np.searchsorted(self.times, t, side='right') - 1, 0, len(self.times) - 2)
        dt = np.clip(t - self.times[k], 0.0, self.times[k + 1] - self.times[k])
        u = (self.rates[k + 1] - self.rates[k]) / (self.times[k + 1] - self.times[k])
        return np.clip(self.parts[k] + dt * (self.rates[k] + 0.5 * u * dt),
                       self.parts[0], self.parts[-1])


def quickest_pace(parts: np.ndarray, dq: np.ndarray, ddq: np.ndarray, velocity: np.ndarray,
                  acceleration: np.ndarray) -> Pace:
    """Return the quickest pace from rest to rest over a path; see `motion.joint_path`.

    parts: (k,) places on it, increasing; dq, ddq: (k, n) derivatives of the joints by them, rad or
    m. velocity, acceleration: (k, n) limits, per s and s², above 0.
    """
    rates = np.sqrt(JointPath(parts, dq, ddq, velocity, acceleration).quickest())
    # Over a piece of constant u the mean rate is that of its ends; never zero at both.
    times = 2.0 * np.diff(parts) / np.maximum(rates[1:] + rates[:-1], 1e-12)
    return Pace(np.concatenate([[0.0], np.cumsum(times)]), parts, rates)


def along(path: 'CubicSpline', limits: MotionLimits) -> SplineTrajectory:
    """Return the motion along a path over [0, 1] that keeps velocity, acceleration and jerk.

    The quickest pace jumps from one acceleration to another. An average over a window of time makes
    the acceleration continuous, without leaving the path. Where that exceeds a limit the pace is
    slowed, and the remaining excess is removed by stretching the duration of the whole.
    """
    knots = path.x
    grid = np.unique(np.concatenate(
        [knots[:-1] + share * np.diff(knots) for share in np.arange(_GRID) / _GRID] + [knots[-1:]]))
    dq, ddq = path(grid, 1), path(grid, 2)
    window, step = _window(limits), step_of(limits)
    slower = np.ones(len(grid))  # times as long at each place
    found = []
    for _ in range(_ROUNDS):
        pace = quickest_pace(grid, dq, ddq, limits.velocity / slower[:, None],
                             limits.acceleration / slower[:, None] ** 2)
        times, parts = _averaged(pace, window, step)
        configurations = np.clip(path(parts), limits.lower, limits.upper)
        motion = SplineTrajectory(times, configurations, limits)
        factor = motion.excess().slower
        found.append(SplineTrajectory(times * factor, configurations, limits))
        if factor <= 1.001:
            break
        slower *= np.interp(grid, parts, _slowing(motion, limits, times, window))
    return min(found, key=lambda motion: motion.duration)


def _window(limits: MotionLimits) -> float:
    """Return the time over which accelerations are averaged, s."""
    return _WINDOW * float((limits.acceleration / limits.jerk).max())


def step_of(limits: MotionLimits) -> float:
    """Return the time between the knots of a motion, s: slow motions have no more of them."""
    return max(_STEP, _window(limits) / _STEPS)


def _averaged(pace: Pace, window: float, step: float) -> tuple[np.ndarray, np.ndarray]:
    """Return times (k,), s, and parts (k,) of the path, each the mean over a window, s, before."""
    duration = pace.times[-1] + window
    step = min(max(step, duration / _MOST), duration / _FEWEST)
    count = max(round(window / step), 1)
    moving = np.arange(int(np.ceil(pace.times[-1] / step)) + count + 1) * step
    sums = np.cumsum(np.concatenate([np.full(count, pace.parts[0]), pace.at(moving)]))
    mean = np.clip((sums[count:] - sums[:-count]) / count, pace.parts[0], pace.parts[-1])
    return np.arange(len(mean) + 2 * _RESTING) * step, np.pad(mean, _RESTING, mode='edge')


def _slowing(motion: SplineTrajectory, limits: MotionLimits, times: np.ndarray,
             window: float) -> np.ndarray:
    """Return by how much the motion must be slowed at times (k,), s, 1 where it need not."""
    step, (_, v, a) = times[1] - times[0], motion.sample(times)
    jerk = np.diff(a, axis=0, append=a[-1:]) / step
    factor = np.max([(np.abs(value) / limit).max(axis=1) ** power for value, limit, power in (
        (v, limits.velocity, 1.0), (a, limits.acceleration, 0.5),
        (jerk, limits.jerk, 1.0 / 3.0))], axis=0)
    # An average covers the window: the excess comes from places within it.
    reach = max(round(window / step), 1)
    padded = np.pad(np.maximum(factor, 1.0), reach, mode='edge')
    return np.lib.stride_tricks.sliding_window_view(padded, 2 * reach + 1).max(axis=1)


def keeps(excess: Excess, most_jerk: float = BLENDING_JERK) -> bool:
    """Return whether a motion that takes over from another keeps the limits that apply to it."""
    return (max(excess.velocity, excess.acceleration) <= _KEPT
            and excess.jerk <= most_jerk * _KEPT)


def brake(current: Trajectory, limits: MotionLimits) -> Trajectory:
    """Return a motion on the same path as the current motion that comes to rest sooner.

    Where there is none, the current motion up to where it rests next. Where that uses more than the
    limits, braking may use as much.
    """
    if isinstance(current, Series):
        current = current.to_rest()
    soonest, wider = current, braking_limits(limits, current)
    most_jerk = BLENDING_JERK if wider is limits else 1.0
    durations = np.geomspace(_SHORTEST, max(current.duration, _SHORTEST), _DURATIONS)[:-1].tolist()
    # Nearly always what keeps the limits for one duration does for longer ones.
    while durations and not is_over(math.inf):
        middle = len(durations) // 2
        found = _braking(current, wider, durations[middle], most_jerk)
        durations = durations[middle + 1:] if found is None else durations[:middle]
        soonest = found or soonest
    return soonest


def _braking(current: Trajectory, limits: MotionLimits, duration: float,
             most_jerk: float) -> Trajectory | None:
    """Return a motion on the same path that rests after a duration, s; None beyond the limits."""
    times = np.linspace(0.0, duration, max(math.ceil(duration / step_of(limits)), _FEWEST) + 1)
    for ramp in _RAMPS:
        motion = SplineTrajectory(times, current.sample(_clock(times, ramp)).position, limits,
                                  current.at(0.0))
        if keeps(motion.excess(), most_jerk):
            return motion
    return None


def _clock(times: np.ndarray, ramp: float) -> np.ndarray:
    """Return the value of the clock, s, at times (k,) from 0, its rate going from 1 to 0.

    Its deceleration rises over a share of the time, is constant, and falls over the same share.
    """
    u = times / times[-1]
    # The second integral of a deceleration that rises by 1 / ramp, then by 0, then by −1 / ramp.
    lost = (u ** 3 - np.maximum(u - ramp, 0.0) ** 3 - np.maximum(u - 1.0 + ramp, 0.0) ** 3) / (
        6.0 * ramp)
    return times[-1] * (u - lost / (1.0 - ramp))
