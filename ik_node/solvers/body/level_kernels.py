"""Rows of a level, and what tasks miss: kernels over packed tasks."""

import math
from typing import NamedTuple

from ik_node._jit import Integers, Matrix, Vector, entry, njit
from ik_node.kinematics.forward import tree_frames
from ik_node.solvers.body.packing import Problem, unpack_problem, unpack_work
from ik_node.tasks.kernels import FORCE, TaskWork, force_energy, task_rows

LEVEL = 3  # integers of a level before the indices of its tasks; see `PackedTasks.level`


class Rows(NamedTuple):
    """What `level_rows` returns besides the rows."""

    cost: float
    """Σ weight · energy of the tasks."""
    met: bool
    """Whether every necessary task is within the tolerances."""


@njit
def level_rows(problem: Problem, level: Integers, work: TaskWork, q: Vector, A: Matrix,
               e: Vector) -> Rows:
    """Write the weighted rows of a level at q (n,): A Δq = e is wanted; A (n, m) is transposed.

    Return the cost and whether every necessary task is within the tolerances.
    """
    tree_frames(problem.robot, q, work.frames, work.axes)
    metres, one_sided, scale = problem.metres, problem.one_sided, problem.scale
    settings = problem.settings
    position2 = settings.position_tolerance * settings.position_tolerance
    orientation2 = settings.orientation_tolerance * settings.orientation_tolerance
    cost, met, first = 0.0, True, 0
    for index in range(LEVEL, level.shape[0]):
        record = problem.tasks[level[index]]
        x = problem.numbers[record[5]:]
        task_rows(problem.robot, problem.inertias, record, problem.codes[record[4]:], x, work, q,
                  first, e, A)
        own, is_force = record[6] - first, record[0] == FORCE
        along, about = 0.0, 0.0
        for row in range(first, first + record[3]):
            factor = scale[own + row]
            lacking = e[row]
            if one_sided[own + row] != 0 and lacking > 0.0:
                lacking = 0.0
            if metres[own + row] != 0:
                along += lacking * lacking
            else:
                about += lacking * lacking
            lacking *= factor
            if is_force:  # its row weighs √|f|
                cost += factor * factor * force_energy(record, x, work)
            else:
                cost += 0.5 * lacking * lacking
            e[row] *= -factor
            if factor != 1.0:
                for k in range(A.shape[0]):
                    A[k, row] *= factor
        if record[7] != 0 and not (along <= position2 and about <= orientation2):
            met = False
        first += record[3]
    return Rows(cost, met)


@njit
def task_misses(problem: Problem, work: TaskWork, q: Vector, A: Matrix, r: Vector,
                misses: Matrix) -> bool:
    """Write what each task misses at q (n,) into misses (t, 2), m and rad.

    Return whether every necessary task is within the tolerances. The frames are computed anew.
    A (n, m) and r (m,) have room for the rows of any task.
    """
    tree_frames(problem.robot, q, work.frames, work.axes)
    metres, one_sided, settings = problem.metres, problem.one_sided, problem.settings
    met = True
    for index in range(problem.tasks.shape[0]):
        record = problem.tasks[index]
        misses[index, 0], misses[index, 1] = 0.0, 0.0
        if record[0] == FORCE:
            continue
        task_rows(problem.robot, problem.inertias, record, problem.codes[record[4]:],
                  problem.numbers[record[5]:], work, q, 0, r, A)
        along, about = 0.0, 0.0
        for row in range(record[3]):
            lacking = r[row]
            if one_sided[record[6] + row] != 0 and lacking > 0.0:
                lacking = 0.0
            if metres[record[6] + row] != 0:
                along += lacking * lacking
            else:
                about += lacking * lacking
        misses[index, 0], misses[index, 1] = math.sqrt(along), math.sqrt(about)
        if record[7] != 0 and not (misses[index, 0] <= settings.position_tolerance
                                   and misses[index, 1] <= settings.orientation_tolerance):
            met = False
    return met


@entry
def rows_of_level(codes: Integers, numbers: Vector, level: Integers, scratch: Vector, q: Vector,
                  A: Matrix, e: Vector, summary: Vector) -> None:
    """Write the rows of a level at q (n,), see `level_rows`, and cost and met into summary (2,)."""
    problem = unpack_problem(codes, numbers)
    work, _ = unpack_work(scratch, codes[0], codes[1], codes[3])
    rows = level_rows(problem, level, work, q, A, e)
    summary[0], summary[1] = rows.cost, 1.0 if rows.met else 0.0
