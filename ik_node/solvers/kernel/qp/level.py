"""The record of one level of a cascade: its rows, their factors, and its active set."""

import math
from collections.abc import Sequence

from ik_node.support.arrays import Integers, Matrix, Memory, Vector

NO_ROW = 1e-12    # relative length below which a row counts as zero


class Level:
    """One level: its rows, their factors, the directions it leaves free, and its active set.

    - `first`, `m`: index of its first row, and the number of them.
    - `A` (n, …), `e`, `held`, `lower`, `upper`: the rows and constraints of all levels; see
      `active_set_qp`. `T`: (p, n) the directions that the levels before leave free, p = `width`.
    - `order`: (count,) rows of A that are two-sided and not 0; `lengths`: (m,) of all.
    - `B`: (p, count), below the diagonal the reflections that make up Q, above it R, of `rank`
      rows; `tau`. `Q`: (p, n), Qᵀ T, where `rotated`. `inverse2`: |R⁻¹|².
    - `damping2`: λ²; `free2`: λ² of the directions that no row moves.
    - `L`: (rank, rank) lower, its diagonal inverted; `Y`: (p, n), x = x₀ + Yᵀ y, where `spanned`.
    - `free`: (left, n) the directions that this level leaves free; `x`: (n,) the step after it.
    - `size`: number of coordinates y: p, and one for each one-sided row of the level.
    - `side_rows`: (sides,) the one-sided rows of this level and those before, `former_sides`.
    - `active`: (active_count,) active constraints, kept from one step to the next while the factors
      last; `normals`, `triangle`: the factors Q and R of their normals.
    """

    width: int
    count: int
    rank: int
    size: int
    A: Matrix
    T: Matrix
    e: Vector
    held: Vector
    lower: Vector
    upper: Vector
    damping2: float
    free2: float
    inverse2: float
    rotated: bool
    spanned: bool

    def __init__(self, n: int, first: int, m: int, side_rows: Sequence[int]) -> None:
        """Make room for m rows over n joints; side_rows: one-sided ones up to its last row."""
        self.memory = memory = Memory()
        self.n, self.first, self.m = n, first, m
        self.sides = sides = len(side_rows)
        self.former_sides = sum(row < first for row in side_rows)
        self.own_sides = sides - self.former_sides
        size, longer = n + self.own_sides, max(n, m)
        self.B, self.L = memory.matrix(n, m), memory.matrix(n, n)
        self.Q, self.free = memory.matrix(n, n), memory.matrix(n, n)
        self.Y = memory.matrix(n, n)
        self.order, self.side_rows = memory.integer_zeros(m), memory.integers(side_rows)
        self.lengths, self.side_lengths = memory.zeros(m), memory.zeros(sides)
        self.tau, self.norms, self.values = (memory.zeros(longer), memory.zeros(longer),
                                             memory.zeros(longer))
        self.x, self.moved = memory.zeros(n), memory.zeros(n)
        self.y, self.wanted = memory.zeros(size), memory.zeros(size)
        self.active_count = 0
        self.active, self.skipped = memory.integer_zeros(size), memory.integer_zeros(2 * n + sides)
        self.multipliers, self.reach = memory.zeros(size), memory.zeros(n + sides)
        self.normals, self.triangle = (memory.matrix(size, max(size, m)),
                                       memory.matrix(size + 1, size + 1))
        self.normal, self.across = memory.zeros(size), memory.zeros(size)
        self.along, self.rates = memory.zeros(size), memory.zeros(size)


def begin(own: Level, A: Matrix, T: Matrix, width: int) -> None:
    """Take rows and the first `width` free directions; no factors are up to date."""
    own.A, own.T, own.width, own.size = A, T, width, width + own.own_sides
    own.active_count, own.rotated, own.spanned = 0, False, False
    for one in range(own.n + own.sides):
        own.reach[one] = 1.0
    for s in range(own.sides):
        length2 = 0.0
        for k in range(own.n):
            value = A[k][own.side_rows[s]]
            length2 += value * value
        own.side_lengths[s] = math.sqrt(length2)


def row_lengths(own: Level, one_sided: Integers) -> float:
    """Write the lengths of all rows and the two-sided ones that are not 0; return the longest."""
    lengths, first, longest = own.lengths, own.first, 0.0
    for i in range(own.m):
        lengths[i] = 0.0
    for k in range(own.n):
        for i in range(own.m):
            value = own.A[k][first + i]
            lengths[i] += value * value
    for i in range(own.m):
        lengths[i] = math.sqrt(lengths[i])
        longest = max(longest, lengths[i])
    own.count = 0
    for i in range(own.m):
        if not one_sided[first + i] and lengths[i] > NO_ROW * longest:
            own.order[own.count] = first + i
            own.count += 1
    return longest


def missed2(one_sided: Integers, first: int, end: int, e: Vector) -> float:
    """Return |e|² of the rows from the first to the end that miss something."""
    total = 0.0
    for i in range(first, end):
        if not (one_sided[i] and e[i] < 0.0):
            total += e[i] * e[i]
    return total
