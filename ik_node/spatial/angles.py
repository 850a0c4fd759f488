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


def direction(cosine: float, sine: float, smallest: float) -> tuple[bool, float, float]:
    """Return (defined, c, s) of (cosine, sine), which are not of unit length."""
    length = math.sqrt(cosine * cosine + sine * sine)
    if length <= smallest * smallest:
        return False, 1.0, 0.0
    scale = 1.0 / length
    return True, cosine * scale, sine * scale


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
