"""Checks of the arguments of tasks: each returns a read-only copy, or raises InputError."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ik_node.spatial import matrix_from_rpy
from ik_node.spatial.rotations import as_rotation, clean_pose
from ik_node.support.arguments import number, shaped, vector
from ik_node.support.bounds import MAX_NUMBER
from ik_node.support.exceptions import InputError, OptionError, shown

Check = Callable[[Any, str], Any]  # (value, what it is) → what is kept


def optional(check: Check) -> Check:
    """Return a check that lets None pass."""
    return lambda value, what: None if value is None else check(value, what)


def fixed(array: np.ndarray) -> np.ndarray:
    """Return an array made read-only."""
    array.flags.writeable = False
    return array


def point(value: Any, what: str) -> np.ndarray:
    """Return three finite numbers (3,), at most MAX_NUMBER in size."""
    return fixed(bounded(vector(value, 3, what), what))


def bounded(values: np.ndarray, what: str) -> np.ndarray:
    """Return numbers (k,). Raises InputError for those whose squares would leave no digits."""
    if np.abs(values).max(initial=0.0) > MAX_NUMBER:
        raise InputError(f'{what} must be at most {MAX_NUMBER:g} in size, not '
                         f'{shown(values.tolist())}')
    return values


def direction(value: Any, what: str) -> np.ndarray:
    """Return the unit vector (3,) along three finite numbers of any length but 0."""
    values = vector(value, 3, what)
    largest = np.abs(values).max()
    if not largest > 1e-12:
        raise InputError(f'{what} must have a direction, not the length '
                         f'{float(np.linalg.norm(values)):g}: {values.tolist()}')
    values /= largest
    return fixed(values / np.linalg.norm(values))


def rotation(value: Any, what: str) -> np.ndarray:
    """Return a rotation (3, 3) from a matrix (3, 3) or a quaternion xyzw (4,), normalised."""
    return fixed(as_rotation(value, what))


def pose(value: Any, what: str) -> np.ndarray:
    """Return a pose (4, 4), m."""
    T = clean_pose(value, what)
    bounded(T[:3, 3], what)
    return T


def axis_weights(value: Any, what: str) -> np.ndarray:
    """Return numbers or booleans (6,) ≥ 0, at least one of them above 0."""
    return _not_negative(shaped(value, (6,), what, finite=False, booleans=True), what)


def gains(value: Any, what: str) -> np.ndarray:
    """Return numbers (n,) ≥ 0, at least one of them above 0; the length is checked later."""
    return _not_negative(shaped(value, ('n',), what, finite=False), what)


def _not_negative(values: np.ndarray, what: str) -> np.ndarray:
    if not np.isfinite(values).all() or values.min(initial=0.0) < 0.0:
        raise InputError(f'{what} must be finite and not negative, not {shown(values.tolist())}')
    if not values.any():
        raise InputError(f'{what} must have at least one entry above 0')
    return fixed(bounded(values, what))


def at_least_zero(value: Any, what: str) -> float:
    """Return a number from 0 to MAX_NUMBER."""
    values = number(value, what)
    if not 0.0 <= values <= MAX_NUMBER:
        bound = 'least 0' if values < 0.0 else f'most {MAX_NUMBER:g}'
        raise InputError(f'{what} must be a number of at {bound}, not {values:g}')
    return values


def check_length(values: np.ndarray, lengths: tuple[int, ...], entries: str, what: str) -> None:
    """Raise OptionError for a list of numbers of another length than those allowed."""
    if len(values) not in lengths:
        allowed = ' or '.join(map(str, lengths))
        raise OptionError(f'{what} must have {allowed} entries, {entries}, not {len(values)}')


def read_rotation(values: np.ndarray, what: str) -> np.ndarray:
    """Return the rotation (3, 3) of roll pitch yaw, rad, or of a quaternion xyzw."""
    if len(values) == 3:
        return matrix_from_rpy(*values)
    return as_rotation(values, f'the quaternion of {what}')


def read_pose(values: np.ndarray, what: str) -> np.ndarray:
    """Return the pose (4, 4) of x y z, m, and an orientation, see `read_rotation`."""
    check_length(values, (6, 7), 'x y z and roll pitch yaw, or a quaternion x y z w', what)
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = read_rotation(values[3:], what), values[:3]
    return T


def text(value: Any, what: str) -> str:
    """Return a text that is not empty."""
    if not isinstance(value, str) or not value:
        raise InputError(f'{what} must be a name, not {shown(value)}')
    return value
