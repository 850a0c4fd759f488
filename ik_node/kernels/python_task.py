"""A task written in Python: two functions of q."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ik_node.kernels.arrays import Matrix, Vector
from ik_node.kernels.body_task import BodyTask, TaskWork
from ik_node.kernels.tree import Tree


class PythonTask(BodyTask):
    """A residual r(q) (m,) and its Jacobian ∂r/∂q (m, n)."""

    def __init__(self, residual: Callable[[np.ndarray], Any], jacobian: Callable[[np.ndarray], Any],
                 m: int, name: str) -> None:
        """Take two functions of q (n,), which must not change it."""
        self.residual, self.jacobian, self.m, self.name = residual, jacobian, m, name

    def rows(self, tree: Tree, work: TaskWork, q: Vector, first: int, r: Vector,
             J: Matrix) -> None:
        """Write residual and Jacobian; see `BodyTask.rows`."""
        self.call(tree.n, q, first, r, J)

    def call(self, n: int, q: Vector, first: int, r: Vector, J: Matrix) -> None:
        """Call both functions and copy what they return; compiled, this holds the GIL."""
        at = np.array([q[k] for k in range(n)])
        residual = self.checked(self.residual(at), (self.m,), 'residual')
        jacobian = self.checked(self.jacobian(at), (self.m, n), 'Jacobian')
        for i in range(self.m):
            r[first + i] = residual[i]
            for k in range(n):
                J[k][first + i] = jacobian[i, k]

    def checked(self, values: Any, shape: tuple, what: str) -> np.ndarray:
        """Return finite floats of a shape. Raises ValueError for anything else."""
        array = np.ascontiguousarray(values, dtype=np.float64)
        if array.shape != shape or not np.isfinite(array).all():
            raise ValueError(f'the {what} of the task {self.name!r} must be finite numbers of the '
                             f'shape {shape}, not {array.tolist()}')
        return array
