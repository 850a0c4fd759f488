"""Damped Newton refinement of branches of the nominal arm on the true arm."""

import math

from ik_node._jit import Matrix, Stack, Vector, inline, njit, rare
from ik_node.kinematics.forward import ChainArrays, chain_frames
from ik_node.kinematics.jacobian import chain_jacobian
from ik_node.solvers.jacobian.linear import (
    cholesky,
    cholesky_solve,
    gram,
    row_length,
    row_svd,
    times_transpose,
)
from ik_node.solvers.search import residual
from ik_node.solvers.settings import Work
from ik_node.solvers.task import Task, task_jacobian

STEPS = 30
_DONE = 1e-26        # squared error at which refinement ends
_LONGEST = 0.5       # rad or m, of one step
_FLOOR = 1e-15       # damping against rank deficiency up to rounding
_SHORT_FLOOR = 1e-12  # with fewer joints than rows, where J Jᵀ is always rank deficient
_FARTHEST_TWIN = 1.0  # rad
_SHORT = 1e-5         # rad or m, of a last step
_DEGENERATE = 1e-3          # a determinant of three directions that counts as zero
_SINGULAR = 1e-12     # a pivot that counts as zero, for entries of size 1
_ALL_BUT_SINGULAR = 1e-6  # a pivot that amplifies rounding errors noticeably


@njit
def newton_refinement(chain: ChainArrays, task: Task, work: Work, held: Vector, q: Vector,
                      steps: int) -> tuple[float, float, float]:
    """Refine q (n,) in place by damped Newton steps; return the errors there.

    (squared weighted error, position error in m, orientation error in rad), as
    `search.residual`. held (n,): 1 for joints that stay fixed. steps: maximum number of
    steps. The damping follows the squared error, so that the last steps are Newton's [Sugihara
    2011].
    """
    error, position, orientation = residual(chain, task, work, q)
    n = q.shape[0]
    worse = 1.0
    floor = _FLOOR if n >= task.rows else _SHORT_FLOOR
    for _ in range(steps):
        if not error > _DONE:
            break
        J, A, dq, before = work.J, work.A, work.dq, work.z
        _write_jacobian(chain, task, work, held)
        gram(J, A)
        largest = 0.0
        for i in range(6):
            largest = max(largest, A[i, i])
        for i in range(6):
            A[i, i] += worse * 1e-3 * error + floor * largest
        if cholesky(A) == 0.0:
            break
        cholesky_solve(A, work.V, work.beta)
        times_transpose(J, work.beta, dq)
        longest = 0.0
        for k in range(n):
            longest = max(longest, abs(dq[k]))
        scale = min(1.0, _LONGEST / longest) if longest > 0.0 else 0.0
        for k in range(n):
            before[k] = q[k]
            q[k] += scale * dq[k]
        after, position_after, orientation_after = residual(chain, task, work, q)
        if after < error:
            worse = max(worse * 0.1, 1.0)
            error, position, orientation = after, position_after, orientation_after
            continue
        for k in range(n):
            q[k] = before[k]
        residual(chain, task, work, q)
        if error < 1e-20:  # the rest is rounding
            break
        worse *= 100.0
    return error, position, orientation


@inline
def _write_jacobian(chain: ChainArrays, task: Task, work: Work, held: Vector) -> None:
    """Write the task Jacobian for work.frames into work.J, with zero columns for held joints."""
    J = work.J
    chain_jacobian(chain, work.frames, work.frames[-1], J)
    task_jacobian(task, work.e, work.R, J)
    for k in range(J.shape[1]):
        if held[k] != 0.0:
            for i in range(6):
                J[i, k] = 0.0


@njit
def _eliminate(J: Matrix, e: Vector) -> float:
    """Bring J (6, 6) to triangular form in place, e (6,) along; return the smallest pivot.

    Gaussian elimination with partial pivoting; it stops at a pivot that counts as zero.
    """
    least = math.inf
    for k in range(6):
        pivot = k
        for i in range(k + 1, 6):
            if abs(J[i, k]) > abs(J[pivot, k]):
                pivot = i
        least = min(least, abs(J[pivot, k]))
        if least < _SINGULAR:
            break
        if pivot != k:
            e[k], e[pivot] = e[pivot], e[k]
            for j in range(k, 6):
                J[k, j], J[pivot, j] = J[pivot, j], J[k, j]
        inverse = 1.0 / J[k, k]
        for i in range(k + 1, 6):
            factor = J[i, k] * inverse
            e[i] -= factor * e[k]
            for j in range(k + 1, 6):
                J[i, j] -= factor * J[k, j]
    return least


@rare
def is_singular(chain: ChainArrays, work: Work, q: Vector) -> bool:
    """Tell whether an arm of six joints is nearly singular at q (6,)."""
    chain_frames(chain, q, work.frames)
    chain_jacobian(chain, work.frames, work.frames[-1], work.J)
    return _eliminate(work.J, work.e) < _ALL_BUT_SINGULAR


@njit
def last_newton_step(chain: ChainArrays, T_base_goal: Matrix, work: Work, q: Vector) -> bool:
    """Take a last Newton step from q (6,), which nearly meets a pose; return whether it was taken.

    work.frames are q's. A step this short leaves an error of its square, below rounding; near a
    singular configuration it separates accurate joint values from those with a small pose error.
    """
    F, J, e = work.frames, work.J, work.e
    tip = F.shape[0] - 1
    chain_jacobian(chain, F, F[tip], J)
    for i in range(3):
        e[i] = T_base_goal[i, 3] - F[tip, i, 3]
        e[3 + i] = 0.0
    for j in range(3):  # log(R_goal Rᵀ) ≈ ½ Σ rⱼ × gⱼ, over the columns
        x, y, z = F[tip, 0, j], F[tip, 1, j], F[tip, 2, j]
        a, b, c = T_base_goal[0, j], T_base_goal[1, j], T_base_goal[2, j]
        e[3] += 0.5 * (y * c - z * b)
        e[4] += 0.5 * (z * a - x * c)
        e[5] += 0.5 * (x * b - y * a)
    if _eliminate(J, e) < _SINGULAR:
        return False
    for i in range(5, -1, -1):
        for j in range(i + 1, 6):
            e[i] -= J[i, j] * e[j]
        e[i] /= J[i, i]
        if not abs(e[i]) < _SHORT:
            return False
    for i in range(6):
        q[i] += e[i]
    return True


