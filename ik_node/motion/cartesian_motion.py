"""Cartesian motion: straight lines and great arcs of the tip, as fast as the joints allow.

A moving arm brakes on its current path, unless that ends nearer to the new goal, and the motion to
it begins where the arm would come to rest: both are superposed, as early as the limits of the
joints allow. The tip then rounds the corner between the two paths; where the motions cannot be
superposed, it stops at the corner.
"""

from collections.abc import Sequence

import numpy as np
from scipy.interpolate import CubicSpline

from ik_node.motion.following import Follower
from ik_node.motion.limits import MotionLimits
from ik_node.motion.path_motion import STEP, along, brake, keeps
from ik_node.motion.tip_path import paths_through
from ik_node.motion.trajectory import Rest, Series, SplineTrajectory, Trajectory
from ik_node.solvers.goal import Goal
from ik_node.solvers.result import task_error
from ik_node.support.exceptions import InputError

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
    missed, missed_ahead = (np.linalg.norm(task_error(follower.chain, goals[0], q))
                            for q in (braking.end, ahead.end))
    if missed_ahead < missed:  # such as of goals that come in quick succession
        braking = ahead
    onward = _from_rest(follower, limits, braking.end, goals)
    first, *others = onward.parts if isinstance(onward, Series) else [onward]
    if first.duration == 0.0:
        return braking
    blended = _overlapped(braking, first, limits)
    return Series([braking, first, *others] if blended is None else [blended, *others])


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
    for later in np.arange(_OVERLAPS) / _OVERLAPS * braking.duration:
        count = int(np.ceil(max(later + onward.duration, braking.duration) / STEP)) + 1
        times = np.arange(count) * STEP
        configurations = (braking.sample(times).position
                          + onward.sample(times - later).position - braking.end)
        motion = SplineTrajectory(times, configurations, limits, braking.at(0.0).velocity)
        excess = motion.excess()
        if keeps(excess) and excess.position <= 0.0:
            return motion
    return None
