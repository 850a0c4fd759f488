"""Configurations of many poses, each the local solution from a guess, or from the pose before."""

import math

import cython
import numpy as np

from ik_node.solvers.kernel import closest, search
from ik_node.solvers.kernel.arm_kernel import Verifier
from ik_node.support import clock
from ik_node.support.arrays import InMatrix, InPoses, InVector, OutMatrix

INF = math.inf
NONE = np.zeros(0)
EXACT = 1e-18  # squared error, m² and rad², of a configuration that is left as it is


class Projection(Verifier):
    """Local solutions of a chain.

    Poses are (m, 4, 4), m, with weights (m, 6), see `Goal`; q is (m, n). deadline: by `clock`, s.
    """

    def near(self, poses: InPoses, weights: InMatrix, q: OutMatrix, errors: OutMatrix,
             deadline: float, moves: bool = True, tolerances: InVector = NONE,
             most: float = INF) -> int:
        """Replace q, guesses inside the limits, by local solutions; write their errors (m, 2).

        After the deadline, the other guesses are left. moves: false leaves all of them. tolerances
        (2,), m and rad: each solution is then the guess of the next, from q[0] on, as long as poses
        are met, no joint moves by more than `most`, rad or m, and there is time. Return how many of
        these there are, else m.
        """
        m, n, follows = q.shape[0], self.chain.n, tolerances.shape[0] > 0
        if (poses.shape[0] != m or poses.shape[1] != 4 or poses.shape[2] != 4 or q.shape[1] != n
                or weights.shape[0] != m or weights.shape[1] != 6 or errors.shape[0] != m
                or errors.shape[1] != 2 or (follows and tolerances.shape[0] != 2)):
            raise ValueError('poses (m, 4, 4), weights (m, 6), q (m, n) and errors (m, 2) must fit')
        work = self.scratch()
        task, late, count = work.task, False, 0
        with cython.nogil:
            for i in range(m):
                late = late or not moves or (i > 0 and clock.is_over(deadline))
                if late and follows:
                    break
                search.load_goal(task, poses[i], weights[i])
                guess = i - 1 if follows and i > 0 else i
                for k in range(n):
                    work.start[k] = work.q[k] = q[guess, k]
                error, position, orientation = search.residual(self.chain, task, work, work.q)
                if not late and error > EXACT:
                    closest.minimise(self.chain, work, work.q, closest.SETTLED,
                                     closest.MOST_STEPS, closest.INF, deadline)
                    error, position, orientation = search.residual(self.chain, task, work, work.q)
                errors[i, 0], errors[i, 1] = position, orientation
                moved = 0.0
                for k in range(n):
                    moved = max(moved, math.fabs(work.q[k] - work.start[k]))
                    q[i, k] = work.q[k]
                if follows and not (position <= tolerances[0] and orientation <= tolerances[1]
                                    and moved <= most and moved < INF):
                    break
                count += 1
        self.idle.append(work)
        return count
