"""Every branch of the ideal arm for a pose: the families' closed forms, chosen by a form's code."""

import math

from ik_node._jit import njit
from ik_node.kinematics.forward import SLIDE
from ik_node.solvers.analytic.closed_loop import form_work
from ik_node.solvers.analytic.flat import first_turn, solve_flat, turned_tip
from ik_node.solvers.analytic.form import (
    FLAT,
    FLAT_FREE,
    PARALLEL,
    SPHERICAL,
    SWIVEL,
    form_joints,
    form_lines,
    form_tip,
)
from ik_node.solvers.analytic.general import general_candidates
from ik_node.solvers.analytic.parallel import solve_parallel
from ik_node.solvers.analytic.spherical import solve_spherical
from ik_node.solvers.analytic.swivel import swivel_postures
from ik_node.solvers.analytic.vector3 import (
    along,
    composed,
    motion_of,
    moved,
    reversed_motion,
    rotated,
    row,
    standstill,
    turn_about,
)


@njit
def branches(codes, numbers, T_base_goal, given, q0, scratch, out):
    """Write the joint values of every branch into out (MOST_BRANCHES, n); return how many.

    codes, numbers: of `pack_form`. given: the form's parameters, rad or m. q0 (n,): what a joint
    that makes no difference stays near. Nothing is checked: a branch is a start for the true arm,
    which may differ from the ideal one.
    """
    family, place, count = codes[0], codes[1], codes[2]
    kinds, columns, locked = form_joints(codes)
    size, slack = numbers[0], numbers[1]
    axes, points = form_lines(codes, numbers)
    work = form_work(scratch)
    M = composed(motion_of(T_base_goal), form_tip(numbers))
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
        solutions = solve_spherical(kinds, place, M, size, slack, work, out, columns)
    elif family == PARALLEL:
        solutions = solve_parallel(kinds, place, M, size, slack, work, out, columns)
    elif family == SWIVEL:
        solutions = swivel_postures(work.axes, work.points, M, given[codes[3]], work.start, size,
                                    slack, work.rest, out)
    elif family in (FLAT, FLAT_FREE):
        if family == FLAT_FREE:
            M = turned_tip(numbers, M, row(work.axes, int(first_turn(kinds, free, work))),
                           given[codes[3]])
        solutions = solve_flat(kinds, free, M, size, slack, work, out, columns)
    else:
        solutions = _general(M, work, out, columns)
    for j in range(count):
        if locked[j] >= 0:
            for i in range(solutions):
                out[i, columns[j]] = given[locked[j]]
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
