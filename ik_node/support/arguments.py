"""Checks of arguments: float arrays in C order and flags, or an error that says what was given.

Every array that a kernel takes from a caller is made here: kernels take them unchecked.
"""

import contextlib
import math
from collections.abc import Collection, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from ik_node.support.exceptions import IkError, InputError, ModelError, names, shown, unknown

_FLOAT = np.dtype(np.float64)
_WORDS = {'b': 'booleans', 'c': 'complex numbers', 'U': 'text', 'S': 'bytes', 'M': 'dates',
          'm': 'time differences', 'V': 'records'}
_SHOWN = 400   # characters of an array in a message
_DEEP = 8      # lists within lists in which masked arrays are looked for


def numbers(values: Any, what: str, *, booleans: bool = False) -> np.ndarray:
    """Return real numbers of any precision and memory order as a new array of floats in C order.

    They need not be finite. booleans: whether those are taken as 0 and 1. Raises InputError for
    anything else: text, complex numbers, masked arrays, ragged lists, integers beyond the range of
    a float, and objects that cannot be read as an array.
    """
    if type(values) is np.ndarray and values.dtype is _FLOAT:
        return values.copy()
    if _masked(values):
        raise InputError(f'{what} must be numbers, not a masked array; fill it first')
    try:
        array = np.asarray(values)
        kind = array.dtype.kind
        if kind in 'iuf' or (booleans and kind == 'b'):
            with np.errstate(all='ignore'):  # a long double may exceed a float
                return np.array(array, dtype=float, order='C')
        if kind == 'O':
            floats_of = [_real(value) for value in array.flat]
            return np.array(floats_of, dtype=float).reshape(array.shape)
    except Exception as error:  # whatever the object's own methods raise
        reason = f': {error}' if isinstance(error, OverflowError) else ''
        raise InputError(f'{what} must be numbers, not {shown(values)}{reason}') from error
    raise InputError(f'{what} must be numbers, not {shown(values)} '
                     f'({_WORDS.get(kind, "objects")})')


def floats(values: Any, what: str) -> np.ndarray:
    """Return values as a new array of finite floats in C order. Raises InputError otherwise."""
    array = numbers(values, what)
    if not np.isfinite(array).all():
        raise InputError(f'{what} must be finite numbers, not {shown(array.tolist(), _SHOWN)}')
    return array


def vector(values: Any, length: int, what: str) -> np.ndarray:
    """Return values as a new array of finite floats (length,). Raises InputError otherwise."""
    array = floats(values, what)
    if array.shape != (length,):
        raise InputError(f'{what} must have the shape ({length},), not {array.shape}')
    return array


def shaped(values: Any, shape: tuple[int | str, ...], what: str, *, finite: bool = True,
           booleans: bool = False) -> np.ndarray:
    """Return values as a new array of floats of a shape, in which a letter is any length.

    finite: whether they must be. booleans: see `numbers`. Raises InputError otherwise.
    """
    array = floats(values, what) if finite else numbers(values, what, booleans=booleans)
    if len(shape) != array.ndim or any(
            isinstance(one, int) and one != length for one, length in zip(shape, array.shape)):
        wanted = ', '.join(map(str, shape)) + ',' * (len(shape) == 1)
        raise InputError(f'{what} must have the shape ({wanted}), not {array.shape}')
    return array


def number(value: Any, what: str) -> float:
    """Return a finite number as a float. Raises InputError otherwise."""
    if type(value) is float and math.isfinite(value):
        return value
    array = floats(value, what)
    if array.ndim:
        raise InputError(f'{what} must be a single number, not of shape {array.shape}')
    return float(array)


def positive(value: Any, what: str) -> float:
    """Return a number above 0 as a float. Raises InputError otherwise."""
    found = number(value, what)
    if not found > 0.0:
        raise InputError(f'{what} must be above 0, not {shown(value)}')
    return found


def is_real(value: Any) -> bool:
    """Tell whether a value is a single real number, of Python's or numpy's, and no boolean."""
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def flag(value: Any, what: str) -> bool:
    """Return a boolean. Raises InputError for anything else."""
    if not isinstance(value, (bool, np.bool_)):
        raise InputError(f'{what} must be True or False, not {shown(value)}')
    return bool(value)


def whole(value: Any, what: str, least: int = 0, most: int = 2**63 - 1) -> int:
    """Return a whole number between two others as an int. Raises InputError for anything else."""
    if (isinstance(value, bool) or not isinstance(value, (int, np.integer))
            or not least <= value <= most):
        raise InputError(f'{what} must be a whole number of at least {least}'
                         f' and at most {most}, not {shown(value)}')
    return int(value)


def instance(value: Any, kinds: Any, what: str, error: type[IkError] = InputError) -> Any:
    """Return a value of a class, or of one of a tuple of them. Raises the error `what`, not …."""
    if not isinstance(value, kinds):
        raise error(f'{what}, not {shown(value)}')
    return value


def one_of(name: Any, allowed: Collection[str], what: str, error: type[IkError] = ModelError,
           where: str = '') -> str:
    """Return a name that is allowed. Raises the error of `unknown`, after `where`, otherwise."""
    if not isinstance(name, str) or name not in allowed:
        raise error(where + unknown(what, name, allowed))
    return name


def mapping(values: Any, what: str) -> dict[Any, Any]:
    """Return a mapping as a dict. Raises ModelError for anything else."""
    with contextlib.suppress(Exception):  # whatever the object's own methods raise
        if isinstance(values, Mapping):
            return dict(values)
    raise ModelError(f'{what} must be a mapping, not {shown(values)}')


def keyed(values: Any, keys: Sequence[str], what: str) -> dict[Any, Any]:
    """Return a mapping with some of the keys and no others as a dict. Raises ModelError."""
    instance(values, Mapping, f'{what} must be a mapping with the keys {names(keys)}', ModelError)
    for key in (values := mapping(values, what)):
        one_of(key, keys, 'key', where=f'{what}: ')
    return values


def sequence(values: Any, what: str, error: type[IkError] = ModelError) -> list[Any]:
    """Return the items of a list, a tuple or any other iterable but text. Raises the error."""
    with contextlib.suppress(Exception):  # not iterable, or whatever the object's methods raise
        if not isinstance(values, (str, bytes)):
            return list(values)
    raise error(f'{what} must be a list, not {shown(values)}')


def _real(value: Any) -> float:
    if not isinstance(value, Real) or isinstance(value, (bool, np.bool_)):
        raise TypeError(value)
    return float(value)


def _masked(values: Any, deep: int = _DEEP) -> bool:
    """Return whether values are, or contain in nested lists, a masked array."""
    if isinstance(values, (list, tuple)):
        return deep > 0 and any(_masked(value, deep - 1) for value in values
                                if isinstance(value, (list, tuple, np.ma.MaskedArray)))
    return isinstance(values, np.ma.MaskedArray)
