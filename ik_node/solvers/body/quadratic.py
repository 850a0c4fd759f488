"""Damped least squares with bounds and inequalities, by a primal active set."""

from typing import NamedTuple

import numpy as np

from ik_node.solvers.body.bounded_step import damped_solve

_FACTOR = 6         # changes of the active set, over the number of unknowns
_SMALL = 1e-12      # a step that is none, and a multiplier that is 0
_CROSSING = 1e-13   # rate at which a constraint is neared that is none


class Constraints(NamedTuple):
    """lower ≤ x ≤ upper (n,), C x ≥ d (k,)."""

    lower: np.ndarray
    upper: np.ndarray
    C: np.ndarray
    d: np.ndarray


def constrained_least_squares(A: np.ndarray, e: np.ndarray, x: np.ndarray, Z: np.ndarray,
                              constraints: Constraints, damping2: float) -> np.ndarray:
    """Return the point of x + range(Z) that minimises |A x − e|² + λ² |x|² under constraints.

    A (m, n), e (m,), x (n,) feasible, Z (n, z) orthonormal, damping2: λ² > 0. A primal active-set
    method [Nocedal & Wright, Numerical Optimization, alg. 16.3]: it goes to the minimum on the
    active constraints as far as no other one stops it, which then becomes active too, and drops
    the one with the most negative multiplier where there is nothing more to gain.
    """
    C, n = constraints.C, len(x)
    active: list[int] = []
    Y = Z
    for _ in range(_FACTOR * (n + len(C)) + 20):
        if Y.shape[1]:
            p = _to_minimum(A, e, x, Y, damping2)
            if float(np.abs(p).max()) > _SMALL:
                part, blocking = _room(x, p, constraints, active)
                x = x + part * p
                if blocking >= 0:
                    active.append(blocking)
                    Y = _across(Y, _normal(blocking, C, n))
                    continue
        if not active:
            break
        gradient = A.T @ (A @ x - e) + damping2 * x
        normals = np.array([_normal(k, C, n) for k in active])
        multipliers = np.linalg.lstsq((normals @ Z).T, Z.T @ gradient, rcond=None)[0]
        worst = int(np.argmin(multipliers))
        if multipliers[worst] >= -_SMALL * (1.0 + float(np.abs(gradient).max())):
            break
        del active[worst]
        Y = _along(np.delete(normals, worst, axis=0), Z)
    return x


def _to_minimum(A: np.ndarray, e: np.ndarray, x: np.ndarray, Y: np.ndarray,
                damping2: float) -> np.ndarray:
    """Return the p (n,) in range(Y) for which x + p has the least damped cost."""
    B = A @ Y
    m, z = B.shape
    along = x @ Y
    rest = e - A @ x + B @ along  # with u = y + Yᵀx: |B u − rest|² + λ² |u|²
    if m <= z:
        u = damped_solve(B @ B.T, rest, damping2) @ B
    else:
        u = damped_solve(B.T @ B, rest @ B, damping2)
    return Y @ (u - along)


def _normal(k: int, C: np.ndarray, n: int) -> np.ndarray:
    """Return the normal (n,) of a constraint: of the lower bounds, then the upper ones, then C."""
    if k >= 2 * n:
        return C[k - 2 * n]
    normal = np.zeros(n)
    normal[k % n] = 1.0 if k < n else -1.0
    return normal


def _along(normals: np.ndarray, Z: np.ndarray) -> np.ndarray:
    """Return a basis (n, z − a) of what in Z is at right angles to a independent normals."""
    if not len(normals):
        return Z
    Q, _ = np.linalg.qr((normals @ Z).T, mode='complete')
    return Z @ Q[:, len(normals):]


def _across(Y: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """Return a basis (n, y − 1) of what in Y (n, y) is at right angles to a normal.

    By the reflection that takes Yᵀ normal, which is not 0 where the constraint has stopped a step,
    to the first axis [Golub & Van Loan, Matrix Computations, 5.1.2].
    """
    v = normal @ Y
    size = float(np.sqrt(v @ v))
    v[0] += size if v[0] >= 0.0 else -size
    return (Y - np.outer(Y @ v, (2.0 / (v @ v)) * v))[:, 1:]


def _room(x: np.ndarray, p: np.ndarray, constraints: Constraints,
          active: list[int]) -> tuple[float, int]:
    """Return which part of p (n,) can be gone, and the constraint that stops it, −1 for none."""
    lower, upper, C, d = constraints
    n = len(x)
    speed = np.abs(p)
    room = np.maximum(np.where(p > 0.0, upper - x, x - lower), 0.0)
    parts = np.where(speed > _CROSSING, room / np.maximum(speed, _CROSSING), np.inf)
    for k in active:  # along these p is 0 but for rounding
        if k < 2 * n:
            parts[k % n] = np.inf
    first = int(np.argmin(parts))
    part, blocking = float(parts[first]), first if p[first] < 0.0 else first + n
    if len(d):
        rates = C @ p
        rates[[k - 2 * n for k in active if k >= 2 * n]] = 0.0
        room = np.maximum(C @ x - d, 0.0)
        parts = np.where(rates < -_CROSSING, room / np.maximum(-rates, _CROSSING), np.inf)
        nearest = int(np.argmin(parts))
        if parts[nearest] < part:
            part, blocking = float(parts[nearest]), nearest + 2 * n
    return (1.0, -1) if part >= 1.0 else (part, blocking)
