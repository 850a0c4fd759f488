"""The rows of one level, factored over what the levels before it leave free.

With T (p, n) the directions that are free, rows of unit length when nothing is singular, a level
minimises |A x − e|² + λ² |z|² over x = x₀ + Tᵀ z. Its rows, as unit vectors, are factored,
(D⁻¹ A Tᵀ)ᵀ = Q [R; 0], so that with z = Q c the cost is that of c₁ alone,
c₁ᵀ (R D² Rᵀ + λ²) c₁ / 2 − c₁ᵀ R D (e − A x₀) + λ² |c₂|² / 2 + constant.
With L Lᵀ = R D² Rᵀ + λ² and y = (Lᵀ c₁, λ c₂) it is |y − y_u|² / 2: within constraints the step is
the point nearest to y_u.
"""

import math
from collections.abc import Sequence

import numpy as np

from ik_node.kernels import cholesky
from ik_node.kernels.arrays import Integers, Matrix, Memory, Vector

RANK = 1e-12      # length of what is left of a unit row that is none
NO_ROW = 1e-12    # length of a row over the longest that is none
FLOOR = 1e-12     # of λ² over the squared length of the longest row
SINGULAR = 1e-5   # singular values of unit rows below which a direction becomes free
SWEEPS = 30
ORTHOGONAL = 1e-15


class Level:
    """One level: its rows, their factors, the directions it leaves free, and its active set."""

    first: int
    """Index of its first row, and the number of them, `m`."""
    width: int
    """p: number of directions that the levels before leave free."""
    count: int
    """Two-sided rows that are not 0: the columns of B."""
    rank: int
    """Number of rows of R."""
    B: Matrix
    """(p, count): below the diagonal the reflections that make up Q, above it R."""
    order: Integers
    """(count,) rows of A that the columns of B are."""
    lengths: Vector
    """(m,) of the rows of A."""
    damping2: float
    """λ²."""
    inverse2: float
    """|R⁻¹|²."""
    L: Matrix
    """(rank, rank) lower, its diagonal inverted."""
    rotated: bool
    """Whether Q is up to date."""
    Q: Matrix
    """(p, n): Qᵀ T."""
    spanned: bool
    """Whether Y is up to date."""
    Y: Matrix
    """(p, n): x = x₀ + Yᵀ y."""
    free: Matrix
    """(left, n): the directions that this level leaves free."""
    x: Vector
    """(n,) the step after this level."""

    active_count: int
    """Number of active constraints, kept from one step to the next while the factors last."""
    side_rows: Integers
    """(sides,) the one-sided rows of this level and those before, `former_sides` of them."""
    size: int
    """Number of coordinates y: p, and one for each one-sided row of the level."""

    def __init__(self, n: int, first: int, m: int, side_rows: Sequence[int]) -> None:
        """Make room for m rows over n joints; side_rows: one-sided ones up to its last row."""
        self.memory = memory = Memory()
        self.n, self.first, self.m = n, first, m
        self.sides = sides = len(side_rows)
        self.former_sides = sum(row < first for row in side_rows)
        self.own_sides = sides - self.former_sides
        size = n + self.own_sides
        self.B, self.L = memory.matrix(n, m), memory.matrix(n, n)
        self.Q, self.free = memory.matrix(n, n), memory.matrix(n, n)
        self.Y = memory.matrix(n, n)
        self.order, self.side_rows = self.indices(m), memory.integers(side_rows)
        self.lengths, self.side_lengths = self.row(m), self.row(sides)
        self.tau, self.norms, self.values = self.row(max(n, m)), self.row(max(n, m)), self.row(
            max(n, m))
        self.x, self.moved, self.y, self.wanted = (self.row(n), self.row(n), self.row(size),
                                                   self.row(size))
        # The active set; see `nearest`.
        self.active_count = 0
        self.active, self.skipped = self.indices(size), self.indices(2 * n + sides)
        self.multipliers, self.reach = self.row(size), memory.vector(np.ones(n + sides))
        self.normals, self.triangle = (memory.matrix(size, max(size, m)),
                                       memory.matrix(size + 1, size + 1))
        self.normal, self.across, self.along, self.rates = (
            self.row(size), self.row(size), self.row(size), self.row(size))

    def row(self, count: int) -> Vector:
        """Return zeros (count,)."""
        return self.memory.vector(np.zeros(count))

    def indices(self, count: int) -> Integers:
        """Return integers (count,)."""
        return self.memory.integers(np.zeros(count))


