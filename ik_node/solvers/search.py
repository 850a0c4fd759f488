"""Attempts from several initial guesses: q0 first, others only after it fails.

`search` and `try_starts` are templates: `attempt`, `bare_step` and `unpack_method` stand for a
method's kernels, bound by `_jit.specialise`.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ik_node._jit import (
    Integers,
    Kernel,
    Layout,
    Matrix,
    Stack,
    Vector,
    clock,
    entry,
    inline,
    njit,
    rare,
    specialise,
)
from ik_node.kinematics.forward import ChainArrays, chain_frames
from ik_node.solvers.packing import method_at, unpack_chain, unpack_settings, unpack_table
from ik_node.solvers.preference import selection_cost
from ik_node.solvers.restarts import next_start, pick_entries
from ik_node.solvers.settings import (
    BEYOND,
    CONVERGED,
    FIRST,
    INVALID,
    NEAREST,
    STALLED,
    TIMED_OUT,
    Settings,
    Work,
    make_work,
)
from ik_node.solvers.task import Task, make_task, task_error

_ROUNDING = 1e-12  # of a length: rounding error of a bound
AT_LIMIT = 1e-9    # rad or m: a smaller excess over a limit is a rounding error
_SOLUTIONS = 4  # solutions that are compared by their selection cost
STEP = -1     # instead of the first attempt: one bare step of the method
_FARTHEST = 1e12  # rad: turns beyond have no digits of an angle left
_FAR_NEARER = 0.5  # of the squared distance of the nearest solution: worth one more attempt


class Outcome(NamedTuple):
    """The outcome of a search; q is returned separately."""

    end: int
    """End of the best attempt: CONVERGED …, BEYOND reach, INVALID where q0 is not finite, or
    TIMED_OUT where the deadline was over before a solution was found."""
    iterations: int
    """Of the best attempt."""
    attempts: int
    error: float
    """Squared weighted error of the best, in m² and rad²."""
    position: float
    """Position error, m."""
    orientation: float
    """Orientation error, rad."""


def outcome_of(record: np.ndarray) -> Outcome:
    """Return the outcome in the record (8,) of a `search`."""
    end, iterations, attempts, error, position, orientation, _, _ = record.tolist()
    return tuple.__new__(  # as Outcome(…), in half the time
        Outcome, (int(end), int(iterations), int(attempts), error, position, orientation))


def make_search(name: str, method: Layout, attempt: Callable[..., Any],
                bare_step: Callable[..., Any], make_work: Kernel = make_work) -> Kernel:
    """Return the search of a method, from its settings' layout, its attempt and its bare step.

    make_work: as `settings.make_work`, for a method with more scratch arrays than `Work`.
    """
    tried = specialise(try_starts, f'try_starts_{name}', attempt=attempt)
    return specialise(search, f'search_{name}', entry, try_starts=tried, bare_step=bare_step,
                      unpack_method=method.unpack, make_work=make_work)


def attempt(chain: Any, task: Any, settings: Any, work: Any, swing: bool,
            q: Any) -> tuple[int, int]:
    """Stand for a method's attempt: iterate from q, in place; return (how it ended, iterations)."""
    raise NotImplementedError


def bare_step(chain: Any, task: Any, settings: Any, work: Any, q: Any, dq: Any) -> None:
    """Stand for one bare step of a method from q, written into dq."""
    raise NotImplementedError


def unpack_method(codes: Any, c: int, numbers: Any, x: int, m: int, n: int) -> Any:
    """Stand for `unpack` of the `Layout` of the method's own settings."""
    raise NotImplementedError


