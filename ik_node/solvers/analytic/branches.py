"""Every branch of the ideal arm for a pose: the families' closed forms, chosen by a form's code.

Read as a product of exponentials e₁ … e₆ = M, where M = T_goal T_tip⁻¹ (the tip's pose at zero),
six joints make a closed loop: three neighbours with a property of their own (axes that meet in a
point, or are parallel) can stand anywhere in it. With A before and B after the triple S,
A S B = M, the others are B (M⁻¹ A M) = S⁻¹ M: joints before the triple come after those behind it,
seen from M⁻¹.
"""

import math
from typing import NamedTuple

import numpy as np

from ik_node._jit import inline, njit
from ik_node.kinematics.forward import SLIDE, TURN
from ik_node.solvers.analytic.general import GENERAL_MOST, GENERAL_SCRATCH, general_candidates
from ik_node.solvers.analytic.parallel_triple import flat_arm, keep_direction
from ik_node.solvers.analytic.position_triple import place_point
from ik_node.solvers.analytic.rotation_triple import across, make_rotation
from ik_node.solvers.analytic.subproblems import solve_sinusoid
from ik_node.solvers.analytic.swivel import SWIVEL_SCRATCH, swivel_of, swivel_postures
from ik_node.solvers.analytic.vector3 import (
    along,
    composed,
    dot,
    minus,
    motion_of,
    moved,
    moved_back,
    norm,
    perpendicular,
    reversed_motion,
    rotated,
    rotated_back,
    row,
    standstill,
    turn_about,
    turned,
    turned_about,
)

SPHERICAL, PARALLEL, FLAT, FLAT_FREE, SWIVEL, GENERAL = range(6)

EXACT_SLACK = 1e-8  # of an arm that is as ideal as its numbers' digits
MOST_BRANCHES = max(GENERAL_MOST, 16)
_THIRDS = ((1.0, 0.0), (-0.5, math.sqrt(0.75)), (-0.5, -math.sqrt(0.75)))  # of a turn
_PARALLEL = 1e-7      # of two directions
_HEAD, _NUMBERS = 5, 21  # entries of codes and numbers before the arrays


class Form(NamedTuple):
    """The ideal arm, ready for its closed form. Joints are real ones, then those a goal adds.

    A goal that leaves an axis free, or an arm with fewer than six joints, gets joints that are not
    there: their axes stand where the tip is free to move.
    """

    family: int
    """SPHERICAL, PARALLEL, FLAT, FLAT_FREE, SWIVEL or GENERAL."""
    place: int
    """The first of the three neighbours, counted among the joints that are solved for."""
    size: float
    """The arm's, m."""
    slack: float
    """Part of the size by which a goal may be out of the ideal arm's reach."""
    T_tip_base: np.ndarray
    """(4, 4) the inverse of T_base_tip at zero, m."""
    kind: np.ndarray
    """(k,) TURN or SLIDE."""
    column: np.ndarray
    """(k,) entry of q, or −1 for a joint that is not there."""
    locked: np.ndarray
    """(k,) which of the parameters a joint is locked at, or −1."""
    axes: np.ndarray
    """(k, 3) at zero, base frame."""
    points: np.ndarray
    """(k, 3) m, at zero, base frame."""

    @property
    def parameters(self) -> int:
        """How many values have to be given: of locked joints, then the family's own."""
        return int(self.locked.max()) + 1 + (self.family in (FLAT_FREE, SWIVEL))


def pack_form(form: Form) -> tuple[np.ndarray, np.ndarray]:
    """Return a form as whole numbers and as numbers; see `packing`."""
    count = len(form.kind)
    head = [form.family, form.place, count, int(form.locked.max()) + 1, form.parameters]
    codes = np.concatenate([head, form.kind, form.column, form.locked]).astype(np.int64)
    numbers = np.concatenate([[form.size, form.slack], form.T_tip_base[:3].ravel(), np.zeros(7),
                              form.axes.ravel(), form.points.ravel()])
    return codes, numbers


_WORK = 42 + 7 + 3 + 20 + 48 + 12 + 12 + 7 + 16 + 6 * MOST_BRANCHES


FORM_SCRATCH = _WORK + max(GENERAL_SCRATCH, SWIVEL_SCRATCH)


