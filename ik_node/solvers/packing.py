"""What stays the same from solve to solve, as two flat arrays.

Numba unwraps every array and every number of every tuple it is called with, which takes as long as
several iterations do. A solver therefore lays its chain and its settings out once; its kernels,
called with a handful of arrays, make the tuples again from views of them.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ik_node._jit import njit
from ik_node.kinematics.forward import ChainArrays
from ik_node.solvers.settings import Settings

_SIZES = 2     # entries of codes before the chain's: arcs and joints
_SCALARS = 10  # numbers of the settings before their arrays


class Packed(NamedTuple):
    """A chain and settings."""

    codes: np.ndarray
    """(c,) whole numbers: sizes, and what the chain's arcs and columns are."""
    numbers: np.ndarray
    """(x,) all others: the chain's, the settings', and at the end the method's own."""


def pack(chain: ChainArrays, settings: Settings | None = None) -> Packed:
    """Lay out a chain and settings; of the method's own the scalars go before the arrays."""
    sizes = [len(chain.column), len(chain.lower)]
    codes: list[Any] = [sizes, chain.kind, chain.column, chain.shared, chain.turns]
    numbers: list[Any] = [chain.placement, chain.ratio, chain.lower, chain.upper]
    if settings is not None:
        method = sorted(settings.method, key=np.ndim)  # stable: else in the order of the fields
        numbers += [settings[:_SCALARS], settings.centre, settings.wrist,
                    settings.wrist_centre, settings.scale, *method]
    return Packed(_flat(codes, np.int64), _flat(numbers, np.float64))


def _flat(parts: Sequence[Any], dtype: type) -> np.ndarray:
    array = np.concatenate([np.ravel(np.asarray(part, dtype=dtype)) for part in parts])
    array.flags.writeable = False
    return array


@njit
def unpack_chain(codes, numbers):
    """Return the `ChainArrays` of a `Packed`, views of it."""
    m, n = codes[0], codes[1]
    placed = 16 * (m + 1)
    first, last = placed + m, placed + m + 2 * n
    columns = _SIZES + 3 * m
    return ChainArrays(
        numbers[:placed].reshape((m + 1, 4, 4)), codes[_SIZES:_SIZES + m],
        codes[_SIZES + m:_SIZES + 2 * m], numbers[placed:first],
        codes[_SIZES + 2 * m:columns], numbers[first:first + n], numbers[first + n:last],
        codes[columns:columns + n])


@njit
def unpack_settings(codes, numbers, method):
    """Return the `Settings` of a `Packed`; method: what the method's own unpacking made."""
    m, n = codes[0], codes[1]
    x = numbers[16 * (m + 1) + m + 2 * n:]
    a, b, c = _SCALARS + 3, _SCALARS + 6, _SCALARS + 9
    return Settings(x[0], x[1], int(x[2]), x[3], int(x[4]), x[5], x[6], x[7], x[8], int(x[9]),
                    x[_SCALARS:a], x[a:b], x[b:c], x[c:c + n], method)


@njit
def method_at(codes):
    """Return where the numbers of a `Packed` begin that are the method's own."""
    m, n = codes[0], codes[1]
    return 16 * (m + 1) + m + 2 * n + _SCALARS + 9 + n
