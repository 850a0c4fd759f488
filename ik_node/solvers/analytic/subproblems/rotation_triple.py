"""Three revolute joints through one point, or fewer, that produce a rotation: every solution.

R₁ R₂ R₃ = R for any axes, neighbours not parallel [Paden 1986; Elias & Wen 2025].
"""

import math

import cython

from ik_node.solvers.analytic.subproblems import point_3r
from ik_node.spatial.vector3 import Vector3
from ik_node.support.arrays import Columns, Points, Vector

if not cython.compiled:
    from ik_node.spatial.angles import *
    from ik_node.spatial.vector3 import *

INF, TWO_PI = math.inf, 2.0 * math.pi
_ROUNDING = 1e-9  # rad: excess over a limit
ALIGNED = 1e-9  # sine below which the first and the last axis count as one
_TURNING = 1e-4  # squared sine of θ₂, from its turning point, below which cosines lose digits


def make_rotation(h1: Vector3, h2: Vector3, h3: Vector3, y: Vector3, z: Vector3, ranges: Points,
                  place: int, slack: float, found: Columns) -> int:
    """Write the solutions into found (2, 6), rows c₁ s₁ c₂ s₂ c₃ s₃; return how many.

    y = R h₃ and z = R w, where w = `across(h2, h3)`. ranges (k, 3): a reference, lower and upper
    limit of each joint, rad, the three from `place` on, where the first and the last axis coincide
    and only θ₁ ± θ₃ is defined.
    """
    first, last = ranges[place], ranges[place + 2]
    count, ca, sa, cb, sb = _middle_rotations(h1, h2, h3, y, slack)
    # with the parts perpendicular to h₁, which full products would cancel where they are small
    w, y = across(h2, h3), perpendicular(h1, y)
    v, u = cross(h3, w), cross(y, h1)
    for i in range(count):
        c2, s2 = (ca, sa) if i == 0 else (cb, sb)
        third = rotated_by(h2, c2, s2, h3)
        from_h1 = perpendicular(h1, third)
        defined, c1, s1 = direction(dot(y, from_h1), dot(u, from_h1), ALIGNED)
        if not defined:
            c1, s1 = math.cos(first[0]), math.sin(first[0])
        # R₃ w = R₂ᵀ R₁ᵀ R w, with the rounded θ₁: θ₃ compensates for its rounding error
        end = rotated_by(h2, c2, -s2, rotated_by(h1, c1, -s1, z))
        _, c3, s3 = direction(dot(w, end), dot(v, end), 0.0)
        if not defined:
            sign = 1.0 if dot(h1, third) > 0.0 else -1.0
            shared = first[0] + _share(first, last, math.atan2(s3, c3) - last[0], sign)
            c1, s1 = math.cos(shared), math.sin(shared)
            end = rotated_by(h2, c2, -s2, rotated_by(h1, c1, -s1, z))
            _, c3, s3 = direction(dot(w, end), dot(v, end), 0.0)
        point_3r.write_values(found, i, c1, s1, c2, s2, c3, s3)
    return count


def _share(first: Vector, last: Vector, off: float, sign: float) -> float:
    """Return the part x of a rotation `off` from the references that the first joint takes.

    The last one takes off − sign·x: half of it each, or as near to that as limits allow.
    """
    shared, least = 0.0, INF
    off -= TWO_PI * round(off / TWO_PI)
    wanted = 0.5 * sign * off
    for k in range(3):
        turned = last[0] + off + TWO_PI * (1.0 - k)
        a, b = sign * (turned - last[2]), sign * (turned - last[1])
        low, high = max(first[1] - first[0], min(a, b)), min(first[2] - first[0], max(a, b))
        x = min(max(wanted, low), high)
        if low <= high + _ROUNDING and math.fabs(x - wanted) < least:
            shared, least = x, math.fabs(x - wanted)
    return shared if least < INF else wanted


def _middle_rotations(h1: Vector3, h2: Vector3, h3: Vector3, y: Vector3,
                      slack: float) -> tuple[int, float, float, float, float]:
    """Solve h₁·R₂ h₃ = h₁·y, since R₁ does not change a component along h₁.

    Returns (count, c₂, s₂, c₂, s₂).
    """
    a, b = dot(h1, perpendicular(h2, h3)), dot(h1, cross(h2, h3))
    rest = dot(h1, y) - dot(h1, h2) * dot(h2, h3)
    squared = a * a + b * b
    if squared - rest * rest > _TURNING * squared:
        return solve_sinusoid(a, b, rest, slack)
    # θ₂ = θ ± φ, θ the turning point: a spherical triangle of sides A, B and γ with the angle φ or
    # its complement, whose half angle keeps the digits that 1 − cos φ loses.
    A, B, gamma = _angle_between(h1, h2), _angle_between(h2, h3), _angle_between(h1, y)
    near = math.sin(0.5 * (gamma + A - B)) * math.sin(0.5 * (gamma - A + B))  # ~ sin² φ/2
    far = math.sin(0.5 * (A + B + gamma)) * math.sin(0.5 * (A + B - gamma))   # ~ cos² φ/2
    amplitude = math.sqrt(squared)
    if near <= 0.0 or far <= 0.0:
        count = 1 if math.fabs(rest) <= (1.0 + slack) * amplitude else 0
        turning = math.copysign(1.0 / amplitude, rest)
        return count, a * turning, b * turning, a * turning, b * turning
    scale = 1.0 / (amplitude * (near + far))
    cosine, sine = (far - near) * scale, 2.0 * math.sqrt(near * far) * scale
    return 2, a * cosine - b * sine, b * cosine + a * sine, (
        a * cosine + b * sine), b * cosine - a * sine


def _angle_between(u: Vector3, v: Vector3) -> float:
    """Return the angle between unit vectors, rad, accurate over the whole range."""
    return 2.0 * math.atan2(norm(minus(u, v)), norm(along(u, 1.0, v)))


def across(h2: Vector3, h3: Vector3) -> Vector3:
    """Return the unit vector across h₃ in the plane of h₂ and h₃, which are not parallel."""
    w = perpendicular(h3, h2)
    return times(1.0 / norm(w), w)


def make_rotation_by_two(h1: Vector3, h2: Vector3, w: Vector3, y: Vector3, z: Vector3,
                         found: Columns) -> None:
    """Find R₁ R₂ = R, as `make_rotation`; y = R h₂ and z = R w, w across h₂."""
    c1, s1 = rotation_onto(h1, h2, y, point_3r.NEARLY, 0.0)
    c2, s2 = rotation_onto(h2, w, rotated_by(h1, c1, -s1, z), point_3r.NEARLY, 0.0)
    point_3r.write_values(found, 0, c1, s1, c2, s2, 0.0, 0.0)
