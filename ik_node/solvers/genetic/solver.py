"""Memetic evolution as a solver."""

import math
from typing import Any, ClassVar

import numpy as np

from ik_node.model.chain import Chain
from ik_node.solvers.found import Found
from ik_node.solvers.genetic.attempt import genetic_attempt, genetic_bare_step
from ik_node.solvers.genetic.fitness import Fitness, least_fitness, spread_ranges
from ik_node.solvers.genetic.options import GeneticOptions, check_fitness, evolution_of
from ik_node.solvers.genetic.settings import (
    GENETIC,
    GeneticSettings,
    make_genetic_scratch,
    make_genetic_work,
)
from ik_node.solvers.goal import Goal
from ik_node.solvers.jacobian.settings import RANK_TOLERANCE, SUGIHARA, JacobianSettings
from ik_node.solvers.options import SolverOptions
from ik_node.solvers.packed_solver import PackedSolver
from ik_node.solvers.search import Outcome, make_search
from ik_node.solvers.settings import CONVERGED

_ERROR_SHARE = 0.1  # of the damping of local steps, as dls


class GeneticSolver(PackedSolver):
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
        check_fitness(fitness, self.options)
        if fitness is not None:
            self._own_options['fitness'] = fitness  # for pickle and copy
        self._scratch_size = len(make_genetic_scratch(len(self.chain.arrays.column),
                                                      chain.n_joints))

    def _found(self, goal: Goal, q0: np.ndarray, q: np.ndarray, outcome: Outcome,
               deadline: float) -> Found:
        found = super()._found(goal, q0, q, outcome, deadline)
        if self._fitness is None or not found.success:
            return found

        def meet(start: np.ndarray) -> np.ndarray | None:
            met, own = self._search(goal, start, 1, deadline, self._soft)
            return met if own[0] == CONVERGED else None
        own = self.settings.method
        ranges = spread_ranges(self.chain, q0, self.settings.length)
        fittest = least_fitness(self._fitness, meet, found.q, ranges, own, self.options.seed,
                                deadline)
        return Found(fittest, *found[1:])

    def _method_settings(self) -> Any:
        n = self.chain.n_joints
        local = JacobianSettings(
            bias_target=np.zeros(n), bias_gain=np.zeros(n), bias_exponent=2.0, biased=False,
            alternate=False, rank_tolerance=RANK_TOLERANCE, manipulability_gain=0.0,
            path_step=math.inf, damping_rule=SUGIHARA, error_share=_ERROR_SHARE)
        return GeneticSettings(*local, *evolution_of(self.options))
