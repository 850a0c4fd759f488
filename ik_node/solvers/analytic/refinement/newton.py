"""Damped Newton refinement of branches of the nominal arm on the true arm."""

import math

import cython

from ik_node.kinematics import forward, jacobian
from ik_node.kinematics.forward import ChainRecord
from ik_node.solvers.kernel import linear, search
from ik_node.solvers.kernel.settings import ArmData
from ik_node.solvers.kernel.task import TipTask
from ik_node.spatial.vector3 import Vector3
from ik_node.support.arrays import Columns, Pose, Vector

if not cython.compiled:
    from ik_node.spatial.vector3 import *

INF = math.inf
STEPS = 30
FEW_STEPS = 14         # of candidates most of which are no solutions
_DONE = 1e-26        # squared error at which refinement ends
_STALLED = 0.01      # relative change of the squared error at a least one that is not zero
_LONGEST = 0.5       # rad or m, of one step
_FLOOR = 1e-15       # damping against rank deficiency up to rounding
_SHORT_FLOOR = 1e-12  # with fewer joints than rows, where J Jᵀ is always rank deficient
_FARTHEST_TWIN = 1.0  # rad
_SHORT = 1e-5         # rad or m, of a last step
_SINGULAR = 1e-12     # a pivot that counts as zero, for entries of size 1
ALL_BUT_SINGULAR = 1e-6  # a pivot that amplifies rounding errors noticeably


def newton_refinement(chain: ChainRecord, task: TipTask, work: ArmData, held: Vector, q: Vector,
                      steps: int) -> tuple[float, float, float]:
    """Refine q (n,) in place by damped Newton steps; return the errors there.

    (squared weighted error, position error in m, orientation error in rad), as
    `search.residual`. held (n,): 1 for joints that stay fixed. steps: maximum number of
    steps. The damping follows the squared error, so that the last steps are Newton's [Sugihara
    2011].
    """
    J, A, dq, before, n, worse = work.J, work.A, work.dq, work.z, chain.n, 1.0
    error, position, orientation = search.residual(chain, task, work, q)
    floor = _FLOOR if n >= task.rows else _SHORT_FLOOR
    for _ in range(steps):
        if not error > _DONE:
            break
        _write_jacobian(chain, task, work, held)
        linear.gram(J, n, A)
        largest = 0.0
        for i in range(6):
            largest = max(largest, A[i][i])
        for i in range(6):
            A[i][i] += worse * 1e-3 * error + floor * largest
        if linear.cholesky(A) == 0.0:
            break
        linear.cholesky_solve(A, work.V, work.beta)
        linear.times_transpose(J, n, work.beta, dq)
        longest = 0.0
        for k in range(n):
            longest = max(longest, math.fabs(dq[k]))
        scale = min(1.0, _LONGEST / longest) if longest > 0.0 else 0.0
        for k in range(n):
            before[k] = q[k]
            q[k] += scale * dq[k]
        after, position_after, orientation_after = search.residual(chain, task, work, q)
        stalled = (n < task.rows and scale == 1.0
                   and math.fabs(after - error) < _STALLED * error)
        if after < error:
            worse = max(worse * 0.1, 1.0)
            error, position, orientation = after, position_after, orientation_after
            if stalled:
                break
            continue
        for k in range(n):
            q[k] = before[k]
        search.residual(chain, task, work, q)
        if stalled or error < 1e-24:  # the rest is rounding
            break
        worse *= 100.0
    return error, position, orientation


def _write_jacobian(chain: ChainRecord, task: TipTask, work: ArmData, held: Vector) -> None:
    """Write the task Jacobian for work.frames into work.J, with zero columns for held joints."""
    search.rows(chain, task, work)
    for k in range(chain.n):
        if held[k] != 0.0:
            for i in range(6):
                work.J[k][i] = 0.0


def _eliminate(J: Columns, n: int, e: Vector) -> float:
    """Bring J, (6, n), to triangular form in place, e (6,) along; return the smallest pivot.

    Gaussian elimination with partial pivoting; it stops at a pivot that counts as zero.
    """
    least = INF
    for k in range(n):
        pivot = k
        for i in range(k + 1, 6):
            if math.fabs(J[k][i]) > math.fabs(J[k][pivot]):
                pivot = i
        least = min(least, math.fabs(J[k][pivot]))
        if least < _SINGULAR:
            break
        if pivot != k:
            e[k], e[pivot] = e[pivot], e[k]
            for j in range(k, n):
                J[j][k], J[j][pivot] = J[j][pivot], J[j][k]
        inverse = 1.0 / J[k][k]
        for i in range(k + 1, 6):
            factor = J[k][i] * inverse
            e[i] -= factor * e[k]
            for j in range(k + 1, n):
                J[j][i] -= factor * J[j][k]
    return least


