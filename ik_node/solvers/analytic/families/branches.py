"""Every branch of the nominal arm for a pose, by the closed form of its family.

`branches` is a template: `solve_family` stands for the kernel of a family, bound by
`_jit.specialise` in `BRANCHES`.
"""

import math
from typing import Any

from ik_node._jit import Integers, Kernel, Matrix, Vector, njit, specialise
from ik_node.kinematics.forward import PRISMATIC
from ik_node.solvers.analytic.families.closed_loop import ClosedFormWork, closed_form_work
from ik_node.solvers.analytic.families.general import general_candidates
from ik_node.solvers.analytic.families.parallel import solve_parallel
from ik_node.solvers.analytic.families.planar import (
    first_revolute,
    rotated_tip,
    solve_planar_triple,
)
from ik_node.solvers.analytic.families.spherical import solve_spherical
from ik_node.solvers.analytic.families.swivel import swivel_configurations
from ik_node.solvers.analytic.structure import (
    GENERAL,
    PARALLEL,
    PLANAR,
    PLANAR_FREE,
    SPHERICAL,
    SWIVEL,
    structure_joints,
    structure_lines,
    structure_tip,
)
from ik_node.solvers.analytic.subproblems.vector3 import (
    Motion,
    along,
    composed,
    motion_of,
    moved,
    reversed_motion,
    rotated,
    rotation_about,
    row,
    standstill,
)


def solve_family(codes: Any, numbers: Any, M: Any, parameters: Any, free: int, work: Any, out: Any,
                 columns: Any) -> int:
    """Stand for a family: write the joint values of every branch into out; return how many."""
    raise NotImplementedError


def branches(codes: Integers, numbers: Vector, T_base_goal: Matrix, parameters: Vector, q0: Vector,
             scratch: Vector, out: Matrix) -> int:
    """Write the joint values of every branch into out (MOST_BRANCHES, n); return how many.

    codes, numbers: of `pack_structure`. parameters: the redundancy parameters, rad or m. q0 (n,):
    reference for joints whose value makes no difference. Branches are not verified: they are
    initial guesses for the true arm, which may differ from the nominal one.
    """
    count = codes[2]
    kinds, columns, locked = structure_joints(codes)
    axes, points = structure_lines(codes, numbers)
    work = closed_form_work(scratch)
    M = composed(motion_of(T_base_goal), structure_tip(numbers))
    lock = standstill()
    free = 0
    for j in range(count):
        h, p = row(axes, j), row(points, j)
        if codes[3] > 0:
            h, p = rotated(lock, h), moved(lock, p)
        if locked[j] >= 0:
            value = parameters[locked[j]]
            if kinds[j] == PRISMATIC:
                lock = (lock[0], lock[1], lock[2], along(lock[3], value, h))
            else:
                lock = composed(rotation_about(h, p, math.cos(value), math.sin(value)), lock)
            continue
        work.which[free] = j
        work.start[free] = q0[columns[j]] if columns[j] >= 0 else 0.0
        for i in range(3):
            work.axes[free, i], work.points[free, i] = h[i], p[i]
        free += 1
    if codes[3] > 0:
        M = composed(M, reversed_motion(lock))
    solutions = solve_family(codes, numbers, M, parameters, free, work, out, columns)
    for j in range(count):
        if locked[j] >= 0:
            for i in range(solutions):
                out[i, columns[j]] = parameters[locked[j]]
    return solutions


@njit
def solve_spherical_wrist(codes: Integers, numbers: Vector, M: Motion, parameters: Vector,
                          free: int, work: ClosedFormWork, out: Matrix, columns: Integers) -> int:
    """Solve an arm with three neighbouring axes through one point."""
    kinds, _, _ = structure_joints(codes)
    return solve_spherical(kinds, codes[1], M, numbers[0], numbers[1], work, out, columns)


@njit
def solve_parallel_axes(codes: Integers, numbers: Vector, M: Motion, parameters: Vector, free: int,
                        work: ClosedFormWork, out: Matrix, columns: Integers) -> int:
    """Solve an arm with three neighbouring axes that are parallel."""
    kinds, _, _ = structure_joints(codes)
    return solve_parallel(kinds, codes[1], M, numbers[0], numbers[1], work, out, columns)


@njit
def solve_swivel_angle(codes: Integers, numbers: Vector, M: Motion, parameters: Vector, free: int,
                       work: ClosedFormWork, out: Matrix, columns: Integers) -> int:
    """Solve an arm of seven joints with spherical shoulder and wrist at a swivel angle."""
    return swivel_configurations(work.axes, work.points, M, parameters[codes[3]], work.start,
                                 numbers[0], numbers[1], work.rest, out)


@njit
def solve_planar(codes: Integers, numbers: Vector, M: Motion, parameters: Vector, free: int,
                 work: ClosedFormWork, out: Matrix, columns: Integers) -> int:
    """Solve a planar arm or a SCARA."""
    kinds, _, _ = structure_joints(codes)
    if codes[0] == PLANAR_FREE:
        M = rotated_tip(numbers, M, row(work.axes, int(first_revolute(kinds, free, work))),
                       parameters[codes[3]])
    return solve_planar_triple(kinds, free, M, numbers[0], numbers[1], work, out, columns)


@njit
def solve_general(codes: Integers, numbers: Vector, M: Motion, parameters: Vector, free: int,
                  work: ClosedFormWork, out: Matrix, columns: Integers) -> int:
    """Solve six revolute joints of general geometry."""
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


def _bound(name: str, solve: Kernel) -> Kernel:
    """Return `branches` for a family, given the kernel that solves it."""
    return specialise(branches, f'branches_{name}', solve_family=solve)


_PLANAR_BRANCHES = _bound('planar', solve_planar)

BRANCHES = {
    SPHERICAL: _bound('spherical', solve_spherical_wrist),
    PARALLEL: _bound('parallel', solve_parallel_axes),
    PLANAR: _PLANAR_BRANCHES,
    PLANAR_FREE: _PLANAR_BRANCHES,
    SWIVEL: _bound('swivel', solve_swivel_angle),
    GENERAL: _bound('general', solve_general)}
