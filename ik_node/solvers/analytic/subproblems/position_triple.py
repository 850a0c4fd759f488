"""Three joints that bring a point to a target: all kinds and orders, every solution.

e₁ e₂ e₃ x = t, with e a rotation about a line or a translation along it [Pieper 1968; Elias & Wen
2025, Subproblems 3 and 5]. A value is (c, s) for a revolute joint, (m, 0) for a prismatic one. The
triple may be read from either end: e₃⁻¹ e₂⁻¹ e₁⁻¹ t = x.
"""

from ik_node._jit import Matrix, Vector, inline, njit
from ik_node.kinematics.forward import PRISMATIC
from ik_node.solvers.analytic.subproblems.two_rotations import (
    NEARLY,
    prismatic_last,
    three_rotations,
)
from ik_node.solvers.analytic.subproblems.vector3 import Vector3, cross, dot, minus, norm
from ik_node.solvers.analytic.subproblems.with_prismatic import (
    one_revolute,
    prismatic_between,
    three_prismatic,
)


@njit
def place_point(k1: int, k2: int, k3: int, h1: Vector3, p1: Vector3, h2: Vector3, p2: Vector3,
                h3: Vector3, p3: Vector3, x: Vector3, t: Vector3, start: Vector, size: float,
                slack: float, rotations: Matrix, found: Matrix) -> int:
    """Write the values that bring the point x to t into found (MOST, 6); return how many.

    k: kinds of the joints, REVOLUTE or PRISMATIC. h, p: their lines, at value zero. start (3,):
    reference angles, rad, for rotations that make no difference. size: the arm's, m. slack:
    fraction of the size by which a target out of reach still gets the nearest solution. rotations
    (5, 4): scratch. A row of found is u₁ v₁ u₂ v₂ u₃ v₃.
    """
    # As integers: the sum of NumPy booleans is a boolean.
    prismatic = int(k1 == PRISMATIC) + int(k2 == PRISMATIC) + int(k3 == PRISMATIC)
    if prismatic == 0:
        meets, parallel = _relation(h1, p1, h2, p2, size)
        if not meets and not parallel:
            meets, parallel = _relation(h2, p2, h3, p3, size)
            if meets or parallel:
                count = three_rotations(h3, p3, h2, p2, h1, p1, t, x, start, 2, size, slack,
                                        rotations, found)
                return _read_from_the_end(False, False, False, found, count)
        return three_rotations(h1, p1, h2, p2, h3, p3, x, t, start, 0, size, slack, rotations,
                               found)
    if prismatic == 3:
        return three_prismatic(h1, h2, h3, minus(t, x), found)
    if prismatic == 2:
        return one_revolute(k1, k2, k3, h1, p1, h2, p2, h3, p3, x, t, start, size, slack, found)
    if k2 == PRISMATIC:
        return prismatic_between(h1, p1, h2, h3, p3, x, t, start, size, slack, rotations, found)
    if k3 == PRISMATIC:
        return prismatic_last(h1, p1, h2, p2, h3, x, t, start, 0, size, slack, rotations, found)
    count = prismatic_last(h3, p3, h2, p2, h1, t, x, start, 2, size, slack, rotations, found)
    return _read_from_the_end(True, False, False, found, count)


@inline
def _relation(h1: Vector3, p1: Vector3, h2: Vector3, p2: Vector3, size: float) -> tuple[bool, bool]:
    """Return whether two lines meet, and whether they are parallel."""
    common = cross(h1, h2)
    sine = norm(common)
    parallel = sine < NEARLY
    return not parallel and abs(dot(common, minus(p2, p1))) < NEARLY * size * sine, parallel


@njit
def _read_from_the_end(first_prismatic: bool, second_prismatic: bool, third_prismatic: bool,
                       found: Matrix, count: int) -> int:
    """Convert solutions of the reversed triple in place into those of the triple."""
    for i in range(count):
        a, b, c, d, e, f = (found[i, 0], found[i, 1], found[i, 2], found[i, 3], found[i, 4],
                            found[i, 5])
        found[i, 0], found[i, 1] = (-e, f) if first_prismatic else (e, -f)
        found[i, 2], found[i, 3] = (-c, d) if second_prismatic else (c, -d)
        found[i, 4], found[i, 5] = (-a, b) if third_prismatic else (a, -b)
    return count
