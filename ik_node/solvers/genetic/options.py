"""Options of the evolution, of arms and of bodies."""

from dataclasses import dataclass
from typing import Any

from ik_node.solvers.options import SolverOptions
from ik_node.support.exceptions import OptionError, shown
from ik_node.support.options import Options, option

MOST_ELITE = 16


@dataclass(frozen=True)
class EvolutionOptions(Options):
    """What an evolution takes, whatever it is judged by."""

    max_iterations: int = option(
        100, 'local steps of one attempt', kind=int, low=1, high=10**9)
    population: int = option(16, 'children of a generation', low=1, high=10_000)
    generations: int | None = option(
        None, 'generations of one attempt; none: 5, and 2000 without local search', kind=int,
        low=1, high=10**9, optional=True)
    elite: int = option(4, 'individuals that survive a generation: the parents of the next', low=1,
                        high=MOST_ELITE)
    mutation: float = option(
        0.1, 'largest scale of a mutation as a fraction of the range of the joint, at most a turn; '
        'each mutation has this scale divided by 1, 2, 4, … or 2¹⁵', low=0.0, high=1.0,
        positive=True)
    crossover: float = option(
        0.1, 'probability of a gene to come from a second parent', low=0.0, high=1.0)
    momentum: float = option(
        0.3, 'share of the last change in the momentum of a gene; 0: no momentum', low=0.0,
        high=1.0)
    wipeout: int = option(
        50, 'generations without progress after which another population replaces this one', low=1,
        high=10**9)
    local_search: bool = option(
        True, 'whether steps of damped least squares from q0 come first, and follow each '
        'evolution; otherwise pure evolution')


@dataclass(frozen=True)
class GeneticOptions(EvolutionOptions, SolverOptions):
    """Options of `genetic` for an arm."""


def check_fitness(fitness: Any, options: Any) -> None:
    """Raise OptionError where a fitness cannot be called, or has no local search to serve."""
    if fitness is None:
        return
    if not callable(fitness):
        raise OptionError(f'genetic.fitness must be a function of q, or None, not '
                          f'{shown(fitness)}')
    if not options.local_search:
        raise OptionError('genetic.fitness needs local_search, which brings every individual to '
                          'the goal')
