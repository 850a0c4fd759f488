"""The posture that comes closest to a goal that cannot be met.

Closest is where the sum of the squared weighted errors Σ (wᵢ eᵢ)² is least, e in m and rad, inside
the limits. The methods that solve goals are no minimisers; this is one, the same for all of them:
Levenberg–Marquardt with the damping of Nielsen [Madsen, Nielsen & Tingleff 2004, algorithm 3.16],
from several starts, joints that lean on a limit held there.
"""

import math

import numpy as np

from ik_node._jit import njit
from ik_node.kinematics.jacobian import chain_jacobian
from ik_node.model.chain import Chain
from ik_node.solvers.goal import Goal
from ik_node.solvers.jacobian.linear import cholesky, cholesky_solve, gram, times_transpose
from ik_node.solvers.packing import pack, unpack_chain
from ik_node.solvers.search import residual, spread
from ik_node.solvers.settings import make_scratch, make_work
from ik_node.solvers.starts import low_discrepancy
from ik_node.solvers.task import make_task, task_jacobian

_STARTS = 96        # of `closest_posture`
_MOST_STEPS = 200   # from each of them
_SETTLED = 1e-9     # of the error: a step that gains less is the last


def closest(chain: Chain, goal: Goal, q: np.ndarray) -> tuple[float, float]:
    """Bring q (n,), inside the limits, in place to the closest posture found.

    Return (position error in m, orientation error in rad).
    """
    starts = low_discrepancy(_STARTS - 1, chain.n_joints, 0)
    scratch = make_scratch(len(chain.arrays.column), chain.n_joints)
    return closest_posture(*pack(chain.arrays), goal.pose, goal.weights, starts, scratch, q)[1:]


@njit
def closest_posture(codes, numbers, T_base_goal, weights, samples, scratch, q):
    """Bring q (n,) in place to the best of the local minima that it leads to and samples lead to.

    samples (k, n) are numbers in [0, 1) that are spread over the limits. Returns what `goal_error`
    does.
    """
    chain = unpack_chain(codes, numbers)
    work = make_work(scratch, chain.column.shape[0], q.shape[0])
    task = make_task(T_base_goal, weights)
    tried = work.q
    best = math.inf
    for index in range(samples.shape[0] + 1):
        if index == 0:
            for k in range(q.shape[0]):
                tried[k] = q[k]
        else:
            spread(chain, work.start, samples[index - 1], tried)
        error = minimise(chain, task, work, tried)
        if error < best:
            best = error
            for k in range(q.shape[0]):
                q[k] = tried[k]
                if index == 0:
                    work.start[k] = q[k]
    return residual(chain, task, work, q)


@njit
def minimise(chain, task, work, q):
    """Bring q (n,) in place to a local minimum of Σ (wᵢ eᵢ)²; return that.

    Since J_r⁻¹(e)ᵀ e = e, Jᵀ V is the gradient however large the rotation that is left.
    """
    J, V, A, beta, dq, z, lower, upper = (
        work.J, work.V, work.A, work.beta, work.dq, work.z, chain.lower, chain.upper)
    n = q.shape[0]
    error, _, _ = residual(chain, task, work, q)
    damping, growth = 0.0, 2.0
    for step in range(_MOST_STEPS):
        chain_jacobian(chain, work.frames, work.frames[-1], J)
        task_jacobian(task, work.e, work.R, J)
        times_transpose(J, V, z)
        largest = 0.0
        for k in range(n):
            if (q[k] <= lower[k] and z[k] < 0.0) or (q[k] >= upper[k] and z[k] > 0.0):
                z[k] = 0.0
                for i in range(6):
                    J[i, k] = 0.0
            for i in range(6):
                largest = max(largest, J[i, k] * J[i, k])
        if step == 0:
            damping = 1e-3 * largest
        while True:
            gram(J, A)
            for i in range(6):
                A[i, i] += damping
            cholesky(A)
            cholesky_solve(A, V, beta)
            times_transpose(J, beta, dq)
            promised, moved = 0.0, 0.0
            for k in range(n):
                change = min(max(q[k] + dq[k], lower[k]), upper[k]) - q[k]
                promised += change * (damping * change + z[k])
                moved = max(moved, abs(change))
                work.way[k] = q[k]
                q[k] += change
            gained = error - residual(chain, task, work, q)[0]
            if gained > 0.0:
                ratio = gained / promised if promised > 0.0 else 1.0
                damping *= max(1.0 / 3.0, 1.0 - (2.0 * ratio - 1.0) ** 3)
                growth = 2.0
                break
            for k in range(n):
                q[k] = work.way[k]
            if moved < 1e-9 or damping > 1e9:
                residual(chain, task, work, q)
                return error
            damping = max(damping, 1e-12) * growth
            growth *= 2.0
        error -= gained
        if gained < _SETTLED * error:
            break
    return error
