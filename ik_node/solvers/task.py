"""A goal for the kernels: rows of error, and the Jacobian of those rows."""

import math
from typing import NamedTuple

import numpy as np

from ik_node._jit import Matrix, Vector, inline, njit
from ik_node.kinematics.error import pose_error
from ik_node.kinematics.spatial_kernels import right_jacobian_inverse


class Task(NamedTuple):
    """A goal, flat."""

    T_base_goal: np.ndarray
    """(4, 4), m."""
    weights: np.ndarray
    """(6,) of the rows; 0 where an axis is free."""
    along_goal: bool
    """Whether the rows lie along the goal's axes; along the base's otherwise. It matters only
    where the axes of one kind have different weights."""
    partial_orientation: bool
    """Whether some axes of the orientation are constrained and others free."""
    rows: int
    """Number of constrained axes."""


@njit
def make_task(T_base_goal: Matrix, weights: Vector) -> Task:
    """Return the task of a goal: its pose (4, 4), m, and its weights (6,), see `Goal`."""
    rows, some_free = 0, False
    for i in range(6):
        if weights[i] != 0.0:
            rows += 1
        elif i >= 3:
            some_free = True
    orientation_uneven = not weights[3] == weights[4] == weights[5]
    position_uneven = not weights[0] == weights[1] == weights[2]
    return Task(T_base_goal, weights, orientation_uneven or position_uneven, orientation_uneven
                and some_free, rows)


@inline
def task_error(task: Task, T_base_tip: Matrix, R: Matrix, e: Vector,
               V: Vector) -> tuple[float, float]:
    """Write the pose error into e (6,), along the rows, and weighted into V (6,).

    Return (position error, orientation error): the unweighted lengths, m and rad, of the
    constrained part of the error. R (3, 3) is scratch.
    """
    pose_error(task.T_base_goal, T_base_tip, R, e)
    if task.along_goal:
        G = task.T_base_goal
        for first in (0, 3):
            x, y, z = e[first], e[first + 1], e[first + 2]
            for j in range(3):
                e[first + j] = G[0, j] * x + G[1, j] * y + G[2, j] * z
    position, orientation = 0.0, 0.0
    for i in range(6):
        V[i] = task.weights[i] * e[i]
        if task.weights[i] > 0.0:
            if i < 3:
                position += e[i] * e[i]
            else:
                orientation += e[i] * e[i]
    return math.sqrt(position), math.sqrt(orientation)


@inline
def task_jacobian(task: Task, e: Vector, R: Matrix, J: Matrix) -> None:
    """Convert the geometric Jacobian J (6, n) in place into the task's rows: V decreases by J Δq.

    e (6,) as `task_error` left it. R (3, 3) is scratch.
    """
    w, G = task.weights, task.T_base_goal
    if not task.along_goal:
        for i in range(6):
            if w[i] != 1.0:
                for k in range(J.shape[1]):
                    J[i, k] *= w[i]
        return
    if task.partial_orientation:
        # With a partly free orientation the constrained components of the rotation vector depend on
        # the free ones: rotating the tip by δ changes log(Rᵀ R_goal) by −J_r⁻¹ δ, not by −δ. With
        # all three constrained, J_r⁻¹ e = e and it makes no difference.
        right_jacobian_inverse(e[3:], R)
    for k in range(J.shape[1]):
        for first in (0, 3):
            x, y, z = J[first, k], J[first + 1, k], J[first + 2, k]
            a = G[0, 0] * x + G[1, 0] * y + G[2, 0] * z
            b = G[0, 1] * x + G[1, 1] * y + G[2, 1] * z
            c = G[0, 2] * x + G[1, 2] * y + G[2, 2] * z
            if first == 3 and task.partial_orientation:
                a, b, c = (R[0, 0] * a + R[0, 1] * b + R[0, 2] * c,
                           R[1, 0] * a + R[1, 1] * b + R[1, 2] * c,
                           R[2, 0] * a + R[2, 1] * b + R[2, 2] * c)
            J[first, k] = w[first] * a
            J[first + 1, k] = w[first + 1] * b
            J[first + 2, k] = w[first + 2] * c
