"""Settings and scratch arrays of the evolution."""

from typing import Annotated, Any, NamedTuple

import numpy as np

from ik_node._jit import Layout, Matrix, Shape, Vector, joined, njit
from ik_node.solvers.jacobian.settings import JacobianSettings
from ik_node.solvers.settings import Work

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


GeneticSettings: Any = joined('GeneticSettings', JacobianSettings, Evolution)
GENETIC = Layout(GeneticSettings)
_WORK = Layout(joined('GeneticWork', Work, Population))
_unpack_work = _WORK.unpack


def make_genetic_scratch(n_articulations: int, n: int) -> np.ndarray:
    """Return the scratch array of `make_genetic_work`; see `settings.make_scratch`."""
    return np.zeros(_WORK.size(n_articulations, n)[1])


@njit
def make_genetic_work(scratch: Vector, n_articulations: int, n: int) -> Any:
    """Return the scratch arrays for a chain: the fields of `Work` and of `Population`."""
    return _unpack_work(0, 0, scratch, 0, n_articulations, n)
