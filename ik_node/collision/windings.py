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

from ik_node.spatial.vector3 import Vector3

if not cython.compiled:
    from ik_node.spatial.vector3 import cross, dot, norm

ENCLOSED = 0.5  # of a winding: more of it, in either direction, is around what is inside


def are_around(vertices: np.ndarray, faces: np.ndarray, points: np.ndarray) -> bool:
    """Tell whether triangles (t, 3) of vertices (k, 3) enclose one of points (p, 3), m.

    None is on them.
    """
    for i in range(points.shape[0]):
        p, total = (points[i, 0], points[i, 1], points[i, 2]), 0.0
        for k in range(faces.shape[0]):
            a = _from(p, vertices, faces[k, 0])
            b = _from(p, vertices, faces[k, 1])
            c = _from(p, vertices, faces[k, 2])
            u, v, w = norm(a), norm(b), norm(c)
            total += math.atan2(dot(a, cross(b, c)),
                                u * v * w + dot(a, b) * w + dot(b, c) * u + dot(c, a) * v)
        if math.fabs(total) > 2.0 * math.pi * ENCLOSED:
            return True
    return False


def _from(p: Vector3, vertices: np.ndarray, k: int) -> Vector3:
    return vertices[k, 0] - p[0], vertices[k, 1] - p[1], vertices[k, 2] - p[2]
