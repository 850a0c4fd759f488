"""Six joints that close a loop through the goal: shared by the families with a triple.

Read as a product of exponentials e₁ … e₆ = M, six joints form a closed loop: a triple of neighbours
with a property (axes that meet in a point, or are parallel) can stand anywhere in it. With A before
and B after the triple S, A S B = M, the others are B (M⁻¹ A M) = S⁻¹ M: joints before the triple
come after those behind it, seen from M⁻¹.
"""

import math

try:
    import cython
except ImportError:
    from ik_node.support import cython

from ik_node.kinematics import kinds
from ik_node.solvers.analytic.families.nominal import ClosedForm
from ik_node.spatial.vector3 import Vector3
from ik_node.support.arrays import Rows

if not cython.compiled:
    from ik_node.spatial.vector3 import (
        along,
        moved,
        moved_back,
        rotated,
        rotated_about,
        rotated_back,
        rotated_by,
        row,
    )


def beside(work: ClosedForm, place: int, k: int) -> tuple[Vector3, Vector3]:
    """Return axis and point of the k-th joint beside the triple, from behind it round to before."""
    j = place + 3 + k
    if j < 6:
        return row(work.axes, j), row(work.points, j)
    return rotated_back(work.M, row(work.axes, j - 6)), moved_back(work.M, row(work.points, j - 6))


def direction_through(work: ClosedForm, place: int, v: Vector3) -> Vector3:
    """Return R_S v of the triple S = A⁻¹ M B⁻¹, given the values of the other joints."""
    for j in range(place + 3, 6):
        v = _direction_back(work, j, v)
    v = rotated(work.M, v)
    for j in range(place):
        v = _direction_back(work, j, v)
    return v


def point_through(work: ClosedForm, place: int, x: Vector3) -> Vector3:
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


def take_starts(work: ClosedForm, place: int) -> None:
    """Copy the reference values of the joints beside the triple, and of the triple."""
    for k in range(3):
        work.beside_start[k] = work.start[(place + 3 + k) % 6]
        work.triple_start[k] = work.start[place + k]


def take_up(work: ClosedForm, place: int, i: int, out: Rows, count: int) -> None:
    """Keep values of the i-th solution for the joints beside the triple; write them into out."""
    for k in range(3):
        j = (place + 3 + k) % 6
        work.values[j][0], work.values[j][1] = work.found[i][2 * k], work.found[i][2 * k + 1]
        write_value(work, j, out, count)


def write_value(work: ClosedForm, j: int, out: Rows, count: int) -> None:
    """Write the value of a joint beside the triple into out."""
    column, c, s = work.column[j], work.values[j][0], work.values[j][1]
    if column >= 0:
        out[count][column] = c if work.kind[j] == kinds.PRISMATIC else math.atan2(s, c)


def write_triple(work: ClosedForm, place: int, count: int, n: int, out: Rows,
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