class FormWork(NamedTuple):
    """Scratch arrays, views of one."""

    axes: np.ndarray     # (7, 3) of the joints solved for, with the locked ones where they are
    points: np.ndarray   # (7, 3)
    start: np.ndarray    # (7,)
    which: np.ndarray    # (7,) where in the form they are
    rest_start: np.ndarray  # (3,) of the three beside the triple
    turns: np.ndarray    # (5, 4)
    found: np.ndarray    # (8, 6) values of the three beside the triple
    wrist: np.ndarray    # (2, 6) values of the triple
    values: np.ndarray   # (6, 2) of one branch
    T: np.ndarray        # (4, 4)
    six: np.ndarray      # (MOST_BRANCHES, 6) of a general arm
    rest: np.ndarray     # of the general arm's solver, or the swivel's


@inline
def _work(x):
    return FormWork(
        x[:21].reshape((7, 3)), x[21:42].reshape((7, 3)), x[42:49], x[49:56], x[56:59],
        x[59:79].reshape((5, 4)), x[79:127].reshape((8, 6)), x[127:139].reshape((2, 6)),
        x[139:151].reshape((6, 2)), x[151:167].reshape((4, 4)),
        x[167:_WORK].reshape((MOST_BRANCHES, 6)), x[_WORK:])


@njit
def branches(codes, numbers, T_base_goal, given, q0, scratch, out):
    """Write the joint values of every branch into out (MOST_BRANCHES, n); return how many.

    codes, numbers: of `pack_form`. given: the form's parameters, rad or m. q0 (n,): what a joint
    that makes no difference stays near. Nothing is checked: a branch is a start for the true arm,
    which may differ from the ideal one.
    """
    family, place, count = codes[0], codes[1], codes[2]
    kinds = codes[_HEAD:_HEAD + count]
    columns = codes[_HEAD + count:_HEAD + 2 * count]
    locked = codes[_HEAD + 2 * count:_HEAD + 3 * count]
    size, slack = numbers[0], numbers[1]
    axes = numbers[_NUMBERS:_NUMBERS + 3 * count].reshape((count, 3))
    points = numbers[_NUMBERS + 3 * count:_NUMBERS + 6 * count].reshape((count, 3))
    work = _work(scratch)
    M = composed(motion_of(T_base_goal), motion_of(numbers[2:14].reshape((3, 4))))
    lock = standstill()
    free = 0
    for j in range(count):
        h, p = row(axes, j), row(points, j)
        if codes[3] > 0:
            h, p = rotated(lock, h), moved(lock, p)
        if locked[j] >= 0:
            value = given[locked[j]]
            if kinds[j] == SLIDE:
                lock = (lock[0], lock[1], lock[2], along(lock[3], value, h))
            else:
                lock = composed(turn_about(h, p, math.cos(value), math.sin(value)), lock)
            continue
        work.which[free] = j
        work.start[free] = q0[columns[j]] if columns[j] >= 0 else 0.0
        for i in range(3):
            work.axes[free, i], work.points[free, i] = h[i], p[i]
        free += 1
    if codes[3] > 0:
        M = composed(M, reversed_motion(lock))
    if family == SPHERICAL:
        solutions = _spherical(kinds, place, M, size, slack, work, out, columns)
    elif family == PARALLEL:
        solutions = _parallel(kinds, place, M, size, slack, work, out, columns)
    elif family == SWIVEL:
        solutions = swivel_postures(work.axes, work.points, M, given[codes[3]], work.start, size,
                                    slack, work.rest, out)
    elif family in (FLAT, FLAT_FREE):
        if family == FLAT_FREE:
            M = _turned_tip(numbers, M, row(work.axes, int(_first_turn(kinds, free, work))),
                            given[codes[3]])
        solutions = _flat(kinds, free, M, size, slack, work, out, columns)
    else:
        solutions = _general(M, work, out, columns)
    for j in range(count):
        if locked[j] >= 0:
            for i in range(solutions):
                out[i, columns[j]] = given[locked[j]]
    return solutions


@njit
def parameters_of(codes, numbers, q, given):
    """Write the parameters that a posture q (n,) has into given, rad or m."""
    family, count = codes[0], codes[2]
    kinds = codes[_HEAD:_HEAD + count]
    columns = codes[_HEAD + count:_HEAD + 2 * count]
    locked = codes[_HEAD + 2 * count:_HEAD + 3 * count]
    axes = numbers[_NUMBERS:_NUMBERS + 3 * count].reshape((count, 3))
    for j in range(count):
        if locked[j] >= 0:
            given[locked[j]] = q[columns[j]]
    if family == SWIVEL:
        given[codes[3]] = swivel_of(
            axes, numbers[_NUMBERS + 3 * count:_NUMBERS + 6 * count].reshape((count, 3)), q)
    elif family == FLAT_FREE:
        total, first = 0.0, -1
        for j in range(count):
            if kinds[j] != SLIDE and columns[j] >= 0:
                first = j if first < 0 else first
                total += q[columns[j]] * dot(row(axes, j), row(axes, first))
        given[codes[3]] = total


