"""How deep two convex cores overlap: the shortest translation that parts them.

A polytope within the differences of their points grows around the origin, always beyond its
nearest face, until that face lies on their border [van den Bergen, Proximity queries and
penetration depth computation on 3D game objects, 2001].
"""

import math

try:
    import cython
except ImportError:
    from ik_node.support import cython
import numpy as np

from ik_node.collision import cores, rims, simplex
from ik_node.collision import gap as gaps
from ik_node.collision.convex import Convex
from ik_node.collision.gap import Gap
from ik_node.spatial import vector3 as vectors
from ik_node.spatial.vector3 import Motion, Vector3
from ik_node.support.arrays import Memory

if not cython.compiled:
    from ik_node.spatial.vector3 import along, cross, dot, minus, norm, times

INF = math.inf
VERTICES, FACES = 160, 512
TOLERANCE = 1e-12  # m, of the depth
COARSE = 1e-8      # m, of the depth where Newton's method goes on
THIN = 1e-9        # m: smaller extents are none
VISIBLE = 1e-14    # m: how far beyond a face a vertex is
SLIVER = 1e-8     # sine of an angle
NEAR = 1e-10       # m: faces lower than the border by as much may lead to a lower one
COPLANAR = 1e-9    # m: faces whose distance differs less may be one


class Polytope:
    """A polytope of triangles: the scratch of a query.

    - `W`, `A`, `B`: its vertices (count, 3), differences of the points of the cores, and these.
    - `corners`: (3 faces,) vertices of the faces, counterclockwise seen from outside.
    - `normal`, `level`: of each face, its unit normal and its distance from the origin.
    - `edges`: (2 k,) of the border of what a new vertex replaces; `seen`: (faces,) what it sees.
    """

    def __init__(self) -> None:
        """Make room."""
        self.memory = memory = Memory()
        self.W = memory.points(np.zeros((VERTICES, 3)))
        self.A = memory.points(np.zeros((VERTICES, 3)))
        self.B = memory.points(np.zeros((VERTICES, 3)))
        self.corners = memory.integers(np.zeros(3 * FACES))
        self.normal = memory.points(np.zeros((FACES, 3)))
        self.level = memory.vector(np.zeros(FACES))
        self.edges = memory.integers(np.zeros(6 * FACES))
        self.seen, self.stack = (memory.integers(np.zeros(FACES)),
                                 memory.integers(np.zeros(FACES)))
        self.count = self.faces = 0


def depth(a: Convex, b: Convex, T_a_b: Motion, gap: Gap, polytope: Polytope) -> float:
    """Return how deep two cores overlap, m; write the normal and the deepest points.

    gap: of the query that found that they overlap. Everything is in the frame of the first.
    """
    if not _enclose(a, b, T_a_b, gap, polytope):  # touching, and without an interior
        gaps.nearest_points(gap)
        return 0.0
    is_curved = a.core == cores.DRUM or b.core == cores.DRUM
    deepest, most, more = -INF, INF, True
    while more:
        face = _nearest_face(polytope)
        n, level = vectors.row(polytope.normal, face), polytope.level[face]
        if level < deepest - COPLANAR:  # by rounding: of smaller and smaller faces
            break
        gap.count = 0
        w = gaps.difference(a, b, T_a_b, gap, n)
        left = dot(n, w) - level
        most = min(most, dot(n, w))
        more = left > TOLERANCE and polytope.count < VERTICES
        if more:
            _take_vertex(gap, 0, polytope)
        _find_points(polytope, times(level, n), level, gap)
        gaps.nearest_points(gap)
        gap.normal, deepest = n, level
        if is_curved and left <= COARSE:
            found = rims.refine(a, b, T_a_b, gap, n, most + TOLERANCE)
            if found < INF:
                return found
        more = more and _replace_visible(polytope, face, w)
    return _of_faces(a, b, T_a_b, gap, polytope, deepest, most) if is_curved else max(deepest, 0.0)


