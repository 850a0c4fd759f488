"""One step for levels: least squares, level by level, within bounds.

Each level minimises what it misses over what the levels before leave free, as a cascade of
quadratic programs [Kanoun 2011; Escande 2014]. Its two-sided rows keep then what they have; its
one-sided ones must not fall below what they ask for, or have.
"""

import itertools
from collections.abc import Sequence
from typing import Any

try:
    import cython
except ImportError:
    from ik_node.support import cython
import numpy as np

from ik_node.solvers.body.levels import energy as energies
from ik_node.solvers.body.levels import factors, nearest
from ik_node.solvers.body.levels.level import Level
from ik_node.support.arrays import Integers, Matrix, Memory, Objects, Vector


class Cascade:
    """The levels of one solver, and scratch: of one thread."""

    count: int
    """Number of levels, and the number of those whose factors are needed, `used`."""
    levels: Objects
    """(count,) `Level`s."""
    one_sided: Integers
    """(m,) whether a row asks for A x ≥ e."""
    identity: Matrix
    """(n, n)"""
    held: Vector
    """(m,) what one-sided rows must not fall below."""
    start: Vector
    """(n,) the step before the first level: 0 where the bounds let it."""

    M: Matrix
    """(n, n) and f (n,): the energy xᵀ M x / 2 − fᵀ x, the last level where there is one."""

    def __init__(self, n: int, rows: Sequence[int], one_sided: Any, energy: bool = False) -> None:
        """Make room for levels with some numbers of rows each; one_sided (m,) says of which.

        energy: whether what they leave free is to be a motion of least energy.
        """
        self.memory = memory = Memory()
        self.n, self.count, self.used = n, len(rows), 0
        m = sum(rows)
        first, sides = [0, *itertools.accumulate(rows)], [i for i in range(m) if one_sided[i]]
        records = [Level(n, begin, end - begin, [i for i in sides if i < end])
                   for begin, end in itertools.pairwise(first)]
        self.energy = energy
        if energy:
            records.append(Level(n, m, 0, sides))
            self.M, self.f = memory.matrix(n, n), memory.vector(np.zeros(n))
        self.levels = memory.objects(records)
        self.m, self.one_sided = m, memory.integers(one_sided)
        self.identity, self.held = memory.matrix(n, n), memory.vector(np.zeros(m))
        for k in range(n):
            self.identity[k][k] = 1.0
        self.start = memory.vector(np.zeros(n))

    def run(self, A: np.ndarray, e: np.ndarray, lower: np.ndarray, upper: np.ndarray,
            damping: float, singular: float = 0.0) -> np.ndarray:
        """Return the step (n,) of rows A (m, n) with residuals e (m,), within bounds (n,).

        For tests and for reading; lengths are not checked. damping, singular: see `factor`.
        """
        memory = Memory()
        rows, wanted = memory.matrix(self.n, self.m), memory.vector(e)
        for k in range(self.n):
            for i in range(self.m):
                rows[k][i] = A[i][k]
        low, high, x = memory.vector(lower), memory.vector(upper), memory.vector(lower)
        with cython.nogil:
            factor(self, self.count, rows, wanted, damping, singular)
            solve(self, rows, wanted, low, high, x)
        return np.array([x[k] for k in range(self.n)])

    def set_energy(self, M: np.ndarray, f: np.ndarray) -> None:
        """Take M (n, n) and f (n,); see `run`."""
        for i in range(self.n):
            self.f[i] = f[i]
            for j in range(self.n):
                self.M[i][j] = M[i][j]


def factor(own: Cascade, count: int, A: Matrix, e: Vector, damping: float,
           singular: float) -> None:
    """Factor the rows of the first levels, A (n, m) transposed, and the energy.

    damping: λ² over the cost |e|²/2 of a level and those before it, whose steps add to what the
    level misses; before an energy, only of what no row moves. singular: see `factors.factor`.
    """
    width, own.used, missed = own.n, 0, 0.0
    for index in range(count):
        missed += missed2(own, index, e)
        damping2 = damping * 0.5 * missed
        if width > 0:
            factors.factor(cython.cast(Level, own.levels[index]), A, own.one_sided,
                          freedom(own, index), width, 0.0 if own.energy else damping2, damping2,
                          singular)
            own.used += 1
            if index + 1 < count or own.energy:
                width = factors.leave_free(cython.cast(Level, own.levels[index]),
                                          freedom(own, index))
    if own.energy:
        energies.factor(cython.cast(Level, own.levels[own.count]), own.M, A,
                        freedom(own, own.used), width)


def freedom(own: Cascade, index: int) -> Matrix:
    """Return the directions that are free before a level."""
    return own.identity if index == 0 else cython.cast(Level, own.levels[index - 1]).free


def missed2(own: Cascade, index: int, e: Vector) -> float:
    """Return |e|² of the rows of a level that miss something."""
    first, total = cython.cast(Level, own.levels[index]).first, 0.0
    for i in range(first, first + cython.cast(Level, own.levels[index]).m):
        if not (own.one_sided[i] and e[i] < 0.0):
            total += e[i] * e[i]
    return total


def solve(own: Cascade, A: Matrix, e: Vector, lower: Vector, upper: Vector, x: Vector) -> None:
    """Write the step (n,) within bounds into x. The rows are those that were factored."""
    n, before = own.n, own.start
    for k in range(n):
        before[k] = min(max(0.0, lower[k]), upper[k])
    for index in range(own.used):
        factors.unbound(cython.cast(Level, own.levels[index]), A, e, before, freedom(own, index))
        before = settle(own, index, A, e, lower, upper, before)
    if own.energy:
        energies.unbound(cython.cast(Level, own.levels[own.count]), own.M, own.f, before)
        before = settle(own, own.count, A, e, lower, upper, before)
    for k in range(n):
        x[k] = before[k]


def settle(own: Cascade, index: int, A: Matrix, e: Vector, lower: Vector, upper: Vector,
           before: Vector) -> Vector:
    """Return the step of a level (n,), within the constraints."""
    nearest.satisfy(cython.cast(Level, own.levels[index]), A, e, own.held, lower, upper, before,
                    freedom(own, index))
    x = cython.cast(Level, own.levels[index]).x
    for k in range(own.n):
        x[k] = min(max(x[k], lower[k]), upper[k])
    hold(own, index, A, e, x)
    return x


def hold(own: Cascade, index: int, A: Matrix, e: Vector, x: Vector) -> None:
    """Note what the one-sided rows of a level must not fall below from now on."""
    first = cython.cast(Level, own.levels[index]).first
    for i in range(first, first + cython.cast(Level, own.levels[index]).m):
        if own.one_sided[i]:
            has = 0.0
            for k in range(own.n):
                has += A[k][i] * x[k]
            own.held[i] = min(e[i], has)
