"""Scratch of steps over variables by variables."""

import numpy as np

from ik_node.support.arrays import Integers, Matrix, Memory, Vector


class StepWork:
    """Rows of a step, its bounds, and scratch: m rows, n entries of q. Matrices are transposed."""

    n: int
    A: Matrix
    """(n, m)"""
    e: Vector
    """(m,)"""
    x: Vector
    """(n,) the step; `lower`, `upper` (n,) are its bounds."""

    def __init__(self, n: int, m: int) -> None:
        """Make room."""
        self.memory = memory = Memory()
        self.n = n
        larger = max(n, m)
        self.A, self.A_trial = memory.matrix(n, m), memory.matrix(n, m)
        self.G = memory.matrix(larger, larger)
        self.e, self.e_trial, self.e_wanted = self.row(m), self.row(m), self.row(m)
        self.left, self.rest, self.values, self.e_here = (
            self.row(m), self.row(m), self.row(m), self.row(m))
        self.y = self.row(larger)
        self.x, self.trial, self.lower, self.upper = (self.row(n), self.row(n), self.row(n),
                                                      self.row(n))
        self.active, self.rows, self.places = self.indices(m), self.indices(m), self.indices(m)
        self.columns, self.free, self.freed = self.indices(n), self.indices(n), self.indices(n)

    def row(self, count: int) -> Vector:
        """Return zeros (count,)."""
        return self.memory.vector(np.zeros(count))

    def indices(self, count: int) -> Integers:
        """Return integers (count,)."""
        return self.memory.integers(np.zeros(count))
