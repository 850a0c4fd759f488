"""Three parallel revolute joints, with or without a prismatic one: planar arms and SCARAs."""

import math

from ik_node._jit import Integers, Matrix, Vector, inline, njit
from ik_node.kinematics.forward import PRISMATIC
from ik_node.solvers.analytic.families.closed_loop import ClosedFormWork, kind
from ik_node.solvers.analytic.structure import structure_tip
from ik_node.solvers.analytic.subproblems.parallel_triple import solve_planar_arm
from ik_node.solvers.analytic.subproblems.vector3 import (
    Motion,
    Vector3,
    along,
    dot,
    minus,
    moved,
    moved_back,
    rotated,
    rotation_about,
    row,
)


@njit
def solve_planar_triple(kinds: Integers, count: int, M: Motion, size: float, slack: float,
                        work: ClosedFormWork, out: Matrix, columns: Integers) -> int:
    """Solve three parallel revolute joints, with or without a prismatic joint along them."""
    order = work.rotations[0]
    k, prismatic = 0, -1
    for j in range(count):
        if kind(kinds, work, j) == PRISMATIC:
            prismatic = j
        else:
            order[k] = j
            k += 1
    i, j, k = int(order[0]), int(order[1]), int(order[2])
    h = row(work.axes, i)
    p1, p2, p3 = row(work.points, i), row(work.points, j), row(work.points, k)
    target = moved(M, p3)
    b = minus(p2, p1)
    b = along(b, -dot(h, b), h)
    solutions = solve_planar_arm(
        h, p1, p2, p3, 1.0, 1.0 if dot(h, row(work.axes, j)) > 0.0 else -1.0,
        1.0 if dot(h, row(work.axes, k)) > 0.0 else -1.0, target, b, rotated(M, b), size, slack,
        work.wrist)
    for s in range(solutions):
        if prismatic >= 0:
            out[s, columns[int(work.which[prismatic])]] = (
                dot(h, minus(target, p3)) / dot(h, row(work.axes, prismatic)))
        for n in range(3):
            column = columns[int(work.which[int(order[n])])]
            if column >= 0:
                out[s, column] = work.wrist[s, n]
    return solutions


@inline
def first_revolute(kinds: Integers, count: int, work: ClosedFormWork) -> int:
    """Return the first revolute joint among those solved for."""
    for j in range(count):
        if kind(kinds, work, j) != PRISMATIC:
            return j
    return 0


@inline
def rotated_tip(numbers: Vector, M: Motion, h: Vector3, angle: float) -> Motion:
    """Return M with the same tip position, and the tip rotated by an angle about h from zero."""
    tip = moved_back(structure_tip(numbers), (0.0, 0.0, 0.0))
    shifted = moved(M, tip)
    rotation = rotation_about(h, tip, math.cos(angle), math.sin(angle))
    return rotation[0], rotation[1], rotation[2], along(rotation[3], 1.0, minus(shifted, tip))
