"""Why an iterative solver failed: a reason a person can act on."""

from typing import TYPE_CHECKING

import numpy as np

from ik_node.model.chain import Chain
from ik_node.solvers.goal import Goal
from ik_node.solvers.result import StopReason, task_singular_values
from ik_node.solvers.settings import CONVERGED, EXHAUSTED

if TYPE_CHECKING:
    from ik_node.solvers.iterative import IterativeSolver

_ATTEMPTS = 10     # of each second opinion
_SINGULAR = 1e-2   # the smallest singular value over the largest, below which it is what stopped it


def diagnose(solver: 'IterativeSolver', goal: Goal, q0: np.ndarray, q: np.ndarray,
             end: int) -> StopReason:
    """Return why a search from q0 (n,) that found no better than q (n,) failed.

    Whether the goal can be met at all, and whether it is the limits that forbid it, is asked of
    damped least squares, which misses next to nothing: a weaker method's failure says little.
    """
    if end == EXHAUSTED:
        return StopReason.ITERATIONS
    sure = solver.name == 'dls' and solver.options.max_restarts >= _ATTEMPTS
    if not sure and _meets(solver, solver.chain, goal, q, q0):
        return (StopReason.SINGULAR if _is_singular(solver, goal, q) else StopReason.STALLED)
    if _meets(solver, solver.chain.without_limits(), goal, q, q0):
        return StopReason.LIMITS
    return StopReason.UNREACHABLE


def _meets(solver: 'IterativeSolver', chain: Chain, goal: Goal, *starts: np.ndarray) -> bool:
    """Tell whether damped least squares meets the goal, from the starts or from others."""
    from ik_node.solvers.jacobian.dls import DlsSolver
    reference = DlsSolver(chain, position_tolerance=solver.options.position_tolerance,
                          orientation_tolerance=solver.options.orientation_tolerance,
                          max_restarts=_ATTEMPTS)
    return any(reference.search(goal, start)[1][0] == CONVERGED for start in starts)


def _is_singular(solver: 'IterativeSolver', goal: Goal, q: np.ndarray) -> bool:
    """Tell whether no joint moves the tip along some axis asked for, metres in arm lengths."""
    values = task_singular_values(solver.chain, goal, q, solver.settings.length)
    return bool(values[-1] < _SINGULAR * values[0])
