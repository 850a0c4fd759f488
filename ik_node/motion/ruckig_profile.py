"""Time-optimal, jerk-limited, synchronised motion between two states, by Ruckig.

L. Berscheid and T. Kröger, Jerk-limited Real-time Trajectory Generation with Arbitrary Target
States, RSS 2021. Ruckig's community version is imported when it is first needed.
"""

from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np

from ik_node.motion.limits import MotionLimits
from ik_node.motion.trajectory import State, Trajectory
from ik_node.support.exceptions import MotionError, UnsupportedError

_ROUNDING = 1e-7   # rad or m: what a position may lie beyond a limit by rounding
_ADMISSIBLE = 1.0 + 1e-9
_TOO_LONG = '-101'  # the code of a motion longer than Ruckig computes, which Python has no name for


class RuckigProfile(Trajectory):
    """A trajectory of Ruckig; it keeps limits of velocity, acceleration and jerk, not of position.

    - `lowest`, `highest`: (n,) positions, rad or m; `fastest`: (n,) speeds, per s; `strongest`:
      (n,) accelerations, per s², without sign.
    - `excess`: how far positions leave the limits at most, rad or m; not above 0: they do not.
    - `stays_inside`: whether positions keep the limits; `keeps_limits`: velocities and
      accelerations, too, or are nowhere larger than at the beginning.
    """

    def __init__(self, found: Any, limits: MotionLimits, end: np.ndarray,
                 rests: bool = True) -> None:
        """Wrap Ruckig's trajectory, which ends at q (n,), rad or m, at rest or not."""
        self._found, self._limits = found, limits
        self.duration, self.end, self.rests = float(found.duration), end, rests
        (self.lowest, self.highest, self.fastest, self.strongest,
         self.knots) = extrema(found.profiles[0], self.duration)
        self.excess = float(max((limits.lower - self.lowest).max(),
                                (self.highest - limits.upper).max()))
        self.stays_inside = self.excess <= _ROUNDING
        self._missed = end - found.at_time(self.duration)[0]  # Ruckig meets a target to 1e-8 only
        _, v, a = np.abs(found.at_time(0.0))
        self.keeps_limits = self.stays_inside and all(
            (most <= np.maximum(limit, first) * _ADMISSIBLE).all() for most, limit, first in (
                (self.fastest, limits.velocity, v), (self.strongest, limits.acceleration, a)))

    def peaks(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self.fastest, self.strongest, self._limits.jerk

    def raw(self, times: np.ndarray) -> State:
        q, v, a = np.array([self._found.at_time(t) for t in times.tolist()]).reshape(
            -1, 3, len(self.end)).swapaxes(0, 1)
        T, miss = max(self.duration, _ROUNDING), self._missed
        s = (times / T)[:, None]
        q = q + s ** 3 * (10.0 - s * (15.0 - 6.0 * s)) * miss  # at rest at both ends
        v = v + 30.0 * (s * (1.0 - s)) ** 2 * miss / T
        a = a + 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s) * miss / T ** 2
        if self.stays_inside:
            q = np.clip(q, self._limits.lower, self._limits.upper)
        return State(q, v, a)


