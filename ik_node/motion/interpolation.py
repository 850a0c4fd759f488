"""Interpolation of joint configurations, the shorter way round, and of poses."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ik_node.model.chain import Chain, check_chain
from ik_node.model.joint_space import JointSpace
from ik_node.motion.easing import part
from ik_node.spatial import is_pose, rotation_exp, rotation_log
from ik_node.spatial.rotations import pose_fault
from ik_node.support.arguments import floats, vector
from ik_node.support.exceptions import InputError

_POSE_TOLERANCE = 1e-6  # how far a matrix may be off SE(3), as in a Goal


def between_configurations(chain: Chain, q0: Sequence[float] | np.ndarray,
                           q1: Sequence[float] | np.ndarray, s: Any) -> np.ndarray:
    """Return the joint values, rad or m, at a part s, 0 to 1, between q0 (n,) and q1 (n,).

    (n,) for a number s, (k, n) for s (k,). A joint with the period of a whole turn goes the shorter
    way round where its limits allow it: it ends at q1 plus the whole turns that are nearest q0 and
    inside the limits. All others go straight to q1: prismatic joints, the values of a rotation
    vector, and joints for which no number of turns is inside the limits. Between two configurations
    inside the limits all are inside. Raises InputError for wrong shapes and numbers.
    """
    q0, q1 = _configurations(chain, q0, q1)
    return straight(q0, nearest_end(chain, q0, q1), part(s))


def configuration_difference(chain: Chain, q0: Sequence[float] | np.ndarray,
                             q1: Sequence[float] | np.ndarray) -> np.ndarray:
    """Return the signed difference (n,), rad or m, that `between_configurations` covers.

    Raises InputError for wrong shapes and numbers.
    """
    q0, q1 = _configurations(chain, q0, q1)
    return nearest_end(chain, q0, q1) - q0


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
    """Return (1 − s) start + s end: (n,) for s (), (k, n) for s (k,); start, end (n,) or (k, n).

    Clipped to the ends, so that rounding neither exceeds a limit nor moves a joint at rest.
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


def as_pose(T: Any, what: str) -> np.ndarray:
    """Return T as a new array (4, 4), m. Raises InputError unless it is a pose to 1e-6."""
    array = floats(T, what)
    if array.shape != (4, 4):
        raise InputError(f'{what} must be a pose of shape (4, 4), not {array.shape}')
    if not is_pose(array, _POSE_TOLERANCE):
        raise InputError(f'{what} is not a pose: {pose_fault(array, _POSE_TOLERANCE)}')
    return array


def _configurations(chain: Chain, q0: Any, q1: Any) -> tuple[np.ndarray, np.ndarray]:
    check_chain(chain)
    return vector(q0, chain.n_joints, 'q0'), vector(q1, chain.n_joints, 'q1')
