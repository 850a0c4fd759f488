"""The point of a simplex nearest to the origin, by its barycentric coordinates.

Signed areas and volumes tell which faces may hold it [Montanari, Petrinic & Barbieri, Improving the
GJK algorithm for faster and more reliable distance queries, 2017]. Coordinates of vertices that do
not take part are exactly 0.
"""

import math

try:
    import cython
except ImportError:
    from ik_node.support import cython
from ik_node.spatial.vector3 import Vector3
from ik_node.support.arrays import Points, Vector

if not cython.compiled:
    from ik_node.spatial.vector3 import along, cross, dot, minus, times

INF = math.inf


def of_segment(a: Vector3, b: Vector3) -> tuple[float, float]:
    """Return the coordinates of the point of a segment that is nearest to the origin."""
    edge = minus(b, a)
    along_edge, squared = -dot(a, edge), dot(edge, edge)
    if along_edge <= 0.0 or squared == 0.0:
        return 1.0, 0.0
    if along_edge >= squared:
        return 0.0, 1.0
    share = along_edge / squared
    return 1.0 - share, share


def of_triangle(a: Vector3, b: Vector3, c: Vector3) -> Vector3:
    """Return the coordinates of the point of a triangle that is nearest to the origin."""
    n = cross(minus(b, a), minus(c, a))
    squared = dot(n, n)
    if squared > 0.0:
        p = times(dot(a, n) / squared, n)
        u = _signed_area(b, c, p, n)
        v = _signed_area(c, a, p, n)
        w = _signed_area(a, b, p, n)
        if u >= 0.0 and v >= 0.0 and w >= 0.0:
            scale = 1.0 / (u + v + w)
            return u * scale, v * scale, w * scale
    else:  # a flat one: all its edges
        u = v = w = -1.0
    least, best = INF, (1.0, 0.0, 0.0)
    if u < 0.0:
        s, t = of_segment(b, c)
        found = along(times(s, b), t, c)
        least, best = dot(found, found), (0.0, s, t)
    if v < 0.0:
        s, t = of_segment(c, a)
        found = along(times(s, c), t, a)
        if dot(found, found) < least:
            least, best = dot(found, found), (t, 0.0, s)
    if w < 0.0:
        s, t = of_segment(a, b)
        found = along(times(s, a), t, b)
        if dot(found, found) < least:
            best = s, t, 0.0
    return best


def _signed_area(a: Vector3, b: Vector3, p: Vector3, n: Vector3) -> float:
    """Return twice the area of a, b, p times |n|, positive to the left of a → b seen along −n."""
    return dot(cross(minus(b, a), minus(p, a)), n)


def of_tetrahedron(W: Points, at: Vector) -> None:
    """Write the coordinates (4,) of the point of a tetrahedron W (4, 3) nearest to the origin."""
    a, b, c, d = _vertex(W, 0), _vertex(W, 1), _vertex(W, 2), _vertex(W, 3)
    volume = dot(minus(b, a), cross(minus(c, a), minus(d, a)))
    at[0] = dot(b, cross(c, d))
    at[1] = -dot(a, cross(c, d))
    at[2] = dot(a, cross(b, d))
    at[3] = -dot(a, cross(b, c))
    sign, inside = 1.0 if volume > 0.0 else -1.0, volume != 0.0
    for k in range(4):
        at[k] *= sign
        inside = inside and at[k] >= 0.0
    if inside:
        total = at[0] + at[1] + at[2] + at[3]
        for k in range(4):
            at[k] /= total
        return
    least, x, y, z, best = INF, 1.0, 0.0, 0.0, 3
    for k in range(4):
        if at[k] >= 0.0 and volume != 0.0:
            continue
        p, q, r = _vertex(W, _others(k, 0)), _vertex(W, _others(k, 1)), _vertex(W, _others(k, 2))
        s, t, u = of_triangle(p, q, r)
        found = along(along(times(s, p), t, q), u, r)
        if dot(found, found) < least:
            least, x, y, z, best = dot(found, found), s, t, u, k
    at[best] = 0.0
    at[_others(best, 0)], at[_others(best, 1)], at[_others(best, 2)] = x, y, z


def _vertex(W: Points, k: int) -> Vector3:
    return W[k][0], W[k][1], W[k][2]


def _others(k: int, i: int) -> int:
    """Return vertex i of the face opposite vertex k of a tetrahedron."""
    return i if i < k else i + 1
