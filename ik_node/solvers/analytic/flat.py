"""Arms of three parallel turning axes, with a slide along them or none: planar arms and SCARA."""

import math

from ik_node._jit import inline, njit
from ik_node.kinematics.forward import SLIDE
from ik_node.solvers.analytic.closed_loop import kind
from ik_node.solvers.analytic.form import form_tip
from ik_node.solvers.analytic.parallel_triple import flat_arm
from ik_node.solvers.analytic.vector3 import (
    along,
    dot,
    minus,
    moved,
    moved_back,
    rotated,
    row,
    turn_about,
)


@njit
def solve_flat(kinds, count, M, size, slack, work, out, columns):
    """Solve three parallel turning axes, with a slide along them or none: planar arms and SCARA."""
    order = work.turns[0]
    k, rise = 0, -1
    for j in range(count):
        if kind(kinds, work, j) == SLIDE:
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


@inline
def first_turn(kinds, count, work):
    """Return the first joint solved for that turns."""
    for j in range(count):
        if kind(kinds, work, j) != SLIDE:
            return j
    return 0


@inline
def turned_tip(numbers, M, h, angle):
    """Return M with the tip where it is, turned by an angle about h from where it is at zero."""
    tip = moved_back(form_tip(numbers), (0.0, 0.0, 0.0))
    there = moved(M, tip)
    turn = turn_about(h, tip, math.cos(angle), math.sin(angle))
    return turn[0], turn[1], turn[2], along(turn[3], 1.0, minus(there, tip))
