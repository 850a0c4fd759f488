"""The rows of one task, for callers in Python."""

import numpy as np

from ik_node.kinematics import tree as trees
from ik_node.kinematics.tree import Tree
from ik_node.support.arrays import InputMatrix, InputVector, Matrix, Memory, Vector
from ik_node.tasks.body_task import BodyTask, TaskWork


class TaskRows:
    """Evaluates a task of a tree."""

    q: Vector
    r: Vector
    J: Matrix

    def __init__(self, tree: Tree, task: BodyTask) -> None:
        """Take a task, the first of its solver."""
        self.memory = memory = Memory()
        self.tree, self.task, self.work = tree, task, TaskWork(tree, 1)
        self.q, self.r = memory.vector(np.zeros(tree.n)), memory.vector(np.zeros(task.m))
        self.J = memory.matrix(tree.n, task.m)

    def evaluate(self, q: InputVector) -> tuple[np.ndarray, np.ndarray]:
        """Return the residual (m,) at q (n,), and its Jacobian (m, n).

        Raises ValueError for another number of values. Threads may share this: compiled, it holds
        the GIL from the first number to the last.
        """
        tree, n = self.tree, self.tree.n
        if q.shape[0] != n:
            raise ValueError(f'q must have {n} values, not {q.shape[0]}')
        r, J = np.empty(self.task.m), np.empty((self.task.m, n))
        for k in range(n):
            self.q[k] = q[k]
        for i in range(4):
            for j in range(4):
                self.work.targets[0][i][j] = self.task.target[i][j]
        trees.tree_frames(tree, self.q, self.work.frames, self.work.axes)
        self.task.rows(tree, self.work, self.q, 0, self.r, self.J)
        self.copy_to(r, J)
        return r, J

    def copy_to(self, r: InputVector, J: InputMatrix) -> None:
        """Copy the rows into r (m,) and J (m, n)."""
        for i in range(self.task.m):
            r[i] = self.r[i]
            for k in range(self.tree.n):
                J[i, k] = self.J[k][i]
