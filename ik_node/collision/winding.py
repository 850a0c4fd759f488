"""What triangles enclose, by winding numbers [Jacobson, Kavan & Sorkine-Hornung 2013].

A surface that is open, or inside out, has them as well: the solid angles of its triangles, over 4 π
[van Oosterom & Strackee 1983].
"""

import math

try:
    import cython
except ImportError:
    from ik_node.support import cython
import numpy as np

from ik_node.spatial import vector3 as vectors
from ik_node.spatial.vector3 import Vector3
from ik_node.support.arrays import Memory

if not cython.compiled:
    from ik_node.spatial.vector3 import cross, dot, minus, norm

ENCLOSED = 0.5  # of a winding: more of it, in either direction, is around what is inside


class Surface:
    """Triangles `faces` (t, 3) of vertices (k, 3), m, within the box from `low` to `high`."""

    low: Vector3
    high: Vector3

    def __init__(self, vertices: np.ndarray, faces: np.ndarray) -> None:
        """Copy them."""
        self.memory = memory = Memory()
        self.count, self.vertices = len(faces), memory.points(vertices)
        self.faces = memory.integers(faces.ravel())
        self.low, self.high = (tuple(vertices.min(axis=0)), tuple(vertices.max(axis=0)))

    def encloses(self, points: np.ndarray, R: np.ndarray, t: np.ndarray) -> bool:
        """Tell whether one of points (p, 3) is inside; none is on the surface.

        R (3, 3), t (3,): of the pose of the points in the surface's frame, m.
        """
        for k in range(points.shape[0]):
            p = points[k, 0], points[k, 1], points[k, 2]
            p = (dot((R[0, 0], R[0, 1], R[0, 2]), p) + t[0],
                 dot((R[1, 0], R[1, 1], R[1, 2]), p) + t[1],
                 dot((R[2, 0], R[2, 1], R[2, 2]), p) + t[2])
            if (self.low[0] < p[0] < self.high[0] and self.low[1] < p[1] < self.high[1]
                    and self.low[2] < p[2] < self.high[2]
                    and math.fabs(winding(self, p)) > ENCLOSED):
                return True
        return False


def winding(own: Surface, p: Vector3) -> float:
    """Return how often a surface is around a point."""
    total = 0.0
    for k in range(own.count):
        a = minus(vectors.row(own.vertices, own.faces[3 * k]), p)
        b = minus(vectors.row(own.vertices, own.faces[3 * k + 1]), p)
        c = minus(vectors.row(own.vertices, own.faces[3 * k + 2]), p)
        u, v, w = norm(a), norm(b), norm(c)
        total += math.atan2(dot(a, cross(b, c)),
                            u * v * w + dot(a, b) * w + dot(b, c) * u + dot(c, a) * v)
    return total / (2.0 * math.pi)
