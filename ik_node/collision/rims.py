"""Exact normals where cores are curved: at the rims and the sides of drums.

The differences of two cores are those of polytopes and of the discs of drums: their border along a
unit vector n is at c + Σ r u, with a vertex c of polytopes and, for each drum of radius r, the
direction u of n across its axis. Where several c are the highest together, n is perpendicular to
what is between them. The least height of the border, c · n + Σ r |n across|, is how deep cores
overlap, and minus the distance of others. Newton's method finds it from a simplex that is near it.
"""

import math

try:
    import cython
except ImportError:
    from ik_node.support import cython

from ik_node.collision import cores, simplex
from ik_node.collision import gap as gaps
from ik_node.collision.convex import Convex
from ik_node.collision.gap import Gap
from ik_node.spatial import vector3 as vectors
from ik_node.spatial.vector3 import Motion, Vector3

if not cython.compiled:
    from ik_node.spatial.vector3 import (
        along,
        cross,
        dot,
        minus,
        norm,
        perpendicular,
        plus,
        rotated,
        times,
    )

INF = math.inf
Z = (0.0, 0.0, 1.0)
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


def refine(a: Convex, b: Convex, T_a_b: Motion, gap: Gap, n: Vector3, most: float) -> float:
    """Return the least height, m, near the unit vector n; write the normal and the points.

    gap: has the simplex, whose points on drums are moved along their rims. Infinite where it is not
    found, or above `most`; then the normal and the points stay as they are. Along the axis of a
    drum the whole end is equally high: then n stays.
    """
    z, size, least = rotated(T_a_b, Z), 1.0 + norm(T_a_b[3]), -INF
    for k in range(gap.count):
        straighten(a, b, T_a_b[3], z, gap, k)
    if is_along(a, Z, n) or is_along(b, z, n):
        add_vertex(a, b, T_a_b, z, gap, n)
        least = dot(n, vectors.row(gap.W, gap.count - 1)) - THIN
    for _ in range(ROUNDS):
        keep_highest(gap, n, least)
        if least == -INF:
            n = lowest(a, b, z, gap, n)
        u, v = on_rim(a, Z, n), on_rim(b, z, n)
        height = dot(n, plus(vectors.row(gap.W, 0), plus(u, v)))
        if dot(n, n) == 0.0 or not height <= most:
            break
        if dot(n, gaps.difference(a, b, T_a_b, gap, n)) - height > ROUNDING * size:
            if gap.count == 3:
                break
            add_vertex(a, b, T_a_b, z, gap, n)
            continue
        p = offset(gap, along(plus(u, v), -height, n))
        end = on_end(a, Z, n, p)
        u, p = plus(u, end), plus(p, end)
        end = on_end(b, z, n, p)
        v, p = plus(v, end), plus(p, end)
        if norm(p) <= TOLERANCE * size:
            gaps.nearest_points(gap)
            gap.normal, gap.on_a, gap.on_b = n, plus(gap.on_a, u), minus(gap.on_b, v)
            return height
        if not drop_idle(gap):
            break
    return INF


def onto_axis(a: Convex, b: Convex, T_a_b: Motion, n: Vector3) -> Vector3:
    """Return the axis of a drum that the unit vector n is nearly along, else n."""
    z = rotated(T_a_b, Z)
    if a.core == cores.DRUM and norm(perpendicular(Z, n)) < NEAR_AXIS:
        return times(math.copysign(1.0, n[2]), Z)
    if b.core == cores.DRUM and norm(perpendicular(z, n)) < NEAR_AXIS:
        return times(math.copysign(1.0, dot(z, n)), z)
    return n


def is_along(shape: Convex, axis: Vector3, n: Vector3) -> bool:
    """Tell whether a shape is a drum whose axis n is along."""
    return shape.core == cores.DRUM and norm(perpendicular(axis, n)) <= ON_AXIS


def on_rim(shape: Convex, axis: Vector3, n: Vector3) -> Vector3:
    """Return how far a drum goes across its axis along n; 0 for others, and along the axis."""
    across = perpendicular(axis, n)
    size = norm(across)
    return times(shape.half[0] / size if (
        shape.core == cores.DRUM and size > ON_AXIS) else 0.0, across)


def on_end(shape: Convex, axis: Vector3, n: Vector3, p: Vector3) -> Vector3:
    """Return by how much p can be moved towards 0 on the end of a drum whose axis n is along."""
    if not is_along(shape, axis, n):
        return 0.0, 0.0, 0.0
    p = perpendicular(axis, p)
    size = norm(p)
    return times(-min(1.0, shape.half[0] / size) if size > 0.0 else 0.0, p)


