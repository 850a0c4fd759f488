"""Inverse kinematics by a minimizer [Bařinka & Berka 3.2.2; Zhao & Badler 1994]."""

import math
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ik_node._arrays import vector
from ik_node.exceptions import UnsupportedError
from ik_node.model.chain import Chain
from ik_node.solvers.base import Solver
from ik_node.solvers.codes import BEYOND, CONVERGED, EXHAUSTED, INVALID, STALLED, SUGIHARA
from ik_node.solvers.entries import Search
from ik_node.solvers.found import Found, Verified
from ik_node.solvers.goal import Goal
from ik_node.solvers.initial_guesses import InitialGuesses
from ik_node.solvers.iterative import IterativeSolver
from ik_node.solvers.jacobian.dls_step import DampedLeastSquares
from ik_node.solvers.jacobian.settings import JacobianSettings
from ik_node.solvers.optimization.goal_rows import GoalRows
from ik_node.solvers.optimization.manipulability import high_manipulability
from ik_node.solvers.optimization.minimizers import nlopt_module, run
from ik_node.solvers.optimization.nullspace import descend
from ik_node.solvers.optimization.objective import GoalObjective, Objective
from ik_node.solvers.optimization.options import OptimizationOptions, constraint_rows
from ik_node.solvers.optimization.selection import Selection
from ik_node.solvers.optimization.space import Space
from ik_node.solvers.optimization.terms import (
    Term,
    TermSum,
    custom,
    distance_from_limits,
    nearness,
)
from ik_node.solvers.records import table_of, verifier_of
from ik_node.solvers.result import Result, StopReason
from ik_node.support import clock

_WEIGHT = 0.01          # of a term, by default
_TO_THE_GOAL = 30       # iterations that bring the tip from the minimizer's configuration to it


class _Region(NamedTuple):
    """Limits to search in, and what the kernels need for them."""

    space: Space
    guesses: InitialGuesses
    near: Search
    """With few iterations of dls, from a configuration near the goal."""


class _Attempt(NamedTuple):
    """The outcome of one minimisation."""

    q: np.ndarray
    met: bool
    end: int
    iterations: int
    value: float


