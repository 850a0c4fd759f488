"""Three joints, or fewer, that bring a point to a target: all kinds and orders, every solution.

e₁ e₂ e₃ x = t, with e a rotation about a line or a translation along it [Pieper 1968; Elias & Wen
2025, Subproblems 3 and 5]. A value is (c, s) for a revolute joint, (m, 0) for a prismatic one. The
triple may be read from either end: e₃⁻¹ e₂⁻¹ e₁⁻¹ t = x.

Two joints, or one, have more equations than unknowns: arms of five joints and fewer meet only some
poses. For others the values are those of the equations that are solved.
"""

import math

import cython

from ik_node.kinematics import kinds
from ik_node.solvers.analytic.subproblems import point_3r
from ik_node.solvers.analytic.subproblems.point_3r import Joint
from ik_node.spatial.vector3 import Vector3
from ik_node.support import polynomials
from ik_node.support.arrays import Columns, Pose, Vector

if not cython.compiled:
    from ik_node.spatial.angles import *
    from ik_node.spatial.vector3 import *


def place_point(j1: Joint, j2: Joint, j3: Joint, x: Vector3, t: Vector3, start: Vector, size: float,
                slack: float, rotations: Pose, found: Columns) -> int:
    """Write the values that bring the point x to t into found (8, 6); return how many.

    start (3,): reference angles, rad, for rotations that make no difference. size: the arm's, m.
    slack: fraction of the size by which a target out of reach still gets the nearest solution.
    rotations (5, 4): scratch. A row of found is u₁ v₁ u₂ v₂ u₃ v₃.
    """
    prismatic = count_prismatic(j1, j2, j3)
    if prismatic == 3:
        return _three_prismatic(j1[1], j2[1], j3[1], minus(t, x), found)
    if prismatic == 2:
        return _one_revolute(j1, j2, j3, x, t, start, size, slack, found)
    if j2[0] == kinds.PRISMATIC:
        return _prismatic_between(j1, j2, j3, x, t, start, size, slack, rotations, found)
    if j1[0] == kinds.PRISMATIC or (
            prismatic == 0 and not _are_special(j1, j2, size) and _are_special(j2, j3, size)):
        count = point_3r.two_rotations_and_one(
            j3, j2, j1, t, x, start, 2, size, slack, rotations, found)
        return _read_from_the_end(prismatic == 1, found, count)
    return point_3r.two_rotations_and_one(
        j1, j2, j3, x, t, start, 0, size, slack, rotations, found)


def count_prismatic(j1: Joint, j2: Joint, j3: Joint) -> int:
    """Return how many of three joints are prismatic."""
    return ((1 if j1[0] == kinds.PRISMATIC else 0) + (1 if j2[0] == kinds.PRISMATIC else 0)
            + (1 if j3[0] == kinds.PRISMATIC else 0))


def _are_special(j1: Joint, j2: Joint, size: float) -> bool:
    """Tell whether two lines meet, or are parallel."""
    common = cross(j1[1], j2[1])
    sine = norm(common)
    return (sine < point_3r.NEARLY or math.fabs(dot(common, minus(j2[2], j1[2])))
            < point_3r.NEARLY * size * sine)


def _read_from_the_end(prismatic: bool, found: Columns, count: int) -> int:
    """Convert solutions of the reversed triple in place; prismatic: whether the first joint is."""
    for i in range(count):
        a, b, c, d, e, f = (found[i][0], found[i][1], found[i][2], found[i][3], found[i][4],
                            found[i][5])
        first, sine = (-e, f) if prismatic else (e, -f)
        point_3r.write_values(found, i, first, sine, c, -d, a, -b)
    return count


