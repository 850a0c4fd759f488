"""Motion in joint space through several configurations, each of which is met exactly."""

from typing import Any

import numpy as np

from ik_node.model.joint_space import JointSpace
from ik_node.motion.joint_motion import checked_configurations, joint_motion, state_of
from ik_node.motion.limits import MotionLimits
from ik_node.motion.ruckig_profile import RuckigProfile, admissible, reach_state
from ik_node.motion.trajectory import Series, State, Trajectory
from ik_node.support.exceptions import MotionError

_SLOWER = 0.5      # factor of the speed at a waypoint where it causes overshooting
_SLOWEST = 0.2     # of the first choice; below that the arm stops there
_OVERSHOOT = 1e-6  # rad or m, beyond the ends of a segment
_HALVINGS = 30


def joint_motion_through(chain: JointSpace, limits: MotionLimits, start: State | Trajectory,
                         configurations: Any) -> Trajectory:
    """Return the motion from a start through configurations (m, n), rad or m, to rest at the last.

    A joint that continues in the same direction passes a waypoint without a stop; one that reverses
    there stops for a moment. Between waypoints no joint leaves the interval between them. start and
    errors: as for `joint_motion`.
    """
    state = state_of(start)
    targets = checked_configurations(chain, limits, state.position, configurations)
    passing = _passing(limits, np.vstack([state.position, targets]))
    share = np.ones(len(targets))
    while True:
        segments = _segments(limits, state, targets, passing * share[:, None])
        bad = [k for k, segment in enumerate(segments) if segment is None]
        if not bad:
            return Series([segment for segment in segments if segment is not None])
        ends = [k for j in bad for k in (j - 1, j) if k >= 0]
        if not share[ends].any():
            break
        share[ends] *= _SLOWER
        share[share < _SLOWEST] = 0.0
    # Only the first segment is left: it begins in motion, and needs more than one profile.
    first = joint_motion(chain, limits, start, targets[0])
    rest = [segment for segment in segments[1:] if segment is not None]
    return Series([first, *rest])


def _segments(limits: MotionLimits, state: State, targets: np.ndarray,
              velocities: np.ndarray) -> list[RuckigProfile | None]:
    """Return a profile for each segment, None for those that leave their interval or a limit."""
    found: list[RuckigProfile | None] = []
    for k, (q, velocity) in enumerate(zip(targets, velocities)):
        try:
            profile: RuckigProfile | None = reach_state(limits, state, q, velocity)
        except MotionError:
            profile = None
        if profile is not None and k == 0 and state.moves:
            kept = (profile.stays_inside and profile.keeps_speed
                    and admissible(limits, state))
        elif profile is not None:
            low, high = np.minimum(state.position, q), np.maximum(state.position, q)
            kept = bool((profile.lowest >= low - _OVERSHOOT).all()
                        and (profile.highest <= high + _OVERSHOOT).all()
                        and profile.stays_inside and profile.keeps_speed)
        found.append(profile if profile is not None and kept else None)
        state = State(q, velocity, np.zeros_like(q))
    return found


def _passing(limits: MotionLimits, configurations: np.ndarray) -> np.ndarray:
    """Return the velocities (m, n) at the configurations after the first, zero at the last.

    Of the two segments at a configuration the one that takes longer, its quickest joint at full
    speed, sets the pace; a joint that reverses has velocity zero. All joints of a configuration are
    then slowed by the same factor, until each segment is long enough for the change of velocity.
    """
    steps = np.diff(configurations, axis=0)
    times = np.maximum((np.abs(steps) / limits.velocity).max(axis=1), 1e-9)
    pace = steps / times[:, None]
    wanted = np.zeros_like(configurations)
    same = pace[:-1] * pace[1:] > 0.0
    wanted[1:-1] = np.where(same, np.sign(pace[1:]) * np.minimum(
        np.abs(pace[:-1]), np.abs(pace[1:])), 0.0)
    share = np.ones(len(wanted))
    share[0] = share[-1] = 0.0
    for order in (range(1, len(wanted)), range(len(wanted) - 2, 0, -1)):
        for k in order:
            before, step = (k - 1, steps[k - 1]) if order.step > 0 else (k + 1, steps[k])
            most = _reachable(limits, share[before] * np.abs(wanted[before]), np.abs(step))
            passes = wanted[k] != 0.0
            share[k] = min(share[k], (most[passes] / np.abs(wanted[k, passes])).min(initial=1.0))
    return (share[:, None] * wanted)[1:]


def _reachable(limits: MotionLimits, v: np.ndarray, step: np.ndarray) -> np.ndarray:
    """Return the highest velocities (n,) that joints reach from v (n,) within a step (n,).

    Without acceleration at both ends a change by Δ takes 2√(Δ/j), beyond Δ = a²/j, where the
    acceleration a is reached, Δ/a + a/j; and on average the joint has the mean of both velocities.
    """
    a, j = limits.acceleration, limits.jerk
    low, high = v.copy(), np.maximum(limits.velocity, v)
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        change = middle - v
        time = np.where(change <= a * a / j, 2.0 * np.sqrt(change / j), change / a + a / j)
        enough = 0.5 * (v + middle) * time <= step
        low, high = np.where(enough, middle, low), np.where(enough, high, middle)
    return low
