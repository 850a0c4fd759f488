"""Limits of motion: position, velocity, acceleration and jerk of the joints of an arm.

Descriptions seldom give accelerations and jerks, which URDF has since version 1.2, and some omit
velocities or set them to zero. The defaults below suit arms in a laboratory.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ik_node.model.joint_space import JointSpace, check_joint_space
from ik_node.model.joints import UNLIMITED, Joint
from ik_node.support.arguments import number, numbers
from ik_node.support.exceptions import InputError
from ik_node.support.immutable import Immutable, read_only

REVOLUTE_VELOCITY = 1.0    # rad/s, where the description gives no velocity
PRISMATIC_VELOCITY = 0.25  # m/s, likewise: the reduced speed of ISO 10218-1
TO_FULL_SPEED = 0.5        # s: acceleration = velocity / this
TO_FULL_FORCE = 0.1        # s: jerk = acceleration / this
GENTLE = 0.5               # part of the accelerations for an approach


@dataclass(frozen=True, eq=False)
class MotionLimits(Immutable):
    """Limits of the joints of a chain or a body; arrays are (n,), in rad or m, and read-only."""

    lower: np.ndarray  # −inf where there is none
    upper: np.ndarray  # +inf where there is none
    velocity: np.ndarray  # largest speed, per s; finite and above 0, as the two below
    acceleration: np.ndarray  # per s²
    jerk: np.ndarray  # per s³

    def at_full_speed(self, speed: float) -> 'MotionLimits':
        """Return the limits without a factor of the speed that they have; see `motion_limits`."""
        return MotionLimits(self.lower, self.upper, *map(read_only, (
            self.velocity / speed, self.acceleration / speed ** 2, self.jerk / speed ** 3)))

    def stopping_speeds(self, distances: np.ndarray, period: float) -> np.ndarray:
        """Return speeds (n,) from which joints stop within distances (n,) ≥ 0, rad or m.

        With a part of their accelerations, and with the time in which these fade, in samples of a
        period, s.
        """
        a = GENTLE * self.acceleration
        faded = a * (2.0 * a / self.jerk + 2.0 * period)
        room = 2.0 * a * distances
        return np.asarray(room / (np.sqrt(faded * faded + room) + faded))


def motion_limits(chain: JointSpace, velocity: Any = None, acceleration: Any = None,
                  jerk: Any = None, speed: float = 1.0) -> MotionLimits:
    """Return the limits of motion of a chain or a body.

    velocity, rad/s or m/s, acceleration, per s², and jerk, per s³: one number for all joints, or
    (n,); by default those of the description. Where it has none, or zero: REVOLUTE_VELOCITY or
    PRISMATIC_VELOCITY, and accelerations and jerks that reach velocity within TO_FULL_SPEED and
    acceleration within TO_FULL_FORCE. The smaller of its acceleration and deceleration is used for
    both. speed: a part, above 0 and at most 1, in which time is stretched: velocities are
    multiplied by it, accelerations by its square and jerks by its cube, so that motions keep their
    shape. A mimicked joint also keeps the limits of its followers. Raises InputError.
    """
    check_joint_space(chain)
    if not 0.0 < (speed := number(speed, 'speed')) <= 1.0:
        raise InputError(f'speed must be a number above 0 and at most 1, not {speed!r}')
    v, a, j = (None if values is None else _checked_limits(chain, values, what)
               for values, what in ((velocity, 'velocity'), (acceleration, 'acceleration'),
                                    (jerk, 'jerk')))
    if v is None:
        v = _described(chain, lambda joint: joint.velocity,
                       np.where(chain.prismatic, PRISMATIC_VELOCITY, REVOLUTE_VELOCITY))
    if a is None:
        a = _described(chain, lambda joint: min(joint.acceleration, joint.deceleration),
                       v / TO_FULL_SPEED)
    if j is None:
        j = _described(chain, lambda joint: joint.jerk, a / TO_FULL_FORCE)
    return MotionLimits(chain.lower, chain.upper,
                        *map(read_only, (v * speed, a * speed ** 2, j * speed ** 3)))


def _described(chain: JointSpace, limit_of: Callable[[Joint], float],
               default: np.ndarray) -> np.ndarray:
    """Return the limits (n,) of the description, of followers too, or defaults (n,)."""
    found = dict.fromkeys(chain.joint_names, math.inf)
    for name, (source, multiplier, _) in chain.tree.drives.items():
        joint = chain.tree.joints[name]
        limit = limit_of(joint)
        if joint.moves and source in found and multiplier != 0.0 and limit > 0.0:
            found[source] = min(found[source], limit / abs(multiplier))
    limits = np.array(list(found.values()))
    return np.where(limits < UNLIMITED, limits, default)


def _checked_limits(chain: JointSpace, values: Any, what: str) -> np.ndarray:
    array = numbers(values, f'{what} limits')
    if array.shape not in ((), (chain.n_joints,)):
        raise InputError(f'{what} limits must be one number, or {chain.n_joints}, one for each of '
                         f'{", ".join(chain.joint_names)}, not of shape {array.shape}')
    if not (np.isfinite(array) & (array > 0.0)).all():
        raise InputError(f'{what} limits must be finite numbers above 0, not {array.tolist()}')
    return np.broadcast_to(array, chain.n_joints)
