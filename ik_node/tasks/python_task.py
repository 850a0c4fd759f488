"""A task written in Python, evaluated in the loop of all others."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ik_node.kinematics.tree import Tree
from ik_node.support.arrays import Matrix, Vector
from ik_node.support.exceptions import InputError
from ik_node.tasks.body_task import BodyTask, TaskWork


class PythonTask(BodyTask):
    """The rows that `evaluate` of a task returns, and its energy where it has one of its own."""

    def __init__(self, index: int, task: Any, make_frames: Callable[[np.ndarray], Any],
                 layout: Any, has_energy: bool) -> None:
        """Take a task, what makes the frames of its body at q (n,), and what the rows are."""
        super().__init__(index, len(layout.metres))
        self.task, self.make_frames, self.weight = task, make_frames, task.weight
        self.one_sided, self.weights = layout.one_sided, layout.weights
        self.has_energy = has_energy

    def rows(self, tree: Tree, work: TaskWork, q: Vector, first: int, r: Vector,
             J: Matrix) -> None:
        """Write residual and Jacobian; see `BodyTask.rows`."""
        self.call(tree.n, work, q, first, r, J)

    def energy(self, work: TaskWork, first: int, r: Vector, scale: Vector) -> float:
        """Return weight · energy; see `BodyTask.energy`."""
        return self.call_energy(work, first, r)

    def call(self, n: int, work: TaskWork, q: Vector, first: int, r: Vector, J: Matrix) -> None:
        """Evaluate the task and copy what it returns; compiled, this holds the GIL.

        Raises InputError for another number of rows or columns.
        """
        values, rows = self.task.evaluate(self.frames_at(work, n, q))
        residual = self.checked(values, (self.m,), 'residual')
        jacobian = self.checked(rows, (self.m, n), 'Jacobian')
        for i in range(self.m):
            r[first + i] = residual[i]
            for k in range(n):
                J[k][first + i] = jacobian[i, k]

    def call_energy(self, work: TaskWork, first: int, r: Vector) -> float:
        """Return weight · energy at the frames of the last `call`; compiled, this holds the GIL."""
        values = np.array([r[first + i] for i in range(self.m)])
        values[self.one_sided & (values > 0.0)] = 0.0
        return self.weight * self.task.energy(work.body_frames, values, self.weights)

    def frames_at(self, work: TaskWork, n: int, q: Vector) -> Any:
        """Return frames at q (n,), which tasks in Python share."""
        if work.body_frames is not None:
            at, same = work.body_frames.q, True
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