def search(codes: Integers, numbers: Vector, poses: Stack, weights: Vector, starts: Matrix,
           first: int, last: int, deadline: float, scratch: Vector, record: Matrix,
           q_best: Matrix) -> bool:
    """Make attempts first … last − 1 for each of poses (m, 4, 4), until one meets it.

    codes, numbers: `Packed`. Attempt 0 starts from starts (m, n), the others as
    `restarts.next_start` says. record (m, 8): results, whose first six entries
    are an `Outcome`; where first is not 0, those of earlier attempts. Writes the best q into
    q_best (m, n). deadline: of `clock`, s; when it is over, the attempt under way ends, after its
    first few iterations at least. Returns whether further attempts at the last pose would change
    nothing.

    With first = STEP one bare step of the method from starts is written into q_best instead. It
    shares the entry, since its callees take seconds to compile.
    """
    chain = unpack_chain(codes, numbers)
    n = starts.shape[1]
    c, x = method_at(codes)
    settings = unpack_settings(codes, numbers, unpack_method(codes, c, numbers, x, codes[0], n))
    work = make_work(scratch, chain.column.shape[0], n)
    work.deadline[0] = deadline
    done = True
    for i in range(poses.shape[0]):
        task = make_task(poses[i], weights)
        if first == STEP:
            bare_step(chain, task, settings, work, starts[i], q_best[i])
            continue
        if first == 0:
            begin_record(record[i])
        done = try_starts(codes, numbers, chain, task, settings, work, starts[i], first, last,
                          record[i], q_best[i])
    return done


@njit
def begin_record(record: Vector) -> None:
    """Initialise a record (8,): an `Outcome`, the number of solutions, the least selection cost."""
    for i in range(8):
        record[i] = 0.0 if i < 3 or i == 6 else math.inf
    record[0] = STALLED


def try_starts(codes: Integers, numbers: Vector, chain: ChainArrays, task: Task, settings: Settings,
               work: Work, q0: Vector, first: int, last: int, record: Vector,
               q_best: Vector) -> bool:
    """Make attempts, given the record (8,) of earlier ones, until one meets the goal.

    The first starts from q0, the others from `next_start`. Arguments and result: see `search`.
    """
    n = q0.shape[0]
    q, start = work.q, work.start
    for k in range(n):
        if not math.isfinite(q0[k]):
            record[0] = INVALID
            return True
        start[k] = q0[k]
    into_limits(chain, start)
    constrained = work.constrained
    for i in range(6):
        constrained[i] = 1.0 if task.weights[i] > 0.0 else 0.0
    plain = make_task(task.T_base_goal, constrained)
    beyond = beyond_reach(task, settings)
    if beyond:
        last = min(last, 1)
    entries, late = 0, False
    for index in range(first, last):
        if index > 0 and clock() >= work.deadline[0]:
            late = True
            break
        if index == 0:
            for k in range(n):
                q[k] = start[k]
        else:
            table = unpack_table(codes, numbers)
            if index == max(first, 1):
                entries = pick_entries(chain, task, settings, work, table, start)
            next_start(chain, settings, work, table, entries, index - 1, start, q)
        # Weights matter where errors compete; where the goal can be met they would only slow
        # convergence.
        end, iterations = attempt(chain, plain, settings, work, index > 0, q)
        nearest_turn(chain, start, q)
        for k in range(n):  # rounding may exceed a limit
            q[k] = min(max(q[k], chain.lower[k]), chain.upper[k])
        error, position, orientation = residual(chain, task, work, q)
        if not error < math.inf:  # steps that overflowed
            for k in range(n):
                q[k] = start[k]
            error, position, orientation = residual(chain, task, work, q)
        met = (position <= settings.position_tolerance
               and orientation <= settings.orientation_tolerance)
        late = end == TIMED_OUT
        record[2] += 1
        better = record[6] == 0.0 and (error < record[3] or index == 0)
        if met:
            end = CONVERGED
            cost = selection_cost(chain, task, settings, work, start, q)
            better = record[6] == 0.0 or cost < record[7]
            record[6] += 1.0
            record[7] = min(record[7], cost)
        if better:
            for k in range(n):
                q_best[k] = q[k]
            record[0], record[1] = end, iterations
            record[3], record[4], record[5] = error, position, orientation
        if record[6] > 0.0 and (
                settings.prefer == FIRST or record[6] == _SOLUTIONS
                or (settings.prefer == NEAREST and (
                    index == 0 or nothing_nearer(work, index, entries, record[7])))):
            return True
        if late:
            break
    if record[6] == 0.0 and (beyond or late):
        record[0] = BEYOND if beyond else TIMED_OUT
    return beyond or late


@inline
def nothing_nearer(work: Work, index: int, entries: int, distance: float) -> bool:
    """Tell whether no remaining entry promises a solution much nearer to q0 than `distance`."""
    if entries == 0:
        return False
    nearest = math.inf
    for i in range(index, entries):
        nearest = min(nearest, work.picked[1, i])
    return nearest >= _FAR_NEARER * distance


