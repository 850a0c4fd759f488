"""Configurations of many poses, each the local solution from a guess, or from the pose before."""

import math

from ik_node._jit import Integers, Matrix, Stack, Vector, clock, entry
from ik_node.solvers.closest import minimise
from ik_node.solvers.packing import unpack_chain
from ik_node.solvers.search import residual
from ik_node.solvers.settings import make_work
from ik_node.solvers.task import make_task

_LOOK = 8       # poses from one look at the clock to the next
_EXACT = 1e-18  # squared error, m² and rad², of a configuration that is left as it is


@entry
def project(codes: Integers, numbers: Vector, poses: Stack, weights: Matrix, tolerances: Vector,
            most: float, start: Vector, deadline: float, scratch: Vector, errors: Matrix,
            q: Matrix) -> int:
    """Replace q (m, n), guesses inside the limits, by local solutions for poses (m, 4, 4).

    codes, numbers: of a packed chain. weights (m, 6): see `Goal`. tolerances (2,): m and rad; with
    none the guesses are left. start: empty, or (n,) what the first pose begins from, each other one
    then from the one before; that ends where a pose is not met, or a joint moves by more than
    `most`, rad or m. deadline: of `clock`, s; after it, too, and the other guesses are left.
    errors (m, 2) receives position and orientation errors, m and rad. Return the
    number of poses up to there.
    """
    chain = unpack_chain(codes, numbers)
    n = q.shape[1]
    work = make_work(scratch, chain.column.shape[0], n)
    moves, chained = tolerances.shape[0] > 0, start.shape[0] > 0
    for i in range(q.shape[0]):
        if i % _LOOK == _LOOK - 1 and clock() >= deadline:
            if chained:
                return i
            moves = False
        if chained:
            for k in range(n):
                q[i, k] = start[k] if i == 0 else q[i - 1, k]
        task = make_task(poses[i], weights[i])
        error, position, orientation = residual(chain, task, work, q[i])
        if moves and error > _EXACT:
            minimise(chain, task, work, q[i])
            _, position, orientation = residual(chain, task, work, q[i])
        errors[i, 0], errors[i, 1] = position, orientation
        if not chained:
            continue
        moved = 0.0
        for k in range(n):
            moved = max(moved, abs(q[i, k] - (start[k] if i == 0 else q[i - 1, k])))
        met = position <= tolerances[0] and orientation <= tolerances[1]
        if not (met and moved <= most and moved < math.inf):
            return i
    return q.shape[0]
