"""One damped least-squares step within bounds, for transposed rows.

Of the two normal equations the smaller one is solved. Rows of arms and legs that share no joints
have no entry in common: zeros are left out of the products, and of the factor.
"""

import math

from ik_node.solvers.kernel.body.steps import StepWork
from ik_node.support import linear_systems
from ik_node.support.arrays import Integers

ROUNDS = 12  # changes of the active one-sided rows in one step


def bounded_step(work: StepWork, m: int, some_one_sided: bool, one_sided: Integers,
                 damping2: float) -> None:
    """Write into work.x the step that minimises |A x − e|² + λ² |x|² within bounds.

    A (n, m) = work.A, e = work.e; one_sided (m,): whether A x ≥ e is all that a row asks for, where
    there are some.
    """
    A, e, x, active, n = work.A, work.e, work.x, work.active, work.n
    for i in range(m):
        active[i] = not some_one_sided or not one_sided[i] or e[i] > 0.0
    for _ in range(ROUNDS):
        locked_solve(work, m, damping2)
        if not some_one_sided:
            return
        changed = False
        for i in range(m):
            if not one_sided[i]:
                continue
            left = e[i]
            for k in range(n):
                left -= A[k][i] * x[k]
            now = left > 0.0 or (active[i] != 0 and left > -1e-9 * math.fabs(e[i]))
            if now != active[i]:
                changed = True
                active[i] = now
        if not changed:
            return


def locked_solve(work: StepWork, m: int, damping2: float) -> None:
    """Solve for the active rows; joints beyond a bound are locked there, and freed again once."""
    x, lower, upper, free, n = work.x, work.lower, work.upper, work.free, work.n
    for k in range(n):
        free[k], work.freed[k], x[k] = True, False, 0.0
    for turn in range(2 * n + 1):
        free_solve(work, m, damping2)
        beyond = False
        for k in range(n):
            if free[k] and (x[k] < lower[k] or x[k] > upper[k]):
                beyond = True
                free[k], x[k] = False, min(max(x[k], lower[k]), upper[k])
        if beyond:
            continue
        if turn == 0 or not freed_again(work, m, damping2):
            break
    for k in range(n):
        x[k] = min(max(x[k], lower[k]), upper[k])


def freed_again(work: StepWork, m: int, damping2: float) -> bool:
    """Free the joints that the gradient pulls away from their bound; tell whether there are any."""
    A, e, x, left, active = work.A, work.e, work.x, work.left, work.active
    lower, upper, free, freed, n = work.lower, work.upper, work.free, work.freed, work.n
    for i in range(m):
        left[i] = -e[i] if active[i] else 0.0
    for k in range(n):
        if x[k] != 0.0:
            for i in range(m):
                if active[i]:
                    left[i] += A[k][i] * x[k]
    found = False
    for k in range(n):
        if free[k] or freed[k] or not lower[k] < upper[k]:
            continue
        gradient = damping2 * x[k]
        for i in range(m):
            gradient += A[k][i] * left[i]
        if (gradient < -1e-12 and x[k] <= lower[k]) or (gradient > 1e-12 and x[k] > lower[k]):
            free[k], freed[k], found = True, True, True
    return found


def free_solve(work: StepWork, m: int, damping2: float) -> None:
    """Write the free entries of x: (AᵀA + λ²)⁻¹ Aᵀ (e − what the locked ones do)."""
    A, e, x, free, active = work.A, work.e, work.x, work.free, work.active
    G, y, rest, rows, columns = work.G, work.y, work.rest, work.rows, work.columns
    count, width = 0, 0
    for i in range(m):
        if active[i]:
            rows[count] = i
            rest[count] = e[i]
            count += 1
    for k in range(work.n):
        if free[k]:
            columns[width] = k
            width += 1
        elif x[k] != 0.0:
            for a in range(count):
                rest[a] -= A[k][rows[a]] * x[k]
    if width == 0:
        return
    if count > width:
        for a in range(width):
            p = columns[a]
            for b in range(a + 1):
                total, k = 0.0, columns[b]
                for i in range(count):
                    total += A[p][rows[i]] * A[k][rows[i]]
                G[a][b] = total
            total = 0.0
            for i in range(count):
                total += A[p][rows[i]] * rest[i]
            y[a] = total
        linear_systems.damped_solve(G, y, width, damping2)
        for a in range(width):
            x[columns[a]] = y[a]
        return
    gram(work, width, count)
    for a in range(count):
        y[a] = rest[a]
    linear_systems.damped_solve(G, y, count, damping2)
    for b in range(width):
        k, total = columns[b], 0.0
        for a in range(count):
            total += A[k][rows[a]] * y[a]
        x[k] = total


def gram(work: StepWork, width: int, count: int) -> None:
    """Write Σ a aᵀ over the free columns of the active rows into G, lower triangle."""
    A, G, rows, values = work.A, work.G, work.rows, work.values
    for a in range(count):
        for b in range(a + 1):
            G[a][b] = 0.0
    for c in range(width):
        k, filled = work.columns[c], 0
        for a in range(count):
            value = A[k][rows[a]]
            if value != 0.0:
                work.places[filled], values[filled] = a, value
                filled += 1
        for a in range(filled):
            value, p = values[a], work.places[a]
            for b in range(a + 1):
                G[p][work.places[b]] += value * values[b]
