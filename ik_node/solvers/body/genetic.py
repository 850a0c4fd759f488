"""Several tasks by memetic evolution [Ruppel et al. 2018; Starke et al. 2017]."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ik_node.model.body import Body
from ik_node.solvers.body.attempts import BodyProblem
from ik_node.solvers.body.base import LeastSquaresSolver
from ik_node.solvers.genetic.fitness import Fitness, least_fitness
from ik_node.solvers.genetic.solver import EvolutionOptions, check_fitness
from ik_node.solvers.kernel.body.body_evolution import BodyEvolution
from ik_node.solvers.kernel.low_discrepancy import spread_ranges
from ik_node.solvers.options import BodyOptions
from ik_node.solvers.result import StopReason
from ik_node.solvers.solver_output import Attempt, VerifiedAttempt
from ik_node.tasks.base import Task

_LENGTH = 0.1  # m: places without limits are spread over π of it, to both sides


@dataclass(frozen=True)
class BodyGeneticOptions(EvolutionOptions, BodyOptions):
    """Options of `genetic` for a body."""


class BodyGeneticSolver(LeastSquaresSolver):
    """Evolves joint values by mutation, crossover and momentum, and steps from the best.

    Individuals are judged by Σ weight · |W r|² of the tasks that count, whatever their priority;
    the steps, and velocities, are those of `least_squares`, with its priorities.
    """

    name = 'genetic'
    Options: ClassVar[type[BodyOptions]] = BodyGeneticOptions
    options: BodyGeneticOptions

    def __init__(self, body: Body, tasks: Sequence[Task], *, fitness: Fitness | None = None,
                 **options: Any) -> None:
        """Take a body and tasks; see `BodySolver`.

        fitness: a function of q (n,), rad or m, that returns a finite number: of the
        configurations that meet the tasks the evolution then looks for the one with the least, as
        Python code. Raises OptionError where it cannot be called, or without local search.
        """
        super().__init__(body, tasks, **options)
        check_fitness(fitness, self.options)
        self._fitness = fitness
        if fitness is not None:
            self._own_options['fitness'] = fitness  # for pickle and copy
        without_limits = ~(np.isfinite(body.lower) & np.isfinite(body.upper))
        self._generations = BodyEvolution(
            self.options, self._scale / self._scale.max(initial=1e-300),
            body.prismatic & without_limits, _LENGTH)

    def _find(self, problem: BodyProblem) -> VerifiedAttempt:
        """Search, and go on to the least fitness where there is one."""
        found = super()._find(problem)
        if self._fitness is None or not found.success:
            return found

        def meet(start: np.ndarray) -> np.ndarray | None:
            q = np.clip(start, self._space.lower, self._space.upper)
            met = super(BodyGeneticSolver, self)._search(problem, q, False)
            return met.q if met.success else None
        q = least_fitness(self._fitness, meet, found.q,
                          spread_ranges(self._space, problem.start, _LENGTH), self.options,
                          problem.budget.deadline)
        fittest = self._verified(problem, Attempt(q, found.reason, found.iterations), q)
        return fittest._replace(reason=found.reason, restarts=found.restarts)

    def _search(self, problem: BodyProblem, q: np.ndarray, thorough: bool) -> VerifiedAttempt:
        """Evolve from q (n,), then take steps from the best; from the start, steps only."""
        local, start = self.options.local_search, problem.start
        counted = [level for level in problem.levels if level.tasks[0].counts]
        if thorough or (local and q is start) or not counted:
            return super()._search(problem, q, thorough)
        found = counted[0].records.merged(counted).evolve(
            self._generations, self.options.seed, q, start, problem.budget.deadline)
        if not local or found.reason in (StopReason.CONVERGED, StopReason.TIMEOUT):
            return self._verified(problem, found, start)
        stepped = super()._search(problem, found.q, thorough)
        return stepped._replace(iterations=found.iterations + stepped.iterations)
