"""What kernels hold of a chain besides its record, built once for each.

Among these is a table of joint configurations, indexed by the pose of the tip, for initial guesses
of restarts. Its entries are spread evenly over the limits and sorted into cubic cells by the
position of the tip, so that a few cells contain those near a goal.
"""

import weakref
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from ik_node.kinematics.chain_kinematics import ChainKinematics
from ik_node.model.chain import Chain
from ik_node.solvers.kernel.arm_kernel import Verifier
from ik_node.solvers.kernel.closest import Closest
from ik_node.solvers.kernel.low_discrepancy import low_discrepancy
from ik_node.solvers.kernel.restarts import Table

_GUESSES = 94       # of `Closest`, after the two of the caller
_ENTRIES = 8192
_NUMBERS = 80_000   # joint values at the most: long chains get fewer entries
_FEWEST = 64        # fewest entries that make a search worthwhile
_PER_CELL = 12      # entries of a cell, on average

_RECORDS: weakref.WeakKeyDictionary[Chain, dict[Any, Any]] = weakref.WeakKeyDictionary()


def verifier_of(chain: Chain) -> Verifier:
    """Return what computes the errors of a chain's joint values, and holds their limits."""
    return _kept(chain, Verifier, lambda: Verifier(chain.record))


def closest_of(chain: Chain) -> Closest:
    """Return what finds the configurations of a chain that are closest to goals."""
    return _kept(chain, Closest, lambda: Closest(
        chain.record, low_discrepancy(_GUESSES, chain.n_joints, 0)))


def table_of(chain: Chain, samples: int, seed: int) -> Table:
    """Return the table of a chain, see `start_table`."""
    return _kept(chain, (Table, samples, seed), lambda: Table(*start_table(chain, samples, seed)))


def _kept(chain: Chain, key: Hashable, make: Callable[[], Any]) -> Any:
    own = _RECORDS.setdefault(chain, {})
    if key not in own:
        own[key] = make()
    return own[key]


def start_table(chain: Chain, samples: int, seed: int) -> tuple[Any, ...]:
    """Return the arguments of the `Table` of a chain, with `samples` samples.

    It has no entries for chains with a joint that moves without limits other than by whole turns,
    and for chains of many hundred joints.
    """
    n = chain.n_joints
    spread = low_discrepancy(samples, n, seed)
    entries = min(_ENTRIES, _NUMBERS // n)
    unlimited = chain.arrays.turns & ~np.isfinite(chain.upper - chain.lower)  # get one turn
    lower = np.where(np.isfinite(chain.lower), chain.lower, chain.upper - 2.0 * np.pi)
    lower = np.where(np.isfinite(lower), lower, -np.pi)
    lower, upper = (np.where(unlimited, lower, chain.lower),
                    np.where(unlimited, lower + 2.0 * np.pi, chain.upper))
    if samples == 0 or entries < _FEWEST or not np.isfinite(upper - lower).all():
        return (spread, np.empty((0, n)), np.empty((0, 3)), np.empty((0, 3, 3)), 0, np.empty(0),
                np.zeros(3), 0.0)
    q = lower + low_discrepancy(entries, n, seed) * (upper - lower)
    T = ChainKinematics(chain.record).poses(q)
    p = T[:, :3, 3]
    corner, size = p.min(axis=0), float(np.ptp(p, axis=0).max())
    cells = max(1, round((entries / _PER_CELL) ** (1.0 / 3.0)))
    edge = 1.001 * size / cells if size > 0.0 else 1.0
    at = ((p - corner) / edge).astype(np.int64) @ (cells * cells, cells, 1)
    order = np.argsort(at, kind='stable')
    first = np.searchsorted(at[order], np.arange(cells**3 + 1))
    return spread, q[order], p[order], T[order, :3, :3], cells, first, corner, edge
