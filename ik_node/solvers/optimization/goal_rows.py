"""The rows of a goal at some q, for minimizers; and how good q is besides."""

from typing import Any

import numpy as np

from ik_node.kinematics import jacobian
from ik_node.kinematics.forward import ChainRecord
from ik_node.solvers.jacobian import nullspace
from ik_node.solvers.kernel import search
from ik_node.solvers.kernel import task as tasks
from ik_node.solvers.kernel.arm_kernel import Verifier
from ik_node.solvers.kernel.settings import Settings
from ik_node.support import arrays


class GoalRows(Verifier):
    """Rows of a chain's goals: poses (4, 4), m, with weights (6,)."""

    def __init__(self, chain: ChainRecord, settings: Settings) -> None:
        super().__init__(chain)
        self.settings = settings

    def rows(self, T_base_goal: np.ndarray, weights: np.ndarray, q: np.ndarray, V: np.ndarray,
             J: np.ndarray) -> tuple[float, float, float]:
        """Write the weighted error V (6,) at q (n,) and its J (6, n): V decreases by J Δq.

        Return (|V|², position error in m, orientation error in rad).
        """
        n = self.chain.n
        if V.shape[0] != 6 or J.shape[0] != 6 or J.shape[1] != n:
            raise ValueError(f'V and J must have the shapes (6,) and (6, {n})')
        work = self.begin(T_base_goal, weights, q)
        error, position, orientation = search.residual(self.chain, work.task, work, work.q0)
        jacobian.chain_jacobian(self.chain, work.frames, work.frames[self.chain.m], work.J)
        tasks.task_jacobian(work.task, work.e, work.R, n, work.J)
        arrays.copy_vector(work.V, V)
        arrays.copy_columns(work.J, J)
        self.idle.append(work)
        return error, position, orientation

    def unweighted(self, goal: Any, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the error (6,) of a `Goal` at q (n,) and its J (6, n), all its axes alike."""
        V, J = np.empty(6), np.empty((6, len(q)))
        weights = (goal.weights > 0.0).astype(float)
        weights[:3] /= self.settings.length
        self.rows(goal.pose, weights, q, V, J)
        return V, J

    def manipulability(self, T_base_goal: np.ndarray, weights: np.ndarray, q: np.ndarray,
                       ascent: np.ndarray) -> float:
        """Return √det(J Jᵀ) at q (n,), lengths in arm lengths; write its gradient into ascent (n,).

        [Yoshikawa 1985].
        """
        n = self.chain.n
        if ascent.shape[0] != n:
            raise ValueError(f'the gradient must have the shape ({n},)')
        work = self.begin(T_base_goal, weights, q)
        for k in range(n):
            work.unit[k] = 1.0
        nullspace.manipulability_gradient(self.chain, work.task, self.settings, 1.0, work, work.q0)
        for k in range(n):
            ascent[k] = work.ascent[k] / self.settings.scale[k]
        found = nullspace.manipulability(self.chain, work.task, self.settings, work, work.q0)
        self.idle.append(work)
        return found
