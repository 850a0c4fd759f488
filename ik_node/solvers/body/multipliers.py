"""Motion of least kinetic energy under constraints, by Lagrange multipliers [Grassia].

A figure without momentum moves as it is pulled, f + f_c = M q̇, and constraints pull along their
gradients, f_c = Jᵀ λ. With W = M⁻¹ and the velocity ṗ wanted of the constraints,
(J W Jᵀ) λ = ṗ − J W f and q̇ = W (f + Jᵀ λ).
"""

from typing import NamedTuple

import numpy as np

from ik_node.solvers.body.dual_active_set import cholesky, least_energy
from ik_node.solvers.body.levels import cascade
from ik_node.solvers.body.problem import LevelRows

# Singular values of J L⁻ᵀ, M = L Lᵀ, its rows made unit vectors, below this part of the largest
# are dropped.
TRUNCATED = 1e-4
_MASSLESS = 1e-6    # part of the largest entry of M's diagonal that counts as no mass
_VIOLATED = 1e-10
_LEAST = 1e-60      # of that, where constraints move with no joint
_NEXT = 1e-7        # what energy counts beside constraints that do not hold
_RELEASES = 2       # how often a constraint is released in one step


class Motion(NamedTuple):
    """A step, and the multipliers of the constraints."""

    x: np.ndarray
    """(n,) rad or m."""
    multipliers: np.ndarray
    """(m,) of the rows, 0 for those that are not active; those last tried where they take turns."""


def move(M: np.ndarray, f: np.ndarray, A: np.ndarray, e: np.ndarray, one_sided: np.ndarray,
         lower: np.ndarray, upper: np.ndarray) -> Motion:
    """Return the x (n,) with M x = f + Aᵀ λ and A x = e, A x ≥ e for one-sided rows, in bounds.

    M (n, n) positive definite, f (n,), A (m, n), e (m,), bounds (n,). A one-sided row and a bound
    are active while they would be violated, and released when their multiplier says that they hold
    the figure back. Joints at a bound are taken out of the equations, so that bounds hold whatever
    the constraints ask for; of constraints that conflict the truncated SVD takes the compromise.
    """
    n = len(f)
    free = np.ones(n, dtype=bool)
    active = ~one_sided
    x = np.zeros(n)
    released: dict[int, int] = {}
    multipliers = np.zeros(len(e))
    for _ in range(4 * n + 4 * len(e)):
        x, multipliers = _solve(M, f, A, e, free, active, x)
        beyond = free & ((x < lower) | (x > upper))
        if beyond.any():
            x = np.where(beyond, np.clip(x, lower, upper), x)
            free &= ~beyond
            continue
        crossed = ~active & (A @ x < e - _VIOLATED)
        if crossed.any():
            active = active | crossed
            continue
        k = _held_back(M @ x - f - A.T @ multipliers, multipliers, x, lower, upper, free,
                       active & one_sided)
        if k < 0:
            return Motion(np.clip(x, lower, upper), multipliers)
        released[k] = released.get(k, 0) + 1
        if released[k] > _RELEASES:
            break
        if k < n:
            free[k] = True
        else:
            active = active.copy()
            active[k - n] = False
    # Bounds and rows that take turns.
    least = least_energy(M, f, A, e, one_sided, lower, upper)
    if least is None:  # not within these bounds: as near as they let it
        least = _nearest(M, f, A, e, one_sided, lower, upper)
    if least is not None:
        return Motion(least, multipliers)
    # Constraints that conflict: level by level, which is slower, but always ends.
    L = cholesky(M)
    energy = LevelRows(L.T, np.linalg.solve(L, f), np.zeros(n, dtype=bool), 0.0, False)
    x = cascade([LevelRows(A, e, one_sided, 0.0, False), energy], lower, upper, 0.0)
    return Motion(np.clip(x, lower, upper), multipliers)


def _nearest(M: np.ndarray, f: np.ndarray, A: np.ndarray, e: np.ndarray, one_sided: np.ndarray,
             lower: np.ndarray, upper: np.ndarray) -> np.ndarray | None:
    """Return the x (n,) that minimises |A x − e|² of two-sided rows first, then as `move`.

    None where one-sided rows cannot hold.
    """
    J, wanted = A[~one_sided], e[~one_sided]
    gram = J.T @ J
    part = max(_NEXT * float(np.trace(gram)) / float(np.trace(M)), _LEAST)
    return least_energy(part * M + gram, part * f + J.T @ wanted, A[one_sided], e[one_sided],
                        np.ones(int(one_sided.sum()), dtype=bool), lower, upper)


def _solve(M: np.ndarray, f: np.ndarray, A: np.ndarray, e: np.ndarray, free: np.ndarray,
           active: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return x (n,) and multipliers (m,), with the joints that are not free as in x."""
    held = ~free
    moved = x.copy()
    moved[free] = 0.0
    # With M = L Lᵀ and y = Lᵀ x the kinetic energy is |y|²/2.
    L = cholesky(M[np.ix_(free, free)]) if free.any() else np.empty((0, 0))
    inverse = np.linalg.inv(L) if len(L) else L
    pulled = inverse @ (f[free] - M[np.ix_(free, held)] @ x[held])
    multipliers = np.zeros(len(e))
    if active.any() and len(L):
        J = A[np.ix_(active, free)] @ inverse.T
        wanted = e[active] - A[np.ix_(active, held)] @ x[held] - J @ pulled
        # Rows as unit vectors: what is dropped are constraints that depend on each other, not those
        # on what is heavy.
        lengths = np.sqrt(np.sum(J * J, axis=1))
        lengths[lengths <= 1e-12 * float(lengths.max())] = np.inf
        U, s, Vt = np.linalg.svd(J / lengths[:, None], full_matrices=False)
        kept = s > TRUNCATED * max(float(s[0]), 1e-300)
        along = U.T[kept] @ (wanted / lengths) / s[kept]
        multipliers[active] = U[:, kept] @ (along / s[kept]) / lengths
        pulled = pulled + along @ Vt[kept]
    moved[free] = inverse.T @ pulled
    return moved, multipliers


def _held_back(reaction: np.ndarray, multipliers: np.ndarray, x: np.ndarray, lower: np.ndarray,
               upper: np.ndarray, free: np.ndarray, active: np.ndarray) -> int:
    """Return the bound, or n + the row, that pulls the wrong way most; −1 for none.

    reaction: (n,) M x − f − Aᵀ λ, what a bound pushes with: away from it where it is needed.
    """
    wrong = np.where(free | (lower >= upper), 0.0,
                     np.where(x <= lower, -reaction, np.where(x >= upper, reaction, 0.0)))
    wrong = np.concatenate([wrong, np.where(active, -multipliers, 0.0)])
    k = int(np.argmax(wrong))
    scale = max(float(np.abs(reaction).max(initial=0.0)),
                float(np.abs(multipliers).max(initial=0.0)))
    return k if wrong[k] > 1e-9 * scale and wrong[k] > 1e-14 else -1


def with_mass(M: np.ndarray) -> np.ndarray:
    """Return M (n, n), with a little mass for joints that move next to none: it is invertible.

    Where nothing has mass, all joints are alike.
    """
    if not M.diagonal().max() > 0.0:
        return np.eye(len(M))
    least = _MASSLESS * float(M.diagonal().max())
    return M + least * np.eye(len(M)) if np.linalg.eigvalsh(M)[0] < least else M
