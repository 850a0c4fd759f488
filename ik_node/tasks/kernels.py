"""Residuals and Jacobians of the tasks over flat arrays: kernels.

Each kernel does what `evaluate` of its task says. A Jacobian is written as its transpose, column
`first + i` of J (n, m) for row i of the task, so that what one joint moves lies together.
"""

import math
from typing import Annotated, NamedTuple

from ik_node._jit import Integers, Matrix, Shape, Stack, Vector, inline, njit
from ik_node.kinematics.forward import TreeArrays
from ik_node.kinematics.inertia import InertiaArrays, center_of_mass
from ik_node.kinematics.jacobian import point_jacobian
from ik_node.kinematics.pose_rows import pose_rows

(POSE, POINT, ALIGN, LOOK, MASS, VALUES, RELATIVE, DISTANCE, DIFFERENCE,
 FORCE) = range(10)

_SMALL_ANGLE = 1e-3  # rad; below it a series is as exact as the closed form
_OPPOSITE = 1e-12    # sine below which two opposite axes say not which way to turn
_NOWHERE = 1e-12     # m; points at this distance coincide


class TaskWork(NamedTuple):
    """Scratch arrays, m links, n entries of q."""

    frames: Annotated[Stack, Shape('m', 4, 4)]
    axes: Annotated[Matrix, Shape('m', 3)]
    moments: Annotated[Matrix, Shape('m', 4)]
    J: Annotated[Matrix, Shape(6, 'n')]
    other: Annotated[Matrix, Shape(6, 'n')]
    """Jacobian of a second link."""
    T: Annotated[Matrix, Shape(4, 4)]
    R: Annotated[Matrix, Shape(3, 3)]
    M: Annotated[Matrix, Shape(3, 3)]
    r: Annotated[Vector, Shape(6)]
    v: Annotated[Vector, Shape(3)]
    u: Annotated[Vector, Shape(3)]


@njit
def task_rows(robot: TreeArrays, inertias: InertiaArrays, record: Integers, codes: Integers,
              x: Vector, work: TaskWork, q: Vector, first: int, r: Vector, J: Matrix) -> None:
    """Write the residual of a task into r from `first` on, and its Jacobian into J (n, m).

    robot: `TreeArrays`; record: kind, link, other link (−1 for the world) and number of rows;
    codes, x: the integers and the other numbers of the task, as `packed` of the task returns them.
    work has the frames and axes at q (n,).
    """
    kind, link, other, count = record[0], record[1], record[2], record[3]
    if kind == POSE:
        _pose(robot, link, codes, x, work, first, r, J)
    elif kind == POINT:
        _point(robot, link, count, x, work, first, r, J)
    elif kind == ALIGN:
        _align(robot, link, x, work, first, r, J)
    elif kind == LOOK:
        _look(robot, link, x, work, first, r, J)
    elif kind == MASS:
        _mass(robot, inertias, codes, x, work, first, r, J)
    elif kind == VALUES:
        for i in range(count):
            r[first + i] = q[codes[i]] - x[i]
            for k in range(J.shape[0]):
                J[k, first + i] = 0.0
            J[codes[i], first + i] = 1.0
    elif kind == RELATIVE:
        _relative(robot, link, other, x, work, first, r, J)
    elif kind == FORCE:
        point_jacobian(robot, work.frames, work.axes, link, x[3:6], work.J)
        r[first] = -1.0
        _along(x[6], x[7], x[8], work.J, first, J)
    else:
        _difference(robot, link, other, x, work)
        if kind == DIFFERENCE:
            for i in range(3):
                r[first + i] = work.v[i]
                for k in range(J.shape[0]):
                    J[k, first + i] = work.J[i, k]
        else:
            _distance(count, x, work, first, r, J)


@njit
def force_energy(record: Integers, x: Vector, work: TaskWork) -> float:
    """Return −f · p / |f|, m, of a force: how far its point is along it."""
    link, F = record[1], work.frames
    energy = 0.0
    for i in range(3):
        p = F[link, i, 0] * x[3] + F[link, i, 1] * x[4] + F[link, i, 2] * x[5] + F[link, i, 3]
        energy -= x[6 + i] * p
    return energy


@njit
def _pose(robot: TreeArrays, link: int, codes: Integers, x: Vector, work: TaskWork, first: int,
          r: Vector, J: Matrix) -> None:
    G, T, M, own, A = x[:16].reshape((4, 4)), work.T, work.M, work.r, work.J
    point = x[16:19]
    point_jacobian(robot, work.frames, work.axes, link, point, A)
    _pose_at(work.frames[link], point, T)
    pose_rows(G, T, work.R, own, M)
    row = first
    for i in range(6):
        if codes[i] == 0:
            continue
        r[row] = own[i]
        if i < 3:
            a, b, c, top = G[0, i], G[1, i], G[2, i], 0
        else:
            a, b, c, top = M[i - 3, 0], M[i - 3, 1], M[i - 3, 2], 3
        for k in range(J.shape[0]):
            J[k, row] = a * A[top, k] + b * A[top + 1, k] + c * A[top + 2, k]
        row += 1


