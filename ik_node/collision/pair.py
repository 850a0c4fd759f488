"""The signed distance of two placed convex shapes, and its witness points."""

import math

try:
    import cython
except ImportError:
    from ik_node.support import cython

from ik_node.collision import convex, cores, penetration, rims
from ik_node.collision import gap as gaps
from ik_node.collision.convex import Convex
from ik_node.collision.gap import Gap
from ik_node.collision.penetration import Polytope
from ik_node.spatial.vector3 import Motion

if not cython.compiled:
    from ik_node.spatial.vector3 import (
        along,
        composed,
        dot,
        minus,
        moved,
        reversed_motion,
        rotated,
        times,
    )

INF = math.inf
FINE = 1e-13    # m, of a distance, and of its share
COARSE = 1e-5   # the same where Newton's method goes on,
EXACT = 1e-12   # if more than this share of the distance is left: the square of an angle


def signed_distance(a: Convex, A: Motion, b: Convex, B: Motion, far: float, gap: Gap,
                    polytope: Polytope, deep: bool) -> float:
    """Return the distance of two shapes at the poses A and B, m; negative: how deep they overlap.

    gap then has the nearest points, or the deepest ones, and the unit normal from a to b, in
    the frame of A and B; but of a distance above `far` a lower bound is returned, and no points.
    Only the second may be a half-space. deep: whether overlaps of cores are measured; 0 stands for
    them else, without points.
    """
    T_a_b = composed(reversed_motion(A), B)
    if b.core == cores.HALF_SPACE:
        found = _above_plane(a, T_a_b, gap)
    else:
        found = _between(a, b, T_a_b, far + a.radius + b.radius, gap, polytope,
                         deep)
    n = gap.normal
    gap.on_a = moved(A, along(gap.on_a, a.radius, n))
    gap.on_b = moved(A, along(gap.on_b, -b.radius, n))
    gap.normal = rotated(A, n)
    return found - a.radius - b.radius


def _between(a: Convex, b: Convex, T_a_b: Motion, far: float, gap: Gap, polytope: Polytope,
             deep: bool) -> float:
    """Return the signed distance of two cores; write normal and points."""
    is_curved = a.core == cores.DRUM or b.core == cores.DRUM
    found = gaps.approach(a, b, T_a_b, gap, far, COARSE if is_curved else FINE)
    if is_curved and found > 0.0 and not gap.is_far and gap.rest > EXACT * found:
        height = rims.refine(a, b, T_a_b, gap, rims.onto_axis(a, b, T_a_b, gap.normal), 0.0)
        if height == INF:
            found = gaps.approach(a, b, T_a_b, gap, INF, FINE)
            if found > 0.0:
                height = rims.refine(a, b, T_a_b, gap, gap.normal, 0.0)
        if height < INF:
            return -height
    if found > 0.0 or not deep:
        return max(found, 0.0)
    return -penetration.depth(a, b, T_a_b, gap, polytope)


def _above_plane(a: Convex, T_a_b: Motion, gap: Gap) -> float:
    """Return the distance of a core from a half-space below z = 0 of b; write normal and points."""
    up = rotated(T_a_b, (0.0, 0.0, 1.0))
    gap.near_a[0], gap.is_far = 0, False
    gap.on_a = convex.support(a, times(-1.0, up), gap.near_a)
    height = dot(up, minus(gap.on_a, T_a_b[3]))
    gap.on_b = along(gap.on_a, -height, up)
    gap.normal = times(-1.0, up)
    return height
