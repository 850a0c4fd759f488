"""Rotations as vectors and quaternions, for callers in Python; see `so3` for the formulas."""

from collections.abc import Sequence

import numpy as np

from ik_node.spatial import so3


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
