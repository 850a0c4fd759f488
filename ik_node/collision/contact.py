"""What is near what, at joint values."""

from typing import NamedTuple

import numpy as np


class Contact(NamedTuple):
    """Two things that are nearer than they may be."""

    first: str  # a link, or the name of what is attached to one
    second: str  # another, or the name of an obstacle
    distance: float  # m; negative: how deep they overlap
    point_first: np.ndarray
    """(3,) the point of the first nearest to the second, of an overlap the deepest in it: m, in
    the base frame of an arm, the world frame of a body."""
    point_second: np.ndarray  # (3,) that of the second
    normal: np.ndarray  # (3,) unit vector from the first to the second
    is_exact: bool = True
    """Whether the shapes themselves are that near. False: one is a mesh, whose convex hull was
    measured; it encloses the mesh, which may be farther away. Of meshes that overlap the depth is
    that of their hulls."""

    def __str__(self) -> str:
        """Return the pair and its distance."""
        state = (f'{-1e3 * self.distance:.3g} mm deep in' if self.distance < 0.0 else
                 f'{1e3 * self.distance:.3g} mm from')
        return (f'{self.first!r} is {state} {self.second!r}'
                + ('' if self.is_exact else ' by the convex hulls of their meshes'))


class NearPairs(NamedTuple):
    """Pairs of shapes that are near one another at some joint values."""

    pairs: np.ndarray  # (k, 2) integers that tell them apart, until obstacles change
    distances: np.ndarray  # (k,) m; negative: how deep they overlap
    gradients: np.ndarray  # (k, n) how the distances change, m per rad or m
    meshes: np.ndarray  # (k,) bool: coal is there, and one is a mesh that is not convex
