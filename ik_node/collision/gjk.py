"""The distance of two convex cores that do not overlap [Gilbert, Johnson & Keerthi 1988].

The cores are apart by as much as the origin is from the differences of their points. A simplex of
such differences is moved towards the origin: its nearest point v leads to the next vertex, the
support point along −v, which bounds the distance from below by v · w / |v|. Signed areas and
volumes tell which faces of a simplex may hold the nearest point [Montanari, Petrinic & Barbieri,
Improving the GJK algorithm for faster and more reliable distance queries, 2017].
"""

import math

import cython
import numpy as np

from ik_node.collision import convex
from ik_node.collision.convex import Convex
from ik_node.spatial import vector3 as vectors
from ik_node.spatial.vector3 import Transform, Vector3
from ik_node.support.arrays import Memory, Points, Vector

if not cython.compiled:
    from ik_node.spatial.vector3 import *

INF = math.inf
ZERO: Vector3 = (0.0, 0.0, 0.0)
STEPS = 200
TOUCHING = 1e-11  # m: cores nearer than this overlap


class Simplex:
    """Scratch of a query, and its result.

    - `count`: of the vertices of the simplex: the first of `W` (room, 3), differences of the
      support points `A` and `B`, with the barycentric coordinates `at` (4,) of its point nearest
      to the origin; `next`: those that are tried.
    - `is_far`: whether the query ended when the distance was known to exceed what was asked for;
      `rest`: m, between the bounds of a distance where it ended.
    - `normal`: unit vector from the first shape to the second; `on_a`, `on_b`: the nearest points,
      of shapes that overlap the deepest ones.
    """

    normal: Vector3
    on_a: Vector3
    on_b: Vector3

    def __init__(self, room: int) -> None:
        """Make room for so many vertices."""
        self.memory = memory = Memory()
        self.A, self.B = memory.points(np.zeros((room, 3))), memory.points(np.zeros((room, 3)))
        self.W = memory.points(np.zeros((room, 3)))
        self.at, self.next = memory.vector(np.zeros(4)), memory.vector(np.zeros(4))
        self.near_a, self.near_b = memory.integers([0]), memory.integers([0])
        self.count, self.is_far, self.rest = 0, False, 0.0
        self.normal = self.on_a = self.on_b = ZERO


def core_distance(a: Convex, b: Convex, T_a_b: Transform, own: Simplex, far: float,
                  tolerance: float) -> float:
    """Return the distance of two cores, m, 0 where they overlap; write the nearest points.

    Everything is in the frame of the first. Of a distance above `far` a lower bound is returned.
    tolerance: m, of the distance, and of its share.
    """
    own.count, own.near_a[0], own.near_b[0], own.is_far = 0, 0, 0, False
    v: Vector3 = minus(a.middle, transform_point(T_a_b, b.middle))
    size = norm(v)
    if size == 0.0:
        v, size = (1.0, 0.0, 0.0), 1.0
    length = INF
    for _ in range(STEPS):
        w = difference(a, b, T_a_b, own, times(-1.0, v))
        bound = dot(v, w) / size
        if bound > far:
            own.is_far = True
            own.normal = times(-1.0 / size, v)
            return bound
        own.rest = length - bound
        if own.count > 0 and own.rest <= tolerance * (1.0 + length):
            break
        nearer = closest(own, own.count + 1, ZERO)
        if not norm(nearer) < length:
            break
        keep(own, own.count + 1)
        v, length = nearer, norm(nearer)
        size = length
        if own.count == 4 or length <= TOUCHING:
            return 0.0
    own.normal = times(-1.0 / length, v)
    nearest_points(own)
    return length


def difference(a: Convex, b: Convex, T_a_b: Transform, own: Simplex, d: Vector3) -> Vector3:
    """Return the difference of the cores' support points along d; store it as the next vertex."""
    k = own.count
    p = convex.support(a, d, own.near_a)
    q = transform_point(T_a_b, convex.support(b, rotated_back(T_a_b, times(-1.0, d)), own.near_b))
    w = minus(p, q)
    own.A[k][0], own.A[k][1], own.A[k][2] = p
    own.B[k][0], own.B[k][1], own.B[k][2] = q
    own.W[k][0], own.W[k][1], own.W[k][2] = w
    return w


def keep(own: Simplex, count: int) -> None:
    """Keep those of the first vertices that take part, and their coordinates."""
    kept = 0
    for k in range(count):
        if own.next[k] > 0.0:
            own.at[kept] = own.next[k]
            copy_vertex(own, k, kept)
            kept += 1
    own.count = kept


def copy_vertex(own: Simplex, k: int, m: int) -> None:
    """Write vertex k as vertex m."""
    for i in range(3):
        own.W[m][i], own.A[m][i], own.B[m][i] = own.W[k][i], own.A[k][i], own.B[k][i]


def nearest_points(own: Simplex) -> None:
    """Write the points of the cores that the coordinates of the simplex name."""
    own.on_a = own.on_b = ZERO
    for k in range(own.count):
        own.on_a = along(own.on_a, own.at[k], vectors.row(own.A, k))
        own.on_b = along(own.on_b, own.at[k], vectors.row(own.B, k))


def closest(own: Simplex, count: int, p: Vector3) -> Vector3:
    """Return the point nearest to 0 of the first vertices, moved by p; write its coordinates.

    As those to try next. Four vertices are not moved.
    """
    W, at = own.W, own.next
    at[0], at[1], at[2], at[3] = 1.0, 0.0, 0.0, 0.0
    if count == 2:
        at[0], at[1] = of_segment(plus(vectors.row(W, 0), p), plus(vectors.row(W, 1), p))
    elif count == 3:
        at[0], at[1], at[2] = of_triangle(plus(vectors.row(W, 0), p), plus(vectors.row(W, 1), p),
                                          plus(vectors.row(W, 2), p))
    elif count == 4:
        of_tetrahedron(W, at)
    for k in range(count):
        p = along(p, at[k], vectors.row(W, k))
    return p


def of_segment(a: Vector3, b: Vector3) -> tuple[float, float]:
    """Return the barycentric coordinates of the point of a segment nearest to the origin.

    Here and below those of vertices that do not take part are exactly 0.
    """
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
    least = INF
    best: Vector3 = (1.0, 0.0, 0.0)
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
    a, b = vectors.row(W, 0), vectors.row(W, 1)
    c, d = vectors.row(W, 2), vectors.row(W, 3)
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
        p, q = vectors.row(W, _others(k, 0)), vectors.row(W, _others(k, 1))
        r = vectors.row(W, _others(k, 2))
        s, t, u = of_triangle(p, q, r)
        found = along(along(times(s, p), t, q), u, r)
        if dot(found, found) < least:
            least, x, y, z, best = dot(found, found), s, t, u, k
    at[best] = 0.0
    at[_others(best, 0)], at[_others(best, 1)], at[_others(best, 2)] = x, y, z


def _others(k: int, i: int) -> int:
    """Return vertex i of the face opposite vertex k of a tetrahedron."""
    return i if i < k else i + 1
