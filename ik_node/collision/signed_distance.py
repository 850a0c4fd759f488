"""The signed distance of two placed convex shapes, and its witness points.

How deep cores overlap is the shortest translation that parts them. A polytope within the
differences of their points grows around the origin, always beyond its nearest face, until that face
lies on their border [the expanding polytope algorithm: van den Bergen, Proximity queries and
penetration depth computation on 3D game objects, 2001].
"""

import math

import cython
import numpy as np

from ik_node.collision import convex, cylinder_newton, gjk
from ik_node.collision.convex import Convex
from ik_node.collision.gjk import Simplex
from ik_node.spatial import vector3 as vectors
from ik_node.spatial.vector3 import Transform, Vector3

if not cython.compiled:
    from ik_node.spatial.vector3 import *

INF = math.inf
FINE = 1e-13       # m, of a distance, and of its share
COARSE = 1e-5      # the same where Newton's method goes on,
EXACT = 1e-12      # if more than this share of the distance is left: the square of an angle
VERTICES, FACES = 164, 512  # of the polytope, after the four of the simplex
TOLERANCE = 1e-12  # m, of a depth
NEARLY = 1e-8      # m, of a depth where Newton's method goes on
THIN = 1e-9        # m: smaller extents are none
VISIBLE = 1e-14    # m: how far beyond a face a vertex is
SLIVER = 1e-8      # sine of an angle
NEAR = 1e-10       # m: faces lower than the border by as much may lead to a lower one
COPLANAR = 1e-9    # m: faces whose distance differs less may be one


class PairData(Simplex):
    """Scratch of the distance of a pair of shapes, and its result; with a polytope of triangles.

    - `vertices`: where its vertices end, which are after the four of the simplex.
    - `corners`: (3 faces,) vertices of its `faces`, counterclockwise seen from outside; `across`,
      `level`: of each, its unit normal and its distance from the origin.
    - `edges`: (2 k,) of the border of what a new vertex replaces.
    """

    def __init__(self) -> None:
        """Make room."""
        Simplex.__init__(self, VERTICES)
        memory = self.memory
        self.corners = memory.integers(np.zeros(3 * FACES))
        self.across, self.level = memory.points(np.zeros((FACES, 3))), memory.vector(
            np.zeros(FACES))
        self.edges = memory.integers(np.zeros(6 * FACES))
        self.vertices = self.faces = 0


def signed_distance(a: Convex, A: Transform, b: Convex, B: Transform, far: float, own: PairData,
                    deep: bool) -> float:
    """Return the distance of two shapes at the poses A and B, m; negative: how deep they overlap.

    `own` then has the nearest points, or the deepest ones, and the unit normal from a to b, in
    the frame of A and B; but of a distance above `far` a lower bound is returned, and no points.
    Only the second may be a half-space. deep: whether overlaps of cores are measured; 0 stands for
    them else, without points.
    """
    T_a_b = composed(inverse_transform(A), B)
    if b.is_plane:
        found = _above_plane(a, T_a_b, own)
    else:
        found = _between(a, b, T_a_b, far + a.radius + b.radius, own, deep)
    n = own.normal
    own.on_a = transform_point(A, along(own.on_a, a.radius, n))
    own.on_b = transform_point(A, along(own.on_b, -b.radius, n))
    own.normal = rotated(A, n)
    return found - a.radius - b.radius


def _above_plane(a: Convex, T_a_b: Transform, own: PairData) -> float:
    """Return the distance of a core from a half-space below z = 0 of b; write normal and points."""
    up = rotated(T_a_b, (0.0, 0.0, 1.0))
    own.near_a[0], own.is_far = 0, False
    own.on_a = convex.support(a, times(-1.0, up), own.near_a)
    height = dot(up, minus(own.on_a, T_a_b[3]))
    own.on_b = along(own.on_a, -height, up)
    own.normal = times(-1.0, up)
    return height


def _between(a: Convex, b: Convex, T_a_b: Transform, far: float, own: PairData,
             deep: bool) -> float:
    """Return the signed distance of two cores; write normal and points."""
    is_curved = a.is_cylinder or b.is_cylinder
    found = gjk.core_distance(a, b, T_a_b, own, far, COARSE if is_curved else FINE)
    if is_curved and found > 0.0 and not own.is_far and own.rest > EXACT * found:
        height = cylinder_newton.refine(a, b, T_a_b, own, cylinder_newton.onto_axis(
            a, b, T_a_b, own.normal), 0.0)
        if height == INF:
            found = gjk.core_distance(a, b, T_a_b, own, INF, FINE)
            if found > 0.0:
                height = cylinder_newton.refine(a, b, T_a_b, own, own.normal, 0.0)
        if height < INF:
            return -height
    if found > 0.0 or not deep:
        return max(found, 0.0)
    return -_depth(a, b, T_a_b, own)


