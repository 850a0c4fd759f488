"""SO(3) and SE(3), over plain arrays.

Rotations R are (3, 3), poses T are (4, 4) and map coordinates: `T_a_c = T_a_b @ T_b_c`. Rotation
vectors w are (3,) in rad, quaternions (4,) in the order x, y, z, w.
"""

import math
from collections.abc import Sequence

import numpy as np

from ik_node.spatial.conversions import (
    pose_from_quaternion,
    quaternion_from_matrix,
    right_jacobian_inverse,
    rotation_exp,
    rotation_log,
)
from ik_node.support.checks import first_off_pose, is_pose, rotation_defect

__all__ = [
    'first_off_pose', 'inverse', 'is_pose', 'matrix_from_quaternion', 'matrix_from_rpy',
    'pose_from_quaternion', 'pose_from_rotation', 'pose_from_rpy', 'quaternion_from_matrix',
    'right_jacobian_inverse', 'rotation_defect', 'rotation_exp', 'rotation_log', 'rpy_from_matrix',
    'screw', 'turn_z_onto',
]


def inverse(T_a_b: np.ndarray) -> np.ndarray:
    """Return T_b_a (4, 4) of a pose T_a_b (4, 4)."""
    return pose_from_rotation(T_a_b[:3, :3].T, -T_a_b[:3, :3].T @ T_a_b[:3, 3])


def pose_from_rotation(R: np.ndarray,
                       xyz: Sequence[float] | np.ndarray = (0.0, 0.0, 0.0)) -> np.ndarray:
    """Return the pose (4, 4) of a rotation (3, 3) at xyz (3,), m."""
    T = np.eye(4)
    T[:3, :3] = R
    T[:3, 3] = xyz
    return T


def matrix_from_quaternion(quaternion: Sequence[float] | np.ndarray) -> np.ndarray:
    """Return the rotation (3, 3) of a unit quaternion xyzw (4,)."""
    return pose_from_quaternion((0.0, 0.0, 0.0), quaternion)[:3, :3]


def matrix_from_rpy(roll: float, pitch: float, yaw: float) -> np.ndarray:
    """Return Rz(yaw) Ry(pitch) Rx(roll) (3, 3), rad: URDF's fixed-axis angles."""
    cr, sr = math.cos(roll), math.sin(roll)
    cp, sp = math.cos(pitch), math.sin(pitch)
    cy, sy = math.cos(yaw), math.sin(yaw)
    return np.array([[cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
                     [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
                     [-sp, cp * sr, cp * cr]])


def rpy_from_matrix(R: np.ndarray) -> tuple[float, float, float]:
    """Return (roll, pitch, yaw), rad, of a rotation (3, 3); see `matrix_from_rpy`.

    At a pitch of ±π/2, where only yaw ∓ roll is defined, yaw is 0. Roll is measured after yaw is
    taken away, so that near there, where each of them is ill defined, they fit to the last digit.
    """
    cosine = math.hypot(R[0, 0], R[1, 0])
    yaw = math.atan2(R[1, 0], R[0, 0]) if cosine > 1e-12 else 0.0
    c, s = math.cos(yaw), math.sin(yaw)
    roll = math.atan2(s * R[0, 2] - c * R[1, 2], c * R[1, 1] - s * R[0, 1])
    return roll, math.atan2(-R[2, 0], cosine), yaw


def pose_from_rpy(xyz: Sequence[float] | np.ndarray,
                  rpy: Sequence[float] | np.ndarray) -> np.ndarray:
    """Return the pose (4, 4) at xyz (3,), m, turned by URDF's roll, pitch, yaw (3,), rad."""
    return pose_from_rotation(matrix_from_rpy(*rpy), xyz)


def screw(angle: float, length: float, axis: int) -> np.ndarray:
    """Return the pose (4, 4) turned about, rad, and moved along, m, an axis: x 0, y 1 or z 2."""
    c, s = math.cos(angle), math.sin(angle)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    T = np.eye(4)
    T[i, i], T[i, j], T[j, i], T[j, j] = c, -s, s, c
    T[axis, 3] = length
    return T


def turn_z_onto(axis: np.ndarray) -> np.ndarray:
    """Return a rotation (3, 3) whose third column is the unit vector axis (3,)."""
    # The helper is the coordinate axis least aligned with it, so that the cross product is long.
    x = np.eye(3)[np.argmin(np.abs(axis))]
    x = x - (x @ axis) * axis
    x /= math.sqrt(x @ x)
    (a, b, c), (d, e, f) = axis.tolist(), x.tolist()  # np.cross takes ten times as long
    return np.array([[d, b * f - c * e, a], [e, c * d - a * f, b], [f, a * e - b * d, c]])
