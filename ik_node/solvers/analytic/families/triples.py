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

try:
    import cython
except ImportError:
    from ik_node.support import cython

from ik_node.kinematics import kinds
from ik_node.solvers.analytic.families.closed_family import ClosedFamily, ClosedForm
from ik_node.solvers.analytic.subproblems import (
    pairs,
    parallel_triple,
    position_triple,
    rotation_triple,
    sizes,
)
from ik_node.solvers.analytic.subproblems.two_rotations import Joint
from ik_node.spatial.vector3 import Vector3

if not cython.compiled:
    from ik_node.spatial.angles import solve_sinusoid
    from ik_node.spatial.vector3 import (
        along,
        dot,
        minus,
        moved,
        moved_back,
        norm,
        perpendicular,
        rotated,
        rotated_about,
        rotated_back,
        rotated_by,
        row,
    )

_SINE = math.sqrt(0.75)   # of a third of a turn
_PARALLEL = 1e-5          # of two directions: rounding errors tilt an axis by the root of theirs


class SphericalTriple(ClosedFamily):
    """Neighbouring axes through a point c, which they do not move: three, or fewer.

    B (M⁻¹ A M) M⁻¹ c = c places the point; A⁻¹ M B⁻¹ is the rotation of the triple.
    """

    def solve(self, work: ClosedForm) -> int:
        """Write every branch; see `ClosedFamily`."""
        place, span = self.structure.place, self.structure.span
        _copy_starts(work, place, span)
        count, w = self._place_point(work, row(work.points, place)), self._across(work)
        solutions = 0
        for i in range(count):
            if solutions + 2 > sizes.MOST_BRANCHES:
                break
            _write_beside(work, place, span, i, solutions)
            rotations = self._make_rotation(work, w)
            solutions = _write_triple(work, place, span, rotations, solutions)
        return solutions

    def _place_point(self, work: ClosedForm, c: Vector3) -> int:
        """Write the values of the joints beside the triple into work.found; return how many."""
        place, behind = self.structure.place, self.structure.place + self.structure.span
        size, slack, beside = self.structure.size, self.structure.slack, work.count - behind + place
        start, found = work.beside_start, work.found
        x, t = moved_back(work.M, c), c
        if behind == work.count:  # A c = M c: the axes as they are
            behind, x, t = 0, c, moved(work.M, c)
        if beside == 3:
            return position_triple.place_point(
                _beside(work, behind, 0), _beside(work, behind, 1), _beside(work, behind, 2), x, t,
                start, size, slack, work.rotations, found)
        if beside == 2:
            return pairs.place_point(_beside(work, behind, 0), _beside(work, behind, 1), x, t,
                                     start, size, slack, found)
        if beside == 1:
            pairs.place_by_one(_beside(work, behind, 0), x, t, start, 0, size, found[0])
        return 1

    def _across(self, work: ClosedForm) -> Vector3:
        """Return a direction across the last axis of the triple, which tells its rotation."""
        place, span, axes = self.structure.place, self.structure.span, work.axes
        if span == 3:
            return rotation_triple.across(row(axes, place + 1), row(axes, place + 2))
        h = row(axes, place)
        if span == 2:
            return rotation_triple.across(h, row(axes, place + 1))
        return perpendicular(h, (0.0, 1.0, 0.0) if math.fabs(h[0]) > 0.7 else (1.0, 0.0, 0.0))

    def _make_rotation(self, work: ClosedForm, w: Vector3) -> int:
        """Write the angles of the triple into work.wrist, given the other joints' values."""
        place, span, axes, count = self.structure.place, self.structure.span, work.axes, 1
        h1, h2, h3 = row(axes, place), row(axes, place + 1), row(axes, place + 2)
        z = _direction_through(work, place, span, w)
        if span == 3:
            count = rotation_triple.make_rotation(
                h1, h2, h3, _direction_through(work, place, span, h3), z, work.triple_ranges,
                self.structure.slack, work.wrist)
        elif span == 2:
            pairs.make_rotation(h1, h2, w, _direction_through(work, place, span, h2), z, work.wrist)
        elif span == 1:
            work.wrist[0][0], work.wrist[0][1] = pairs.rotation_onto(h1, w, z, 0.0)
        return count