def _depth(a: Convex, b: Convex, T_a_b: Transform, own: PairData) -> float:
    """Return how deep two cores overlap, m; write the normal and the deepest points.

    After the query that found that they overlap. Everything is in the frame of the first.
    """
    if not _enclose(a, b, T_a_b, own):  # touching, and without an interior
        gjk.nearest_points(own)
        return 0.0
    is_curved = a.is_cylinder or b.is_cylinder
    deepest, most, more = -INF, INF, True
    while more:
        face = 0
        for m in range(1, own.faces):
            if own.level[m] < own.level[face]:
                face = m
        n, level = vectors.row(own.across, face), own.level[face]
        if level < deepest - COPLANAR:  # by rounding: of smaller and smaller faces
            break
        own.count = 0
        w = gjk.difference(a, b, T_a_b, own, n)
        left = dot(n, w) - level
        most = min(most, dot(n, w))
        more = left > TOLERANCE and own.vertices < VERTICES
        if more:
            gjk.copy_vertex(own, 0, own.vertices)
            own.vertices += 1
        _find_points(own, times(level, n), level)
        gjk.nearest_points(own)
        own.normal, deepest = n, level
        if is_curved and left <= NEARLY:
            found = cylinder_newton.refine(a, b, T_a_b, own, n, most + TOLERANCE)
            if found < INF:
                return found
        more = more and _replace_visible(own, face, w)
    return _of_faces(a, b, T_a_b, own, deepest, most) if is_curved else max(deepest, 0.0)


def _of_faces(a: Convex, b: Convex, T_a_b: Transform, own: PairData, deepest: float,
              most: float) -> float:
    """Return the least depth, m, that a face below `most` leads to; `deepest` where none does."""
    for m in range(2 * own.faces):
        face = m // 2
        n = vectors.row(own.across, face)
        if m % 2:  # the end of a cylinder, too, may be the nearest
            n = cylinder_newton.onto_axis(a, b, T_a_b, n)
        if own.level[face] < most - NEAR:
            _take_face(own, face)
            found = cylinder_newton.refine(a, b, T_a_b, own, n, most + TOLERANCE)
            if found < INF:
                deepest, most = found, min(most, found)
    return max(deepest, 0.0)


def _find_points(own: PairData, p: Vector3, level: float) -> None:
    """Write the triangle that has the point p of the border, at a level, as the simplex.

    Several triangles may lie in the plane of the nearest face.
    """
    least = INF
    for m in range(own.faces):
        if own.level[m] > level + COPLANAR:
            continue
        a = minus(_corner(own, m, 0), p)
        b = minus(_corner(own, m, 1), p)
        c = minus(_corner(own, m, 2), p)
        at = gjk.of_triangle(a, b, c)
        off = norm(along(along(times(at[0], a), at[1], b), at[2], c))
        if off < least:
            least = off
            own.at[0], own.at[1], own.at[2] = at
            _take_face(own, m)


def _corner(own: PairData, face: int, k: int) -> Vector3:
    return vectors.row(own.W, own.corners[3 * face + k])


def _take_face(own: PairData, face: int) -> None:
    """Write the corners of a face as the simplex."""
    own.count = 3
    for k in range(3):
        gjk.copy_vertex(own, own.corners[3 * face + k], k)


def _enclose(a: Convex, b: Convex, T_a_b: Transform, own: PairData) -> bool:
    """Begin with a tetrahedron around the origin; where there is none, write the normal only."""
    own.vertices, own.faces = 8, 0
    while own.count < 4:
        found = False
        for k in range(6):
            d = _direction(own, k)
            gjk.difference(a, b, T_a_b, own, d)
            if _extent(own, d) > THIN:
                found = True
                break
        if not found:
            d = _direction(own, 0)
            own.normal = times(1.0 / norm(d), d)
            return False
        own.at[own.count] = 0.0
        own.count += 1
    p, r = vectors.row(own.W, 0), vectors.row(own.W, 2)
    one, other = minus(vectors.row(own.W, 1), p), minus(vectors.row(own.W, 3), p)
    k = 1 if dot(cross(one, minus(r, p)), other) < 0.0 else 2  # counterclockwise
    gjk.copy_vertex(own, 0, 4)
    gjk.copy_vertex(own, k, 5)
    gjk.copy_vertex(own, 3 - k, 6)
    gjk.copy_vertex(own, 3, 7)
    _add_face(own, 4, 5, 6)
    _add_face(own, 4, 6, 7)
    _add_face(own, 4, 7, 5)
    _add_face(own, 5, 7, 6)
    return True


