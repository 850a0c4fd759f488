"""Arms of at most six joints with neighbouring axes that meet in a point, or are parallel.

Read as a product of exponentials e₁ … e₆ = M, six joints form a closed loop through the goal: the
triple can stand anywhere in it. With A before and B after the triple S, A S B = M, the others are
B (M⁻¹ A M) = S⁻¹ M: joints before the triple come after those behind it, seen from M⁻¹.

Arms of fewer joints have fewer beside the triple, at most two, or less than a triple: two axes, or
one with any of its points, and three joints beside. Of the six equations of a pose those that their
joints need not meet are left: forward kinematics shows whether they are met. These are the classes
of 3R, 4R and 5R arms of [Ostermeier 2025], and those with prismatic joints.
"""

import math

import cython

from ik_node.kinematics import kinds
from ik_node.solvers.analytic.families import closed_family
from ik_node.solvers.analytic.families.closed_family import ClosedFamily, ClosedForm
from ik_node.solvers.analytic.subproblems import parallel_triple, position_triple, rotation_triple
from ik_node.solvers.analytic.subproblems.point_3r import Joint
from ik_node.spatial.vector3 import Vector3
from ik_node.support.arrays import Vector

if not cython.compiled:
    from ik_node.spatial.angles import *
    from ik_node.spatial.vector3 import *

_SINE = math.sqrt(0.75)   # of a third of a turn
_ON_AXIS = 1e-9           # sine of the angle to an axis that gives no rotation about it
_PARALLEL = 1e-5          # of two directions: rounding errors tilt an axis by the root of theirs


class Triple(ClosedFamily):
    """Three neighbouring joints, or fewer, whose values follow from those of the others."""

    def solve(self, work: ClosedForm) -> int:
        """Write every branch; see `ClosedFamily`."""
        behind, beside, solutions = self.place + self.span, work.count - self.span, 0
        for k in range(beside):
            work.beside_start[k] = work.ranges[_round(work, behind + k)][0]
        for i in range(self.solve_beside(work)):
            if solutions + 2 > closed_family.MOST_BRANCHES:
                break
            for k in range(beside):
                j, value = _round(work, behind + k), work.found[i]
                work.values[j][0], work.values[j][1] = value[2 * k], value[2 * k + 1]
                work.write_value(solutions, j, value[2 * k], value[2 * k + 1])
            for k in range(self.solve_triple(work, solutions)):
                if k == 1:
                    for j in range(work.n):
                        work.branches[solutions][j] = work.branches[solutions - 1][j]
                    for j in range(2 * work.n):
                        work.directions[solutions][j] = work.directions[solutions - 1][j]
                for j in range(self.span):
                    work.write_value(solutions, self.place + j, work.wrist[k][2 * j],
                                     work.wrist[k][2 * j + 1])
                solutions += 1
        return solutions

    def solve_beside(self, work: ClosedForm) -> int:
        """Write the values of the joints beside the triple into work.found; return how many."""
        return 0

    def solve_triple(self, work: ClosedForm, branch: int) -> int:
        """Write the angles of the triple into work.wrist, given the other joints' values.

        Return how many there are, at most 2. branch: the row that has the others' values.
        """
        return 0


