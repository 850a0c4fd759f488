"""Tasks that need no Python: a pose, a position, the centre of mass."""

from typing import Any

import numpy as np

from ik_node.kernels import spatial
from ik_node.kernels import tree as trees
from ik_node.kernels.arrays import Columns, Matrix, Memory, Pose, Rotation, Vector
from ik_node.kernels.body_task import BodyTask, TaskWork
from ik_node.kernels.tree import Tree


class PoseTask(BodyTask):
    """r = [R_Tᵀ (p − p_T); log(R_Tᵀ R)] for a point of a link, along the target's axes, m, rad.

    J = [R_Tᵀ J_v; J_l⁻¹(r_o) R_Tᵀ J_ω], with the left Jacobian of SO(3). Rows whose weight is 0 are
    left out.
    """

    def __init__(self, link: int, target: Any, wanted: Any, point: Any) -> None:
        """Take T_world_target (4, 4), whether a row is wanted (6,), and a point (3,), m."""
        self.memory = Memory()
        self.link = link
        self.target = self.memory.poses(np.reshape(target, (1, 4, 4)))[0]
        self.wanted = self.memory.integers(wanted)
        self.point = self.memory.vector(point)

    def rows(self, tree: Tree, work: TaskWork, q: Vector, first: int, r: Vector,
             J: Matrix) -> None:
        """Write residual and Jacobian; see `BodyTask.rows`."""
        G, T, M, A, point, F = self.target, work.T, work.M, work.J, self.point, work.frames
        link, row = self.link, first
        trees.point_jacobian(tree, F, work.axes, link, point[0], point[1], point[2], A)
        for i in range(3):
            for j in range(4):
                T[i][j] = F[link][i][j]
            T[i][3] += (F[link][i][0] * point[0] + F[link][i][1] * point[1]
                        + F[link][i][2] * point[2])
        pose_rows(G, T, work.R, work.own, M)
        for i in range(6):
            if not self.wanted[i]:
                continue
            r[row] = work.own[i]
            if i < 3:
                write_row(G[0][i], G[1][i], G[2][i], A, 0, tree.n, row, J)
            else:
                write_row(M[i - 3][0], M[i - 3][1], M[i - 3][2], A, 3, tree.n, row, J)
            row += 1


class PositionTask(BodyTask):
    """r = p − target (3,), m, world axes, for a point of a link."""

    def __init__(self, link: int, target: Any, point: Any) -> None:
        """Take a target (3,) and a point (3,) in the link's frame, m."""
        self.memory = Memory()
        self.link = link
        self.target, self.point = self.memory.vector(target), self.memory.vector(point)

    def rows(self, tree: Tree, work: TaskWork, q: Vector, first: int, r: Vector,
             J: Matrix) -> None:
        """Write residual and Jacobian; see `BodyTask.rows`."""
        F, A, point, link = work.frames, work.J, self.point, self.link
        trees.point_jacobian(tree, F, work.axes, link, point[0], point[1], point[2], A)
        for i in range(3):
            r[first + i] = (F[link][i][3] + F[link][i][0] * point[0] + F[link][i][1] * point[1]
                            + F[link][i][2] * point[2] - self.target[i])
            for k in range(tree.n):
                J[k][first + i] = A[k][i]


class CenterOfMassTask(BodyTask):
    """r = c − target (3,), m, world axes; nan in the target leaves an axis free."""

    def __init__(self, target: Any) -> None:
        """Take a target (3,), m."""
        self.memory = Memory()
        self.target = self.memory.vector(target)

    def rows(self, tree: Tree, work: TaskWork, q: Vector, first: int, r: Vector,
             J: Matrix) -> None:
        """Write residual and Jacobian; see `BodyTask.rows`."""
        c, A = work.center, work.J
        trees.center_of_mass(tree, work.frames, work.axes, work.moments, c, A)
        for i in range(3):
            free = self.target[i] != self.target[i]
            r[first + i] = 0.0 if free else c[i] - self.target[i]
            for k in range(tree.n):
                J[k][first + i] = 0.0 if free else A[k][i]


def write_row(a: float, b: float, c: float, A: Columns, top: int, n: int, row: int,
              J: Matrix) -> None:
    """Write (a, b, c) times three rows of A, (6, n), into row `row` of J (n, m), transposed."""
    for k in range(n):
        J[k][row] = a * A[k][top] + b * A[k][top + 1] + c * A[k][top + 2]


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
    r[3], r[4], r[5] = spatial.rotation_log(R)
    # J_l⁻¹(w) is the transpose of J_r⁻¹(w).
    spatial.right_jacobian_inverse(r[3], r[4], r[5], R)
    for i in range(3):
        for j in range(3):
            M[i][j] = R[0][i] * G[j][0] + R[1][i] * G[j][1] + R[2][i] * G[j][2]