def _direction(own: PairData, k: int) -> Vector3:
    """Return direction k of six across the simplex, two opposite ones after one another."""
    sign, axis = 1.0 - 2.0 * (k % 2), k // 2
    p = vectors.row(own.W, 0)
    if own.count == 3:
        return times(sign, cross(minus(vectors.row(own.W, 1), p), minus(vectors.row(own.W, 2), p)))
    x: Vector3 = (1.0, 0.0, 0.0) if axis == 0 else (0.0, 1.0, 0.0) if axis == 1 else (0.0, 0.0, 1.0)
    if own.count == 1:
        return times(sign, x)
    edge = minus(vectors.row(own.W, 1), p)
    if math.fabs(dot(edge, x)) > 0.9 * norm(edge):  # along the axis, nearly: across it and the next
        x = x[2], x[0], x[1]
    return times(sign, cross(edge, x))


def _extent(own: PairData, d: Vector3) -> float:
    """Return how far the next vertex lies beyond the simplex along d, m."""
    off = minus(vectors.row(own.W, own.count), vectors.row(own.W, 0))
    size = norm(d)
    return math.fabs(dot(d, off)) / size if size > 0.0 else 0.0


def _add_face(own: PairData, i: int, j: int, k: int) -> None:
    p = vectors.row(own.W, i)
    one, other = minus(vectors.row(own.W, j), p), minus(vectors.row(own.W, k), p)
    n = cross(one, other)
    size, m = norm(n), own.faces
    if size <= SLIVER * norm(one) * norm(other):  # its normal has no digits
        size = 0.0
    own.corners[3 * m], own.corners[3 * m + 1], own.corners[3 * m + 2] = i, j, k
    n = times(1.0 / size if size > 0.0 else 0.0, n)
    own.across[m][0], own.across[m][1], own.across[m][2] = n
    own.level[m] = dot(n, p) if size > 0.0 else INF  # a sliver is never the nearest
    own.faces += 1


def _replace_visible(own: PairData, nearest: int, w: Vector3) -> bool:
    """Replace what the last vertex w sees around the nearest face by faces from its border to w.

    Return whether there is room for them.
    """
    count, m, idle, corners, edges = 0, nearest, 0, own.corners, own.edges
    while idle < own.faces:
        if count == 0 or _is_seen(own, m, count, w):
            for k in range(3):
                i, j = corners[3 * m + k], corners[3 * m + (k + 1) % 3]
                at = _edge_of(own, count, j, i)
                if at < 0:
                    edges[2 * count], edges[2 * count + 1] = i, j
                    count += 1
                else:  # between two faces that are replaced there is no border
                    count -= 1
                    edges[2 * at], edges[2 * at + 1] = edges[2 * count], edges[2 * count + 1]
            own.faces -= 1  # the last one takes its place
            for k in range(3):
                corners[3 * m + k] = corners[3 * own.faces + k]
                own.across[m][k] = own.across[own.faces][k]
            own.level[m], idle = own.level[own.faces], 0
        else:
            m, idle = m + 1, idle + 1
        if m >= own.faces:
            m = 0
    if own.faces + count > FACES:
        return False
    for k in range(count):
        _add_face(own, edges[2 * k], edges[2 * k + 1], own.vertices - 1)
    return True


def _is_seen(own: PairData, m: int, count: int, w: Vector3) -> bool:
    """Tell whether w sees face m, and that is beside the border."""
    # From a corner: seen from the origin, the plane of a small face is less exact.
    if dot(vectors.row(own.across, m), minus(w, _corner(own, m, 0))) <= VISIBLE:
        return False
    for k in range(3):
        if _edge_of(own, count, own.corners[3 * m + (k + 1) % 3], own.corners[3 * m + k]) >= 0:
            return True
    return False


def _edge_of(own: PairData, count: int, i: int, j: int) -> int:
    """Return which edge of a border leads from vertex i to j; −1 for none."""
    for k in range(count):
        if own.edges[2 * k] == i and own.edges[2 * k + 1] == j:
            return k
    return -1
