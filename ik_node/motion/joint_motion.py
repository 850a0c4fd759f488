"""Motion in joint space: jerk-limited, synchronised, from any state to a configuration at rest.

Ruckig knows no position limits. From rest to rest a joint never leaves the interval between its
ends; a joint in motion may have to overshoot before it reverses. Such a motion is checked first,
and where it would leave the limits the arm brakes and continues from there; where braking would
leave them too, it continues the current motion, which ends inside the limits, until one of the two
is possible.
"""

from typing import Any

import numpy as np

from ik_node.model.joint_space import JointSpace
from ik_node.motion.braking import brake
from ik_node.motion.interpolation import nearest_end
from ik_node.motion.limits import MotionLimits
from ik_node.motion.ruckig_profile import admissible, reach_state, stop
from ik_node.motion.trajectory import Part, Series, State, Trajectory
from ik_node.support.arguments import floats
from ik_node.support.exceptions import InputError

_TRIED = 32  # times of the current motion from which another is tried


def joint_motion(chain: JointSpace, limits: MotionLimits, start: State | Trajectory,
                 configuration: Any, to_nearest_turn: bool = True) -> Trajectory:
    """Return the motion from a start to a configuration (n,), rad or m, where it rests.

    chain: a chain or a body. start: the current motion, from now on, or a state alone. Where the
    limits cannot be kept from a state alone, they are exceeded by the least that was found; motions
    of this package never reach such states. Joints with the period of a whole turn take the shorter
    way round, unless to_nearest_turn is false: they then end at the value given. Raises InputError
    for a configuration outside the limits or of wrong shape.
    """
    state = state_of(start)
    q = checked_configurations(chain, limits, state.position, configuration, to_nearest_turn)[0]
    tried = _from(limits, state, q)
    if tried.kept or not isinstance(start, Trajectory):
        return tried.motion
    for t in np.linspace(0.0, start.duration, _TRIED + 1)[1:]:
        later = _from(limits, start.at(float(t)), q)
        if later.kept:
            return Series([Part(start, 0.0, float(t)), later.motion])
    return Series([start, reach_state(limits, State.at_rest(start.end), q)])


def stopping(start: Trajectory, limits: MotionLimits) -> Trajectory:
    """Return the quickest stop, each joint by itself, or braking on the path where limits need it.

    start: the current motion, from now on.
    """
    state = start.at(0.0)
    profile = stop(limits, state)
    kept = profile.stays_inside and profile.keeps_speed and admissible(limits, state)
    return profile if kept else brake(start, limits)


class _Tried:
    """A motion and whether it keeps all limits."""

    def __init__(self, motion: Trajectory, kept: bool) -> None:
        self.motion, self.kept = motion, kept


def _from(limits: MotionLimits, state: State, q: np.ndarray) -> _Tried:
    """Go from a state to q (n,) at once, or brake first, whichever keeps the limits."""
    direct = reach_state(limits, state, q)
    kept = admissible(limits, state)
    if direct.stays_inside and direct.keeps_speed:
        return _Tried(direct, kept)
    braking = stop(limits, state)
    if braking.stays_inside or braking.excess < direct.excess:
        onward = reach_state(limits, State.at_rest(braking.end), q)
        return _Tried(Series([braking, onward]),
                      kept and braking.stays_inside and braking.keeps_speed)
    return _Tried(direct, False)


def state_of(start: State | Trajectory) -> State:
    """Return the state at the beginning."""
    return start.at(0.0) if isinstance(start, Trajectory) else start


def checked_configurations(chain: JointSpace, limits: MotionLimits, q0: np.ndarray,
                           configurations: Any, to_nearest_turn: bool = True) -> np.ndarray:
    """Return configurations (n,) or (m, n) as (m, n), by whole turns nearest the previous one.

    q0: (n,), previous to the first. to_nearest_turn: false leaves them as they are. Raises
    InputError for those outside the limits.
    """
    values = np.atleast_2d(floats(configurations, 'configurations'))
    if values.ndim != 2 or values.shape[1] != chain.n_joints or not len(values):
        raise InputError(f'configurations must have the shape ({chain.n_joints},) or (m, '
                         f'{chain.n_joints}), not {values.shape}')
    outside = (values < limits.lower) | (values > limits.upper)
    if outside.any():
        k, i = np.argwhere(outside)[0]
        raise InputError(f'configuration {k + 1}: {values[k, i]:.9g} is outside the limits '
                         f'{limits.lower[i]:.9g} to {limits.upper[i]:.9g} of joint '
                         f'{chain.joint_names[i]!r}')
    before = q0
    for k in range(len(values) if to_nearest_turn else 0):
        before = values[k] = nearest_end(chain, before, values[k])
    return values