@entry
def goal_error(codes: Integers, numbers: Vector, T_base_goal: Matrix, weights: Vector,
               scratch: Vector, q: Vector) -> tuple[float, float, float]:
    """Return (squared weighted error, position error in m, orientation error in rad) at q (n,)."""
    chain = unpack_chain(codes, numbers)
    work = make_work(scratch, chain.column.shape[0], q.shape[0])
    return residual(chain, make_task(T_base_goal, weights), work, q)


@njit
def residual(chain: ChainArrays, task: Task, work: Work, q: Vector) -> tuple[float, float, float]:
    """Return the errors of `goal_error`; work.frames are then q's."""
    V = work.V
    chain_frames(chain, q, work.frames)
    position, orientation = task_error(task, work.frames[-1], work.R, work.e, V)
    error = 0.0
    for i in range(6):
        error += V[i] * V[i]
    return error, position, orientation


@rare
def beyond_reach(task: Task, settings: Settings) -> bool:
    """Tell whether the tip, or the wrist, would have to leave its bounding ball.

    The tip along the constrained axes of the position; the wrist, where all six axes are
    constrained. With a fully constrained position the tip cannot enter the ball of radius
    `settings.hole` either.
    """
    T, weights, centre = task.T_base_goal, task.weights, settings.centre
    squared, whole = 0.0, True
    for j in range(3):
        if weights[j] == 0.0:
            whole = False
            continue
        off = 0.0
        for i in range(3):
            off += T[i, j] * (T[i, 3] - centre[i])
        squared += off * off
    slack = settings.position_tolerance + _ROUNDING * settings.length
    if squared > ((1.0 + _ROUNDING) * settings.reach + slack) ** 2:
        return True
    if not whole:
        return False
    if settings.hole > slack and squared < (settings.hole - slack) ** 2:
        return True
    if task.rows < 6:
        return False
    x, y, z = settings.wrist
    squared = 0.0
    for i in range(3):
        there = T[i, 3] + T[i, 0] * x + T[i, 1] * y + T[i, 2] * z
        squared += (there - settings.wrist_centre[i]) ** 2
    allowed = ((1.0 + _ROUNDING) * settings.wrist_reach + slack
               + math.sqrt(x * x + y * y + z * z) * settings.orientation_tolerance)
    return squared > allowed * allowed


@entry
def nearest_turn(chain: ChainArrays, q0: Vector, q: Vector) -> None:
    """Wrap revolute joints of q in place by whole turns, inside the limits, nearest to q0.

    A joint that a whole turn brings within rounding of a limit is set to that limit.
    """
    turn, lower, upper, turns = 2.0 * math.pi, chain.lower, chain.upper, chain.turns
    for k in range(q.shape[0]):
        if not turns[k] or (abs(q0[k] - q[k]) <= math.pi and lower[k] <= q[k] <= upper[k]):
            continue
        count, off = 0, min(max(q0[k] - q[k], -_FARTHEST), _FARTHEST)
        if abs(off) > math.pi:  # skips the division in the usual case
            count = round(off / turn)
        least, most = lower[k] - AT_LIMIT, upper[k] + AT_LIMIT
        if q[k] + turn * count > most:
            count = math.floor((most - q[k]) / turn)
            if q[k] + turn * count > most:  # by rounding
                count -= 1
        if q[k] + turn * count < least:
            count = math.ceil((least - q[k]) / turn)
            if q[k] + turn * count < least:
                count += 1
        turned = q[k] + turn * count
        if turned <= most:
            q[k] = min(max(turned, lower[k]), upper[k])


@entry
def into_limits(chain: ChainArrays, q: Vector) -> None:
    """Bring q (n,) inside the limits in place: by whole turns where possible, else clipped."""
    turn, lower, upper = 2.0 * math.pi, chain.lower, chain.upper
    for k in range(q.shape[0]):
        if lower[k] <= q[k] <= upper[k]:
            continue
        if chain.turns[k]:
            turned = q[k] - turn * math.ceil((q[k] - upper[k] - AT_LIMIT) / turn)
            if q[k] < lower[k]:
                turned = q[k] + turn * math.ceil((lower[k] - q[k] - AT_LIMIT) / turn)
            if lower[k] - AT_LIMIT <= turned <= upper[k] + AT_LIMIT:
                q[k] = turned
        q[k] = min(max(q[k], lower[k]), upper[k])
