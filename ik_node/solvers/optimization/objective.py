"""The objective: the weighted pose error of a goal, and additional terms.

    E(q) = (w_p/L)² |p* − p|² + w_o² |log(R* Rᵀ)|² = |V|²,   ∂E/∂q = −2 Jᵀ V

[Bařinka & Berka, eq. 9; Zhao & Badler 1994], with V and J as the kernels compute them, and L the
length of the arm that weighs as a radian.
"""

import math

import numpy as np

from ik_node._jit import Integers, Matrix, Vector, entry
from ik_node.kinematics.jacobian import chain_jacobian
from ik_node.solvers.goal import Goal
from ik_node.solvers.optimization.space import Space
from ik_node.solvers.optimization.terms import TermSum
from ik_node.solvers.packing import unpack_chain
from ik_node.solvers.search import residual
from ik_node.solvers.settings import make_scratch, make_work
from ik_node.solvers.task import make_task, task_jacobian

_VALUES = 20  # objective values for each gradient, for minimizers that use no gradient


class MetError(Exception):
    """Ends a minimizer: a configuration that meets the goal was evaluated."""


class ExhaustedError(Exception):
    """Ends a minimizer: the iterations are used up."""


@entry
def pose_rows(codes: Integers, numbers: Vector, T_base_goal: Matrix, weights: Vector,
              scratch: Vector, q: Vector, V: Vector, J: Matrix) -> tuple[float, float, float]:
    """Write the weighted error V (6,) at q (n,) and its J (6, n): V decreases by J Δq.

    Return (|V|², position error in m, orientation error in rad).
    """
    chain = unpack_chain(codes, numbers)
    work = make_work(scratch, chain.column.shape[0], q.shape[0])
    task = make_task(T_base_goal, weights)
    errors = residual(chain, task, work, q)
    chain_jacobian(chain, work.frames, work.frames[-1], J)
    task_jacobian(task, work.e, work.R, J)
    for i in range(6):
        V[i] = work.V[i]
    return errors


class Objective:
    """E and the terms as functions of q (n,), rad or m, for a goal.

    Raises MetError from any of its functions once a q that meets the goal has been evaluated, and
    ExhaustedError after `most` gradients. `q`, `value`: the best configuration so far, inside the
    limits, and its value; `iterations`: gradients evaluated; `unit`: E where both errors are equal
    to their tolerances.
    """

    def __init__(self, space: Space, goal: Goal, terms: TermSum | None, most: int,
                 tolerances: tuple[float, float]) -> None:
        """Prepare for one attempt. tolerances: m and rad; terms: None where only E counts."""
        n = len(space.lower)
        self.space, self._goal, self._terms = space, goal, terms
        self._most, self._tolerances = most, tolerances
        self._weights = goal.weights / goal.weights.max()
        self._weights[:3] /= space.length
        self.unit = (tolerances[0] / space.length) ** 2 + tolerances[1] ** 2
        self._scratch = make_scratch(space.articulations, n)
        self._V, self._J, self._at = np.empty(6), np.empty((6, n)), np.full(n, math.nan)
        self._energy, self._count = math.inf, 0
        self.q, self.value, self.iterations = np.empty(n), math.inf, 0

    def objective(self, q: np.ndarray) -> float:
        """Return E and the terms at q (n,)."""
        self._move_to(q)
        self._count += 1
        if self._count > _VALUES * self._most:
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
        """Return V (6,) at q (n,), whose squared length is E."""
        self._move_to(q)
        self._keep(self._energy)
        return self._V.copy()

    def row_jacobian(self, q: np.ndarray) -> np.ndarray:
        """Return ∂V/∂q (6, n) at q (n,)."""
        self._begin_iteration(q)
        return -self._J

    def _begin_iteration(self, q: np.ndarray) -> None:
        if self.iterations == self._most:
            raise ExhaustedError
        self.iterations += 1
        self._move_to(q)

    def _move_to(self, q: np.ndarray) -> None:
        """Evaluate the kernels at q (n,), unless they were there before."""
        if (q == self._at).all():
            return
        self._at[:] = q
        self._energy, position, orientation = pose_rows(
            *self.space.packed, self._goal.pose, self._weights, self._scratch, self._at, self._V,
            self._J)
        if (self._terms is None and position <= self._tolerances[0]
                and orientation <= self._tolerances[1] and self.space.allows(self._at)):
            self.q[:], self.value = self._at, self._energy
            raise MetError

    def _keep(self, value: float) -> None:
        """Keep the present configuration if it is the best inside the limits."""
        if value < self.value and self.space.allows(self._at):
            self.q[:], self.value = self._at, value
