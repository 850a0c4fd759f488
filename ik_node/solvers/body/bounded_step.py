"""One damped least-squares step within bounds: clamped joints are locked and the rest re-solved."""

import numpy as np

_ROUNDING = 1e-15  # of a trace
_ROUNDS = 12  # changes of the active one-sided rows in one step


def bounded_step(A: np.ndarray, e: np.ndarray, one_sided: np.ndarray | None, lower: np.ndarray,
                 upper: np.ndarray, damping2: float) -> np.ndarray:
    """Return the x (n,) that minimises |A x − e|² + λ² |x|² within bounds (n,).

    one_sided: (m,) the rows that ask for A x ≥ e only, or None. They are active where they would
    be missed: a piecewise quadratic cost, minimised by Newton's method over its pieces.
    damping2: λ² > 0.
    """
    if one_sided is None:
        return _locked_solve(A, e, lower, upper, damping2)
    active = ~one_sided | (e > 0.0)
    x = np.zeros(A.shape[1])
    for _ in range(_ROUNDS):
        x = _locked_solve(A[active], e[active], lower, upper, damping2)
        left = e - A @ x
        now = ~one_sided | (left > 0.0) | (active & (left > -1e-9 * np.abs(e)))
        if (now == active).all():
            break
        active = now
    return x


def _locked_solve(A: np.ndarray, e: np.ndarray, lower: np.ndarray, upper: np.ndarray,
                  damping2: float) -> np.ndarray:
    """Return the x (n,) of `bounded_step` for rows that are all active.

    Joints beyond a bound are locked there and their columns moved to the right; one that the
    gradient pulls away from its bound is freed again, once.
    """
    x = _damped_solve(A, e, damping2)
    beyond = (x < lower) | (x > upper)
    if not beyond.any():
        return x
    free, freed = np.ones(len(x), dtype=bool), np.zeros(len(x), dtype=bool)
    for _ in range(2 * len(x)):
        if beyond.any():
            free &= ~beyond
            x = np.where(beyond, np.clip(x, lower, upper), x)
        else:
            gradient = A.T @ (A @ x - e) + damping2 * x
            pulled = ~free & ~freed & (lower < upper) & np.where(
                x <= lower, gradient < -1e-12, gradient > 1e-12)
            if not pulled.any():
                break
            free |= pulled
            freed |= pulled
        locked = ~free
        x[free] = _damped_solve(A[:, free], e - A[:, locked] @ x[locked], damping2)
        beyond = free & ((x < lower) | (x > upper))
    return np.clip(x, lower, upper)


def _damped_solve(A: np.ndarray, e: np.ndarray, damping2: float) -> np.ndarray:
    """Return (AᵀA + λ²)⁻¹ Aᵀ e, by the smaller of the two normal equations [Parent 5.24]."""
    m, n = A.shape
    if m <= n:
        return A.T @ damped_solve(A @ A.T, e, damping2)
    return damped_solve(A.T @ A, A.T @ e, damping2)


def damped_solve(G: np.ndarray, b: np.ndarray, damping2: float) -> np.ndarray:
    """Return (G + λ²)⁻¹ b for a positive semidefinite G (k, k), which is changed, and b (k,).

    A λ² below the rounding of G would leave it singular.
    """
    G.flat[::len(G) + 1] += max(damping2, _ROUNDING * float(np.trace(G)))
    return np.linalg.solve(G, b)
