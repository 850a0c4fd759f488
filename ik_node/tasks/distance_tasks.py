"""The difference of two points of links, and their distance."""

import math
from typing import Any

import numpy as np

from ik_node.kinematics import jacobian
from ik_node.kinematics.tree import Tree
from ik_node.support.arrays import Matrix, Vector
from ik_node.tasks import body_task
from ik_node.tasks.body_task import BodyTask, TaskWork

NOWHERE = 1e-12  # m; points at this distance coincide


class DifferenceTask(BodyTask):
    """r = p_a − p_b (3,), m, world axes."""

    def __init__(self, index: int, m: int, link: int, other: int, point: Any,
                 other_point: Any) -> None:
        """Take two links, the other −1 for the world, and a point (3,) of each, m."""
        super().__init__(index, m)
        self.link, self.other = link, other
        self.point, self.other_point = self.memory.vector(point), self.memory.vector(other_point)

    def rows(self, tree: Tree, work: TaskWork, q: Vector, first: int, r: Vector,
             J: Matrix) -> None:
        """Write residual and Jacobian; see `BodyTask.rows`."""
        self.difference(tree, work)
        for i in range(3):
            r[first + i] = work.v[i]
            for k in range(tree.n):
                J[k][first + i] = work.J[k][i]

    def difference(self, tree: Tree, work: TaskWork) -> None:
        """Write p_a − p_b into work.v (3,), and its Jacobian into the first rows of work.J."""
        F, v, A, B, link, other = work.frames, work.v, work.J, work.other, self.link, self.other
        a, b = self.point, self.other_point
        jacobian.point_jacobian(tree, F, work.axes, link, a[0], a[1], a[2], A)
        for i in range(3):
            v[i] = (F[link][i][0] * a[0] + F[link][i][1] * a[1] + F[link][i][2] * a[2]
                    + F[link][i][3])
        if other < 0:
            for i in range(3):
                v[i] -= b[i]
            return
        jacobian.point_jacobian(tree, F, work.axes, other, b[0], b[1], b[2], B)
        for i in range(3):
            v[i] -= F[other][i][0] * b[0] + F[other][i][1] * b[1] + F[other][i][2] * b[2]
            v[i] -= F[other][i][3]
            for k in range(tree.n):
                A[k][i] -= B[k][i]


class DistanceTask(DifferenceTask):
    """r = sign · (d − bound) (m,), m, for the distance d of two points; J = sign · uᵀ (J_a − J_b).

    u = (p_a − p_b)/d. Where the points coincide d has no Jacobian; that of the distance along the
    world's x axis stands in.
    """

    def __init__(self, index: int, link: int, other: int, point: Any, other_point: Any,
                 sides: Any) -> None:
        """Take links and points as of `DifferenceTask`, and sign and bound of each row (m, 2)."""
        pairs = np.reshape(sides, (-1, 2))
        super().__init__(index, len(pairs), link, other, point, other_point)
        self.sides = self.memory.pairs(pairs)

    def rows(self, tree: Tree, work: TaskWork, q: Vector, first: int, r: Vector,
             J: Matrix) -> None:
        """Write residual and Jacobian; see `BodyTask.rows`."""
        v = work.v
        self.difference(tree, work)
        d = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
        a, b, c = 1.0, 0.0, 0.0
        if d > NOWHERE:
            a, b, c = v[0] / d, v[1] / d, v[2] / d
        for i in range(self.m):
            sign, bound = self.sides[i][0], self.sides[i][1]
            r[first + i] = sign * (d - bound)
            body_task.write_row(sign * a, sign * b, sign * c, work.J, 0, tree.n, first + i, J)
