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
from ik_node.solvers.analytic.subproblems import two_rotations, with_prismatic
from ik_node.spatial.vector3 import Vector3
from ik_node.support.arrays import Columns, Pose, Vector

if not cython.compiled:
    from ik_node.spatial.vector3 import cross, dot, minus, norm


def place_point(k1: int, k2: int, k3: int, h1: Vector3, p1: Vector3, h2: Vector3, p2: Vector3,
                h3: Vector3, p3: Vector3, x: Vector3, t: Vector3, start: Vector, size: float,
                slack: float, rotations: Pose, found: Columns) -> int:
    """Write the values that bring the point x to t into found (8, 6); return how many.

    k: kinds of the joints, REVOLUTE or PRISMATIC. h, p: their lines, at value zero. start (3,):
    reference angles, rad, for rotations that make no difference. size: the arm's, m. slack:
    fraction of the size by which a target out of reach still gets the nearest solution. rotations
    (5, 4): scratch. A row of found is u₁ v₁ u₂ v₂ u₃ v₃.
    """
    prismatic = count_prismatic(k1, k2, k3)
    if prismatic == 0:
        meets, parallel = _relation(h1, p1, h2, p2, size)
        if not meets and not parallel:
            meets, parallel = _relation(h2, p2, h3, p3, size)
            if meets or parallel:
                count = two_rotations.three_rotations(
                    h3, p3, h2, p2, h1, p1, t, x, start, 2, size, slack, rotations, found)
                return _read_from_the_end(False, False, False, found, count)
        return two_rotations.three_rotations(
            h1, p1, h2, p2, h3, p3, x, t, start, 0, size, slack, rotations, found)
    if prismatic == 3:
        return with_prismatic.three_prismatic(h1, h2, h3, minus(t, x), found)
    if prismatic == 2:
        return with_prismatic.one_revolute(
            k1, k2, k3, h1, p1, h2, p2, h3, p3, x, t, start, size, slack, found)
    if k2 == kinds.PRISMATIC:
        return with_prismatic.prismatic_between(
            h1, p1, h2, h3, p3, x, t, start, size, slack, rotations, found)
    if k3 == kinds.PRISMATIC:
        return two_rotations.prismatic_last(
            h1, p1, h2, p2, h3, x, t, start, 0, size, slack, rotations, found)
    count = two_rotations.prismatic_last(
        h3, p3, h2, p2, h1, t, x, start, 2, size, slack, rotations, found)
    return _read_from_the_end(True, False, False, found, count)


def count_prismatic(k1: int, k2: int, k3: int) -> int:
    """Return how many of three kinds are PRISMATIC."""
    return ((1 if k1 == kinds.PRISMATIC else 0) + (1 if k2 == kinds.PRISMATIC else 0)
            + (1 if k3 == kinds.PRISMATIC else 0))


def _relation(h1: Vector3, p1: Vector3, h2: Vector3, p2: Vector3, size: float) -> tuple[bool, bool]:
    """Return whether two lines meet, and whether they are parallel."""
    common = cross(h1, h2)
    sine = norm(common)
    parallel = sine < two_rotations.NEARLY
    meets = (not parallel
             and math.fabs(dot(common, minus(p2, p1))) < two_rotations.NEARLY * size * sine)
    return meets, parallel


def _read_from_the_end(first_prismatic: bool, second_prismatic: bool, third_prismatic: bool,
                       found: Columns, count: int) -> int:
    """Convert solutions of the reversed triple in place into those of the triple."""
    for i in range(count):
        a, b, c, d, e, f = (found[i][0], found[i][1], found[i][2], found[i][3], found[i][4],
                            found[i][5])
        found[i][0], found[i][1] = (-e, f) if first_prismatic else (e, -f)
        found[i][2], found[i][3] = (-c, d) if second_prismatic else (c, -d)
        found[i][4], found[i][5] = (-a, b) if third_prismatic else (a, -b)
    return count
