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
# Options that make damped least squares no weaker.
_HARMLESS = ('position_tolerance', 'orientation_tolerance', 'max_restarts', 'seed', 'timeout',
             'lower', 'upper', 'limit_margin', 'closest', 'prefer')
_SINGULAR = 1e-2   # the smallest singular value over the largest, below which it is what stopped it


def diagnose(solver: 'IterativeSolver', goal: Goal, q0: np.ndarray, q: np.ndarray,
             end: int) -> StopReason:
    """Return why a search from q0 (n,) that found no better than q (n,) failed.

    Whether the goal can be met at all, and whether it is the limits that forbid it, is asked of
    damped least squares, which misses next to nothing: a weaker method's failure says little.
    """
    if end == EXHAUSTED:
        return StopReason.ITERATIONS
    if not _is_reference(solver, goal) and _meets(solver, solver.chain, goal, q, q0):
        return (StopReason.SINGULAR if _is_singular(solver, goal, q) else StopReason.STALLED)
    if _meets(solver, solver.chain.without_limits(), goal, q, q0):
        return StopReason.LIMITS
    return StopReason.UNREACHABLE


def _is_reference(solver: 'IterativeSolver', goal: Goal) -> bool:
    """Tell whether the search that failed was as good as the second opinion would be."""
    options, plain = solver.options, type(solver.options)()
    return (solver.name == 'dls' and options.max_restarts >= _ATTEMPTS
            and set(goal.weights.tolist()) <= {0.0, 1.0}
            and all(np.array_equal(getattr(options, name), getattr(plain, name))
                    for name in options.specs() if name not in _HARMLESS))


def _meets(solver: 'IterativeSolver', chain: Chain, goal: Goal, *starts: np.ndarray) -> bool:
    """Tell whether damped least squares meets the goal, from the starts or from others."""
    from ik_node.solvers.jacobian.dls import DlsSolver
    reference = DlsSolver(chain, position_tolerance=solver.options.position_tolerance,
                          orientation_tolerance=solver.options.orientation_tolerance,
                          max_restarts=_ATTEMPTS)
    asked = Goal(goal.position, goal.orientation, goal.weights > 0.0)  # weights decide no success
    return any(reference.search(asked, start)[1][0] == CONVERGED for start in starts)


def _is_singular(solver: 'IterativeSolver', goal: Goal, q: np.ndarray) -> bool:
    """Tell whether no joint moves the tip along some axis asked for, metres in arm lengths."""
    values = task_singular_values(solver.chain, goal, q, solver.settings.length)
    return bool(values[-1] < _SINGULAR * values[0])
