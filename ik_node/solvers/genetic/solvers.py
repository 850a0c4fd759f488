"""Solvers by memetic evolution, for arms and bodies [Ruppel et al. 2018; Starke et al. 2017]."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ik_node.kinematics.joint_limits import JointLimits
from ik_node.solvers.arm.iterative import IterativeSolver
from ik_node.solvers.body.attempts import BodyProblem
from ik_node.solvers.body.base import LeastSquaresSolver
from ik_node.solvers.codes import CONVERGED
from ik_node.solvers.driver import Driver
from ik_node.solvers.genetic.memetic import Genetic
from ik_node.solvers.goal import Goal
from ik_node.solvers.jacobian.solvers import DlsOptions
from ik_node.solvers.jacobian.steps import DampedLeastSquares
from ik_node.solvers.kernel.arm_kernel import Search, table_of
from ik_node.solvers.kernel.evolution import Evolution, PythonJudge, first_state
from ik_node.solvers.kernel.low_discrepancy import Ranges, spread_ranges
from ik_node.solvers.options import BodyOptions, SolverOptions
from ik_node.solvers.result import StopReason
from ik_node.solvers.solver_output import Attempt, Found, VerifiedAttempt
from ik_node.support.exceptions import InputError, OptionError, shown
from ik_node.support.options import Options, option

Fitness = Callable[[np.ndarray], float]

MOST_ELITE = 16
_LENGTH = 0.1  # m: places without limits are spread over π of it, to both sides


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


@dataclass(frozen=True)
class BodyGeneticOptions(EvolutionOptions, BodyOptions):
    """Options of `genetic` for a body."""


class Evolving(Driver):
    """Evolves joint values, of an arm or of a body; a fitness chooses among solutions."""

    def __init__(self, *arguments: Any, fitness: Fitness | None = None, **options: Any) -> None:
        """Prepare to solve.

        fitness: a function of q (n,), rad or m, that returns a finite number: of the
        configurations that meet a goal, or tasks, the evolution then looks for the one with the
        least. Raises OptionError where it cannot be called, or without local search.
        """
        super().__init__(*arguments, **options)
        self._fitness = fitness
        if fitness is None:
            return
        if not callable(fitness):
            raise OptionError(f'genetic.fitness must be a function of q, or None, not '
                              f'{shown(fitness)}')
        if not self.options.local_search:
            raise OptionError('genetic.fitness needs local_search, which brings every individual '
                              'to the goal')
        self._own_options['fitness'] = fitness  # for pickle and copy

    def _fittest(self, meet: Callable[[np.ndarray], np.ndarray | None], q: np.ndarray,
                 ranges: Ranges, deadline: float) -> np.ndarray:
        """Return the configuration (n,) of the least fitness that the evolution finds.

        meet: returns the configuration that local steps from another lead to, None where it misses
        the goal. q: (n,) one that meets it. deadline: by time.perf_counter, s.
        """
        n, options, waiting = len(q), self.options, [q]  # the first individual

        def judged(there: np.ndarray) -> tuple[float, np.ndarray | None]:
            met = waiting.pop() if waiting else meet(there)
            return (math.inf if met is None else self._checked_fitness(met)), met
        evolution = Evolution(options, np.ones(n), np.zeros(n), 1.0)
        best: np.ndarray = evolution.run(JointLimits(ranges), PythonJudge(judged, n), q, q,
                                         first_state(options.seed), deadline)[0]
        return best

    def _checked_fitness(self, q: np.ndarray) -> float:
        """Return the fitness at q (n,). Raises InputError where it is not a finite number."""
        assert self._fitness is not None
        cost: Any = self._fitness(q.copy())
        try:
            number = float(cost)
        except (TypeError, ValueError):
            number = math.nan
        if not math.isfinite(number):
            raise InputError(f'genetic.fitness must return a finite number, not {shown(cost)}')
        return number


class GeneticSolver(Evolving, IterativeSolver):
    """Evolves joint values by mutation, crossover and momentum, and steps from the best."""

    name = 'genetic'
    Options: ClassVar[type[SolverOptions]] = GeneticOptions
    patience = 3
    progress = 0.7

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._in_kernel = self._own_kernels and self._fitness is None

    def _solve(self, goal: Goal, q0: np.ndarray, search: Search | None = None) -> Found:
        if self._fitness is None:
            return super()._solve(goal, q0, search)
        near, deadline = self._chains_about(q0), self._deadline()
        ranges = spread_ranges(near[-1], q0, self.settings.length)
        steps = Search(near[0].record, self._make_method(), self.settings,
                       table_of(self.chain, 0, 0), 1)  # the first attempt takes local steps only
        found = super()._solve(goal, q0, search)
        if not found.success:
            return found

        def meet(start: np.ndarray) -> np.ndarray | None:
            end = steps.solve(goal.pose, goal.weights, start, deadline)[0]
            return start if end == CONVERGED else None
        return Found(self._fittest(meet, found.q, ranges, deadline), *found[1:])

    def _make_method(self) -> Genetic:
        evolution = Evolution(self.options, self._scale, self._span, self.settings.length)
        return Genetic(self.chain.record, self.settings, evolution, DampedLeastSquares(
            DlsOptions(bias_gain=0.0), self.chain), self.options.local_search)


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
