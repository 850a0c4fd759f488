"""Checks of what a user hands in as numbers; each names what was given and what is allowed."""

from typing import Any

import numpy as np

from ik_node.exceptions import InputError


def numbers(values: Any, what: str) -> np.ndarray:
    """Return values as a new array of floats, finite or not. Raises InputError for others."""
    try:
        return np.array(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise InputError(f'{what} must be numbers, not {values!r}') from error


def floats(values: Any, what: str) -> np.ndarray:
    """Return values as a new array of finite floats. Raises InputError otherwise."""
    array = numbers(values, what)
    # A sum is the quickest look for NaN and infinity; it may overflow where the numbers do not.
    if not np.isfinite(array.sum()) and not np.isfinite(array).all():
        raise InputError(f'{what} must be finite numbers, not {array.tolist()}')
    return array


def vector(values: Any, length: int, what: str) -> np.ndarray:
    """Return values as a new array of finite floats (length,). Raises InputError otherwise."""
    array = floats(values, what)
    if array.shape != (length,):
        raise InputError(f'{what} must have the shape ({length},), not {array.shape}')
    return array
