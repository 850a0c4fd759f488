"""Which of several answers is taken."""

import math

from ik_node._jit import njit
from ik_node.kinematics.jacobian import chain_jacobian
from ik_node.solvers.jacobian.linear import cholesky, gram
from ik_node.solvers.settings import LIMITS, MANIPULABILITY, NEAREST
from ik_node.solvers.task import task_jacobian


@njit
def regret(chain, task, settings, work, q0, q):
    """Return how little q (n,) is what is preferred; the least is best. work.frames must be q's.

    NEAREST: the squared distance from q0 (n,), a heavier joint counting more. LIMITS: how near the
    nearest limit is, 0 in the middle of all, 1 at one. MANIPULABILITY: −log √det(J Jᵀ) of the rows
    asked for [Yoshikawa 1985].
    """
    total = 0.0
    if settings.prefer == NEAREST:
        scale = settings.scale
        for k in range(q.shape[0]):
            total += ((q[k] - q0[k]) / scale[k]) ** 2
    elif settings.prefer == LIMITS:
        lower, upper = chain.lower, chain.upper
        for k in range(q.shape[0]):
            half = 0.5 * (upper[k] - lower[k])
            if 0.0 < half < math.inf:
                total = max(total, abs(q[k] - lower[k] - half) / half)
    elif settings.prefer == MANIPULABILITY:
        J, A = work.J, work.A
        chain_jacobian(chain, work.frames, work.frames[-1], J)
        task_jacobian(task, work.e, work.R, J)
        gram(J, A)
        if cholesky(A) == 0.0:
            return math.inf
        for i in range(6):
            total += math.log(A[i, i])  # the inverse of a pivot's root
    return total