def extrema(profiles: Sequence[Any], duration: float) -> tuple[np.ndarray, ...]:
    """Return the extrema of profiles that last at most a duration, s, and the times of phases.

    The lowest and highest positions, the highest speeds and accelerations, (n,) each; and the times
    (k,) at which a jerk changes, from 0 to the duration. Ruckig's own `position_extrema` miss a
    joint that turns round while its acceleration is constant (github.com/pantor/ruckig/issues/215).
    Here the zeros of velocity and acceleration of every phase, p + v t + a t²/2 + j t³/6, are
    computed.
    """
    # Two phases that bring a state into the limits, and seven to the target; (n, 9) each.
    t, p, v, a, j = (np.array([[*getattr(profile.brake, name)[:2], *getattr(profile, name)[:7]]
                               for profile in profiles]) for name in 'tpvaj')
    with np.errstate(divide='ignore', invalid='ignore'):
        root = np.sqrt(a * a - 2.0 * j * v)
        still = np.stack([np.zeros_like(t), t, (-a + root) / j, (-a - root) / j, -v / a])
        level = np.stack([np.zeros_like(t), t, -a / j])
    still, level = (np.where((x > 0.0) & (x < t), x, 0.0) for x in (still, level))
    still[1] = level[1] = t  # each phase's end, besides its beginning
    positions = p + still * (v + still * (a / 2.0 + still * j / 6.0))
    speeds = np.abs(v + level * (a + level * j / 2.0))
    taken = t > 0.0  # phases without duration do not count
    changes = np.clip(np.cumsum(t, axis=1)[taken], 0.0, duration)
    taken[:, -1] |= ~taken.any(axis=1)
    return (np.where(taken, positions, np.inf).min(axis=(0, 2)),
            np.where(taken, positions, -np.inf).max(axis=(0, 2)),
            np.where(taken, speeds, 0.0).max(axis=(0, 2)),
            np.where(taken, np.abs([a, a + j * t]), 0.0).max(axis=(0, 2)),
            np.unique([0.0, *changes, duration]))


def ruckig_module() -> ModuleType:
    """Return the library. Raises UnsupportedError, with a hint, where it is not installed."""
    try:
        import ruckig
    except ImportError as error:
        raise UnsupportedError('motion in joint space needs ruckig, which is not installed; '
                               'install it with "pip install ruckig"') from error
    return ruckig


def admissible(limits: MotionLimits, state: State) -> bool:
    """Return whether a state allows a motion within the limits of velocity and acceleration.

    While an acceleration is reduced to zero the velocity grows by a²/2j.
    """
    _, v, a = state
    ahead = v + a * np.abs(a) / (2.0 * limits.jerk)
    most = limits.velocity * _ADMISSIBLE
    return bool((np.abs(a) <= limits.acceleration * _ADMISSIBLE).all()
                and (np.abs(v) <= most).all() and (np.abs(ahead) <= most).all())


def reach_state(limits: MotionLimits, state: State, q: np.ndarray,
                velocity: np.ndarray | None = None) -> RuckigProfile:
    """Return the quickest motion from a state to q (n,), rad or m, with zero acceleration there.

    velocity: (n,) final velocity, per s; by default zero. All joints arrive together. Raises
    MotionError where Ruckig finds none.
    """
    final = np.zeros_like(q) if velocity is None else velocity
    found = _calculate(limits, state, target_position=q.tolist(), target_velocity=final.tolist())
    return RuckigProfile(found, limits, q, not final.any())


def stop(limits: MotionLimits, state: State) -> RuckigProfile:
    """Return the quickest stop, each joint by itself. Raises MotionError as `reach_state`."""
    ruckig = ruckig_module()
    found = _calculate(limits, state, control_interface=ruckig.ControlInterface.Velocity,
                       synchronization=ruckig.Synchronization.No)
    return RuckigProfile(found, limits, np.array(found.at_time(found.duration)[0]))


def _calculate(limits: MotionLimits, state: State, **target: Any) -> Any:
    """Return Ruckig's trajectory from a state to a target, given as attributes of its input."""
    ruckig = ruckig_module()
    n = len(state.position)
    parameters, found = ruckig.InputParameter(n), ruckig.Trajectory(n)
    for quantity, value in state._asdict().items():
        setattr(parameters, f'current_{quantity}', value.tolist())
    for quantity in ('velocity', 'acceleration', 'jerk'):
        setattr(parameters, f'max_{quantity}', getattr(limits, quantity).tolist())
    for attribute, value in target.items():
        setattr(parameters, attribute, value)
    try:
        result = ruckig.Ruckig(n).calculate(parameters, found)
    except (RuntimeError, ValueError, ruckig.RuckigError) as error:
        reason = str(error).strip().partition(' input')[0]  # without a list of all numbers
        if _TOO_LONG in reason:
            reason = 'it would last over 7,600 s'
        raise MotionError(f'Ruckig finds no motion: {reason}') from error
    if result not in (ruckig.Result.Working, ruckig.Result.Finished):
        raise MotionError(f'Ruckig finds no motion: {result}')
    return found
