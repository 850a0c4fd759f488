"""One step for tasks of several priorities: least squares, level by level, within bounds.

Each level minimises what it misses over what the levels before leave free: the null space of their
rows [Siciliano & Slotine 1991], with bounds and one-sided rows at any level, as a cascade of
quadratic programs [Kanoun 2011; Escande 2014].
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ik_node.solvers.body.problem import LevelRows, missed
from ik_node.solvers.body.quadratic import Constraints, constrained_least_squares

_RANK = 1e-6     # smallest singular value over the largest that counts
_TINY = 1e-14    # of λ²
_HELD = 1e-10    # by how much a one-sided row must be missed to be held where it is


class Freedom(NamedTuple):
    """What levels leave to those after them."""

    x: np.ndarray
    """(n,) the step so far."""
    Z: np.ndarray
    """(n, z) orthonormal: where it may still go."""
    constraints: Constraints
    """Bounds, and one-sided rows that hold and must go on to hold."""


def unbound(lower: np.ndarray, upper: np.ndarray) -> Freedom:
    """Return the freedom before the first level, with bounds (n,) of the step."""
    n = len(lower)
    return Freedom(np.clip(0.0, lower, upper), np.eye(n),
                   Constraints(lower, upper, np.empty((0, n)), np.empty(0)))


def cascade(levels: Sequence[LevelRows], lower: np.ndarray, upper: np.ndarray,
            damping: float, scale: np.ndarray | None = None) -> np.ndarray:
    """Return the step Δq (n,) of levels, the strictest first, within bounds (n,).

    damping: λ² of a level over its cost |e|²/2. scale: (n,) 1/√weight of the joints, or None.
    """
    if scale is not None:
        return scale * cascade([rows._replace(A=rows.A * scale) for rows in levels],
                               lower / scale, upper / scale, damping)
    freedom = unbound(lower, upper)
    for rows in levels:
        if not freedom.Z.shape[1]:
            break
        freedom = after(rows, freedom, damping, last=rows is levels[-1])
    return freedom.x


def after(rows: LevelRows, before: Freedom, damping: float, last: bool = False) -> Freedom:
    """Return what a level leaves free, its step taken. last: the null space is not needed."""
    A, e, one_sided = rows.A, rows.e, rows.one_sided
    weighted = missed(e, one_sided)
    damping2 = damping * 0.5 * float(weighted @ weighted) + _TINY
    if not one_sided.any():
        x = constrained_least_squares(A, e, before.x, before.Z, before.constraints, damping2)
        return Freedom(x, before.Z if last else left_free(A, before.Z), before.constraints)
    return _with_one_sided(A[~one_sided], e[~one_sided], A[one_sided], e[one_sided], before,
                           damping2)


def _with_one_sided(A: np.ndarray, e: np.ndarray, C: np.ndarray, d: np.ndarray, before: Freedom,
                    damping2: float) -> Freedom:
    """Return what a level with rows A x = e and C x ≥ d leaves free.

    Each one-sided row gets a slack w ≥ d − C x, which is minimised: C x + w ≥ d is a constraint
    that can always be met. Rows that are missed all the same are held where they are; those that
    hold become constraints of the levels after.
    """
    k, n = C.shape
    lower, upper, held, bound = before.constraints
    zeros, free = np.zeros((len(held), k)), np.full(k, np.inf)
    extended = Constraints(np.concatenate([lower, -free]), np.concatenate([upper, free]),
                           np.block([[held, zeros], [C, np.eye(k)]]), np.concatenate([bound, d]))
    x = np.concatenate([before.x, np.maximum(d - C @ before.x, 0.0)])
    Z = np.block([[before.Z, np.zeros((n, k))], [np.zeros((k, before.Z.shape[1])), np.eye(k)]])
    both = np.block([[A, np.zeros((len(A), k))], [np.zeros((k, n)), np.eye(k)]])
    x = constrained_least_squares(both, np.concatenate([e, np.zeros(k)]), x, Z, extended,
                                  damping2)[:n]
    missing = d - C @ x
    held_now = missing > _HELD
    constraints = Constraints(lower, upper, np.concatenate([held, C[~held_now]]),
                              np.concatenate([bound, np.minimum(d, C @ x)[~held_now]]))
    return Freedom(x, left_free(np.concatenate([A, C[held_now]]), before.Z), constraints)


def left_free(A: np.ndarray, Z: np.ndarray) -> np.ndarray:
    """Return an orthonormal basis (n, z') of those directions of Z (n, z) that A (m, n) kills."""
    if not len(A):
        return Z
    _, s, Vt = np.linalg.svd(A @ Z)
    rank = int((s > _RANK * s[0]).sum()) if len(s) and s[0] > 1e-12 else 0
    return Z @ Vt[rank:].T
