"""One step for levels: least squares, level by level, within bounds.

Each level minimises what it misses over what the levels before leave free, as a cascade of
quadratic programs [Kanoun 2011; Escande 2014]. Its two-sided rows keep then what they have; its
one-sided ones must not fall below what they ask for, or have.

The motion of least energy among those that the levels leave free is one more level: x = x₀ + Tᵀ z
minimises xᵀ M x / 2 − fᵀ x. With L Lᵀ = T M Tᵀ and y = Lᵀ z it is |y − y_u|² / 2 + constant, y_u =
L⁻¹ T (f − M x₀): within constraints it is a step of `active_set_qp`.
"""

import itertools
from collections.abc import Sequence
from typing import Any

import cython
import numpy as np

from ik_node.solvers.kernel.qp import active_set_qp, factors
from ik_node.solvers.kernel.qp import level as records
from ik_node.solvers.kernel.qp.level import Level
from ik_node.support import arrays, linear_systems
from ik_node.support.arrays import Matrix, Memory, Vector

FLOOR = 1e-16  # of the energy of z over that of the heaviest joint


class Cascade:
    """The levels of one solver, and scratch: of one thread.

    - `levels`: `Level`s; `count` of them, and one more for the energy where there is one.
    - `used`: the number of those whose factors are needed.
    - `one_sided`: (m,) whether a row asks for A x ≥ e; `held`: (m,) what such rows must not fall
      below.
    - `start`: (n,) the step before the first level: 0 where the bounds let it.
    - `M` (n, n), `f` (n,): the energy xᵀ M x / 2 − fᵀ x.
    """

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
            self.M, self.f = memory.matrix(n, n), memory.zeros(n)
        self.levels = memory.objects(records)
        self.m, self.one_sided = m, memory.integers(one_sided)
        self.identity, self.held = memory.matrix(n, n), memory.zeros(m)
        for k in range(n):
            self.identity[k][k] = 1.0
        self.start = memory.zeros(n)

    def run(self, A: np.ndarray, e: np.ndarray, lower: np.ndarray, upper: np.ndarray,
            damping: float, singular: float = 0.0, M: Any = (), f: Any = ()) -> np.ndarray:
        """Return the step (n,) of rows A (m, n) with residuals e (m,), within bounds (n,).

        Lengths are not checked. damping, singular: see `factor`. M (n, n), f (n,): of the energy,
        where there is one.
        """
        for i in range(len(f)):
            self.f[i] = f[i]
            for j in range(self.n):
                self.M[i][j] = M[i][j]
        memory = Memory()
        rows, wanted = memory.rows(A.T.copy()), memory.vector(e)
        low, high, x = memory.vector(lower), memory.vector(upper), memory.vector(lower)
        with cython.nogil:
            factor(self, self.count, rows, wanted, damping, singular)
            solve(self, wanted, low, high, x)
        return np.array([x[k] for k in range(self.n)])


def factor(own: Cascade, count: int, A: Matrix, e: Vector, damping: float,
           singular: float) -> None:
    """Factor the rows of the first levels, A (n, m) transposed, and the energy.

    damping: λ² over the cost |e|²/2 of a level and those before it, whose steps add to what the
    level misses; before an energy, only of what no row moves. singular: see `factors.factor`.
    """
    width, own.used, missed, first = own.n, 0, 0.0, 0
    for index in range(count):
        end = first + cython.cast(Level, own.levels[index]).m
        missed += records.missed2(own.one_sided, first, end, e)
        first = end
        damping2 = damping * 0.5 * missed
        if width > 0:
            factors.factor(cython.cast(Level, own.levels[index]), A, own.one_sided,
                          freedom(own, index), width, 0.0 if own.energy else damping2, damping2,
                          singular)
            own.used += 1
            if index + 1 < count or own.energy:
                width = factors.leave_free(cython.cast(Level, own.levels[index]))
    if own.energy:
        factor_energy(cython.cast(Level, own.levels[own.count]), own.M, A,
                      freedom(own, own.used), width)


def freedom(own: Cascade, index: int) -> Matrix:
    """Return the directions that are free before a level."""
    return own.identity if index == 0 else cython.cast(Level, own.levels[index - 1]).free


def solve(own: Cascade, e: Vector, lower: Vector, upper: Vector, x: Vector) -> None:
    """Write the step (n,) within bounds into x. The rows are those that were factored."""
    n, before = own.n, own.start
    for k in range(n):
        before[k] = min(max(0.0, lower[k]), upper[k])
    for index in range(own.used):
        factors.unbound(cython.cast(Level, own.levels[index]), e, before)
        before = settle(own, index, e, lower, upper)
    if own.energy:
        unbound_energy(cython.cast(Level, own.levels[own.count]), own.M, own.f, before)
        before = settle(own, own.count, e, lower, upper)
    arrays.copy_to(x, before, n)


def settle(own: Cascade, index: int, e: Vector, lower: Vector, upper: Vector) -> Vector:
    """Return the step of a level (n,), within the constraints.

    Later levels must not lower its one-sided rows.
    """
    active_set_qp.satisfy(cython.cast(Level, own.levels[index]), own.held, lower, upper)
    A, x = cython.cast(Level, own.levels[index]).A, cython.cast(Level, own.levels[index]).x
    first = cython.cast(Level, own.levels[index]).first
    for k in range(own.n):
        x[k] = min(max(x[k], lower[k]), upper[k])
    for i in range(first, first + cython.cast(Level, own.levels[index]).m):
        if own.one_sided[i]:
            has = 0.0
            for k in range(own.n):
                has += A[k][i] * x[k]
            own.held[i] = min(e[i], has)
    return x


def factor_energy(own: Level, M: Matrix, A: Matrix, T: Matrix, width: int) -> None:
    """Factor the energy, M (n, n) positive definite, over the first `width` rows of T."""
    n, MT, L, heaviest = own.n, own.Q, own.L, 0.0
    records.begin(own, A, T, width)
    for k in range(n):
        heaviest = max(heaviest, M[k][k])
    for j in range(width):
        for k in range(n):
            MT[j][k] = 0.0
        for i in range(n):
            share = T[j][i]
            if share != 0.0:
                for k in range(n):
                    MT[j][k] += share * M[i][k]
        for i in range(j + 1):
            L[j][i] = active_set_qp.dot(MT[j], T[i], n)
        L[j][j] += FLOOR * heaviest
    linear_systems.factor(L, width)
    for j in range(width):
        arrays.copy_to(own.Y[j], T[j], n)
    linear_systems.forward_rows(L, width, own.Y, n)
    active_set_qp.write_reach(own)
    own.spanned = True


def unbound_energy(own: Level, M: Matrix, f: Vector, x: Vector) -> None:
    """Write y_u of the motion from x (n,), and the x (n,) there."""
    n, pull = own.n, own.moved
    for k in range(n):
        own.x[k] = x[k]
        pull[k] = f[k] - active_set_qp.dot(M[k], x, n)
    for j in range(own.width):
        own.y[j] = active_set_qp.dot(own.Y[j], pull, n)
        for k in range(n):
            own.x[k] += own.y[j] * own.Y[j][k]
