"""Braking along the path: the current motion continues while its clock slows down to a stop.

At the time σ of the current motion the joints have q̇ = v(σ) σ̇ and q̈ = a(σ) σ̇² + v(σ) σ̈. With
σ̇ ≤ 1 velocities only decrease, and σ̈ = 0 never exceeds the accelerations: an arm can brake on any
path without leaving it, and in the worst case follows it to its end.
"""

import numpy as np

from ik_node.motion.limits import MotionLimits
from ik_node.motion.path_motion import RESTING, STEP
from ik_node.motion.spline import Excess, SplineTrajectory
from ik_node.motion.trajectory import Series, Trajectory

BLENDING_JERK = 2.0  # of the limit: while one motion takes over from another
_KEPT = 1.0 + 1e-6
# The share of the accelerations to brake with, and the window that smooths it, in a/j.
_TRIED = ((0.95, 1.0), (0.95, 2.0), (0.7, 2.0), (0.4, 2.0), (0.2, 2.0))


def keeps(excess: Excess) -> bool:
    """Return whether a motion that takes over from another keeps the limits that apply to it."""
    return (max(excess.velocity, excess.acceleration) <= _KEPT
            and excess.jerk <= BLENDING_JERK * _KEPT)


def brake(current: Trajectory, limits: MotionLimits) -> Trajectory:
    """Return a motion on the same path as the current motion that comes to rest sooner.

    Where there is none, the current motion up to where it rests next.
    """
    if isinstance(current, Series):
        current = current.to_rest()
    for share, window in _TRIED:
        times, clock = _clock(current, limits, share, window)
        if times[-1] >= current.duration:
            continue
        motion = SplineTrajectory(times, current.sample(clock).position, limits,
                                  current.at(0.0).velocity)
        if keeps(motion.excess()):
            return motion
    return current


def _clock(current: Trajectory, limits: MotionLimits, share: float,
           smoothed: float) -> tuple[np.ndarray, np.ndarray]:
    """Return times (k,), s, and the value of the clock at each, from the rate 1 to the rate 0.

    The clock slows down as fast as a share of the accelerations allows; an average over a window
    then makes its acceleration continuous.
    """
    state = current.sample(np.arange(0.0, current.duration + 2.0 * STEP, STEP))
    most = share * limits.acceleration
    shown, rate, clock = 0.0, 1.0, [0.0]
    while rate > 0.0 and shown < current.duration:
        k = int(shown / STEP)
        v, a = state.velocity[k], state.acceleration[k] * rate * rate
        moving = v != 0.0
        # a + v u ≥ −most where v > 0, and ≤ most where v < 0: the least u
        least = ((-np.sign(v) * most - a)[moving] / v[moving]).max(initial=-1.0 / STEP)
        after = max(rate + min(float(least), 0.0) * STEP, 0.0)
        shown += 0.5 * (rate + after) * STEP
        rate = after
        clock.append(shown)
    ramp = float((limits.acceleration / limits.jerk).max())
    window = max(round(smoothed * ramp / STEP), 1)
    before = np.arange(1 - window, 0) * STEP
    padded = np.concatenate([before, clock, np.full(window, clock[-1])])
    sums = np.cumsum(np.concatenate([[0.0], padded]))
    smooth = (sums[window:] - sums[:-window]) / window
    smooth = np.pad(smooth - smooth[0], (0, RESTING), mode='edge')
    return np.arange(len(smooth)) * STEP, smooth
