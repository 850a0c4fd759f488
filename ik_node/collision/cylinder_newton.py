"""Exact normals where cores are curved: at the rims and the sides of cylinders.

The differences of two cores are those of polytopes and of the discs of cylinders: their border
along a unit vector n is at c + Σ r u, with a vertex c of polytopes and, for each cylinder of radius
r, the direction u of n across its axis. Where several c are the highest together, n is
perpendicular to what is between them. The least height of the border, c · n + Σ r |n across|, is
how deep cores overlap, and minus the distance of others. Newton's method finds it from a simplex
that is near it.
"""

import math

import cython

from ik_node.collision import gjk
from ik_node.collision.convex import Convex
from ik_node.collision.gjk import Simplex
from ik_node.spatial import vector3 as vectors
from ik_node.spatial.vector3 import Transform, Vector3

if not cython.compiled:
    from ik_node.spatial.vector3 import *

INF = math.inf
Z: Vector3 = (0.0, 0.0, 1.0)
ROUNDS, STEPS = 8, 12
LONGEST = 0.5       # rad, of a step
CONVERGED = 1e-13   # rad
LEVEL = 1e-15       # m per rad: no slope
NEAR_AXIS = 0.1     # rad
ON_AXIS = 1e-9      # rad
IN_LINE = 1e-8      # rad
ROUNDING = 1e-14    # m, of heights
TOLERANCE = 1e-12   # m, of points
THIN = 1e-12        # m: vertices nearer than this are one


def refine(a: Convex, b: Convex, T_a_b: Transform, own: Simplex, n: Vector3, most: float) -> float:
    """Return the least height, m, near the unit vector n; write the normal and the points.

    own: has the simplex, whose points on cylinders are moved along their rims. Infinite where it is
    not found, or above `most`; then the normal and the points stay as they are. Along the axis of a
    cylinder the whole end is equally high: then n stays.
    """
    z, size, least = rotated(T_a_b, Z), 1.0 + norm(T_a_b[3]), -INF
    for k in range(own.count):
        straighten(a, b, T_a_b[3], z, own, k)
    if is_along(a, Z, n) or is_along(b, z, n):
        add_vertex(a, b, T_a_b, z, own, n)
        least = dot(n, vectors.row(own.W, own.count - 1)) - THIN
    for _ in range(ROUNDS):
        keep_highest(own, n, least)
        if least == -INF:
            n = lowest(a, b, z, own, n)
        u, v = on_rim(a, Z, n), on_rim(b, z, n)
        height = dot(n, plus(vectors.row(own.W, 0), plus(u, v)))
        if dot(n, n) == 0.0 or not height <= most:
            break
        if dot(n, gjk.difference(a, b, T_a_b, own, n)) - height > ROUNDING * size:
            if own.count == 3:
                break
            add_vertex(a, b, T_a_b, z, own, n)
            continue
        count = own.count
        p = gjk.closest(own, count, along(plus(u, v), -height, n))
        gjk.keep(own, count)
        end = on_end(a, Z, n, p)
        u, p = plus(u, end), plus(p, end)
        end = on_end(b, z, n, p)
        v, p = plus(v, end), plus(p, end)
        if norm(p) <= TOLERANCE * size:
            gjk.nearest_points(own)
            own.normal, own.on_a, own.on_b = n, plus(own.on_a, u), minus(own.on_b, v)
            return height
        if own.count == count:
            break
    return INF


def onto_axis(a: Convex, b: Convex, T_a_b: Transform, n: Vector3) -> Vector3:
    """Return the axis of a cylinder that the unit vector n is nearly along, else n."""
    z = rotated(T_a_b, Z)
    if a.is_cylinder and norm(perpendicular(Z, n)) < NEAR_AXIS:
        return times(math.copysign(1.0, n[2]), Z)
    if b.is_cylinder and norm(perpendicular(z, n)) < NEAR_AXIS:
        return times(math.copysign(1.0, dot(z, n)), z)
    return n


def is_along(shape: Convex, axis: Vector3, n: Vector3) -> bool:
    """Tell whether a shape is a cylinder whose axis n is along."""
    return shape.is_cylinder and norm(perpendicular(axis, n)) <= ON_AXIS


def on_rim(shape: Convex, axis: Vector3, n: Vector3) -> Vector3:
    """Return how far a cylinder goes across its axis along n; 0 for others, and along the axis."""
    across = perpendicular(axis, n)
    size = norm(across)
    return times(shape.half[0] / size if shape.is_cylinder and size > ON_AXIS else 0.0, across)


