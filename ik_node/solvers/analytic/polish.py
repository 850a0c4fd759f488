"""Branches of the ideal arm brought onto the true one, by Newton's method with damping."""

import math

from ik_node._jit import inline, njit
from ik_node.kinematics.forward import chain_frames
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
from ik_node.solvers.task import task_jacobian

STEPS = 30
_DONE = 1e-26        # squared error: nothing is gained beyond
_LONGEST = 0.5       # rad or m, of one step
_FLOOR = 1e-15       # damping for what rounding leaves of a rank
_SHORT_FLOOR = 1e-12  # where there are fewer joints than rows, and J Jᵀ never has full rank
_FARTHEST_TWIN = 1.0  # rad
_SHORT = 1e-5         # rad or m, of a last step
_FLAT = 1e-3          # a determinant of three directions that is as good as none
_SINGULAR = 1e-12     # a pivot that is none, of what is of size 1
_ALL_BUT_SINGULAR = 1e-6  # and one with which rounding errors show


@njit
def polish(chain, task, work, held, q, steps):
    """Move q (n,) in place to where the goal is met; return the errors there.

    (squared weighted error, position error in m, orientation error in rad), as
    `search.residual`. held (n,): 1 for joints that stay where they are. steps: how many, at the
    most. The damping follows the squared error, so that the last steps are Newton's [Sugihara
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
        after, there, turned = residual(chain, task, work, q)
        if after < error:
            worse = max(worse * 0.1, 1.0)
            error, position, orientation = after, there, turned
            continue
        for k in range(n):
            q[k] = before[k]
        residual(chain, task, work, q)
        if error < 1e-20:  # rounding is all that is left
            break
        worse *= 100.0
    return error, position, orientation


@inline
def _write_jacobian(chain, task, work, held):
    """Write the task's Jacobian at the posture of work.frames into work.J, 0 for joints held."""
    J = work.J
    chain_jacobian(chain, work.frames, work.frames[-1], J)
    task_jacobian(task, work.e, work.R, J)
    for k in range(J.shape[1]):
        if held[k] != 0.0:
            for i in range(6):
                J[i, k] = 0.0


@njit
def _eliminate(J, e):
    """Bring J (6, 6) to triangular form in place, e (6,) along; return the smallest pivot.

    Gaussian elimination with partial pivoting; it ends at a pivot that is as good as none.
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


@njit
def is_singular(chain, work, q):
    """Tell whether an arm of six joints is all but singular at q (6,)."""
    chain_frames(chain, q, work.frames)
    chain_jacobian(chain, work.frames, work.frames[-1], work.J)
    return _eliminate(work.J, work.e) < _ALL_BUT_SINGULAR


@njit
def last_step(chain, T_base_goal, work, q):
    """Take the last Newton step from q (6,), which all but meets a whole pose; tell whether it did.

    work.frames are q's. A step this short leaves an error of its own square, which is nothing; near
    a singular posture it is what tells joint values that are right from those that look right.
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
def is_regular(frames):
    """Tell whether an arm with a spherical wrist is far from singular; frames (7, 4, 4) its own.

    Its Jacobian about the wrist's centre falls into two blocks of three joints, and both have to
    have a determinant: the wrist's axes, and how the others move the centre [Hollerbach 1983].
    """
    F = frames
    ax, ay, az = F[3, 0, 2], F[3, 1, 2], F[3, 2, 2]
    bx, by, bz = F[4, 0, 2], F[4, 1, 2], F[4, 2, 2]
    cx, cy, cz = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
    if abs(cx * F[5, 0, 2] + cy * F[5, 1, 2] + cz * F[5, 2, 2]) < _FLAT:
        return False
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
    return det * det > _FLAT * _FLAT * length * length * length


@njit
def across_fold(chain, task, work, held, q, side, start):
    """Write into start (n,) where an answer is to be looked for near a singular posture q (n,).

    Answers come in pairs there, one on each side, and an ideal arm that is a little off may know
    one of them only, or stop between them. Along the direction v that hardly moves the tip, which
    it moves along u, the way left is u·e = σ t + ½ (u·H[v, v]) t². side: which of the two roots t,
    -1 or 1; where q meets the goal, −1 is its twin's and 1 its own. Returns whether there is one,
    near enough to be of use.
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
    way = 0.0
    for i in range(6):
        way += U[i, least] * work.V[i]
    residual(chain, task, work, start)
    chain_jacobian(chain, work.frames, work.frames[-1], J)
    task_jacobian(task, work.e, work.R, J)
    curvature = -sigma
    for i in range(6):
        for k in range(n):
            curvature += U[i, least] * J[i, k] * v[k]
    curvature /= step
    square = sigma * sigma + 2.0 * curvature * way
    if not square >= 0.0:
        return False
    # Of the root 1 in the form that keeps its digits where it is all but zero.
    root = sigma + math.sqrt(square)
    t = 2.0 * way / root if side > 0 else -root / curvature
    if not abs(t) < _FARTHEST_TWIN:
        return False
    for k in range(n):
        start[k] = q[k] + t * v[k]
    return True
