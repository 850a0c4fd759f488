"""Three parallel revolute axes: the equations of the other three joints, and the planar arm.

The triple rotates about h and moves perpendicular to it: it changes neither h nor heights along h.
These are three equations for the other joints, wherever in the chain the triple stands.
"""

import math

import cython

from ik_node.kinematics import kinds
from ik_node.solvers.analytic.subproblems import point_3r, position_triple
from ik_node.solvers.analytic.subproblems.point_3r import Joint
from ik_node.spatial.vector3 import Vector3
from ik_node.support import polynomials
from ik_node.support.arrays import Columns, Pose, Vector

if not cython.compiled:
    from ik_node.spatial.angles import *
    from ik_node.spatial.vector3 import *

_DEPENDENT = 1e-10  # determinant, for entries of size 1, below which equations are dependent
_ON_AXIS = 1e-9


def keep_direction(j1: Joint, j2: Joint, j3: Joint, h: Vector3, height: float, u: Vector3,
                   x: Vector3, start: Vector, size: float, slack: float, rotations: Pose,
                   found: Columns) -> int:
    """Find e₁ e₂ e₃ that rotates u onto h, and brings x to a height along h.

    At most one joint may be prismatic. The rest: as for `position_triple.place_point`.
    """
    prismatic = position_triple.count_prismatic(j1, j2, j3)
    if prismatic > 1:
        return 0
    if prismatic == 1:
        return _one_prismatic(j1, j2, j3, h, height, u, x, start, slack, found)
    h1, p1, h2, p2, h3, p3 = j1[1], j1[2], j2[1], j2[2], j3[1], j3[2]
    # a = R₁ᵀ h and g = R₃ u, both linear in their (c, s), are tied by the second joint:
    #   h₂·a − h₂·g = 0  and  (p₂ − p₁)·a + (p₃ − p₂)·g = height − h·p₁ − u·(x − p₃)
    a0, ac, as_ = _circle(h1, h, -1.0)
    g0, gc, gs = _circle(h3, u, 1.0)
    d1, d3 = minus(p2, p1), minus(p3, p2)
    e1 = dot(h2, g0) - dot(h2, a0)
    e2 = (height - dot(h, p1) - dot(u, minus(x, p3)) - dot(d1, a0) - dot(d3, g0)) / size
    A1, B1, C1, D1 = dot(h2, ac), dot(h2, as_), -dot(h2, gc), -dot(h2, gs)
    A2, B2, C2, D2 = (dot(d1, ac) / size, dot(d1, as_) / size, dot(d3, gc) / size,
                      dot(d3, gs) / size)
    first, last = A1 * B2 - A2 * B1, C1 * D2 - C2 * D1
    solutions = 0
    if math.fabs(first) < _DEPENDENT or math.fabs(last) < _DEPENDENT:
        # One of the two angles can be eliminated: a sinusoid for the other, then one for it.
        swap = math.fabs(first) >= _DEPENDENT
        if swap:
            A1, B1, C1, D1, A2, B2, C2, D2 = C1, D1, A1, B1, C2, D2, A2, B2
        if math.hypot(A1, B1) < math.hypot(A2, B2):
            A1, B1, C1, D1, e1, A2, B2, C2, D2, e2 = A2, B2, C2, D2, e2, A1, B1, C1, D1, e1
        share = (A2 * A1 + B2 * B1) / max(A1 * A1 + B1 * B1, 1e-300)
        a, b, rest = C2 - share * C1, D2 - share * D1, e2 - share * e1
        count, ci, si, cj, sj = solve_sinusoid(a, b, rest,
                                               slack / (math.hypot(a, b) + 1e-300))
        for i in range(count):
            c, s = (ci, si) if i == 0 else (cj, sj)
            inner, ck, sk, cl, sl = solve_sinusoid(
                A1, B1, e1 - C1 * c - D1 * s, slack / (math.hypot(A1, B1) + 1e-300))
            for k in range(inner):
                c1, s1 = (ck, sk) if k == 0 else (cl, sl)
                if swap:
                    solutions = _with_middle(h1, h2, h3, h, u, c, s, c1, s1, start, found,
                                             solutions)
                else:
                    solutions = _with_middle(h1, h2, h3, h, u, c1, s1, c, s, start, found,
                                             solutions)
        return solutions
    # (c₁, s₁) = α + β c₃ + γ s₃, on the unit circle: a conic
    alpha_c, alpha_s = (e1 * B2 - e2 * B1) / first, (A1 * e2 - A2 * e1) / first
    beta_c, beta_s = -(C1 * B2 - C2 * B1) / first, -(A1 * C2 - A2 * C1) / first
    gamma_c, gamma_s = -(D1 * B2 - D2 * B1) / first, -(A1 * D2 - A2 * D1) / first
    count = polynomials.solve_conic(
        beta_c * beta_c + beta_s * beta_s, beta_c * gamma_c + beta_s * gamma_s,
        gamma_c * gamma_c + gamma_s * gamma_s, 2.0 * (alpha_c * beta_c + alpha_s * beta_s),
        2.0 * (alpha_c * gamma_c + alpha_s * gamma_s),
        alpha_c * alpha_c + alpha_s * alpha_s - 1.0, slack, rotations)
    for i in range(count):
        c3, s3 = rotations[i][0], rotations[i][1]
        c1 = alpha_c + beta_c * c3 + gamma_c * s3
        s1 = alpha_s + beta_s * c3 + gamma_s * s3
        length = math.hypot(c1, s1)
        if length > 0.0:
            solutions = _with_middle(h1, h2, h3, h, u, c1 / length, s1 / length, c3, s3, start,
                                     found, solutions)
    return solutions


