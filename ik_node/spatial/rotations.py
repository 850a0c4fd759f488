"""Rotations that callers give: matrices and quaternions, checked and made exact."""

import math
from typing import Any

import numpy as np

from ik_node.spatial import matrix_from_quaternion
from ik_node.support.arguments import floats
from ik_node.support.checks import exact_pose, rotation_defect
from ik_node.support.exceptions import InputError

ROTATION_TOLERANCE = 1e-6  # largest deviation from SO(3) of an accepted rotation matrix
EXACT = 1e-12              # largest deviation that is kept; beyond, the nearest rotation is used
_NOTICED = 2.5e-7          # of a column's length and of the cosine of two: named as a fault


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
    """Return R (3, 3) where it is a rotation to the last digits, else the nearest one."""
    R = np.ascontiguousarray(R)
    if rotation_defect(R) <= EXACT:
        return R
    U, _, Vt = np.linalg.svd(R)
    return np.ascontiguousarray(U @ Vt)


def projected_rotation(R: np.ndarray, what: str) -> np.ndarray:
    """Return the rotation nearest R (3, 3), in the Frobenius norm [Schönemann 1966].

    what: what has it, for messages. Raises InputError where R is not finite, mirrors or is singular
    to rounding: no rotation is nearest then.
    """
    largest = np.abs(R).max()
    if not (0.0 < largest < np.inf and np.linalg.det(R / largest) > EXACT):
        raise InputError(f'{what} has no nearest rotation: {rotation_fault(R, ROTATION_TOLERANCE)}')
    return nearest_rotation(R)


def as_pose(pose: Any, what: str, project: bool = False) -> np.ndarray:
    """Return a new array (4, 4), m. Raises InputError unless it is a pose to 1e-6.

    what: what it is, for messages. project: whether `projected_rotation` takes the place of what is
    no rotation.
    """
    T = floats(pose, what)
    if T.shape != (4, 4):
        raise InputError(f'{what} must be a pose of the shape (4, 4), not {T.shape}')
    if T[3].tolist() != [0.0, 0.0, 0.0, 1.0]:
        raise InputError(f'{what} is no pose: its last row must be 0 0 0 1, not {T[3].tolist()}')
    if project:
        T[:3, :3] = projected_rotation(T[:3, :3], what)
    elif not rotation_defect(T) <= ROTATION_TOLERANCE:
        raise InputError(f'{what} is no pose: its upper left (3, 3) is no rotation: '
                         f'{rotation_fault(T[:3, :3], ROTATION_TOLERANCE)}')
    return T


def clean_pose(pose: Any, what: str, project: bool = False) -> np.ndarray:
    """Return a pose as `as_pose` does, read-only and with a rotation to the last digits."""
    T = None if project else exact_pose(pose, EXACT)  # as most are, and fast where it is streamed
    if T is None:
        T = as_pose(pose, what, project)
        T[:3, :3] = nearest_rotation(T[:3, :3])
        T.flags.writeable = False
    return T


def rotation_fault(R: np.ndarray, tolerance: float) -> str:
    """Return in words why a finite matrix (3, 3) is not a rotation: it scales, shears or mirrors.

    tolerance: how far R Rᵀ may be off the unit matrix. The columns are the images of the axes; of
    a rotation they have length 1, stand at right angles and are right-handed.
    """
    with np.errstate(all='ignore'):
        lengths = np.sqrt(np.square(R).sum(axis=0))
        unit = R / np.where(lengths > 0.0, lengths, 1.0)
        cosines = np.abs((unit.T @ unit)[np.triu_indices(3, 1)])
        mirrors = np.linalg.det(unit) < 0.0
        defect = float(np.abs(R @ R.T - np.eye(3)).max())
    faults = []
    if not defect <= tolerance:
        faults.append(f'R Rᵀ is {defect:g} off the unit matrix, {tolerance:g} is allowed')
    if not (np.abs(lengths - 1.0) <= _NOTICED).all():
        faults.append(f'it scales: its columns have the lengths '
                      f'{", ".join(f"{length:.9g}" for length in lengths)}, not 1')
    if not (cosines <= _NOTICED).all():
        angle = math.degrees(math.acos(min(float(cosines.max()), 1.0)))
        faults.append(f'it shears: two of its columns are {angle:.9g}° apart, not 90°')
    if mirrors:
        faults.append('it mirrors: its determinant is negative')
    return '; '.join(faults)
