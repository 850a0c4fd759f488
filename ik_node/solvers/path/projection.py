"""Configurations of many poses, each the local solution from a guess, or from the pose before."""

import math

import cython
import numpy as np

from ik_node.solvers.kernel import closest, search
from ik_node.solvers.kernel.arm_kernel import Verifier
from ik_node.solvers.kernel.settings import ArmData
from ik_node.solvers.kernel.task import TipTask
from ik_node.support import clock
from ik_node.support.arrays import Vector

INF = math.inf
EXACT = 1e-18  # squared error, m² and rad², of a configuration that is left as it is


class Projection(Verifier):
    """Local solutions of a chain.

    Poses are (m, 4, 4), m, with weights (m, 6), see `Goal`; q is (m, n). deadline: by `clock`, s.
    """

    def near(self, poses: np.ndarray, weights: np.ndarray, q: np.ndarray, errors: np.ndarray,
             deadline: float, moves: bool = True) -> None:
        """Replace q, guesses inside the limits, by local solutions; write their errors (m, 2).

        After the deadline, the other guesses are left. moves: false leaves all of them.
        """
        self.check(poses, weights, q, errors)
        work, n = self.scratch(), self.chain.n
        task, late = work.task, False
        with cython.nogil:
            for i in range(q.shape[0]):
                late = late or not moves or (i > 0 and clock.is_over(deadline))
                load_row(task, work, poses, weights, q, i)
                position, orientation = self.solution(task, work, work.q, not late, deadline)
                for k in range(n):
                    q[i, k] = work.q[k]
                errors[i, 0], errors[i, 1] = position, orientation
        self.idle.append(work)

    def track(self, poses: np.ndarray, weights: np.ndarray, q: np.ndarray, start: np.ndarray,
              tolerances: np.ndarray, most: float, deadline: float) -> int:
        """Write local solutions into q, each from the one before, the first from start (n,).

        That ends where a pose is not met to the tolerances (2,), m and rad, or a joint moves by
        more than `most`, rad or m. Return the number of poses up to there.
        """
        n = self.chain.n
        self.check(poses, weights, q, None)
        if start.shape[0] != n or tolerances.shape[0] != 2:
            raise ValueError(f'a start has {n} values, and there are 2 tolerances')
        work = self.scratch()
        task, reached = work.task, 0
        for k in range(n):
            work.start[k] = start[k]
        with cython.nogil:
            for i in range(q.shape[0]):
                if i > 0 and clock.is_over(deadline):
                    break
                for k in range(n):
                    q[i, k] = work.start[k]
                load_row(task, work, poses, weights, q, i)
                position, orientation = self.solution(task, work, work.q, True, deadline)
                moved = 0.0
                for k in range(n):
                    moved = max(moved, math.fabs(work.q[k] - work.start[k]))
                    q[i, k] = work.start[k] = work.q[k]
                if not (position <= tolerances[0] and orientation <= tolerances[1]
                        and moved <= most and moved < INF):
                    break
                reached += 1
        self.idle.append(work)
        return reached

    def solution(self, task: TipTask, work: ArmData, q: Vector, moves: bool,
                 deadline: float) -> tuple[float, float]:
        """Replace q (n,) by a local solution if it moves; return its errors, m and rad."""
        error, position, orientation = search.residual(self.chain, task, work, q)
        if moves and error > EXACT:
            closest.minimise(self.chain, task, work, q, closest.SETTLED, closest.MOST_STEPS,
                             closest.INF, deadline)
            error, position, orientation = search.residual(self.chain, task, work, q)
        return position, orientation

    def check(self, poses: np.ndarray, weights: np.ndarray, q: np.ndarray,
              errors: np.ndarray | None) -> None:
        """Raise ValueError unless every array, errors (m, 2) or None, has one row for each pose."""
        m = poses.shape[0]
        if (poses.shape[1] != 4 or poses.shape[2] != 4 or weights.shape[0] != m
                or weights.shape[1] != 6 or q.shape[0] != m or q.shape[1] != self.chain.n):
            raise ValueError('poses (m, 4, 4), their weights (m, 6) and q (m, n) do not fit')
        if errors is not None and (errors.shape[0] != m or errors.shape[1] != 2):
            raise ValueError(f'errors must have the shape ({m}, 2)')


def load_row(task: TipTask, work: ArmData, poses: np.ndarray, weights: np.ndarray, q: np.ndarray,
             i: int) -> None:
    """Load one of many goals into a task, and its joint values into work.q."""
    for j in range(4):
        for k in range(4):
            task.T[j][k] = poses[i, j, k]
    for j in range(6):
        task.weights[j] = weights[i, j]
    task.prepare()
    for k in range(q.shape[1]):
        work.q[k] = q[i, k]
