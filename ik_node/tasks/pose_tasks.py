"""A pose of a link in the world, or seen from another link."""

from typing import Any

from ik_node.kinematics import jacobian
from ik_node.kinematics.tree import Tree
from ik_node.spatial import so3
from ik_node.support.arrays import Matrix, Pose, Rotation, Vector
from ik_node.tasks import body_task
from ik_node.tasks.body_task import BodyTask, TaskWork


class PoseTask(BodyTask):
    """r = [R_Tᵀ (p − p_T); log(R_Tᵀ R)] for a point of a link, along the target's axes, m, rad.

    J = [R_Tᵀ J_v; J_l⁻¹(r_o) R_Tᵀ J_ω], with the left Jacobian of SO(3). Rows that are not wanted
    are left out.
    """

    def __init__(self, index: int, link: int, wanted: Any, point: Any) -> None:
        """Take whether a row is wanted (6,), and a point (3,) in the link's frame, m."""
        super().__init__(index, sum(map(bool, wanted)))
        self.link = link
        self.wanted = self.memory.integers(wanted)
        self.point = self.memory.vector(point)

    def rows(self, tree: Tree, work: TaskWork, q: Vector, first: int, r: Vector,
             J: Matrix) -> None:
        """Write residual and Jacobian; see `BodyTask.rows`."""
        G, T, M, A, F = work.targets[self.index], work.T, work.M, work.J, work.frames
        point, link, row = self.point, self.link, first
        jacobian.point_jacobian(tree, F, work.axes, link, point[0], point[1], point[2], A)
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
                body_task.write_row(G[0][i], G[1][i], G[2][i], A, 0, tree.n, row, J)
            else:
                body_task.write_row(M[i - 3][0], M[i - 3][1], M[i - 3][2], A, 3, tree.n, row, J)
            row += 1


class RelativePoseTask(BodyTask):
    """The six rows of a pose for T_reference_link; its target is in the reference's frame.

    J is that of the link less that of the point of the reference that is there, turned into the
    target's axes.
    """

    def __init__(self, index: int, link: int, reference: int) -> None:
        """Take two links."""
        super().__init__(index, 6)
        self.link, self.reference = link, reference

    def rows(self, tree: Tree, work: TaskWork, q: Vector, first: int, r: Vector,
             J: Matrix) -> None:
        """Write residual and Jacobian; see `BodyTask.rows`."""
        G, T, M, A, B = work.targets[self.index], work.T, work.M, work.J, work.other
        F, link, reference = work.frames, self.link, self.reference
        for i in range(3):  # T_reference_link
            for j in range(4):
                T[i][j] = 0.0
                for k in range(3):
                    lever = F[link][k][3] - F[reference][k][3] if j == 3 else F[link][k][j]
                    T[i][j] += F[reference][k][i] * lever
        pose_rows(G, T, work.R, work.own, M)
        jacobian.point_jacobian(tree, F, work.axes, link, 0.0, 0.0, 0.0, A)
        jacobian.point_jacobian(tree, F, work.axes, reference, T[0][3], T[1][3], T[2][3], B)
        for k in range(tree.n):
            for i in range(6):
                A[k][i] -= B[k][i]
        for i in range(6):
            r[first + i] = work.own[i]
            a, b, c = 0.0, 0.0, 0.0
            for j in range(3):  # a row of G_Rᵀ R_referenceᵀ, or of M R_referenceᵀ
                factor = G[j][i] if i < 3 else M[i - 3][j]
                a += factor * F[reference][0][j]
                b += factor * F[reference][1][j]
                c += factor * F[reference][2][j]
            body_task.write_row(a, b, c, A, 0 if i < 3 else 3, tree.n, first + i, J)


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
