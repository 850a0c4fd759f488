"""The descent of one level of packed tasks, as `descent.descend`, in one kernel call."""

import math

from ik_node._jit import Integers, Matrix, Vector, entry, njit
from ik_node.solvers.body.level_kernels import LEVEL, level_rows, task_misses
from ik_node.solvers.body.packing import Problem, SearchWork, unpack_problem, unpack_work
from ik_node.solvers.body.step_kernels import bounded_step_of
from ik_node.tasks.kernels import TaskWork

CONVERGED, STALLED, EXHAUSTED, RUNNING = range(4)  # how an attempt ended; RUNNING: it goes on
BOTH, DESCEND, VERIFY = range(3)                   # what `attempt` does

_LEAST, _MOST = 1e-7, 1e6  # of the damping over the cost
_FIRST = 1e-2
_PATIENCE = 8              # iterations within which the cost has to shrink to _PROGRESS of itself
_PROGRESS = 0.9
_SMALL = 1e-9              # rad, m: a step after which there is nothing left to do
_TINY = 1e-14
_TURN = 2.0 * math.pi


@entry
def attempt(codes: Integers, numbers: Vector, level: Integers, state: Vector, scratch: Vector,
            indices: Integers, start: Vector, q: Vector, misses: Matrix) -> int:
    """Descend from q (n,), in place; return how that ended.

    state (7,): iteration, μ, marked cost, since when, the iteration at which it is RUNNING, to go
    on at the next call, whether the necessary tasks are met, and what to do: DESCEND, VERIFY or
    both. All but the last and `until` begin as zero.
    To verify, continuous joints are brought to the turn nearest to start (n,), and what tasks miss
    is written into misses (t, 2), m and rad, from frames computed anew. scratch and indices
    (2 m + n,) are of no meaning.
    """
    problem = unpack_problem(codes, numbers)
    work, search = unpack_work(scratch, codes[0], codes[1], codes[3])
    status, mode = CONVERGED, int(state[6])
    if mode != VERIFY:
        status = descend_level(problem, level, state, work, search, indices, q)
    if status != RUNNING and mode != DESCEND:
        state[5] = 1.0 if _verify(problem, work, search, start, q, misses) else 0.0
    return status


@njit
def _verify(problem: Problem, work: TaskWork, search: SearchWork, start: Vector, q: Vector,
            misses: Matrix) -> bool:
    """Turn q (n,) to the start's turn, write what tasks miss, and tell whether all is met."""
    settings, found = problem.settings, search.trial
    differs = False
    for k in range(q.shape[0]):
        found[k] = q[k]
        if settings.turns[k] != 0:
            turn = math.floor((q[k] - start[k]) / _TURN + 0.5)
            if turn != 0:
                differs = True
                q[k] -= _TURN * turn
    if task_misses(problem, work, q, search.A, search.e, misses):
        return True
    if not differs:
        return False
    # A posture may want the turn that was found.
    if task_misses(problem, work, found, search.A, search.e, misses):
        for k in range(q.shape[0]):
            q[k] = found[k]
        return True
    task_misses(problem, work, q, search.A, search.e, misses)
    return False


