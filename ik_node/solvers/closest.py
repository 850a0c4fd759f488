"""The posture that comes closest to a goal that cannot be met."""

from typing import TYPE_CHECKING

import numpy as np

from ik_node.solvers.goal import Goal
from ik_node.solvers.packing import pack
from ik_node.solvers.search import goal_error
from ik_node.solvers.settings import CONVERGED, STALLED

if TYPE_CHECKING:
    from ik_node.solvers.iterative import IterativeSolver

# Iterations to wait, and what counts as progress meanwhile.
_PATIENT = 20
_HARDLY_ANY = 0.999


def go_on(solver: 'IterativeSolver', goal: Goal, q: np.ndarray) -> tuple[int, float, float]:
    """Go on, in place, from the best q (n,) of a search that gave up, until it gains no more.

    An attempt is given up as soon as another promises more; where the error is smallest is
    another question. Return (how it ended, position error, orientation error).
    """
    patient = pack(solver.chain.arrays, solver.settings._replace(
        patience=_PATIENT, progress=_HARDLY_ANY))
    nearer = np.empty_like(q)
    before = goal_error(*patient, goal.pose, goal.weights, q)
    after = solver.kernels.search(*patient, goal.pose, goal.weights, q, solver.samples, 1,
                                  nearer)
    if after[0] != CONVERGED and after[3] >= before[0]:
        return STALLED, before[1], before[2]
    q[:] = nearer
    return CONVERGED if after[0] == CONVERGED else STALLED, after[4], after[5]
