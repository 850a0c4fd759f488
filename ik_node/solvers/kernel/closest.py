"""The configuration closest to a goal that cannot be met.

It minimises the sum of the squared weighted errors Σ (wᵢ eᵢ)², e in m and rad, within the limits:
Levenberg–Marquardt with the damping of Nielsen [Madsen, Nielsen & Tingleff 2004, algorithm 3.16],
from several initial guesses, with joints pressed against a limit held there.
"""

import math

from ik_node.kinematics import jacobian
from ik_node.kinematics.forward import ChainRecord
from ik_node.solvers import codes
from ik_node.solvers.kernel import linear, restarts, search
from ik_node.solvers.kernel import task as tasks
from ik_node.solvers.kernel.settings import ArmData, Record, Settings
from ik_node.solvers.kernel.task import TipTask
from ik_node.support import clock
from ik_node.support.arrays import Vector

INF = math.inf
MOST_STEPS = 200  # from each initial guess
SETTLED = 1e-9    # of the error: a step with a smaller reduction is the last;
ROUGHLY = 1e-6    # after a failed search, whose result is not asked to be the closest
ALIKE = 1e-6      # of the error: of minima that differ less, the one from the earlier guess counts


def best_of(chain: ChainRecord, task: TipTask, work: ArmData, samples: Vector, guesses: int,
            deadline: float) -> None:
    """Write the best local minimum into work.best (n,), from the guesses work.q0, work.null (n,).

    The other guesses are spread around the minimum from the first.
    """
    n, q, start, best = chain.n, work.q, work.start, work.best
    least = INF
    for k in range(n):
        work.unit[k] = 1.0
        q[k] = start[k] = best[k] = work.q0[k]
    for index in range(guesses):
        if index > 1 and clock.is_over(deadline):
            break
        if index == 1:
            for k in range(n):
                q[k] = work.null[k]
        elif index > 1:
            restarts.spread(chain, work.unit, start, samples, index - 2, q)
        error = minimise(chain, task, work, q, SETTLED, MOST_STEPS, INF,
                         deadline if index > 0 else INF)
        if index == 0:
            for k in range(n):
                start[k] = q[k]
        if error < (1.0 - ALIKE) * least and (work.touch is None or work.touch.is_free(q)):
            least = error
            for k in range(n):
                best[k] = q[k]


def approach(chain: ChainRecord, settings: Settings, task: TipTask, work: ArmData,
             record: Record) -> None:
    """Continue from the best configuration of a failed search to the local minimum next to it.

    As many steps are made as an attempt may have iterations, none longer than `max_step`.
    """
    n, q = chain.n, work.q
    for k in range(n):
        q[k] = work.best[k]
    error = minimise(chain, task, work, q, ROUGHLY, settings.max_iterations, settings.max_step,
                     work.deadline)
    if not error < record.error:
        return
    for k in range(n):
        work.best[k] = q[k]
    record.error, record.position, record.orientation = search.residual(chain, task, work, q)
    if (record.position <= settings.position_tolerance
            and record.orientation <= settings.orientation_tolerance):
        record.end = (codes.CONVERGED if work.touch is None or work.touch.is_free(q)
                      else codes.BLOCKED)


def minimise(chain: ChainRecord, task: TipTask, work: ArmData, q: Vector, settled: float, most: int,
             longest: float, deadline: float) -> float:
    """Replace q (n,) in place by a local minimum of Σ (wᵢ eᵢ)²; return its value.

    Since J_r⁻¹(e)ᵀ e = e, Jᵀ V is the gradient for any size of the rotation error. settled: the
    part of the error by which the last step reduces it. most: steps; longest: step of a joint, rad
    or m. deadline: by `clock`, s; the steps end there.
    """
    n, F, J, V, A, beta, dq, z = (chain.n, work.frames, work.J, work.V, work.A, work.beta, work.dq,
                                  work.z)
    lower, upper, before = chain.lower, chain.upper, work.direction
    error, _, _ = search.residual(chain, task, work, q)
    damping, growth = 0.0, 2.0
    for step in range(most):
        if step % codes.LOOK == codes.LOOK - 1 and clock.is_over(deadline):
            break
        jacobian.chain_jacobian(chain, F, F[chain.m], J)
        tasks.task_jacobian(task, work.e, work.R, n, J)
        linear.times_transpose(J, n, V, z)
        largest = 0.0
        for k in range(n):
            if (q[k] <= lower[k] and z[k] < 0.0) or (q[k] >= upper[k] and z[k] > 0.0):
                z[k] = 0.0
                for i in range(6):
                    J[k][i] = 0.0
            for i in range(6):
                largest = max(largest, J[k][i] * J[k][i])
        if step == 0:
            damping = 1e-3 * largest
        while True:
            linear.gram(J, n, A)
            for i in range(6):
                A[i][i] += damping
            linear.cholesky(A)
            linear.cholesky_solve(A, V, beta)
            linear.times_transpose(J, n, beta, dq)
            promised, moved, share = 0.0, 0.0, 1.0
            for k in range(n):
                share = min(share, longest / math.fabs(dq[k]) if dq[k] != 0.0 else 1.0)
            for k in range(n):
                allowed = min(max(q[k] + share * dq[k], lower[k]), upper[k])
                change = allowed - q[k]
                promised += change * (damping * change + z[k])
                moved = max(moved, math.fabs(change))
                before[k] = q[k]
                q[k] = allowed  # q + (upper − q) may exceed upper by rounding
            after, _, _ = search.residual(chain, task, work, q)
            gained = error - after
            if gained > 0.0:
                excess = 2.0 * (gained / promised if promised > 0.0 else 1.0) - 1.0
                damping *= max(1.0 / 3.0, 1.0 - excess * (excess * excess))
                growth = 2.0
                break
            for k in range(n):
                q[k] = before[k]
            if moved < 1e-9 or damping > 1e9:
                search.residual(chain, task, work, q)
                return error
            damping = max(damping, 1e-12) * growth
            growth *= 2.0
        error -= gained
        if gained < settled * error:
            break
    return error
