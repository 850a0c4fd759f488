"""The step of one level within bounds and one-sided rows: the dual active-set method.

In the coordinates y of `factors` the cost is |y − y_u|² / 2. The method begins at y_u, adds the
constraint that is violated most, and drops those whose multiplier would become negative: every
intermediate point is the nearest one for the constraints that are active, so that it never cycles
[Goldfarb & Idnani 1983]. The minimum is unique, and depends on the rows continuously.

A constraint n · y ≥ b is a lower bound, an upper bound, or a one-sided row, in this order.
One-sided rows of the level itself have a slack each, a coordinate of y whose square is part of the
cost, so that they can always hold; those of the levels before must stay as they are, or at what
they ask for.

Whether a constraint depends on the active ones is a matter of joints, not of y, in which directions
that only damping opposes are longer than others by orders of magnitude.
"""

import math

from ik_node.solvers.kernel.qp import factors
from ik_node.solvers.kernel.qp.level import Level
from ik_node.support import arrays
from ik_node.support.arrays import Vector

HOLDS = 1e-11       # violation, relative to the step, below which a bound holds
DEPENDENT = 1e-8    # part of a joint, or of a row, along a normal below which it depends
UNMOVED = 1e-8      # part of it along the free directions that counts as zero
NOTHING = 1e-14     # rate below which a multiplier counts as constant
INF = math.inf


def satisfy(own: Level, held: Vector, lower: Vector, upper: Vector) -> None:
    """Move x from y_u to the nearest point that satisfies the constraints.

    lower, upper (n,): of x; held (m,): what one-sided rows of former levels must not fall below.
    Begins with the active set of the last call where the factors are still the same.
    """
    n, size = own.n, 0.0
    own.held, own.lower, own.upper = held, lower, upper
    for k in range(n):
        size = max(size, math.fabs(min(max(own.x[k], lower[k]), upper[k])))
    for s in range(own.own_sides):
        own.y[own.width + s] = 0.0
    for one in range(2 * n + own.sides):
        own.skipped[one] = 0
    tolerance = HOLDS * size
    if most_violated(own, tolerance) < 0:
        own.active_count = 0
        return
    if not own.spanned:
        factors.span(own)
        write_reach(own)
    resume(own)
    adding, gained = -1, 0.0
    for _ in range(10 * (2 * n + own.sides)):
        if adding < 0:
            adding, gained = most_violated(own, tolerance), 0.0
            if adding < 0:
                return
            write_normal(own, adding)
        length2 = split(own)
        count, full, part, drop = own.active_count, INF, INF, -1
        off = missing(own, adding)
        if is_independent(own, adding, length2):
            full = off / length2
        elif off < DEPENDENT * size * row_length(own, adding):
            own.skipped[adding], adding = 1, -1
            continue
        for j in range(count):
            if own.rates[j] > NOTHING and own.multipliers[j] < part * own.rates[j]:
                part, drop = own.multipliers[j] / own.rates[j], j
        step = min(full, part)
        if step == INF:  # it is violated by rounding errors of those that are active
            own.skipped[adding], adding = 1, -1
            continue
        for j in range(count):
            own.multipliers[j] -= step * own.rates[j]
        gained += step
        if full < INF:
            move(own, step)
        if full <= part:
            activate(own, adding, length2, gained)
            adding = -1
        else:
            deactivate(own, drop)


def most_violated(own: Level, tolerance: float) -> int:
    """Return the constraint that is farthest in y, −1 where all hold."""
    n, x, chosen, most = own.n, own.x, -1, 0.0
    for k in range(n):
        below, above = own.lower[k] - x[k], x[k] - own.upper[k]
        reach = own.reach[k]
        if reach == 0.0:
            continue
        if below > tolerance and below > most * reach and not own.skipped[k]:
            chosen, most = k, below / reach
        if above > tolerance and above > most * reach and not own.skipped[n + k]:
            chosen, most = n + k, above / reach
    for s in range(own.sides):
        off, reach = missing(own, 2 * n + s), own.reach[n + s]
        if reach > 0.0 and off > tolerance * own.side_lengths[s] and off > most * reach and (
                not own.skipped[2 * n + s]):
            chosen, most = 2 * n + s, off / reach
    return chosen


def missing(own: Level, constraint: int) -> float:
    """Return b − n · y of a constraint."""
    n, x = own.n, own.x
    if constraint < n:
        return own.lower[constraint] - x[constraint]
    if constraint < 2 * n:
        return x[constraint - n] - own.upper[constraint - n]
    s = constraint - 2 * n
    row = own.side_rows[s]
    total = own.held[row] if row < own.first else (
        own.e[row] - own.y[own.width + s - own.former_sides])
    for k in range(n):
        total -= own.A[k][row] * x[k]
    return total


def write_normal(own: Level, constraint: int) -> None:
    """Write the normal (size,) of a constraint."""
    n, Y, normal = own.n, own.Y, own.normal
    for j in range(own.width, own.size):
        normal[j] = 0.0
    if constraint < 2 * n:
        joint, sign = (constraint, 1.0) if constraint < n else (constraint - n, -1.0)
        for j in range(own.width):
            normal[j] = sign * Y[j][joint]
        return
    s = constraint - 2 * n
    row = own.side_rows[s]
    for k in range(n):
        own.moved[k] = own.A[k][row]
    for j in range(own.width):
        normal[j] = dot(Y[j], own.moved, n)
    if s >= own.former_sides:
        normal[own.width + s - own.former_sides] = 1.0


