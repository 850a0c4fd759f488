"""Memetic evolution as a solver."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ik_node.exceptions import OptionError, shown
from ik_node.model.chain import Chain
from ik_node.options import option
from ik_node.solvers.found import Found
from ik_node.solvers.genetic.attempt import genetic_attempt, genetic_bare_step
from ik_node.solvers.genetic.fitness import Fitness, least_fitness, spread_ranges
from ik_node.solvers.genetic.generator import first_state
from ik_node.solvers.genetic.settings import (
    GENETIC,
    MOST_ELITE,
    GeneticSettings,
    make_genetic_scratch,
    make_genetic_work,
)
from ik_node.solvers.goal import Goal
from ik_node.solvers.iterative import IterativeSolver
from ik_node.solvers.jacobian.settings import RANK_TOLERANCE, SUGIHARA, JacobianSettings
from ik_node.solvers.options import SolverOptions
from ik_node.solvers.search import Outcome, make_search
from ik_node.solvers.settings import CONVERGED

_GENERATIONS = {True: 5, False: 2000}  # of an attempt, with and without local search
_ERROR_SHARE = 0.1  # of the damping of local steps, as dls


@dataclass(frozen=True)
class GeneticOptions(SolverOptions):
    """Options of the evolution."""

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


class GeneticSolver(IterativeSolver):
    """Evolves joint values by mutation, crossover and momentum, and steps from the best."""

    name = 'genetic'
    Options: ClassVar[type[SolverOptions]] = GeneticOptions
    _kernel = make_search('genetic', GENETIC, genetic_attempt, genetic_bare_step,
                          make_genetic_work)
    patience = 3
    progress = 0.7

    def __init__(self, chain: Chain, *, fitness: Fitness | None = None,
                 **options: Any) -> None:
        """Prepare to solve for a chain; see `Solver`.

        fitness: a function of q (n,), rad or m, that returns a finite number: of the
        configurations that meet a goal the evolution then looks for the one with the least, as
        Python code. Raises OptionError where it cannot be called, or without local search.
        """
        super().__init__(chain, **options)
        self._fitness = fitness
        if fitness is not None:
            if not callable(fitness):
                raise OptionError('genetic.fitness must be a function of q, or None, not '
                                  f'{shown(fitness)}')
            if not self.options.local_search:
                raise OptionError('genetic.fitness needs local_search, which brings every '
                                  'individual to the goal')
            self._made_of[1]['fitness'] = fitness  # for pickle and copy
        self._scratch_size = len(make_genetic_scratch(len(self.chain.arrays.column),
                                                      chain.n_joints))

    def _found(self, goal: Goal, q0: np.ndarray, q: np.ndarray, outcome: Outcome,
               timed_out: bool) -> Found:
        found = super()._found(goal, q0, q, outcome, timed_out)
        if self._fitness is None or not found.success:
            return found

        def meet(start: np.ndarray) -> np.ndarray | None:
            met, own, _ = self._search(goal, start, attempts=1, packed=self._soft)
            return met if own[0] == CONVERGED else None
        own = self.settings.method
        ranges = spread_ranges(self.chain, q0, self.settings.length)
        fittest = least_fitness(self._fitness, meet, found.q, ranges, own, self.options.seed,
                                self.options.timeout)
        return Found(fittest, *found[1:])

    def _method_settings(self) -> Any:
        options, n = self.options, self.chain.n_joints
        local = JacobianSettings(
            bias_target=np.zeros(n), bias_gain=np.zeros(n), bias_exponent=2.0, biased=False,
            alternate=False, rank_tolerance=RANK_TOLERANCE, manipulability_gain=0.0,
            path_step=math.inf, damping_rule=SUGIHARA, error_share=_ERROR_SHARE)
        generations = options.generations
        return GeneticSettings(
            *local, options.population,
            _GENERATIONS[options.local_search] if generations is None else generations,
            options.elite, options.mutation, options.crossover, options.momentum,
            options.wipeout, options.local_search, first_state(options.seed))
