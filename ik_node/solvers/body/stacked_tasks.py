"""Tasks stacked by level: the weighted rows that a step is made of."""

import itertools
from typing import Any

try:
    import cython
except ImportError:
    from ik_node.support import cython
import numpy as np

from ik_node.kinematics.tree import Tree
from ik_node.support.arrays import Integers, Matrix, Memory, Objects, Vector
from ik_node.tasks.body_task import BodyTask, TaskWork


class Problem:
    """Tasks of all levels, one after the other, and what their rows are."""

    levels: int
    m: int
    """Number of rows of all tasks."""
    count: int
    """More than the index of any task."""
    tasks: Objects
    """(t,) `BodyTask`s."""
    sizes: Integers
    """(t,) number of rows of each."""
    necessary: Integers
    """(t,) whether success needs it."""
    first_task: Integers
    """(levels + 1,) where the tasks of each level begin."""
    first_row: Integers
    """(levels + 1,) where the rows of each level begin."""
    all_necessary: Integers
    """(levels,)"""
    some_one_sided: Integers
    """(levels,)"""
    scale: Vector
    """(m,) √weight of the task times the weight of the row."""
    metres: Integers
    """(m,) whether a row is in metres; else it is in radians."""
    one_sided: Integers
    """(m,) whether a row asks for a residual ≥ 0."""
    position_tolerance: float
    orientation_tolerance: float

    def __init__(self, levels: Any, position_tolerance: float,
                 orientation_tolerance: float) -> None:
        """Stack levels [[(task, is necessary, metres, one-sided, scale), …], …]; see the fields."""
        self.memory = memory = Memory()
        stacked = [entry for level in levels for entry in level]
        self.levels = len(levels)
        self.tasks = memory.objects([entry[0] for entry in stacked])
        sizes = [len(entry[2]) for entry in stacked]
        self.m = sum(sizes)
        self.count = 1 + max((entry[0].index for entry in stacked), default=-1)
        self.sizes, self.necessary = memory.integers(sizes), memory.integers(
            [entry[1] for entry in stacked])
        self.first_task = memory.integers(list(
            itertools.accumulate(map(len, levels), initial=0)))
        self.first_row = memory.integers(list(itertools.accumulate(
            (sum(len(entry[2]) for entry in level) for level in levels), initial=0)))
        self.all_necessary = memory.integers([all(entry[1] for entry in level)
                                              for level in levels])
        self.some_one_sided = memory.integers([any(entry[3].any() for entry in level)
                                               for level in levels])
        self.scale = memory.vector(np.concatenate([np.zeros(0), *(entry[4] for entry in stacked)]))
        self.metres = memory.integers(np.concatenate(
            [np.zeros(0), *(entry[2] for entry in stacked)]))
        self.one_sided = memory.integers(np.concatenate(
            [np.zeros(0), *(entry[3] for entry in stacked)]))
        self.position_tolerance = position_tolerance
        self.orientation_tolerance = orientation_tolerance


class Found:
    """What `level_rows` finds besides rows."""

    cost: float
    """Σ weight · |W r|² / 2 of the tasks, or weight · energy of those that have their own."""
    met: bool
    """Whether every necessary task is within the tolerances."""

    def __init__(self) -> None:
        """Make room."""


def take_targets(problem: Problem, work: TaskWork) -> None:
    """Copy the targets of the tasks, as they are now, for one search."""
    for index in range(problem.first_task[problem.levels]):
        task = cython.cast(BodyTask, problem.tasks[index])
        for i in range(4):
            for j in range(4):
                work.targets[task.index][i][j] = task.target[i][j]


def level_rows(problem: Problem, level: int, tree: Tree, work: TaskWork, q: Vector, A: Matrix,
               e: Vector, found: Found) -> None:
    """Write the weighted rows of a level at q (n,): A Δq = e is wanted; A (n, m) is transposed.

    work has the frames at q, and the targets. Raises what a task in Python raises.
    """
    first, cost, met = problem.first_row[level], 0.0, True
    position2 = problem.position_tolerance * problem.position_tolerance
    orientation2 = problem.orientation_tolerance * problem.orientation_tolerance
    for index in range(problem.first_task[level], problem.first_task[level + 1]):
        cython.cast(BodyTask, problem.tasks[index]).rows(tree, work, q, first, e, A)
        own = cython.cast(BodyTask, problem.tasks[index]).has_energy
        if own:
            cost += cython.cast(BodyTask, problem.tasks[index]).energy(work, first, e,
                                                                       problem.scale)
        along, about = 0.0, 0.0
        for row in range(first, first + problem.sizes[index]):
            factor, lacking = problem.scale[row], e[row]
            if problem.one_sided[row] and lacking > 0.0:
                lacking = 0.0
            if problem.metres[row]:
                along += lacking * lacking
            else:
                about += lacking * lacking
            lacking *= factor
            if not own:
                cost += 0.5 * lacking * lacking
            e[row] *= -factor
            if factor != 1.0:
                for k in range(tree.n):
                    A[k][row] *= factor
        if problem.necessary[index] and not (along <= position2 and about <= orientation2):
            met = False
        first += problem.sizes[index]
    found.cost, found.met = cost, met


def missed2(problem: Problem, level: int, e: Vector) -> float:
    """Return |e|² of the rows of a level that miss something."""
    total = 0.0
    for i in range(problem.first_row[level], problem.first_row[level + 1]):
        if not (problem.one_sided[i] and e[i] < 0.0):
            total += e[i] * e[i]
    return total
