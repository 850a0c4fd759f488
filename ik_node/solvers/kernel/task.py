"""A goal for the kernels: rows of error, and the Jacobian of those rows."""

import math

import numpy as np

from ik_node.spatial import so3
from ik_node.support.arrays import Columns, Memory, Pose, Rotation, Vector


class TipTask:
    """A goal, flat.

    - `T`: (4, 4) T_base_goal, m; `weights`: (6,) of the rows; 0 where an axis is free.
    - `along_goal`: whether the rows lie along the goal's axes; along the base's otherwise. It
      matters only where the axes of one kind have different weights.
    - `partial_orientation`: whether some axes of the orientation are constrained and others free.
    - `rows`: number of constrained axes.
    - `heading`: the only constrained axis of the orientation, 0 to 2; −1 where there are others.
      Its row is the heading of the tip's next axis about it, see `so3.heading`: the component of
      the rotation vector is zero for any half turn about an axis at right angles. `rates` (3,): the
      derivatives by rotations about the goal's axes, as `task_error` left them.
    """

    def __init__(self) -> None:
        self.memory = Memory()
        self.T = self.memory.pose(np.zeros((4, 4)))
        self.weights, self.rates = self.memory.vector(np.zeros(6)), self.memory.vector(np.zeros(3))

    def prepare(self) -> None:
        """Set the rest, given pose and weights."""
        w = self.weights
        self.rows, some_free, turns = 0, False, 0
        for i in range(6):
            if w[i] != 0.0:
                self.rows += 1
                if i >= 3:
                    turns, self.heading = turns + 1, i - 3
            elif i >= 3:
                some_free = True
        orientation_uneven = w[3] != w[4] or w[4] != w[5]
        position_uneven = w[0] != w[1] or w[1] != w[2]
        self.along_goal = orientation_uneven or position_uneven
        self.partial_orientation = orientation_uneven and some_free
        if turns != 1:
            self.heading = -1


def pose_error(T_base_goal: Pose, T_base_tip: Pose, R: Rotation, e: Vector) -> None:
    """Write [p_goal − p; log(R_goal Rᵀ)] into e (6,); R_goal Rᵀ into R (3, 3)."""
    for i in range(3):
        e[i] = T_base_goal[i][3] - T_base_tip[i][3]
        for j in range(3):
            R[i][j] = (T_base_goal[i][0] * T_base_tip[j][0]
                       + T_base_goal[i][1] * T_base_tip[j][1]
                       + T_base_goal[i][2] * T_base_tip[j][2])
    e[3], e[4], e[5] = so3.rotation_log(R)


def task_error(task: TipTask, T_base_tip: Pose, R: Rotation, e: Vector,
               V: Vector) -> tuple[float, float]:
    """Write the pose error into e (6,), along the rows, and weighted into V (6,); R is scratch.

    Return (position error, orientation error): the unweighted lengths, m and rad, of the
    constrained part of the error.
    """
    w, G = task.weights, task.T
    pose_error(G, T_base_tip, R, e)
    if task.along_goal:
        for first in range(0, 6, 3):
            x, y, z = e[first], e[first + 1], e[first + 2]
            for j in range(3):
                e[first + j] = G[0][j] * x + G[1][j] * y + G[2][j] * z
    if task.heading >= 0:
        i, j, k, T = task.heading, (task.heading + 1) % 3, (task.heading + 2) % 3, T_base_tip
        angle, task.rates[i], task.rates[j], task.rates[k] = so3.heading(
            G[0][i] * T[0][j] + G[1][i] * T[1][j] + G[2][i] * T[2][j],
            G[0][j] * T[0][j] + G[1][j] * T[1][j] + G[2][j] * T[2][j],
            G[0][k] * T[0][j] + G[1][k] * T[1][j] + G[2][k] * T[2][j])
        e[3 + i] = -angle
    position, orientation = 0.0, 0.0
    for i in range(6):
        V[i] = w[i] * e[i]
        if w[i] > 0.0:
            if i < 3:
                position += e[i] * e[i]
            else:
                orientation += e[i] * e[i]
    return math.sqrt(position), math.sqrt(orientation)


def task_jacobian(task: TipTask, e: Vector, R: Rotation, n: int, J: Columns) -> None:
    """Convert the geometric Jacobian J, (6, n), in place into the task's rows: V decreases by J Δq.

    e (6,) as `task_error` left it. R (3, 3) is scratch.
    """
    w, G = task.weights, task.T
    if not task.along_goal:
        for i in range(6):
            if w[i] != 1.0:
                for k in range(n):
                    J[k][i] *= w[i]
        return
    if task.partial_orientation:
        # With a partly free orientation the constrained components of the rotation vector depend on
        # the free ones: rotating the tip by δ changes log(Rᵀ R_goal) by −J_r⁻¹ δ, not by −δ. With
        # all three constrained, J_r⁻¹ e = e and it makes no difference.
        so3.right_jacobian_inverse(e[3], e[4], e[5], R)
    if task.heading >= 0:
        for i in range(3):
            R[task.heading][i] = task.rates[i]
    for k in range(n):
        for first in range(0, 6, 3):
            x, y, z = J[k][first], J[k][first + 1], J[k][first + 2]
            a = G[0][0] * x + G[1][0] * y + G[2][0] * z
            b = G[0][1] * x + G[1][1] * y + G[2][1] * z
            c = G[0][2] * x + G[1][2] * y + G[2][2] * z
            if first == 3 and task.partial_orientation:
                a, b, c = (R[0][0] * a + R[0][1] * b + R[0][2] * c,
                           R[1][0] * a + R[1][1] * b + R[1][2] * c,
                           R[2][0] * a + R[2][1] * b + R[2][2] * c)
            J[k][first] = w[first] * a
            J[k][first + 1] = w[first + 1] * b
            J[k][first + 2] = w[first + 2] * c
