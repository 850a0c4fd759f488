"""One step for levels: least squares, level by level, within bounds.

Each level minimises what it misses over what the levels before leave free, as a cascade of
quadratic programs [Kanoun 2011; Escande 2014]. What is not free any more is kept as orthonormal
directions, the first rows of Q: those of the levels before, then those of active bounds.
"""

import math

from ik_node.kernels import normal_equations
from ik_node.kernels import problem as problems
from ik_node.kernels.arrays import Matrix, Vector
from ik_node.kernels.problem import Problem
from ik_node.kernels.step_work import StepWork

RANK = 1e-6         # length of a row over the largest that counts
NO_ROW = 1e-12
TINY = 1e-14        # of λ²
FACTOR = 6          # changes of the active set, over the number of unknowns
SMALL = 1e-12       # a step that is none, and a multiplier that is 0
CROSSING = 1e-13    # rate at which a bound is neared that is none
INF = math.inf


def cascade(problem: Problem, work: StepWork, e: Vector, damping: float) -> None:
    """Write into work.x the step of all levels, the strictest first, within bounds.

    work.A (n, m) has the rows of all levels; e (m,) is what they want. damping: λ² of a level over
    its cost |e|²/2.
    """
    x, n, taken = work.x, work.n, 0
    for k in range(n):
        x[k] = min(max(0.0, work.lower[k]), work.upper[k])
    for level in range(problem.levels):
        if taken >= n:
            return
        first = problem.first_row[level]
        m = problem.first_row[level + 1] - first
        damping2 = damping * 0.5 * problems.missed2(problem, level, e) + TINY
        project(work, work.A, first, m, taken)
        to_bounded_minimum(work, e, first, m, taken, damping2)
        if level + 1 < problem.levels:
            taken = take_rows(work, m, taken)


def project(work: StepWork, A: Matrix, first: int, m: int, taken: int) -> None:
    """Write rows of A (n, …) without their part along the taken directions into base (n, m)."""
    base, n = work.base, work.n
    for k in range(n):
        for i in range(m):
            base[k][i] = A[k][first + i]
    for j in range(taken):
        remove(work.Q[j], base, work.values, n, m)


def remove(direction: Vector, B: Matrix, values: Vector, n: int, m: int) -> None:
    """Remove the part of the rows of B (n, m), transposed, along a unit vector (n,)."""
    for i in range(m):
        values[i] = 0.0
    for k in range(n):
        share = direction[k]
        if share != 0.0:
            for i in range(m):
                values[i] += share * B[k][i]
    for k in range(n):
        share = direction[k]
        if share != 0.0:
            for i in range(m):
                B[k][i] -= share * values[i]


def take_rows(work: StepWork, m: int, taken: int) -> int:
    """Add what the rows of base span to the taken directions; return how many there are then.

    By modified Gram–Schmidt, the longest row first.
    """
    base, Q, n, most = work.base, work.Q, work.n, 0.0
    while taken < n:
        longest, chosen = -1.0, 0
        for i in range(m):
            length2 = 0.0
            for k in range(n):
                length2 += base[k][i] * base[k][i]
            if length2 > longest:
                longest, chosen = length2, i
        length = math.sqrt(max(longest, 0.0))
        most = max(most, length)
        if length <= RANK * most or length <= NO_ROW:
            break
        for k in range(n):
            Q[taken][k] = base[k][chosen] / length
        lengthen(work, taken)
        remove(Q[taken], base, work.values, n, m)
        taken += 1
    return taken


def lengthen(work: StepWork, count: int) -> float:
    """Make Q[count] a unit vector at right angles to those before it; return how long it was."""
    Q, n, length = work.Q, work.n, 0.0
    for turn in range(2):  # once more: of a short one, rounding is a larger part
        across(Q, count, n, Q[count])
        length2 = 0.0
        for k in range(n):
            length2 += Q[count][k] * Q[count][k]
        own = math.sqrt(length2)
        for k in range(n):
            Q[count][k] /= own
        length = own if turn == 0 else length * own
    return length


def to_bounded_minimum(work: StepWork, e: Vector, first: int, m: int, taken: int,
                       damping2: float) -> None:
    """Move x to the minimum of |A x − e|² + λ² |x|² across the taken directions, within bounds.

    base has the rows of A that are free. A primal active-set method [Nocedal & Wright, Numerical
    Optimization, alg. 16.3]: it goes to the minimum on the active bounds as far as no other one
    stops it, which then becomes active too, and drops the one with the most negative multiplier
    where there is nothing more to gain.
    """
    n, x, p, held = work.n, work.x, work.p, work.held
    count = 0
    for k in range(n):
        held[k] = False
        for i in range(m):
            work.B[k][i] = work.base[k][i]
    for _ in range(FACTOR * n + 20):
        if taken + count < n and towards_minimum(work, e, first, m, taken + count,
                                                 damping2) > SMALL:
            part, blocking = room(work)
            for k in range(n):
                x[k] += part * p[k]
            if blocking >= 0:
                work.bounds[count] = blocking if p[blocking] < 0.0 else blocking + n
                hold(work, m, taken, count)
                count += 1
                continue
        if count == 0:
            return
        worst = to_drop(work, e, first, m, taken, count, damping2)
        if worst < 0:
            return
        held[work.bounds[worst] % n] = False
        for j in range(worst, count - 1):
            work.bounds[j] = work.bounds[j + 1]
        count -= 1
        for k in range(n):
            for i in range(m):
                work.B[k][i] = work.base[k][i]
        for j in range(count):
            hold(work, m, taken, j)


