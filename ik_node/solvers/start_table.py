"""A table of joint configurations, indexed by the pose of the tip, for initial guesses of restarts.

The entries are spread evenly over the limits and sorted into cubic cells by the position of the
tip, so that a few cells contain those near a goal. Built with array operations.
"""

from typing import NamedTuple

import numpy as np

from ik_node.kinematics.structures import tip_poses
from ik_node.model.chain import Chain
from ik_node.solvers.low_discrepancy import low_discrepancy

_ENTRIES = 8192
_NUMBERS = 80_000   # joint values at the most: long chains get fewer entries
_FEWEST = 64        # fewest entries that make a search worthwhile
_PER_CELL = 12      # entries of a cell, on average


class StartTable(NamedTuple):
    """A table, its entries in the order of their cells; see `restarts.Table`."""

    samples: np.ndarray
    """(k, n) in [0, 1)."""
    q: np.ndarray
    """(entries, n) rad or m."""
    position: np.ndarray
    """(entries, 3) of the tip, m."""
    rotation: np.ndarray
    """(entries, 3, 3) of the tip."""
    cells: int
    first: np.ndarray
    """(cells³ + 1,)"""
    corner: np.ndarray
    """(3,) m."""
    edge: float
    """m."""


def start_table(chain: Chain, samples: int, seed: int) -> StartTable:
    """Return the table of a chain, with `samples` samples.

    It has no entries for chains with a joint that moves without limits other than by whole turns,
    and for chains of many hundred joints.
    """
    n = chain.n_joints
    spread = low_discrepancy(samples, n, seed)
    entries = min(_ENTRIES, _NUMBERS // n)
    lower, upper = _ranges(chain)
    if samples == 0 or entries < _FEWEST or not np.isfinite(upper - lower).all():
        return StartTable(spread, np.empty((0, n)), np.empty((0, 3)), np.empty((0, 3, 3)), 0,
                          np.empty(0), np.zeros(3), 0.0)
    q = lower + low_discrepancy(entries, n, seed) * (upper - lower)
    T = tip_poses(chain.arrays, q)
    p = T[:, :3, 3]
    corner, size = p.min(axis=0), float(np.ptp(p, axis=0).max())
    cells = max(1, round((entries / _PER_CELL) ** (1.0 / 3.0)))
    edge = 1.001 * size / cells if size > 0.0 else 1.0
    at = ((p - corner) / edge).astype(np.int64) @ (cells * cells, cells, 1)
    order = np.argsort(at, kind='stable')
    first = np.searchsorted(at[order], np.arange(cells**3 + 1))
    return StartTable(spread, q[order], p[order], T[order, :3, :3], cells, first, corner, edge)


def _ranges(chain: Chain) -> tuple[np.ndarray, np.ndarray]:
    """Return the ranges (n,) of the entries: the limits, one turn for continuous joints."""
    unlimited = chain.arrays.turns & ~np.isfinite(chain.upper - chain.lower)
    lower = np.where(np.isfinite(chain.lower), chain.lower, chain.upper - 2.0 * np.pi)
    lower = np.where(np.isfinite(lower), lower, -np.pi)
    return (np.where(unlimited, lower, chain.lower),
            np.where(unlimited, lower + 2.0 * np.pi, chain.upper))
