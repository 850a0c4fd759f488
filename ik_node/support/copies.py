"""Copies of kernels' arrays into those that callers in Python get."""

import numpy as np

from ik_node.support.arrays import Columns, Matrix, Pose, Vector


def copy_vector(v: Vector, out: np.ndarray) -> None:
    """Copy a vector into an array (n,)."""
    for i in range(out.shape[0]):
        out[i] = v[i]


def copy_pose(T: Pose, out: np.ndarray) -> None:
    """Copy a pose, of which only the upper three rows count, into an array (4, 4)."""
    for i in range(3):
        for j in range(4):
            out[i, j] = T[i][j]
        out[3, i] = 0.0
    out[3, 3] = 1.0


def copy_columns(J: Columns, out: np.ndarray) -> None:
    """Copy the first rows of a matrix of six, stored column by column, into an array (r, n)."""
    for i in range(out.shape[0]):
        for k in range(out.shape[1]):
            out[i, k] = J[k][i]


def copy_matrix(M: Matrix, out: np.ndarray) -> None:
    """Copy a matrix into an array (n, m)."""
    for i in range(out.shape[0]):
        for k in range(out.shape[1]):
            out[i, k] = M[i][k]
