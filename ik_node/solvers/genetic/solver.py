"""Memetic evolution as a solver."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from ik_node.model.chain import Chain
from ik_node.solvers.base import Solver
from ik_node.solvers.codes import CONVERGED, SUGIHARA
from ik_node.solvers.entries import Search
from ik_node.solvers.found import Found
from ik_node.solvers.genetic.fitness import Fitness, least_fitness
from ik_node.solvers.genetic.memetic import ArmEvolution, Genetic
from ik_node.solvers.genetic.options import GeneticOptions, check_fitness
from ik_node.solvers.goal import Goal
from ik_node.solvers.iterative import IterativeSolver
from ik_node.solvers.jacobian.steps import DampedLeastSquares
from ik_node.solvers.low_discrepancy import spread_ranges
from ik_node.solvers.options import SolverOptions
from ik_node.solvers.records import table_of
from ik_node.solvers.settings import JacobianSettings

_ERROR_SHARE = 0.1  # of the damping of local steps, as dls


class GeneticSolver(IterativeSolver):
    """Evolves joint values by mutation, crossover and momentum, and steps from the best."""

    name = 'genetic'
    Options: ClassVar[type[SolverOptions]] = GeneticOptions
    patience = 3
    progress = 0.7

    def __init__(self, chain: Chain, *, fitness: Fitness | None = None,
                 **options: Any) -> None:
        """Prepare to solve for a chain; see `Solver`.

        fitness: a function of q (n,), rad or m, that returns a finite number: of the
        configurations that meet a goal the evolution then looks for the one with the least. Raises
        OptionError where it cannot be called, or without local search.
        """
        super().__init__(chain, **options)
        check_fitness(fitness, self.options)
        self._fitness = fitness
        if fitness is None:
            return
        self._own_options['fitness'] = fitness  # for pickle and copy
        self._direct = False
        near = self._soft_chain() if self.options.limit_margin > 0.0 else self.chain
        # One attempt takes local steps only.
        self._steps = Search(near.record, self._make_method(), self.settings,
                             table_of(self.chain, 0, 0), 1)

    def _solve_with(self, goal: Goal, q: np.ndarray, search: Search) -> Found:
        if self._fitness is None:
            return super()._solve_with(goal, q, search)
        ranges, deadline = spread_ranges(self.chain, q, self.settings.length), self._deadline()
        found = super()._solve_with(goal, q, search)
        if not found.success:
            return found

        def meet(start: np.ndarray) -> np.ndarray | None:
            end = self._steps.run(goal.pose, goal.weights, start, 1, deadline)[0]
            return start if end == CONVERGED else None
        fittest = least_fitness(self._fitness, meet, found.q, ranges,
                                self.options, deadline)
        return Found(fittest, *found[1:])

    def _solve_many(self, goals: Sequence[Goal], starts: np.ndarray,
                    progress: Callable[[float], None]) -> list[Found]:
        if self._fitness is None:
            return super()._solve_many(goals, starts, progress)
        return Solver._solve_many(self, goals, starts, progress)

    def _make_method(self) -> Genetic:
        unbiased = np.zeros(self.chain.n_joints)
        local = JacobianSettings(unbiased, unbiased, damping_rule=SUGIHARA,
                                 error_share=_ERROR_SHARE)
        evolution = ArmEvolution(self.options, self.chain.record, self.settings,
                                 self._scale, self._span)
        return Genetic(evolution, DampedLeastSquares(local), self.options.local_search)
