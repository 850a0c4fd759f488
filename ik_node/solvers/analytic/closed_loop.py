"""Six joints that close a loop through the goal: what the families with a triple share.

Read as a product of exponentials e₁ … e₆ = M, where M = T_goal T_tip⁻¹ (the tip's pose at zero),
six joints make a closed loop: three neighbours with a property of their own (axes that meet in a
point, or are parallel) can stand anywhere in it. With A before and B after the triple S,
A S B = M, the others are B (M⁻¹ A M) = S⁻¹ M: joints before the triple come after those behind it,
seen from M⁻¹.
"""

import math
from typing import NamedTuple

import numpy as np

from ik_node._jit import inline
from ik_node.kinematics.forward import SLIDE
from ik_node.solvers.analytic.general import GENERAL_MOST, GENERAL_SCRATCH
from ik_node.solvers.analytic.swivel import SWIVEL_SCRATCH
from ik_node.solvers.analytic.vector3 import (
    along,
    moved,
    moved_back,
    rotated,
    rotated_back,
    row,
    turned,
    turned_about,
)

MOST_BRANCHES = max(GENERAL_MOST, 16)

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
def form_work(x):
    """Return the scratch arrays, views of x (FORM_SCRATCH,)."""
    return FormWork(
        x[:21].reshape((7, 3)), x[21:42].reshape((7, 3)), x[42:49], x[49:56], x[56:59],
        x[59:79].reshape((5, 4)), x[79:127].reshape((8, 6)), x[127:139].reshape((2, 6)),
        x[139:151].reshape((6, 2)), x[151:167].reshape((4, 4)),
        x[167:_WORK].reshape((MOST_BRANCHES, 6)), x[_WORK:])


@inline
def kind(kinds, work, j):
    """Return what the j-th joint solved for does, TURN or SLIDE."""
    return kinds[int(work.which[j])]


@inline
def beside(work, place, k, M):
    """Return axis and point of the k-th joint beside the triple, from behind it round to before."""
    j = place + 3 + k
    if j < 6:
        return row(work.axes, j), row(work.points, j)
    return rotated_back(M, row(work.axes, j - 6)), moved_back(M, row(work.points, j - 6))


@inline
def direction_through(kinds, work, place, M, v):
    """Return R_S v of the triple S = A⁻¹ M B⁻¹, given the values of the other joints."""
    values = work.values
    for j in range(place + 3, 6):
        if kind(kinds, work, j) != SLIDE:
            v = turned(row(work.axes, j), values[j, 0], -values[j, 1], v)
    v = rotated(M, v)
    for j in range(place):
        if kind(kinds, work, j) != SLIDE:
            v = turned(row(work.axes, j), values[j, 0], -values[j, 1], v)
    return v


@inline
def point_through(kinds, work, place, M, x):
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
    if kind(kinds, work, j) == SLIDE:
        return along(x, -value, h)
    return turned_about(h, row(work.points, j), value, -work.values[j, 1], x)


@inline
def take_starts(work, place):
    """Gather where the joints beside the triple start."""
    for k in range(3):
        work.rest_start[k] = work.start[(place + 3 + k) % 6]


@inline
def take_up(kinds, work, place, i, out, count, columns):
    """Keep values of the i-th solution for the joints beside the triple; write them into out."""
    found, values = work.found, work.values
    for k in range(3):
        j = (place + 3 + k) % 6
        values[j, 0], values[j, 1] = found[i, 2 * k], found[i, 2 * k + 1]
        write_value(kinds, work, j, out, count, columns)


@inline
def write_value(kinds, work, j, out, count, columns):
    """Write the value of a joint beside the triple into out."""
    column = columns[int(work.which[j])]
    if column >= 0:
        c, s = work.values[j, 0], work.values[j, 1]
        out[count, column] = c if kind(kinds, work, j) == SLIDE else math.atan2(s, c)


@inline
def write_triple(work, place, count, out, solutions, columns):
    """Write the angles of the triple, rows of work.wrist, into out; return how many there are now.

    count: of the rows, 2 at the most, which share the joints beside the triple.
    """
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
