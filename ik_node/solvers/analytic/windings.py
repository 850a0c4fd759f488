"""Windings: branches at every turn of their joints inside the limits."""

import numpy as np

from ik_node.model.chain import Chain
from ik_node.support.exceptions import InputError

_TURN, _ROUNDING = 2.0 * np.pi, 1e-12  # rad; turns
_MOST = 1_000_000


def at_every_turn(chain: Chain, branches: np.ndarray) -> np.ndarray:
    """Return branches (k, n) at every turn inside the limits, those of a branch in sequence.

    Joints without limits are not turned. Raises InputError for more than 1,000,000.
    """
    lower, upper = chain.lower, chain.upper
    turning = chain.turns & np.isfinite(lower) & np.isfinite(upper)
    first = np.where(turning, np.ceil((lower - branches) / _TURN - _ROUNDING), 0.0)
    last = np.where(turning, np.floor((upper - branches) / _TURN + _ROUNDING), 0.0)
    counts = np.prod(last - first + 1.0, axis=1)
    if counts.sum() > _MOST:
        raise InputError(f'the limits allow {counts.sum():.3g} windings of the branches, more '
                         f'than {_MOST:,}')
    turns = [np.stack(np.meshgrid(*map(np.arange, low, high + 1.0), indexing='ij'), axis=-1)
             for low, high in zip(first, last)]
    found = [np.clip(q + _TURN * k.reshape(-1, len(q)), lower, upper)
             for q, k in zip(branches, turns)]
    return np.concatenate([branches[:0], *found])