def _circle(h: Vector3, v: Vector3, sign: float) -> tuple[Vector3, Vector3, Vector3]:
    """Return the parts of v turned about h by (c, sign s): v₀ + c v_c + s v_s."""
    w = cross(h, v)
    across = perpendicular(h, v)
    return minus(v, across), across, (sign * w[0], sign * w[1], sign * w[2])


def _with_middle(h1: Vector3, h2: Vector3, h3: Vector3, h: Vector3, u: Vector3, c1: float,
                 s1: float, c3: float, s3: float, start: Vector, found: Columns,
                 solutions: int) -> int:
    """Add a solution with the turn of the second joint that brings R₃ u onto R₁ᵀ h."""
    if solutions >= point_3r.MOST_VALUES:
        return solutions
    c2, s2 = rotation_onto(h2, rotated_by(h3, c3, s3, u), rotated_by(h1, c1, -s1, h), _ON_AXIS,
                           start[1])
    point_3r.write_values(found, solutions, c1, s1, c2, s2, c3, s3)
    return solutions + 1


def _one_prismatic(j1: Joint, j2: Joint, j3: Joint, h: Vector3, height: float, u: Vector3,
                   x: Vector3, start: Vector, slack: float, found: Columns) -> int:
    """Solve with one prismatic joint: two rotations for the direction, the rest for the height."""
    at = 0 if j1[0] == kinds.PRISMATIC else (1 if j2[0] == kinds.PRISMATIC else 2)
    _, f, pf = j2 if at == 0 else j1
    _, g, pg = j2 if at == 2 else j3
    # Two turns about f, then g, of u onto h: f·R_g u = f·h  [Subproblem 2]
    across = perpendicular(g, u)
    count, ca, sa, cb, sb = solve_sinusoid(dot(f, across), dot(f, cross(g, u)),
                                           dot(f, h) - dot(f, g) * dot(g, u), slack)
    first = 1 if at == 0 else 0
    solutions = 0
    for i in range(count):
        cg, sg = (ca, sa) if i == 0 else (cb, sb)
        cf, sf = rotation_onto(f, rotated_by(g, cg, sg, u), h, _ON_AXIS, start[first])
        # The height without the translation, and its change per metre of it
        rotated_h = rotated_by(f, cf, -sf, h)
        without = dot(h, pf) + dot(rotated_h, minus(pg, pf)) + dot(u, minus(x, pg))
        rise = (dot(h, j1[1]) if at == 0 else
                (dot(rotated_h, j2[1]) if at == 1 else dot(u, j3[1])))
        if math.fabs(rise) < _ON_AXIS:
            continue
        point_3r.write_with(found, solutions, at, (height - without) / rise, 0.0, cf, sf, cg, sg)
        solutions += 1
    return solutions