class SphericalTriple(Triple):
    """Neighbouring axes through a point c, which they do not move: three, or fewer.

    B (M⁻¹ A M) M⁻¹ c = c places the point; A⁻¹ M B⁻¹ is the rotation of the triple.
    """

    def solve_beside(self, work: ClosedForm) -> int:
        place, span, behind, axes = self.place, self.span, self.place + self.span, work.axes
        size, slack, beside = self.size, self.slack, work.count - self.span
        start, found, t = work.beside_start, work.found, row(work.points, place)
        x, h = inverse_transform_point(work.M, t), row(axes, place)
        # A direction across the last axis of the triple tells its rotation.
        if span > 1:
            work.across = rotation_triple.across(row(axes, behind - 2), row(axes, behind - 1))
        else:
            work.across = perpendicular(
                h, (0.0, 1.0, 0.0) if math.fabs(h[0]) > 0.7 else (1.0, 0.0, 0.0))
        if behind == work.count:  # A c = M c: the axes as they are
            behind, x, t = 0, t, transform_point(work.M, t)
        if beside == 3:
            return position_triple.place_point(
                _beside(work, behind, 0), _beside(work, behind, 1), _beside(work, behind, 2), x, t,
                start, size, slack, work.rotations, found)
        if beside == 2:
            return position_triple.place_by_two(_beside(work, behind, 0), _beside(work, behind, 1),
                                                x, t, start, size, slack, found)
        if beside == 1:
            position_triple.place_by_one(_beside(work, behind, 0), x, t, start, 0, size, found[0])
        return 1

    def solve_triple(self, work: ClosedForm, branch: int) -> int:
        place, span, axes, w = self.place, self.span, work.axes, work.across
        h1, h2, h3 = row(axes, place), row(axes, place + 1), row(axes, place + 2)
        z = _through(work, place, span, w, 0.0)
        if span == 3:
            return rotation_triple.make_rotation(
                h1, h2, h3, _through(work, place, span, h3, 0.0), z, work.ranges, place,
                self.slack, work.wrist)
        if span == 2:
            rotation_triple.make_rotation_by_two(h1, h2, w, _through(work, place, span, h2, 0.0), z,
                                                 work.wrist)
        elif span == 1:
            work.wrist[0][0], work.wrist[0][1] = rotation_onto(h1, w, z, _ON_AXIS, 0.0)
        return 1


class ParallelTriple(Triple):
    """Neighbouring parallel axes, three or two, which preserve h and heights along h.

    B (M⁻¹ A M) M⁻¹ h = h, for the direction and for the height of a point; then the planar arm. A
    planar arm has only these axes, and perhaps a prismatic joint along them.
    """

    def solve_beside(self, work: ClosedForm) -> int:
        place, behind, beside = self.place, self.place + self.span, work.count - self.span
        h, p1 = row(work.axes, place), row(work.points, place)
        u, x = rotated_back(work.M, h), inverse_transform_point(work.M, p1)
        start = work.beside_start
        work.across = perpendicular(h, minus(row(work.points, place + 1), p1))
        if beside == 3:
            return parallel_triple.keep_direction(
                _beside(work, behind, 0), _beside(work, behind, 1), _beside(work, behind, 2), h,
                dot(h, p1), u, x, start, self.size, self.slack, work.rotations, work.found)
        if beside == 2:
            return parallel_triple.keep_direction_by_two(
                _beside(work, behind, 0), _beside(work, behind, 1), h, dot(h, p1), u, x, start,
                self.size, self.slack, work.found)
        if beside == 1:
            return parallel_triple.keep_direction_by_one(
                _beside(work, behind, 0), h, dot(h, p1), u, x, start, work.found)
        return 1

    def solve_triple(self, work: ClosedForm, branch: int) -> int:
        beside, elbows = work.count - self.span, self._solve_planar(work)
        for k in range(beside if elbows == 0 else 0):
            j = _round(work, self.place + self.span + (k + 1) % beside)  # the middle one first
            if elbows == 0 and _rotate_into_reach(work, self.place, j, self.slack):
                work.write_value(branch, j, work.values[j][0], work.values[j][1])
                elbows = self._solve_planar(work)
        return elbows

    def _solve_planar(self, work: ClosedForm) -> int:
        """Write the angles of the planar arm into work.wrist; return how many there are."""
        place, span, axes, points = self.place, self.span, work.axes, work.points
        h, p1, p2, p3 = (row(axes, place), row(points, place), row(points, place + 1),
                         row(points, place + 2))
        rotated_across = _through(work, place, span, work.across, 0.0)
        sign = math.copysign(1.0, dot(h, row(axes, place + 1)))
        if span == 2:
            return parallel_triple.solve_planar_pair(
                h, p1, p2, sign, _through(work, place, span, p2, 1.0), work.across, rotated_across,
                work.wrist)
        return parallel_triple.solve_planar_arm(
            h, p1, p2, p3, sign, math.copysign(1.0, dot(h, row(axes, place + 2))),
            _through(work, place, span, p3, 1.0), work.across, rotated_across, self.size,
            self.slack, work.wrist)