class ParallelTriple(ClosedFamily):
    """Neighbouring parallel axes, three or two, which preserve h and heights along h.

    B (M⁻¹ A M) M⁻¹ h = h, for the direction and for the height of a point; then the planar arm.
    """

    def solve(self, work: ClosedForm) -> int:
        """Write every branch; see `ClosedFamily`."""
        place, span = self.structure.place, self.structure.span
        h, p1, p2 = row(work.axes, place), row(work.points, place), row(work.points, place + 1)
        _copy_starts(work, place, span)
        count, across = self._keep_direction(work, h, p1), perpendicular(h, minus(p2, p1))
        solutions = 0
        for i in range(count):
            if solutions + 2 > sizes.MOST_BRANCHES:
                break
            _write_beside(work, place, span, i, solutions)
            elbows = self._solve_triple(work, h, across)
            beside = work.count - span
            for k in range(beside if elbows == 0 else 0):
                j = _round(work, place + span + (k + 1) % beside)  # the middle one first
                if elbows == 0 and _rotate_into_reach(work, place, j, self.structure.slack):
                    work.write_value(solutions, j, work.values[j][0], work.values[j][1])
                    elbows = self._solve_triple(work, h, across)
            solutions = _write_triple(work, place, span, elbows, solutions)
        return solutions

    def _keep_direction(self, work: ClosedForm, h: Vector3, p1: Vector3) -> int:
        """Write the values of the joints beside the triple into work.found; return how many."""
        place, behind = self.structure.place, self.structure.place + self.structure.span
        size, slack, beside = self.structure.size, self.structure.slack, work.count - behind + place
        u, x, start = rotated_back(work.M, h), moved_back(work.M, p1), work.beside_start
        if beside == 3:
            return parallel_triple.keep_direction(
                _beside(work, behind, 0), _beside(work, behind, 1), _beside(work, behind, 2), h,
                dot(h, p1), u, x, start, size, slack, work.rotations, work.found)
        if beside == 2:
            return pairs.keep_direction(_beside(work, behind, 0), _beside(work, behind, 1), h,
                                        dot(h, p1), u, x, start, size, slack, work.found)
        return pairs.keep_direction_by_one(_beside(work, behind, 0), h, dot(h, p1), u, x, start,
                                           work.found)

    def _solve_triple(self, work: ClosedForm, h: Vector3, across: Vector3) -> int:
        """Write the angles of the triple into work.wrist, given the other joints' values."""
        place, span = self.structure.place, self.structure.span
        axes, points = work.axes, work.points
        p1, p2, p3 = row(points, place), row(points, place + 1), row(points, place + 2)
        rotated_across = _direction_through(work, place, span, across)
        sign = math.copysign(1.0, dot(h, row(axes, place + 1)))
        if span == 2:
            return pairs.solve_planar_pair(h, p1, p2, sign, _point_through(work, place, span, p2),
                                           across, rotated_across, work.wrist)
        return parallel_triple.solve_planar_arm(
            h, p1, p2, p3, sign, math.copysign(1.0, dot(h, row(axes, place + 2))),
            _point_through(work, place, span, p3), across, rotated_across, self.structure.size,
            self.structure.slack, work.wrist)


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
        if norm(minus(_direction_through(work, place, 3, h), h)) > _PARALLEL:
            value[0], value[1] = c0, s0
            return False
        there = perpendicular(h, minus(_point_through(work, place, 3, p3), p1))
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


def _joint(work: ClosedForm, j: int) -> Joint:
    return work.kind[j], row(work.axes, j), row(work.points, j)


def _beside(work: ClosedForm, behind: int, k: int) -> Joint:
    """Return the k-th joint beside the triple, from `behind` it round to before."""
    if behind + k < work.count:
        return _joint(work, behind + k)
    kind, h, p = _joint(work, behind + k - work.count)
    return kind, rotated_back(work.M, h), moved_back(work.M, p)


def _direction_through(work: ClosedForm, place: int, span: int, v: Vector3) -> Vector3:
    """Return R_S v of the triple S = A⁻¹ M B⁻¹, given the values of the other joints."""
    for j in range(place + span, work.count):
        v = _direction_back(work, j, v)
    v = rotated(work.M, v)
    for j in range(place):
        v = _direction_back(work, j, v)
    return v


def _point_through(work: ClosedForm, place: int, span: int, x: Vector3) -> Vector3:
    """Return where the triple S = A⁻¹ M B⁻¹ brings a point x, given the other joints' values."""
    for j in range(place + span, work.count):
        x = _point_back(work, j, x)
    x = moved(work.M, x)
    for j in range(place):
        x = _point_back(work, j, x)
    return x


def _direction_back(work: ClosedForm, j: int, v: Vector3) -> Vector3:
    if work.kind[j] == kinds.PRISMATIC:
        return v
    return rotated_by(row(work.axes, j), work.values[j][0], -work.values[j][1], v)


def _point_back(work: ClosedForm, j: int, x: Vector3) -> Vector3:
    h, value = row(work.axes, j), work.values[j][0]
    if work.kind[j] == kinds.PRISMATIC:
        return along(x, -value, h)
    return rotated_about(h, row(work.points, j), value, -work.values[j][1], x)


def _copy_starts(work: ClosedForm, place: int, span: int) -> None:
    """Copy the reference values of the joints beside the triple, and of the triple."""
    for k in range(work.count - span):
        work.beside_start[k] = work.ranges[_round(work, place + span + k)][0]
    if span == 3:
        rotation_triple.copy_ranges(work.ranges, place, work.triple_ranges)


def _round(work: ClosedForm, j: int) -> int:
    """Return an index of a joint, which may be beyond the last one, round the loop."""
    return j if j < work.count else j - work.count


def _write_beside(work: ClosedForm, place: int, span: int, i: int, count: int) -> None:
    """Keep values of the i-th solution for the joints beside the triple; write them as well."""
    for k in range(work.count - span):
        j = _round(work, place + span + k)
        work.values[j][0], work.values[j][1] = work.found[i][2 * k], work.found[i][2 * k + 1]
        work.write_value(count, j, work.values[j][0], work.values[j][1])


def _write_triple(work: ClosedForm, place: int, span: int, count: int, solutions: int) -> int:
    """Write the values of the triple, rows of work.wrist; return the new number of branches.

    count: number of rows of work.wrist, at most 2, which share the joints beside the triple.
    """
    for k in range(count):
        if k == 1:
            for j in range(work.n):
                work.branches[solutions][j] = work.branches[solutions - 1][j]
            for j in range(2 * work.n):
                work.directions[solutions][j] = work.directions[solutions - 1][j]
        for j in range(span):
            work.write_value(solutions, place + j, work.wrist[k][2 * j], work.wrist[k][2 * j + 1])
        solutions += 1
    return solutions