def smallest_pivot(chain: ChainRecord, work: ArmData, held: Vector, q: Vector,
                   unit: float) -> float:
    """Return the smallest pivot of the Jacobian of the joints that are not held, at q (n,).

    It is small where these, by held (n,), are nearly singular; infinite where they are more than
    six. unit: the weight of positions, 1/m.
    """
    J, free = work.J, 0
    for k in range(chain.n):
        if held[k] == 0.0:
            free += 1
    if free > 6:
        return INF
    forward.chain_frames(chain, q, work.frames)
    jacobian.chain_jacobian(chain, work.frames, work.frames[chain.m], J)
    free = 0
    for k in range(chain.n):
        if held[k] == 0.0:
            for i in range(6):
                J[free][i] = unit * J[k][i] if i < 3 else J[k][i]
            free += 1
    return _eliminate(J, free, work.e)


def last_newton_step(chain: ChainRecord, T_base_goal: Pose, work: ArmData, q: Vector) -> bool:
    """Take a last Newton step from q (n,), which nearly meets a pose; return whether it was taken.

    n is at most 6, and work.frames are q's. A step this short leaves an error of its square, below
    rounding; near a singular configuration it separates accurate joint values from those with a
    small pose error.
    """
    return newton_step(chain, T_base_goal, work, q, _SINGULAR, _SHORT)


def newton_step(chain: ChainRecord, T_base_goal: Pose, work: ArmData, q: Vector, least: float,
                longest: float) -> bool:
    """Take a Newton step from q (n,) towards a pose; return whether it was taken.

    n is at most 6, and work.frames are q's. least: pivot of the elimination below which it is not
    taken; longest: nor beyond that change of a joint, rad or m.
    """
    T, G, J, e = work.frames[chain.m], T_base_goal, work.J, work.e
    jacobian.chain_jacobian(chain, work.frames, T, J)
    rotation: Vector3 = (0.0, 0.0, 0.0)
    for j in range(3):  # log(R_goal Rᵀ) ≈ ½ Σ rⱼ × gⱼ, over the columns
        e[j] = G[j][3] - T[j][3]
        rotation = along(rotation, 0.5, cross((T[0][j], T[1][j], T[2][j]),
                                              (G[0][j], G[1][j], G[2][j])))
    e[3], e[4], e[5] = rotation
    n = chain.n
    if _eliminate(J, n, e) < least:
        return False
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            e[i] -= J[j][i] * e[j]
        e[i] /= J[i][i]
        if not math.fabs(e[i]) < longest:
            return False
    for i in range(n):
        q[i] += e[i]
    return True


def across_fold(chain: ChainRecord, task: TipTask, work: ArmData, held: Vector, q: Vector,
                side: int, start: Vector) -> bool:
    """Write an initial guess across a nearby singularity of q (n,) into start (n,).

    Solutions come in pairs there, one on each side, and an inexact nominal arm may yield only one
    of them, or a point between them. Along the direction v of least tip motion, which moves the
    tip along u, the remaining error is u·e = σ t + ½ (u·H[v, v]) t². side: which of the two roots
    t, -1 or 1; where q meets the goal, −1 gives its twin and 1 itself. Return whether there is a
    root near enough to be of use.
    """
    J, W, U, n = work.J, work.W, work.U, chain.n
    search.residual(chain, task, work, q)
    _write_jacobian(chain, task, work, held)
    largest = linear.row_svd(J, n, W, U)
    least, sigma = -1, INF
    for i in range(6):
        length = linear.row_length(W, n, i)
        if length > 1e-12 * largest and length < sigma:
            least, sigma = i, length
    if least < 0 or sigma > 0.2 * largest:
        return False
    step = 1e-4
    v = work.null
    for k in range(n):
        v[k] = W[k][least] / sigma
        start[k] = q[k] + step * v[k]
    along = 0.0
    for i in range(6):
        along += U[i][least] * work.V[i]
    search.residual(chain, task, work, start)
    search.rows(chain, task, work)
    curvature = -sigma
    for i in range(6):
        for k in range(n):
            curvature += U[i][least] * J[k][i] * v[k]
    curvature /= step
    square = sigma * sigma + 2.0 * curvature * along
    if not square >= 0.0:
        return False
    # Root 1 in the form without cancellation near zero.
    root = sigma + math.sqrt(square)
    t = 2.0 * along / root if side > 0 else -root / curvature
    if not math.fabs(t) < _FARTHEST_TWIN:
        return False
    for k in range(n):
        start[k] = q[k] + t * v[k]
    return True
