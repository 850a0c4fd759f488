"""Motion along a path in joint space, from rest to rest, quick and smooth in time."""

from typing import TYPE_CHECKING

import numpy as np

from ik_node.motion.limits import MotionLimits
from ik_node.motion.spline import SplineTrajectory
from ik_node.motion.time_scaling import Pace, quickest_pace

if TYPE_CHECKING:
    from scipy.interpolate import CubicSpline

STEP = 0.004         # s between the knots of a motion
_FEWEST, _MOST = 24, 20000  # knots
RESTING = 2          # knots at rest at either end: a cubic's acceleration is next to zero there
_GRID = 4            # places to each piece of the path's spline
_ROUNDS = 4          # of slowing down where limits are exceeded
_WINDOW = 1.5        # of a/j: over how long accelerations are averaged


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
    window = _WINDOW * float((limits.acceleration / limits.jerk).max())
    return _smooth(path, limits, grid, dq, ddq, window)


def _smooth(path: 'CubicSpline', limits: MotionLimits, grid: np.ndarray, dq: np.ndarray,
            ddq: np.ndarray, window: float) -> SplineTrajectory:
    slower = np.ones(len(grid))  # times as long at each place
    found = []
    for _ in range(_ROUNDS):
        pace = quickest_pace(grid, dq, ddq, limits.velocity / slower[:, None],
                             limits.acceleration / slower[:, None] ** 2)
        times, parts = averaged(pace, window)
        motion = SplineTrajectory(times, path(parts), limits)
        factor = motion.excess().slower
        found.append(SplineTrajectory(times * factor, path(parts), limits))
        if factor <= 1.001:
            break
        slower *= _slowing(motion, limits, times, parts, grid, window)
    return min(found, key=lambda motion: motion.duration)


def averaged(pace: Pace, window: float) -> tuple[np.ndarray, np.ndarray]:
    """Return times (k,), s, and parts (k,) of the path, each the mean over a window, s, before."""
    duration = pace.times[-1] + window
    step = min(max(STEP, duration / _MOST), duration / _FEWEST)
    count = max(round(window / step), 1)
    moving = np.arange(int(np.ceil(pace.times[-1] / step)) + count + 1) * step
    sums = np.cumsum(np.concatenate([np.full(count, pace.parts[0]), pace.at(moving)]))
    mean = np.clip((sums[count:] - sums[:-count]) / count, pace.parts[0], pace.parts[-1])
    return np.arange(len(mean) + 2 * RESTING) * step, np.pad(mean, RESTING, mode='edge')


def _slowing(motion: SplineTrajectory, limits: MotionLimits, times: np.ndarray, parts: np.ndarray,
             grid: np.ndarray, window: float) -> np.ndarray:
    """Return by how much each place (k,) of the grid must be slowed, 1 where it need not."""
    state = motion.sample(times)
    jerk = np.abs(np.diff(state.acceleration, axis=0, append=state.acceleration[-1:])
                  ) / (times[1] - times[0])
    factor = np.maximum(np.maximum((np.abs(state.velocity) / limits.velocity).max(axis=1),
                                   (np.abs(state.acceleration) / limits.acceleration).max(
                                       axis=1) ** 0.5),
                        np.maximum((jerk / limits.jerk).max(axis=1), 0.0) ** (1.0 / 3.0))
    factor = np.maximum(factor, 1.0)
    # An average covers the window: the excess comes from places within it.
    reach = max(round(window / (times[1] - times[0])), 1)
    padded = np.pad(factor, reach, mode='edge')
    widest = np.lib.stride_tricks.sliding_window_view(padded, 2 * reach + 1).max(axis=1)
    return np.interp(grid, parts, widest)