def on_end(shape: Convex, axis: Vector3, n: Vector3, p: Vector3) -> Vector3:
    """Return by how much p moves towards 0 on the end of a cylinder whose axis n is along."""
    if not is_along(shape, axis, n):
        return 0.0, 0.0, 0.0
    p = perpendicular(axis, p)
    size = norm(p)
    return times(-min(1.0, shape.half[0] / size) if size > 0.0 else 0.0, p)


def add_vertex(a: Convex, b: Convex, T_a_b: Transform, z: Vector3, own: Simplex,
               n: Vector3) -> None:
    """Add the vertex that is the highest along n to a simplex."""
    gjk.difference(a, b, T_a_b, own, n)
    straighten(a, b, T_a_b[3], z, own, own.count)
    own.count += 1


def straighten(a: Convex, b: Convex, p: Vector3, z: Vector3, own: Simplex, k: int) -> None:
    """Move vertex k of the simplex to the axes of cylinders; b is at p, its axis along z."""
    if a.is_cylinder:
        own.A[k][0] = own.A[k][1] = 0.0
    q = vectors.row(own.B, k)
    if b.is_cylinder:
        q = along(p, dot(z, minus(q, p)), z)
        own.B[k][0], own.B[k][1], own.B[k][2] = q
    own.W[k][0], own.W[k][1], own.W[k][2] = minus(vectors.row(own.A, k), q)


def keep_highest(own: Simplex, n: Vector3, least: float) -> None:
    """Keep at most three vertices that are at least so high along n; of equal ones the first."""
    for k in range(own.count):
        own.next[k] = 0.0 if dot(n, vectors.row(own.W, k)) < least else 1.0
        for m in range(k):
            if norm(minus(vectors.row(own.W, k), vectors.row(own.W, m))) <= THIN:
                own.next[k] = 0.0
    gjk.keep(own, own.count)
    own.count = min(own.count, 3)


def lowest(a: Convex, b: Convex, z: Vector3, own: Simplex, n: Vector3) -> Vector3:
    """Return the unit vector near n, across what is between the vertices, of the least height."""
    c = vectors.row(own.W, 0)
    e: Vector3 = (0.0, 0.0, 0.0)
    if own.count > 1:
        e = unit(minus(vectors.row(own.W, 1), c))
        n = unit(perpendicular(e, n))
    if own.count == 3:
        x = minus(vectors.row(own.W, 2), c)
        y = cross(e, x)
        if norm(y) > IN_LINE * norm(x):
            return unit(times(math.copysign(1.0, dot(y, n)), y))
    for _ in range(STEPS):
        if own.count == 1:
            e = (1.0, 0.0, 0.0) if math.fabs(n[0]) < 0.7 else (0.0, 1.0, 0.0)
        x = unit(cross(e, n))
        y = cross(n, x)
        slope = plus(c, plus(on_rim(a, Z, n), on_rim(b, z, n)))
        p, q = bend(a, Z, n), bend(b, z, n)
        p_x, p_y, q_x, q_y = dot(p, x), dot(p, y), dot(q, x), dot(q, y)
        g_x, g_y, height = dot(slope, x), dot(slope, y), dot(slope, n)
        xx, xy = p_x * p_x + q_x * q_x - height, p_x * p_y + q_x * q_y
        yy = p_y * p_y + q_y * q_y - height
        if own.count > 1:
            if math.fabs(g_x) <= LEVEL:
                break
            s, t = (-g_x / xx if xx > 0.0 else -math.copysign(LONGEST, g_x)), 0.0
        else:
            determinant = xx * yy - xy * xy
            if xx <= 0.0 or determinant <= 0.0:
                break
            s, t = (g_y * xy - g_x * yy) / determinant, (g_x * xy - g_y * xx) / determinant
        size = math.sqrt(s * s + t * t)
        scale = min(1.0, LONGEST / size) if size > 0.0 else 1.0
        n = unit(along(along(n, scale * s, x), scale * t, y))
        if size <= CONVERGED:
            break
    return n


def bend(shape: Convex, axis: Vector3, n: Vector3) -> Vector3:
    """Return s of the second derivative s sᵀ of how far a cylinder goes across its axis along n."""
    s: Vector3 = cross(axis, n)
    size = norm(s)
    return times(math.sqrt(shape.half[0] / size) / size if (
        shape.is_cylinder and size > 0.0) else 0.0, s)


def unit(v: Vector3) -> Vector3:
    """Return v with the length 1; 0 remains."""
    size = norm(v)
    return times(1.0 / size if size > 0.0 else 0.0, v)
