"""Strictly convex quadratic programs by the dual active-set method [Goldfarb & Idnani 1983].

It begins at the minimum without inequalities and adds the most violated one, and drops those whose
multiplier would become negative, so that it never cycles.
"""

import numpy as np

_VIOLATED = 1e-10
_DEPENDENT = 1e-4   # diagonal entry of R over the largest: equalities that depend on each other
_NO_STEP = 1e-12    # |z|² over |n|² of a constraint that depends on the active ones
_ROUNDING = 1e-14   # of a trace
_ROUNDS = 10        # iterations per constraint, at most


def least_energy(M: np.ndarray, f: np.ndarray, A: np.ndarray, e: np.ndarray,
                 one_sided: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> np.ndarray | None:
    """Return the x (n,) that minimises xᵀ M x / 2 − fᵀ x with A x = e in bounds.

    A x ≥ e for one-sided rows (m,). M (n, n) positive definite, f (n,), A (m, n), e (m,), bounds
    (n,). None where no x satisfies all of it, or equalities depend on each other.
    """
    # With M = L Lᵀ and y = Lᵀ x it is |y|²/2 − gᵀ y.
    inverse = np.linalg.inv(cholesky(M))
    y = inverse @ f
    rows = A @ inverse.T
    equal, bound = rows[~one_sided], e[~one_sided]
    normals = np.concatenate([rows[one_sided], inverse.T, -inverse.T])
    offsets = np.concatenate([e[one_sided], lower, -upper])
    kept = np.isfinite(offsets)
    normals, offsets = normals[kept], offsets[kept]
    Q, R = np.linalg.qr(equal.T)
    if len(equal):
        diagonal = np.abs(np.diag(R))
        if len(diagonal) < len(equal) or diagonal.min() <= _DEPENDENT * diagonal.max():
            return None
        y = y + Q @ np.linalg.solve(R.T, bound - equal @ y)
    found = _add_violated(y, Q, R, equal, normals, offsets)
    return None if found is None else np.clip(inverse.T @ found, lower, upper)


def cholesky(M: np.ndarray) -> np.ndarray:
    """Return L (n, n) with L Lᵀ = M; where M is positive definite but for rounding, of more."""
    try:
        return np.linalg.cholesky(M)
    except np.linalg.LinAlgError:
        return np.linalg.cholesky(M + _ROUNDING * float(np.trace(M)) * np.eye(len(M)))


def _add_violated(y: np.ndarray, Q: np.ndarray, R: np.ndarray, equal: np.ndarray,
                  normals: np.ndarray, offsets: np.ndarray) -> np.ndarray | None:
    """Return the minimum (n,) with normals (k, n) · y ≥ offsets (k,); None where there is none.

    y: with the equalities (m, n) alone, whose transposed rows are Q R.
    """
    if not len(normals):
        return y
    lengths = np.maximum(np.sqrt(np.sum(normals * normals, axis=1)), 1e-300)
    active: list[int] = []
    u = np.zeros(0)  # multipliers of the active inequalities
    first, adding, gained = len(equal), -1, 0.0
    for _ in range(_ROUNDS * (len(normals) + 1)):
        if adding < 0:
            slack = normals @ y - offsets
            slack[active] = 0.0
            adding, gained = int(np.argmin(slack / lengths)), 0.0
            if not slack[adding] < -_VIOLATED:
                return y
        normal = normals[adding]
        along = Q.T @ normal
        z = normal - Q @ along
        z = z - Q @ (Q.T @ z)  # once more: of a short one, rounding is a larger part
        r = np.linalg.solve(R, along)[first:] if len(R) else along[first:]
        length2 = float(z @ z)
        full = (offsets[adding] - float(normal @ y)) / length2 if (
            length2 > _NO_STEP * lengths[adding] ** 2) else np.inf
        ratios = np.where(r > 1e-14, u / np.where(r > 1e-14, r, 1.0), np.inf)
        drop = int(np.argmin(ratios)) if len(ratios) else -1
        part = float(ratios[drop]) if drop >= 0 else np.inf
        step = min(full, part)
        if step == np.inf:
            return None
        if full < np.inf:
            y = y + step * z
        u, gained = u - step * r, gained + step
        if full <= part:
            active.append(adding)
            u = np.append(u, gained)
            Q, R = _with_column(Q, R, along, z)
            adding = -1
        else:
            del active[drop]
            u = np.delete(u, drop)
            Q, R = np.linalg.qr(np.concatenate([equal, normals[active]]).T)
    return None


def _with_column(Q: np.ndarray, R: np.ndarray, along: np.ndarray,
                 z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return Q (n, k + 1) and R (k + 1, k + 1) of columns to which Q along + z is added, z ⟂ Q."""
    k, length = len(along), float(np.linalg.norm(z))
    larger = np.zeros((k + 1, k + 1))
    larger[:k, :k], larger[:k, k], larger[k, k] = R, along, length
    return np.column_stack([Q, z / length]), larger
