"""Scratch of an evolution, and its random numbers."""

import numpy as np

from ik_node.support.arrays import Matrix, Memory, Vector

MODULUS = 2147483647   # 2³¹ − 1
MULTIPLIER = 48271
ROOT_3 = 1.7320508075688772


class Population:
    """Individuals of n genes, the values of joints: what one thread evolves.

    An individual is a row: its cost, n genes, n of momentum.
    """

    n: int
    parents: Matrix
    """(elite, 2n + 1) by their cost, the least first."""
    survivors: Matrix
    """(elite, 2n + 1) parents of the next generation."""
    child: Vector
    """(2n + 1,)"""
    z: Vector
    """(n,) genes that are judged."""
    unit: Vector
    """(n,) for a prismatic joint the length, m, that counts as a radian, else 1."""
    start: Vector
    """(n,) about which joints without limits are spread."""
    samples: Vector
    """(n,) random numbers."""
    state: int
    """Of the generator, from 1 to 2³¹ − 2."""
    deadline: float
    """Of `clock`, s."""
    generations: int
    """Made so far."""

    def __init__(self, n: int, elite: int) -> None:
        """Make room."""
        self.memory = memory = Memory()
        self.n = n
        self.parents = memory.matrix(elite, 2 * n + 1)
        self.survivors = memory.matrix(elite, 2 * n + 1)
        self.child, self.z = memory.vector(np.zeros(2 * n + 1)), memory.vector(np.zeros(n))
        self.unit, self.start = memory.vector(np.zeros(n)), memory.vector(np.zeros(n))
        self.samples = memory.vector(np.zeros(n))
        self.state, self.deadline, self.generations = 1, 0.0, 0


def first_state(seed: int) -> int:
    """Return the state that the generator begins with, from 1 to 2³¹ − 2."""
    return 1 + (seed * 1664525 + 1013904223) % (MODULUS - 1)


def uniform(people: Population) -> float:
    """Return a number in (0, 1), and advance the generator [Park & Miller 1988, "MINSTD"]."""
    people.state = people.state * MULTIPLIER % MODULUS
    return float(people.state) / MODULUS


def normal(people: Population) -> float:
    """Return a number of mean 0 and variance 1, close to a normal distribution.

    The sum of four uniform numbers: no logarithm, and no outliers beyond 3.5.
    """
    total = uniform(people)
    for _ in range(3):
        total += uniform(people)
    return (total - 2.0) * ROOT_3


def keep(rows: Matrix, count: int, most: int, one: Vector, size: int) -> int:
    """Insert an individual, one (size,), among the best `most`; return how many there are.

    rows holds `count`, by their cost.
    """
    if count == most:
        if not one[0] < rows[most - 1][0]:
            return count
    else:
        count += 1
    i = count - 1
    while i > 0 and one[0] < rows[i - 1][0]:
        for k in range(size):
            rows[i][k] = rows[i - 1][k]
        i -= 1
    for k in range(size):
        rows[i][k] = one[k]
    return count
