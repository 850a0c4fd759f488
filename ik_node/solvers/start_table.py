"""A table of joint configurations, indexed by the pose of the tip, for initial guesses of restarts.

The entries are spread evenly over the limits and sorted into cubic cells by the position of the
tip, so that a few cells contain those near a goal. Built with array operations.
"""

import weakref
from typing import NamedTuple

import numpy as np

from ik_node.kinematics.many import tip_poses
from ik_node.model.chain import Chain
from ik_node.solvers.low_discrepancy import low_discrepancy

_ENTRIES = 8192
_NUMBERS = 80_000   # joint values at the most: long chains get fewer entries
_FEWEST = 64        # fewest entries that make a search worthwhile
_PER_CELL = 12      # entries of a cell, on average

_TABLES: 'weakref.WeakKeyDictionary[Chain, dict[tuple[int, int], StartTable]]' = (
    weakref.WeakKeyDictionary())


class StartTable(NamedTuple):
    """A table as two flat arrays; as the kernels take it."""

    codes: np.ndarray
    """Integers: the numbers of entries, cells along an axis and samples; then `Table.first`."""
    numbers: np.ndarray
    """`Table.corner`, `Table.samples` and `Table.entries`."""


def start_table(chain: Chain, samples: int, seed: int) -> StartTable:
    """Return the table of a chain, with `samples` samples; built once for each chain and seed.

    It has no entries for chains with a joint that moves without limits other than by whole turns,
    and for chains of many hundred joints.
    """
    cache = _TABLES.setdefault(chain, {})
    if (samples, seed) not in cache:
        cache[samples, seed] = _make(chain, samples, seed)
    return cache[samples, seed]


def _make(chain: Chain, samples: int, seed: int) -> StartTable:
    n = chain.n_joints
    spread = low_discrepancy(samples, n, seed)
    entries = min(_ENTRIES, _NUMBERS // n)
    lower, upper = _ranges(chain)
    if samples == 0 or entries < _FEWEST or not np.isfinite(upper - lower).all():
        return _as_table([0, 0, samples], [np.zeros(4), spread])
    q = lower + low_discrepancy(entries, n, seed) * (upper - lower)
    T = tip_poses(chain.arrays, q)
    p = T[:, :3, 3]
    corner, size = p.min(axis=0), float(np.ptp(p, axis=0).max())
    cells = max(1, round((entries / _PER_CELL) ** (1.0 / 3.0)))
    edge = 1.001 * size / cells if size > 0.0 else 1.0
    at = ((p - corner) / edge).astype(np.int64) @ (cells * cells, cells, 1)
    order = np.argsort(at, kind='stable')
    first = np.searchsorted(at[order], np.arange(cells**3 + 1))
    rows = np.concatenate([p, T[:, :3, :3].reshape(-1, 9), q], axis=1)[order]
    return _as_table([entries, cells, samples, *first], [corner, [edge], spread, rows])


def _ranges(chain: Chain) -> tuple[np.ndarray, np.ndarray]:
    """Return the ranges (n,) of the entries: the limits, one turn for continuous joints."""
    unlimited = chain.arrays.turns & ~np.isfinite(chain.upper - chain.lower)
    lower = np.where(np.isfinite(chain.lower), chain.lower, chain.upper - 2.0 * np.pi)
    lower = np.where(np.isfinite(lower), lower, -np.pi)
    return (np.where(unlimited, lower, chain.lower),
            np.where(unlimited, lower + 2.0 * np.pi, chain.upper))


def _as_table(codes: list[int], numbers: list[object]) -> StartTable:
    table = StartTable(
        np.array(codes, dtype=np.int64),
        np.concatenate([np.ravel(np.asarray(part, dtype=float)) for part in numbers]))
    for array in table:
        array.flags.writeable = False
    return table