@inline
def swivel_arm(codes, numbers, T_base_goal):
    """Return axes (7, 3), points (7, 3) and M of an arm by the swivel angle; see `swivel`."""
    count = codes[2]
    return (numbers[_NUMBERS:_NUMBERS + 3 * count].reshape((count, 3)),
            numbers[_NUMBERS + 3 * count:_NUMBERS + 6 * count].reshape((count, 3)),
            composed(motion_of(T_base_goal), motion_of(numbers[2:14].reshape((3, 4)))))


@njit
def given_columns(codes, held):
    """Write 1 into held (n,) for the joints whose values are given, 0 for the others."""
    count = codes[2]
    columns = codes[_HEAD + count:_HEAD + 2 * count]
    locked = codes[_HEAD + 2 * count:_HEAD + 3 * count]
    for k in range(held.shape[0]):
        held[k] = 0.0
    for j in range(count):
        if locked[j] >= 0:
            held[columns[j]] = 1.0


@njit
def may_be_off(codes, numbers):
    """Tell whether branches may be off by more than rounding, or one of a pair be missing."""
    return codes[0] == GENERAL or numbers[1] > EXACT_SLACK


@njit
def has_wrist(codes):
    """Tell whether the arm is six joints that turn, the last three about one point."""
    turning = codes[0] == SPHERICAL and codes[1] == 3 and codes[2] == 6 and codes[4] == 0
    for i in range(codes[2]):
        turning = turning and codes[_HEAD + i] == TURN and codes[_HEAD + codes[2] + i] == i
    return turning


@inline
def _kind(kinds, work, j):
    return kinds[int(work.which[j])]


@inline
def _beside(work, place, k, M):
    """Return axis and point of the k-th joint beside the triple, from behind it round to before."""
    j = place + 3 + k
    if j < 6:
        return row(work.axes, j), row(work.points, j)
    return rotated_back(M, row(work.axes, j - 6)), moved_back(M, row(work.points, j - 6))


@inline
def _direction_through(kinds, work, place, M, v):
    """Return R_S v of the triple S = A⁻¹ M B⁻¹, given the values of the other joints."""
    values = work.values
    for j in range(place + 3, 6):
        if _kind(kinds, work, j) != SLIDE:
            v = turned(row(work.axes, j), values[j, 0], -values[j, 1], v)
    v = rotated(M, v)
    for j in range(place):
        if _kind(kinds, work, j) != SLIDE:
            v = turned(row(work.axes, j), values[j, 0], -values[j, 1], v)
    return v


@inline
def _point_through(kinds, work, place, M, x):
    """Return where the triple S = A⁻¹ M B⁻¹ brings a point x, given the other joints' values."""
    for j in range(place + 3, 6):
        x = _back(kinds, work, j, x)
    x = moved(M, x)
    for j in range(place):
        x = _back(kinds, work, j, x)
    return x


@inline
def _back(kinds, work, j, x):
    h, value = row(work.axes, j), work.values[j, 0]
    if _kind(kinds, work, j) == SLIDE:
        return along(x, -value, h)
    return turned_about(h, row(work.points, j), value, -work.values[j, 1], x)


@inline
def _take_up(kinds, work, place, i, out, count, columns):
    """Keep values of the i-th solution for the joints beside the triple; write them into out."""
    found, values = work.found, work.values
    for k in range(3):
        j = (place + 3 + k) % 6
        values[j, 0], values[j, 1] = found[i, 2 * k], found[i, 2 * k + 1]
        _write_value(kinds, work, j, out, count, columns)


@inline
def _write_value(kinds, work, j, out, count, columns):
    """Write the value of a joint beside the triple into out."""
    column = columns[int(work.which[j])]
    if column >= 0:
        c, s = work.values[j, 0], work.values[j, 1]
        out[count, column] = c if _kind(kinds, work, j) == SLIDE else math.atan2(s, c)


@inline
def _take_starts(work, place):
    """Gather where the joints beside the triple start."""
    for k in range(3):
        work.rest_start[k] = work.start[(place + 3 + k) % 6]


