"""Tasks of a body in the kernels, and the scratch that they share."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ik_node.kinematics import jacobian
from ik_node.kinematics import tree as trees
from ik_node.kinematics.tree import Tree
from ik_node.support import arrays
from ik_node.support.arrays import (
    Columns,
    InMatrix,
    InVector,
    Matrix,
    Memory,
    OutMatrix,
    OutVector,
    Vector,
)
from ik_node.support.exceptions import InputError


class TaskData:
    """The frames of a tree at one q, the targets of one search, and scratch for tasks.

    - `targets`: (t, 4, 4) of all tasks, as they were when the search began.
    - `J`, `other`: (6, n) Jacobians of two links, by columns; `own`: (6,) residual of one task.
    - `body_frames`: of the tasks written in Python; None before the first.
    """

    def __init__(self, tree: Tree, count: int) -> None:
        self.memory = memory = Memory()
        self.body_frames: Any = None
        self.tree, links, n = tree, tree.links, tree.n
        self.frames = memory.poses(np.zeros((links, 4, 4)))
        self.targets = memory.poses(np.zeros((count, 4, 4)))
        self.axes = memory.points(np.zeros((links, 3)))
        self.moments = memory.fours(np.zeros((links, 4)))
        self.J, self.other = memory.columns(np.zeros((n, 6))), memory.columns(np.zeros((n, 6)))
        self.T, self.own = memory.pose(np.zeros((4, 4))), memory.vector(np.zeros(6))
        self.R, self.M = memory.points(np.zeros((3, 3))), memory.points(np.zeros((3, 3)))
        self.v, self.u = memory.vector(np.zeros(3)), memory.vector(np.zeros(3))


class BodyTask:
    """A residual over the frames of a body; subclasses override `rows`.

    Every target is kept as a pose, of which a task reads the part that it has. Searches copy it
    when they begin, so that a target set meanwhile is not seen by half.

    - `index`: which of the tasks of a solver it is; `m`: number of rows.
    - `has_energy`: whether its cost is its `energy`, instead of |weighted rows|² / 2.
    - `misses`: see `Task`.
    """

    def __init__(self, index: int, m: int) -> None:
        self.memory = Memory()
        self.index, self.m, self.has_energy, self.misses = index, m, False, True
        self.target = self.memory.pose(np.eye(4))

    def set_target(self, target: np.ndarray) -> None:
        """Take a point (3,), m, a rotation (3, 3), or a pose (4, 4)."""
        if target.ndim == 1:
            for i, value in enumerate(target.tolist()):
                self.target[i][3] = value
            return
        for i, row in enumerate(target.tolist()):
            for j, value in enumerate(row):
                self.target[i][j] = value

    def rows(self, work: TaskData, q: Vector, first: int, r: Vector, J: Matrix) -> None:
        """Write the residual into r from `first` on, and its Jacobian into J (n, m), transposed.

        work has the frames and axes at q (n,), and the targets. What this raises reaches the
        caller.
        """

    def energy(self, work: TaskData, first: int, r: Vector, scale: Vector) -> float:
        """Return weight · energy, where `has_energy`, after `rows` with the same arguments.

        scale: √weight of the task times the weight of a row, of all rows.
        """
        return 0.0


class PythonTask(BodyTask):
    """The rows that `evaluate` of a task in Python returns, and its energy if it has its own."""

    def __init__(self, index: int, task: Any, make_frames: Callable[[np.ndarray], Any],
                 layout: Any, has_energy: bool) -> None:
        """Take a task, what makes the frames of its body at q (n,), and what the rows are."""
        super().__init__(index, len(layout.metres))
        self.task, self.make_frames, self.weight = task, make_frames, task.weight
        self.one_sided, self.weights = layout.one_sided, layout.weights
        self.has_energy = has_energy

    def rows(self, work: TaskData, q: Vector, first: int, r: Vector, J: Matrix) -> None:
        self.call(work, q, first, r, J)

    def energy(self, work: TaskData, first: int, r: Vector, scale: Vector) -> float:
        return self.call_energy(work, first, r)

    def call(self, work: TaskData, q: Vector, first: int, r: Vector, J: Matrix) -> None:
        """Evaluate the task and copy what it returns; compiled, this holds the GIL."""
        n = work.tree.n
        values, rows = self.task.evaluate(self.frames_at(work, n, q))
        residual: InVector = self.checked(values, (self.m,), 'residual')
        jacobian: InMatrix = self.checked(rows, (self.m, n), 'Jacobian')
        for i in range(self.m):
            r[first + i] = residual[i]
            for k in range(n):
                J[k][first + i] = jacobian[i, k]

    def call_energy(self, work: TaskData, first: int, r: Vector) -> float:
        """Return weight · energy at the frames of the last `call`; compiled, this holds the GIL."""
        values = np.array([r[first + i] for i in range(self.m)])
        values[self.one_sided & (values > 0.0)] = 0.0
        return self.weight * self.task.energy(work.body_frames, values, self.weights)

    def frames_at(self, work: TaskData, n: int, q: Vector) -> Any:
        """Return frames at q (n,), which tasks in Python share."""
        if work.body_frames is not None:
            at: InVector = work.body_frames.q
            same = True
            for k in range(n):
                same = same and at[k] == q[k]
            if same:
                return work.body_frames
        values = np.array([q[k] for k in range(n)])
        if work.body_frames is None:
            work.body_frames = self.make_frames(values)
        else:
            work.body_frames.update(values)
        return work.body_frames

    def checked(self, values: Any, shape: tuple, what: str) -> np.ndarray:
        """Return floats of a shape. Raises InputError for anything else."""
        array = np.ascontiguousarray(values, dtype=np.float64)
        if array.shape != shape:
            raise InputError(f'the {what} of the task {self.task.name!r} must have the shape '
                             f'{shape}, not {array.shape}')
        return array


class TaskRows:
    """The rows of one task of a tree, for callers in Python."""

    def __init__(self, tree: Tree, task: BodyTask) -> None:
        """Take a task, the first of its solver."""
        self.memory = memory = Memory()
        self.task, self.work = task, TaskData(tree, 1)
        self.q, self.r = memory.vector(np.zeros(tree.n)), memory.vector(np.zeros(task.m))
        self.J = memory.matrix(tree.n, task.m)

    def evaluate(self, q: InVector) -> tuple[np.ndarray, np.ndarray]:
        """Return the residual (m,) at q (n,), and its Jacobian (m, n).

        Raises ValueError for another number of values. Threads may share this: compiled, it holds
        the GIL from the first number to the last.
        """
        work, n = self.work, self.work.tree.n
        if q.shape[0] != n:
            raise ValueError(f'q must have {n} values, not {q.shape[0]}')
        r, J = np.empty(self.task.m), np.empty((self.task.m, n))
        arrays.read_vector(q, self.q)
        for i in range(4):
            for j in range(4):
                work.targets[0][i][j] = self.task.target[i][j]
        trees.tree_frames(work.tree, self.q, work.frames, work.axes)
        self.task.rows(work, self.q, 0, self.r, self.J)
        copy_rows(self.r, self.J, r, J)
        return r, J


def copy_rows(r: Vector, J: Matrix, residual: OutVector, jacobian: OutMatrix) -> None:
    """Copy r (m,) and J (n, m), transposed, into arrays (m,) and (m, n)."""
    for i in range(residual.shape[0]):
        residual[i] = r[i]
        for k in range(jacobian.shape[1]):
            jacobian[i, k] = J[k][i]


def write_point(work: TaskData, link: int, point: Vector) -> None:
    """Write the position (3,) of a point of a link into work.v, and its Jacobian into work.J."""
    F, x, y, z = work.frames, point[0], point[1], point[2]
    jacobian.point_jacobian(work.tree, F, work.axes, link, x, y, z, work.J)
    for i in range(3):
        work.v[i] = F[link][i][3] + (F[link][i][0] * x + F[link][i][1] * y + F[link][i][2] * z)


def write_row(a: float, b: float, c: float, A: Columns, top: int, n: int, row: int,
              J: Matrix) -> None:
    """Write (a, b, c) times three rows of A, (6, n), into row `row` of J (n, m), transposed."""
    for k in range(n):
        J[k][row] = a * A[k][top] + b * A[k][top + 1] + c * A[k][top + 2]
