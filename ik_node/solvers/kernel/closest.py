"""The configuration closest to a goal that cannot be met.

It minimises the sum of the squared weighted errors Σ (wᵢ eᵢ)², e in m and rad, within the limits:
Levenberg–Marquardt with the damping of Nielsen [Madsen, Nielsen & Tingleff 2004, algorithm 3.16],
from several initial guesses, with joints pressed against a limit held there.
"""

import math

from ik_node.kinematics.forward import ChainRecord
from ik_node.solvers import codes
from ik_node.solvers.kernel import linear, restarts, search
from ik_node.solvers.kernel.settings import ArmData, Settings
from ik_node.support import arrays, clock
from ik_node.support.arrays import Vector

INF = math.inf
MOST_STEPS = 200  # from each initial guess
SETTLED = 1e-9    # of the error: a step with a smaller reduction is the last;
ROUGHLY = 1e-6    # after a failed search, whose result is not asked to be the closest
ALIKE = 1e-6      # of the error: of minima that differ less, the one from the earlier guess counts


def best_of(chain: ChainRecord, work: ArmData, samples: Vector, guesses: int,
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
            arrays.copy_to(q, work.null, n)
        elif index > 1:
            restarts.spread(chain, work.unit, start, samples, index - 2, q)
        error = minimise(chain, work, q, SETTLED, MOST_STEPS, INF,
                         deadline if index > 0 else INF)
        if index == 0:
            arrays.copy_to(start, q, n)
        if error < (1.0 - ALIKE) * least and (work.touch is None or work.touch.is_free(q)):
            least = error
            arrays.copy_to(best, q, n)


def approach(chain: ChainRecord, settings: Settings, work: ArmData) -> None:
    """Continue from the best configuration of a failed search to the local minimum next to it.

    As many steps are made as an attempt may have iterations, none longer than `max_step`.
    """
    q = work.q
    arrays.copy_to(q, work.best, chain.n)
    error = minimise(chain, work, q, ROUGHLY, settings.max_iterations, settings.max_step,
                     work.deadline)
    if not error < work.error:
        return
    arrays.copy_to(work.best, q, chain.n)
    work.error, work.position, work.orientation = search.residual(chain, work.task, work, q)
    if (work.position <= settings.position_tolerance
            and work.orientation <= settings.orientation_tolerance):
        work.end = (codes.CONVERGED if work.touch is None or work.touch.is_free(q)
                    else codes.BLOCKED)


def minimise(chain: ChainRecord, work: ArmData, q: Vector, settled: float, most: int,
             longest: float, deadline: float) -> float:
    """Replace q (n,) in place by a local minimum of Σ (wᵢ eᵢ)²; return its value.

    Since J_r⁻¹(e)ᵀ e = e, Jᵀ V is the gradient for any size of the rotation error. settled: the
    part of the error by which the last step reduces it. most: steps; longest: step of a joint, rad
    or m. deadline: by `clock`, s; the steps end there.
    """
    n, J, V, dq, z = chain.n, work.J, work.V, work.dq, work.z
    lower, upper, before = chain.lower, chain.upper, work.direction
    error, _, _ = search.residual(chain, work.task, work, q)
    damping, growth = 0.0, 2.0
    for step in range(most):
        if step % codes.LOOK == codes.LOOK - 1 and clock.is_over(deadline):
            break
        search.rows(chain, work.task, work)
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
            gained, moved = 0.0, INF
            if linear.damped_step(J, n, V, damping, damping, work, dq):  # else by rounding
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
                after, _, _ = search.residual(chain, work.task, work, q)
                gained = error - after
                if gained > 0.0:
                    excess = 2.0 * (gained / promised if promised > 0.0 else 1.0) - 1.0
                    damping *= max(1.0 / 3.0, 1.0 - excess * (excess * excess))
                    growth = 2.0
                    break
                arrays.copy_to(q, before, n)
            if moved < 1e-9 or damping > 1e9:
                search.residual(chain, work.task, work, q)
                return error
            damping = max(damping, 1e-12) * growth
            growth *= 2.0
        error -= gained
        if gained < settled * error:
            break
    return error