@njit
def _spherical(kinds, place, M, size, slack, work, out, columns):
    """Solve an arm with three neighbours that meet in a point c, which they do not move.

    B (M⁻¹ A M) M⁻¹ c = c places the point, and A⁻¹ M B⁻¹ is the rotation that is left.
    """
    h1, h2, h3 = row(work.axes, place), row(work.axes, place + 1), row(work.axes, place + 2)
    c = row(work.points, place)
    first, second, third = ((place + 3) % 6, (place + 4) % 6, (place + 5) % 6)
    if place == 3:  # A c = M c: the axes as they are
        (a, pa), (b, pb) = (row(work.axes, 0), row(work.points, 0)), (row(work.axes, 1),
                                                                      row(work.points, 1))
        d, pd = row(work.axes, 2), row(work.points, 2)
        x, t = c, moved(M, c)
    else:
        a, pa = _beside(work, place, 0, M)
        b, pb = _beside(work, place, 1, M)
        d, pd = _beside(work, place, 2, M)
        x, t = moved_back(M, c), c
    _take_starts(work, place)
    triples = place_point(
        _kind(kinds, work, first), _kind(kinds, work, second), _kind(kinds, work, third),
        a, pa, b, pb, d, pd, x, t, work.rest_start, size, slack, work.turns, work.found)
    w = across(h2, h3)
    solutions = 0
    for i in range(triples):
        if solutions + 2 > MOST_BRANCHES:
            break
        _take_up(kinds, work, place, i, out, solutions, columns)
        count = make_rotation(
            h1, h2, h3, _direction_through(kinds, work, place, M, h3),
            _direction_through(kinds, work, place, M, w), work.start[place:place + 3], slack,
            work.wrist)
        for k in range(count):
            if k == 1:
                for j in range(out.shape[1]):
                    out[solutions, j] = out[solutions - 1, j]
            for j in range(3):
                column = columns[int(work.which[place + j])]
                if column >= 0:
                    out[solutions, column] = math.atan2(work.wrist[k, 2 * j + 1],
                                                        work.wrist[k, 2 * j])
            solutions += 1
    return solutions


@njit
def _parallel(kinds, place, M, size, slack, work, out, columns):
    """Solve an arm with three parallel neighbours, which keep h and the heights along it.

    B (M⁻¹ A M) M⁻¹ h = h, for the direction and for the height of a point; then the flat arm.
    """
    h = row(work.axes, place)
    p1, p2, p3 = row(work.points, place), row(work.points, place + 1), row(work.points, place + 2)
    signs = (1.0, 1.0 if dot(h, row(work.axes, place + 1)) > 0.0 else -1.0,
             1.0 if dot(h, row(work.axes, place + 2)) > 0.0 else -1.0)
    a, pa = _beside(work, place, 0, M)
    b, pb = _beside(work, place, 1, M)
    d, pd = _beside(work, place, 2, M)
    first, second, third = ((place + 3) % 6, (place + 4) % 6, (place + 5) % 6)
    _take_starts(work, place)
    triples = keep_direction(
        _kind(kinds, work, first), _kind(kinds, work, second), _kind(kinds, work, third),
        a, pa, b, pb, d, pd, h, dot(h, p1), rotated_back(M, h), moved_back(M, p1),
        work.rest_start, size, slack, work.turns, work.found)
    across_h = minus(p2, p1)
    across_h = along(across_h, -dot(h, across_h), h)
    solutions = 0
    for i in range(triples):
        if solutions + 2 > MOST_BRANCHES:
            break
        _take_up(kinds, work, place, i, out, solutions, columns)
        count = flat_arm(
            h, p1, p2, p3, signs[0], signs[1], signs[2],
            _point_through(kinds, work, place, M, p3), across_h,
            _direction_through(kinds, work, place, M, across_h), size, slack, work.wrist)
        if count == 0 and _turn_within_reach(kinds, work, place, M, h, p1, p2, p3):
            _write_value(kinds, work, second, out, solutions, columns)
            count = flat_arm(
                h, p1, p2, p3, signs[0], signs[1], signs[2],
                _point_through(kinds, work, place, M, p3), across_h,
                _direction_through(kinds, work, place, M, across_h), size, slack, work.wrist)
        for k in range(count):
            if k == 1:
                for j in range(out.shape[1]):
                    out[solutions, j] = out[solutions - 1, j]
            for j in range(3):
                column = columns[int(work.which[place + j])]
                if column >= 0:
                    out[solutions, column] = work.wrist[k, j]
            solutions += 1
    return solutions


