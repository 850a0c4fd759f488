"""Scratch of the elimination that solves six revolute joints of general geometry."""

import numpy as np

from ik_node.solvers.analytic.subproblems.sizes import MOST_BRANCHES as _MOST_BRANCHES
from ik_node.support.arrays import (
    Columns,
    Fours,
    Fourteens,
    Integers,
    Memory,
    Nines,
    Sixteens,
    Twelves,
    Vector,
)


class EliminationWork:
    """Matrices of one opening of the loop; their names are those of `elimination`."""

    lines: Columns
    """(11, 6) see `line_table`."""
    P: Nines
    """(14, 9) coefficients of the side of θ₄ and θ₅."""
    Q: Nines
    """(14, 9) coefficients of the side of θ₁ and θ₂."""
    N: Fourteens
    """(6, 14) annihilates the unknowns of Q."""
    fixed: Nines
    """(6, 9) the six equations, without θ₃."""
    cosine: Nines
    """(6, 9) their parts by cos θ₃."""
    sine: Nines
    """(6, 9) their parts by sin θ₃."""
    M: Twelves
    """(12, 12)"""
    V: Twelves
    """(16, 12)"""
    K: Sixteens
    """(16, 16)"""
    A: Fours
    """(6, 4)"""
    real: Vector
    """(16,) parts of the eigenvalues of K."""
    imaginary: Vector
    """(16,)"""
    order: Integers
    """(12,) of the columns of M."""
    v: Vector
    """(12,) with M v = 0."""
    theta: Vector
    """(6,) rad."""
    found: Columns
    """(MOST_BRANCHES, 6) rad."""

    def __init__(self) -> None:
        """Make the arrays."""
        self.memory = memory = Memory()
        self.lines = memory.columns(np.zeros((11, 6)))
        self.P, self.Q = memory.nines(np.zeros((14, 9))), memory.nines(np.zeros((14, 9)))
        self.N = memory.fourteens(np.zeros((6, 14)))
        self.fixed = memory.nines(np.zeros((6, 9)))
        self.cosine, self.sine = memory.nines(np.zeros((6, 9))), memory.nines(np.zeros((6, 9)))
        self.M, self.V = memory.twelves(np.zeros((12, 12))), memory.twelves(np.zeros((16, 12)))
        self.K, self.A = memory.sixteens(np.zeros((16, 16))), memory.fours(np.zeros((6, 4)))
        self.real, self.imaginary = memory.vector(np.zeros(16)), memory.vector(np.zeros(16))
        self.order, self.v = memory.integers(np.zeros(12)), memory.vector(np.zeros(12))
        self.theta = memory.vector(np.zeros(6))
        self.found = memory.columns(np.zeros((_MOST_BRANCHES, 6)))
