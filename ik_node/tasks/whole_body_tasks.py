"""The centre of mass at a point or above a polygon, and joint values."""

from typing import Any

from ik_node.kinematics import tree as trees
from ik_node.kinematics.tree import Tree
from ik_node.support.arrays import Matrix, Vector
from ik_node.tasks.body_task import BodyTask, TaskWork


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

    def rows(self, tree: Tree, work: TaskWork, q: Vector, first: int, r: Vector,
             J: Matrix) -> None:
        """Write residual and Jacobian; see `BodyTask.rows`."""
        c, A, target, row = work.v, work.J, work.targets[self.index], first
        trees.center_of_mass(tree, work.frames, work.axes, work.moments, c, A)
        if self.has_target:
            for i in range(3):
                free = target[i][3] != target[i][3]
                r[row] = 0.0 if free else c[i] - target[i][3]
                for k in range(tree.n):
                    J[k][row] = 0.0 if free else A[k][i]
                row += 1
        for edge in range(self.edges):
            a, b = self.polygon[edge][0], self.polygon[edge][1]
            r[row] = a * (c[0] - self.polygon[edge][2]) + b * (c[1] - self.polygon[edge][3])
            for k in range(tree.n):
                J[k][row] = a * A[k][0] + b * A[k][1]
            row += 1


class RestTask(BodyTask):
    """rᵢ = qᵢ − wantedᵢ (m,), rad or m, of some entries of q."""

    def __init__(self, index: int, columns: Any, wanted: Any) -> None:
        """Take entries of q (m,), and what they should be (m,)."""
        super().__init__(index, len(columns))
        self.columns, self.wanted = self.memory.integers(columns), self.memory.vector(wanted)

    def rows(self, tree: Tree, work: TaskWork, q: Vector, first: int, r: Vector,
             J: Matrix) -> None:
        """Write residual and Jacobian; see `BodyTask.rows`."""
        for i in range(self.m):
            r[first + i] = q[self.columns[i]] - self.wanted[i]
            for k in range(tree.n):
                J[k][first + i] = 0.0
            J[self.columns[i]][first + i] = 1.0
