"""Arms of six joints with three neighbouring axes that meet in a point, or are parallel.

Read as a product of exponentials e₁ … e₆ = M, six joints form a closed loop through the goal: the
triple can stand anywhere in it. With A before and B after the triple S, A S B = M, the others are
B (M⁻¹ A M) = S⁻¹ M: joints before the triple come after those behind it, seen from M⁻¹.
"""

import math

try:
    import cython
except ImportError:
    from ik_node.support import cython

from ik_node.kinematics import kinds
from ik_node.solvers.analytic.families.closed_family import ClosedFamily, ClosedForm
from ik_node.solvers.analytic.subproblems import (
    parallel_triple,
    position_triple,
    rotation_triple,
    sizes,
)
from ik_node.solvers.analytic.subproblems.two_rotations import Joint
from ik_node.spatial.vector3 import Vector3
from ik_node.support.arrays import Rows

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
    """Three neighbouring axes through a point c, which the triple does not move.

    B (M⁻¹ A M) M⁻¹ c = c places the point; A⁻¹ M B⁻¹ is the rotation of the triple.
    """

    def solve(self, work: ClosedForm, n: int, out: Rows) -> int:
        """Write the joint values of every branch into out; see `ClosedFamily`."""
        axes, place, c = work.axes, self.structure.place, row(work.points, self.structure.place)
        size, slack = self.structure.size, self.structure.slack
        h1, h2, h3 = row(axes, place), row(axes, place + 1), row(axes, place + 2)
        _copy_starts(work, place)
        if place == 3:  # A c = M c: the axes as they are
            triples = position_triple.place_point(
                _joint(work, 0), _joint(work, 1), _joint(work, 2), c, moved(work.M, c),
                work.beside_start, size, slack, work.rotations, work.found)
        else:
            triples = position_triple.place_point(
                _beside(work, place, 0), _beside(work, place, 1), _beside(work, place, 2),
                moved_back(work.M, c), c, work.beside_start, size, slack, work.rotations,
                work.found)
        w = rotation_triple.across(h2, h3)
        solutions = 0
        for i in range(triples):
            if solutions + 2 > sizes.MOST_BRANCHES:
                break
            _write_beside(work, place, i, out, solutions)
            count = rotation_triple.make_rotation(
                h1, h2, h3, _direction_through(work, place, h3), _direction_through(work, place, w),
                work.triple_start, slack, work.wrist)
            rotation_triple.into_angles(count, work.wrist)
            solutions = _write_triple(work, place, count, n, out, solutions)
        return solutions


class ParallelTriple(ClosedFamily):
    """Three neighbouring parallel axes, which preserve h and heights along h.

    B (M⁻¹ A M) M⁻¹ h = h, for the direction and for the height of a point; then the planar arm.
    """

    def solve(self, work: ClosedForm, n: int, out: Rows) -> int:
        """Write the joint values of every branch into out; see `ClosedFamily`."""
        points, place, slack = work.points, self.structure.place, self.structure.slack
        h = row(work.axes, place)
        p1, p2, p3 = row(points, place), row(points, place + 1), row(points, place + 2)
        _copy_starts(work, place)
        triples = parallel_triple.keep_direction(
            _beside(work, place, 0), _beside(work, place, 1), _beside(work, place, 2), h,
            dot(h, p1), rotated_back(work.M, h), moved_back(work.M, p1), work.beside_start,
            self.structure.size, slack, work.rotations, work.found)
        across = perpendicular(h, minus(p2, p1))
        solutions = 0
        for i in range(triples):
            if solutions + 2 > sizes.MOST_BRANCHES:
                break
            _write_beside(work, place, i, out, solutions)
            count = self._solve_triple(work, h, p1, p2, p3, across)
            for k in range(3):
                j = (place + 3 + (k + 1) % 3) % 6  # the middle one first
                if count == 0 and _rotate_into_reach(work, place, j, h, p1, p2, p3, slack):
                    _write_value(work, j, out, solutions)
                    count = self._solve_triple(work, h, p1, p2, p3, across)
            solutions = _write_triple(work, place, count, n, out, solutions)
        return solutions

    def _solve_triple(self, work: ClosedForm, h: Vector3, p1: Vector3, p2: Vector3, p3: Vector3,
                      across: Vector3) -> int:
        """Write the angles of the triple into work.wrist, given the other joints' values."""
        place, axes = self.structure.place, work.axes
        return parallel_triple.solve_planar_arm(
            h, p1, p2, p3, math.copysign(1.0, dot(h, row(axes, place + 1))),
            math.copysign(1.0, dot(h, row(axes, place + 2))), _point_through(work, place, p3),
            across, _direction_through(work, place, across), self.structure.size,
            self.structure.slack, work.wrist)


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
        if norm(minus(_direction_through(work, place, h), h)) > _PARALLEL:
            value[0], value[1] = c0, s0
            return False
        there = perpendicular(h, minus(_point_through(work, place, p3), p1))
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


def _beside(work: ClosedForm, place: int, k: int) -> Joint:
    """Return the k-th joint beside the triple, from behind it round to before."""
    if place + k < 3:
        return _joint(work, place + 3 + k)
    kind, h, p = _joint(work, place + k - 3)
    return kind, rotated_back(work.M, h), moved_back(work.M, p)


def _direction_through(work: ClosedForm, place: int, v: Vector3) -> Vector3:
    """Return R_S v of the triple S = A⁻¹ M B⁻¹, given the values of the other joints."""
    for j in range(place + 3, 6):
        v = _direction_back(work, j, v)
    v = rotated(work.M, v)
    for j in range(place):
        v = _direction_back(work, j, v)
    return v


def _point_through(work: ClosedForm, place: int, x: Vector3) -> Vector3:
    """Return where the triple S = A⁻¹ M B⁻¹ brings a point x, given the other joints' values."""
    for j in range(place + 3, 6):
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


def _copy_starts(work: ClosedForm, place: int) -> None:
    """Copy the reference values of the joints beside the triple, and of the triple."""
    for k in range(3):
        work.beside_start[k] = work.start[(place + 3 + k) % 6]
        work.triple_start[k] = work.start[place + k]


def _write_beside(work: ClosedForm, place: int, i: int, out: Rows, count: int) -> None:
    """Keep values of the i-th solution for the joints beside the triple; write them into out."""
    for k in range(3):
        j = (place + 3 + k) % 6
        work.values[j][0], work.values[j][1] = work.found[i][2 * k], work.found[i][2 * k + 1]
        _write_value(work, j, out, count)


def _write_value(work: ClosedForm, j: int, out: Rows, count: int) -> None:
    """Write the value of a joint beside the triple into out."""
    column, c, s = work.column[j], work.values[j][0], work.values[j][1]
    if column >= 0:
        out[count][column] = c if work.kind[j] == kinds.PRISMATIC else math.atan2(s, c)


def _write_triple(work: ClosedForm, place: int, count: int, n: int, out: Rows,
                  solutions: int) -> int:
    """Write the angles of the triple, rows of work.wrist, into out; return the new number of rows.

    count: number of rows of work.wrist, at most 2, which share the joints beside the triple.
    """
    for k in range(count):
        if k == 1:
            for j in range(n):
                out[solutions][j] = out[solutions - 1][j]
        for j in range(3):
            column = work.column[place + j]
            if column >= 0:
                out[solutions][column] = work.wrist[k][j]
        solutions += 1
    return solutions
