"""An axis of a link along a direction, or at a point."""

import math
from typing import Any

from ik_node.kinematics import jacobian
from ik_node.kinematics.tree import Tree
from ik_node.support.arrays import Columns, Matrix, Points, Vector
from ik_node.tasks import body_task
from ik_node.tasks.body_task import BodyTask, TaskWork

SMALL_ANGLE = 1e-3  # rad; below it a series is as exact as the closed form
OPPOSITE = 1e-12    # sine below which two opposite axes say not which way to turn
NOWHERE = 1e-12     # m; points at this distance coincide


class AlignTask(BodyTask):
    """r = (θ / sin θ) B a (2,), rad, for an axis a of a link, θ from a direction; see `angle_rows`.

    The axis moves by ȧ = ω × a.
    """

    def __init__(self, index: int, link: int, axis: Any, direction: Any, across: Any) -> None:
        """Take unit vectors: an axis (3,) of the link, a direction (3,) of the world, and B."""
        super().__init__(index, 2)
        self.link, self.axis = link, self.memory.vector(axis)
        self.direction, self.across = self.memory.vector(direction), self.memory.points(across)

    def rows(self, tree: Tree, work: TaskWork, q: Vector, first: int, r: Vector,
             J: Matrix) -> None:
        """Write residual and Jacobian; see `BodyTask.rows`."""
        F, A, a, axis, link = work.frames, work.J, work.u, self.axis, self.link
        jacobian.point_jacobian(tree, F, work.axes, link, 0.0, 0.0, 0.0, A)
        for i in range(3):
            a[i] = F[link][i][0] * axis[0] + F[link][i][1] * axis[1] + F[link][i][2] * axis[2]
        for k in range(tree.n):
            wx, wy, wz = A[k][3], A[k][4], A[k][5]
            A[k][0] = wy * a[2] - wz * a[1]
            A[k][1] = wz * a[0] - wx * a[2]
            A[k][2] = wx * a[1] - wy * a[0]
        angle_rows(a, self.direction, self.across, A, tree.n, first, r, J)


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

    def rows(self, tree: Tree, work: TaskWork, q: Vector, first: int, r: Vector,
             J: Matrix) -> None:
        """Write residual and Jacobian; see `BodyTask.rows`."""
        F, A, v, u, link = work.frames, work.J, work.v, work.u, self.link
        for i in range(3):
            v[i] = work.targets[self.index][i][3] - F[link][i][3]
        distance = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
        if distance < NOWHERE:
            for i in range(2):
                r[first + i] = 0.0
                for k in range(tree.n):
                    J[k][first + i] = 0.0
        else:
            jacobian.point_jacobian(tree, F, work.axes, link, 0.0, 0.0, 0.0, A)
            ux, uy, uz = v[0] / distance, v[1] / distance, v[2] / distance
            for i in range(3):
                u[i] = F[link][0][i] * ux + F[link][1][i] * uy + F[link][2][i] * uz
            for k in range(tree.n):
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
            angle_rows(u, self.axis, self.across, A, tree.n, first, r, J)


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