def _prismatic_between(j1: Joint, j2: Joint, j3: Joint, x: Vector3, t: Vector3, start: Vector,
                       size: float, slack: float, rotations: Pose, found: Columns) -> int:
    """Solve for a revolute, a prismatic and a revolute joint; m is the translation.

    The height along line 1 gives m, linear in (c₃, s₃), and the distance from p₁ then a conic. A
    translation that does not change the height leaves a sinusoid for θ₃ and a quadratic for m.
    """
    h1, p1, h2, h3, p3 = j1[1], j1[2], j2[1], j3[1], j3[2]
    reach = minus(x, p3)
    u, w = perpendicular(h3, reach), cross(h3, reach)
    v0 = minus(along(p3, dot(h3, reach), h3), p1)
    goal = minus(t, p1)
    height = dot(h1, goal) - dot(h1, v0)
    uh, wh, rise = dot(h1, u), dot(h1, w), dot(h1, h2)
    squared = dot(goal, goal)
    solutions = 0
    if math.fabs(rise) > point_3r.NEARLY:
        y0 = along(v0, height / rise, h2)
        yc, ys = along(u, -uh / rise, h2), along(w, -wh / rise, h2)
        count = polynomials.solve_conic(
            dot(yc, yc), dot(yc, ys), dot(ys, ys), 2.0 * dot(y0, yc), 2.0 * dot(y0, ys),
            dot(y0, y0) - squared, slack, rotations)
    else:
        count, rotations[0][0], rotations[0][1], rotations[1][0], rotations[1][1] = solve_sinusoid(
            uh, wh, height, slack * size / (math.hypot(uh, wh) + 1e-300))
    for i in range(count):
        c3, s3 = rotations[i][0], rotations[i][1]
        v = along(along(v0, c3, u), s3, w)
        if math.fabs(rise) > point_3r.NEARLY:
            count_m, first, second = 1, (height - c3 * uh - s3 * wh) / rise, 0.0
        else:
            count_m, first, second = polynomials.solve_quadratic(
                1.0, 2.0 * dot(h2, v), dot(v, v) - squared, slack)
        for k in range(count_m):
            mu = first if k == 0 else second
            c1, s1 = rotation_onto(h1, along(v, mu, h2), goal, point_3r.NEARLY * size, start[0])
            if solutions < point_3r.MOST_VALUES:
                point_3r.write_values(found, solutions, c1, s1, mu, 0.0, c3, s3)
                solutions += 1
    return solutions


def _one_revolute(j1: Joint, j2: Joint, j3: Joint, x: Vector3, t: Vector3, start: Vector,
                  size: float, slack: float, found: Columns) -> int:
    """Solve for two prismatic joints and a revolute one.

    Translations before the rotation move t, those after it x. The height along the revolute axis
    is linear in both, the distance from it quadratic.
    """
    at = 0 if j1[0] != kinds.PRISMATIC else (1 if j2[0] != kinds.PRISMATIC else 2)
    _, h, p = j1 if at == 0 else (j2 if at == 1 else j3)
    g1, g2 = (j2[1] if at == 0 else j1[1]), (j2[1] if at == 2 else j3[1])
    rise_1, rise_2 = dot(h, g1), dot(h, g2)
    squared = rise_1 * rise_1 + rise_2 * rise_2
    if squared < point_3r.NEARLY * point_3r.NEARLY:
        return 0
    height = dot(h, minus(t, x)) / squared
    base_1, base_2 = rise_1 * height, rise_2 * height
    direction_1, direction_2 = -rise_2 / math.sqrt(squared), rise_1 / math.sqrt(squared)
    # x side: X + τ dX;  t side: Y + τ dY
    X, Y = minus(x, p), minus(t, p)
    dX = dY = times(0.0, h)
    if at == 0:
        X, dX = along(X, base_1, g1), times(direction_1, g1)
    else:
        Y, dY = along(Y, -base_1, g1), times(-direction_1, g1)
    if at == 2:
        Y, dY = along(Y, -base_2, g2), along(dY, -direction_2, g2)
    else:
        X, dX = along(X, base_2, g2), along(dX, direction_2, g2)
    count, first, second = polynomials.solve_quadratic(
        dot(dX, dX) - dot(dY, dY), 2.0 * (dot(X, dX) - dot(Y, dY)), dot(X, X) - dot(Y, Y), slack)
    for i in range(count):
        tau = first if i == 0 else second
        c, s = rotation_onto(h, along(X, tau, dX), along(Y, tau, dY), point_3r.NEARLY * size,
                             start[at])
        m1, m2 = base_1 + tau * direction_1, base_2 + tau * direction_2
        point_3r.write_with(found, i, at, c, s, m1, 0.0, m2, 0.0)
    return count


