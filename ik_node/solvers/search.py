"""Attempts from several starts: q0 first, others only when that failed.

`search`, `resume`, `search_batch` and `step` are templates: `attempt`, `bare_step` and
`unpack_method` stand for a method's kernels, bound by `_jit.specialise`.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ik_node._jit import njit, specialise
from ik_node.kinematics.forward import chain_frames
from ik_node.solvers.packing import method_at, unpack_chain, unpack_settings
from ik_node.solvers.preference import regret
from ik_node.solvers.settings import (
    BEYOND,
    CONVERGED,
    FIRST,
    INVALID,
    NEAREST,
    STALLED,
    make_work,
)
from ik_node.solvers.task import make_task, task_error

_ANSWERS = 4  # that are compared, where one is preferred and another came first


class Kernels(NamedTuple):
    """What a method runs on: the templates below, made its own."""

    search: Callable[..., Any]
    resume: Callable[..., Any]
    search_batch: Callable[..., Any]
    step: Callable[..., Any]


class Outcome(NamedTuple):
    """What a search found; q is handed back beside it."""

    end: int
    """How the best attempt ended: CONVERGED …, BEYOND reach, or INVALID where q0 is not finite."""
    iterations: int
    """Of the best attempt."""
    attempts: int
    error: float
    """Squared weighted error of the best, in m² and rad²."""
    position: float
    """Position error, m."""
    orientation: float
    """Orientation error, rad."""


def outcome_of(known: np.ndarray) -> Outcome:
    """Return what is known (8,) after a `resume` or a `search_batch`."""
    end, iterations, attempts, *errors = known[:6].tolist()
    return Outcome(int(end), int(iterations), int(attempts), *errors)


def make_kernels(name: str, unpack_method: Callable[..., Any], attempt: Callable[..., Any],
                 bare_step: Callable[..., Any]) -> Kernels:
    """Return the kernels of the method called `name`, given its settings, attempt and step."""
    tried = specialise(try_starts, f'try_starts_{name}', attempt=attempt)
    own = {'try_starts': tried, 'unpack_method': unpack_method}
    return Kernels(
        specialise(search, f'search_{name}', **own),
        specialise(resume, f'resume_{name}', **own),
        specialise(search_batch, f'search_batch_{name}', **own),
        specialise(step, f'step_{name}', bare_step=bare_step, unpack_method=unpack_method))


def attempt(chain: Any, task: Any, settings: Any, work: Any, swing: bool,
            q: Any) -> tuple[int, int]:
    """Stand for a method's attempt: iterate from q, in place; return (how it ended, iterations)."""
    raise NotImplementedError


def bare_step(chain: Any, task: Any, settings: Any, work: Any, q: Any, dq: Any) -> None:
    """Stand for one bare step of a method from q, written into dq."""
    raise NotImplementedError


def unpack_method(numbers: Any, at: int, n: int) -> Any:
    """Stand for what makes the method's own settings from what `pack` laid out from `at` on."""
    raise NotImplementedError


def search(codes, numbers, T_base_goal, weights, q0, samples, last, scratch, q_best):
    """Make the attempts 0 … last − 1 until one meets the goal; write the best q into q_best (n,).

    codes, numbers: `Packed`. Attempt 0 starts from q0 (n,), attempt i from samples[i − 1] (n,),
    numbers in [0, 1) that are spread over the limits. Returns an `Outcome`.
    """
    chain = unpack_chain(codes, numbers)
    settings = unpack_settings(codes, numbers, unpack_method(
        numbers, method_at(codes), q0.shape[0]))
    work = make_work(scratch, chain.column.shape[0], q0.shape[0])
    task, known = make_task(T_base_goal, weights), work.known
    begin(known)
    try_starts(chain, task, settings, work, q0, samples, 0, last, known, q_best)
    return int(known[0]), int(known[1]), int(known[2]), known[3], known[4], known[5]


def resume(codes, numbers, T_base_goal, weights, q0, samples, first, last, known, scratch, q_best):
    """Make the attempts first … last − 1 of a `search`, after those that `known` (8,) tells of.

    Returns whether more would change nothing. A kernel has no clock: with a bound on the time a
    search is made bit by bit.
    """
    chain = unpack_chain(codes, numbers)
    settings = unpack_settings(codes, numbers, unpack_method(
        numbers, method_at(codes), q0.shape[0]))
    work = make_work(scratch, chain.column.shape[0], q0.shape[0])
    return try_starts(chain, make_task(T_base_goal, weights), settings, work, q0, samples, first,
                      last, known, q_best)


def search_batch(codes, numbers, poses, weights, starts, samples, last, scratch, q_best, known):
    """Make whole searches for poses (m, 4, 4) from starts (m, n).

    Writes q_best (m, n) and known (m, 8), whose first six entries are those of an `Outcome`.
    """
    chain = unpack_chain(codes, numbers)
    n = starts.shape[1]
    settings = unpack_settings(codes, numbers, unpack_method(numbers, method_at(codes), n))
    work = make_work(scratch, chain.column.shape[0], n)
    for i in range(poses.shape[0]):
        begin(known[i])
        try_starts(chain, make_task(poses[i], weights), settings, work, starts[i], samples, 0, last,
                   known[i], q_best[i])


def step(codes, numbers, T_base_goal, weights, scratch, q, dq):
    """Write one bare step of the method from q (n,) into dq (n,); of ccd, a sweep."""
    chain = unpack_chain(codes, numbers)
    settings = unpack_settings(codes, numbers, unpack_method(
        numbers, method_at(codes), q.shape[0]))
    work = make_work(scratch, chain.column.shape[0], q.shape[0])
    bare_step(chain, make_task(T_base_goal, weights), settings, work, q, dq)


