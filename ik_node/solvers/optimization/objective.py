"""The objective: the weighted errors of a goal or of tasks, and additional terms.

    E(q) = |V|²,   ∂E/∂q = −2 Jᵀ V

With V and J as the kernels compute them: for the goal of an arm

    E(q) = (w_p/L)² |p* − p|² + w_o² |log(R* Rᵀ)|²

[Bařinka & Berka, eq. 9; Zhao & Badler 1994], where L is the length of the arm that weighs as a
radian; for tasks E(q) = Σ weight · |W r|².
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ik_node.solvers.optimization.space import Space, Variables
from ik_node.solvers.optimization.terms import TermSum
from ik_node.solvers.solver_output import LevelRows
from ik_node.support import clock

STRICT = 10.0   # what a row of a strict task counts over others in |V|
_HELD = 300.0   # where it is a constraint: the best configuration is the one that keeps it
_ROUNDING = 1e-15  # rad: a smaller tolerance is below the rounding of an error
_VALUES = 20  # objective values for each gradient, for minimizers that use no gradient


class MetError(Exception):
    """Ends a minimizer: a configuration that meets the goal was evaluated."""


class ExhaustedError(Exception):
    """Ends a minimizer: the iterations, or the time, are used up."""


def unit_of(position_tolerance: float, orientation_tolerance: float) -> float:
    """Return E where both errors are equal to their tolerances, neither 0 nor infinite."""
    size = math.hypot(position_tolerance, orientation_tolerance)
    return min(max(size, _ROUNDING), 1.0 / _ROUNDING) ** 2


class Problem(NamedTuple):
    """What one attempt minimises.

    - `rows`: returns the rows at q (n,).
    - `space`: limits and constraints; `allowed`: the same with limits for results where there are
      none, which would change the first step of a minimizer.
    - `unit`: E where both errors are equal to their tolerances.
    - `options`: see `MinimizerOptions`; `deadline`: by time.perf_counter, s.
    - `strict`: whether each of the first rows, which strict tasks have, is one-sided (k,); None
      where the rows are those of a goal, with the cost E.
    """

    rows: Callable[[np.ndarray], LevelRows]
    space: Space
    allowed: Space
    unit: float
    options: Any
    deadline: float
    strict: np.ndarray | None = None


class Objective:
    """E and the terms of a problem as functions of q (n,), rad or m.

    Raises MetError from any of its functions once a q that meets the goal has been evaluated, and
    ExhaustedError after the gradients of the problem, or when the time is over. `q`, `value`: the
    best allowed configuration so far, and its value; `iterations`: gradients evaluated; `space`,
    `unit`: those of the problem.
    """

    def __init__(self, problem: Problem, terms: TermSum | None, held: bool = False) -> None:
        """Prepare to run a minimizer.

        terms: None where only E counts. held: whether the strict rows are constraints.
        """
        n = len(problem.space.lower)
        self.space, self.unit, self._problem = problem.space, problem.unit, problem
        self._terms, self._strict = terms, np.zeros(0) if problem.strict is None else problem.strict
        self._held = slice(len(self._strict) if held else 0)
        self._at, self._count = np.full(n, math.nan), 0
        self.q, self.value, self.iterations = np.empty(n), math.inf, 0

    def objective(self, q: np.ndarray) -> float:
        """Return E and the terms at q (n,)."""
        self.move_to(q)
        self._count += 1
        if self._count > _VALUES * self._problem.options.max_iterations:
            raise ExhaustedError
        value = self._energy
        if self._terms is not None:
            value += self._terms.value(self._at)
        self._keep(value)
        return value

    def gradient(self, q: np.ndarray) -> np.ndarray:
        """Return the gradient (n,) of `objective` at q (n,)."""
        self._begin_iteration(q)
        slope: np.ndarray = -2.0 * (self._V @ self._J)
        if self._terms is not None:
            slope += self._terms.gradient(self._at)
        return slope

    def rows(self, q: np.ndarray) -> np.ndarray:
        """Return V (m,) at q (n,), whose squared length is E."""
        self.move_to(q)
        self._keep(self._energy)
        return self._V.copy()

    def row_jacobian(self, q: np.ndarray) -> np.ndarray:
        """Return ∂V/∂q (m, n) at q (n,)."""
        self._begin_iteration(q)
        return -self._J

    def constraints(self, variables: Variables) -> list[Any]:
        """Return the held rows as one constraint of scipy: r = 0, r ≥ 0 where one-sided."""
        held = self._held
        if not held.stop:
            return []
        from scipy import optimize  # late: a quarter of a node's start

        def residuals(x: np.ndarray) -> np.ndarray:
            self.move_to(variables.joint_values(x))
            return -self._rows.e[held]

        def jacobian(x: np.ndarray) -> np.ndarray:
            self.move_to(variables.joint_values(x))
            return variables.slope(self._rows.A[held])
        return [optimize.NonlinearConstraint(
            residuals, 0.0, np.where(self._strict, np.inf, 0.0), jac=jacobian)]

    def keeps_held(self, q: np.ndarray, tolerance: float) -> bool:
        """Tell whether the held rows are met at q (n,), each to a tolerance."""
        return bool((np.abs(self._problem.rows(q).missed()[self._held]) <= tolerance).all())

    def move_to(self, q: np.ndarray) -> None:
        """Evaluate the rows at q (n,), unless they were evaluated there before."""
        if clock.is_over(self._problem.deadline):
            raise ExhaustedError
        if (q == self._at).all():
            return
        self._at[:] = q
        self._rows = rows = self._problem.rows(self._at)
        self._V, self._J, self._energy = rows.e, rows.A, rows.cost
        if self._problem.strict is not None:
            self._weigh()
        if self._terms is None and rows.met and self._problem.allowed.allows(self._at):
            self.q[:], self.value = self._at, self._energy
            raise MetError

    def _weigh(self) -> None:
        """Let strict rows count more; those of one-sided tasks that hold are zero."""
        rows, factors = self._rows, np.ones(len(self._rows.e))
        factors[:len(self._strict)] = _HELD if self._held.stop else STRICT
        self._V = factors * rows.missed()
        factors[rows.one_sided & (rows.e < 0.0)] = 0.0
        self._J, self._energy = factors[:, None] * rows.A, float(self._V @ self._V)

    def _begin_iteration(self, q: np.ndarray) -> None:
        if self.iterations == self._problem.options.max_iterations:
            raise ExhaustedError
        self.iterations += 1
        self.move_to(q)

    def _keep(self, value: float) -> None:
        if value < self.value and self._problem.allowed.allows(self._at):
            self.q[:], self.value = self._at, value
