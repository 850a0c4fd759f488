"""The goal of a solve, as callers in Python give it."""

import numpy as np

from ik_node.solvers.task import TipTask


def load(task: TipTask, T_base_goal: np.ndarray, weights: np.ndarray) -> None:
    """Write a goal's pose (4, 4), m, and its weights (6,) into a task."""
    for i in range(4):
        for j in range(4):
            task.T[i][j] = float(T_base_goal[i][j])
    for i in range(6):
        task.weights[i] = float(weights[i])
    task.prepare()
