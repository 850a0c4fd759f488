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

INSTALL_HINT = 'install it with "pip install ruckig"'
_ROUNDING = 1e-7   # rad or m: what a position may lie beyond a limit by rounding
_ADMISSIBLE = 1.0 + 1e-9


class RuckigProfile(Trajectory):
    """A trajectory of Ruckig; it keeps limits of velocity, acceleration and jerk, not of position.

    - `lowest`, `highest`: (n,) positions, rad or m; `fastest`: (n,) speeds, per s.
    - `excess`: how far positions leave the limits at most, rad or m; not above 0: they do not.
    - `stays_inside`, `keeps_speed`: whether positions and velocities keep the limits.
    """

    def __init__(self, found: object, limits: MotionLimits, end: State) -> None:
        """Wrap Ruckig's trajectory, which ends in a state (n,), at rest or not."""
        self._found = found
        self._limits = limits
        self._end_state = end
        self.duration = float(found.duration)  # type: ignore[attr-defined]
        self.lowest, self.highest, self.fastest = extrema(
            found.profiles[0])  # type: ignore[attr-defined]
        self.excess = float(max((limits.lower - self.lowest).max(),
                                (self.highest - limits.upper).max()))
        self.stays_inside = self.excess <= _ROUNDING
        self.keeps_speed = bool((self.fastest <= limits.velocity * _ADMISSIBLE).all())

    @property
    def end(self) -> np.ndarray:
        """Where the motion ends, (n,), rad or m."""
        return self._end_state.position.copy()

    def _at(self, t: float) -> State:
        q, v, a = (np.array(values) for values in self._found.at_time(t))  # type: ignore[attr-defined]
        if self.stays_inside:
            q = np.clip(q, self._limits.lower, self._limits.upper)
        return State(q, v, a)


def extrema(profiles: Sequence[Any]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the lowest and highest positions, and the highest speeds, (n,) each, of profiles.

    Ruckig's own `position_extrema` miss a joint that turns round while its acceleration is constant
    (github.com/pantor/ruckig/issues/215). Here the zeros of velocity and
    acceleration of every phase, p + v t + a t²/2 + j t³/6, are computed.
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
    taken[:, -1] |= ~taken.any(axis=1)
    return (np.where(taken, positions, np.inf).min(axis=(0, 2)),
            np.where(taken, positions, -np.inf).max(axis=(0, 2)),
            np.where(taken, speeds, 0.0).max(axis=(0, 2)))


def ruckig_module() -> ModuleType:
    """Return the library. Raises UnsupportedError, with a hint, where it is not installed."""
    try:
        import ruckig
    except ImportError as error:
        raise UnsupportedError(f'motion in joint space needs ruckig, which is not installed; '
                               f'{INSTALL_HINT}') from error
    return ruckig


def admissible(limits: MotionLimits, state: State) -> bool:
    """Return whether a state allows a motion within the limits of velocity and acceleration.

    While an acceleration is reduced to zero the velocity grows by a²/2j.
    """
    v, a = state.velocity, state.acceleration
    ahead = v + a * np.abs(a) / (2.0 * limits.jerk)
    most = limits.velocity * _ADMISSIBLE
    return bool((np.abs(a) <= limits.acceleration * _ADMISSIBLE).all()
                and (np.abs(v) <= most).all() and (np.abs(ahead) <= most).all())


def reach_state(limits: MotionLimits, state: State, q: np.ndarray,
                velocity: np.ndarray | None = None) -> RuckigProfile:
    """Return the quickest motion from a state to q (n,), rad or m, with zero acceleration there.

    velocity: (n,) final velocity, per s; by default zero. All joints arrive together.
    Raises MotionError where Ruckig finds none.
    """
    ruckig = ruckig_module()
    parameters = _input(ruckig, limits, state)
    parameters.target_position = q.tolist()
    if velocity is not None:
        parameters.target_velocity = velocity.tolist()
    arriving = State(q, np.zeros_like(q) if velocity is None else velocity, np.zeros_like(q))
    return RuckigProfile(_calculate(ruckig, parameters), limits, arriving)


def stop(limits: MotionLimits, state: State) -> RuckigProfile:
    """Return the quickest stop, each joint by itself. Raises MotionError as `reach_state`."""
    ruckig = ruckig_module()
    parameters = _input(ruckig, limits, state)
    parameters.control_interface = ruckig.ControlInterface.Velocity
    parameters.synchronization = ruckig.Synchronization.No
    found = _calculate(ruckig, parameters)
    return RuckigProfile(found, limits, State.at_rest(np.array(found.at_time(found.duration)[0])))


def _input(ruckig: ModuleType, limits: MotionLimits, state: State):  # type: ignore[no-untyped-def]
    parameters = ruckig.InputParameter(len(state.position))
    parameters.current_position = state.position.tolist()
    parameters.current_velocity = state.velocity.tolist()
    parameters.current_acceleration = state.acceleration.tolist()
    parameters.max_velocity = limits.velocity.tolist()
    parameters.max_acceleration = limits.acceleration.tolist()
    parameters.max_jerk = limits.jerk.tolist()
    return parameters


def _calculate(ruckig: ModuleType, parameters):  # type: ignore[no-untyped-def]
    n = parameters.degrees_of_freedom
    found = ruckig.Trajectory(n)
    try:
        result = ruckig.Ruckig(n).calculate(parameters, found)
    except RuntimeError as error:
        raise MotionError(f'Ruckig finds no motion: {error}') from error
    if result not in (ruckig.Result.Working, ruckig.Result.Finished):
        raise MotionError(f'Ruckig finds no motion: {result}')
    return found
