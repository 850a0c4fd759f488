"""Chain and settings of a solver, packed into two flat arrays.

Numba unwraps every array and every number of every tuple it is called with, which takes as long as
several iterations do. A solver therefore packs its chain and its settings once; its kernels,
called with a few arrays, restore the tuples from views of them.
"""

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ik_node._jit import Integers, Layout, Vector, njit
from ik_node.kinematics.forward import ChainArrays
from ik_node.solvers.settings import Settings
from ik_node.solvers.start_table import StartTable, Table

_CHAIN, _SETTINGS = Layout(ChainArrays), Layout(Settings)
_unpack_chain, _end_of_chain = _CHAIN.unpack, _CHAIN.end
_unpack_settings, _end_of_settings = _SETTINGS.unpack, _SETTINGS.end
_SIZES = 4  # entries of codes before the chain's: articulations, columns, and the table's offsets


class Packed(NamedTuple):
    """A chain and settings."""

    codes: np.ndarray
    """(c,) integers: sizes, kinds and columns of the chain's joints, the start table's."""
    numbers: np.ndarray
    """(x,) floats: of the chain, the settings, the method, and the start table."""


def pack(chain: ChainArrays, settings: Settings | None = None,
         table: StartTable | None = None) -> Packed:
    """Lay out a chain, settings, and a table of starts, which only searches with restarts need."""
    codes, numbers = _CHAIN.pack(chain)
    if settings is not None:
        kind: Any = type(settings.method)
        for own_codes, own_numbers in (_SETTINGS.pack(settings),
                                       _method_layout(kind).pack(settings.method)):
            codes, numbers = codes + own_codes, numbers + own_numbers
    sizes = [len(chain.column), len(chain.lower), _SIZES + sum(map(len, codes)),
             sum(map(len, numbers))]
    if table is not None:
        codes.append(table.codes)
        numbers.append(table.numbers)
    return Packed(_joined([np.array(sizes), *codes], np.int64), _joined(numbers, np.float64))


@functools.cache
def _method_layout(kind: type) -> Layout:
    return Layout(kind)


def _joined(parts: Sequence[Any], dtype: type) -> np.ndarray:
    array = np.concatenate([np.ravel(np.asarray(part, dtype=dtype)) for part in parts])
    array.flags.writeable = False
    return array


@njit
def unpack_chain(codes: Integers, numbers: Vector) -> ChainArrays:
    """Return the `ChainArrays` of a `Packed`, views of it."""
    return _unpack_chain(codes, _SIZES, numbers, 0, codes[0], codes[1])


@njit
def unpack_settings(codes: Integers, numbers: Vector, method: Any) -> Settings:
    """Return the `Settings` of a `Packed`; method: its own settings, see `method_at`."""
    m, n = codes[0], codes[1]
    c, x = _end_of_chain(_SIZES, 0, m, n)
    return _unpack_settings(codes, c, numbers, x, m, n, method)


@njit
def method_at(codes: Integers) -> tuple[int, int]:
    """Return where the method's own settings begin, in the codes and in the numbers."""
    m, n = codes[0], codes[1]
    c, x = _end_of_chain(_SIZES, 0, m, n)
    return _end_of_settings(c, x, m, n)


@njit
def unpack_table(codes: Integers, numbers: Vector) -> Table:
    """Return the `Table` of a `Packed` that has one."""
    n, at = codes[1], codes[3]
    own = codes[codes[2]:]
    samples = at + 4
    entries = samples + own[2] * n
    return Table(own[1], own[3:], numbers[at:samples],
                 numbers[samples:entries].reshape((own[2], n)),
                 numbers[entries:].reshape((own[0], 12 + n)))
