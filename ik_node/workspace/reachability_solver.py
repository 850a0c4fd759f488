"""Decides by inverse kinematics whether poses that lie close together are reachable."""

import math

import numpy as np

from ik_node.model.chain import Chain
from ik_node.solvers.analytic.solver import AnalyticSolver
from ik_node.solvers.codes import CONVERGED
from ik_node.solvers.goal import Goal
from ik_node.solvers.jacobian.solver import DlsSolver
from ik_node.support.exceptions import UnsupportedError


class ReachabilitySolver:
    """Finds configurations for poses of the tip, each from an initial guess that should be near.

    Damped least squares comes first, from the initial guess. Where it fails, a complete closed form
    decides. An incomplete one, for a general arm or an inexact file, may find a solution but proves
    nothing by finding none; then, and without a closed form, damped least squares restarts from
    other configurations. A pose reported as reachable always is; one reported as unreachable may
    be reachable unless `decides` is true.

    - `decides`: whether "unreachable" is proved, but where rounding hides a singular configuration.
    """

    def __init__(self, chain: Chain, weights: np.ndarray, restarts: int, seed: int = 0) -> None:
        """Prepare to solve for the axes with weights (6,) above zero, see `Goal`.

        Without a rotation among them they are the base's axes, else the goal's.
        """
        self._turned = bool((weights[3:] > 0.0).any())
        self._weights = weights
        self._dls = DlsSolver(chain, max_restarts=restarts, seed=seed)
        self._template = self._goal(np.eye(4))
        self._closed: AnalyticSolver | None = None
        try:
            self._closed = AnalyticSolver(chain, seed=seed)
            self.decides = self._closed.is_exact_for(self._template)
        except UnsupportedError:
            self.decides = False
        if not self.decides and chain.n_joints != int((weights > 0.0).sum()):
            self._closed = None  # samples of a redundant joint take longer than restarts

    def find(self, T_base_goal: np.ndarray, q0: np.ndarray,
             thorough: bool = True) -> tuple[np.ndarray, bool]:
        """Return (q (n,), whether it meets the goal) for a pose (4, 4), m, from q0 (n,).

        Where it does not, q is the best found. thorough: whether to continue where the search from
        q0 fails.
        """
        goal = self._template.moved_to(np.array(T_base_goal))
        q, met = self._searched(goal, q0, 1)
        if met or not thorough:
            return q, met
        if self._closed is not None:
            try:
                solution = self._closed.best_solution(goal, q0)
            except UnsupportedError:  # a closed form of the arm, but not for these axes
                self._closed, self.decides = None, False
            else:
                if solution is not None:
                    return solution, True
                if self.decides:
                    return self._improved(goal, q), False
        return self._searched(goal, q0, 1 + self._dls.options.max_restarts)

    def _searched(self, goal: Goal, q0: np.ndarray, attempts: int) -> tuple[np.ndarray, bool]:
        """Return the best q (n,) of attempts of damped least squares, and whether it is met."""
        q = q0.copy()
        end, *_ = self._dls._entry.run(goal.pose, goal.weights, q, attempts, math.inf)
        return q, end == CONVERGED

    def _improved(self, goal: Goal, q: np.ndarray) -> np.ndarray:
        """Return the q (n,) of a patient attempt from q (n,), or q where its error is less."""
        search, nearer = self._dls._entry.patient, q.copy()
        before = search.errors(goal.pose, goal.weights, q)[0]
        after = search.run(goal.pose, goal.weights, nearer, 1, math.inf)[3]
        return nearer if after < before else q

    def _goal(self, T_base_goal: np.ndarray) -> Goal:
        return Goal(T_base_goal[:3, 3] if self._weights[:3].any() else None,
                    T_base_goal[:3, :3] if self._turned else None, self._weights)
