"""Kernels of tasks of poses and directions of links."""

import math
from typing import Any

from ik_node.kinematics import jacobian
from ik_node.spatial import so3
from ik_node.support.arrays import Columns, Matrix, Points, Pose, Rotation, Vector
from ik_node.tasks import body_task
from ik_node.tasks.body_task import BodyTask, TaskData

SMALL_ANGLE = 1e-3  # rad; below it a series is as exact as the closed form
OPPOSITE = 1e-12    # sine below which two opposite axes say not which way to turn
NOWHERE = 1e-12     # m; points at this distance coincide


class PoseTask(BodyTask):
    """r = [R_Tᵀ (p − p_T); log(R_Tᵀ R)] for a point of a link, along the target's axes, m, rad.

    J = [R_Tᵀ J_v; J_l⁻¹(r_o) R_Tᵀ J_ω], with the left Jacobian of SO(3). Rows that are not wanted
    are left out. Where one of the last three is wanted alone it is a heading, see `so3.heading`.
    Of a pose seen from a reference, in whose frame the target is, J is that of the link minus
    that of the coincident point of the reference.
    """

    def __init__(self, index: int, link: int, wanted: Any, point: Any, axes: Any,
                 reference: int = -1) -> None:
        """Take whether a row is wanted (6,), and a point (3,), m, with axes (3, 3) of the link.

        reference: another link, −1 for the world.
        """
        super().__init__(index, sum(map(bool, wanted)))
        self.link, self.reference, self.wanted = link, reference, self.memory.integers(wanted)
        self.heading = list(wanted[3:]).index(True) if sum(map(bool, wanted[3:])) == 1 else -1
        self.point = self.memory.vector(point)
        self.axes = self.memory.points(axes)

    def rows(self, work: TaskData, q: Vector, first: int, r: Vector, J: Matrix) -> None:
        G, T, M, A, B = work.targets[self.index], work.T, work.M, work.J, work.other
        F, axes, reference = work.frames[self.link], self.axes, self.reference
        R = work.frames[reference if reference >= 0 else 0]
        body_task.write_point(work, self.link, self.point)
        for i in range(3):
            for j in range(3):
                T[i][j] = (F[i][0] * axes[0][j] + F[i][1] * axes[1][j]) + F[i][2] * axes[2][j]
            T[i][3] = work.v[i]
        if reference >= 0:
            for j in range(4):
                x, y, z = T[0][j], T[1][j], T[2][j]
                if j == 3:
                    x, y, z = x - R[0][3], y - R[1][3], z - R[2][3]
                for i in range(3):
                    T[i][j] = R[0][i] * x + R[1][i] * y + R[2][i] * z
            jacobian.point_jacobian(work.tree, work.frames, work.axes, reference, T[0][3], T[1][3],
                                    T[2][3], B)
            for k in range(work.tree.n):
                for i in range(6):
                    A[k][i] -= B[k][i]
        pose_rows(G, T, work.R, work.own, M)
        if self.heading >= 0:
            i, j, k = self.heading, (self.heading + 1) % 3, (self.heading + 2) % 3
            work.own[3 + i], x, y, z = so3.heading(
                G[0][i] * T[0][j] + G[1][i] * T[1][j] + G[2][i] * T[2][j],
                G[0][j] * T[0][j] + G[1][j] * T[1][j] + G[2][j] * T[2][j],
                G[0][k] * T[0][j] + G[1][k] * T[1][j] + G[2][k] * T[2][j])
            for row in range(3):
                M[i][row] = x * G[row][i] + y * G[row][j] + z * G[row][k]
        row = first
        for i in range(6):
            if not self.wanted[i]:
                continue
            r[row] = work.own[i]
            if i < 3:
                x, y, z = G[0][i], G[1][i], G[2][i]
            else:
                x, y, z = M[i - 3][0], M[i - 3][1], M[i - 3][2]
            if reference >= 0:  # into the world's axes, in which A is
                x, y, z = (R[0][0] * x + R[0][1] * y + R[0][2] * z,
                           R[1][0] * x + R[1][1] * y + R[1][2] * z,
                           R[2][0] * x + R[2][1] * y + R[2][2] * z)
            body_task.write_row(x, y, z, A, 0 if i < 3 else 3, work.tree.n, row, J)
            row += 1


def pose_rows(G: Pose, T: Pose, R: Rotation, r: Vector, M: Rotation) -> None:
    """Write [R_Gᵀ (p − p_G); log(R_Gᵀ R)] into r (6,), m and rad, and M (3, 3).

    An angular velocity ω changes the last three rows by M ω, with M = J_l⁻¹(r_o) R_Gᵀ [Solà, A
    micro Lie theory, eq. 146]. R (3, 3) is scratch.
    """
    for i in range(3):
        r[i] = 0.0
        for k in range(3):
            r[i] += G[k][i] * (T[k][3] - G[k][3])
        for j in range(3):
            R[i][j] = G[0][i] * T[0][j] + G[1][i] * T[1][j] + G[2][i] * T[2][j]
    r[3], r[4], r[5] = so3.rotation_log(R)
    # J_l⁻¹(w) is the transpose of J_r⁻¹(w).
    so3.right_jacobian_inverse(r[3], r[4], r[5], R)
    for i in range(3):
        for j in range(3):
            M[i][j] = R[0][i] * G[j][0] + R[1][i] * G[j][1] + R[2][i] * G[j][2]


