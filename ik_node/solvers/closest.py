"""The configuration closest to a goal that cannot be met.

It minimises the sum of the squared weighted errors Σ (wᵢ eᵢ)², e in m and rad, within the limits.
The methods that solve goals are no minimisers; this one is shared by all of them:
Levenberg–Marquardt with the damping of Nielsen [Madsen, Nielsen & Tingleff 2004, algorithm 3.16],
from several initial guesses, with joints pressed against a limit held there.
"""

import contextlib
import math

import numpy as np

from ik_node._jit import (
    Integers,
    Matrix,
    OutOfTimeError,
    Vector,
    clock,
    entry,
    njit,
    unlimited,
)
from ik_node.kinematics.forward import ChainArrays
from ik_node.kinematics.jacobian import chain_jacobian
from ik_node.model.chain import Chain
from ik_node.solvers.goal import Goal
from ik_node.solvers.jacobian.linear import cholesky, cholesky_solve, gram, times_transpose
from ik_node.solvers.low_discrepancy import low_discrepancy
from ik_node.solvers.packing import pack, unpack_chain
from ik_node.solvers.restarts import spread
from ik_node.solvers.search import goal_error, residual
from ik_node.solvers.settings import Work, make_scratch, make_work
from ik_node.solvers.task import Task, make_task, task_jacobian

_STARTS = 96        # of `closest_configuration`
_MOST_STEPS = 200   # from each of them
_SETTLED = 1e-9     # of the error: a step with a smaller reduction is the last


def closest(chain: Chain, goal: Goal, q: np.ndarray, deadline: float) -> tuple[float, float]:
    """Replace q (n,), inside the limits, in place by the closest configuration found.

    deadline: by time.perf_counter, s; after it, that is the local minimum from q or a few others.

    Return (position error in m, orientation error in rad).
    """
    samples = low_discrepancy(_STARTS - 1, chain.n_joints, 0)
    scratch, least = make_scratch(len(chain.arrays.column), chain.n_joints), np.array([math.inf])
    packed, first = pack(chain.arrays), 0
    with contextlib.suppress(OutOfTimeError):
        while first < _STARTS:  # as plain Python one at a time, until there is machine code
            last = _STARTS if closest_configuration.is_ready else first + 1
            closest_configuration(*packed, goal.pose, goal.weights, samples, first, last,
                                  deadline, scratch, least, q)
            first = last
    with unlimited():
        errors: tuple[float, float] = goal_error(*packed, goal.pose, goal.weights, scratch, q)[1:]
    return errors


@entry
def closest_configuration(codes: Integers, numbers: Vector, T_base_goal: Matrix, weights: Vector,
                    samples: Matrix, first: int, last: int, deadline: float, scratch: Vector,
                    least: Vector, q: Vector) -> None:
    """Replace q (n,) in place by the best local minimum from several initial guesses.

    Guess 0 is q, guess i is samples[i − 1] (n,), in [0, 1), scaled to the limits; those from first
    to last − 1 are tried, until the deadline, of `clock`, s, is over; guess 0 in any case. least
    (1,): the least error so far.
    """
    chain = unpack_chain(codes, numbers)
    work = make_work(scratch, chain.column.shape[0], q.shape[0])
    task = make_task(T_base_goal, weights)
    tried = work.q
    for k in range(q.shape[0]):
        work.unit[k] = 1.0
    for index in range(first, last):
        if index > 0 and clock() >= deadline:
            break
        if index == 0:
            for k in range(q.shape[0]):
                tried[k] = q[k]
        else:
            spread(chain, work.unit, work.start, samples[index - 1], tried)
        error = minimise(chain, task, work, tried)
        if error < least[0]:
            least[0] = error
            for k in range(q.shape[0]):
                q[k] = tried[k]
                if index == 0:
                    work.start[k] = q[k]


@njit
def minimise(chain: ChainArrays, task: Task, work: Work, q: Vector) -> float:
    """Replace q (n,) in place by a local minimum of Σ (wᵢ eᵢ)²; return its value.

    Since J_r⁻¹(e)ᵀ e = e, Jᵀ V is the gradient for any size of the rotation error.
    """
    J, V, A, beta, dq, z, lower, upper = (
        work.J, work.V, work.A, work.beta, work.dq, work.z, chain.lower, chain.upper)
    n = q.shape[0]
    error, _, _ = residual(chain, task, work, q)
    damping, growth = 0.0, 2.0
    for step in range(_MOST_STEPS):
        chain_jacobian(chain, work.frames, work.frames[-1], J)
        task_jacobian(task, work.e, work.R, J)
        times_transpose(J, V, z)
        largest = 0.0
        for k in range(n):
            if (q[k] <= lower[k] and z[k] < 0.0) or (q[k] >= upper[k] and z[k] > 0.0):
                z[k] = 0.0
                for i in range(6):
                    J[i, k] = 0.0
            for i in range(6):
                largest = max(largest, J[i, k] * J[i, k])
        if step == 0:
            damping = 1e-3 * largest
        while True:
            gram(J, A)
            for i in range(6):
                A[i, i] += damping
            cholesky(A)
            cholesky_solve(A, V, beta)
            times_transpose(J, beta, dq)
            promised, moved = 0.0, 0.0
            for k in range(n):
                allowed = min(max(q[k] + dq[k], lower[k]), upper[k])
                change = allowed - q[k]
                promised += change * (damping * change + z[k])
                moved = max(moved, abs(change))
                work.direction[k] = q[k]
                q[k] = allowed  # q + (upper − q) may exceed upper by rounding
            gained = error - residual(chain, task, work, q)[0]
            if gained > 0.0:
                ratio = gained / promised if promised > 0.0 else 1.0
                damping *= max(1.0 / 3.0, 1.0 - (2.0 * ratio - 1.0) ** 3)
                growth = 2.0
                break
            for k in range(n):
                q[k] = work.direction[k]
            if moved < 1e-9 or damping > 1e9:
                residual(chain, task, work, q)
                return error
            damping = max(damping, 1e-12) * growth
            growth *= 2.0
        error -= gained
        if gained < _SETTLED * error:
            break
    return error
