"""Two joints, or one, where an arm of six joints has three: more equations than unknowns.

Arms of five joints and fewer meet only some poses; for others the values are those of the equations
that are solved. As for `position_triple`, a value is (c, s) for a revolute joint, (m, 0) for a
prismatic one, and a row of found is u₁ v₁ u₂ v₂.
"""

import math

try:
    import cython
except ImportError:
    from ik_node.support import cython

from ik_node.kinematics import kinds
from ik_node.solvers.analytic.subproblems import two_rotations
from ik_node.solvers.analytic.subproblems.two_rotations import Joint
from ik_node.spatial.vector3 import Vector3
from ik_node.support import polynomials
from ik_node.support.arrays import Columns, Vector

if not cython.compiled:
    from ik_node.spatial.angles import direction, rotation_between, solve_sinusoid
    from ik_node.spatial.vector3 import (
        along,
        cross,
        dot,
        minus,
        perpendicular,
        rotated_about,
        rotated_by,
    )


def place_point(j1: Joint, j2: Joint, x: Vector3, t: Vector3, start: Vector, size: float,
                slack: float, found: Columns) -> int:
    """Find e₁ e₂ x = t; arguments as for `position_triple.place_point`.

    A rotation about line 1 changes neither the height along it nor the distance from p₁: two
    equations for θ₂ [Elias & Wen 2025, Subproblem 2, with axes that need not meet].
    """
    if j2[0] == kinds.PRISMATIC:
        return _prismatic_last(j1, j2, x, t, start, 0, size, slack, found)
    if j1[0] == kinds.PRISMATIC:  # e₂⁻¹ e₁⁻¹ t = x
        count = _prismatic_last(j2, j1, t, x, start, 1, size, slack, found)
        for i in range(count):
            c, s, mu = found[i][0], found[i][1], found[i][2]
            found[i][0], found[i][1], found[i][2], found[i][3] = -mu, 0.0, c, -s
        return count
    h1, p1, h2, p2 = j1[1], j1[2], j2[1], j2[2]
    between, arm, there = minus(p2, p1), minus(x, p2), minus(t, p1)
    across, ahead = perpendicular(h2, arm), cross(h2, arm)
    still = minus(arm, across)
    count, ca, sa, cb, sb = _solve_better(
        dot(h1, across), dot(h1, ahead), dot(h1, minus(there, between)) - dot(h1, still), size,
        dot(between, across), dot(between, ahead),
        0.5 * (dot(there, there) - dot(between, between) - dot(arm, arm)) - dot(between, still),
        size * size, start[1], slack)
    for i in range(count):
        c2, s2 = (ca, sa) if i == 0 else (cb, sb)
        place_by_one(j1, rotated_about(h2, p2, c2, s2, x), t, start, 0, size, found[i])
        found[i][2], found[i][3] = c2, s2
    return count


def place_by_one(j1: Joint, x: Vector3, t: Vector3, start: Vector, k: int, size: float,
                 value: Vector) -> None:
    """Write the value of j₁, whose reference is start[k], that brings x nearest to t."""
    _, h, p = j1
    if j1[0] == kinds.PRISMATIC:
        value[0], value[1] = dot(h, minus(t, x)), 0.0
        return
    defined, c, s = rotation_between(h, minus(x, p), minus(t, p), two_rotations.NEARLY * size)
    value[0], value[1] = (c, s) if defined else (math.cos(start[k]), math.sin(start[k]))


def _prismatic_last(j1: Joint, j2: Joint, x: Vector3, t: Vector3, start: Vector, k: int,
                    size: float, slack: float, found: Columns) -> int:
    """Find e₁ (x + μ h₂) = t; start[k]: reference of e₁. In place of θ₂ as in `place_point`, μ."""
    h1, p1, h2 = j1[1], j1[2], j2[1]
    out, there = minus(x, p1), minus(t, p1)
    across = perpendicular(h1, h2)
    squared, rise = dot(across, across), dot(h1, h2)
    if j1[0] == kinds.PRISMATIC:
        if squared < two_rotations.NEARLY:
            return 0
        count, first = 1, dot(across, minus(t, x)) / squared
        second = first
    else:
        far, near = perpendicular(h1, there), perpendicular(h1, out)
        half, left = dot(across, near), dot(near, near) - dot(far, far)
        if rise * rise * size * size > half * half - squared * left:
            count, first = 1, dot(h1, minus(there, out)) / rise
            second = first
        else:
            count, first, second = polynomials.solve_quadratic(squared, 2.0 * half, left, slack)
    for i in range(count):
        mu = first if i == 0 else second
        place_by_one(j1, along(x, mu, h2), t, start, k, size, found[i])
        found[i][2], found[i][3] = mu, 0.0
    return count


