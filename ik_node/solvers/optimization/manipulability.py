"""Manipulability of the constrained rows as a term [Yoshikawa 1985]."""

import numpy as np

from ik_node.solvers.goal import Goal
from ik_node.solvers.optimization.goal_rows import GoalRows
from ik_node.solvers.optimization.terms import Term


def high_manipulability(rows: GoalRows, goal: Goal, weight: float) -> Term:
    """Return −√det(J Jᵀ) as a term; rows: with the gain 1 for manipulability."""
    constrained = (goal.weights > 0.0).astype(float)

    def value(q: np.ndarray) -> float:
        return -rows.manipulability(goal.pose, constrained, q, np.empty(len(q)))

    def gradient(q: np.ndarray) -> np.ndarray:
        ascent = np.empty(len(q))
        rows.manipulability(goal.pose, constrained, q, ascent)
        return -ascent
    return Term(value, gradient, weight)
