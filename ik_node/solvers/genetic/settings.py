"""Settings and scratch arrays of the evolution."""

from typing import Annotated, NamedTuple

from ik_node._jit import Matrix, Shape, Vector

MOST_ELITE = 16


class Evolution(NamedTuple):
    """Settings of the evolution, besides those of the local search."""

    population: int
    generations: int
    elite: int
    mutation: float
    crossover: float
    momentum: float
    wipeout: int
    local_search: bool
    generator: int
    """First state of the generator."""


class Population(NamedTuple):
    """Scratch arrays of the evolution. A row is an individual: cost, n genes, n of momentum."""

    parents: Annotated[Matrix, Shape(MOST_ELITE, '2 * n + 1')]
    """By their cost, the least first."""
    survivors: Annotated[Matrix, Shape(MOST_ELITE, '2 * n + 1')]
    """Parents of the next generation."""
    child: Annotated[Matrix, Shape(1, '2 * n + 1')]
    state: Annotated[Vector, Shape(1)]
    """Of the generator; an integer."""
