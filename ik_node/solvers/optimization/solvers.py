"""Solvers by minimizers, for arms and bodies [Bařinka & Berka 3.2.2; Zhao & Badler 1994]."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar

import numpy as np

from ik_node.kinematics.forward import ChainRecord
from ik_node.model.body import Body, BodyFrames
from ik_node.solvers.arm.base import Solver
from ik_node.solvers.arm.iterative import IterativeSolver
from ik_node.solvers.body.attempts import BodyProblem
from ik_node.solvers.body.base import LeastSquaresSolver
from ik_node.solvers.body.compiled_tasks import TaskLevel
from ik_node.solvers.codes import CONVERGED, REFUSED
from ik_node.solvers.goal import Goal
from ik_node.solvers.jacobian.nullspace import Manipulability
from ik_node.solvers.jacobian.solvers import DlsOptions
from ik_node.solvers.jacobian.steps import DampedLeastSquares
from ik_node.solvers.kernel.arm_kernel import Search, table_of
from ik_node.solvers.kernel.method import PythonMethod
from ik_node.solvers.optimization.attempt import Minimizing, attempt, minimised
from ik_node.solvers.optimization.minimizer_options import (
    BodyMinimizerOptions,
    OptimizationOptions,
    constraint_rows,
)
from ik_node.solvers.optimization.objective import Problem, unit_of
from ik_node.solvers.optimization.space import Space
from ik_node.solvers.optimization.terms import WEIGHT, Term, TermSum, high_manipulability, terms_of
from ik_node.solvers.options import BodyOptions
from ik_node.solvers.result import REASONS, BodyResult, Result, StopReason
from ik_node.solvers.solver_output import Attempt, Budget, Found, LevelRows, VerifiedAttempt
from ik_node.tasks.base import Task

_TO_THE_GOAL = 30  # iterations that bring the tip from the minimizer's configuration to it
_FAR = 100.0  # rad or lengths: how far from the start a result may be, where there are no limits
_TWO_SIDED = np.zeros(6, dtype=bool)


class OptimizationSolver(Minimizing, IterativeSolver):
    """Minimises the weighted pose error inside the limits, with terms of one's own."""

    name = 'optimization'
    Options: ClassVar[type[OptimizationOptions]] = OptimizationOptions
    step = Solver.step  # a minimizer's iterations have no common step

    def solve(self, goal: Any, q0: Any = None, *, closest: bool | None = None) -> Result:
        self._check_closest(closest)
        return super().solve(goal, q0, closest=closest)

    def _prepare_search(self) -> None:
        options, chain, length = self.options, self.chain, self.settings.length
        method, table = self._make_method(), table_of(chain, options.max_restarts, options.seed)
        self._attempts = Search(
            chain.record, method, self.settings, table, 1 + options.max_restarts,
            self._soft_chain().record if options.limit_margin > 0.0 else None)
        self._near = Search(  # from a configuration near the goal
            chain.record, method, self._make_settings(max_iterations=_TO_THE_GOAL), table, 1)
        self._space = Space(
            chain.lower, chain.upper, self._scale * np.where(chain.prismatic, length, 1.0),
            *constraint_rows(options.linear_constraints, chain.n_joints))
        self._manipulability = Manipulability(chain.record, self.settings)
        self._unit = unit_of(options.position_tolerance / length, options.orientation_tolerance)

    def _make_method(self) -> DampedLeastSquares:
        return DampedLeastSquares(DlsOptions(bias_gain=0.0), self.chain)

    def _solve(self, goal: Goal, q0: np.ndarray, search: Search | None = None) -> Found:
        method = PythonMethod(
            partial(self._attempt, goal, self._terms(goal, q0), self._deadline()),
            len(self._space.A) > 0)
        search = search or self._search_about(q0, self._attempts)
        return super()._solve(goal, q0, search.altered(method))

    def _attempt(self, goal: Goal, terms: TermSum | None, deadline: float, limits: ChainRecord,
                 start: np.ndarray) -> tuple[np.ndarray, int, int]:
        """Minimise from an initial guess (n,), within limits; see `PythonMethod`."""
        lower, upper = limits.bounds()
        space = self._space._replace(lower=lower, upper=upper)
        near = self._near.altered(chain=limits)

        def restored(q: np.ndarray) -> Attempt:
            there = q.copy()
            end, _, _, iterations, _ = near.solve(goal.pose, goal.weights, there, deadline)
            if end == CONVERGED:
                return Attempt(there, StopReason.CONVERGED, iterations)
            return Attempt(q, StopReason.STALLED, iterations)
        found = attempt(Problem(self._rows_of(goal), space, space, self._unit, self.options,
                                deadline), terms, restored, start)
        q = np.clip(found.q, lower, upper)
        end = REASONS.index(found.reason) if space.keeps_constraints(q) else REFUSED
        return q, end, found.iterations

    def _rows_of(self, goal: Goal) -> Callable[[np.ndarray], LevelRows]:
        """Return what computes the rows of a goal, lengths in those of the arm."""
        weights = goal.weights / goal.weights.max()
        weights[:3] /= self.settings.length

        def rows(q: np.ndarray) -> LevelRows:
            V, J, energy, *errors = self._verifier.rows(goal.pose, weights, q)
            return LevelRows(J, V, _TWO_SIDED, energy, self.options.allow(errors))
        return rows

    def _terms(self, goal: Goal, q0: np.ndarray) -> TermSum | None:
        """Return the terms of the options for a goal and an initial guess; None without any."""
        reference = q0.copy()
        self._verifier.into_limits(reference)
        terms = terms_of(self.options, self._space, reference, {'manipulability': partial(
            high_manipulability, self._manipulability, goal)})
        return TermSum(terms) if terms else None


