"""Inverse kinematics asked again and again for goals that lie close together."""

import numpy as np

from ik_node.exceptions import UnsupportedError
from ik_node.model.chain import Chain
from ik_node.solvers.analytic.solver import AnalyticSolver
from ik_node.solvers.goal import Goal
from ik_node.solvers.jacobian.dls import DlsSolver
from ik_node.solvers.settings import CONVERGED


class Seeker:
    """Finds postures for poses of the tip, each time from a posture that is thought to be near.

    Damped least squares goes first, from that posture. Where it fails and a closed form knows every
    branch, that decides. Where a closed form may miss one, the arm being general or its file not
    exact, its "yes" is taken and its "no" is not; then, as where there is none, damped least
    squares restarts from other postures, so that a "no" may be wrong, but a "yes" never is.

    - `decides`: whether a "no" is a proof.
    """

    def __init__(self, chain: Chain, weights: np.ndarray, restarts: int, seed: int = 0) -> None:
        """Prepare to ask for the axes with weights (6,) above zero, see `Goal`.

        Without a rotation among them positions lie along the base's axes, else along the goal's.
        """
        self._turned = bool((weights[3:] > 0.0).any())
        self._weights = weights
        self._dls = DlsSolver(chain, max_restarts=restarts, seed=seed)
        self._wish = self._goal(np.eye(4))
        self._closed: AnalyticSolver | None = None
        try:
            self._closed = AnalyticSolver(chain, seed=seed)
            self.decides = self._closed.is_complete(self._wish)
        except UnsupportedError:
            self.decides = False
        if not self.decides and chain.n_joints != int((weights > 0.0).sum()):
            self._closed = None  # samples of a joint to spare take longer than restarts

    def find(self, T_base_goal: np.ndarray, q0: np.ndarray,
             thorough: bool = True) -> tuple[np.ndarray, bool]:
        """Return (q (n,), whether it meets the goal) for a pose (4, 4), m, from q0 (n,).

        Where it does not, q is the best found. thorough: whether to go on where the way from q0
        does not lead there.
        """
        goal = self._wish.moved_to(np.array(T_base_goal))
        q, outcome, _ = self._dls.search(goal, q0, 1)
        if outcome[0] == CONVERGED or not thorough:
            return q, outcome[0] == CONVERGED
        if self._closed is not None:
            try:
                answer = self._closed.answer(goal, q0)
            except UnsupportedError:  # of the arm, but not of this part of a pose
                self._closed, self.decides = None, False
            else:
                if answer is not None or self.decides:
                    return q if answer is None else answer, answer is not None
        q, outcome, _ = self._dls.search(goal, q0)
        return q, outcome[0] == CONVERGED

    def _goal(self, T_base_goal: np.ndarray) -> Goal:
        return Goal(T_base_goal[:3, 3] if self._weights[:3].any() else None,
                    T_base_goal[:3, :3] if self._turned else None, self._weights)
