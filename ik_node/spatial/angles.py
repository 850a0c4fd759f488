"""Angles as (cosine, sine): directions, rotations onto a direction, and sinusoids.

An equation that misses a solution by less than a slack returns the nearest value: for axes that are
parallel or meet up to rounding, and at the boundary of the workspace [Paden 1986]. As `vector3`,
this is a module of inline functions.
"""

import math

from ik_node.spatial.vector3 import Vector3, cross, dot


def rotation_between(h: Vector3, a: Vector3, b: Vector3,
                     smallest: float) -> tuple[bool, float, float]:
    """Return (defined, c, s): the rotation about h that brings a nearest to b [Subproblem 1].

    Undefined where a or b lies along h, up to a length `smallest`: every angle is equivalent.
    """
    return direction(dot(a, b) - dot(h, a) * dot(h, b), dot(h, cross(a, b)), smallest)


def rotation_onto(h: Vector3, a: Vector3, b: Vector3, smallest: float,
                  start: float) -> tuple[float, float]:
    """Return the rotation (c, s) that `rotation_between` does; by start, rad, if any serves."""
    defined, c, s = rotation_between(h, a, b, smallest)
    if not defined:
        c, s = math.cos(start), math.sin(start)
    return c, s


def direction(cosine: float, sine: float, smallest: float) -> tuple[bool, float, float]:
    """Return (defined, c, s) of (cosine, sine), which are not of unit length."""
    length = math.sqrt(cosine * cosine + sine * sine)
    if length <= smallest * smallest:
        return False, 1.0, 0.0
    scale = 1.0 / length
    return True, cosine * scale, sine * scale


def angle_of(c: float, s: float) -> float:
    """Return the angle of a rotation (c, s), rad in [−π, π]: as atan2, in a third of its time.

    Twice the arctangent of at most tan π/8, by Sun's polynomial in fdlibm; to 1e-15 rad. π/2 is
    in two parts.
    """
    u, v = math.fabs(c), math.fabs(s)
    t = min(u, v) / (1.0 + max(u, v))
    z = t * t
    w = z * z
    even = z * (3.33333333333329318027e-1 + w * (1.42857142725034663711e-1 + w * (
        9.09088713343650656196e-2 + w * (6.66107313738753120669e-2 + w * (
            4.97687799461593236017e-2 + w * 1.62858201153657823623e-2)))))
    odd = w * (-1.99999999998764832476e-1 + w * (-1.11111104054623557880e-1 + w * (
        -7.69187620504482999495e-2 + w * (
            -5.83357013379057348645e-2 + w * -3.65315727442169155270e-2))))
    angle = 2.0 * (t - t * (even + odd))
    if v > u:
        angle = 1.5707963267948966 - (angle - 6.123233995736766e-17)
    if c < 0.0:
        angle = 3.141592653589793 - (angle - 1.2246467991473532e-16)
    return math.copysign(angle, s)


def solve_sinusoid(a: float, b: float, rest: float,
                   slack: float) -> tuple[int, float, float, float, float]:
    """Solve a c + b s = rest for a rotation (c, s) [Subproblem 4].

    Return (count, c₁, s₁, c₂, s₂). Up to `slack` times the amplitude beyond the maximum counts as
    at the maximum, where there is one solution.
    """
    squared = a * a + b * b
    if squared == 0.0:
        return 0, 1.0, 0.0, 1.0, 0.0
    left = squared - rest * rest
    amplitude = math.sqrt(squared)
    if left <= 0.0:
        count = 1 if math.fabs(rest) <= (1.0 + slack) * amplitude else 0
        sign = (1.0 if rest >= 0.0 else -1.0) / amplitude
        return count, a * sign, b * sign, a * sign, b * sign
    root, scale = math.sqrt(left), 1.0 / squared
    a, b = a * scale, b * scale
    return (2, a * rest - b * root, b * rest + a * root,
            a * rest + b * root, b * rest - a * root)