@inline
def is_wrist_regular(frames: Stack) -> bool:
    """Tell whether the spherical wrist of an arm is far from singular; frames (7, 4, 4) its own.

    About the wrist centre the Jacobian has two blocks of three joints, whose determinants must not
    vanish: the wrist's axes, and the motion of the centre by the others [Hollerbach 1983].
    """
    F = frames
    ax, ay, az = F[3, 0, 2], F[3, 1, 2], F[3, 2, 2]
    bx, by, bz = F[4, 0, 2], F[4, 1, 2], F[4, 2, 2]
    cx, cy, cz = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
    return abs(cx * F[5, 0, 2] + cy * F[5, 1, 2] + cz * F[5, 2, 2]) >= _DEGENERATE


@inline
def is_arm_regular(frames: Stack) -> bool:
    """Tell whether the other block is far from singular; it depends on the first three joints."""
    F = frames
    ax, ay, az = F[3, 0, 2], F[3, 1, 2], F[3, 2, 2]
    bx, by, bz = F[4, 0, 2], F[4, 1, 2], F[4, 2, 2]
    cx, cy, cz = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
    x, y, z = F[4, 0, 3] - F[3, 0, 3], F[4, 1, 3] - F[3, 1, 3], F[4, 2, 3] - F[3, 2, 3]
    t = (cx * (y * bz - z * by) + cy * (z * bx - x * bz) + cz * (x * by - y * bx)) / (
        cx * cx + cy * cy + cz * cz)
    x, y, z = F[3, 0, 3] + t * ax, F[3, 1, 3] + t * ay, F[3, 2, 3] + t * az  # the centre
    ux, uy, uz = x - F[0, 0, 3], y - F[0, 1, 3], z - F[0, 2, 3]
    vx, vy, vz = x - F[1, 0, 3], y - F[1, 1, 3], z - F[1, 2, 3]
    wx, wy, wz = x - F[2, 0, 3], y - F[2, 1, 3], z - F[2, 2, 3]
    ax, ay, az = F[0, 0, 2], F[0, 1, 2], F[0, 2, 2]
    bx, by, bz = F[1, 0, 2], F[1, 1, 2], F[1, 2, 2]
    cx, cy, cz = F[2, 0, 2], F[2, 1, 2], F[2, 2, 2]
    px, py, pz = ay * uz - az * uy, az * ux - ax * uz, ax * uy - ay * ux
    qx, qy, qz = by * vz - bz * vy, bz * vx - bx * vz, bx * vy - by * vx
    rx, ry, rz = cy * wz - cz * wy, cz * wx - cx * wz, cx * wy - cy * wx
    det = (px * (qy * rz - qz * ry) + py * (qz * rx - qx * rz) + pz * (qx * ry - qy * rx))
    length = ux * ux + uy * uy + uz * uz + vx * vx + vy * vy + vz * vz + wx * wx + wy * wy + wz * wz
    return det * det > _DEGENERATE * _DEGENERATE * length * length * length


@rare
def across_fold(chain: ChainArrays, task: Task, work: Work, held: Vector, q: Vector, side: int,
                start: Vector) -> bool:
    """Write an initial guess across a nearby singularity of q (n,) into start (n,).

    Solutions come in pairs there, one on each side, and an inexact nominal arm may yield only one
    of them, or a point between them. Along the direction v of least tip motion, which moves the
    tip along u, the remaining error is u·e = σ t + ½ (u·H[v, v]) t². side: which of the two roots
    t, -1 or 1; where q meets the goal, −1 gives its twin and 1 itself. Return whether there is a
    root near enough to be of use.
    """
    n = q.shape[0]
    J, W, U = work.J, work.W, work.U
    residual(chain, task, work, q)
    _write_jacobian(chain, task, work, held)
    largest = row_svd(J, W, U)
    least, sigma = -1, math.inf
    for i in range(6):
        length = row_length(W, i)
        if length > 1e-12 * largest and length < sigma:
            least, sigma = i, length
    if least < 0 or sigma > 0.2 * largest:
        return False
    step = 1e-4
    v = work.null
    for k in range(n):
        v[k] = W[least, k] / sigma
        start[k] = q[k] + step * v[k]
    along = 0.0
    for i in range(6):
        along += U[i, least] * work.V[i]
    residual(chain, task, work, start)
    chain_jacobian(chain, work.frames, work.frames[-1], J)
    task_jacobian(task, work.e, work.R, J)
    curvature = -sigma
    for i in range(6):
        for k in range(n):
            curvature += U[i, least] * J[i, k] * v[k]
    curvature /= step
    square = sigma * sigma + 2.0 * curvature * along
    if not square >= 0.0:
        return False
    # Root 1 in the form without cancellation near zero.
    root = sigma + math.sqrt(square)
    t = 2.0 * along / root if side > 0 else -root / curvature
    if not abs(t) < _FARTHEST_TWIN:
        return False
    for k in range(n):
        start[k] = q[k] + t * v[k]
    return True
