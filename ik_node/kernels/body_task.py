"""What a task of a body is to the kernels, and the scratch that tasks share."""

import numpy as np

from ik_node.kernels.arrays import (
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
from ik_node.kernels.tree import Tree


class TaskWork:
    """The frames at one q, and scratch for tasks."""

    frames: Poses
    axes: Points
    moments: Fours
    J: Columns
    T: Pose
    R: Rotation
    M: Rotation
    own: Vector
    """(6,) residual of one task."""
    center: Vector
    """(3,) m."""

    def __init__(self, tree: Tree) -> None:
        """Make room."""
        self.memory = memory = Memory()
        self.frames = memory.poses(np.zeros((tree.links, 4, 4)))
        self.axes = memory.points(np.zeros((tree.links, 3)))
        self.moments = memory.fours(np.zeros((tree.links, 4)))
        self.J = memory.columns(np.zeros((tree.n, 6)))
        self.T = memory.poses(np.zeros((1, 4, 4)))[0]
        self.R = memory.rotations(np.zeros((1, 3, 3)))[0]
        self.M = memory.rotations(np.zeros((1, 3, 3)))[0]
        self.own = memory.vector(np.zeros(6))
        self.center = memory.vector(np.zeros(3))


class BodyTask:
    """A residual over the frames of a body; subclasses override `rows`."""

    def rows(self, tree: Tree, work: TaskWork, q: Vector, first: int, r: Vector,
             J: Matrix) -> None:
        """Write the residual into r from `first` on, and its Jacobian into J (n, m), transposed.

        work has the frames and axes at q (n,). What this raises ends the search, and reaches the
        caller.
        """
