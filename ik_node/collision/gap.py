"""The distance of two convex cores that do not overlap [Gilbert, Johnson & Keerthi 1988].

The cores are apart by as much as the origin is from the differences of their points. A simplex of
such differences is moved towards the origin: its nearest point v leads to the next vertex, the
support point along −v, which bounds the distance from below by v · w / |v|.
"""

import math

try:
    import cython
except ImportError:
    from ik_node.support import cython
import numpy as np

from ik_node.collision import convex, simplex
from ik_node.collision.convex import Convex
from ik_node.spatial import vector3 as vectors
from ik_node.spatial.vector3 import Motion, Vector3
from ik_node.support.arrays import Memory

if not cython.compiled:
    from ik_node.spatial.vector3 import along, dot, minus, moved, norm, rotated_back, times

INF = math.inf
STEPS = 200
TOUCHING = 1e-11  # m: cores nearer than this overlap


class Gap:
    """Scratch of a query, and its result.

    - `count`: of the vertices of the simplex: `W` (4, 3) differences of the support points `A` and
      `B`, with the barycentric coordinates `at` (4,) of the point nearest to the origin.
    - `is_far`: whether the query ended when the distance was known to exceed what was asked for;
      `rest`: m, between the bounds of a distance where it ended.
    - `normal`: unit vector from the first shape to the second; `on_a`, `on_b`: the nearest points,
      of shapes that overlap the deepest ones.
    """

    normal: Vector3
    on_a: Vector3
    on_b: Vector3

    def __init__(self) -> None:
        """Make room."""
        self.memory = memory = Memory()
        self.A, self.B = memory.points(np.zeros((4, 3))), memory.points(np.zeros((4, 3)))
        self.W = memory.points(np.zeros((4, 3)))
        self.at, self.next = memory.vector(np.zeros(4)), memory.vector(np.zeros(4))
        self.near_a, self.near_b = memory.integers([0]), memory.integers([0])
        self.count, self.is_far, self.rest = 0, False, 0.0
        self.normal = self.on_a = self.on_b = (0.0, 0.0, 0.0)


def approach(a: Convex, b: Convex, T_a_b: Motion, gap: Gap, far: float,
             tolerance: float) -> float:
    """Return the distance of two cores, m, 0 where they overlap; write the nearest points.

    Everything is in the frame of the first. Of a distance above `far` a lower bound is returned.
    tolerance: m, of the distance, and of its share.
    """
    gap.count, gap.near_a[0], gap.near_b[0], gap.is_far = 0, 0, 0, False
    v = minus(a.middle, moved(T_a_b, b.middle))
    size = norm(v)
    if size == 0.0:
        v, size = (1.0, 0.0, 0.0), 1.0
    length = INF
    for _ in range(STEPS):
        w = difference(a, b, T_a_b, gap, times(-1.0, v))
        bound = dot(v, w) / size
        if bound > far:
            gap.is_far = True
            gap.normal = times(-1.0 / size, v)
            return bound
        gap.rest = length - bound
        if gap.count > 0 and gap.rest <= tolerance * (1.0 + length):
            break
        if not _is_nearer(gap, length):
            break
        keep(gap, gap.count + 1)
        v = (0.0, 0.0, 0.0)
        for k in range(gap.count):
            v = along(v, gap.at[k], vectors.row(gap.W, k))
        length = size = norm(v)
        if gap.count == 4 or length <= TOUCHING:
            return 0.0
    gap.normal = times(-1.0 / length, v)
    nearest_points(gap)
    return length


def difference(a: Convex, b: Convex, T_a_b: Motion, gap: Gap, d: Vector3) -> Vector3:
    """Return the difference of the cores' support points along d; store it as the next vertex."""
    k = gap.count
    p = convex.support(a, d, gap.near_a)
    q = moved(T_a_b, convex.support(b, rotated_back(T_a_b, times(-1.0, d)), gap.near_b))
    w = minus(p, q)
    gap.A[k][0], gap.A[k][1], gap.A[k][2] = p
    gap.B[k][0], gap.B[k][1], gap.B[k][2] = q
    gap.W[k][0], gap.W[k][1], gap.W[k][2] = w
    return w


def _is_nearer(gap: Gap, length: float) -> bool:
    """Write the coordinates of the simplex with its next vertex; tell whether it is nearer."""
    W, at = gap.W, gap.next
    at[0], at[1], at[2], at[3] = 1.0, 0.0, 0.0, 0.0
    if gap.count == 1:
        at[0], at[1] = simplex.of_segment(vectors.row(W, 0), vectors.row(W, 1))
    elif gap.count == 2:
        at[0], at[1], at[2] = simplex.of_triangle(vectors.row(W, 0), vectors.row(W, 1),
                                                  vectors.row(W, 2))
    elif gap.count == 3:
        simplex.of_tetrahedron(W, at)
    v = (0.0, 0.0, 0.0)
    for k in range(gap.count + 1):
        v = along(v, at[k], vectors.row(W, k))
    return norm(v) < length


def keep(gap: Gap, count: int) -> None:
    """Keep those of the first vertices that take part, and their coordinates."""
    kept = 0
    for k in range(count):
        if gap.next[k] <= 0.0:
            continue
        gap.at[kept] = gap.next[k]
        for i in range(3):
            gap.W[kept][i], gap.A[kept][i], gap.B[kept][i] = gap.W[k][i], gap.A[k][i], gap.B[k][i]
        kept += 1
    gap.count = kept


def nearest_points(gap: Gap) -> None:
    """Write the points of the cores that the coordinates of the simplex name."""
    gap.on_a = gap.on_b = (0.0, 0.0, 0.0)
    for k in range(gap.count):
        gap.on_a = along(gap.on_a, gap.at[k], vectors.row(gap.A, k))
        gap.on_b = along(gap.on_b, gap.at[k], vectors.row(gap.B, k))