def factor(own: Level, A: Matrix, one_sided: Integers, T: Matrix, width: int,
           damping2: float, singular: float) -> None:
    """Factor the rows of a level, A (n, …) transposed, over the first `width` rows of T.

    damping2: λ². To it come a floor, and σ² − σ_min² where the smallest singular value of the unit
    rows is below `singular`, σ [Nakamura & Hanafusa 1986], both over the longest row.
    """
    begin(own, width)
    longest = row_lengths(own, A, one_sided)
    for j in range(width):
        for c in range(own.count):
            own.B[j][c] = 0.0
        for k in range(own.n):
            share = T[j][k]
            if share != 0.0:
                for c in range(own.count):
                    own.B[j][c] += share * A[k][own.order[c]]
    for c in range(own.count):
        own.values[c] = 1.0 / own.lengths[own.order[c] - own.first]
    for j in range(width):
        for c in range(own.count):
            own.B[j][c] *= own.values[c]
    triangularise(own)
    own.inverse2 = inverse2(own)
    near = max(singular * singular - 1.0 / max(own.inverse2, 1e-300), 0.0)
    own.damping2 = max(damping2 + (FLOOR + near) * longest * longest, 1e-200)
    damped_gram(own)
    cholesky.factor(own.L, own.rank)


def begin(own: Level, width: int) -> None:
    """Note how many directions are free, and that no factors are up to date."""
    own.width, own.size, own.active_count = width, width + own.own_sides, 0
    own.rotated, own.spanned = False, False
    for one in range(own.n + own.sides):
        own.reach[one] = 1.0


def row_lengths(own: Level, A: Matrix, one_sided: Integers) -> float:
    """Write the lengths of all rows and the two-sided ones that are not 0; return the longest."""
    lengths, first, longest = own.lengths, own.first, 0.0
    for i in range(own.m):
        lengths[i] = 0.0
    for k in range(own.n):
        for i in range(own.m):
            value = A[k][first + i]
            lengths[i] += value * value
    for i in range(own.m):
        lengths[i] = math.sqrt(lengths[i])
        longest = max(longest, lengths[i])
    own.count = 0
    for i in range(own.m):
        if not one_sided[first + i] and lengths[i] > NO_ROW * longest:
            own.order[own.count] = first + i
            own.count += 1
    measure_sides(own, A)
    return longest


def measure_sides(own: Level, A: Matrix) -> None:
    """Write the lengths of the one-sided rows."""
    for s in range(own.sides):
        length2 = 0.0
        for k in range(own.n):
            value = A[k][own.side_rows[s]]
            length2 += value * value
        own.side_lengths[s] = math.sqrt(length2)


def triangularise(own: Level) -> None:
    """Factor B = Q R by reflections, the longest column first [Golub & Van Loan, alg. 5.4.1]."""
    B, p, m, norms = own.B, own.width, own.count, own.norms
    for c in range(m):
        norms[c] = 0.0
    for j in range(p):
        for c in range(m):
            norms[c] += B[j][c] * B[j][c]
    i = 0
    while i < min(p, m):
        chosen = i
        for c in range(i + 1, m):
            if norms[c] > norms[chosen]:
                chosen = c
        if chosen != i:
            own.order[i], own.order[chosen] = own.order[chosen], own.order[i]
            norms[chosen] = norms[i]
            for j in range(p):
                value = B[j][i]
                B[j][i] = B[j][chosen]
                B[j][chosen] = value
        length2 = 0.0
        for j in range(i, p):
            length2 += B[j][i] * B[j][i]
        if length2 <= RANK * RANK:
            break
        reflect(own, i, math.sqrt(length2))
        for c in range(i + 1, m):
            value = norms[c] - B[i][c] * B[i][c]
            if value < 1e-6 * norms[c]:  # of the difference no digits are left
                value = 0.0
                for j in range(i + 1, p):
                    value += B[j][c] * B[j][c]
            norms[c] = value
        i += 1
    own.rank = i


