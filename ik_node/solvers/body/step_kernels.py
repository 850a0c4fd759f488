"""One damped least-squares step within bounds, as `bounded_step`, for transposed rows: kernels.

Of the two normal equations the smaller one is solved. Rows of arms and legs that share no joints
have no entry in common: zeros are left out of the products, and of the factor.
"""

import math

from ik_node._jit import Integers, Matrix, Vector, njit
from ik_node.solvers.body.packing import SearchWork

_ROUNDS = 12      # changes of the active one-sided rows in one step
_SINGULAR = 1e-14  # pivot over the largest diagonal entry that is as good as none


@njit
def bounded_step_of(work: SearchWork, indices: Integers, m: int, any_one_sided: bool,
                    one_sided: Vector, damping2: float) -> None:
    """Write into work.x the step that minimises |A x − e|² + λ² |x|² within bounds.

    A (n, m) = work.A, e = work.e, bounds work.lower and work.upper (n,); one_sided (m,): whether
    A x ≥ e is all that a row asks for, where any_one_sided. indices (2 m + n,) is scratch.
    """
    A, e, x, active = work.A, work.e, work.x, work.active
    n = A.shape[0]
    for i in range(m):
        active[i] = 1.0 if not any_one_sided or one_sided[i] == 0.0 or e[i] > 0.0 else 0.0
    for k in range(n):
        x[k] = 0.0
    for _ in range(_ROUNDS):
        _locked_solve(work, indices, m, damping2)
        if not any_one_sided:
            return
        changed = False
        for i in range(m):
            if one_sided[i] == 0.0:
                continue
            left = e[i]
            for k in range(n):
                left -= A[k, i] * x[k]
            now = left > 0.0 or (active[i] != 0.0 and left > -1e-9 * abs(e[i]))
            if now != (active[i] != 0.0):
                changed = True
                active[i] = 1.0 if now else 0.0
        if not changed:
            return


@njit
def _locked_solve(work: SearchWork, indices: Integers, m: int, damping2: float) -> None:
    """Solve for the active rows; joints beyond a bound are locked there, and freed again once."""
    x, lower, upper, free, freed = work.x, work.lower, work.upper, work.free, work.freed
    n = x.shape[0]
    for k in range(n):
        free[k], freed[k], x[k] = 1.0, 0.0, 0.0
    for turn in range(2 * n + 1):
        _free_solve(work, indices, m, damping2)
        beyond = False
        for k in range(n):
            if free[k] != 0.0 and (x[k] < lower[k] or x[k] > upper[k]):
                beyond = True
                free[k], x[k] = 0.0, min(max(x[k], lower[k]), upper[k])
        if beyond:
            continue
        if turn == 0 or not _freed_again(work, m, damping2):
            break
    for k in range(n):
        x[k] = min(max(x[k], lower[k]), upper[k])


@njit
def _freed_again(work: SearchWork, m: int, damping2: float) -> bool:
    """Free the joints that the gradient pulls away from their bound; tell whether there are any."""
    A, e, x, left, active = work.A, work.e, work.x, work.left, work.active
    lower, upper, free, freed = work.lower, work.upper, work.free, work.freed
    for i in range(m):
        left[i] = -e[i] if active[i] != 0.0 else 0.0
    for k in range(x.shape[0]):
        if x[k] != 0.0:
            for i in range(m):
                if active[i] != 0.0:
                    left[i] += A[k, i] * x[k]
    found = False
    for k in range(x.shape[0]):
        if free[k] != 0.0 or freed[k] != 0.0 or not lower[k] < upper[k]:
            continue
        gradient = damping2 * x[k]
        for i in range(m):
            gradient += A[k, i] * left[i]
        if (gradient < -1e-12 and x[k] <= lower[k]) or (gradient > 1e-12 and x[k] > lower[k]):
            free[k], freed[k], found = 1.0, 1.0, True
    return found


@njit
def _free_solve(work: SearchWork, indices: Integers, m: int, damping2: float) -> None:
    """Write the free entries of x: (AᵀA + λ²)⁻¹ Aᵀ (e − what the locked ones do)."""
    A, e, x, free, active = work.A, work.e, work.x, work.free, work.active
    G, y, rest = work.G, work.y, work.rest
    rows, columns = indices[:m], indices[m:m + x.shape[0]]
    count, width = 0, 0
    for i in range(m):
        if active[i] != 0.0:
            rows[count] = i
            rest[count] = e[i]
            count += 1
    for k in range(x.shape[0]):
        if free[k] != 0.0:
            columns[width] = k
            width += 1
        elif x[k] != 0.0:
            for a in range(count):
                rest[a] -= A[k, rows[a]] * x[k]
    if width == 0:
        return
    if count > width:
        for a in range(width):
            p = columns[a]
            for b in range(a + 1):
                total, k = 0.0, columns[b]
                for i in range(count):
                    total += A[p, rows[i]] * A[k, rows[i]]
                G[a, b] = total
            total = 0.0
            for i in range(count):
                total += A[p, rows[i]] * rest[i]
            y[a] = total
        _solve(G, y, width, damping2)
        for a in range(width):
            x[columns[a]] = y[a]
        return
    _gram(A, columns, width, rows, count, indices[m + x.shape[0]:], work.values, G)
    for a in range(count):
        y[a] = rest[a]
    _solve(G, y, count, damping2)
    for b in range(width):
        k, total = columns[b], 0.0
        for a in range(count):
            total += A[k, rows[a]] * y[a]
        x[k] = total


@njit
def _gram(A: Matrix, columns: Integers, width: int, rows: Integers, count: int, places: Integers,
          values: Vector, G: Matrix) -> None:
    """Write Σ a aᵀ over the free columns, lower triangle; A (n, m) is transposed."""
    for a in range(count):
        for b in range(a + 1):
            G[a, b] = 0.0
    for c in range(width):
        k, filled = columns[c], 0
        for a in range(count):
            value = A[k, rows[a]]
            if value != 0.0:
                places[filled], values[filled] = a, value
                filled += 1
        for a in range(filled):
            value, p = values[a], places[a]
            for b in range(a + 1):
                G[p, places[b]] += value * values[b]


@njit
def _solve(G: Matrix, y: Vector, size: int, damping2: float) -> None:
    """Replace y by (G + λ²)⁻¹ y; G = L Lᵀ takes its place [Golub & Van Loan, alg. 4.2.1]."""
    largest = 0.0
    for i in range(size):
        G[i, i] += damping2
        largest = max(largest, G[i, i])
    for j in range(size):
        pivot = 1.0 / math.sqrt(max(G[j, j], _SINGULAR * largest))
        G[j, j] = pivot
        for i in range(j + 1, size):
            if G[i, j] != 0.0:
                G[i, j] *= pivot
        for i in range(j + 1, size):
            value = G[i, j]
            if value != 0.0:
                for k in range(j + 1, i + 1):
                    G[i, k] -= value * G[k, j]
        y[j] *= pivot
        value = y[j]
        if value != 0.0:
            for i in range(j + 1, size):
                y[i] -= G[i, j] * value
    for j in range(size - 1, -1, -1):
        value = y[j] * G[j, j]
        y[j] = value
        if value != 0.0:
            for i in range(j):
                y[i] -= G[j, i] * value