def keep_direction(j1: Joint, j2: Joint, h: Vector3, height: float, u: Vector3, x: Vector3,
                   start: Vector, size: float, slack: float, found: Columns) -> int:
    """Find e₁ e₂ that rotates u onto h, and brings x to a height along h.

    With R₁ᵀ h = R₂ u both are linear in (c₂, s₂): h₁·R₂ u = h₁·h, and
    (p₂ − p₁)·R₂ u = height − h·p₁ − u·(x − p₂). At most one joint may be prismatic.
    """
    h1, p1, h2, p2 = j1[1], j1[2], j2[1], j2[2]
    if j1[0] == kinds.PRISMATIC and j2[0] == kinds.PRISMATIC:
        return 0
    if j1[0] == kinds.PRISMATIC or j2[0] == kinds.PRISMATIC:
        first = j1[0] == kinds.PRISMATIC
        g, p = (h2, p2) if first else (h1, p1)
        rise = dot(h, h1) if first else dot(u, h2)
        if math.fabs(rise) < two_rotations.NEARLY:
            return 0
        mu = (height - dot(h, p) - dot(u, minus(x, p))) / rise
        c, s = rotation_onto(g, u, h, start[1 if first else 0])
        if first:
            two_rotations.write_values(found, 0, mu, 0.0, c, s, 0.0, 0.0)
        else:
            two_rotations.write_values(found, 0, c, s, mu, 0.0, 0.0, 0.0)
        return 1
    between, across, ahead = minus(p2, p1), perpendicular(h2, u), cross(h2, u)
    still = minus(u, across)
    count, ca, sa, cb, sb = _solve_better(
        dot(h1, across), dot(h1, ahead), dot(h1, h) - dot(h1, still), 1.0,
        dot(between, across), dot(between, ahead),
        height - dot(h, p1) - dot(u, minus(x, p2)) - dot(between, still), size, start[1], slack)
    for i in range(count):
        c2, s2 = (ca, sa) if i == 0 else (cb, sb)
        c1, s1 = rotation_onto(h1, rotated_by(h2, c2, s2, u), h, start[0])
        two_rotations.write_values(found, i, c1, s1, c2, s2, 0.0, 0.0)
    return count


def keep_direction_by_one(j1: Joint, h: Vector3, height: float, u: Vector3, x: Vector3,
                          start: Vector, found: Columns) -> int:
    """Find e₁ that rotates u onto h, and brings x to a height along h."""
    if j1[0] == kinds.PRISMATIC:
        rise = dot(h, j1[1])
        if math.fabs(rise) < two_rotations.NEARLY:
            return 0
        found[0][0], found[0][1] = (height - dot(h, x)) / rise, 0.0
    else:
        found[0][0], found[0][1] = rotation_onto(j1[1], u, h, start[0])
    return 1


def rotation_onto(h: Vector3, u: Vector3, v: Vector3, start: float) -> tuple[float, float]:
    """Return the rotation (c, s) about h that brings u nearest to v: by start, rad, if any does."""
    defined, c, s = rotation_between(h, u, v, two_rotations.NEARLY)
    if not defined:
        c, s = math.cos(start), math.sin(start)
    return c, s


def _solve_better(a1: float, b1: float, rest_1: float, unit_1: float, a2: float, b2: float,
                  rest_2: float, unit_2: float, start: float,
                  slack: float) -> tuple[int, float, float, float, float]:
    """Solve two equations a c + b s = rest for one rotation (c, s): as `solve_sinusoid`.

    Of both, each in its unit, the one is solved whose roots rounding changes least: its derivative
    there is √(a² + b² − rest²). start: the angle where neither determines any, rad.
    """
    a1, b1, rest_1 = a1 / unit_1, b1 / unit_1, rest_1 / unit_1
    a2, b2, rest_2 = a2 / unit_2, b2 / unit_2, rest_2 / unit_2
    squared, other = a1 * a1 + b1 * b1, a2 * a2 + b2 * b2
    if max(squared, other) < two_rotations.NEARLY * two_rotations.NEARLY:
        c, s = math.cos(start), math.sin(start)
        return 1, c, s, c, s
    if squared - rest_1 * rest_1 < other - rest_2 * rest_2:
        a1, b1, rest_1, squared = a2, b2, rest_2, other
    return solve_sinusoid(a1, b1, rest_1, slack / (math.sqrt(squared) + 1e-300))


def make_rotation(h1: Vector3, h2: Vector3, w: Vector3, y: Vector3, z: Vector3,
                  found: Columns) -> int:
    """Find R₁ R₂ = R, as `rotation_triple.make_rotation`; y = R h₂ and z = R w, w across h₂."""
    c1, s1 = rotation_onto(h1, h2, y, 0.0)
    c2, s2 = rotation_onto(h2, w, rotated_by(h1, c1, -s1, z), 0.0)
    two_rotations.write_values(found, 0, c1, s1, c2, s2, 0.0, 0.0)
    return 1


def solve_planar_pair(h: Vector3, p1: Vector3, p2: Vector3, sign_2: float, target: Vector3,
                      b: Vector3, rotated_b: Vector3, found: Columns) -> int:
    """Write the rotations of two parallel axes into found: as `solve_planar_arm`.

    target: desired position of the point of axis 2.
    """
    c, s = rotation_onto(h, minus(p2, p1), minus(target, p1), 0.0)
    _, total_c, total_s = direction(dot(b, rotated_b), dot(h, cross(b, rotated_b)), 0.0)
    two_rotations.write_values(found, 0, c, s, total_c * c + total_s * s,
                               sign_2 * (total_s * c - total_c * s), 0.0, 0.0)
    return 1