@njit
def begin(known):
    """Write into known (8,) that nothing is: an `Outcome`, answers found, the least regret."""
    for i in range(8):
        known[i] = 0.0 if i < 3 or i == 6 else math.inf
    known[0] = STALLED


def try_starts(chain, task, settings, work, q0, samples, first, last, known, q_best):
    """Make attempts, from what is known (8,) of those before; see `search` and `resume`."""
    n = q0.shape[0]
    q, start = work.q, work.start
    for k in range(n):
        if not math.isfinite(q0[k]):
            known[0] = INVALID
            return True
        start[k] = q0[k]
    into_limits(chain, start)
    beyond = beyond_reach(task, settings)
    if beyond:
        last = min(last, 1)
    for index in range(first, last):
        if index == 0:
            for k in range(n):
                q[k] = start[k]
        else:
            spread(chain, start, samples[index - 1], q)
        end, iterations = attempt(chain, task, settings, work, index > 0, q)
        nearest_turn(chain, start, q)
        for k in range(n):  # a sum that was to end at a limit may be a rounding error beyond
            q[k] = min(max(q[k], chain.lower[k]), chain.upper[k])
        error, position, orientation = residual(chain, task, work, q)
        met = (position <= settings.position_tolerance
               and orientation <= settings.orientation_tolerance)
        known[2] += 1
        better = error < known[3] and known[6] == 0.0
        if met:
            end = CONVERGED
            cost = regret(chain, task, settings, work, start, q)
            better = known[6] == 0.0 or cost < known[7]
            known[6] += 1.0
            known[7] = min(known[7], cost)
        if better:
            for k in range(n):
                q_best[k] = q[k]
            known[0], known[1] = end, iterations
            known[3], known[4], known[5] = error, position, orientation
        if met and (settings.prefer == FIRST or known[6] == _ANSWERS
                    or (settings.prefer == NEAREST and index == 0)):
            return True
    if beyond and known[6] == 0.0:
        known[0] = BEYOND
    return beyond


@njit
def goal_error(codes, numbers, T_base_goal, weights, scratch, q):
    """Return (squared weighted error, position error in m, orientation error in rad) at q (n,)."""
    chain = unpack_chain(codes, numbers)
    work = make_work(scratch, chain.column.shape[0], q.shape[0])
    return residual(chain, make_task(T_base_goal, weights), work, q)


@njit
def residual(chain, task, work, q):
    """Return what `goal_error` does; the frames are then q's."""
    V = work.V
    chain_frames(chain, q, work.frames)
    position, orientation = task_error(task, work.frames[-1], work.R, work.e, V)
    error = 0.0
    for i in range(6):
        error += V[i] * V[i]
    return error, position, orientation


@njit
def beyond_reach(task, settings):
    """Tell whether the tip, or the wrist, would have to leave the ball that it cannot leave.

    The tip, where the position is asked for in full; the wrist, where the pose is.
    """
    T, weights, centre = task.T_base_goal, task.weights, settings.centre
    squared = 0.0
    for i in range(3):
        if weights[i] == 0.0:
            return False
        squared += (T[i, 3] - centre[i]) ** 2
    if squared > (settings.reach + settings.position_tolerance) ** 2:
        return True
    if task.rows < 6:
        return False
    x, y, z = settings.wrist
    squared = 0.0
    for i in range(3):
        there = T[i, 3] + T[i, 0] * x + T[i, 1] * y + T[i, 2] * z
        squared += (there - settings.wrist_centre[i]) ** 2
    allowed = (settings.wrist_reach + settings.position_tolerance
               + math.sqrt(x * x + y * y + z * z) * settings.orientation_tolerance)
    return squared > allowed * allowed


@njit
def nearest_turn(chain, q0, q):
    """Turn q in place by whole turns, inside the limits, to come nearest q0; never a prismatic."""
    turn, lower, upper, turns = 2.0 * math.pi, chain.lower, chain.upper, chain.turns
    for k in range(q.shape[0]):
        if not turns[k] or (abs(q0[k] - q[k]) <= math.pi and lower[k] <= q[k] <= upper[k]):
            continue
        turned, off = q[k], q0[k] - q[k]
        if abs(off) > math.pi:  # else there is no nearer turn: most often, and dividing takes long
            turned += turn * round(off / turn)
        while turned > upper[k]:
            turned -= turn
        while turned < lower[k]:
            turned += turn
        if turned <= upper[k]:
            q[k] = turned


@njit
def into_limits(chain, q):
    """Bring q (n,) inside the limits in place: by whole turns where that does it, else clipped."""
    turn, lower, upper = 2.0 * math.pi, chain.lower, chain.upper
    for k in range(q.shape[0]):
        if lower[k] <= q[k] <= upper[k]:
            continue
        if chain.turns[k]:
            turned = q[k] - turn * math.ceil((q[k] - upper[k]) / turn)
            if q[k] < lower[k]:
                turned = q[k] + turn * math.ceil((lower[k] - q[k]) / turn)
            if lower[k] <= turned <= upper[k]:
                q[k] = turned
        q[k] = min(max(q[k], lower[k]), upper[k])


@njit
def spread(chain, q0, sample, q):
    """Spread sample (n,), in [0, 1), over the limits into q (n,).

    A joint that can turn more than once starts within half a turn of q0, as far as its limits
    allow: the rest is the same posture again. Without limits a metre is as good as a radian.
    """
    for k in range(q.shape[0]):
        lower, upper = chain.lower[k], chain.upper[k]
        if upper - lower > 2.0 * math.pi and (chain.turns[k] or upper - lower == math.inf):
            lower = max(lower, min(q0[k] - math.pi, upper - 2.0 * math.pi))
            upper = min(upper, lower + 2.0 * math.pi)
        q[k] = lower + sample[k] * (upper - lower)
