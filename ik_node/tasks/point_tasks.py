"""Kernels of tasks of points: their positions, distances and forces, and joint values."""

import math
from typing import Any

import numpy as np

from ik_node.kinematics import jacobian
from ik_node.kinematics import tree as trees
from ik_node.support.arrays import Matrix, Vector
from ik_node.tasks import body_task
from ik_node.tasks.body_task import BodyTask, TaskData

NOWHERE = 1e-12  # m; points at this distance coincide


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

    def rows(self, work: TaskData, q: Vector, first: int, r: Vector, J: Matrix) -> None:
        p, G = work.v, work.targets[self.index]
        body_task.write_point(work, self.link, self.point)
        for i in range(self.m):
            a, b, c = self.across[i][0], self.across[i][1], self.across[i][2]
            r[first + i] = (a * (p[0] - G[0][3]) + b * (p[1] - G[1][3]) + c * (p[2] - G[2][3]))
            body_task.write_row(a, b, c, work.J, 0, work.tree.n, first + i, J)


class ForceTask(BodyTask):
    """r = −1 (1,), m, and J = fᵀ J_v(p) / |f| for a force f at a point p of a link; see `Force`.

    Its energy is −f · p. A force of zero has no row but zeros.
    """

    def __init__(self, index: int, link: int, along: Any, point: Any) -> None:
        """Take the unit vector of the force (3,), world axes, and a point (3,) of the link, m."""
        super().__init__(index, 1)
        self.link, self.has_energy = link, True
        self.along, self.point = self.memory.vector(along), self.memory.vector(point)

    def rows(self, work: TaskData, q: Vector, first: int, r: Vector, J: Matrix) -> None:
        f = self.along
        body_task.write_point(work, self.link, self.point)
        r[first] = -1.0
        body_task.write_row(f[0], f[1], f[2], work.J, 0, work.tree.n, first, J)

    def energy(self, work: TaskData, first: int, r: Vector, scale: Vector) -> float:
        """Return −weight · f · p, J; see `BodyTask.energy`."""
        energy = 0.0
        for i in range(3):
            energy -= self.along[i] * work.v[i]
        return scale[first] * scale[first] * energy


class DifferenceTask(BodyTask):
    """r = p_a − p_b (3,), m, world axes."""

    def __init__(self, index: int, m: int, link: int, other: int, point: Any,
                 other_point: Any) -> None:
        """Take two links, the other −1 for the world, and a point (3,) of each, m."""
        super().__init__(index, m)
        self.link, self.other = link, other
        self.point, self.other_point = self.memory.vector(point), self.memory.vector(other_point)

    def rows(self, work: TaskData, q: Vector, first: int, r: Vector, J: Matrix) -> None:
        self.difference(work)
        for i in range(3):
            r[first + i] = work.v[i]
            for k in range(work.tree.n):
                J[k][first + i] = work.J[k][i]

    def difference(self, work: TaskData) -> None:
        """Write p_a − p_b into work.v (3,), and its Jacobian into the first rows of work.J."""
        F, v, A, B, other, b = (work.frames, work.v, work.J, work.other, self.other,
                                self.other_point)
        body_task.write_point(work, self.link, self.point)
        if other < 0:
            for i in range(3):
                v[i] -= b[i]
            return
        jacobian.point_jacobian(work.tree, F, work.axes, other, b[0], b[1], b[2], B)
        for i in range(3):
            v[i] -= F[other][i][0] * b[0] + F[other][i][1] * b[1] + F[other][i][2] * b[2]
            v[i] -= F[other][i][3]
            for k in range(work.tree.n):
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

    def rows(self, work: TaskData, q: Vector, first: int, r: Vector, J: Matrix) -> None:
        v = work.v
        self.difference(work)
        d = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
        a, b, c = 1.0, 0.0, 0.0
        if d > NOWHERE:
            a, b, c = v[0] / d, v[1] / d, v[2] / d
        for i in range(self.m):
            sign, bound = self.sides[i][0], self.sides[i][1]
            r[first + i] = sign * (d - bound)
            body_task.write_row(sign * a, sign * b, sign * c, work.J, 0, work.tree.n, first + i, J)


class CenterOfMassTask(BodyTask):
    """r = c − target (3,), m, world axes, then of a polygon the distance from each edge's line.

    nan in the target leaves an axis free. The rows of edges are n · (c − corner), n the inward
    unit normal, seen from above.
    """

    def __init__(self, index: int, has_target: bool, polygon: Any) -> None:
        """Take whether there is a target, and normal and corner of each edge (k, 4), m."""
        super().__init__(index, (3 if has_target else 0) + len(polygon))
        self.has_target, self.edges = has_target, len(polygon)
        self.polygon = self.memory.fours(polygon)

    def rows(self, work: TaskData, q: Vector, first: int, r: Vector, J: Matrix) -> None:
        c, A, target, row = work.v, work.J, work.targets[self.index], first
        trees.center_of_mass(work.tree, work.frames, work.axes, work.moments, c, A)
        if self.has_target:
            for i in range(3):
                free = target[i][3] != target[i][3]
                r[row] = 0.0 if free else c[i] - target[i][3]
                for k in range(work.tree.n):
                    J[k][row] = 0.0 if free else A[k][i]
                row += 1
        for edge in range(self.edges):
            a, b = self.polygon[edge][0], self.polygon[edge][1]
            r[row] = a * (c[0] - self.polygon[edge][2]) + b * (c[1] - self.polygon[edge][3])
            for k in range(work.tree.n):
                J[k][row] = a * A[k][0] + b * A[k][1]
            row += 1


class RestTask(BodyTask):
    """rᵢ = qᵢ − wantedᵢ (m,), rad or m, of some entries of q."""

    def __init__(self, index: int, columns: Any, wanted: Any) -> None:
        """Take entries of q (m,), and what they should be (m,)."""
        super().__init__(index, len(columns))
        self.columns, self.wanted = self.memory.integers(columns), self.memory.vector(wanted)

    def rows(self, work: TaskData, q: Vector, first: int, r: Vector, J: Matrix) -> None:
        for i in range(self.m):
            r[first + i] = q[self.columns[i]] - self.wanted[i]
            for k in range(work.tree.n):
                J[k][first + i] = 0.0
            J[self.columns[i]][first + i] = 1.0
