"""Cartesian motion: straight lines and great arcs of the tip, as fast as the joints allow.

A moving arm brakes on its current path, unless that ends nearer to the new goal, and the motion to
it begins where the arm would come to rest: both are superposed, as early as the limits of the
joints allow. The tip then rounds the corner between the two paths; where the motions cannot be
superposed, it stops at the corner.
"""

import contextlib
from collections.abc import Sequence

import numpy as np
from scipy.interpolate import CubicSpline

from ik_node.motion.following import Follower
from ik_node.motion.limits import MotionLimits
from ik_node.motion.path_motion import along, brake, keeps, step_of
from ik_node.motion.tip_path import paths_through
from ik_node.motion.trajectory import Rest, Series, SplineTrajectory, Trajectory, braking_limits
from ik_node.solvers.goal import Goal, task_rows
from ik_node.support.exceptions import InputError, MotionError

_OVERLAPS = 8       # start times of the new motion that are tried, over the duration of braking


def cartesian_motion(follower: Follower, limits: MotionLimits, start: Trajectory,
                     goals: Sequence[Goal]) -> Trajectory:
    """Return the motion of a tip from a start through goals, resting at the last.

    start: the current motion, from now on; `Rest(q)` for an arm at rest. The tip rests for a moment
    at goals where its path has a sharp corner, see `tip_path.GENTLE`; free axes of a goal are not
    controlled. Raises MotionError, with the place, where a path cannot be followed, and InputError
    without goals.
    """
    if not goals:
        raise InputError('a motion needs at least one goal')
    if start.duration == 0.0:
        return _from_rest(follower, limits, start.end, goals)
    braking = brake(start, limits)
    ahead = start.to_rest() if isinstance(start, Series) else start
    missed, missed_ahead = (np.linalg.norm(task_rows(follower.chain, goals[0], q)[0])
                            for q in (braking.end, ahead.end))
    if missed <= missed_ahead or braking_limits(limits, ahead) is not limits:
        return _joined(follower, limits, braking, goals)[0]
    try:  # the goal is beyond, as where goals come in quick succession
        motion, at_once = _joined(follower, limits, ahead, goals)
    except MotionError:
        return _joined(follower, limits, braking, goals)[0]
    if not at_once:
        with contextlib.suppress(MotionError):
            motion = min(motion, _joined(follower, limits, braking, goals)[0],
                         key=lambda one: one.duration)
    return motion


def _joined(follower: Follower, limits: MotionLimits, first: Trajectory,
            goals: Sequence[Goal]) -> tuple[Trajectory, bool]:
    """Return a motion that comes to rest, and from there on one through goals, superposed.

    And whether that one begins at once.
    """
    onward = _from_rest(follower, limits, first.end, goals)
    second, *others = onward.parts if isinstance(onward, Series) else [onward]
    if second.duration == 0.0:
        return first, True
    blended = _overlapped(first, second, limits)
    if blended is None:
        return Series([first, second, *others]), False
    at_once = blended.duration < max(first.duration, second.duration) + step_of(limits)
    return (Series([blended, *others]) if others else blended), at_once


def straight_motion(limits: MotionLimits, start: Trajectory, q: np.ndarray) -> Trajectory:
    """Return the motion that brakes on its current path and then goes straight to q (n,).

    start: the current motion, from now on. The straight line is one in joint space.
    """
    braking = brake(start, limits)
    if not (q - braking.end).any():
        return braking
    path = CubicSpline(np.linspace(0.0, 1.0, 9), np.linspace(braking.end, q, 9))
    return Series([braking, along(path, limits)])


def _from_rest(follower: Follower, limits: MotionLimits, q: np.ndarray,
               goals: Sequence[Goal]) -> Trajectory:
    """Return the motion of an arm at rest at q (n,), rad or m."""
    T = follower.chain.forward(q)
    poses = [T, *(_whole(goal, T) for goal in goals)]
    motions = [along(followed.spline(), limits)
               for followed in follower.follow(goals[-1], paths_through(poses), q)
               if np.ptp(followed.configurations, axis=0).any()]
    return Series(motions) if len(motions) > 1 else motions[0] if motions else Rest(q)


def _whole(goal: Goal, T: np.ndarray) -> np.ndarray:
    """Return the pose (4, 4), m, of a goal, with position or orientation of T where it has none."""
    whole = goal.pose.copy()
    if goal.position is None:
        whole[:3, 3] = T[:3, 3]
    if goal.orientation is None:
        whole[:3, :3] = T[:3, :3]
    return whole


def _overlapped(braking: Trajectory, onward: Trajectory,
                limits: MotionLimits) -> Trajectory | None:
    """Return both superposed as early as the limits allow; None where they never can be."""
    step = step_of(limits)
    for later in np.arange(_OVERLAPS) / _OVERLAPS * braking.duration:
        count = int(np.ceil(max(later + onward.duration, braking.duration) / step)) + 1
        times = np.arange(count) * step
        configurations = (braking.sample(times).position
                          + onward.sample(times - later).position - braking.end)
        motion = SplineTrajectory(times, configurations, limits, braking.at(0.0))
        excess = motion.excess()
        if keeps(excess) and excess.position <= 0.0:
            return motion
    return None
