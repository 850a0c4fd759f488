"""Two revolute joints and a third joint that bring a point to a target: every solution.

The triple may be read from its end: the third joint then comes first. The output format of all
triples is defined here.
"""

import math

import cython

from ik_node.kinematics import kinds
from ik_node.spatial.vector3 import Vector3
from ik_node.support import polynomials
from ik_node.support.arrays import Columns, Pose, Vector

if not cython.compiled:
    from ik_node.spatial.angles import *
    from ik_node.spatial.vector3 import *

Joint = tuple[int, Vector3, Vector3]
"""(kind, axis, point), kind REVOLUTE or PRISMATIC; its line at value zero."""

# Sines below which axes count as parallel, lengths below which they count as meeting and points
# as lying on an axis, of an arm of size 1: recognition has made nominal axes exact.
NEARLY = 1e-9
MOST_VALUES = 8  # solutions of a triple: four, doubled where rounding splits them


def two_rotations_and_one(j1: Joint, j2: Joint, j3: Joint, x: Vector3, t: Vector3, start: Vector,
                          first: int, size: float, slack: float, rotations: Pose,
                          found: Columns) -> int:
    """Solve for two revolute joints and a third; first: 2 for a triple read from its end, else 0.

    A rotation about line 1 changes neither the height along it nor the distance from its foot f₁.
    With v = e₃ x, seen from foot f₂ along a (the common normal), b = h₂ × a and h₂:
        (h₁·b) (vₐ s₂ + v_b c₂) = h₁·(t − f₁) − (h₁·h₂) v_h,
        2 |a| (vₐ c₂ − v_b s₂) = |t − f₁|² − |a|² − |v|²,
    whose right sides and |v|² are linear in (c₃, s₃), or quadratic in a translation. Squaring and
    adding eliminates θ₂: a conic, or a quartic. Where the lines are parallel, or meet, one left
    side is zero: a sinusoid, or an equation for the translation.
    """
    h1, p1, h2, p2, h3, p3 = j1[1], j1[2], j2[1], j2[2], j3[1], j3[2]
    foot_1, foot_2, a, length, sine, cosine = _common_normal(h1, p1, h2, p2, size)
    parallel, prismatic, count = math.fabs(sine) < NEARLY, j3[0] == kinds.PRISMATIC, 1
    if parallel and length < NEARLY * size:
        return 0
    b, goal, roots = cross(h2, a), minus(t, foot_1), rotations[4]
    # v = m + c₃ u + s₃ w, seen from foot_2; a translation stands for c₃
    reach = minus(x, p3)
    u, w = perpendicular(h3, reach), cross(h3, reach)
    m, turned = minus(along(p3, dot(h3, reach), h3), foot_2), dot(u, u)
    if prismatic:
        m, u, w, turned = minus(x, foot_2), h3, times(0.0, h3), 0.0
    mh, uh, wh = dot(h2, m), dot(h2, u), dot(h2, w)
    m2, mu, mw, square = dot(m, m) + turned, 2.0 * dot(m, u), 2.0 * dot(m, w), float(prismatic)
    # height: K₁ = k₁ + c₃ k₁c + s₃ k₁s;  distance: K₂ likewise, less c₃² of a translation
    k1, k1c, k1s = dot(h1, goal) - cosine * mh, -cosine * uh, -cosine * wh
    k2, k2c, k2s = dot(goal, goal) - length * length - m2, -mu, -mw
    # 4|a|² K₁² + s² K₂² = 4|a|² s² (|v|² − v_h²), s = h₁·b
    A, B = 4.0 * length * length, sine * sine
    C = A * B
    if parallel and prismatic:
        if math.fabs(k1c) < NEARLY:
            return 0
        roots[0] = -k1 / k1c
    elif parallel:
        count, rotations[0][0], rotations[0][1], rotations[1][0], rotations[1][1] = solve_sinusoid(
            k1c, k1s, -k1, slack * size / (math.hypot(k1c, k1s) + 1e-300))
    elif length == 0.0 and prismatic:
        count, roots[0], roots[1] = polynomials.solve_quadratic(-1.0, k2c, k2, slack)
    elif length == 0.0:
        count, rotations[0][0], rotations[0][1], rotations[1][0], rotations[1][1] = solve_sinusoid(
            k2c, k2s, -k2, slack * size * size / (math.hypot(k2c, k2s) + 1e-300))
    elif prismatic:
        count = polynomials.solve_quartic(
            B, -2.0 * B * k2c, A * k1c * k1c + B * (k2c * k2c - 2.0 * k2) - C * (1.0 - uh * uh),
            2.0 * A * k1 * k1c + 2.0 * B * k2 * k2c + C * (k2c + 2.0 * mh * uh),
            A * k1 * k1 + B * k2 * k2 - C * (m2 - mh * mh), slack, roots)
    else:
        count = polynomials.solve_conic(
            A * k1c * k1c + B * k2c * k2c + C * uh * uh,
            A * k1c * k1s + B * k2c * k2s + C * uh * wh,
            A * k1s * k1s + B * k2s * k2s + C * wh * wh,
            2.0 * (A * k1 * k1c + B * k2 * k2c) - C * (mu - 2.0 * mh * uh),
            2.0 * (A * k1 * k1s + B * k2 * k2s) - C * (mw - 2.0 * mh * wh),
            A * k1 * k1 + B * k2 * k2 - C * (m2 - mh * mh), slack, rotations)
    solutions = 0
    for i in range(count):
        c3, s3 = (roots[i], 0.0) if prismatic else (rotations[i][0], rotations[i][1])
        v = along(along(m, c3, u), s3, w)
        P = (0.5 * (k2 + c3 * (k2c - square * c3) + s3 * k2s) / length if length != 0.0 else 0.0)
        Q = 0.0 if parallel else (k1 + c3 * k1c + s3 * k1s) / sine
        solutions = _first_two(h1, p1, h2, foot_2, a, b, parallel, length == 0.0, P, Q, v, c3, s3,
                               t, start, first, size, slack, found, solutions)
    return solutions