def _of_faces(a: Convex, b: Convex, T_a_b: Motion, gap: Gap, polytope: Polytope, deepest: float,
              most: float) -> float:
    """Return the least depth, m, that a face below `most` leads to; `deepest` where none does."""
    for m in range(2 * polytope.faces):
        face = m // 2
        n = vectors.row(polytope.normal, face)
        if m % 2:  # the end of a drum, too, may be the nearest
            n = rims.onto_axis(a, b, T_a_b, n)
        if polytope.level[face] < most - NEAR:
            gap.count = 3
            for k in range(3):
                _give_vertex(polytope, polytope.corners[3 * face + k], gap, k)
            found = rims.refine(a, b, T_a_b, gap, n, most + TOLERANCE)
            if found < INF:
                deepest, most = found, min(most, found)
    return max(deepest, 0.0)


def _find_points(polytope: Polytope, p: Vector3, level: float, gap: Gap) -> None:
    """Write the triangle that has the point p of the border, at a level, as a simplex.

    Several triangles may lie in the plane of the nearest face.
    """
    least, gap.count = INF, 3
    for m in range(polytope.faces):
        if polytope.level[m] > level + COPLANAR:
            continue
        a = minus(_vertex(polytope, m, 0), p)
        b = minus(_vertex(polytope, m, 1), p)
        c = minus(_vertex(polytope, m, 2), p)
        at = simplex.of_triangle(a, b, c)
        off = norm(along(along(times(at[0], a), at[1], b), at[2], c))
        if off < least:
            least = off
            gap.at[0], gap.at[1], gap.at[2] = at
            for k in range(3):
                _give_vertex(polytope, polytope.corners[3 * m + k], gap, k)


def _vertex(polytope: Polytope, face: int, k: int) -> Vector3:
    return vectors.row(polytope.W, polytope.corners[3 * face + k])


def _enclose(a: Convex, b: Convex, T_a_b: Motion, gap: Gap, polytope: Polytope) -> bool:
    """Begin with a tetrahedron around the origin; where there is none, write the normal only."""
    polytope.count = polytope.faces = 0
    while gap.count < 4:
        found = False
        for k in range(6):
            d = _direction(gap, k)
            gaps.difference(a, b, T_a_b, gap, d)
            if _extent(gap, d) > THIN:
                found = True
                break
        if not found:
            d = _direction(gap, 0)
            gap.normal = times(1.0 / norm(d), d)
            return False
        gap.at[gap.count] = 0.0
        gap.count += 1
    for k in range(4):
        _take_vertex(gap, k, polytope)
    p, q = vectors.row(gap.W, 0), vectors.row(gap.W, 1)
    r, s = vectors.row(gap.W, 2), vectors.row(gap.W, 3)
    if dot(cross(minus(q, p), minus(r, p)), minus(s, p)) < 0.0:
        _add_face(polytope, 0, 1, 2)
        _add_face(polytope, 0, 2, 3)
        _add_face(polytope, 0, 3, 1)
        _add_face(polytope, 1, 3, 2)
    else:
        _add_face(polytope, 0, 2, 1)
        _add_face(polytope, 0, 3, 2)
        _add_face(polytope, 0, 1, 3)
        _add_face(polytope, 1, 2, 3)
    return True


def _direction(gap: Gap, k: int) -> Vector3:
    """Return direction k of six across the simplex, two opposite ones after one another."""
    sign, axis = 1.0 - 2.0 * (k % 2), k // 2
    p = vectors.row(gap.W, 0)
    if gap.count == 3:
        return times(sign, cross(minus(vectors.row(gap.W, 1), p), minus(vectors.row(gap.W, 2), p)))
    x = (1.0, 0.0, 0.0) if axis == 0 else (0.0, 1.0, 0.0) if axis == 1 else (0.0, 0.0, 1.0)
    if gap.count == 1:
        return times(sign, x)
    edge = minus(vectors.row(gap.W, 1), p)
    if math.fabs(dot(edge, x)) > 0.9 * norm(edge):  # along the axis, nearly: across it and the next
        x = x[2], x[0], x[1]
    return times(sign, cross(edge, x))


def _extent(gap: Gap, d: Vector3) -> float:
    """Return how far the next vertex lies beyond the simplex along d, m."""
    off = minus(vectors.row(gap.W, gap.count), vectors.row(gap.W, 0))
    size = norm(d)
    return math.fabs(dot(d, off)) / size if size > 0.0 else 0.0


