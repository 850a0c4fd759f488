"""Steps in the null space of the goal, which reduce the terms while the tip stays at the goal.

A minimum of the pose error and of terms together lies off the goal: the terms pull at the tip. So
the minimizer's configuration is brought to the goal, and from there the terms are reduced by the
projected gradient method [Luenberger & Ye, Linear and Nonlinear Programming, 12.4]:

    d = −(I − J⁺J) g,   q ← restored(q + t d)

g is the terms' gradient, J has only the columns of joints that no limit stops, and `restored`
brings the tip back to the goal. Step lengths t are those of Barzilai & Borwein [1988], halved until
the terms shrink. A singular direction of J counts as part of the null space.
"""

import math
from collections.abc import Callable

import numpy as np

from ik_node.solvers.optimization.space import Space
from ik_node.solvers.optimization.terms import TermSum

_MOST_STEPS = 200
_MOST_HALVINGS = 12
_SETTLED = 1e-5     # rad: a shorter step changes nothing of note
_LONGEST = 0.3      # rad: of one joint in a step, so that the tip can be restored
_SINGULAR = 1e-5    # of the largest singular value
_ENOUGH = 1e-4      # of the promised reduction [Armijo 1966]

Restore = Callable[[np.ndarray], np.ndarray | None]
"""Returns q (n,) changed so that it meets the goal, None where that fails."""


def descend(space: Space, jacobian: Callable[[np.ndarray], np.ndarray], terms: TermSum,
            restored: Restore, q: np.ndarray) -> tuple[np.ndarray, int]:
    """Reduce terms from q (n,), which meets the goal; return (q (n,), steps).

    jacobian: of the goal's rows at q, (6, n).
    """
    value, slope = terms.value(q), terms.gradient(q)
    direction, length, steps = _direction(space, jacobian(q), slope, q), math.inf, 0
    while steps < _MOST_STEPS:
        reach = np.abs(direction / space.unit).max(initial=0.0)
        if reach == 0.0 or length * reach < _SETTLED:
            break
        length = min(length, _LONGEST / reach)
        found = None
        for _ in range(_MOST_HALVINGS):
            found = restored(np.clip(q + length * direction, space.lower, space.upper))
            if found is not None:
                promised = length * float((direction / space.unit ** 2) @ direction)
                reduced = terms.value(found)
                if reduced <= value - _ENOUGH * promised:
                    break
                found = None
            length *= 0.5
        if found is None:
            break
        steps += 1
        before, old = direction, q
        q, value, slope = found, reduced, terms.gradient(found)
        direction = _direction(space, jacobian(q), slope, q)
        moved, changed = (q - old) / space.unit, (before - direction) / space.unit
        curved = float(moved @ changed)
        length = float(moved @ moved) / curved if curved > 0.0 else math.inf
    return q, steps


def _direction(space: Space, J: np.ndarray, slope: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return d (n,), the steepest descent in the null space, in the units of the space."""
    slope = slope * space.unit
    free = space.lower < space.upper
    for _ in range(len(q)):
        d = np.zeros(len(q))
        reduced = (J * space.unit)[:, free]
        _, sigma, rows = np.linalg.svd(reduced, full_matrices=False)
        rows = rows[sigma > _SINGULAR * sigma.max(initial=0.0)]
        d[free] = -slope[free] + rows.T @ (rows @ slope[free])
        stopped = free & (((q <= space.lower) & (d < 0.0)) | ((q >= space.upper) & (d > 0.0)))
        if not stopped.any():
            break
        free &= ~stopped
    return d * space.unit