class AlignTask(BodyTask):
    """r = (θ / sin θ) B a (2,), rad, for an axis a of a link, θ from a direction; see `angle_rows`.

    The axis moves by ȧ = ω × a.
    """

    def __init__(self, index: int, link: int, axis: Any, direction: Any, across: Any) -> None:
        """Take unit vectors: an axis (3,) of the link, a direction (3,) of the world, and B."""
        super().__init__(index, 2)
        self.link, self.axis = link, self.memory.vector(axis)
        self.direction, self.across = self.memory.vector(direction), self.memory.points(across)

    def rows(self, work: TaskData, q: Vector, first: int, r: Vector, J: Matrix) -> None:
        F, A, a, axis, link = work.frames, work.J, work.u, self.axis, self.link
        jacobian.point_jacobian(work.tree, F, work.axes, link, 0.0, 0.0, 0.0, A)
        for i in range(3):
            a[i] = F[link][i][0] * axis[0] + F[link][i][1] * axis[1] + F[link][i][2] * axis[2]
        for k in range(work.tree.n):
            wx, wy, wz = A[k][3], A[k][4], A[k][5]
            A[k][0] = wy * a[2] - wz * a[1]
            A[k][1] = wz * a[0] - wx * a[2]
            A[k][2] = wx * a[1] - wy * a[0]
        angle_rows(a, self.direction, self.across, A, work.tree.n, first, r, J)


class LookTask(BodyTask):
    """r = (θ / sin θ) B u (2,), rad, for the direction u to a target seen from a link.

    With v = target − p in the world, u = Rᵀ v/|v|, and v seen from the link moves by −(ṗ + ω × v).
    Where the link's origin is at the target, r = 0. θ is from the axis of the link.
    """

    def __init__(self, index: int, link: int, axis: Any, across: Any) -> None:
        """Take the axis (3,) of the link, a unit vector, and B (2, 3); see `angle_rows`."""
        super().__init__(index, 2)
        self.link = link
        self.axis, self.across = self.memory.vector(axis), self.memory.points(across)

    def rows(self, work: TaskData, q: Vector, first: int, r: Vector, J: Matrix) -> None:
        F, A, v, u, link = work.frames, work.J, work.v, work.u, self.link
        for i in range(3):
            v[i] = work.targets[self.index][i][3] - F[link][i][3]
        distance = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
        if distance < NOWHERE:
            for i in range(2):
                r[first + i] = 0.0
                for k in range(work.tree.n):
                    J[k][first + i] = 0.0
        else:
            jacobian.point_jacobian(work.tree, F, work.axes, link, 0.0, 0.0, 0.0, A)
            ux, uy, uz = v[0] / distance, v[1] / distance, v[2] / distance
            for i in range(3):
                u[i] = F[link][0][i] * ux + F[link][1][i] * uy + F[link][2][i] * uz
            for k in range(work.tree.n):
                wx, wy, wz = A[k][3], A[k][4], A[k][5]
                a = -(A[k][0] + wy * v[2] - wz * v[1]) / distance
                b = -(A[k][1] + wz * v[0] - wx * v[2]) / distance
                c = -(A[k][2] + wx * v[1] - wy * v[0]) / distance
                along = a * ux + b * uy + c * uz
                a -= along * ux
                b -= along * uy
                c -= along * uz
                for i in range(3):
                    A[k][i] = F[link][0][i] * a + F[link][1][i] * b + F[link][2][i] * c
            angle_rows(u, self.axis, self.across, A, work.tree.n, first, r, J)


def angle_rows(a: Vector, direction: Vector, B: Points, A: Columns, n: int, first: int, r: Vector,
               J: Matrix) -> None:
    """Write (θ / sin θ) B a (2,), rad, of unit vectors (3,), and its Jacobian; |r| = θ.

    θ is the angle between a and the direction, B (2, 3) two unit vectors at right angles to the
    direction; the first three rows of A (6, n) are the Jacobian of a. With c = cos θ and g(c) =
    θ / sin θ the derivative is g B ȧ + B a g'(c) ċ, where g' = (θ cos θ / sin θ − 1) / sin² θ. At
    θ = π, where every turn serves, the first row of B says which.
    """
    c = direction[0] * a[0] + direction[1] * a[1] + direction[2] * a[2]
    s = B[0][0] * a[0] + B[0][1] * a[1] + B[0][2] * a[2]
    t = B[1][0] * a[0] + B[1][1] * a[1] + B[1][2] * a[2]
    sine = math.sqrt(s * s + t * t)
    angle = math.atan2(sine, c)
    if c < 0.0 and sine < OPPOSITE:
        r[first], r[first + 1] = math.pi, 0.0
        body_task.write_row(-B[0][0], -B[0][1], -B[0][2], A, 0, n, first, J)
        body_task.write_row(0.0, 0.0, 0.0, A, 0, n, first + 1, J)
        return
    if angle < SMALL_ANGLE:
        g, slope = 1.0 + angle * angle / 6.0, -1.0 / 3.0 - 2.0 * angle * angle / 15.0
    else:
        g = angle / sine
        slope = (g * c - 1.0) / (sine * sine)
    r[first], r[first + 1] = g * s, g * t
    for k in range(n):
        turning = slope * (direction[0] * A[k][0] + direction[1] * A[k][1]
                           + direction[2] * A[k][2])
        J[k][first] = s * turning + g * (B[0][0] * A[k][0] + B[0][1] * A[k][1]
                                         + B[0][2] * A[k][2])
        J[k][first + 1] = t * turning + g * (B[1][0] * A[k][0] + B[1][1] * A[k][1]
                                             + B[1][2] * A[k][2])
