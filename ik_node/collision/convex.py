"""Convex shapes: all points within a radius of a convex core, known by its support points."""

import math
from typing import Any

try:
    import cython
except ImportError:
    from ik_node.support import cython
from ik_node.collision import cores
from ik_node.spatial import vector3 as vectors
from ik_node.spatial.vector3 import Vector3
from ik_node.support.arrays import Integers, Memory

if not cython.compiled:
    from ik_node.spatial.vector3 import dot


class Convex:
    """A convex shape, in its own frame; m.

    - `core`: its kind, see `cores`; `radius`: how far the shape goes beyond the core.
    - `half`: (3,) half the extents of the core; of a drum, its radius twice and half its length.
    - `points`, `first`, `neighbours`: of a hull, its `vertices` (k, 3), and for vertex i the ones
      `neighbours[first[i]]` to `neighbours[first[i + 1] - 1]` that share an edge with it.
    - `middle`, `bound`: the centre and the radius of a ball around the shape.
    """

    half: Vector3
    middle: Vector3

    def __init__(self, core: int, radius: float, half: Any, points: Any = (), first: Any = (0,),
                 neighbours: Any = (), middle: Any = (0.0, 0.0, 0.0),
                 bound: float | None = None) -> None:
        """Copy what describes the shape."""
        self.memory = memory = Memory()
        self.core, self.radius, self.vertices = core, radius, len(points)
        self.half, self.middle = tuple(half), tuple(middle)
        self.points = memory.points(points)
        self.first, self.neighbours = memory.integers(first), memory.integers(neighbours)
        x, y, z = half
        self.bound = radius + math.sqrt(
            x * x + y * y * (core != cores.DRUM) + z * z) if bound is None else bound


def support(shape: Convex, d: Vector3, near: Integers) -> Vector3:
    """Return a point of the core that is farthest along d, any vector, in the shape's frame.

    near (1,): the vertex of a hull from which the search begins, replaced by the one found.
    """
    half = shape.half
    if shape.core == cores.HULL:
        return _vertex(shape, d, near)
    if shape.core == cores.DRUM:
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