class OptimizationSolver(IterativeSolver):
    """Minimises the weighted pose error inside the limits, with terms of one's own."""

    name = 'optimization'
    Options: ClassVar[type[OptimizationOptions]] = OptimizationOptions
    step = Solver.step  # a minimizer's iterations have no common step

    def __init__(self, chain: Chain, **options: Any) -> None:
        """Prepare to solve for a chain; see `Solver`. Raises OptionError without nlopt for it."""
        super().__init__(chain, **options)
        import scipy.optimize  # noqa: F401 now, since the first solve may have little time
        minimizer = self.options.minimizer
        if isinstance(minimizer, str) and minimizer.startswith('nlopt-'):
            nlopt_module()
        self._constraints = constraint_rows(self.options.linear_constraints, chain.n_joints)
        self._rows = GoalRows(self.chain.record, self.settings, self._local_settings())
        self._regions = [self._region(self.chain)]
        if self.options.limit_margin > 0.0:
            self._regions.insert(0, self._region(self._soft_chain()))

    def closest(self, goal: Any, q0: Any = None) -> Result:
        """Return the closest configuration; see `Solver`.

        Raises UnsupportedError with linear constraints, which it would ignore.
        """
        if len(self._constraints[0]):
            raise UnsupportedError('closest ignores linear_constraints: make a solver without')
        return super().closest(goal, q0)

    def _region(self, chain: Chain) -> _Region:
        unit = self._scale * np.where(self.chain.prismatic, self.settings.length, 1.0)
        table = table_of(self.chain, self.options.max_restarts, self.options.seed)
        return _Region(
            Space(chain.lower, chain.upper, unit, *self._constraints),
            InitialGuesses(chain.record, self.settings, table),
            Search(chain.record, self._make_method(),
                   self._make_settings(max_iterations=_TO_THE_GOAL), table, 1))

    def _local_settings(self) -> JacobianSettings:
        unbiased = np.zeros(self.chain.n_joints)
        return JacobianSettings(unbiased, unbiased, manipulability_gain=1.0,
                                damping_rule=SUGIHARA, error_share=0.1)

    def _make_method(self) -> DampedLeastSquares:
        return DampedLeastSquares(self._local_settings())

    def _solve(self, goal: Goal, q0: np.ndarray) -> Found:
        deadline = self._deadline()
        for region in self._regions:
            found = self._search_region(region, goal, q0, deadline)
            if found.success:
                break
        return found

    def _search_region(self, region: _Region, goal: Goal, q0: np.ndarray,
                       deadline: float) -> Found:
        """Make attempts inside the limits of a region until enough of them meet the goal."""
        terms = self._term_sum(region, goal, q0)
        selection = Selection(self.chain, goal, self.settings.prefer, region.space.unit)
        best: _Attempt | None = None
        restarts, beyond = 0, False
        for index in range(1 + self.options.max_restarts):
            if index > 0 and clock.is_over(deadline):
                break
            start, seen = self._guess(region, goal, q0, index)
            if seen == INVALID:
                vector(q0, self.chain.n_joints, 'q0')  # raises the error
            if index == 0:
                selection.q0 = start
            elif selection.is_complete(start):
                break
            restarts, beyond = index, beyond or seen == BEYOND
            attempt = self._attempt(region, goal, terms, start, seen, deadline)
            if attempt.met:
                best = attempt if selection.prefers(attempt.q) else best
                if selection.is_enough(index):
                    break
            elif not selection.count and (best is None or attempt.value < best.value):
                best = attempt
            if beyond:
                break
        if best is None:  # no attempt has a finite value
            best = _Attempt(self._within(q0), False, STALLED, 0, math.inf)
        return self._concluded(goal, best, restarts, beyond, deadline)

    def _concluded(self, goal: Goal, best: _Attempt, restarts: int, beyond: bool,
                   deadline: float) -> Found:
        """Return the result of a search, with errors and success at its best configuration."""
        _, position, orientation = verifier_of(self.chain).errors(goal.pose, goal.weights, best.q)
        if best.met:
            reason = StopReason.CONVERGED
        elif beyond:
            reason = StopReason.UNREACHABLE
        elif clock.is_over(deadline):
            reason = StopReason.TIMEOUT
        elif best.end == EXHAUSTED:
            reason = StopReason.ITERATIONS
        elif self._rows.is_singular(goal.pose, goal.weights, best.q):
            reason = StopReason.SINGULAR
        else:
            reason = StopReason.STALLED
        return Verified(best.q, best.met, reason, position, orientation, best.iterations, restarts)

    def _guess(self, region: _Region, goal: Goal, q0: np.ndarray,
               index: int) -> tuple[np.ndarray, int]:
        """Return the initial guess (n,) of an attempt, and what the kernel says of it."""
        start = q0.copy()
        return start, region.guesses.guess(goal.pose, goal.weights, start, index)

    def _attempt(self, region: _Region, goal: Goal, terms: TermSum | None, start: np.ndarray,
                 seen: int, deadline: float) -> _Attempt:
        """Minimise from an initial guess (n,)."""
        space = region.space
        if seen == CONVERGED and terms is None and space.allows(start):
            return _Attempt(start, True, CONVERGED, 0, 0.0)
        q, objective, end = self._minimised(region, goal, terms, start, deadline)
        iterations = objective.iterations
        if terms is not None and len(space.A):
            q, again, end = self._minimised(region, goal, None, q, deadline)
            iterations += again.iterations
        elif terms is not None:
            met = self._restored(region, goal, q, deadline)
            if met is not None:
                q, steps = descend(space, self._jacobian_of(goal), terms,
                                   lambda there: self._restored(region, goal, there, deadline),
                                   met)
                iterations += steps
        if not len(space.A):
            verifier_of(self.chain).nearest_turn(start, q)
        np.clip(q, space.lower, space.upper, out=q)
        error, position, orientation = verifier_of(self.chain).errors(goal.pose, goal.weights, q)
        met_here = (position <= self.options.position_tolerance
                    and orientation <= self.options.orientation_tolerance and space.allows(q))
        return _Attempt(q, met_here, end, iterations, error)

    def _minimised(self, region: _Region, goal: Goal, terms: TermSum | None,
                   start: np.ndarray,
                   deadline: float) -> tuple[np.ndarray, Objective, int]:
        """Run the minimizer; return (q (n,), the objective, how it ended)."""
        options = self.options
        objective = GoalObjective(region.space, self._rows, self.settings.length, goal, terms,
                                  options.max_iterations,
                                  (options.position_tolerance, options.orientation_tolerance),
                                  deadline)
        end = run(options.minimizer, objective, start)
        q = objective.q if objective.value < math.inf else start
        return q.copy(), objective, end

    def _restored(self, region: _Region, goal: Goal, q: np.ndarray,
                  deadline: float) -> np.ndarray | None:
        """Return q (n,) brought to the goal by a few steps of dls; None where they fail.

        None, too, when the deadline is over.
        """
        if clock.is_over(deadline):
            return None
        found = q.copy()
        end = region.near.run(goal.pose, goal.weights, found, 1, deadline)[0]
        return found if end == CONVERGED else None

    def _jacobian_of(self, goal: Goal) -> Callable[[np.ndarray], np.ndarray]:
        """Return the function of q (n,) that gives the Jacobian (6, n) of the goal's rows."""
        weights = (goal.weights > 0.0).astype(float)
        weights[:3] /= self.settings.length

        def jacobian(q: np.ndarray) -> np.ndarray:
            J = np.empty((6, len(q)))
            self._rows.rows(goal.pose, weights, q, np.empty(6), J)
            return J
        return jacobian

    def _within(self, q0: np.ndarray) -> np.ndarray:
        """Return q0 (n,) inside the limits."""
        q = q0.copy()
        verifier_of(self.chain).into_limits(q)
        return q

    def _term_sum(self, region: _Region, goal: Goal, q0: np.ndarray) -> TermSum | None:
        """Return the terms of the options for a goal and an initial guess; None without any."""
        names, weights = self.options.terms, self.options.term_weights
        if not names:
            return None
        if weights is None:
            weights = np.full(len(names), _WEIGHT)
        return TermSum([self._term(region, goal, q0, one, float(weight))
                        for one, weight in zip(names, weights)])

    def _term(self, region: _Region, goal: Goal, q0: np.ndarray, term: Any,
              weight: float) -> Term:
        space = region.space
        if term == 'reference':
            reference = self.options.reference
            near = self._within(q0) if reference is None else np.broadcast_to(
                reference, q0.shape)
            return nearness(near, space.unit, weight)
        if term == 'limits':
            return distance_from_limits(self.chain.lower, self.chain.upper, weight)
        if term == 'manipulability':
            return high_manipulability(self._rows, goal, weight)
        return custom(term, weight)
