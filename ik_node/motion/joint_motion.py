"""Motion in joint space: jerk-limited, synchronised, from any state to configurations.

Ruckig knows no position limits, and a joint in motion may have to overshoot before it reverses.
Where that would leave the limits the arm brakes and continues from there, as hard as its current
motion would have braked where the limits have become stricter meanwhile. Where neither is possible
it continues the current motion, which ends inside the limits, until one is.
"""

import math
from contextlib import suppress
from typing import Any

import numpy as np

from ik_node.model.joint_space import JointSpace, check_inside
from ik_node.motion.interpolation import nearest_end
from ik_node.motion.limits import MotionLimits
from ik_node.motion.path_motion import brake
from ik_node.motion.ruckig_profile import RuckigProfile, admissible, reach_state, stop
from ik_node.motion.trajectory import Part, Series, State, Trajectory, braking_limits
from ik_node.support.arguments import floats
from ik_node.support.clock import is_over
from ik_node.support.exceptions import InputError, MotionError

_TRIED = 32        # times of the current motion from which another is tried
_SLOWER = 0.5      # factor of the speed at a waypoint where it causes overshooting
_SLOWEST = 0.2     # of the first choice; below that the arm stops there
_OVERSHOOT = 1e-6  # rad or m, beyond the ends of a segment
_HALVINGS = 30


def joint_motion(chain: JointSpace, limits: MotionLimits, start: State | Trajectory,
                 configuration: Any, to_nearest_turn: bool = True) -> Trajectory:
    """Return the motion from a start to a configuration (n,), rad or m, where it rests.

    chain: a chain or a body. start: the current motion, from now on, or a state alone. Where the
    limits cannot be kept from a state alone, they are exceeded by the least that was found; motions
    of this package never reach such states. Joints with the period of a whole turn take the shorter
    way round, unless to_nearest_turn is false: they then end at the value given. Raises InputError
    for a configuration outside the limits or of wrong shape.
    """
    state = _state_of(start)
    q = _checked(chain, state.position, configuration, to_nearest_turn)[0]
    if not isinstance(start, Trajectory):
        return _from(limits, state, q, None)[0]
    for t in np.linspace(0.0, start.duration, _TRIED + 1).tolist():
        if t and is_over(math.inf):
            break
        with suppress(MotionError):
            motion, kept = _from(limits, start.at(t) if t else state, q, start)
            if kept:
                return Series([Part(start, 0.0, t), motion]) if t else motion
    return Series([start, reach_state(limits, State.at_rest(start.end), q)])


def joint_motion_through(chain: JointSpace, limits: MotionLimits, start: State | Trajectory,
                         configurations: Any) -> Trajectory:
    """Return the motion from a start through configurations (m, n), rad or m, to rest at the last.

    Each is met exactly. A joint that continues in the same direction passes a waypoint without a
    stop; one that reverses there stops for a moment. Between waypoints no joint leaves the interval
    between them. start and errors: as for `joint_motion`.
    """
    state = _state_of(start)
    targets = _checked(chain, state.position, configurations)
    passing = _passing(limits, np.vstack([state.position, targets]))
    share = passing.any(axis=1).astype(float)
    found: dict[int, Trajectory | None] = {}
    changed = set(range(len(targets)))
    while changed:  # each comes a few times at most
        for k in changed:
            velocity = passing[k] * share[k]
            begin = state if k == 0 else State(
                targets[k - 1], passing[k - 1] * share[k - 1], np.zeros_like(velocity))
            found[k] = _segment(limits, begin, targets[k], velocity, k == 0 and state.moves)
        slower = {end for k in changed if found[k] is None for end in (k - 1, k)
                  if end >= 0 and share[end] > 0.0}
        for end in slower:
            share[end] *= _SLOWER if share[end] * _SLOWER >= _SLOWEST else 0.0
        changed = {k for end in slower for k in (end, end + 1)}
    # What begins in motion may need more than one profile.
    return Series([found[k] or joint_motion(
        chain, limits, start if k == 0 else State.at_rest(targets[k - 1]), targets[k])
        for k in range(len(targets))])


def stopping(start: Trajectory, limits: MotionLimits) -> Trajectory:
    """Return the quickest stop, each joint by itself, or braking on the path where limits need it.

    start: the current motion, from now on.
    """
    with suppress(MotionError):
        profile = stop(braking_limits(limits, start), start.at(0.0))
        if profile.keeps_limits:
            return profile
    return brake(start, limits)


def _from(limits: MotionLimits, state: State, q: np.ndarray,
          current: Trajectory | None) -> tuple[Trajectory, bool]:
    """Go from a state to q (n,) at once, or brake first; return whether that keeps all limits.

    From a state that exceeds them by the quicker of both; braking may then use as much as the rest
    of the current motion.
    """
    found: list[tuple[bool, float, Trajectory]] = []
    for begin in (lambda: reach_state(limits, state, q), lambda: stop(limits, state),
                  lambda: stop(braking_limits(limits, current) if current else limits, state)):
        try:
            first = begin()
            motion: Trajectory = first if first.end is q else Series(
                [first, reach_state(limits, State.at_rest(first.end), q)])
        except MotionError as error:
            reason = error
            continue
        if first.keeps_limits and admissible(limits, state):
            return motion, True
        kept = first.keeps_limits
        found.append((not kept, motion.duration if kept else first.excess, motion))
    if not found:
        raise reason
    exceeds, _, best = min(found, key=lambda one: one[:2])
    return best, not exceeds


def _state_of(start: State | Trajectory) -> State:
    return start.at(0.0) if isinstance(start, Trajectory) else start


def _checked(chain: JointSpace, q0: np.ndarray, configurations: Any,
             to_nearest_turn: bool = True) -> np.ndarray:
    """Return configurations (n,) or (m, n) as (m, n), by whole turns nearest the previous one.

    q0: (n,), previous to the first. to_nearest_turn: false leaves them as they are.
    """
    values = np.atleast_2d(floats(configurations, 'configurations'))
    if values.ndim != 2 or values.shape[1] != chain.n_joints or not len(values):
        raise InputError(f'configurations must have the shape ({chain.n_joints},) or (m, '
                         f'{chain.n_joints}), not {values.shape}')
    values = check_inside(chain, values, lambda k: f'configuration {k + 1}')
    before = q0
    for k in range(len(values) if to_nearest_turn else 0):
        before = values[k] = nearest_end(chain, before, values[k])
    return values


def _segment(limits: MotionLimits, state: State, q: np.ndarray, velocity: np.ndarray,
             begins_in_motion: bool) -> RuckigProfile | None:
    """Return the profile from a state to q (n,), None where it leaves its interval or a limit."""
    if is_over(math.inf):
        raise MotionError('planning was cancelled')
    try:
        profile = reach_state(limits, state, q, velocity)
    except MotionError:
        return None
    low, high = np.minimum(state.position, q), np.maximum(state.position, q)
    kept = profile.keeps_limits and (
        admissible(limits, state) if begins_in_motion else
        bool((profile.lowest >= low - _OVERSHOOT).all()
             and (profile.highest <= high + _OVERSHOOT).all()))
    return profile if kept else None


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
