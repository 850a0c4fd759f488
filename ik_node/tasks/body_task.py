"""What a task of a body is to the kernels, and the scratch that tasks share."""

from typing import Any

import numpy as np

from ik_node.kinematics.tree import Tree
from ik_node.support.arrays import (
    Columns,
    Fours,
    Matrix,
    Memory,
    Points,
    Pose,
    Poses,
    Rotation,
    Vector,
)


class TaskWork:
    """The frames at one q, the targets of one search, and scratch for tasks."""

    frames: Poses
    targets: Poses
    """(t, 4, 4) of all tasks, as they were when the search began."""
    axes: Points
    moments: Fours
    J: Columns
    other: Columns
    """(6, n) Jacobian of a second link."""
    T: Pose
    R: Rotation
    M: Rotation
    own: Vector
    """(6,) residual of one task."""
    v: Vector
    """(3,)"""
    u: Vector
    """(3,)"""
    body_frames: Any
    """Of the tasks written in Python; None before the first."""

    def __init__(self, tree: Tree, count: int) -> None:
        """Make room for a number of tasks."""
        self.memory = memory = Memory()
        self.body_frames = None
        self.frames = memory.poses(np.zeros((tree.links, 4, 4)))
        self.targets = memory.poses(np.zeros((count, 4, 4)))
        self.axes = memory.points(np.zeros((tree.links, 3)))
        self.moments = memory.fours(np.zeros((tree.links, 4)))
        self.J = memory.columns(np.zeros((tree.n, 6)))
        self.other = memory.columns(np.zeros((tree.n, 6)))
        self.T = memory.poses(np.zeros((1, 4, 4)))[0]
        self.R = memory.rotations(np.zeros((1, 3, 3)))[0]
        self.M = memory.rotations(np.zeros((1, 3, 3)))[0]
        self.own = memory.vector(np.zeros(6))
        self.v, self.u = memory.vector(np.zeros(3)), memory.vector(np.zeros(3))


class BodyTask:
    """A residual over the frames of a body; subclasses override `rows`.

    Every target is kept as a pose, of which a task reads the part that it has. Searches copy it
    when they begin, so that a target set meanwhile is not seen by half.
    """

    index: int
    """Which of the tasks of a solver it is."""
    m: int
    """Number of rows."""
    has_energy: bool
    """Whether its cost is its `energy`, instead of half the square of its weighted rows."""
    misses: bool
    """Whether its residual is something missed."""
    target: Pose

    def __init__(self, index: int, m: int) -> None:
        """Make a task of m rows, without a target."""
        self.memory = Memory()
        self.index, self.m, self.has_energy, self.misses = index, m, False, True
        self.target = self.memory.poses(np.reshape(np.eye(4), (1, 4, 4)))[0]

    def set_pose(self, T: np.ndarray) -> None:
        """Take a target T_world_target (4, 4), m, or a rotation (3, 3) alone."""
        for i, row in enumerate(T.tolist()):
            for j, value in enumerate(row):
                self.target[i][j] = value

    def set_point(self, p: np.ndarray) -> None:
        """Take a target (3,), m."""
        for i, value in enumerate(p.tolist()):
            self.target[i][3] = value

    def rows(self, tree: Tree, work: TaskWork, q: Vector, first: int, r: Vector,
             J: Matrix) -> None:
        """Write the residual into r from `first` on, and its Jacobian into J (n, m), transposed.

        work has the frames and axes at q (n,), and the targets. What this raises ends the search,
        and reaches the caller.
        """

    def energy(self, work: TaskWork, first: int, r: Vector, scale: Vector) -> float:
        """Return weight · energy, where `has_energy`, after `rows` with the same arguments.

        scale: √weight of the task times the weight of a row, of all rows.
        """
        return 0.0


def write_row(a: float, b: float, c: float, A: Columns, top: int, n: int, row: int,
              J: Matrix) -> None:
    """Write (a, b, c) times three rows of A, (6, n), into row `row` of J (n, m), transposed."""
    for k in range(n):
        J[k][row] = a * A[k][top] + b * A[k][top + 1] + c * A[k][top + 2]
