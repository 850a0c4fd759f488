"""Options: frozen dataclasses whose fields declare their unit, meaning and range.

The same table makes the checks, the errors, the ROS parameters and the documentation.
"""

import dataclasses
import math
import sys
from array import array
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ik_node.support.arguments import is_real, one_of
from ik_node.support.bounds import MAX_ENTRIES, MAX_TEXT
from ik_node.support.exceptions import OptionError, names, shown
from ik_node.support.immutable import frozen_copy

_LISTS = (list, tuple, array, np.ndarray)


@dataclass(frozen=True)
class Spec:
    """The allowed values of an option."""

    kind: type  # float, int, bool or str
    text: str
    unit: str = ''
    low: float = -math.inf
    high: float = math.inf
    positive: bool = False  # whether the lowest value itself is excluded
    choices: tuple[str, ...] = ()
    optional: bool = False  # whether it may be None
    per_joint: bool = False  # whether it may be one number for each joint, too
    listed: bool = False  # whether it is a list
    named: bool = False  # whether it may be a name instead, a text
    length: int | None = None  # how long the list must be; None for any length up to MAX_ENTRIES
    longest: int = MAX_TEXT  # how many characters a text may have
    python: Callable[..., Any] | None = None
    """Reads, from (name, value, spec, n_joints), values that only Python can give; None: others."""


def option(default: Any, text: str, unit: str = '', *, kind: type | None = None,
           **limits: Any) -> Any:
    """Declare an option as a dataclass field.

    kind: by default that of the default value where it is a bool, an int or a str, else float.
    """
    if kind is None:
        kind = type(default) if type(default) in (bool, int, str) else float
    return dataclasses.field(default=default,
                             metadata={'spec': Spec(kind, text, unit, **limits)})


@dataclass(frozen=True)
class Options:
    """A set of options; the fields of its subclasses are declared by `option`."""

    @classmethod
    def specs(cls) -> dict[str, Spec]:
        """Return the allowed values of every option, by name."""
        return {field.name: field.metadata['spec'] for field in dataclasses.fields(cls)}

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        """Return every option's default, by name."""
        return {field.name: field.default for field in dataclasses.fields(cls)}

    @classmethod
    def read(cls, values: Mapping[str, Any], n_joints: int | None = None,
             owner: str = '') -> Any:
        """Check values and return the dataclass.

        n_joints: how long a value per joint must be, where that is known. owner: whose options
        they are, for the messages. Raises OptionError for unknown names, with the list, and for
        values that are not allowed.
        """
        specs = cls.specs()
        for name in values:
            one_of(name, specs, f'{owner} option'.lstrip(), OptionError)
        prefix = f'{owner}.' if owner else ''
        return cls(**{name: check(prefix + name, value, specs[name], n_joints)
                      for name, value in values.items()})


def check(name: str, value: Any, spec: Spec, n_joints: int | None = None) -> Any:
    """Return the value of an option as its own type, or raise OptionError saying what is allowed.

    n_joints: how long a value per joint must be; None where that is not known yet.
    """
    if value is None:
        if spec.optional:
            return None
        raise OptionError(f'{name} must be {_allowed(spec)}, not None')
    own = None if spec.python is None else spec.python(name, value, spec, n_joints)
    if own is not None:
        return own
    if spec.named and isinstance(value, str):
        return _text(name, value, spec)
    if spec.listed or (spec.per_joint and isinstance(value, _LISTS)):
        return _list(name, value, spec, n_joints if spec.per_joint else spec.length)
    return _one(name, value, spec)


def _one(name: str, value: Any, spec: Spec) -> Any:
    if spec.kind in (int, float):
        allowed = (is_real(value) and abs(value) <= sys.float_info.max
                   and (spec.kind is float or value == int(value))
                   and spec.low <= value <= spec.high
                   and not (spec.positive and value == spec.low))
    else:
        allowed = isinstance(value, spec.kind) and (not spec.choices or value in spec.choices)
    if not allowed:
        raise OptionError(f'{name} must be {_allowed(spec)}, not {shown(value)}')
    return _text(name, value, spec) if isinstance(value, str) else spec.kind(value)


def _text(name: str, value: str, spec: Spec) -> str:
    if len(value) > spec.longest:
        raise OptionError(f'{name} must have at most {spec.longest} characters, not {len(value)}')
    return value


def _list(name: str, value: Any, spec: Spec, length: int | None) -> Any:
    if not isinstance(value, _LISTS) or (isinstance(value, np.ndarray) and value.ndim == 0):
        raise OptionError(f'{name} must be {_allowed(spec)}, not {shown(value)}')
    if len(value) > MAX_ENTRIES:
        raise OptionError(f'{name} must have {f"{length}" if length else f"at most {MAX_ENTRIES}"} '
                          f'entries, not {len(value)}')
    each = dataclasses.replace(spec, listed=False, per_joint=False, optional=False, named=False)
    items = [_one(f'{name}[{i}]', item, each) for i, item in enumerate(value)]
    if length is not None and len(items) != length:
        raise OptionError(f'{name} must have {length} entries'
                          f'{", one for each joint" if spec.per_joint else ""}, not {len(items)}')
    if spec.kind is str:
        return tuple(items)
    return frozen_copy(items, spec.kind)


def _allowed(spec: Spec) -> str:
    words = {bool: 'true or false', str: 'text', int: 'a whole number', float: 'a number'}[
        spec.kind]
    if spec.choices:
        words = f'one of {names(spec.choices)}'
    if spec.kind in (int, float):
        if math.isfinite(spec.low):
            words += f' {"above" if spec.positive else "of at least"} {spec.low:g}'
        if math.isfinite(spec.high):
            words += f'{" and" if math.isfinite(spec.low) else " of"} at most {spec.high:g}'
        if spec.unit:
            words += f' ({spec.unit})'
    if spec.per_joint:
        words += ', or one for each joint'
    if spec.listed:
        words = f'a list{f" of {spec.length}" if spec.length else ""}, each {words}'
    return words + (', or a name' if spec.named else '') + (', or None' if spec.optional else '')
