"""The reason of a failed search without a proof that the goal cannot be met."""

import numpy as np

from ik_node.model.chain import Chain
from ik_node.solvers.goal import Goal
from ik_node.solvers.result import StopReason, task_singular_values
from ik_node.solvers.settings import EXHAUSTED

_SINGULAR = 1e-2   # smallest over largest singular value of a singular configuration


def diagnose(chain: Chain, length: float, goal: Goal, q: np.ndarray, end: int) -> StopReason:
    """Return why a search with the best configuration q (n,) failed: how its best attempt ended.

    length: the length scale of the arm, m; end: how its attempt ended, see `solvers.settings`. A
    failed search proves nothing about solutions, inside the limits or outside.
    """
    if end == EXHAUSTED:
        return StopReason.ITERATIONS
    return StopReason.SINGULAR if _is_singular(chain, length, goal, q) else StopReason.STALLED


def _is_singular(chain: Chain, length: float, goal: Goal, q: np.ndarray) -> bool:
    """Tell whether no joint moves the tip along some constrained axis; lengths in arm lengths."""
    alike = Goal(goal.position, goal.orientation, goal.weights > 0.0)  # weights do not matter here
    values = task_singular_values(chain, alike, q, length)
    return bool(values[-1] < _SINGULAR * values[0])
