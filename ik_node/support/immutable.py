"""The base of immutable classes: attributes and arrays that cannot be changed, also after pickling.

numpy's pickles and copies forget that an array is read-only, and a read-only mapping cannot be
pickled at all; the base restores both. Cached properties are not copied: a copy makes its own.
"""

from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np


class Immutable:
    """Takes attributes until `_freeze` is called at the end of a constructor, and none after."""

    def __setattr__(self, name: str, value: Any) -> None:
        if '_frozen' in vars(self):
            raise AttributeError(f'{type(self).__name__} is immutable: {name!r} cannot be set')
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f'{type(self).__name__} is immutable: {name!r} cannot be deleted')

    def __getstate__(self) -> dict[str, Any]:
        return {name: _Mapping(value) if isinstance(value, MappingProxyType) else value
                for name, value in self._own().items()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update({name: read_only(MappingProxyType(dict(value)) if isinstance(
            value, _Mapping) else value) for name, value in state.items()})

    def _freeze(self) -> None:
        """Make the object immutable: no attribute can be set after this."""
        vars(self).update({name: read_only(value) for name, value in vars(self).items()},
                          _frozen=True)

    def _own(self) -> dict[str, Any]:
        """Return the attributes, without those of cached properties."""
        return {name: value for name, value in vars(self).items()
                if not isinstance(getattr(type(self), name, None), cached_property)}

    def _with(self, **attributes: Any) -> Any:
        other = object.__new__(type(self))
        vars(other).update(self._own())
        vars(other).update({name: read_only(value) for name, value in attributes.items()})
        return other


class _Mapping(dict[Any, Any]):
    """A read-only mapping, while it is pickled."""


def read_only(value: Any) -> Any:
    """Return a value with the arrays in it, in tuples, lists and mappings too, made read-only."""
    if isinstance(value, np.ndarray):
        value.flags.writeable = False
    elif isinstance(value, (tuple, list)):
        for item in value:
            read_only(item)
    elif isinstance(value, (dict, MappingProxyType)):
        for item in value.values():
            read_only(item)
    return value


def frozen_copy(values: Any, dtype: type | None = None) -> np.ndarray:
    """Return a new read-only array."""
    array = np.array(values, dtype=dtype, order='C')
    array.flags.writeable = False
    return array
