"""A point of a link at a position, on a line or a plane; and a force at a point."""

from typing import Any

import numpy as np

from ik_node.kinematics import jacobian
from ik_node.kinematics.tree import Tree
from ik_node.support.arrays import Matrix, Vector
from ik_node.tasks import body_task
from ik_node.tasks.body_task import BodyTask, TaskWork


class PointTask(BodyTask):
    """r = B (p − target) (m,), m, for a point of a link; J = B J_v(p).

    The rows of B are unit vectors in world axes: all three axes for a position, two at right
    angles to a line, the normal of a plane.
    """

    def __init__(self, index: int, link: int, point: Any, across: Any) -> None:
        """Take a point (3,) in the link's frame, m, and B (m, 3)."""
        rows = np.atleast_2d(across)
        super().__init__(index, len(rows))
        self.link = link
        self.point, self.across = self.memory.vector(point), self.memory.points(rows)

    def rows(self, tree: Tree, work: TaskWork, q: Vector, first: int, r: Vector,
             J: Matrix) -> None:
        """Write residual and Jacobian; see `BodyTask.rows`."""
        F, T, A, G = work.frames, work.T, work.J, work.targets[self.index]
        point, across, link = self.point, self.across, self.link
        jacobian.point_jacobian(tree, F, work.axes, link, point[0], point[1], point[2], A)
        for i in range(3):
            T[i][3] = F[link][i][3] + (F[link][i][0] * point[0] + F[link][i][1] * point[1]
                                       + F[link][i][2] * point[2])
        for i in range(self.m):
            a, b, c = across[i][0], across[i][1], across[i][2]
            r[first + i] = (a * (T[0][3] - G[0][3]) + b * (T[1][3] - G[1][3])
                            + c * (T[2][3] - G[2][3]))
            body_task.write_row(a, b, c, A, 0, tree.n, first + i, J)


class ForceTask(BodyTask):
    """r = −1 (1,), m, and J = fᵀ J_v(p) / |f| for a force f at a point p of a link.

    With the weight √|f| its row is that of a point to be moved a metre along the force; its energy
    is −f · p. A force of zero has no row but zeros.
    """

    def __init__(self, index: int, link: int, along: Any, point: Any) -> None:
        """Take the unit vector of the force (3,), world axes, and a point (3,) of the link, m."""
        super().__init__(index, 1)
        self.link, self.has_energy = link, True
        self.along, self.point = self.memory.vector(along), self.memory.vector(point)

    def rows(self, tree: Tree, work: TaskWork, q: Vector, first: int, r: Vector,
             J: Matrix) -> None:
        """Write residual and Jacobian; see `BodyTask.rows`."""
        along, point = self.along, self.point
        jacobian.point_jacobian(tree, work.frames, work.axes, self.link, point[0], point[1],
                                point[2], work.J)
        r[first] = -1.0
        body_task.write_row(along[0], along[1], along[2], work.J, 0, tree.n, first, J)

    def energy(self, work: TaskWork, first: int, r: Vector, scale: Vector) -> float:
        """Return −weight · f · p, J; see `BodyTask.energy`."""
        F, along, point, link, energy = work.frames, self.along, self.point, self.link, 0.0
        for i in range(3):
            energy -= along[i] * (F[link][i][0] * point[0] + F[link][i][1] * point[1]
                                  + F[link][i][2] * point[2] + F[link][i][3])
        return scale[first] * scale[first] * energy