def solve_planar_arm(h: Vector3, p1: Vector3, p2: Vector3, p3: Vector3, sign_2: float,
                     sign_3: float, target: Vector3, b: Vector3, rotated_b: Vector3, size: float,
                     slack: float, found: Columns) -> int:
    """Write the rotations of three parallel axes into found (2, 6); return how many.

    target: desired position of the third axis's point. rotated_b: desired direction of b, a
    direction perpendicular to h, which is axis 1; sign: −1 for an axis against it. Both elbows
    [Parent 5.14–5.15]: cos ψ = (r² − L₁² − L₂²)/(2 L₁ L₂), ψ the angle from link 1 to link 2.
    """
    one, two = perpendicular(h, minus(p2, p1)), perpendicular(h, minus(p3, p2))
    there = perpendicular(h, minus(target, p1))
    L1, L2, r2 = norm(one), norm(two), dot(there, there)
    if _ON_AXIS * size > L1 or _ON_AXIS * size > L2:
        return 0
    cosine = 0.5 * (r2 - L1 * L1 - L2 * L2) / (L1 * L2)
    beyond = math.fabs(cosine) - 1.0
    if beyond > slack * size * size / (L1 * L2):
        return 0
    sine = math.sqrt(max((1.0 - cosine) * (1.0 + cosine), 0.0))
    cosine = min(max(cosine, -1.0), 1.0)
    # The angle at zero, and that of all three
    _, c0, s0 = direction(dot(one, two), dot(h, cross(one, two)), 0.0)
    _, total_c, total_s = direction(dot(b, rotated_b), dot(h, cross(b, rotated_b)), 0.0)
    # Along link 1 at θ₁ = 0, and across: the target, and the end of the bent link 2
    x, y = dot(one, there), dot(h, cross(one, there))
    end_x, end_y = L1 + L2 * cosine, L2 * sine
    count = 2 if beyond < 0.0 else 1
    for i in range(count):
        if i == 1:
            sine, end_y = -sine, -end_y
        _, c1, s1 = direction(end_x * x + end_y * y, end_x * y - end_y * x, 0.0)
        c2, s2 = cosine * c0 + sine * s0, sine * c0 - cosine * s0
        c, s = c1 * c2 - s1 * s2, s1 * c2 + c1 * s2
        point_3r.write_values(found, i, c1, s1, c2, sign_2 * s2, total_c * c + total_s * s,
                                   sign_3 * (total_s * c - total_c * s))
    return count


def keep_direction_by_two(j1: Joint, j2: Joint, h: Vector3, height: float, u: Vector3, x: Vector3,
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
        if math.fabs(rise) < point_3r.NEARLY:
            return 0
        mu = (height - dot(h, p) - dot(u, minus(x, p))) / rise
        c, s = rotation_onto(g, u, h, _ON_AXIS, start[1 if first else 0])
        point_3r.write_with(found, 0, 0 if first else 1, mu, 0.0, c, s, 0.0, 0.0)
        return 1
    between, across, ahead = minus(p2, p1), perpendicular(h2, u), cross(h2, u)
    still = minus(u, across)
    count, ca, sa, cb, sb = position_triple.solve_better(
        dot(h1, across), dot(h1, ahead), dot(h1, h) - dot(h1, still), 1.0,
        dot(between, across), dot(between, ahead),
        height - dot(h, p1) - dot(u, minus(x, p2)) - dot(between, still), size, start[1], slack)
    for i in range(count):
        c2, s2 = (ca, sa) if i == 0 else (cb, sb)
        c1, s1 = rotation_onto(h1, rotated_by(h2, c2, s2, u), h, _ON_AXIS, start[0])
        point_3r.write_values(found, i, c1, s1, c2, s2, 0.0, 0.0)
    return count


def keep_direction_by_one(j1: Joint, h: Vector3, height: float, u: Vector3, x: Vector3,
                          start: Vector, found: Columns) -> int:
    """Find e₁ that rotates u onto h, and brings x to a height along h."""
    if j1[0] == kinds.PRISMATIC:
        rise = dot(h, j1[1])
        if math.fabs(rise) < point_3r.NEARLY:
            return 0
        found[0][0], found[0][1] = (height - dot(h, x)) / rise, 0.0
    else:
        found[0][0], found[0][1] = rotation_onto(j1[1], u, h, _ON_AXIS, start[0])
    return 1


def solve_planar_pair(h: Vector3, p1: Vector3, p2: Vector3, sign_2: float, target: Vector3,
                      b: Vector3, rotated_b: Vector3, found: Columns) -> int:
    """Write the rotations of two parallel axes into found: as `solve_planar_arm`.

    target: desired position of the point of axis 2.
    """
    c, s = rotation_onto(h, minus(p2, p1), minus(target, p1), _ON_AXIS, 0.0)
    _, total_c, total_s = direction(dot(b, rotated_b), dot(h, cross(b, rotated_b)), 0.0)
    point_3r.write_values(found, 0, c, s, total_c * c + total_s * s,
                               sign_2 * (total_s * c - total_c * s), 0.0, 0.0)
    return 1
