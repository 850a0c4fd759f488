"""Tasks stacked by level: the weighted rows that a step is made of."""

import itertools
from typing import Any

import cython
import numpy as np

from ik_node.kinematics import tree as trees
from ik_node.kinematics.tree import Tree
from ik_node.solvers.kernel.body.steps import StepData
from ik_node.solvers.kernel.qp import level as qp
from ik_node.support import arrays
from ik_node.support.arrays import InVector, Matrix, Memory, Vector
from ik_node.tasks.body_task import BodyTask, TaskData


class StackedTasks:
    """Tasks of all levels, one after the other, and what their rows are.

    - `m`: number of rows of all tasks; `count`: more than the index of any task.
    - `tasks`, `sizes`, `necessary`: (t,) `BodyTask`s, their numbers of rows, and whether success
      needs them.
    - `first_task`, `first_row`: (levels + 1,) where the tasks and the rows of each level begin;
      `level_sizes`: the numbers of the rows.
    - `all_necessary`, `some_one_sided`: (levels,) of tasks, and of rows.
    - `metres`, `one_sided`: (m,) see `RowKinds`; `sides`: the latter as a list.
    - `scale`: (m,) √weight of the task times the weight of the row.
    """

    def __init__(self, levels: Any, position_tolerance: float,
                 orientation_tolerance: float) -> None:
        """Stack levels [[(task, is necessary, metres, one-sided, scale), …], …]; see the fields."""
        self.memory = memory = Memory()
        stacked = [entry for level in levels for entry in level]
        sizes = [len(entry[2]) for entry in stacked]
        tops = [0, *itertools.accumulate(map(len, levels))]
        ends = [0, *itertools.accumulate(sizes)]
        self.levels, self.m = len(levels), sum(sizes)
        self.count = 1 + max((entry[0].index for entry in stacked), default=-1)
        self.tasks = memory.objects([entry[0] for entry in stacked])
        self.sizes, self.necessary = memory.integers(sizes), memory.integers(
            [entry[1] for entry in stacked])
        self.first_task = memory.integers(tops)
        self.first_row = memory.integers([ends[top] for top in tops])
        self.level_sizes = [ends[end] - ends[top] for top, end in itertools.pairwise(tops)]
        self.all_necessary = memory.integers([all(entry[1] for entry in level)
                                              for level in levels])
        self.some_one_sided = memory.integers([any(entry[3].any() for entry in level)
                                               for level in levels])
        metres, one_sided, scale = (np.concatenate([np.zeros(0), *(entry[k] for entry in stacked)])
                                    for k in (2, 3, 4))
        self.sides = one_sided.astype(bool).tolist()
        self.metres, self.one_sided = memory.integers(metres), memory.integers(one_sided)
        self.scale = memory.vector(scale)
        self.position_tolerance = position_tolerance
        self.orientation_tolerance = orientation_tolerance


class BodyData(TaskData):
    """Scratch of one thread: frames and targets of the tasks, their rows, and steps.

    - `cost`: of a level, Σ weight · |W r|² / 2 of the tasks, or weight · energy of those that have
      their own; `met`: whether every necessary task is within the tolerances.
    - `iterations`: of the last search.
    """

    def __init__(self, tree: Tree, stack: StackedTasks) -> None:
        super().__init__(tree, stack.count)
        self.step, self.q = StepData(tree.n, stack.m), self.memory.zeros(tree.n)
        self.cost, self.met, self.iterations = 0.0, False, 0

    def begin(self, stack: StackedTasks, q: InVector) -> None:
        """Take q (n,), and the targets of the tasks, as they are now, for one search."""
        arrays.read_vector(q, self.q)
        for index in range(stack.first_task[stack.levels]):
            task = cython.cast(BodyTask, stack.tasks[index])
            for i in range(4):
                for j in range(4):
                    self.targets[task.index][i][j] = task.target[i][j]


def rows_at(stack: StackedTasks, tree: Tree, work: BodyData, q: Vector, A: Matrix,
            e: Vector) -> None:
    """Write the frames at q (n,), and the rows of the first level; see `level_rows`."""
    trees.tree_frames(tree, q, work.frames, work.axes)
    level_rows(stack, 0, tree, work, q, A, e)


def level_rows(stack: StackedTasks, level: int, tree: Tree, work: BodyData, q: Vector, A: Matrix,
               e: Vector) -> None:
    """Write the weighted rows of a level at q (n,): A Δq = e is wanted; A (n, m) is transposed.

    work has the frames at q, and gets the cost. Raises what a task in Python raises.
    """
    first, cost, met = stack.first_row[level], 0.0, True
    position2 = stack.position_tolerance * stack.position_tolerance
    orientation2 = stack.orientation_tolerance * stack.orientation_tolerance
    for index in range(stack.first_task[level], stack.first_task[level + 1]):
        cython.cast(BodyTask, stack.tasks[index]).rows(work, q, first, e, A)
        own = cython.cast(BodyTask, stack.tasks[index]).has_energy
        if own:
            cost += cython.cast(BodyTask, stack.tasks[index]).energy(work, first, e, stack.scale)
        along, about = 0.0, 0.0
        for row in range(first, first + stack.sizes[index]):
            factor, lacking = stack.scale[row], e[row]
            if stack.one_sided[row] and lacking > 0.0:
                lacking = 0.0
            if stack.metres[row]:
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
        if stack.necessary[index] and not (along <= position2 and about <= orientation2):
            met = False
        first += stack.sizes[index]
    work.cost, work.met = cost, met


def missed2(stack: StackedTasks, level: int, e: Vector) -> float:
    """Return |e|² of the rows of a level that miss something."""
    return qp.missed2(stack.one_sided, stack.first_row[level], stack.first_row[level + 1], e)
