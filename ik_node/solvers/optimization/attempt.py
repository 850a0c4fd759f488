"""Attempts of a minimizer, and steps in the null space of the goal, which reduce the terms.

A minimum of the pose error and of terms together lies off the goal: the terms pull at the tip. So
the minimizer's configuration is brought to the goal, and from there the terms are reduced by the
projected gradient method [Luenberger & Ye, Linear and Nonlinear Programming, 12.4]:

    d = −(I − J⁺J) g,   q ← restored(q + t d)

g is the terms' gradient, J has only the columns of joints that no limit stops, and `restored`
brings the tip back to the goal. Step lengths t are those of Barzilai & Borwein [1988], halved until
the terms shrink. A singular direction of J counts as part of the null space.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ik_node.solvers.driver import Driver
from ik_node.solvers.optimization.minimizers import check_minimizer, run
from ik_node.solvers.optimization.objective import Objective, Problem
from ik_node.solvers.optimization.terms import TermSum
from ik_node.solvers.result import StopReason
from ik_node.solvers.solver_output import Attempt
from ik_node.support import clock
from ik_node.support.exceptions import UnsupportedError

_MOST_STEPS = 200
_MOST_HALVINGS = 12
_SETTLED = 1e-5     # rad: a shorter step changes nothing of note
_LONGEST = 0.3      # rad: of one joint in a step, so that the tip can be restored
_SINGULAR = 1e-5    # of the largest singular value
_ENOUGH = 1e-4      # of the promised reduction [Armijo 1966]
_ACTIVE = 1e-6      # rad or m: a one-sided row that holds by less can be broken by a small step

Restore = Callable[[np.ndarray], Attempt]
"""Changes q (n,) so that it meets the goal; CONVERGED where it does."""


class Minimizing(Driver):
    """Minimises, for an arm or a body, with terms of one's own; see `attempt`."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        check_minimizer(self.options.minimizer)

    def _check_closest(self, closest: bool | None) -> None:
        """Raise UnsupportedError where linear constraints would be ignored."""
        if self.options.linear_constraints is not None and (
                self.options.closest if closest is None else closest):
            raise UnsupportedError('closest ignores linear_constraints: make a solver without')


def attempt(problem: Problem, terms: TermSum | None, restored: Restore, q: np.ndarray) -> Attempt:
    """Minimise from q (n,), and reduce terms where the goal can be met."""
    found = again = minimised(problem, terms, q)
    if terms is not None:
        if len(problem.space.A):  # steps in the null space of the goal do not keep them
            again = minimised(problem, None, found.q)
        else:
            again = restored(found.q)
            if again.reason is StopReason.CONVERGED:
                again = _descended(problem, terms, restored, again)
        again = again._replace(iterations=found.iterations + again.iterations)
    if again.reason is not StopReason.CONVERGED and clock.is_over(problem.deadline):
        return again._replace(reason=StopReason.TIMEOUT)
    return again


def minimised(problem: Problem, terms: TermSum | None, q: np.ndarray) -> Attempt:
    """Run the minimizer from q (n,).

    Strict tasks are constraints of those that can keep them; where these are not kept, it runs
    again, and strict tasks count more.
    """
    options, iterations = problem.options, 0
    constrains = problem.strict is not None and len(problem.strict) > 0 and (
        options.minimizer in ('slsqp', 'trust-constr'))
    for held in (True, False) if constrains else (False,):
        objective = Objective(problem, terms, held)
        reason = run(options.minimizer, objective, q)
        iterations += objective.iterations
        if objective.value < math.inf:
            q = objective.q.copy()
        if reason is StopReason.CONVERGED or terms is not None or (held and objective.keeps_held(
                q, min(options.position_tolerance, options.orientation_tolerance))):
            break
    return Attempt(q, reason, iterations)


def _descended(problem: Problem, terms: TermSum, restored: Restore, met: Attempt) -> Attempt:
    """Reduce terms from where the goal is met; steps count as iterations."""
    space, q = problem.space, met.q
    value, slope = terms.value(q), terms.gradient(q)
    direction, length, steps = _direction(problem, slope, q), math.inf, 0
    while steps < _MOST_STEPS and not clock.is_over(problem.deadline):
        reach = np.abs(direction / space.unit).max(initial=0.0)
        if reach == 0.0 or length * reach < _SETTLED:
            break
        length = min(length, _LONGEST / reach)
        found = None
        for _ in range(_MOST_HALVINGS):
            tried = restored(np.clip(q + length * direction, space.lower, space.upper))
            if tried.reason is StopReason.CONVERGED:
                promised = length * float((direction / space.unit ** 2) @ direction)
                reduced = terms.value(tried.q)
                if reduced <= value - _ENOUGH * promised:
                    found = tried.q
                    break
            length *= 0.5
        if found is None:
            break
        steps += 1
        before, old = direction, q
        q, value, slope = found, reduced, terms.gradient(found)
        direction = _direction(problem, slope, q)
        moved, changed = (q - old) / space.unit, (before - direction) / space.unit
        curved = float(moved @ changed)
        length = float(moved @ moved) / curved if curved > 0.0 else math.inf
    return Attempt(q, met.reason, met.iterations + steps)


def _direction(problem: Problem, slope: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return d (n,), the steepest descent in the null space, in the units of the space.

    The null space is that of the rows at q (n,) that a small step could break.
    """
    space, here = problem.space, problem.rows(q)
    J, slope = here.A[~here.one_sided | (here.e > -_ACTIVE)], slope * space.unit
    free = space.lower < space.upper
    for _ in range(len(q)):
        d = np.zeros(len(q))
        reduced = (J * space.unit)[:, free]
        _, sigma, rows = np.linalg.svd(reduced, full_matrices=False)
        rows = rows[sigma > _SINGULAR * sigma.max(initial=0.0)]
        d[free] = -slope[free] + rows.T @ (rows @ slope[free])
        stopped = free & (((q <= space.lower) & (d < 0.0)) | ((q >= space.upper) & (d > 0.0)))
        if not stopped.any():
            break
        free &= ~stopped
    return d * space.unit