@njit
def _pose_at(F: Matrix, point: Vector, T: Matrix) -> None:
    """Write F (4, 4) moved to a point (3,) of its own into T (4, 4)."""
    for i in range(3):
        for j in range(4):
            T[i, j] = F[i, j]
        T[i, 3] += F[i, 0] * point[0] + F[i, 1] * point[1] + F[i, 2] * point[2]


@njit
def _point(robot: TreeArrays, link: int, count: int, x: Vector, work: TaskWork, first: int,
           r: Vector, J: Matrix) -> None:
    """R = B (p − origin), B (m, 3)."""
    T, A = work.T, work.J
    point_jacobian(robot, work.frames, work.axes, link, x[3:6], A)
    _pose_at(work.frames[link], x[3:6], T)
    for i in range(count):
        a, b, c = x[6 + 3 * i], x[7 + 3 * i], x[8 + 3 * i]
        r[first + i] = a * (T[0, 3] - x[0]) + b * (T[1, 3] - x[1]) + c * (T[2, 3] - x[2])
        _along(a, b, c, A, first + i, J)


@inline
def _along(a: float, b: float, c: float, A: Matrix, row: int, J: Matrix) -> None:
    """Write (a, b, c) A[:3] into a column of J."""
    for k in range(J.shape[0]):
        J[k, row] = a * A[0, k] + b * A[1, k] + c * A[2, k]


@njit
def _align(robot: TreeArrays, link: int, x: Vector, work: TaskWork, first: int, r: Vector,
           J: Matrix) -> None:
    F, A, a = work.frames, work.J, work.u
    point_jacobian(robot, F, work.axes, link, x[12:15], A)
    for i in range(3):
        a[i] = F[link, i, 0] * x[0] + F[link, i, 1] * x[1] + F[link, i, 2] * x[2]
    for k in range(J.shape[0]):  # ȧ = ω × a
        wx, wy, wz = A[3, k], A[4, k], A[5, k]
        A[0, k] = wy * a[2] - wz * a[1]
        A[1, k] = wz * a[0] - wx * a[2]
        A[2, k] = wx * a[1] - wy * a[0]
    _angles(a, x[3:6], x[6:12], A, first, r, J)


@njit
def _look(robot: TreeArrays, link: int, x: Vector, work: TaskWork, first: int, r: Vector,
          J: Matrix) -> None:
    F, A, v, u = work.frames, work.J, work.v, work.u
    for i in range(3):
        v[i] = x[i] - F[link, i, 3]
    distance = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    if distance < _NOWHERE:
        for i in range(2):
            r[first + i] = 0.0
            for k in range(J.shape[0]):
                J[k, first + i] = 0.0
        return
    point_jacobian(robot, F, work.axes, link, x[12:15], A)
    ux, uy, uz = v[0] / distance, v[1] / distance, v[2] / distance
    for i in range(3):
        u[i] = F[link, 0, i] * ux + F[link, 1, i] * uy + F[link, 2, i] * uz
    for k in range(J.shape[0]):
        wx, wy, wz = A[3, k], A[4, k], A[5, k]
        a = -(A[0, k] + wy * v[2] - wz * v[1]) / distance
        b = -(A[1, k] + wz * v[0] - wx * v[2]) / distance
        c = -(A[2, k] + wx * v[1] - wy * v[0]) / distance
        along = a * ux + b * uy + c * uz
        a -= along * ux
        b -= along * uy
        c -= along * uz
        for i in range(3):
            A[i, k] = F[link, 0, i] * a + F[link, 1, i] * b + F[link, 2, i] * c
    _angles(u, x[3:6], x[6:12], A, first, r, J)


@njit
def _angles(a: Vector, direction: Vector, B: Vector, A: Matrix, first: int, r: Vector,
            J: Matrix) -> None:
    """Write (θ / sin θ) B a and its Jacobian; see `aim.angle_between`. A[:3] is that of a."""
    c = direction[0] * a[0] + direction[1] * a[1] + direction[2] * a[2]
    s, t = B[0] * a[0] + B[1] * a[1] + B[2] * a[2], B[3] * a[0] + B[4] * a[1] + B[5] * a[2]
    sine = math.sqrt(s * s + t * t)
    angle = math.atan2(sine, c)
    if c < 0.0 and sine < _OPPOSITE:
        r[first], r[first + 1] = math.pi, 0.0
        _along(-B[0], -B[1], -B[2], A, first, J)
        _along(0.0, 0.0, 0.0, A, first + 1, J)
        return
    if angle < _SMALL_ANGLE:
        g, slope = 1.0 + angle * angle / 6.0, -1.0 / 3.0 - 2.0 * angle * angle / 15.0
    else:
        g = angle / sine
        slope = (g * c - 1.0) / (sine * sine)
    r[first], r[first + 1] = g * s, g * t
    for k in range(J.shape[0]):
        turning = slope * (direction[0] * A[0, k] + direction[1] * A[1, k]
                           + direction[2] * A[2, k])
        J[k, first] = s * turning + g * (B[0] * A[0, k] + B[1] * A[1, k] + B[2] * A[2, k])
        J[k, first + 1] = t * turning + g * (B[3] * A[0, k] + B[4] * A[1, k] + B[5] * A[2, k])