def add_vertex(a: Convex, b: Convex, T_a_b: Motion, z: Vector3, gap: Gap, n: Vector3) -> None:
    """Add the vertex that is the highest along n to a simplex."""
    gaps.difference(a, b, T_a_b, gap, n)
    straighten(a, b, T_a_b[3], z, gap, gap.count)
    gap.count += 1


def straighten(a: Convex, b: Convex, p: Vector3, z: Vector3, gap: Gap, k: int) -> None:
    """Move vertex k of the simplex to the axes of drums; b is at p, its axis along z."""
    if a.core == cores.DRUM:
        gap.A[k][0] = gap.A[k][1] = 0.0
    q = vectors.row(gap.B, k)
    if b.core == cores.DRUM:
        q = along(p, dot(z, minus(q, p)), z)
        gap.B[k][0], gap.B[k][1], gap.B[k][2] = q
    gap.W[k][0], gap.W[k][1], gap.W[k][2] = minus(vectors.row(gap.A, k), q)


def keep_highest(gap: Gap, n: Vector3, least: float) -> None:
    """Keep at most three vertices that are at least so high along n; of equal ones the first."""
    for k in range(gap.count):
        gap.next[k] = 0.0 if dot(n, vectors.row(gap.W, k)) < least else 1.0
        for m in range(k):
            if norm(minus(vectors.row(gap.W, k), vectors.row(gap.W, m))) <= THIN:
                gap.next[k] = 0.0
    gaps.keep(gap, gap.count)
    gap.count = min(gap.count, 3)


def drop_idle(gap: Gap) -> bool:
    """Keep the vertices that the nearest point is of; tell whether there were others."""
    count = gap.count
    for k in range(count):
        gap.next[k] = gap.at[k]
    gaps.keep(gap, count)
    return gap.count < count


def lowest(a: Convex, b: Convex, z: Vector3, gap: Gap, n: Vector3) -> Vector3:
    """Return the unit vector near n, across what is between the vertices, of the least height."""
    c, e = vectors.row(gap.W, 0), (0.0, 0.0, 0.0)
    if gap.count > 1:
        e = unit(minus(vectors.row(gap.W, 1), c))
        n = unit(perpendicular(e, n))
    if gap.count == 3:
        x = minus(vectors.row(gap.W, 2), c)
        y = cross(e, x)
        if norm(y) > IN_LINE * norm(x):
            return unit(times(math.copysign(1.0, dot(y, n)), y))
    for _ in range(STEPS):
        if gap.count == 1:
            e = (1.0, 0.0, 0.0) if math.fabs(n[0]) < 0.7 else (0.0, 1.0, 0.0)
        x = unit(cross(e, n))
        y = cross(n, x)
        slope = plus(c, plus(on_rim(a, Z, n), on_rim(b, z, n)))
        p, q = bend(a, Z, n), bend(b, z, n)
        p_x, p_y, q_x, q_y = dot(p, x), dot(p, y), dot(q, x), dot(q, y)
        g_x, g_y, height = dot(slope, x), dot(slope, y), dot(slope, n)
        xx, xy = p_x * p_x + q_x * q_x - height, p_x * p_y + q_x * q_y
        yy = p_y * p_y + q_y * q_y - height
        if gap.count > 1:
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
    """Return s of the second derivative s sᵀ of how far a drum goes across its axis along n."""
    s = cross(axis, n)
    size = norm(s)
    return times(math.sqrt(shape.half[0] / size) / size if (
        shape.core == cores.DRUM and size > 0.0) else 0.0, s)


def unit(v: Vector3) -> Vector3:
    """Return v with the length 1; 0 remains."""
    size = norm(v)
    return times(1.0 / size if size > 0.0 else 0.0, v)


def offset(gap: Gap, p: Vector3) -> Vector3:
    """Return the point nearest to 0 of a simplex moved by p; write its coordinates."""
    W, at, last = gap.W, gap.at, gap.count - 1
    middle = min(1, last)
    found = simplex.of_triangle(plus(vectors.row(W, 0), p), plus(vectors.row(W, middle), p),
                                plus(vectors.row(W, last), p))
    at[0] = at[1] = at[2] = 0.0
    at[0] += found[0]
    at[middle] += found[1]
    at[last] += found[2]
    for k in range(gap.count):
        p = along(p, at[k], vectors.row(W, k))
    return p
