"""Selection cost of solutions."""

import math

from ik_node._jit import Vector, njit, rare
from ik_node.kinematics.forward import ChainArrays
from ik_node.kinematics.jacobian import chain_jacobian
from ik_node.solvers.jacobian.linear import cholesky, gram
from ik_node.solvers.settings import LIMITS, MANIPULABILITY, NEAREST, Settings, Work
from ik_node.solvers.task import Task, task_jacobian


@njit
def joint_distance(settings: Settings, q0: Vector, q: Vector) -> float:
    """Return the squared distance of q (n,) from q0 (n,), a heavier joint counting more.

    In rad²; of a prismatic joint the length of the arm counts as a radian.
    """
    total, scale, span = 0.0, settings.scale, settings.span
    for k in range(q.shape[0]):
        unit = settings.length if span[k] > 0.0 else 1.0
        total += ((q[k] - q0[k]) / (unit * scale[k])) ** 2
    return total


@rare
def selection_cost(chain: ChainArrays, task: Task, settings: Settings, work: Work, q0: Vector,
                   q: Vector) -> float:
    """Return the selection cost of q (n,); the least is best. work.frames must be q's.

    NEAREST: `joint_distance` from q0 (n,). LIMITS: closeness to the nearest limit, 0 in the middle
    of all, 1 at one. MANIPULABILITY: −log √det(J Jᵀ) of the constrained
    rows [Yoshikawa 1985].
    """
    total = 0.0
    if settings.prefer == NEAREST:
        total = joint_distance(settings, q0, q)
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
