"""Rotations that callers give: matrices and quaternions, checked and made exact."""

from typing import Any

import numpy as np

from ik_node.spatial import matrix_from_quaternion
from ik_node.support.arguments import floats, rotation_fault
from ik_node.support.checks import rotation_defect
from ik_node.support.exceptions import InputError

ROTATION_TOLERANCE = 1e-6  # largest deviation from SO(3) of an accepted rotation matrix
EXACT = 1e-12              # largest deviation that is kept; beyond, the nearest rotation is used


def as_rotation(orientation: Any, what: str) -> np.ndarray:
    """Return a rotation (3, 3) from a matrix (3, 3) or a quaternion xyzw (4,), normalised.

    what: what it is, for messages. Raises InputError for other shapes, numbers that are not finite,
    a zero quaternion, and a matrix more than 1e-6 off SO(3).
    """
    array = floats(orientation, what)
    if array.shape == (4,):
        norm = float(np.linalg.norm(array))
        if not 1e-9 < norm < np.inf:
            raise InputError(f'{what}: the quaternion {array.tolist()} has no direction: its '
                             f'length is {norm:g}')
        return np.ascontiguousarray(matrix_from_quaternion(array / norm))
    if array.shape != (3, 3):
        raise InputError(f'{what} must be a matrix (3, 3) or a quaternion xyzw (4,), not of shape '
                         f'{array.shape}')
    if not rotation_defect(array) <= ROTATION_TOLERANCE:
        raise InputError(f'{what} is no rotation: {rotation_fault(array, ROTATION_TOLERANCE)}')
    return nearest_rotation(array)


def nearest_rotation(R: np.ndarray) -> np.ndarray:
    """Return R (3, 3) itself where it is a rotation to the last digits, else the nearest one."""
    if rotation_defect(R) <= EXACT:
        return R
    U, _, Vt = np.linalg.svd(R)
    return np.ascontiguousarray(U @ Vt)