def reflect(own: Level, i: int, length: float) -> None:
    """Reflect column i of B, of a length below the diagonal, to the diagonal; the others alike."""
    B, p, m, w = own.B, own.width, own.count, own.values
    head = B[i][i]
    end = -length if head > 0.0 else length
    own.tau[i] = (end - head) / end
    inverse = 1.0 / (head - end)
    B[i][i] = end
    for c in range(i + 1, m):
        w[c] = B[i][c]
    for j in range(i + 1, p):
        value = B[j][i] * inverse
        B[j][i] = value
        if value != 0.0:
            for c in range(i + 1, m):
                w[c] += value * B[j][c]
    for c in range(i + 1, m):
        w[c] *= own.tau[i]
        B[i][c] -= w[c]
    for j in range(i + 1, p):
        value = B[j][i]
        if value != 0.0:
            for c in range(i + 1, m):
                B[j][c] -= value * w[c]


def damped_gram(own: Level) -> None:
    """Write R D² Rᵀ + λ² into L, lower triangle."""
    B, L = own.B, own.L
    for c in range(own.count):
        length = own.lengths[own.order[c] - own.first]
        own.values[c] = length * length
    for a in range(own.rank):
        for b in range(a + 1):
            total = 0.0
            for c in range(a, own.count):
                total += B[a][c] * B[b][c] * own.values[c]
            L[a][b] = total
        L[a][a] += own.damping2


def unbound(own: Level, A: Matrix, e: Vector, x: Vector, T: Matrix) -> None:
    """Write y_u of the step from x (n,), and the x (n,) there, as if nothing were in its way."""
    B, y, values, z, w = own.B, own.y, own.norms, own.values, own.wanted
    for c in range(own.count):
        values[c] = e[own.order[c]]
    for k in range(own.n):
        if x[k] != 0.0:
            for c in range(own.count):
                values[c] -= x[k] * A[k][own.order[c]]
    for c in range(own.count):
        values[c] *= own.lengths[own.order[c] - own.first]
    for a in range(own.rank):
        total = 0.0
        for c in range(a, own.count):
            total += B[a][c] * values[c]
        w[a] = total
    cholesky.forward(own.L, own.rank, w)
    for a in range(own.width):
        y[a] = w[a] if a < own.rank else 0.0
        z[a] = y[a]
    cholesky.backward(own.L, own.rank, z)
    for k in range(own.n):
        own.x[k] = x[k]
    for i in range(own.rank - 1, -1, -1):
        total = z[i]
        for j in range(i + 1, own.width):
            total += B[j][i] * z[j]
        total *= own.tau[i]
        z[i] -= total
        for j in range(i + 1, own.width):
            z[j] -= B[j][i] * total
    for j in range(own.width):
        if z[j] != 0.0:
            for k in range(own.n):
                own.x[k] += z[j] * T[j][k]


def rotate(own: Level, T: Matrix) -> None:
    """Write Qᵀ T into Q."""
    B, Q, w, n = own.B, own.Q, own.moved, own.n
    own.rotated = True
    for j in range(own.width):
        for k in range(n):
            Q[j][k] = T[j][k]
    for i in range(own.rank):
        for k in range(n):
            w[k] = Q[i][k]
        for j in range(i + 1, own.width):
            value = B[j][i]
            if value != 0.0:
                for k in range(n):
                    w[k] += value * Q[j][k]
        for k in range(n):
            w[k] *= own.tau[i]
            Q[i][k] -= w[k]
        for j in range(i + 1, own.width):
            value = B[j][i]
            if value != 0.0:
                for k in range(n):
                    Q[j][k] -= value * w[k]