def _three_prismatic(h1: Vector3, h2: Vector3, h3: Vector3, displacement: Vector3,
                     found: Columns) -> int:
    """Solve for three translations that add up to a displacement, by Cramer's rule."""
    normal = cross(h2, h3)
    volume = dot(h1, normal)
    if math.fabs(volume) < point_3r.NEARLY:
        return 0
    point_3r.write_values(
        found, 0, dot(displacement, normal) / volume, 0.0,
        dot(displacement, cross(h3, h1)) / volume, 0.0,
        dot(displacement, cross(h1, h2)) / volume, 0.0)
    return 1


def place_by_two(j1: Joint, j2: Joint, x: Vector3, t: Vector3, start: Vector, size: float,
                 slack: float, found: Columns) -> int:
    """Find e₁ e₂ x = t; arguments as for `place_point`.

    A rotation about line 1 changes neither the height along it nor the distance from p₁: two
    equations for θ₂ [Elias & Wen 2025, Subproblem 2, with axes that need not meet].
    """
    if j2[0] == kinds.PRISMATIC:
        return _by_prismatic_last(j1, j2, x, t, start, 0, size, slack, found)
    if j1[0] == kinds.PRISMATIC:  # e₂⁻¹ e₁⁻¹ t = x
        count = _by_prismatic_last(j2, j1, t, x, start, 1, size, slack, found)
        for i in range(count):
            c, s, mu = found[i][0], found[i][1], found[i][2]
            found[i][0], found[i][1], found[i][2], found[i][3] = -mu, 0.0, c, -s
        return count
    h1, p1, h2, p2 = j1[1], j1[2], j2[1], j2[2]
    between, arm, there = minus(p2, p1), minus(x, p2), minus(t, p1)
    across, ahead = perpendicular(h2, arm), cross(h2, arm)
    still = minus(arm, across)
    count, ca, sa, cb, sb = solve_better(
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
    value[0], value[1] = rotation_onto(h, minus(x, p), minus(t, p), point_3r.NEARLY * size,
                                       start[k])


def _by_prismatic_last(j1: Joint, j2: Joint, x: Vector3, t: Vector3, start: Vector, k: int,
                    size: float, slack: float, found: Columns) -> int:
    """Find e₁ (x + μ h₂) = t; start[k]: reference of e₁. In place of θ₂ as in `place_by_two`, μ."""
    h1, p1, h2 = j1[1], j1[2], j2[1]
    out, there = minus(x, p1), minus(t, p1)
    across = perpendicular(h1, h2)
    squared, rise = dot(across, across), dot(h1, h2)
    if j1[0] == kinds.PRISMATIC:
        if squared < point_3r.NEARLY:
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


def solve_better(a1: float, b1: float, rest_1: float, unit_1: float, a2: float, b2: float,
                  rest_2: float, unit_2: float, start: float,
                  slack: float) -> tuple[int, float, float, float, float]:
    """Solve two equations a c + b s = rest for one rotation (c, s): as `solve_sinusoid`.

    Of both, each in its unit, the one is solved whose roots rounding changes least: its derivative
    there is √(a² + b² − rest²). start: the angle where neither determines any, rad.
    """
    a1, b1, rest_1 = a1 / unit_1, b1 / unit_1, rest_1 / unit_1
    a2, b2, rest_2 = a2 / unit_2, b2 / unit_2, rest_2 / unit_2
    squared, other = a1 * a1 + b1 * b1, a2 * a2 + b2 * b2
    if max(squared, other) < point_3r.NEARLY * point_3r.NEARLY:
        c, s = math.cos(start), math.sin(start)
        return 1, c, s, c, s
    if squared - rest_1 * rest_1 < other - rest_2 * rest_2:
        a1, b1, rest_1, squared = a2, b2, rest_2, other
    return solve_sinusoid(a1, b1, rest_1, slack / (math.sqrt(squared) + 1e-300))