def write_reach(own: Level) -> None:
    """Write the lengths of all normals; 0 for what the directions T (p, n) do not move."""
    n, Y, T, reach, free = own.n, own.Y, own.T, own.reach, own.moved
    for k in range(n):
        reach[k], free[k] = 0.0, 0.0
    for j in range(own.width):
        for k in range(n):
            reach[k] += Y[j][k] * Y[j][k]
            free[k] += T[j][k] * T[j][k]
    for k in range(n):
        reach[k] = math.sqrt(reach[k]) if free[k] > UNMOVED * UNMOVED else 0.0
    for s in range(own.sides):
        write_normal(own, 2 * n + s)
        reach[n + s] = math.sqrt(dot(own.normal, own.normal, own.size))
        if s < own.former_sides and not is_moved(own, own.side_lengths[s]):
            reach[n + s] = 0.0


def is_moved(own: Level, length: float) -> bool:
    """Tell whether T (p, n) moves the row in `moved`, of a length."""
    free = 0.0
    for j in range(own.width):
        share = dot(own.T[j], own.moved, own.n)
        free += share * share
    return free > UNMOVED * UNMOVED * length * length


def split(own: Level) -> float:
    """Write the normal's part across the active ones, return |across|², and write the rates."""
    size, count = own.size, own.active_count
    across, along, rates = own.across, own.along, own.rates
    arrays.copy_to(across, own.normal, size)
    for j in range(count):
        along[j] = 0.0
    before = dot(across, across, size)
    for _ in range(2):  # once more: of a short one, rounding is a larger part
        for j in range(count):
            share = dot(own.normals[j], across, size)
            along[j] += share
            for i in range(size):
                across[i] -= share * own.normals[j][i]
        after = dot(across, across, size)
        if after > 0.5 * before:
            break
        before = after
    for j in range(count - 1, -1, -1):
        total = along[j]
        for c in range(j + 1, count):
            total -= own.triangle[j][c] * rates[c]
        rates[j] = total / own.triangle[j][j]
    return after


def is_independent(own: Level, constraint: int, length2: float) -> bool:
    """Tell whether the motion along what is across the active ones moves the joint, or the row.

    length2: |across|², by which the motion Yᵀ across changes it.
    """
    write_motion(own)
    least = DEPENDENT * row_length(own, constraint)
    return length2 > least * math.sqrt(dot(own.moved, own.moved, own.n))


def row_length(own: Level, constraint: int) -> float:
    """Return the length of the row of a constraint; 1 for bounds."""
    return 1.0 if constraint < 2 * own.n else own.side_lengths[constraint - 2 * own.n]


def write_motion(own: Level) -> None:
    """Write Yᵀ across into `moved`."""
    motion = own.moved
    for k in range(own.n):
        motion[k] = 0.0
    for j in range(own.width):
        share = own.across[j]
        if share != 0.0:
            for k in range(own.n):
                motion[k] += share * own.Y[j][k]


def move(own: Level, step: float) -> None:
    """Move y along the part of the normal that is across the active ones, and x by the motion."""
    for j in range(own.size):
        own.y[j] += step * own.across[j]
    for k in range(own.n):
        own.x[k] += step * own.moved[k]


def activate(own: Level, constraint: int, length2: float, multiplier: float) -> None:
    """Add a constraint, split into `along` and `across`, to the active ones."""
    count, length = own.active_count, math.sqrt(length2)
    own.active[count], own.multipliers[count] = constraint, multiplier
    for j in range(count):
        own.triangle[j][count] = own.along[j]
    own.triangle[count][count] = length
    inverse = 1.0 / length
    for i in range(own.size):
        own.normals[count][i] = inverse * own.across[i]
    own.active_count = count + 1


def deactivate(own: Level, index: int) -> None:
    """Remove an active constraint; rotations keep the rest triangular [Golub & Van Loan, 6.5.2]."""
    R, Q, count = own.triangle, own.normals, own.active_count - 1
    for j in range(index, count):
        own.active[j], own.multipliers[j] = own.active[j + 1], own.multipliers[j + 1]
        for i in range(j + 2):
            R[i][j] = R[i][j + 1]
    for j in range(index, count):
        length = math.sqrt(R[j][j] * R[j][j] + R[j + 1][j] * R[j + 1][j])
        cosine, sine = R[j][j] / length, R[j + 1][j] / length
        R[j][j], R[j + 1][j] = length, 0.0
        factors.turn(R, j, j + 1, j + 1, count, cosine, sine)
        factors.turn(Q, j, j + 1, 0, own.size, cosine, sine)
    own.active_count = count


def resume(own: Level) -> None:
    """Begin at the minimum on the last active set, where its multipliers have the right sign."""
    R, count, shares = own.triangle, own.active_count, own.along
    for j in range(count):  # Rᵀ s = b − N y_u, and R u = s
        total = missing(own, own.active[j])
        for i in range(j):
            total -= R[i][j] * shares[i]
        shares[j] = total / R[j][j]
    for j in range(count - 1, -1, -1):
        total = shares[j]
        for c in range(j + 1, count):
            total -= R[j][c] * own.multipliers[c]
        own.multipliers[j] = total / R[j][j]
        if own.multipliers[j] < 0.0:
            own.active_count = 0
            return
    if count == 0:
        return
    for i in range(own.size):
        own.across[i] = 0.0
    for j in range(count):
        for i in range(own.size):
            own.across[i] += shares[j] * own.normals[j][i]
    write_motion(own)
    move(own, 1.0)


def dot(a: Vector, b: Vector, size: int) -> float:
    """Return a · b; in four sums, which do not wait for each other."""
    s, t, u, v = 0.0, 0.0, 0.0, 0.0
    i = 0
    while i + 3 < size:
        s += a[i] * b[i]
        t += a[i + 1] * b[i + 1]
        u += a[i + 2] * b[i + 2]
        v += a[i + 3] * b[i + 3]
        i += 4
    while i < size:
        s += a[i] * b[i]
        i += 1
    return (s + t) + (u + v)
