"""The objective of a minimizer for a body: what tasks miss, and additional terms.

    E(q) = Σ weight · |W r|²,   ∂E/∂q = −2 Aᵀ e

over the tasks that count, with A and e of `LevelRows`. Strict tasks weigh more, or are constraints
of a minimizer that can keep them.
"""

from typing import Any

import numpy as np

from ik_node.solvers.body.problem import Level, LevelRows, missed
from ik_node.solvers.found import Budget
from ik_node.solvers.optimization.objective import ErrorRows, Objective
from ik_node.solvers.optimization.space import Space, Variables
from ik_node.solvers.optimization.terms import Term, TermSum

STRICT = 10.0  # what a row of a strict task counts over others in |V|
_HELD = 300.0  # where it is a constraint: the best configuration is the one that keeps it
_ACTIVE = 1e-6  # rad or m: a one-sided row that holds by less can be broken by a small step


class TaskObjective(Objective):
    """E of the tasks of a level, the rows of strict ones first, and the terms."""

    def __init__(self, space: Space, about: Space, level: Level, strict: int, held: bool,
                 terms: TermSum | None, budget: Budget, unit: float) -> None:
        """Prepare for one attempt.

        about: the space, with limits of results for what has none, which would change the first
        step of a minimizer. strict: how many rows are those of strict tasks; held: whether these
        are constraints.
        """
        super().__init__(space, terms, budget.max_iterations, unit, budget.deadline)
        self._about, self._level = about, level
        self._strict = slice(strict if held else 0)
        self._factors = np.ones(len(level.one_sided))
        self._factors[:strict] = _HELD if held else STRICT
        self._level_rows: LevelRows

    def constraints(self, variables: Variables) -> list[Any]:
        """Return the strict tasks as one constraint of scipy: r = 0, r ≥ 0 where one-sided."""
        rows = self._strict
        if not rows.stop:
            return []
        from scipy import optimize  # late: a quarter of a node's start

        def residuals(x: np.ndarray) -> np.ndarray:
            self._move_to(variables.joint_values(x))
            return -self._level_rows.e[rows]

        def jacobian(x: np.ndarray) -> np.ndarray:
            self._move_to(variables.joint_values(x))
            return variables.slope(self._level_rows.A[rows])
        return [optimize.NonlinearConstraint(
            residuals, 0.0, np.where(self._level.one_sided[rows], np.inf, 0.0), jac=jacobian)]

    def keeps_strict(self, q: np.ndarray, tolerance: float) -> bool:
        """Tell whether the constraints hold at q (n,), to a tolerance of each row."""
        rows = self._level.evaluate(q)
        e = missed(rows.e, rows.one_sided)[self._strict]
        return bool((np.abs(e) <= tolerance).all())

    def _allows(self, q: np.ndarray) -> bool:
        return self._about.allows(q)

    def _evaluate(self, q: np.ndarray) -> ErrorRows:
        """Return the rows at q (n,); those of one-sided tasks that hold are zero."""
        self._level_rows = rows = self._level.evaluate(q)
        V, factors = self._factors * missed(rows.e, rows.one_sided), self._factors
        if self._level.any_one_sided:
            factors = np.where(rows.one_sided & (rows.e < 0.0), 0.0, factors)
        return ErrorRows(V, factors[:, None] * rows.A, float(V @ V), rows.met)


def level_term(level: Level, weight: float) -> Term:
    """Return the energy of the tasks of a level as a term."""
    def value(q: np.ndarray) -> float:
        return level.evaluate(q).cost

    def gradient(q: np.ndarray) -> np.ndarray:
        rows = level.evaluate(q)
        slope: np.ndarray = -rows.A.T @ missed(rows.e, rows.one_sided)
        return slope
    return Term(value, gradient, weight)


def active_rows(level: Level, q: np.ndarray) -> np.ndarray:
    """Return the rows (m, n) of a level at q (n,) that a small step could break."""
    rows = level.evaluate(q)
    active: np.ndarray = rows.A[~rows.one_sided | (rows.e > -_ACTIVE)]
    return active