@njit
def descend_level(problem: Problem, level: Integers, state: Vector, work: TaskWork,
                  search: SearchWork, indices: Integers, q: Vector) -> int:
    """Minimise the cost of a level from q (n,), in place; see `descent.descend` and `attempt`.

    Search work has room for the rows of all tasks; those of the level come first.
    """
    s, m, n = problem.settings, level[0], q.shape[0]
    any_one_sided, settles = level[1] != 0, level[2] != 0
    one_sided = search.sides
    _sides(problem, level, one_sided)
    iteration, mu, marked, since = int(state[0]), state[1], state[2], int(state[3])
    until = int(state[4])
    x, trial = search.x, search.trial
    rows = level_rows(problem, level, work, q, search.A, search.e)
    cost, met = rows.cost, rows.met
    if iteration == 0:
        mu, marked, since = _FIRST, cost, 0
    status = RUNNING
    while True:
        if met and not settles:
            status = CONVERGED
            break
        if iteration >= s.max_iterations:
            status = CONVERGED if met else EXHAUSTED
            break
        if iteration >= until:
            break
        A, e = search.A, search.e
        weighted2 = _missed2(e, one_sided, m)
        for k in range(n):
            search.lower[k] = max(s.lower[k] - q[k], -s.step[k])
            search.upper[k] = min(s.upper[k] - q[k], s.step[k])
            if s.is_scaled:
                search.lower[k] /= s.scale[k]
                search.upper[k] /= s.scale[k]
                for i in range(m):
                    A[k, i] *= s.scale[k]
        bounded_step_of(search, indices, m, any_one_sided, one_sided,
                        mu * 0.5 * weighted2 + _TINY)
        for i in range(m):
            search.left[i] = e[i]
        size = 0.0
        for k in range(n):
            if x[k] != 0.0:
                for i in range(m):
                    search.left[i] -= A[k, i] * x[k]
            change = x[k] * s.scale[k] if s.is_scaled else x[k]
            size = max(size, abs(change))
            trial[k] = min(max(q[k] + change, s.lower[k]), s.upper[k])
        predicted = 0.5 * (weighted2 - _missed2(search.left, one_sided, m))
        there = level_rows(problem, level, work, trial, search.A_trial, search.e_trial)
        gained = cost - there.cost
        iteration += 1
        if gained > 0.0 or (there.met and not met):
            mu = max(mu * (0.2 if gained > 0.75 * predicted else
                           1.0 if gained > 0.25 * predicted else 3.0), _LEAST)
            for k in range(n):
                q[k] = trial[k]
            cost, met = there.cost, there.met
            if s.floats and shorten_rotation(q):
                rows = level_rows(problem, level, work, q, search.A_trial, search.e_trial)
                cost, met = rows.cost, rows.met
            for k in range(n):
                for i in range(m):
                    A[k, i] = search.A_trial[k, i]
            for i in range(m):
                e[i] = search.e_trial[i]
        else:
            mu = max(8.0 * mu, 1e-3)
            if s.is_scaled:
                level_rows(problem, level, work, q, A, e)
        if size < _SMALL or mu > _MOST:
            status = CONVERGED if met else STALLED
            break
        since += 1
        if since >= _PATIENCE:
            if cost > marked - (1.0 - _PROGRESS) * abs(marked) and not (
                    settles and marked - cost > 1e-9 * abs(marked)):
                status = CONVERGED if met else STALLED
                break
            marked, since = cost, 0
    state[0], state[1], state[2], state[3] = iteration, mu, marked, since
    return status


@njit
def shorten_rotation(q: Vector) -> bool:
    """Make the rotation vector q[3:6] no longer than 1.5 π; tell whether it was.

    The same rotation by another vector: at a length of 2π the vector's derivatives vanish.
    """
    angle = math.sqrt(q[3] * q[3] + q[4] * q[4] + q[5] * q[5])
    if not angle > 1.5 * math.pi:
        return False
    factor = 1.0 - _TURN * math.floor(angle / _TURN + 0.5) / angle
    for k in range(3, 6):
        q[k] *= factor
    return True


@njit
def _sides(problem: Problem, level: Integers, one_sided: Vector) -> None:
    """Write which rows of a level are one-sided (m,)."""
    first = 0
    for index in range(LEVEL, level.shape[0]):
        record = problem.tasks[level[index]]
        for row in range(record[3]):
            one_sided[first + row] = problem.one_sided[record[6] + row]
        first += record[3]


@njit
def _missed2(e: Vector, one_sided: Vector, m: int) -> float:
    """Return |e|² (m,) of the rows that miss something."""
    total = 0.0
    for i in range(m):
        if not (one_sided[i] != 0.0 and e[i] < 0.0):
            total += e[i] * e[i]
    return total
