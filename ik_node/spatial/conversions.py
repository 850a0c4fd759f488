"""Functions of `spatial` for callers in Python."""

import numpy as np

from ik_node.spatial import so3


def quaternion_from_matrix(R: np.ndarray) -> tuple[float, float, float, float]:
    """Return the unit quaternion (x, y, z, w) of R (3, 3); see `spatial`."""
    M = [[R[0, 0], R[0, 1], R[0, 2]], [R[1, 0], R[1, 1], R[1, 2]], [R[2, 0], R[2, 1], R[2, 2]]]
    return so3.quaternion_from_matrix(M)


def rotation_log(R: np.ndarray) -> tuple[float, float, float]:
    """Return the rotation vector (wx, wy, wz) of R (3, 3), rad; see `spatial`."""
    M = [[R[0, 0], R[0, 1], R[0, 2]], [R[1, 0], R[1, 1], R[1, 2]], [R[2, 0], R[2, 1], R[2, 2]]]
    return so3.rotation_log(M)


def rotation_series(angle2: float) -> tuple[float, float, float]:
    """Return sin θ/θ, (1 − cos θ)/θ² and (θ − sin θ)/θ³ of θ²; see `spatial`."""
    return so3.rotation_series(angle2)


def right_jacobian_inverse(x: float, y: float, z: float) -> np.ndarray:
    """Return J_r⁻¹(w) (3, 3) of w = (x, y, z), rad; see `spatial`."""
    M = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    so3.right_jacobian_inverse(x, y, z, M)
    return np.array([[M[0][0], M[0][1], M[0][2]], [M[1][0], M[1][1], M[1][2]],
                     [M[2][0], M[2][1], M[2][2]]])