class FreePlanarTriple(ParallelTriple):
    """Goals that leave a planar arm's tip angle free; the parameter is that angle, rad."""

    def solve(self, work: ClosedForm) -> int:
        """Write every branch; see `ClosedFamily`. M then has the tip's angle, from zero."""
        tip = inverse_transform_point(transform_of(self.T_tip_base), (0.0, 0.0, 0.0))
        shift = minus(transform_point(work.M, tip), tip)
        turn = rotation_about(row(work.axes, 0), tip, math.cos(work.parameter),
                              math.sin(work.parameter))
        work.M = turn[0], turn[1], turn[2], along(turn[3], 1.0, shift)
        return ParallelTriple.solve(self, work)

    def own_parameter(self, q: Vector) -> float:
        """Return the angle of the tip in the plane at q (n,), from zero, rad."""
        total = 0.0
        for j in range(self.count):
            if self.kind[j] != kinds.PRISMATIC and self.column[j] >= 0:
                total += q[self.column[j]] * dot(row(self.axes, j), row(self.axes, 0))
        return total


def _rotate_into_reach(work: ClosedForm, place: int, j: int, slack: float) -> bool:
    """Rotate joint j beside a parallel triple until the target is in the planar reach.

    The joint is free where its axis is parallel to the triple's; it then carries the target along
    a circle, r² = a + b cos t + c sin t. Of the two values at which the planar arm is stretched,
    or folded, the nearer one is taken. Return whether one exists.
    """
    value, h, p1 = work.values[j], row(work.axes, place), row(work.points, place)
    p2, p3 = row(work.points, place + 1), row(work.points, place + 2)
    c0, s0 = value[0], value[1]
    if work.kind[j] == kinds.PRISMATIC:
        return False
    L1, L2 = norm(perpendicular(h, minus(p2, p1))), norm(perpendicular(h, minus(p3, p2)))
    at_zero, third, two_thirds = 0.0, 0.0, 0.0
    for i in range(3):
        c = 1.0 if i == 0 else -0.5
        s = 0.0 if i == 0 else (_SINE if i == 1 else -_SINE)
        value[0], value[1] = c * c0 - s * s0, s * c0 + c * s0
        if norm(minus(_through(work, place, 3, h, 0.0), h)) > _PARALLEL:
            value[0], value[1] = c0, s0
            return False
        there = perpendicular(h, minus(_through(work, place, 3, p3, 1.0), p1))
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


def _beside(work: ClosedForm, behind: int, k: int) -> Joint:
    """Return the k-th joint beside the triple, from `behind` it round to before."""
    j = _round(work, behind + k)
    h, p = row(work.axes, j), row(work.points, j)
    if j < behind:
        h, p = rotated_back(work.M, h), inverse_transform_point(work.M, p)
    return work.kind[j], h, p


def _round(work: ClosedForm, j: int) -> int:
    """Return an index of a joint, which may be beyond the last one, round the loop."""
    return j if j < work.count else j - work.count


def _through(work: ClosedForm, place: int, span: int, x: Vector3, at: float) -> Vector3:
    """Return where the triple S = A⁻¹ M B⁻¹ brings a point, given the other joints' values.

    at: 1 for a point, 0 for a direction, which translations do not change.
    """
    for j in range(place + span, work.count):
        x = _back(work, j, x, at)
    x = along(rotated(work.M, x), at, work.M[3])
    for j in range(place):
        x = _back(work, j, x, at)
    return x


def _back(work: ClosedForm, j: int, x: Vector3, at: float) -> Vector3:
    h, value = row(work.axes, j), work.values[j]
    if work.kind[j] == kinds.PRISMATIC:
        return along(x, -at * value[0], h)
    return rotated_about(h, times(at, row(work.points, j)), value[0], -value[1], x)
