"""Shapes that do not move, in a tree of boxes, so that only those near a ball are looked at."""

from typing import Any

import numpy as np

from ik_node.collision.convex import Convex
from ik_node.support.arrays import Memory

LEAF = 4    # shapes of a leaf
DEPTH = 64  # of the tree at the most
_GRID = 2**20


class World:
    """Placed shapes, some of them half-spaces.

    - `count`, `planes`: how many there are, and how many half-spaces after them; `has_larger`:
      whether a hull is larger than its mesh; `named`: what was given with each shape.
    - `shape`, `place`: each shape, and its pose (4, 4), m.
    - `reach`: how far they are from the origin at most, m; infinite with half-spaces.
    - `boxes`: of a complete binary tree, least and greatest coordinates of each node; `leaves`:
      how many leaves it has, each of `LEAF` shapes in order.
    """

    def __init__(self, shapes: list[Convex], poses: np.ndarray, named: Any = ()) -> None:
        """Sort shapes at poses (k, 4, 4), half-spaces last; named: something of each, if any."""
        self.memory = memory = Memory()
        is_plane = np.array([shape.is_plane for shape in shapes], dtype=bool)
        middle = np.array([shape.middle for shape in shapes]).reshape(-1, 3)
        center = np.einsum('kij,kj->ki', poses[:, :3, :3], middle) + poses[:, :3, 3]
        bound = np.array([shape.bound for shape in shapes]).reshape(-1, 1)
        inner, planes = np.flatnonzero(~is_plane), np.flatnonzero(is_plane)
        inner = inner[_along_curve(center[inner])]
        self.count, self.planes = len(inner), len(planes)
        order = np.concatenate([inner, planes])
        self.named: list[Any] = [named[k] for k in order] if named else []
        self.shape = memory.objects([shapes[k] for k in order])
        self.place = memory.poses(poses[order])
        self.has_larger: bool = any(shape.is_larger for shape in shapes)
        leaves = 1
        while leaves * LEAF < self.count:
            leaves *= 2
        self.leaves = leaves
        low, high = (center - bound)[inner], (center + bound)[inner]
        self.boxes = memory.columns(_boxes(low, high, leaves))
        self.reach = np.inf if len(planes) else float(np.linalg.norm(
            np.maximum(-low, high), axis=1).max(initial=0.0))


def _boxes(low: np.ndarray, high: np.ndarray, leaves: int) -> np.ndarray:
    """Return the boxes (2 leaves, 6) of a tree: node i has the children 2 i and 2 i + 1."""
    padded = np.full((leaves * LEAF, 6), np.inf)
    padded[:, 3:] = -np.inf
    padded[:len(low), :3], padded[:len(low), 3:] = low, high
    nodes = np.empty((2 * leaves, 6))
    nodes[0] = 0.0
    nodes[leaves:, :3] = padded[:, :3].reshape(leaves, LEAF, 3).min(axis=1)
    nodes[leaves:, 3:] = padded[:, 3:].reshape(leaves, LEAF, 3).max(axis=1)
    level = leaves // 2
    while level:
        below = nodes[2 * level:4 * level].reshape(level, 2, 6)
        nodes[level:2 * level, :3] = below[:, :, :3].min(axis=1)
        nodes[level:2 * level, 3:] = below[:, :, 3:].max(axis=1)
        level //= 2
    return nodes


def _along_curve(points: np.ndarray) -> np.ndarray:
    """Return the order (k,) of points (k, 3) along Morton's curve, on which near ones are near."""
    if not len(points):
        return np.empty(0, dtype=np.intp)
    low = points.min(axis=0)
    size = max(float((points.max(axis=0) - low).max()), 1e-12)
    cells = ((points - low) * ((_GRID - 1) / size)).astype(np.uint64)
    code = np.zeros(len(points), dtype=np.uint64)
    for bit in range(20):
        for axis in range(3):
            code |= ((cells[:, axis] >> np.uint64(bit)) & np.uint64(1)) << np.uint64(3 * bit + axis)
    return np.argsort(code, kind='stable')
