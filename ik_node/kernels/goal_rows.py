"""The rows of a goal at some q, for minimizers; and how good q is besides."""

from typing import Any

import numpy as np

from ik_node.kernels import conclusion, manipulability
from ik_node.kernels.entries import Verifier
from ik_node.kernels.family import JacobianSettings
from ik_node.kernels.forward import Chain
from ik_node.kernels.settings import Settings


class GoalRows(Verifier):
    """Rows of a chain's goals: poses (4, 4), m, with weights (6,)."""

    def __init__(self, chain: Chain, settings: Any) -> None:
        """Take the settings of a solver, among them a gain for manipulability."""
        super().__init__(chain)
        self.settings, self.own = Settings(settings), JacobianSettings(settings.method)

    def manipulability(self, T_base_goal: np.ndarray, weights: np.ndarray, q: np.ndarray,
                       ascent: np.ndarray) -> float:
        """Return √det(J Jᵀ) at q (n,), lengths in arm lengths; write its gradient into ascent (n,).

        The gradient is multiplied by the gain [Yoshikawa 1985].
        """
        n = self.chain.n
        if ascent.shape[0] != n:
            raise ValueError(f'the gradient must have the shape ({n},)')
        work = self.begin(T_base_goal, weights, q)
        for k in range(n):
            work.unit[k] = 1.0
        manipulability.manipulability_gradient(self.chain, work.task, self.settings, self.own, work,
                                               work.q0)
        for k in range(n):
            ascent[k] = work.ascent[k] / self.settings.scale[k]
        found = manipulability.manipulability(self.chain, work.task, self.settings, work,
                                              work.q0)
        self.idle.append(work)
        return found

    def is_singular(self, T_base_goal: np.ndarray, weights: np.ndarray, q: np.ndarray) -> bool:
        """Tell whether at q (n,) no joint moves the tip along some constrained axis."""
        work = self.begin(T_base_goal, weights, q)
        for k in range(self.chain.n):
            work.best[k] = work.q0[k]
        singular = conclusion.is_singular(self.chain, self.settings.length, work.task, work)
        self.idle.append(work)
        return singular
