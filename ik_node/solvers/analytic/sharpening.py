"""Answers brought to the last digits, and along a continuum of postures to inside the limits."""

import math

from ik_node._jit import inline, njit
from ik_node.solvers.analytic.desk import copy_to
from ik_node.solvers.analytic.finishing import beyond, forget, overshoot
from ik_node.solvers.analytic.polish import STEPS, across_fold, is_singular, polish
from ik_node.solvers.packing import unpack_chain
from ik_node.solvers.search import residual
from ik_node.solvers.settings import make_work
from ik_node.solvers.task import make_task

VERIFIED = 1e-18      # squared error every answer has, where any has


@njit
def sharpen(codes, numbers, T_base_goal, weights, scratch, q):
    """Bring an answer q (n,) to the last digits in place, where the limits let it."""
    chain = unpack_chain(codes, numbers)
    work = make_work(scratch, chain.column.shape[0], q.shape[0])
    return sharpened(chain, make_task(T_base_goal, weights), work, q)


@njit
def sharpened(chain, task, work, q):
    """Do the work of `sharpen`; return (position error, orientation error)."""
    n = q.shape[0]
    held, sharp, start = work.slope, work.q, work.start
    for k in range(n):
        held[k], sharp[k] = 0.0, q[k]
    if _polish_inside(chain, task, work, held, sharp) > VERIFIED:
        copy_to(start, sharp)
        for side in (1, -1):
            for k in range(n):
                held[k] = 0.0
            if across_fold(chain, task, work, held, start, side, sharp) and _polish_inside(
                    chain, task, work, held, sharp) <= VERIFIED:
                break
            copy_to(sharp, start)
    if overshoot(chain, sharp) == 0.0:
        copy_to(q, sharp)
    _, position, orientation = residual(chain, task, work, q)
    return position, orientation


@njit
def _polish_inside(chain, task, work, held, q):
    """Polish q (n,) in place, with joints that leave their limits held there; return the error.

    held (n,): 1 for joints that stay where they are; those at their limits are added. The others
    make up for them, where they can.
    """
    n = q.shape[0]
    for _ in range(n + 1):
        error, _, _ = polish(chain, task, work, held, q, STEPS)
        if overshoot(chain, q) == 0.0:
            return error
        for k in range(n):
            within = min(max(q[k], chain.lower[k]), chain.upper[k])
            if within != q[k]:
                q[k], held[k] = within, 1.0
    return math.inf


@inline
def on_continuum(chain, desk, q):
    """Tell whether q (n,) is one of a continuum of postures, or all but that."""
    forget(chain, desk)
    return q.shape[0] == 6 and is_singular(chain, desk.work, q)


@njit
def slid_inside(chain, task, desk, q):
    """Move q (n,), one of a continuum, along it to where it is inside the limits; in place.

    Return the squared error there; infinite where there is no such place, or no continuum.
    """
    if not on_continuum(chain, desk, q):
        return math.inf
    n, held, slid = q.shape[0], desk.work.slope, desk.work.start
    most = 0
    for k in range(n):
        if beyond(chain, q, k) > beyond(chain, q, most):
            most = k
    for side in range(2):  # whole turns aside both limits are near, and one may lead nowhere
        copy_to(held, desk.held)
        copy_to(slid, q)
        held[most] = 1.0
        slid[most] = chain.lower[most] if (q[most] > chain.upper[most]) == (side == 1) else (
            chain.upper[most])
        error = _polish_inside(chain, task, desk.work, held, slid)
        if error <= VERIFIED:
            copy_to(q, slid)
            return error
    return math.inf
