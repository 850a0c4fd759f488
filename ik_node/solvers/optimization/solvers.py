"""The pose error of an arm minimised [Bařinka & Berka 3.2.2; Zhao & Badler 1994]."""

from collections.abc import Callable
from functools import partial
from typing import ClassVar

import numpy as np

from ik_node.kinematics.forward import ChainRecord
from ik_node.solvers.arm.base import Solver
from ik_node.solvers.arm.iterative import IterativeSolver
from ik_node.solvers.codes import CONVERGED, REFUSED
from ik_node.solvers.goal import Goal
from ik_node.solvers.jacobian.nullspace import Manipulability
from ik_node.solvers.jacobian.solvers import DlsOptions
from ik_node.solvers.jacobian.steps import DampedLeastSquares
from ik_node.solvers.kernel.arm_kernel import Search, table_of
from ik_node.solvers.kernel.body.compiled_tasks import LevelRows
from ik_node.solvers.kernel.method import PythonMethod
from ik_node.solvers.optimization.attempt import Minimizing, attempt
from ik_node.solvers.optimization.minimizer_options import OptimizationOptions, constraint_rows
from ik_node.solvers.optimization.objective import Problem, unit_of
from ik_node.solvers.optimization.space import Space
from ik_node.solvers.optimization.terms import TermSum, high_manipulability, terms_of
from ik_node.solvers.result import REASONS, StopReason
from ik_node.solvers.solver_output import Attempt, Found

_TO_THE_GOAL = 30  # iterations that bring the tip from the minimizer's configuration to it
_TWO_SIDED = np.zeros(6, dtype=bool)


class OptimizationSolver(Minimizing, IterativeSolver):
    """Minimises the weighted pose error inside the limits, with terms of one's own."""

    name = 'optimization'
    Options: ClassVar[type[OptimizationOptions]] = OptimizationOptions
    step = Solver.step  # a minimizer's iterations have no common step

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
