"""Arms by the swivel angle: the answer where the limits leave room, and where the elbow is wanted.

The intervals of swivel angles inside the limits say where an answer is, however narrow they are;
and of no interval, that there is none.
"""

import math

from ik_node._jit import inline, njit
from ik_node.solvers.analytic.best_answer import FOUND, NONE, preferred
from ik_node.solvers.analytic.desk import lay_out
from ik_node.solvers.analytic.form import parameters_of, swivel_arm
from ik_node.solvers.analytic.redundancy import best_redundant, least_cost, refined
from ik_node.solvers.analytic.swivel import swivel_towards
from ik_node.solvers.analytic.swivel_intervals import (
    INTERVAL_SCRATCH,
    MOST_INTERVALS,
    swivel_intervals,
)
from ik_node.solvers.analytic.vector3 import cross, minus, moved, norm, row
from ik_node.solvers.settings import FIRST
from ik_node.solvers.task import make_task

ROOM_SCRATCH = 14 + INTERVAL_SCRATCH + 5 * MOST_INTERVALS

_WIDER = 5e-10        # rad: what a joint may be beyond a limit, to be put back onto it
_INWARDS = 1e-7       # rad: from the end of an interval, where rounding takes a joint outside there
_ON_THE_LINE = 1e-9   # of the arm's size: a hint so near the line points nowhere
_STEPS = 10           # of the refinement within an interval


@njit
def best_swivel(form_codes, form_numbers, codes, numbers, T_base_goal, weights, q0, lower, upper,
                samples, margin, elbow, scratch, room, given, q):
    """Write the answer that is preferred into q (7,), its swivel angle into given (1,).

    elbow: a point (3,), m, base frame, that the elbow should come nearest to, or empty. room
    (ROOM_SCRATCH,). The other arguments and what is returned: see `redundancy.best_redundant`.
    Samples go first, since they are cheap; what they miss is in the intervals.
    """
    chain, settings, desk = lay_out(form_codes, codes, numbers, scratch, q0.shape[0])
    hinted, wanted = False, 0.0
    if elbow.shape[0] == 3:
        hinted, wanted = hinted_swivel(form_codes, form_numbers, T_base_goal, elbow)
    found, position, orientation = NONE, math.inf, math.inf
    if not hinted:
        found, position, orientation = best_redundant(
            form_codes, form_numbers, codes, numbers, T_base_goal, weights, q0, lower, upper,
            samples, margin, scratch, given, q)
        if found and _is_clear(chain, q, margin):
            return found, position, orientation
        parameters_of(form_codes, form_numbers, q0, given)
        wanted = given[0]
    task = make_task(T_base_goal, weights)
    rows = room[14 + INTERVAL_SCRATCH:].reshape((MOST_INTERVALS, 5))
    for stage in range(3):
        if stage == 0 and margin == 0.0:
            continue
        if found and stage > 0:  # inside the limits, and none keeps the margin
            break
        narrower = margin if stage == 0 else (0.0 if stage == 1 else -_WIDER)
        count = intervals_within(form_codes, form_numbers, T_base_goal, chain.lower, chain.upper,
                                 narrower, room)
        if count == 0:
            continue
        if not hinted:
            _best_within(form_codes, form_numbers, chain, settings, task, q0, margin, desk, rows,
                         count, wanted, given, q)
            found, position, orientation = preferred(
                form_codes, form_numbers, chain, settings, task, given, q0, margin, desk, q)
        if not found:
            found, position, orientation = _nearest_within(
                form_codes, form_numbers, chain, settings, task, q0, margin, desk, rows, count,
                wanted, given, q)
    return found, position, orientation


