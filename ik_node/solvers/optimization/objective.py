"""The objective: the weighted pose error of a goal, and additional terms.

    E(q) = (w_p/L)² |p* − p|² + w_o² |log(R* Rᵀ)|² = |V|²,   ∂E/∂q = −2 Jᵀ V

[Bařinka & Berka, eq. 9; Zhao & Badler 1994], with V and J as the kernels compute them, and L the
length of the arm that weighs as a radian.
"""

import math
from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np

from ik_node.solvers.goal import Goal
from ik_node.solvers.optimization.goal_rows import GoalRows
from ik_node.solvers.optimization.space import Space, Variables
from ik_node.solvers.optimization.terms import TermSum
from ik_node.support import clock

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


class ErrorRows(NamedTuple):
    """The rows of a goal or of tasks at some q."""

    V: np.ndarray  # (m,) weighted error
    J: np.ndarray  # (m, n): V decreases by J Δq
    energy: float  # E = |V|²
    met: bool      # whether all is within the tolerances


class Objective(ABC):
    """E and the terms as functions of q (n,), rad or m; what E is of, a subclass says.

    Raises MetError from any of its functions once a q that meets the goal has been evaluated, and
    ExhaustedError after `most` gradients, or when the time is over. `q`, `value`: the best
    configuration so far, inside the limits, and its value; `iterations`: gradients evaluated;
    `unit`: E where both errors are equal to their tolerances.
    """

    def __init__(self, space: Space, terms: TermSum | None, most: int, unit: float,
                 deadline: float) -> None:
        """Prepare for one attempt.

        terms: None where only E counts. deadline: by time.perf_counter, s.
        """
        n = len(space.lower)
        self.space, self.unit = space, unit
        self._terms, self._most, self._deadline = terms, most, deadline
        self._at, self._count = np.full(n, math.nan), 0
        self.q, self.value, self.iterations = np.empty(n), math.inf, 0

    @abstractmethod
    def _evaluate(self, q: np.ndarray) -> ErrorRows:
        """Return the rows at q (n,)."""

    def constraints(self, variables: Variables) -> list[Any]:
        """Return what must hold besides as constraints of scipy, for minimizers that keep them."""
        return []

    def objective(self, q: np.ndarray) -> float:
        """Return E and the terms at q (n,)."""
        self._move_to(q)
        self._count += 1
        if self._count > _VALUES * self._most:
            raise ExhaustedError
        value = self._rows.energy
        if self._terms is not None:
            value += self._terms.value(self._at)
        self._keep(value)
        return value

    def gradient(self, q: np.ndarray) -> np.ndarray:
        """Return the gradient (n,) of `objective` at q (n,)."""
        self._begin_iteration(q)
        slope: np.ndarray = -2.0 * (self._rows.V @ self._rows.J)
        if self._terms is not None:
            slope += self._terms.gradient(self._at)
        return slope

    def rows(self, q: np.ndarray) -> np.ndarray:
        """Return V (m,) at q (n,), whose squared length is E."""
        self._move_to(q)
        self._keep(self._rows.energy)
        return self._rows.V.copy()

    def row_jacobian(self, q: np.ndarray) -> np.ndarray:
        """Return ∂V/∂q (m, n) at q (n,)."""
        self._begin_iteration(q)
        return -self._rows.J

    def _begin_iteration(self, q: np.ndarray) -> None:
        if self.iterations == self._most:
            raise ExhaustedError
        self.iterations += 1
        self._move_to(q)

    def _move_to(self, q: np.ndarray) -> None:
        """Evaluate the rows at q (n,), unless they were evaluated there before."""
        if clock.is_over(self._deadline):
            raise ExhaustedError
        if (q == self._at).all():
            return
        self._at[:] = q
        self._rows = self._evaluate(self._at)
        if self._terms is None and self._rows.met and self._allows(self._at):
            self.q[:], self.value = self._at, self._rows.energy
            raise MetError

    def _keep(self, value: float) -> None:
        if value < self.value and self._allows(self._at):
            self.q[:], self.value = self._at, value

    def _allows(self, q: np.ndarray) -> bool:
        return self.space.allows(q)


class GoalObjective(Objective):
    """E of the goal of an arm, and the terms."""

    def __init__(self, space: Space, rows_of: GoalRows, length: float, goal: Goal,
                 terms: TermSum | None, most: int, tolerances: tuple[float, float],
                 deadline: float) -> None:
        """Prepare for one attempt; see `Objective`.

        length: that weighs as a radian, m; tolerances: m and rad.
        """
        super().__init__(space, terms, most, unit_of(tolerances[0] / length, tolerances[1]),
                         deadline)
        n = len(space.lower)
        self._rows_of, self._goal, self._tolerances = rows_of, goal, tolerances
        self._weights = goal.weights / goal.weights.max()
        self._weights[:3] /= length
        self._V, self._J = np.empty(6), np.empty((6, n))

    def _evaluate(self, q: np.ndarray) -> ErrorRows:
        """Return the rows at q (n,), in arrays that the next call changes."""
        energy, position, orientation = self._rows_of.rows(
            self._goal.pose, self._weights, q, self._V, self._J)
        return ErrorRows(self._V, self._J, energy, position <= self._tolerances[0]
                    and orientation <= self._tolerances[1])
