"""Arms of six joints with three neighbouring axes that are parallel."""

import math

from ik_node._jit import Integers, Matrix, njit
from ik_node.kinematics.forward import PRISMATIC
from ik_node.solvers.analytic.families.closed_loop import (
    MOST_BRANCHES,
    ClosedFormWork,
    beside,
    direction_through,
    kind,
    point_through,
    take_starts,
    take_up,
    write_triple,
    write_value,
)
from ik_node.solvers.analytic.subproblems.equations import solve_sinusoid
from ik_node.solvers.analytic.subproblems.parallel_triple import keep_direction, solve_planar_arm
from ik_node.solvers.analytic.subproblems.vector3 import (
    Motion,
    Vector3,
    along,
    dot,
    minus,
    moved_back,
    norm,
    perpendicular,
    rotated_back,
    row,
)

_THIRDS = ((1.0, 0.0), (-0.5, math.sqrt(0.75)), (-0.5, -math.sqrt(0.75)))  # of a turn
_PARALLEL = 1e-5      # of two directions: rounding errors tilt an axis by the root of theirs


@njit
def solve_parallel(kinds: Integers, place: int, M: Motion, size: float, slack: float,
                   work: ClosedFormWork, out: Matrix, columns: Integers) -> int:
    """Solve an arm with a parallel triple, which preserves h and heights along h.

    B (M⁻¹ A M) M⁻¹ h = h, for the direction and for the height of a point; then the planar arm.
    """
    h = row(work.axes, place)
    p1, p2, p3 = row(work.points, place), row(work.points, place + 1), row(work.points, place + 2)
    signs = (1.0, 1.0 if dot(h, row(work.axes, place + 1)) > 0.0 else -1.0,
             1.0 if dot(h, row(work.axes, place + 2)) > 0.0 else -1.0)
    a, pa = beside(work, place, 0, M)
    b, pb = beside(work, place, 1, M)
    d, pd = beside(work, place, 2, M)
    first, second, third = ((place + 3) % 6, (place + 4) % 6, (place + 5) % 6)
    take_starts(work, place)
    triples = keep_direction(
        kind(kinds, work, first), kind(kinds, work, second), kind(kinds, work, third),
        a, pa, b, pb, d, pd, h, dot(h, p1), rotated_back(M, h), moved_back(M, p1),
        work.rest_start, size, slack, work.rotations, work.found)
    across_h = minus(p2, p1)
    across_h = along(across_h, -dot(h, across_h), h)
    solutions = 0
    for i in range(triples):
        if solutions + 2 > MOST_BRANCHES:
            break
        take_up(kinds, work, place, i, out, solutions, columns)
        count = solve_planar_arm(
            h, p1, p2, p3, signs[0], signs[1], signs[2],
            point_through(kinds, work, place, M, p3), across_h,
            direction_through(kinds, work, place, M, across_h), size, slack, work.wrist)
        for k in range(3 if count == 0 else 0):
            j = (second, third, first)[k]
            if count == 0 and _rotate_into_reach(kinds, work, place, j, M, h, p1, p2, p3, slack):
                write_value(kinds, work, j, out, solutions, columns)
                count = solve_planar_arm(
                    h, p1, p2, p3, signs[0], signs[1], signs[2],
                    point_through(kinds, work, place, M, p3), across_h,
                    direction_through(kinds, work, place, M, across_h), size, slack, work.wrist)
        solutions = write_triple(work, place, count, out, solutions, columns)
    return solutions


@njit
def _rotate_into_reach(kinds: Integers, work: ClosedFormWork, place: int, j: int, M: Motion,
                       h: Vector3, p1: Vector3, p2: Vector3, p3: Vector3, slack: float) -> bool:
    """Rotate joint j beside a parallel triple until the target is in the planar reach.

    The joint is free where its axis is parallel to the triple's; it then carries the target along
    a circle, r² = a + b cos t + c sin t. Of the two values at which the planar arm is stretched,
    or folded, the nearer one is taken. Return whether one exists.
    """
    c0, s0 = work.values[j, 0], work.values[j, 1]
    if kind(kinds, work, j) == PRISMATIC:
        return False
    L1, L2 = norm(perpendicular(h, minus(p2, p1))), norm(perpendicular(h, minus(p3, p2)))
    squares = (0.0, 0.0, 0.0)
    for i in range(3):
        c, s = _THIRDS[i]
        work.values[j, 0], work.values[j, 1] = c * c0 - s * s0, s * c0 + c * s0
        if norm(minus(direction_through(kinds, work, place, M, h), h)) > _PARALLEL:
            work.values[j, 0], work.values[j, 1] = c0, s0
            return False
        there = perpendicular(h, minus(point_through(kinds, work, place, M, p3), p1))
        squares = squares[1], squares[2], dot(there, there)
    a = (squares[0] + squares[1] + squares[2]) / 3.0
    b = (2.0 * squares[0] - squares[1] - squares[2]) / 3.0
    c = (squares[1] - squares[2]) / math.sqrt(3.0)
    wanted = (L1 + L2) ** 2 if squares[0] > (L1 + L2) ** 2 else (L1 - L2) ** 2
    count, c1, s1, c2, s2 = solve_sinusoid(b, c, wanted - a, slack)
    if count == 0:
        work.values[j, 0], work.values[j, 1] = c0, s0
        return False
    if count == 2 and c2 > c1:
        c1, s1 = c2, s2
    work.values[j, 0], work.values[j, 1] = c1 * c0 - s1 * s0, s1 * c0 + c1 * s0
    return True