class BodyOptimizationSolver(Minimizing, LeastSquaresSolver):
    """Minimises Σ weight · |W r|² of the tasks by a minimizer, with terms of one's own.

    Tasks of priority 0 are constraints of SLSQP and trust-constr, and weigh 100 times as much for
    the others. Where that misses them, the attempt is repeated with such weights. Tasks that do
    not count, and terms, act in the null space of those that do. Velocities are those of
    `least_squares`.
    """

    name = 'optimization'
    Options: ClassVar[type[BodyOptions]] = BodyMinimizerOptions
    options: BodyMinimizerOptions
    _merges = False

    def __init__(self, body: Body, tasks: Sequence[Task], **options: Any) -> None:
        super().__init__(body, tasks, **options)
        self._whole = Space(body.lower, body.upper, self._scale, *constraint_rows(
            self.options.linear_constraints, body.n_joints))
        self._size = float(np.linalg.norm(body.arrays.placement[:, :3, 3], axis=1).sum())

    def solve(self, q0: Any = None, *, closest: bool | None = None) -> BodyResult:
        self._check_closest(closest)
        return super().solve(q0, closest=closest)

    @property
    def _region(self) -> Space:
        """Limits and constraints of the search."""
        return self._whole._replace(lower=self._space.lower, upper=self._space.upper)

    def _attempt(self, levels: list[TaskLevel], q: np.ndarray, budget: Budget,
                 thorough: bool) -> Attempt:
        if not len(q):  # no joint moves
            return Attempt(q, StopReason.STALLED, 0)
        counted = [level for level in levels if level.tasks[0].affects_success]
        terms = terms_of(self.options, self._region, q, {})
        terms += [level_term(level, WEIGHT) for level in levels
                  if not level.tasks[0].affects_success]
        total = TermSum(terms) if terms else None
        assert self._records is not None
        level = self._records.merged(counted) if counted else TaskLevel(self._records, [])
        problem = Problem(
            level.evaluate, self._region, self._about(q),
            unit_of(self.options.position_tolerance, self.options.orientation_tolerance),
            self.options, budget.deadline, np.concatenate([np.zeros(0, bool), *(
                one.one_sided for one in counted if one.tasks[0].priority == 0)]))
        if not counted:
            return minimised(problem, total, q)._replace(reason=StopReason.CONVERGED)
        return attempt(problem, total, lambda q: level.descend(q, budget.deadline), q)

    def _verified(self, problem: BodyProblem, attempt: Attempt,
                  start: np.ndarray) -> VerifiedAttempt:
        """Return an attempt with its errors; a success keeps the linear constraints."""
        for about in (start, attempt.q):  # a whole turn may break a constraint
            found = super()._verified(problem, attempt, about)
            if not found.success or self._region.keeps_constraints(found.q):
                return found
        return found._replace(success=False)

    def _about(self, q: np.ndarray) -> Space:
        """Return the region, with limits about q (n,) for entries that have none.

        A force would carry a root that no task holds beyond all numbers. Lengths are the size of
        the body and what tasks miss at q: the tasks need a fraction of them.
        """
        frames = BodyFrames(self.body, q)
        far = self._size + sum(float(np.abs(task.evaluate(frames)[0]).sum())
                               for task in self.tasks)
        if self.options.reference is not None:
            far += float(np.abs(q - self.options.reference).max())
        room = np.where(self.body.prismatic, _FAR * far, _FAR)
        lower, upper = self._space.lower, self._space.upper
        return self._region._replace(lower=np.where(np.isfinite(lower), lower, q - room),
                                     upper=np.where(np.isfinite(upper), upper, q + room))


def level_term(level: TaskLevel, weight: float) -> Term:
    """Return the energy of the tasks of a level as a term."""
    def value(q: np.ndarray) -> float:
        return level.evaluate(q).cost

    def gradient(q: np.ndarray) -> np.ndarray:
        rows = level.evaluate(q)
        return -rows.A.T @ rows.missed()
    return Term(value, gradient, weight)
