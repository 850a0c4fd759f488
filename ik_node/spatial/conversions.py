"""Rotations as vectors and quaternions, poses of messages, and headings, for callers in Python.

See `so3` for the formulas. A heading is what a goal asks that constrains one rotation and leaves
two free.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ik_node.spatial import so3
from ik_node.support.bounds import MAX_NUMBER
from ik_node.support.exceptions import InputError

_NAMES = 'xyz'


def quaternion_from_matrix(R: np.ndarray) -> tuple[float, float, float, float]:
    """Return the unit quaternion (x, y, z, w) of R (3, 3), with w ≥ 0; accurate at every angle."""
    A = np.asarray(R, dtype=float)
    M = [[A[0, 0], A[0, 1], A[0, 2]], [A[1, 0], A[1, 1], A[1, 2]], [A[2, 0], A[2, 1], A[2, 2]]]
    return so3.quaternion_from_matrix(M)


def pose_from_quaternion(xyz: Sequence[float] | np.ndarray,
                         quaternion: Sequence[float] | np.ndarray) -> np.ndarray:
    """Return the pose (4, 4) at xyz (3,), m, turned by a unit quaternion xyzw (4,)."""
    x, y, z, w = quaternion
    found = np.zeros((4, 4))
    T = found
    T[0, 0], T[0, 1], T[0, 2] = 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (
        x * z + y * w)
    T[1, 0], T[1, 1], T[1, 2] = 2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (
        y * z - x * w)
    T[2, 0], T[2, 1], T[2, 2] = 2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (
        x * x + y * y)
    T[0, 3], T[1, 3], T[2, 3] = xyz
    T[3, 3] = 1.0
    return found


def pose_to_matrix(pose: Any) -> np.ndarray:
    """Return T_frame_goal (4, 4), m, of a pose message of ROS, with the quaternion normalised.

    Raises InputError for numbers that are not finite, or too large, and for a zero quaternion.
    """
    p, q = pose.position, pose.orientation
    x, y, z, w = q.x, q.y, q.z, q.w
    norm = math.hypot(x, y, z, w)  # also of numbers too large to square
    if not 1e-9 <= norm < math.inf:  # also false for NaN
        raise InputError(f'the orientation ({x:g}, {y:g}, {z:g}, {w:g}) is not a quaternion: '
                         'it must have finite numbers and a length above zero')
    return pose_from_quaternion(_xyz(p), (x / norm, y / norm, z / norm, w / norm))


def point_to_array(point: Any) -> np.ndarray:
    """Return a point message of ROS as (3,). Raises InputError for too large numbers, and NaN."""
    return np.array(_xyz(point))


def _xyz(p: Any) -> tuple[float, float, float]:
    x, y, z = p.x, p.y, p.z
    # Also false for NaN.
    if not (abs(x) <= MAX_NUMBER and abs(y) <= MAX_NUMBER and abs(z) <= MAX_NUMBER):
        raise InputError(f'the position ({x:g}, {y:g}, {z:g}) must have finite numbers, at most '
                         f'{MAX_NUMBER:g} m in size')
    return x, y, z


def rotation_log(R: np.ndarray) -> tuple[float, float, float]:
    """Return the rotation vector (wx, wy, wz) of R (3, 3), rad, with an angle in [0, π]."""
    A = np.asarray(R, dtype=float)
    M = [[A[0, 0], A[0, 1], A[0, 2]], [A[1, 0], A[1, 1], A[1, 2]], [A[2, 0], A[2, 1], A[2, 2]]]
    return so3.rotation_log(M)


def rotation_exp(w: Sequence[float] | np.ndarray) -> np.ndarray:
    """Return the rotation (3, 3) of a rotation vector w (3,), rad [Rodrigues]."""
    s, c, _ = so3.rotation_series(w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
    W = np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])
    return np.eye(3) + s * W + c * W @ W


def right_jacobian_inverse(w: Sequence[float] | np.ndarray) -> np.ndarray:
    """Return J_r⁻¹(w) (3, 3): log(exp(w) exp(δ)) ≈ w + J_r⁻¹(w) δ.

    w (3,) is a rotation vector, rad, |w| ≤ π [Solà, A micro Lie theory, eq. 144].
    """
    M = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    so3.right_jacobian_inverse(w[0], w[1], w[2], M)
    return np.array([[M[0][0], M[0][1], M[0][2]], [M[1][0], M[1][1], M[1][2]],
                     [M[2][0], M[2][1], M[2][2]]])


def heading_axis(weights: np.ndarray) -> int | None:
    """Return the axis, 0 to 2, of the only rotation with a weight (6,) above 0; else None."""
    turning, = np.nonzero(weights[3:])
    return int(turning[0]) if len(turning) == 1 else None


def tip_heading(T_goal: np.ndarray, T_tip: np.ndarray, axis: int) -> tuple[float, np.ndarray]:
    """Return the heading of a tip about an axis of a goal, rad, and its derivatives (3,).

    These are by rotations about the goal's axes; see `so3.heading`. Poses are (4, 4).
    """
    order = [axis, (axis + 1) % 3, (axis + 2) % 3]
    a, b, c = T_goal[:3, order].T @ T_tip[:3, order[1]]
    angle, x, y, z = so3.heading(a, b, c)
    return angle, np.array([x, y, z])[np.argsort(order)]


def why_no_heading(T_goal: np.ndarray, T_tip: np.ndarray, weights: np.ndarray) -> str:
    """Return why a tip has no heading about the axis of a goal that weights (6,) name; else ''."""
    axis = heading_axis(weights)
    if axis is None or tip_heading(T_goal, T_tip, axis)[1][axis] != 0.0:
        return ''
    own, other = _NAMES[axis], _NAMES[(axis + 1) % 3]
    return (f'a goal for one rotation, about its {own} axis, asks for the heading of the tip\'s '
            f'{other} axis about it; the two are parallel, so that there is none: let the goal '
            'constrain another axis, or all three')
