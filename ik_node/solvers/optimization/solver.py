"""Inverse kinematics by a minimizer [Bařinka & Berka 3.2.2; Zhao & Badler 1994]."""

import math
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ik_node.model.chain import Chain
from ik_node.solvers.arm.base import Solver
from ik_node.solvers.arm.iterative import IterativeSolver
from ik_node.solvers.arm.kernel_cache import table_of, verifier_of
from ik_node.solvers.codes import CONVERGED, REFUSED, TIMED_OUT
from ik_node.solvers.driver import ends_by
from ik_node.solvers.goal import Goal
from ik_node.solvers.jacobian.options import DlsOptions
from ik_node.solvers.jacobian.steps import DampedLeastSquares
from ik_node.solvers.kernel.arm_kernel import Search
from ik_node.solvers.kernel.method import PythonMethod
from ik_node.solvers.optimization.goal_rows import GoalRows
from ik_node.solvers.optimization.minimizers import check_minimizer, run
from ik_node.solvers.optimization.nullspace import descend
from ik_node.solvers.optimization.objective import GoalObjective
from ik_node.solvers.optimization.options import OptimizationOptions, constraint_rows
from ik_node.solvers.optimization.space import Space
from ik_node.solvers.optimization.terms import TermSum, high_manipulability, terms_of
from ik_node.solvers.result import Result
from ik_node.solvers.solver_output import Found
from ik_node.support import clock
from ik_node.support.exceptions import UnsupportedError

_TO_THE_GOAL = 30  # iterations that bring the tip from the minimizer's configuration to it


class _Region(NamedTuple):
    """Limits to search in, and what the kernels need for them."""

    space: Space
    search: Search
    near: Search  # with few iterations of dls, from a configuration near the goal


class OptimizationSolver(IterativeSolver):
    """Minimises the weighted pose error inside the limits, with terms of one's own."""

    name = 'optimization'
    Options: ClassVar[type[OptimizationOptions]] = OptimizationOptions
    step = Solver.step  # a minimizer's iterations have no common step

    def __init__(self, chain: Chain, **options: Any) -> None:
        super().__init__(chain, **options)
        check_minimizer(self.options.minimizer)

    def closest(self, goal: Any, q0: Any = None) -> Result:
        """Return the closest configuration; see `Solver`.

        Raises UnsupportedError with linear constraints, which it would ignore.
        """
        if len(self._constraints[0]):
            raise UnsupportedError('closest ignores linear_constraints: make a solver without')
        return super().closest(goal, q0)

    def _prepare_search(self) -> None:
        options = self.options
        self._constraints = constraint_rows(options.linear_constraints, self.chain.n_joints)
        self._rows = GoalRows(self.chain.record, self.settings)
        self._regions = [self._region(self.chain)]
        if options.limit_margin > 0.0:
            self._regions.insert(0, self._region(self._soft_chain()))

    def _region(self, chain: Chain) -> _Region:
        unit = self._scale * np.where(self.chain.prismatic, self.settings.length, 1.0)
        options, method = self.options, self._make_method()
        table = table_of(self.chain, options.max_restarts, options.seed)
        return _Region(
            Space(chain.lower, chain.upper, unit, *self._constraints),
            Search(chain.record, method, self.settings, table, 1 + options.max_restarts),
            Search(chain.record, method, self._make_settings(max_iterations=_TO_THE_GOAL), table,
                   1))

    def _make_method(self) -> DampedLeastSquares:
        return DampedLeastSquares(DlsOptions(bias_gain=0.0), self.chain)

    def _solve(self, goal: Goal, q0: np.ndarray) -> Found:
        with ends_by(self._deadline()):
            for region in (self._regions if self.options.consistency_limits is None
                           else map(self._region, self._chains_about(q0))):
                attempt = partial(self._attempt, region, goal, self._terms(goal, q0))
                method = PythonMethod(attempt, len(region.space.A) > 0)
                found = self._solve_from(goal, q0.copy(), region.search.altered(method))
                if found.success:
                    break
        return found

    def _attempt(self, region: _Region, goal: Goal, terms: TermSum | None,
                 start: np.ndarray) -> tuple[np.ndarray, int, int]:
        """Minimise from an initial guess (n,); see `PythonMethod`."""
        space, deadline = region.space, self._deadline()
        _, *errors = verifier_of(self.chain).errors(goal.pose, goal.weights, start)
        if terms is None and space.allows(start) and self.options.allow(errors):
            return start, CONVERGED, 0
        q, iterations, end = self._minimised(region, goal, terms, start, deadline)
        if terms is not None and len(space.A):
            q, again, end = self._minimised(region, goal, None, q, deadline)
            iterations += again
        elif terms is not None:
            met = self._restored(region, goal, q, deadline)
            if met is not None:
                q, steps = descend(
                    space, lambda there: self._rows.unweighted(goal, there)[1], terms,
                    lambda there: self._restored(region, goal, there, deadline), met)
                iterations += steps
        np.clip(q, space.lower, space.upper, out=q)
        if end != CONVERGED and clock.is_over(deadline):
            end = TIMED_OUT
        return q, end if space.keeps_constraints(q) else REFUSED, iterations

    def _minimised(self, region: _Region, goal: Goal, terms: TermSum | None, start: np.ndarray,
                   deadline: float) -> tuple[np.ndarray, int, int]:
        """Run the minimizer; return (q (n,), iterations, how it ended)."""
        options = self.options
        objective = GoalObjective(region.space, self._rows, self.settings.length, goal, terms,
                                  options.max_iterations,
                                  (options.position_tolerance, options.orientation_tolerance),
                                  deadline)
        end = run(options.minimizer, objective, start)
        q = objective.q if objective.value < math.inf else start
        return q.copy(), objective.iterations, end

    def _restored(self, region: _Region, goal: Goal, q: np.ndarray,
                  deadline: float) -> np.ndarray | None:
        """Return q (n,) brought to the goal by a few steps of dls; None where they fail."""
        if clock.is_over(deadline):
            return None
        found = q.copy()
        end = region.near.run(goal.pose, goal.weights, found, 1, deadline)[0]
        return found if end == CONVERGED else None

    def _terms(self, goal: Goal, q0: np.ndarray) -> TermSum | None:
        """Return the terms of the options for a goal and an initial guess; None without any."""
        reference = q0.copy()
        verifier_of(self.chain).into_limits(reference)
        terms = terms_of(self.options, self._regions[-1].space, reference, {
            'manipulability': partial(high_manipulability, self._rows, goal)})
        return TermSum(terms) if terms else None