@njit
def _turn_within_reach(kinds, work, place, M, h, p1, p2, p3):
    """Turn the middle one of the joints beside a parallel triple to where the flat arm gets.

    It is free to turn where its own axis is parallel to the triple's; it then takes the target
    round a circle, r² = a + b cos t + c sin t. Of the two places on it where the flat arm is
    stretched, or folded, the nearer one is taken. Return whether there is one.
    """
    j = (place + 4) % 6
    c0, s0 = work.values[j, 0], work.values[j, 1]
    if _kind(kinds, work, j) == SLIDE:
        return False
    L1, L2 = norm(perpendicular(h, minus(p2, p1))), norm(perpendicular(h, minus(p3, p2)))
    squares = (0.0, 0.0, 0.0)
    for i in range(3):
        c, s = _THIRDS[i]
        work.values[j, 0], work.values[j, 1] = c * c0 - s * s0, s * c0 + c * s0
        if norm(minus(_direction_through(kinds, work, place, M, h), h)) > _PARALLEL:
            return False
        there = perpendicular(h, minus(_point_through(kinds, work, place, M, p3), p1))
        squares = squares[1], squares[2], dot(there, there)
    a = (squares[0] + squares[1] + squares[2]) / 3.0
    b = (2.0 * squares[0] - squares[1] - squares[2]) / 3.0
    c = (squares[1] - squares[2]) / math.sqrt(3.0)
    wanted = (L1 + L2) ** 2 if squares[0] > (L1 + L2) ** 2 else (L1 - L2) ** 2
    count, c1, s1, c2, s2 = solve_sinusoid(b, c, wanted - a, 0.0)
    if count == 0:
        return False
    if count == 2 and c2 > c1:
        c1, s1 = c2, s2
    work.values[j, 0], work.values[j, 1] = c1 * c0 - s1 * s0, s1 * c0 + c1 * s0
    return True


@inline
def _first_turn(kinds, count, work):
    """Return the first joint solved for that turns."""
    for j in range(count):
        if _kind(kinds, work, j) != SLIDE:
            return j
    return 0


@inline
def _turned_tip(numbers, M, h, angle):
    """Return M with the tip where it is, turned by an angle about h from where it is at zero."""
    tip = moved_back(motion_of(numbers[2:14].reshape((3, 4))), (0.0, 0.0, 0.0))
    there = moved(M, tip)
    turn = turn_about(h, tip, math.cos(angle), math.sin(angle))
    return turn[0], turn[1], turn[2], along(turn[3], 1.0, minus(there, tip))


@njit
def _flat(kinds, count, M, size, slack, work, out, columns):
    """Solve three parallel turning axes, with a slide along them or none: planar arms and SCARA."""
    order = work.turns[0]
    k, rise = 0, -1
    for j in range(count):
        if _kind(kinds, work, j) == SLIDE:
            rise = j
        else:
            order[k] = j
            k += 1
    i, j, k = int(order[0]), int(order[1]), int(order[2])
    h = row(work.axes, i)
    p1, p2, p3 = row(work.points, i), row(work.points, j), row(work.points, k)
    target = moved(M, p3)
    b = minus(p2, p1)
    b = along(b, -dot(h, b), h)
    solutions = flat_arm(
        h, p1, p2, p3, 1.0, 1.0 if dot(h, row(work.axes, j)) > 0.0 else -1.0,
        1.0 if dot(h, row(work.axes, k)) > 0.0 else -1.0, target, b, rotated(M, b), size, slack,
        work.wrist)
    for s in range(solutions):
        if rise >= 0:
            out[s, columns[int(work.which[rise])]] = (
                dot(h, minus(target, p3)) / dot(h, row(work.axes, rise)))
        for n in range(3):
            column = columns[int(work.which[int(order[n])])]
            if column >= 0:
                out[s, column] = work.wrist[s, n]
    return solutions


@njit
def _general(M, work, out, columns):
    """Solve six turning axes with nothing special about them."""
    T = work.T
    for i in range(3):
        for j in range(3):
            T[i, j] = M[i][j]
        T[i, 3] = M[3][i]
        T[3, i] = 0.0
    T[3, 3] = 1.0
    solutions = general_candidates(work.axes[:6], work.points[:6], T, work.rest, work.six)
    for i in range(solutions):
        for j in range(6):
            column = columns[int(work.which[j])]
            if column >= 0:
                out[i, column] = work.six[i, j]
    return solutions
