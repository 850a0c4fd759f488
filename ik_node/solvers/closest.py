"""A local minimum of the sum of the squared weighted errors of a goal, as a numba kernel.

Levenberg–Marquardt with the damping of Nielsen [Madsen, Nielsen & Tingleff 2004, algorithm 3.16],
with joints pressed against a limit held there.
"""

from ik_node._jit import Vector, njit
from ik_node.kinematics.forward import ChainArrays
from ik_node.kinematics.jacobian import chain_jacobian
from ik_node.solvers.jacobian.linear import cholesky, cholesky_solve, gram, times_transpose
from ik_node.solvers.search import residual
from ik_node.solvers.settings import Work
from ik_node.solvers.task import Task, task_jacobian

_MOST_STEPS = 200
_SETTLED = 1e-9  # of the error: a step with a smaller reduction is the last


@njit
def minimise(chain: ChainArrays, task: Task, work: Work, q: Vector) -> float:
    """Replace q (n,) in place by a local minimum of Σ (wᵢ eᵢ)²; return its value.

    Since J_r⁻¹(e)ᵀ e = e, Jᵀ V is the gradient for any size of the rotation error.
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
                allowed = min(max(q[k] + dq[k], lower[k]), upper[k])
                change = allowed - q[k]
                promised += change * (damping * change + z[k])
                moved = max(moved, abs(change))
                work.direction[k] = q[k]
                q[k] = allowed  # q + (upper − q) may exceed upper by rounding
            gained = error - residual(chain, task, work, q)[0]
            if gained > 0.0:
                ratio = gained / promised if promised > 0.0 else 1.0
                damping *= max(1.0 / 3.0, 1.0 - (2.0 * ratio - 1.0) ** 3)
                growth = 2.0
                break
            for k in range(n):
                q[k] = work.direction[k]
            if moved < 1e-9 or damping > 1e9:
                residual(chain, task, work, q)
                return error
            damping = max(damping, 1e-12) * growth
            growth *= 2.0
        error -= gained
        if gained < _SETTLED * error:
            break
    return error
