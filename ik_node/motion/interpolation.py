"""Interpolation of joint configurations, the shorter way round, and of poses; and easings.

An easing is the part of a path that a motion has covered, as a function of the part of its time,
both from 0 to 1. Every easing here is symmetric, ease(1 − s) = 1 − ease(s), so that its first half
defines it: 0 and 1 are met to the last digit, and nothing overshoots.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ik_node.model.chain import Chain, check_chain
from ik_node.model.joint_space import JointSpace
from ik_node.spatial import rotation_exp, rotation_log
from ik_node.spatial.rotations import as_pose
from ik_node.support.arguments import floats, one_of, vector
from ik_node.support.exceptions import InputError, OptionError

_ACCELERATING = 1.0 / 3.0  # the part of its time in which a trapezoid reaches its speed


def between_configurations(chain: Chain, q0: Sequence[float] | np.ndarray,
                           q1: Sequence[float] | np.ndarray, s: Any) -> np.ndarray:
    """Return the joint values, rad or m, at a part s, 0 to 1, between q0 (n,) and q1 (n,).

    (n,) for a number s, (k, n) for s (k,). A joint with the period of a whole turn goes the shorter
    way round where its limits allow it: it ends at q1 plus the whole turns that are nearest q0 and
    inside the limits. All others go straight to q1: prismatic joints, the values of a rotation
    vector, and joints for which no number of turns is inside the limits. Between two configurations
    inside the limits all are inside. Raises InputError for wrong shapes and numbers.
    """
    check_chain(chain)
    q0, q1 = vector(q0, chain.n_joints, 'q0'), vector(q1, chain.n_joints, 'q1')
    return straight(q0, nearest_end(chain, q0, q1), part(s))


def between_poses(T0: Any, T1: Any, s: Any) -> np.ndarray:
    """Return the pose at a part s, 0 to 1, of the path from T0 (4, 4) to T1 (4, 4); m.

    (4, 4) for a number s, (k, 4, 4) for s (k,). The position goes straight; the orientation turns
    about one axis at constant speed, by the smaller angle: the great arc [Shoemake 1985]. Half a
    turn apart there are two such arcs; one of them is chosen. s of 0 and 1 return T0 and T1
    unchanged. Raises InputError for matrices that are not poses to 1e-6.
    """
    T0, T1, s = as_pose(T0, 'T0'), as_pose(T1, 'T1'), part(s)
    R0 = T0[:3, :3]
    w = np.array(rotation_log(R0.T @ T1[:3, :3]))
    T = np.zeros((*s.shape, 4, 4))
    T[..., 3, 3] = 1.0
    T[..., :3, 3] = straight(T0[:3, 3], T1[:3, 3], s)
    for index in np.ndindex(s.shape):
        T[index][:3, :3] = R0 @ rotation_exp(s[index] * w)  # R(s) = R0 exp(s log(R0ᵀ R1))
    T[s == 1.0] = T1  # to the last digit, as at 0, where exp(0) = I
    return T


def straight(start: np.ndarray, end: np.ndarray, s: np.ndarray) -> np.ndarray:
    """Return (1 − s) start + s end, between start and end (n,) whatever rounding does.

    (n,) for s (), (k, n) for s (k,), with ends (n,) or (k, n).
    """
    s = s[..., None]
    return np.clip((1.0 - s) * start + s * end, np.minimum(start, end), np.maximum(start, end))


def nearest_end(chain: JointSpace, q0: np.ndarray, q1: np.ndarray) -> np.ndarray:
    """Return q1 (n,), moved by whole turns nearest to q0 (n,) where that is equivalent; rad or m.

    Inside the limits, or q1 itself where no number of turns is.
    """
    turn = 2.0 * math.pi
    fewest = np.ceil((chain.lower - q1) / turn)
    most = np.floor((chain.upper - q1) / turn)
    turned = q1 + turn * np.clip(np.round((q0 - q1) / turn), fewest, most)
    inside = (chain.lower <= turned) & (turned <= chain.upper)
    return np.where(chain.turns & inside, turned, q1)


@dataclass(frozen=True)
class Easing:
    """A function to ease in and out: its first half, 0 ≤ s ≤ 1/2, and the derivative of that."""

    name: str
    _rise: Callable[[np.ndarray], np.ndarray]
    _rate: Callable[[np.ndarray], np.ndarray]

    def __call__(self, s: Any) -> Any:
        """Return the part of the path (), or (k,), at a part of the time s, 0 to 1, () or (k,).

        Raises InputError for an s that is not between 0 and 1.
        """
        s = part(s)
        half = self._rise(np.minimum(s, 1.0 - s))
        return np.where(s <= 0.5, half, 1.0 - half)[()]

    def slope(self, s: Any) -> Any:
        """Return the derivative () or (k,), path per time, at s, () or (k,). Raises as a call."""
        s = part(s)
        return self._rate(np.minimum(s, 1.0 - s))[()]


def easing(name: str) -> Easing:
    """Return the easing of a name. Raises OptionError for an unknown name, with the list."""
    return _EASINGS[one_of(name, easing_names(), 'easing', OptionError)]


def easing_names() -> tuple[str, ...]:
    """Return the names that `easing` accepts, the simplest first."""
    return tuple(_EASINGS)


def part(s: Any) -> np.ndarray:
    """Return a part, 0 to 1, as an array () or (k,). Raises InputError for anything else."""
    array = floats(s, 's')
    if array.ndim > 1:
        raise InputError(f's must be a number or have the shape (k,), not {array.shape}')
    outside = (array < 0.0) | (array > 1.0)
    if outside.any():
        raise InputError(f's must lie between 0 and 1, not at {array[outside].flat[0]:g}')
    return array


_EASINGS = {each.name: each for each in (
    # constant speed, which jumps at both ends
    Easing('linear', lambda s: s, np.ones_like),
    # 3s² − 2s³: at rest at both ends
    Easing('cubic', lambda s: s * s * (3.0 - 2.0 * s), lambda s: 6.0 * s * (1.0 - s)),
    # 10s³ − 15s⁴ + 6s⁵: of all motions between rests the one of least jerk [Flash & Hogan 1985]
    Easing('quintic', lambda s: s ** 3 * (10.0 - s * (15.0 - 6.0 * s)),
           lambda s: 30.0 * (s * (1.0 - s)) ** 2),
    # (1 − cos πs)/2: half a swing of a pendulum [Parent ch. 3, ease-in/ease-out]
    Easing('sine', lambda s: np.sin(0.5 * math.pi * s) ** 2,
           lambda s: 0.5 * math.pi * np.sin(math.pi * s)),
    # constant acceleration up to the speed v = 1/(1 − a) at a = 1/3, constant speed, constant
    # deceleration: v s²/2a, then v (s − a/2) [Parent ch. 3, ease-in/ease-out]
    Easing('trapezoid',
           lambda s: np.where(s < _ACCELERATING, 0.5 * s * s / _ACCELERATING,
                              s - 0.5 * _ACCELERATING) / (1.0 - _ACCELERATING),
           lambda s: np.minimum(s / _ACCELERATING, 1.0) / (1.0 - _ACCELERATING)),
)}