def _common_normal(h1: Vector3, p1: Vector3, h2: Vector3, p2: Vector3,
                   size: float) -> tuple[Vector3, Vector3, Vector3, float, float, float]:
    """Return the frame in which two lines are simplest.

    That is (foot of their common normal on line 1, foot on line 2, its direction, its length, the
    sine from h1 to h2 against h2 × the direction, the cosine).
    """
    cosine = dot(h1, h2)
    between = minus(p2, p1)
    axis = cross(h1, h2)
    sine = norm(axis)
    if sine < NEARLY:
        away = perpendicular(h1, between)
        length = norm(away)
        return (along(p2, -1.0, away), p2,
                times(1.0 / length if length > 0.0 else 0.0, away), length, 0.0, cosine)
    axis = times(1.0 / sine, axis)
    length = dot(between, axis)
    if math.fabs(length) < NEARLY * size:
        length = 0.0
    on_1, on_2 = dot(between, h1), dot(between, h2)
    s1 = (on_1 - cosine * on_2) / (sine * sine)
    s2 = (cosine * on_1 - on_2) / (sine * sine)
    foot_1, foot_2 = along(p1, s1, h1), along(p2, s2, h2)
    return foot_1, foot_2, axis, length, dot(h1, cross(h2, axis)), cosine


def _first_two(h1: Vector3, p1: Vector3, h2: Vector3, foot_2: Vector3, a: Vector3, b: Vector3,
               parallel: bool, meet: bool, P: float, Q: float, v: Vector3, u3: float, v3: float,
               t: Vector3, start: Vector, first: int, size: float, slack: float, found: Columns,
               solutions: int) -> int:
    """Add the solutions for one value (u₃, v₃) of the third joint; return their new number.

    P = vₐ c₂ − v_b s₂ and Q = vₐ s₂ + v_b c₂; P² + Q² = vₐ² + v_b² gives the one that
    parallel or intersecting lines leave open, with either sign.
    """
    va, vb, sign = dot(a, v), dot(b, v), -1.0 if first == 2 else 1.0
    open_ = parallel or meet
    rest = va * va + vb * vb - (P * P if parallel else Q * Q)
    if open_ and rest < -slack * size * size:
        return solutions
    for second in range(2 if open_ and rest > 0.0 else 1):
        root = math.sqrt(max(rest, 0.0))
        if second == 1:
            root = -root
        if parallel:
            Q = root
        elif meet:
            P = root
        c2, s2 = va * P + vb * Q, va * Q - vb * P
        scale = math.hypot(c2, s2)
        if scale > (NEARLY * size) ** 2:
            c2, s2 = c2 / scale, s2 / scale
        else:
            c2, s2 = math.cos(start[1]), sign * math.sin(start[1])
        y = rotated_about(h2, foot_2, c2, s2, along(foot_2, 1.0, v))
        c1, s1 = rotation_onto(h1, minus(y, p1), minus(t, p1), NEARLY * size,
                               sign * start[first])
        if solutions < MOST_VALUES:
            write_values(found, solutions, c1, s1, c2, s2, u3, v3)
            solutions += 1
    return solutions


def write_with(found: Columns, i: int, at: int, u: float, v: float, u1: float, v1: float,
               u2: float, v2: float) -> None:
    """Write a solution: (u, v) is the value of joint `at`, 0 to 2, the others in order."""
    if at == 0:
        write_values(found, i, u, v, u1, v1, u2, v2)
    elif at == 1:
        write_values(found, i, u1, v1, u, v, u2, v2)
    else:
        write_values(found, i, u1, v1, u2, v2, u, v)


def write_values(found: Columns, i: int, u1: float, v1: float, u2: float, v2: float, u3: float,
                 v3: float) -> None:
    """Write a solution into row i of found."""
    found[i][0], found[i][1], found[i][2], found[i][3], found[i][4], found[i][5] = (
        u1, v1, u2, v2, u3, v3)
