"""What kernels hold of a chain besides its record, built once for each."""

import weakref
from typing import Any

from ik_node.model.chain import Chain
from ik_node.solvers.closest import Closest
from ik_node.solvers.entries import Verifier
from ik_node.solvers.low_discrepancy import low_discrepancy
from ik_node.solvers.restarts import Table
from ik_node.solvers.start_table import start_table

_GUESSES = 95  # of `Closest`, after the caller's

_RECORDS: weakref.WeakKeyDictionary[Chain, dict[Any, Any]] = weakref.WeakKeyDictionary()


def verifier_of(chain: Chain) -> Verifier:
    """Return what computes the errors of a chain's joint values, and holds their limits."""
    own = _RECORDS.setdefault(chain, {})
    if Verifier not in own:
        own[Verifier] = Verifier(chain.record)
    return own[Verifier]


def closest_of(chain: Chain) -> Closest:
    """Return what finds the configurations of a chain that are closest to goals."""
    own = _RECORDS.setdefault(chain, {})
    if Closest not in own:
        own[Closest] = Closest(chain.record, low_discrepancy(_GUESSES, chain.n_joints, 0))
    return own[Closest]


def table_of(chain: Chain, samples: int, seed: int) -> Table:
    """Return the `start_table` of a chain."""
    own = _RECORDS.setdefault(chain, {})
    if (Table, samples, seed) not in own:
        own[Table, samples, seed] = Table(start_table(chain, samples, seed))
    return own[Table, samples, seed]
