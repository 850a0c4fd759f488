"""Poses between this package's matrices and the page's quaternions, w first."""

from typing import Any

import numpy as np

from ik_node.spatial import pose_from_quaternion, quaternion_from_matrix


def position_wxyz(T: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the position (3,), m, and the quaternion (4,), w first, of a pose (4, 4)."""
    x, y, z, w = quaternion_from_matrix(T[:3, :3])
    return T[:3, 3].copy(), np.array((w, x, y, z))


def matrix(position: Any, wxyz: Any) -> np.ndarray:
    """Return the pose (4, 4) at a position (3,), m, turned by a quaternion (4,), w first."""
    w, x, y, z = np.asarray(wxyz, dtype=float) / np.linalg.norm(wxyz)
    return pose_from_quaternion(tuple(map(float, position)), (x, y, z, w))
