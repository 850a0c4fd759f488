"""Three joints that bring a point to a target: all kinds and orders, every solution.

e₁ e₂ e₃ x = t, with e a rotation about a line or a translation along it [Pieper 1968; Elias & Wen
2025, Subproblems 3 and 5]. A value is (c, s) for a revolute joint, (m, 0) for a prismatic one. The
triple may be read from either end: e₃⁻¹ e₂⁻¹ e₁⁻¹ t = x.
"""

import math

try:
    import cython
except ImportError:
    from ik_node.support import cython

from ik_node.kinematics import kinds
from ik_node.solvers.analytic.subproblems import sizes, two_rotations
from ik_node.solvers.analytic.subproblems.two_rotations import Joint
from ik_node.spatial.vector3 import Vector3
from ik_node.support import polynomials
from ik_node.support.arrays import Columns, Pose, Vector

if not cython.compiled:
    from ik_node.spatial.angles import rotation_between, solve_sinusoid
    from ik_node.spatial.vector3 import along, cross, dot, minus, norm, perpendicular, times


def place_point(j1: Joint, j2: Joint, j3: Joint, x: Vector3, t: Vector3, start: Vector, size: float,
                slack: float, rotations: Pose, found: Columns) -> int:
    """Write the values that bring the point x to t into found (8, 6); return how many.

    start (3,): reference angles, rad, for rotations that make no difference. size: the arm's, m.
    slack: fraction of the size by which a target out of reach still gets the nearest solution.
    rotations (5, 4): scratch. A row of found is u₁ v₁ u₂ v₂ u₃ v₃.
    """
    prismatic = count_prismatic(j1, j2, j3)
    if prismatic == 0:
        if not _are_special(j1, j2, size) and _are_special(j2, j3, size):
            count = two_rotations.three_rotations(
                j3, j2, j1, t, x, start, 2, size, slack, rotations, found)
            return _read_from_the_end(False, found, count)
        return two_rotations.three_rotations(
            j1, j2, j3, x, t, start, 0, size, slack, rotations, found)
    if prismatic == 3:
        return _three_prismatic(j1[1], j2[1], j3[1], minus(t, x), found)
    if prismatic == 2:
        return _one_revolute(j1, j2, j3, x, t, start, size, slack, found)
    if j2[0] == kinds.PRISMATIC:
        return _prismatic_between(j1, j2, j3, x, t, start, size, slack, rotations, found)
    if j3[0] == kinds.PRISMATIC:
        return two_rotations.prismatic_last(
            j1, j2, j3, x, t, start, 0, size, slack, rotations, found)
    count = two_rotations.prismatic_last(j3, j2, j1, t, x, start, 2, size, slack, rotations, found)
    return _read_from_the_end(True, found, count)


def count_prismatic(j1: Joint, j2: Joint, j3: Joint) -> int:
    """Return how many of three joints are prismatic."""
    return ((1 if j1[0] == kinds.PRISMATIC else 0) + (1 if j2[0] == kinds.PRISMATIC else 0)
            + (1 if j3[0] == kinds.PRISMATIC else 0))


def _are_special(j1: Joint, j2: Joint, size: float) -> bool:
    """Tell whether two lines meet, or are parallel."""
    common = cross(j1[1], j2[1])
    sine = norm(common)
    return (sine < two_rotations.NEARLY or math.fabs(dot(common, minus(j2[2], j1[2])))
            < two_rotations.NEARLY * size * sine)


def _read_from_the_end(prismatic: bool, found: Columns, count: int) -> int:
    """Convert solutions of the reversed triple in place; prismatic: whether the first joint is."""
    for i in range(count):
        a, b, c, d, e, f = (found[i][0], found[i][1], found[i][2], found[i][3], found[i][4],
                            found[i][5])
        first, sine = (-e, f) if prismatic else (e, -f)
        two_rotations.write_values(found, i, first, sine, c, -d, a, -b)
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
    if math.fabs(rise) > two_rotations.NEARLY:
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
        if math.fabs(rise) > two_rotations.NEARLY:
            count_m, first, second = 1, (height - c3 * uh - s3 * wh) / rise, 0.0
        else:
            count_m, first, second = polynomials.solve_quadratic(
                1.0, 2.0 * dot(h2, v), dot(v, v) - squared, slack)
        for k in range(count_m):
            mu = first if k == 0 else second
            defined, c1, s1 = rotation_between(h1, along(v, mu, h2), goal,
                                               two_rotations.NEARLY * size)
            if not defined:
                c1, s1 = two_rotations.start_of(start, 0, False)
            if solutions < sizes.MOST_VALUES:
                two_rotations.write_values(found, solutions, c1, s1, mu, 0.0, c3, s3)
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
    if squared < two_rotations.NEARLY * two_rotations.NEARLY:
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
        defined, c, s = rotation_between(h, along(X, tau, dX), along(Y, tau, dY),
                                         two_rotations.NEARLY * size)
        if not defined:
            c, s = two_rotations.start_of(start, at, False)
        m1, m2 = base_1 + tau * direction_1, base_2 + tau * direction_2
        if at == 0:
            two_rotations.write_values(found, i, c, s, m1, 0.0, m2, 0.0)
        elif at == 1:
            two_rotations.write_values(found, i, m1, 0.0, c, s, m2, 0.0)
        else:
            two_rotations.write_values(found, i, m1, 0.0, m2, 0.0, c, s)
    return count


def _three_prismatic(h1: Vector3, h2: Vector3, h3: Vector3, displacement: Vector3,
                     found: Columns) -> int:
    """Solve for three translations that add up to a displacement, by Cramer's rule."""
    normal = cross(h2, h3)
    volume = dot(h1, normal)
    if math.fabs(volume) < two_rotations.NEARLY:
        return 0
    two_rotations.write_values(
        found, 0, dot(displacement, normal) / volume, 0.0,
        dot(displacement, cross(h3, h1)) / volume, 0.0,
        dot(displacement, cross(h1, h2)) / volume, 0.0)
    return 1
