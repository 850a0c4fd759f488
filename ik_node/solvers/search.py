"""Attempts from several starts: q0 first, others only when that failed.

`search` and `step` are templates: `attempt` and `bare_step` stand for a method's kernels, bound by
`_jit.specialise`.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ik_node._jit import allocating, njit, specialise
from ik_node.kinematics.forward import chain_frames
from ik_node.solvers.settings import CONVERGED, STALLED, make_work
from ik_node.solvers.task import task_error


class Kernels(NamedTuple):
    """What a method runs on: `search` and `step` below, made its own."""

    search: Callable[..., Any]
    step: Callable[..., Any]


def make_kernels(name: str, attempt: Callable[..., Any], bare_step: Callable[..., Any]) -> Kernels:
    """Return the kernels of the method called `name`, given its attempt and its bare step."""
    return Kernels(specialise(search, f'search_{name}', allocating, attempt=attempt),
                   specialise(step, f'step_{name}', allocating, bare_step=bare_step))


def attempt(chain: Any, task: Any, settings: Any, work: Any, swing: bool,
            q: Any) -> tuple[int, int]:
    """Stand for a method's attempt: iterate from q, in place; return (how it ended, iterations)."""
    raise NotImplementedError


def bare_step(chain: Any, task: Any, settings: Any, work: Any, q: Any, dq: Any) -> None:
    """Stand for one bare step of a method from q, written into dq."""
    raise NotImplementedError


def search(chain, task, settings, q0, samples, first, last, q_best):
    """Make the attempts first … last − 1 until one meets the goal; write the best q into q_best.

    Attempt 0 starts from q0 (n,), attempt i from samples[i − 1] (n,), numbers in [0, 1) that are
    spread over the limits. Returns (how the best one ended, its iterations, attempts made, its
    squared error, its position error, its orientation error).
    """
    n = q0.shape[0]
    work = make_work(chain.column.shape[0], n)
    q = np.empty(n)
    best = (STALLED, 0, 0, math.inf, math.inf, math.inf)
    for index in range(first, last):
        if index == 0:
            for k in range(n):
                q[k] = q0[k]
        else:
            _start(chain, q0, samples[index - 1], q)
        end, iterations = attempt(chain, task, settings, work, index > 0, q)
        nearest_turn(chain, q0, q)
        for k in range(n):  # a sum that was to end at a limit may be a rounding error beyond
            q[k] = min(max(q[k], chain.lower[k]), chain.upper[k])
        error, position, orientation = _residual(chain, task, work, q)
        met = (position <= settings.position_tolerance
               and orientation <= settings.orientation_tolerance)
        if met or error < best[3]:
            for k in range(n):
                q_best[k] = q[k]
            best = (CONVERGED if met else end, iterations, index - first + 1, error, position,
                    orientation)
        if met:
            return best
    return best[0], best[1], last - first, best[3], best[4], best[5]


def step(chain, task, settings, q, dq):
    """Write one bare step of the method from q (n,) into dq (n,); of ccd, a sweep."""
    bare_step(chain, task, settings, make_work(chain.column.shape[0], q.shape[0]), q, dq)


@allocating
def goal_error(chain, task, q):
    """Return (squared weighted error, position error in m, orientation error in rad) at q (n,)."""
    return _residual(chain, task, make_work(chain.column.shape[0], q.shape[0]), q)


@njit
def _residual(chain, task, work, q):
    chain_frames(chain, q, work.frames)
    position, orientation = task_error(task, work.frames[-1], work.R, work.e, work.V)
    error = 0.0
    for i in range(6):
        error += work.V[i] * work.V[i]
    return error, position, orientation


@njit
def nearest_turn(chain, q0, q):
    """Turn q in place by whole turns, inside the limits, to come nearest q0; never a prismatic."""
    turn = 2.0 * math.pi
    for k in range(q.shape[0]):
        if not chain.turns[k]:
            continue
        turned = q[k] + turn * round((q0[k] - q[k]) / turn)
        while turned > chain.upper[k]:
            turned -= turn
        while turned < chain.lower[k]:
            turned += turn
        if turned <= chain.upper[k]:
            q[k] = turned


@njit
def into_limits(chain, q):
    """Bring q (n,) inside the limits in place: by whole turns where that does it, else clipped."""
    turn = 2.0 * math.pi
    for k in range(q.shape[0]):
        lower, upper = chain.lower[k], chain.upper[k]
        if chain.turns[k] and not lower <= q[k] <= upper:
            turned = q[k] - turn * math.ceil((q[k] - upper) / turn)
            if q[k] < lower:
                turned = q[k] + turn * math.ceil((lower - q[k]) / turn)
            if lower <= turned <= upper:
                q[k] = turned
        q[k] = min(max(q[k], lower), upper)


@njit
def _start(chain, q0, sample, q):
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