def span(own: Level, T: Matrix) -> None:
    """Write Y, so that bounds have normals."""
    if not own.rotated:
        rotate(own, T)
    own.spanned = True
    inverse = 1.0 / math.sqrt(own.damping2)
    for j in range(own.width):
        factor_of_row = 1.0 if j < own.rank else inverse
        for k in range(own.n):
            own.Y[j][k] = factor_of_row * own.Q[j][k]
    cholesky.forward_rows(own.L, own.rank, own.Y, own.n)


def leave_free(own: Level, T: Matrix) -> int:
    """Write what the two-sided rows leave free into `free`; return the number of directions.

    Exactly what they do not move. Near a singularity, a direction v whose singular value σ of the
    unit rows is below ε becomes free in part: v (1 − σ²/ε²), so that steps are continuous.
    """
    if not own.rotated:
        rotate(own, T)
    left = 0
    if own.inverse2 * SINGULAR * SINGULAR > 1.0:
        left = nearly_singular(own)
    for j in range(own.rank, own.width):
        for k in range(own.n):
            own.free[left][k] = own.Q[j][k]
        left += 1
    return left


def inverse2(own: Level) -> float:
    """Return |R⁻¹|², Frobenius norm, of the first columns: σ_min of the rows is 1/|R⁻¹| or more."""
    B, r, w, total = own.B, own.rank, own.values, 0.0
    for c in range(r):  # column c of the inverse
        for i in range(c, -1, -1):
            value = 1.0 if i == c else 0.0
            for j in range(i + 1, c + 1):
                value -= B[i][j] * w[j]
            w[i] = value / B[i][i]
            total += w[i] * w[i]
    return total


def nearly_singular(own: Level) -> int:
    """Write directions that are free in part into `free`; return their number.

    Rotations make the rows of R orthogonal, whose lengths are its singular values then, and turn
    the first rows of Q along [Hestenes 1958].
    """
    B, Q, r, m, n = own.B, own.Q, own.rank, own.count, own.n
    # Q is changed for all, and L no longer belongs to it: Y comes first.
    R, turned = own.normals, own.triangle
    for a in range(r):
        for c in range(m):
            R[a][c] = B[a][c] if c >= a else 0.0
        for k in range(n):
            turned[a][k] = Q[a][k]
    for _ in range(SWEEPS):
        rotated = False
        for a in range(r - 1):
            for b in range(a + 1, r):
                aa, ab, bb = 0.0, 0.0, 0.0
                for c in range(m):
                    aa += R[a][c] * R[a][c]
                    ab += R[a][c] * R[b][c]
                    bb += R[b][c] * R[b][c]
                if math.fabs(ab) <= ORTHOGONAL * math.sqrt(aa * bb):
                    continue
                rotated = True
                zeta = 0.5 * (bb - aa) / ab
                t = (1.0 if zeta >= 0.0 else -1.0) / (math.fabs(zeta) + math.sqrt(
                    1.0 + zeta * zeta))
                cosine = 1.0 / math.sqrt(1.0 + t * t)
                sine = t * cosine
                for c in range(m):
                    value = R[a][c]
                    R[a][c] = cosine * value - sine * R[b][c]
                    R[b][c] = sine * value + cosine * R[b][c]
                for k in range(n):
                    value = turned[a][k]
                    turned[a][k] = cosine * value - sine * turned[b][k]
                    turned[b][k] = sine * value + cosine * turned[b][k]
        if not rotated:
            break
    left = 0
    for a in range(r):
        sigma2 = 0.0
        for c in range(m):
            sigma2 += R[a][c] * R[a][c]
        part = 1.0 - sigma2 / (SINGULAR * SINGULAR)
        if part > 0.0:
            for k in range(n):
                own.free[left][k] = part * turned[a][k]
            left += 1
    return left