@njit
def _mass(robot: TreeArrays, inertias: InertiaArrays, codes: Integers, x: Vector, work: TaskWork,
          first: int, r: Vector, J: Matrix) -> None:
    """Read a target (3,), nan where an axis is free, then normal and corner (4,) of each edge."""
    A, c, row = work.J, work.v, first
    center_of_mass(robot, inertias, work.frames, work.axes, work.moments, c, A[:3])
    if codes[0] != 0:
        for i in range(3):
            free = x[i] != x[i]
            r[row] = 0.0 if free else c[i] - x[i]
            for k in range(J.shape[0]):
                J[k, row] = 0.0 if free else A[i, k]
            row += 1
    for edge in range(codes[1]):
        at = 3 + 4 * edge
        a, b = x[at], x[at + 1]
        r[row] = a * (c[0] - x[at + 2]) + b * (c[1] - x[at + 3])
        for k in range(J.shape[0]):
            J[k, row] = a * A[0, k] + b * A[1, k]
        row += 1


@njit
def _relative(robot: TreeArrays, link: int, reference: int, x: Vector, work: TaskWork, first: int,
              r: Vector, J: Matrix) -> None:
    F, G, T, M, own = work.frames, x[:16].reshape((4, 4)), work.T, work.M, work.r
    A, other, R, v = work.J, work.other, work.R, work.v
    for i in range(3):  # T_reference_link
        for j in range(4):
            T[i, j] = 0.0
            for k in range(3):
                lever = F[link, k, 3] - F[reference, k, 3] if j == 3 else F[link, k, j]
                T[i, j] += F[reference, k, i] * lever
        v[i] = T[i, 3]
    pose_rows(G, T, R, own, M)
    point_jacobian(robot, F, work.axes, link, x[16:19], A)
    point_jacobian(robot, F, work.axes, reference, v, other)
    for i in range(6):
        r[first + i] = own[i]
        a, b, c = 0.0, 0.0, 0.0
        for j in range(3):  # a row of G_Rᵀ R_referenceᵀ, or of M R_referenceᵀ
            factor = G[j, i] if i < 3 else M[i - 3, j]
            a += factor * F[reference, 0, j]
            b += factor * F[reference, 1, j]
            c += factor * F[reference, 2, j]
        top = 0 if i < 3 else 3
        for k in range(J.shape[0]):
            J[k, first + i] = (a * (A[top, k] - other[top, k])
                               + b * (A[top + 1, k] - other[top + 1, k])
                               + c * (A[top + 2, k] - other[top + 2, k]))


@njit
def _difference(robot: TreeArrays, link: int, other: int, x: Vector, work: TaskWork) -> None:
    """Write p_a − p_b into work.v (3,) and its Jacobian into work.J[:3]."""
    F, v, A, B = work.frames, work.v, work.J, work.other
    point_jacobian(robot, F, work.axes, link, x[0:3], A)
    for i in range(3):
        v[i] = F[link, i, 0] * x[0] + F[link, i, 1] * x[1] + F[link, i, 2] * x[2] + F[link, i, 3]
    if other < 0:
        for i in range(3):
            v[i] -= x[3 + i]
        return
    point_jacobian(robot, F, work.axes, other, x[3:6], B)
    for i in range(3):
        v[i] -= F[other, i, 0] * x[3] + F[other, i, 1] * x[4] + F[other, i, 2] * x[5]
        v[i] -= F[other, i, 3]
        for k in range(A.shape[1]):
            A[i, k] -= B[i, k]


@njit
def _distance(count: int, x: Vector, work: TaskWork, first: int, r: Vector, J: Matrix) -> None:
    """R = sign · (d − bound) for each (sign, bound) of x[6:]; d = |work.v|."""
    v = work.v
    d = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    a, b, c = 1.0, 0.0, 0.0
    if d > _NOWHERE:
        a, b, c = v[0] / d, v[1] / d, v[2] / d
    for i in range(count):
        sign, bound = x[6 + 2 * i], x[7 + 2 * i]
        r[first + i] = sign * (d - bound)
        _along(sign * a, sign * b, sign * c, work.J, first + i, J)