@njit
def intervals_within(form_codes, form_numbers, T_base_goal, lower, upper, narrower, room):
    """Write the swivel angles inside limits narrowed by so much, rad, into the end of room.

    Returns how many rows; see `swivel_intervals`. room (ROOM_SCRATCH,).
    """
    axes, points, M = swivel_arm(form_codes, form_numbers, T_base_goal)
    low, high = room[:7], room[7:14]
    for j in range(7):
        low[j], high[j] = lower[j] + narrower, upper[j] - narrower
        if low[j] > high[j]:
            return 0
    return swivel_intervals(axes, points, M, low, high, form_numbers[0], form_numbers[1],
                            room[14:14 + INTERVAL_SCRATCH],
                            room[14 + INTERVAL_SCRATCH:].reshape((MOST_INTERVALS, 5)))


@njit
def hinted_swivel(form_codes, form_numbers, T_base_goal, elbow):
    """Return (whether a hint points anywhere, the swivel angle that brings the elbow nearest).

    elbow (3,): m, base frame. It points nowhere from the line through shoulder and wrist.
    """
    axes, points, M = swivel_arm(form_codes, form_numbers, T_base_goal)
    s = row(points, 0)
    line = minus(moved(M, row(points, 4)), s)
    beside = norm(cross(line, minus((elbow[0], elbow[1], elbow[2]), s)))
    if beside <= _ON_THE_LINE * form_numbers[0] * norm(line):
        return False, 0.0
    return True, swivel_towards(axes, points, M, elbow)


@njit
def into_interval(psi, begin, end):
    """Return (the angle nearest to psi in an interval, how far it is from psi), rad."""
    off = psi - begin
    off -= 2.0 * math.pi * math.floor(off / (2.0 * math.pi))
    length = end - begin
    if off <= length:
        return begin + off, 0.0
    before = 2.0 * math.pi - off
    if before < off - length:
        return begin, before
    return end, off - length


@inline
def _is_clear(chain, q, margin):
    """Tell whether q (n,) keeps the margin from the limits."""
    for k in range(q.shape[0]):
        if min(q[k] - chain.lower[k], chain.upper[k] - q[k]) < margin:
            return False
    return True


@njit
def _best_within(form_codes, form_numbers, chain, settings, task, q0, margin, desk, rows, count,
                 wanted, given, q):
    """Write the angle of least cost in the intervals into given (1,)."""
    best, at, low, high = math.inf, wanted, wanted, wanted
    for i in range(count):
        begin, end = rows[i, 3], rows[i, 4]
        near, _ = into_interval(wanted, begin, end)
        for k in range(2):
            given[0] = near if k == 0 else 0.5 * (begin + end)
            cost = least_cost(form_codes, form_numbers, chain, settings, task, given, q0, margin,
                              desk, q)
            if cost < best:
                best, at, low, high = cost, given[0], begin, end
    given[0] = at
    if best < math.inf and settings.prefer != FIRST:
        given[0] = refined(form_codes, form_numbers, chain, settings, task, given, q0, margin,
                           desk, low, at, high, best, _STEPS)


@njit
def _nearest_within(form_codes, form_numbers, chain, settings, task, q0, margin, desk, rows, count,
                    wanted, given, q):
    """Do as `best_answer.preferred` for the angle in the intervals nearest to the one wanted."""
    for _ in range(count):
        nearest, least = -1, math.inf
        for i in range(count):
            if rows[i, 0] != 0.0:
                _, off = into_interval(wanted, rows[i, 3], rows[i, 4])
                if off < least:
                    nearest, least = i, off
        if nearest < 0:
            break
        rows[nearest, 0] = 0.0  # no sign: it has had its turn
        begin, end = rows[nearest, 3], rows[nearest, 4]
        middle = 0.5 * (begin + end)
        near, _ = into_interval(wanted, begin, end)
        inwards = math.copysign(min(_INWARDS, abs(middle - near)), middle - near)
        for k in range(3):
            given[0] = near if k == 0 else (near + inwards if k == 1 else middle)
            found, position, orientation = preferred(
                form_codes, form_numbers, chain, settings, task, given, q0, margin, desk, q)
            if found:
                return FOUND, position, orientation
    return NONE, math.inf, math.inf
