"""Convex shapes: all points within a radius of a convex core, known by its support points."""

import math
from typing import Any

import cython
import numpy as np

from ik_node.spatial import vector3 as vectors
from ik_node.spatial.vector3 import Vector3
from ik_node.support.arrays import Integers, Memory

if not cython.compiled:
    from ik_node.spatial.vector3 import *

NOTHING = (0.0, 0.0, 0.0)


class Convex:
    """A convex shape about its middle, in its own frame; m.

    - `half`: (3,) half the extents of the core; of a cylinder, which is along z, its radius twice
      and half its length. `radius`: how far the shape goes beyond the core.
    - `is_cylinder`, `is_plane`: whether the core is one, or all that is below z = 0.
    - `points`, `first`, `neighbours`: of a hull, its `vertices` (k, 3), and for vertex i the ones
      `neighbours[first[i]]` to `neighbours[first[i + 1] - 1]` that share an edge with it.
      `is_larger`: whether it is the hull of a mesh that is not convex.
    - `middle`, `bound`: the centre and the radius of a ball around the shape.
    """

    half: Vector3
    middle: Vector3

    def __init__(self, half: Any = NOTHING, radius: float = 0.0, is_cylinder: bool = False,
                 is_plane: bool = False, points: Any = (), first: Any = (0,),
                 neighbours: Any = ()) -> None:
        """Copy what describes the shape."""
        self.memory = memory = Memory()
        self.is_cylinder, self.is_plane, self.is_larger = is_cylinder, is_plane, False
        self.radius = radius
        self.half, self.vertices = tuple(half), len(points)
        self.points, self.first = memory.points(points), memory.integers(first)
        self.neighbours = memory.integers(neighbours)
        x, y, z = half
        self.middle = NOTHING
        self.bound = radius + math.sqrt(x * x + y * y * (not is_cylinder) + z * z)
        if len(points):
            middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
            self.middle = tuple(middle.tolist())
            self.bound = float(np.sqrt(((points - middle) ** 2).sum(axis=1).max()))


def support(shape: Convex, d: Vector3, near: Integers) -> Vector3:
    """Return a point of the core that is farthest along d, any vector, in the shape's frame.

    near (1,): the vertex of a hull from which the search begins, replaced by the one found.
    """
    half = shape.half
    if shape.vertices:
        return _vertex(shape, d, near)
    if shape.is_cylinder:
        across = math.sqrt(d[0] * d[0] + d[1] * d[1])
        if across == 0.0:  # any point of the rim, none within
            return half[0], 0.0, math.copysign(half[2], d[2])
        scale = half[0] / across
        return scale * d[0], scale * d[1], math.copysign(half[2], d[2])
    return (math.copysign(half[0], d[0]), math.copysign(half[1], d[1]),
            math.copysign(half[2], d[2]))


def _vertex(shape: Convex, d: Vector3, near: Integers) -> Vector3:
    """Climb along edges: on a convex polytope a vertex above its neighbours is the highest."""
    best = near[0]
    height, higher = dot(vectors.row(shape.points, best), d), True
    while higher:
        higher, here = False, best
        for k in range(shape.first[here], shape.first[here + 1]):
            other = dot(vectors.row(shape.points, shape.neighbours[k]), d)
            if other > height:
                higher, height, best = True, other, shape.neighbours[k]
    near[0] = best
    return vectors.row(shape.points, best)
