"""Arms of six joints with three neighbouring axes that are parallel."""

import math

try:
    import cython
except ImportError:
    from ik_node.support import cython

from ik_node.kinematics import kinds
from ik_node.solvers.analytic.families import closed_loop
from ik_node.solvers.analytic.families.closed_family import ClosedFamily
from ik_node.solvers.analytic.families.nominal import ClosedForm
from ik_node.solvers.analytic.subproblems import parallel_triple, sizes
from ik_node.spatial.vector3 import Vector3
from ik_node.support.arrays import Rows

if not cython.compiled:
    from ik_node.spatial.angles import solve_sinusoid
    from ik_node.spatial.vector3 import (
        along,
        dot,
        minus,
        moved_back,
        norm,
        perpendicular,
        rotated_back,
        row,
    )

_SINE = math.sqrt(0.75)   # of a third of a turn
_PARALLEL = 1e-5          # of two directions: rounding errors tilt an axis by the root of theirs


class ParallelTriple(ClosedFamily):
    """Three neighbouring parallel axes, which preserve h and heights along h.

    B (M⁻¹ A M) M⁻¹ h = h, for the direction and for the height of a point; then the planar arm.
    """

    def solve(self, work: ClosedForm, n: int, out: Rows) -> int:
        """Write the joint values of every branch into out; see `ClosedFamily`."""
        axes, points, kind, place = work.axes, work.points, work.kind, self.structure.place
        size, slack = self.structure.size, self.structure.slack
        h = row(axes, place)
        p1, p2, p3 = row(points, place), row(points, place + 1), row(points, place + 2)
        sign_2 = 1.0 if dot(h, row(axes, place + 1)) > 0.0 else -1.0
        sign_3 = 1.0 if dot(h, row(axes, place + 2)) > 0.0 else -1.0
        a, pa = closed_loop.beside(work, place, 0)
        b, pb = closed_loop.beside(work, place, 1)
        d, pd = closed_loop.beside(work, place, 2)
        closed_loop.take_starts(work, place)
        triples = parallel_triple.keep_direction(
            kind[(place + 3) % 6], kind[(place + 4) % 6], kind[(place + 5) % 6], a, pa, b, pb, d,
            pd, h, dot(h, p1), rotated_back(work.M, h), moved_back(work.M, p1), work.beside_start,
            size, slack, work.rotations, work.found)
        across = minus(p2, p1)
        across = along(across, -dot(h, across), h)
        solutions = 0
        for i in range(triples):
            if solutions + 2 > sizes.MOST_BRANCHES:
                break
            closed_loop.take_up(work, place, i, out, solutions)
            count = parallel_triple.solve_planar_arm(
                h, p1, p2, p3, 1.0, sign_2, sign_3, closed_loop.point_through(work, place, p3),
                across, closed_loop.direction_through(work, place, across), size, slack,
                work.wrist)
            for k in range(3):
                j = (place + 3 + (k + 1) % 3) % 6  # the middle one first
                if count == 0 and _rotate_into_reach(work, place, j, h, p1, p2, p3, slack):
                    closed_loop.write_value(work, j, out, solutions)
                    count = parallel_triple.solve_planar_arm(
                        h, p1, p2, p3, 1.0, sign_2, sign_3,
                        closed_loop.point_through(work, place, p3), across,
                        closed_loop.direction_through(work, place, across), size, slack,
                        work.wrist)
            solutions = closed_loop.write_triple(work, place, count, n, out, solutions)
        return solutions


def _rotate_into_reach(work: ClosedForm, place: int, j: int, h: Vector3, p1: Vector3, p2: Vector3,
                       p3: Vector3, slack: float) -> bool:
    """Rotate joint j beside a parallel triple until the target is in the planar reach.

    The joint is free where its axis is parallel to the triple's; it then carries the target along
    a circle, r² = a + b cos t + c sin t. Of the two values at which the planar arm is stretched,
    or folded, the nearer one is taken. Return whether one exists.
    """
    value = work.values[j]
    c0, s0 = value[0], value[1]
    if work.kind[j] == kinds.PRISMATIC:
        return False
    L1, L2 = norm(perpendicular(h, minus(p2, p1))), norm(perpendicular(h, minus(p3, p2)))
    at_zero, third, two_thirds = 0.0, 0.0, 0.0
    for i in range(3):
        c = 1.0 if i == 0 else -0.5
        s = 0.0 if i == 0 else (_SINE if i == 1 else -_SINE)
        value[0], value[1] = c * c0 - s * s0, s * c0 + c * s0
        if norm(minus(closed_loop.direction_through(work, place, h), h)) > _PARALLEL:
            value[0], value[1] = c0, s0
            return False
        there = perpendicular(h, minus(closed_loop.point_through(work, place, p3), p1))
        at_zero, third, two_thirds = third, two_thirds, dot(there, there)
    a = (at_zero + third + two_thirds) / 3.0
    b = (2.0 * at_zero - third - two_thirds) / 3.0
    c = (third - two_thirds) / math.sqrt(3.0)
    wanted = (L1 + L2) ** 2 if at_zero > (L1 + L2) ** 2 else (L1 - L2) ** 2
    count, c1, s1, c2, s2 = solve_sinusoid(b, c, wanted - a, slack)
    if count == 0:
        value[0], value[1] = c0, s0
        return False
    if count == 2 and c2 > c1:
        c1, s1 = c2, s2
    value[0], value[1] = c1 * c0 - s1 * s0, s1 * c0 + c1 * s0
    return True
