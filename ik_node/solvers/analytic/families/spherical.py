"""Arms of six joints with three neighbouring axes that meet in a point."""

from ik_node._jit import Integers, Matrix, njit
from ik_node.solvers.analytic.families.closed_loop import (
    MOST_BRANCHES,
    ClosedFormWork,
    beside,
    direction_through,
    kind,
    take_starts,
    take_up,
    write_triple,
)
from ik_node.solvers.analytic.subproblems.position_triple import place_point
from ik_node.solvers.analytic.subproblems.rotation_triple import across, into_angles, make_rotation
from ik_node.solvers.analytic.subproblems.vector3 import Motion, moved, moved_back, row


@njit
def solve_spherical(kinds: Integers, place: int, M: Motion, size: float, slack: float,
                    work: ClosedFormWork, out: Matrix, columns: Integers) -> int:
    """Solve an arm with a triple of axes that meet in a point c, which the triple does not move.

    B (M⁻¹ A M) M⁻¹ c = c places the point; A⁻¹ M B⁻¹ is the rotation of the triple.
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
        a, pa = beside(work, place, 0, M)
        b, pb = beside(work, place, 1, M)
        d, pd = beside(work, place, 2, M)
        x, t = moved_back(M, c), c
    take_starts(work, place)
    triples = place_point(
        kind(kinds, work, first), kind(kinds, work, second), kind(kinds, work, third),
        a, pa, b, pb, d, pd, x, t, work.rest_start, size, slack, work.rotations, work.found)
    w = across(h2, h3)
    solutions = 0
    for i in range(triples):
        if solutions + 2 > MOST_BRANCHES:
            break
        take_up(kinds, work, place, i, out, solutions, columns)
        count = make_rotation(
            h1, h2, h3, direction_through(kinds, work, place, M, h3),
            direction_through(kinds, work, place, M, w), work.start[place:place + 3], slack,
            work.wrist)
        into_angles(count, work.wrist)
        solutions = write_triple(work, place, count, out, solutions, columns)
    return solutions