def _take_vertex(gap: Gap, k: int, polytope: Polytope) -> None:
    """Add vertex k of a simplex to a polytope."""
    m = polytope.count
    for i in range(3):
        polytope.W[m][i] = gap.W[k][i]
        polytope.A[m][i], polytope.B[m][i] = gap.A[k][i], gap.B[k][i]
    polytope.count += 1


def _give_vertex(polytope: Polytope, m: int, gap: Gap, k: int) -> None:
    """Write vertex m of a polytope as vertex k of a simplex."""
    for i in range(3):
        gap.W[k][i] = polytope.W[m][i]
        gap.A[k][i], gap.B[k][i] = polytope.A[m][i], polytope.B[m][i]


def _add_face(polytope: Polytope, i: int, j: int, k: int) -> None:
    p = vectors.row(polytope.W, i)
    one, other = minus(vectors.row(polytope.W, j), p), minus(vectors.row(polytope.W, k), p)
    n = cross(one, other)
    size, m = norm(n), polytope.faces
    if size <= SLIVER * norm(one) * norm(other):  # its normal has no digits
        size = 0.0
    polytope.corners[3 * m], polytope.corners[3 * m + 1], polytope.corners[3 * m + 2] = i, j, k
    n = times(1.0 / size if size > 0.0 else 0.0, n)
    polytope.normal[m][0], polytope.normal[m][1], polytope.normal[m][2] = n
    polytope.level[m] = dot(n, p) if size > 0.0 else INF  # a sliver is never the nearest
    polytope.faces += 1


def _nearest_face(polytope: Polytope) -> int:
    best = 0
    for m in range(1, polytope.faces):
        if polytope.level[m] < polytope.level[best]:
            best = m
    return best


def _replace_visible(polytope: Polytope, nearest: int, w: Vector3) -> bool:
    """Replace what the last vertex w sees around the nearest face by faces from its border to w.

    Return whether there is room for them.
    """
    count, depth, seen, stack, corners = 0, 1, polytope.seen, polytope.stack, polytope.corners
    for m in range(polytope.faces):
        seen[m] = 0
    seen[nearest], stack[0] = 1, nearest
    while depth > 0:
        depth -= 1
        face = stack[depth]
        for k in range(3):
            i, j = corners[3 * face + k], corners[3 * face + (k + 1) % 3]
            other = _with_edge(polytope, j, i)
            if other < 0:
                return False
            if seen[other]:
                continue
            # From a corner: seen from the origin, the plane of a small face is less exact.
            if dot(vectors.row(polytope.normal, other),
                   minus(w, _vertex(polytope, other, 0))) > VISIBLE:
                seen[other], stack[depth] = 1, other
                depth += 1
            else:
                polytope.edges[2 * count], polytope.edges[2 * count + 1] = i, j
                count += 1
    _remove_seen(polytope)
    if polytope.faces + count > FACES:
        return False
    for k in range(count):
        _add_face(polytope, polytope.edges[2 * k], polytope.edges[2 * k + 1], polytope.count - 1)
    return True


def _with_edge(polytope: Polytope, i: int, j: int) -> int:
    """Return the face with an edge from vertex i to vertex j; −1 without one."""
    corners = polytope.corners
    for m in range(polytope.faces):
        a, b, c = corners[3 * m], corners[3 * m + 1], corners[3 * m + 2]
        if (a == i and b == j) or (b == i and c == j) or (c == i and a == j):
            return m
    return -1


def _remove_seen(polytope: Polytope) -> None:
    """Remove the faces that are seen; the last ones take their places."""
    m, corners = 0, polytope.corners
    while m < polytope.faces:
        if not polytope.seen[m]:
            m += 1
            continue
        last = polytope.faces - 1
        for k in range(3):
            corners[3 * m + k] = corners[3 * last + k]
            polytope.normal[m][k] = polytope.normal[last][k]
        polytope.level[m], polytope.seen[m] = polytope.level[last], polytope.seen[last]
        polytope.faces = last
