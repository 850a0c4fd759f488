"""Selection cost of solutions."""

import math

from ik_node.kinematics import jacobian
from ik_node.kinematics.forward import ChainRecord
from ik_node.solvers import codes, linear
from ik_node.solvers import task as tasks
from ik_node.solvers.settings import Settings, Scratch
from ik_node.solvers.task import TipTask
from ik_node.support.arrays import Vector

INF = math.inf


def joint_distance(settings: Settings, n: int, q0: Vector, q: Vector) -> float:
    """Return the squared distance of q (n,) from q0 (n,), a heavier joint counting more.

    In rad²; of a prismatic joint the length of the arm counts as a radian.
    """
    total, scale, span = 0.0, settings.scale, settings.span
    for k in range(n):
        unit = settings.length if span[k] > 0.0 else 1.0
        total += ((q[k] - q0[k]) / (unit * scale[k])) ** 2
    return total


def selection_cost(chain: ChainRecord, task: TipTask, settings: Settings, work: Scratch, q0: Vector,
                   q: Vector) -> float:
    """Return the selection cost of q (n,); the least is best. work.frames must be q's.

    NEAREST: `joint_distance` from q0 (n,). LIMITS: closeness to the nearest limit, 0 in the middle
    of all, 1 at one. MANIPULABILITY: −log √det(J Jᵀ) of the constrained
    rows [Yoshikawa 1985].
    """
    total, n = 0.0, chain.n
    if settings.prefer == codes.NEAREST:
        total = joint_distance(settings, n, q0, q)
    elif settings.prefer == codes.LIMITS:
        lower, upper = chain.lower, chain.upper
        for k in range(n):
            half = 0.5 * (upper[k] - lower[k])
            if half > 0.0 and half < INF:
                total = max(total, math.fabs(q[k] - lower[k] - half) / half)
    elif settings.prefer == codes.MANIPULABILITY:
        J, A, F = work.J, work.A, work.frames
        jacobian.chain_jacobian(chain, F, F[chain.m], J)
        tasks.task_jacobian(task, work.e, work.R, n, J)
        linear.gram(J, n, A)
        if linear.cholesky(A) == 0.0:
            return INF
        for i in range(6):
            total += math.log(A[i][i])  # the inverse of a pivot's root
    return total
