"""The frames of a tree at one q, and what follows from them, as arrays for callers in Python."""

from typing import Any

import cython
import numpy as np

from ik_node.kinematics import jacobian as jacobians
from ik_node.kinematics import mass_matrix as masses
from ik_node.kinematics import tree as trees
from ik_node.kinematics.tree import Tree
from ik_node.support import arrays
from ik_node.support.arrays import (
    Columns,
    InVector,
    Memory,
    OutVector,
    Points,
    Poses,
    Vector,
    taken,
)


class TreeFrames:
    """The frames of a tree at the q of the last `update`; for one thread at a time."""

    T_world_link: np.ndarray  # (k, 4, 4) m; changed by `update`. It keeps the block of memory.
    frames: Poses
    axes: Points
    J: Columns
    q: Vector

    def __init__(self, tree: Tree) -> None:
        self.memory, self.tree = Memory(), tree
        self.lay_out(tree.links, tree.n)
        self.has_masses = False

    def lay_out(self, links: int, n: int) -> None:
        """Make one block for all that every tree needs: frames are made often."""
        at_axes, at_J, at_q = 16 * links, 19 * links, 19 * links + 6 * n
        block: Any = np.zeros(at_q + n)
        T: Any = block[:at_axes].reshape(links, 4, 4)
        T[:, 3, 3] = 1.0
        self.T_world_link = T
        if cython.compiled:
            view: OutVector = block
            first = cython.cast('vector', cython.address(view[0]))
            self.frames = cython.cast('poses', first)
            self.axes = cython.cast('points', first + at_axes)
            self.J, self.q = cython.cast('columns', first + at_J), first + at_q
        else:
            self.frames, self.axes = T, block[at_axes:at_J].reshape(links, 3)
            self.J, self.q = block[at_J:at_q].reshape(n, 6), block[at_q:]

    def update(self, q: InVector) -> None:
        """Compute the frames at q (n,), rad or m. Raises ValueError for another size."""
        tree = self.tree
        if q.shape[0] != tree.n:
            raise ValueError(f'q must have {tree.n} values, not {q.shape[0]}')
        arrays.read_vector(q, self.q)
        trees.tree_frames(tree, self.q, self.frames, self.axes)

    def release(self) -> None:
        """Leave the frames to the next call of `frames_at`."""
        self.tree.idle.append(self)

    def jacobian(self, link: int, point: InVector) -> np.ndarray:
        """Return the Jacobian (6, n) of a point (3,) of a link, in its frame, m.

        Linear rows first, world axes. Raises ValueError for an index or a point out of range.
        """
        if not 0 <= link < self.tree.links or point.shape[0] != 3:
            raise ValueError(f'no link {link}, or no point of 3 values but {point.shape[0]}')
        J = np.empty((6, self.tree.n))
        jacobians.point_jacobian(self.tree, self.frames, self.axes, link, point[0], point[1],
                                 point[2], self.J)
        arrays.copy_columns(self.J, J)
        return J

    def center_of_mass(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the centre of mass (3,), m, and its Jacobian (3, n). The mass must not be 0."""
        self.make_masses()
        com, J = np.empty(3), np.empty((3, self.tree.n))
        trees.center_of_mass(self.tree, self.frames, self.axes, self.moments, self.center, self.J)
        arrays.copy_vector(self.center, com)
        arrays.copy_columns(self.J, J)
        return com, J

    def mass_matrix(self, tree: Tree) -> np.ndarray:
        """Return the mass matrix (n, n), see `mass_matrix`, with the inertials of a tree.

        That is the tree itself, or an equal one with other inertials. Raises ValueError for
        a tree of another size.
        """
        n = self.tree.n
        if tree.links != self.tree.links or tree.n != n:
            raise ValueError(f'a tree of {tree.links} links and {tree.n} joint values, not of '
                             f'{self.tree.links} and {n}')
        self.make_masses()
        M = np.empty((n, n))
        masses.mass_matrix(tree, self.frames, self.axes, self.composite, self.M)
        arrays.copy_matrix(self.M, M)
        return M

    def make_masses(self) -> None:
        """Make room for what only masses need."""
        if self.has_masses:
            return
        links, n, memory = self.tree.links, self.tree.n, self.memory
        self.center = memory.vector(np.zeros(3))
        self.moments = memory.fours(np.zeros((links, 4)))
        self.composite = memory.poses(np.zeros((links, 4, 4)))
        self.M = memory.matrix(n, n)
        self.has_masses = True


def frames_at(tree: Tree, q: InVector) -> TreeFrames:
    """Return frames of a tree at q (n,), rad or m, that no other thread uses."""
    frames: TreeFrames = taken(tree.idle, TreeFrames, tree)
    frames.update(q)
    return frames
