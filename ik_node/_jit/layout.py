"""Where the fields of a named tuple lie in flat arrays, from its declaration alone.

A field is a number, or an array whose annotation gives its shape in the sizes m and n:

    class Settings(NamedTuple):
        max_iterations: int
        limits: Annotated[Matrix, Shape(2, 'n')]

Kernels are called with a handful of flat arrays instead of many small ones, which numba would have
to unwrap one by one, and would hand on to every kernel called. Arrays of integers and booleans lie
in one flat array, all else in another.
"""

import collections
import math
import typing
from typing import Any, NamedTuple

import numpy as np

from ik_node._jit.kernel import Kernel, njit

# Names with an underscore, which no field of a named tuple can have
_READ = {float: '_numbers[_x]', int: 'int(_numbers[_x])', bool: '_numbers[_x] != 0.0'}


class Shape:
    """The shape of a field: integers and expressions in m and n such as 'm + 1'."""

    def __init__(self, *sizes: int | str) -> None:
        """Keep the size of each dimension."""
        self.sizes = tuple(str(size) for size in sizes)


class Size:
    """A number of entries: a polynomial in m and n, by its coefficients {(power, power): c}."""

    def __init__(self, terms: dict[tuple[int, int], int]) -> None:
        """Keep the coefficients that are not 0."""
        self.terms = {powers: c for powers, c in terms.items() if c != 0}

    def __add__(self, other: 'Size | int') -> 'Size':
        """Add sizes."""
        terms = dict(self.terms)
        for powers, c in as_size(other).terms.items():
            terms[powers] = terms.get(powers, 0) + c
        return Size(terms)

    def __mul__(self, other: 'Size | int') -> 'Size':
        """Multiply sizes."""
        total = Size({})
        for (i, j), a in self.terms.items():
            total += Size({(i + k, j + m): a * b for (k, m), b in as_size(other).terms.items()})
        return total

    __radd__, __rmul__ = __add__, __mul__


def joined(name: str, *kinds: type) -> type:
    """Return a kind of named tuple with the fields of several, in that order."""
    hints: dict[str, Any] = {}
    for kind in kinds:
        hints |= typing.get_type_hints(kind, include_extras=True)
    both: Any = collections.namedtuple(name, hints)  # type: ignore[misc]
    both.__annotations__, both.__module__ = hints, kinds[-1].__module__
    made: type = both
    return made


def as_size(size: Any) -> Size:
    """Return the size that a number, or an expression in m and n, stands for."""
    if isinstance(size, str):
        size = eval(size, {'m': Size({(1, 0): 1}), 'n': Size({(0, 1): 1})})
    return size if isinstance(size, Size) else Size({(0, 0): size})


class Field(NamedTuple):
    """Where a field lies."""

    hint: Any
    """Its annotation."""
    is_code: bool
    """Whether it lies among the integers."""
    offset: Size
    """From the first entry of its tuple, in entries."""
    shape: tuple[Size, ...]
    """() for a number."""


class Layout:
    """The layout of a kind of named tuple. A field annotated with Any is no part of it.

    - `unpack`: kernel, (codes, c, numbers, x, m, n, *fields that are no part of it) → the tuple,
      whose arrays are views; c and x: where its integers and its other numbers begin. Machine code
      makes a `views.View` instead.
    - `end`: kernel, (c, x, m, n) → (c, x) where what follows them begins.
    - `fields`: by name; None for those that are no part of it.
    """

    def __init__(self, kind: type) -> None:
        """Lay a kind of named tuple out. Raises TypeError for an array without a shape."""
        self._hints = typing.get_type_hints(kind, include_extras=True)
        self.kind = kind
        self.fields: dict[str, Field | None] = {}
        read, skip, others = [], [], []
        taken = {False: Size({}), True: Size({})}
        for name, hint in self._hints.items():
            self.fields[name] = None
            if hint is Any:
                others.append(name)
            elif hint in _READ:
                read += [f'{name} = {_READ[hint]}', '_x += 1']
                skip += ['_x += 1']
                self.fields[name] = Field(hint, False, taken[False], ())
                taken[False] += 1
            else:
                shape = _shape(kind, name, hint)
                field = Field(hint, _is_code(hint), taken[_is_code(hint)],
                              tuple(map(as_size, shape)))
                self.fields[name] = field
                taken[field.is_code] += math.prod(field.shape, start=Size({(0, 0): 1}))
                count = ' * '.join(f'({size})' for size in shape)
                array, at = ('_codes', '_c') if _is_code(hint) else ('_numbers', '_x')
                reshaped = f'.reshape(({", ".join(shape)}))' if len(shape) > 1 else ''
                read += [f'{name} = {array}[{at}:{at} + {count}]{reshaped}', f'{at} += {count}']
                skip += [f'{at} += {count}']
        fields = ', '.join(self._hints)
        arguments = ', '.join(['_codes', '_c', '_numbers', '_x', 'm', 'n', *others])
        self.unpack = _kernel(kind, 'unpack', arguments, [*read, f'return _kind({fields})'])
        self.unpack.layout = self
        self.end = _kernel(kind, 'end_of', '_c, _x, m, n', [*skip, 'return _c, _x'])

    def pack(self, value: Any) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """Return the integers and the other numbers of a tuple, field by field."""
        codes: list[np.ndarray] = []
        numbers: list[np.ndarray] = []
        for hint, field in zip(self._hints.values(), value, strict=True):
            if hint is not Any and _is_code(hint):
                codes.append(np.ravel(np.asarray(field, dtype=np.int64)))
            elif hint is not Any:
                numbers.append(np.ravel(np.asarray(field, dtype=float)))
        return codes, numbers

    def size(self, m: int, n: int) -> tuple[int, int]:
        """Return how many integers and how many other numbers a tuple takes."""
        codes, numbers = self.end.function(0, 0, m, n)
        return int(codes), int(numbers)


def _shape(kind: type, name: str, hint: Any) -> tuple[str, ...]:
    for extra in typing.get_args(hint):
        if isinstance(extra, Shape):
            return extra.sizes
    raise TypeError(f'{kind.__name__}.{name} must be a number, or an array with a Shape, not '
                    f'{hint}')


def _is_code(hint: Any) -> bool:
    return any(dtype in typing.get_args(hint)[1:2] for dtype in ('int64', 'bool'))


def _kernel(kind: type, verb: str, arguments: str, lines: list[str]) -> Kernel:
    name = f'{verb}_{kind.__name__}'
    source = f'def {name}({arguments}):\n' + ''.join(f'    {line}\n' for line in lines)
    namespace: dict[str, Any] = {'_kind': kind, '__name__': kind.__module__}
    exec(source, namespace)
    return njit(namespace[name])