def hold(work: StepWork, m: int, taken: int, index: int) -> None:
    """Take the direction of an active bound, given those before it, and column `index` of R."""
    Q, n, at, bound = work.Q, work.n, taken + index, work.bounds[index]
    joint = bound % n
    sign = 1.0 if bound < n else -1.0
    work.held[joint] = True
    for k in range(n):
        Q[at][k] = 0.0
    Q[at][joint] = sign
    for j in range(index):
        work.R[j][index] = sign * Q[taken + j][joint]
    work.R[index][index] = lengthen(work, at)
    remove(Q[at], work.B, work.values, n, m)


def towards_minimum(work: StepWork, e: Vector, first: int, m: int, taken: int,
                    damping2: float) -> float:
    """Write the step to the least damped cost into p (n,); return its largest entry."""
    A, B, Q, G, x, y, p = work.A, work.B, work.Q, work.G, work.x, work.y, work.p
    n, rest, inside = work.n, work.rest, work.inside
    for k in range(n):
        inside[k] = x[k]
    across(Q, taken, n, inside)
    for i in range(m):
        rest[i] = e[first + i]
    for k in range(n):
        for i in range(m):
            rest[i] += B[k][i] * inside[k] - A[k][first + i] * x[k]
    if m <= n - taken:
        for i in range(m):
            y[i] = rest[i]
            for j in range(i + 1):
                G[i][j] = 0.0
        for k in range(n):
            for i in range(m):
                value = B[k][i]
                if value != 0.0:
                    for j in range(i + 1):
                        G[i][j] += value * B[k][j]
        normal_equations.damped_solve(G, y, m, damping2)
        for k in range(n):
            total = 0.0
            for i in range(m):
                total += B[k][i] * y[i]
            p[k] = total
    else:
        for k in range(n):
            p[k] = 0.0
            for i in range(m):
                p[k] += B[k][i] * rest[i]
            for j in range(k + 1):
                total = 0.0
                for i in range(m):
                    total += B[k][i] * B[j][i]
                G[k][j] = total
        normal_equations.damped_solve(G, p, n, damping2)
    for k in range(n):
        p[k] -= inside[k]
    across(Q, taken, n, p)  # y may be large, and what p has along Q by its rounding errors
    largest = 0.0
    for k in range(n):
        largest = max(largest, math.fabs(p[k]))
    return largest


def across(Q: Matrix, count: int, n: int, v: Vector) -> None:
    """Remove the part of v (n,) along the first rows of Q."""
    for j in range(count):
        dot = 0.0
        for k in range(n):
            dot += Q[j][k] * v[k]
        for k in range(n):
            v[k] -= dot * Q[j][k]


def room(work: StepWork) -> tuple[float, int]:
    """Return which part of p (n,) can be gone, and the joint whose bound stops it, −1 for none."""
    x, p, part, blocking = work.x, work.p, INF, -1
    for k in range(work.n):
        speed = math.fabs(p[k])
        if work.held[k] or speed <= CROSSING:
            continue
        own = max(work.upper[k] - x[k] if p[k] > 0.0 else x[k] - work.lower[k], 0.0) / speed
        if own < part:
            part, blocking = own, k
    return (1.0, -1) if part >= 1.0 else (part, blocking)


def to_drop(work: StepWork, e: Vector, first: int, m: int, taken: int, count: int,
            damping2: float) -> int:
    """Return the active bound with the most negative multiplier, −1 where there is none."""
    A, Q, R, x, rest, n = work.A, work.Q, work.R, work.x, work.rest, work.n
    gradient, multipliers, largest = work.gradient, work.multipliers, 0.0
    for i in range(m):
        rest[i] = -e[first + i]
    for k in range(n):
        for i in range(m):
            rest[i] += A[k][first + i] * x[k]
    for k in range(n):
        total = damping2 * x[k]
        for i in range(m):
            total += A[k][first + i] * rest[i]
        gradient[k] = total
        largest = max(largest, math.fabs(total))
    worst, least = -1, -SMALL * (1.0 + largest)
    for j in range(count - 1, -1, -1):
        total = 0.0
        for k in range(n):
            total += Q[taken + j][k] * gradient[k]
        for c in range(j + 1, count):
            total -= R[j][c] * multipliers[c]
        multipliers[j] = total / R[j][j]
        if multipliers[j] < least:
            worst, least = j, multipliers[j]
    return worst
