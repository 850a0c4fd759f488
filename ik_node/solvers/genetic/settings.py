"""Settings of the evolution."""

from typing import NamedTuple

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
