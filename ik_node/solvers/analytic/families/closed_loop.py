"""Six joints that close a loop through the goal: shared by the families with a triple.

Read as a product of exponentials e₁ … e₆ = M, where M = T_goal T_tip⁻¹ (the tip's pose at zero),
six joints form a closed loop: a triple of neighbours with a property (axes that meet in a point,
or are parallel) can stand anywhere in it. With A before and B after the triple S,
A S B = M, the others are B (M⁻¹ A M) = S⁻¹ M: joints before the triple come after those behind it,
seen from M⁻¹.
"""

import math
from typing import Annotated, NamedTuple

from ik_node._jit import Integers, Layout, Matrix, Shape, Vector, inline
from ik_node.kinematics.forward import PRISMATIC
from ik_node.solvers.analytic.families.general import GENERAL_MOST, GENERAL_SCRATCH
from ik_node.solvers.analytic.families.swivel import SWIVEL_SCRATCH
from ik_node.solvers.analytic.subproblems.vector3 import (
    Motion,
    Vector3,
    along,
    moved,
    moved_back,
    rotated,
    rotated_about,
    rotated_back,
    rotated_by,
    row,
)

MOST_BRANCHES = max(GENERAL_MOST, 16)


class ClosedFormWork(NamedTuple):
    """Scratch arrays, views of one."""

    axes: Annotated[Matrix, Shape(7, 3)]
    """Of the joints solved for, displaced by the locked joints."""
    points: Annotated[Matrix, Shape(7, 3)]
    start: Annotated[Vector, Shape(7)]
    which: Annotated[Vector, Shape(7)]
    """Their indices in the structure."""
    rest_start: Annotated[Vector, Shape(3)]
    """Of the three beside the triple."""
    rotations: Annotated[Matrix, Shape(5, 4)]
    found: Annotated[Matrix, Shape(8, 6)]
    """Values of the three beside the triple."""
    wrist: Annotated[Matrix, Shape(2, 6)]
    """Values of the triple."""
    values: Annotated[Matrix, Shape(6, 2)]
    """Of one branch."""
    T: Annotated[Matrix, Shape(4, 4)]
    six: Annotated[Matrix, Shape(MOST_BRANCHES, 6)]
    """Of a general arm."""
    rest: Annotated[Vector, Shape(max(GENERAL_SCRATCH, SWIVEL_SCRATCH))]
    """Of the general arm's solver, or the swivel's."""


_WORK = Layout(ClosedFormWork)
_unpack_work = _WORK.unpack
CLOSED_FORM_SCRATCH = _WORK.size(0, 0)[1]


@inline
def closed_form_work(x: Vector) -> ClosedFormWork:
    """Return the scratch arrays, views of x (CLOSED_FORM_SCRATCH,)."""
    return _unpack_work(0, 0, x, 0, 0, 0)


@inline
def kind(kinds: Integers, work: ClosedFormWork, j: int) -> int:
    """Return the kind of the j-th joint solved for, REVOLUTE or PRISMATIC."""
    return kinds[int(work.which[j])]


@inline
def beside(work: ClosedFormWork, place: int, k: int, M: Motion) -> tuple[Vector3, Vector3]:
    """Return axis and point of the k-th joint beside the triple, from behind it round to before."""
    j = place + 3 + k
    if j < 6:
        return row(work.axes, j), row(work.points, j)
    return rotated_back(M, row(work.axes, j - 6)), moved_back(M, row(work.points, j - 6))


@inline
def direction_through(kinds: Integers, work: ClosedFormWork, place: int, M: Motion,
                      v: Vector3) -> Vector3:
    """Return R_S v of the triple S = A⁻¹ M B⁻¹, given the values of the other joints."""
    values = work.values
    for j in range(place + 3, 6):
        if kind(kinds, work, j) != PRISMATIC:
            v = rotated_by(row(work.axes, j), values[j, 0], -values[j, 1], v)
    v = rotated(M, v)
    for j in range(place):
        if kind(kinds, work, j) != PRISMATIC:
            v = rotated_by(row(work.axes, j), values[j, 0], -values[j, 1], v)
    return v


@inline
def point_through(kinds: Integers, work: ClosedFormWork, place: int, M: Motion,
                  x: Vector3) -> Vector3:
    """Return where the triple S = A⁻¹ M B⁻¹ brings a point x, given the other joints' values."""
    for j in range(place + 3, 6):
        x = _back(kinds, work, j, x)
    x = moved(M, x)
    for j in range(place):
        x = _back(kinds, work, j, x)
    return x


@inline
def _back(kinds: Integers, work: ClosedFormWork, j: int, x: Vector3) -> Vector3:
    h, value = row(work.axes, j), work.values[j, 0]
    if kind(kinds, work, j) == PRISMATIC:
        return along(x, -value, h)
    return rotated_about(h, row(work.points, j), value, -work.values[j, 1], x)


@inline
def take_starts(work: ClosedFormWork, place: int) -> None:
    """Copy the reference values of the joints beside the triple."""
    for k in range(3):
        work.rest_start[k] = work.start[(place + 3 + k) % 6]


@inline
def take_up(kinds: Integers, work: ClosedFormWork, place: int, i: int, out: Matrix, count: int,
            columns: Integers) -> None:
    """Keep values of the i-th solution for the joints beside the triple; write them into out."""
    found, values = work.found, work.values
    for k in range(3):
        j = (place + 3 + k) % 6
        values[j, 0], values[j, 1] = found[i, 2 * k], found[i, 2 * k + 1]
        write_value(kinds, work, j, out, count, columns)


@inline
def write_value(kinds: Integers, work: ClosedFormWork, j: int, out: Matrix, count: int,
                columns: Integers) -> None:
    """Write the value of a joint beside the triple into out."""
    column = columns[int(work.which[j])]
    if column >= 0:
        c, s = work.values[j, 0], work.values[j, 1]
        out[count, column] = c if kind(kinds, work, j) == PRISMATIC else math.atan2(s, c)


@inline
def write_triple(work: ClosedFormWork, place: int, count: int, out: Matrix, solutions: int,
                 columns: Integers) -> int:
    """Write the angles of the triple, rows of work.wrist, into out; return the new number of rows.

    count: number of rows of work.wrist, at most 2, which share the joints beside the triple.
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
