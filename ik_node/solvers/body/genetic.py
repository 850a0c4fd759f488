"""Several tasks by memetic evolution [Ruppel et al. 2018; Starke et al. 2017]."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ik_node.solvers.body.attempts import BodyProblem
from ik_node.solvers.body.base import LeastSquaresSolver
from ik_node.solvers.genetic.solvers import EvolutionOptions, Evolving
from ik_node.solvers.kernel.evolution import Evolution
from ik_node.solvers.kernel.low_discrepancy import spread_ranges
from ik_node.solvers.options import BodyOptions
from ik_node.solvers.result import StopReason
from ik_node.solvers.solver_output import Attempt, VerifiedAttempt

_LENGTH = 0.1  # m: places without limits are spread over π of it, to both sides


@dataclass(frozen=True)
class BodyGeneticOptions(EvolutionOptions, BodyOptions):
    """Options of `genetic` for a body."""


class BodyGeneticSolver(Evolving, LeastSquaresSolver):
    """Evolves joint values by mutation, crossover and momentum, and steps from the best.

    Individuals are judged by Σ weight · |W r|² of the tasks that count, whatever their priority;
    the steps, and velocities, are those of `least_squares`, with its priorities.
    """

    name = 'genetic'
    Options: ClassVar[type[BodyOptions]] = BodyGeneticOptions
    options: BodyGeneticOptions

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        without_limits = ~(np.isfinite(self.body.lower) & np.isfinite(self.body.upper))
        self._evolution = Evolution(
            self.options, self._scale / self._scale.max(initial=1e-300),
            self.body.prismatic & without_limits, _LENGTH)

    def _find(self, problem: BodyProblem) -> VerifiedAttempt:
        """Search, and go on to the least fitness where there is one."""
        found = super()._find(problem)
        if self._fitness is None or not found.success:
            return found

        def meet(start: np.ndarray) -> np.ndarray | None:
            q = np.clip(start, self._space.lower, self._space.upper)
            met = super(BodyGeneticSolver, self)._search(problem, q, False)
            return met.q if met.success else None
        q = self._fittest(meet, found.q, spread_ranges(self._space, problem.start, _LENGTH),
                          problem.budget.deadline)
        fittest = self._verified(problem, Attempt(q, found.reason, found.iterations), q)
        return fittest._replace(reason=found.reason, restarts=found.restarts)

    def _search(self, problem: BodyProblem, q: np.ndarray, thorough: bool) -> VerifiedAttempt:
        """Evolve from q (n,), then take steps from the best; from the start, steps only."""
        local, start = self.options.local_search, problem.start
        counted = [level for level in problem.levels if level.tasks[0].affects_success]
        if thorough or (local and q is start) or not counted:
            return super()._search(problem, q, thorough)
        found = counted[0].records.merged(counted).evolve(
            self._evolution, self.options.seed, q, start, problem.budget.deadline)
        if not local or found.reason in (StopReason.CONVERGED, StopReason.TIMEOUT):
            return self._verified(problem, found, start)
        stepped = super()._search(problem, found.q, thorough)
        return stepped._replace(iterations=found.iterations + stepped.iterations)
