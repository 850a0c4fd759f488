"""Branches made answers: on the true arm, inside the limits, each one once, checked."""

import math
from typing import Any, NamedTuple

import numpy as np

from ik_node._jit import inline, njit
from ik_node.kinematics.forward import frames_beyond
from ik_node.solvers.analytic.branches import (
    FORM_SCRATCH,
    MOST_BRANCHES,
    branches,
    given_columns,
    has_wrist,
    may_be_off,
)
from ik_node.solvers.analytic.polish import (
    STEPS,
    across_fold,
    is_regular,
    is_singular,
    last_step,
    polish,
)
from ik_node.solvers.packing import unpack_chain, unpack_settings
from ik_node.solvers.preference import regret
from ik_node.solvers.search import nearest_turn, residual
from ik_node.solvers.settings import MANIPULABILITY, make_scratch, make_work
from ik_node.solvers.task import make_task

MOST_ANSWERS = 2 * MOST_BRANCHES  # with their twins

FOUND, NONE = 1, 0

_EXACT = 1e-24        # squared error of a branch that needs no polish, m² and rad²
_GOOD = 1e-18         # and of one that needs just one more step
VERIFIED = 1e-18      # squared error every answer has, where any has
_AT_LIMIT = 1e-9      # rad or m: what is beyond a limit by less is a rounding error
_SAME = 1e-6          # rad or m, of two answers that are one
_LAST = 1e9          # cost of what is taken only where there is nothing else
_FIRM = 1e-6         # rad or m: how far a branch of an ideal arm may be from its answer
_SHAKY = 0.3          # rad or m: how far a branch of an inexact arm may be from its answer


@njit
def bring_near(chain, q0, q):
    """Turn q in place by whole turns nearest q0, and onto limits it is beyond by rounding only."""
    nearest_turn(chain, q0, q)
    lower, upper = chain.lower, chain.upper
    for k in range(q.shape[0]):
        if q[k] < lower[k] and q[k] > lower[k] - _AT_LIMIT:
            q[k] = lower[k]
        elif q[k] > upper[k] and q[k] < upper[k] + _AT_LIMIT:
            q[k] = upper[k]


@inline
def _beyond(chain, q, k):
    return max(chain.lower[k] - q[k], q[k] - chain.upper[k])


@njit
def _outside(chain, q):
    """Return by how much q (n,) is outside the limits at most, rad or m; 0 inside."""
    worst = 0.0
    for k in range(q.shape[0]):
        worst = max(worst, _beyond(chain, q, k))
    return worst


@njit
def _same(chain, a, b):
    """Tell whether two postures are one, whole turns aside."""
    for k in range(a.shape[0]):
        off = a[k] - b[k]
        if chain.turns[k]:
            off -= 2.0 * math.pi * round(off / (2.0 * math.pi))
        if abs(off) > _SAME:
            return False
    return True


@inline
def _misses(chain, task, desk, q):
    """Return the squared error at q (n,) of a whole pose, m² and rad², right where it is small.

    |R − R_goal|² is 2 θ² there: what spares the logarithm of every branch that is exact. Branches
    come in an order in which one shares its first joints with the next: their frames stay.
    """
    frames, goal, known = desk.work.frames, task.T_base_goal, desk.known
    columns, first = chain.column, 0
    while first < columns.shape[0] and q[columns[first]] == known[columns[first]]:
        first += 1
    frames_beyond(chain, q, first, frames)
    for k in range(q.shape[0]):
        known[k] = q[k]
    tip = frames.shape[0] - 1
    shift, turn = 0.0, 0.0
    for i in range(3):
        shift += (frames[tip, i, 3] - goal[i, 3]) ** 2
        for j in range(3):
            turn += (frames[tip, i, j] - goal[i, j]) ** 2
    return shift + 0.5 * turn


@inline
def _forget(chain, desk):
    """Remember that the frames have been, or will be, used for other postures."""
    desk.known[chain.column[0]] = math.nan


@njit
def _finish(chain, settings, task, desk, q0, q):
    """Bring a branch q (n,) onto the true arm in place; return (squared error, whether met)."""
    work = desk.work
    error = _misses(chain, task, desk, q) if task.rows == 6 else math.inf
    if error <= _EXACT or (error <= _GOOD and q.shape[0] == 6 and (
            (desk.wrist and is_regular(work.frames))
            or last_step(chain, task.T_base_goal, work, q))):
        bring_near(chain, q0, q)
        return error, True
    _forget(chain, desk)
    error, position, orientation = residual(chain, task, work, q)
    if error > _EXACT:
        error, position, orientation = polish(chain, task, work, desk.held, q, STEPS)
    bring_near(chain, q0, q)
    return error, (position <= settings.position_tolerance
                   and orientation <= settings.orientation_tolerance)


class Desk(NamedTuple):
    """Scratch arrays, views of one."""

    work: Any              # the solvers' own
    form: np.ndarray       # what branches works in
    found: np.ndarray      # (MOST_BRANCHES, n) branches
    errors: np.ndarray     # (MOST_ANSWERS,) squared, or costs
    held: np.ndarray       # (n,) 1 for joints whose value is given
    trial: np.ndarray      # (n,)
    chosen: np.ndarray     # (n,) parameters, or a posture
    known: np.ndarray      # (n,) whose frames are in `work`, NaN where they are of none
    wrist: bool            # whether the arm is six joints that turn, the last three in one point


def make_answer_scratch(arcs: int, n: int) -> np.ndarray:
    """Return what the kernels here work in, for a chain of `arcs` moving arcs and n joints."""
    return np.zeros(len(make_scratch(arcs, n)) + FORM_SCRATCH + (MOST_BRANCHES + 4) * n
                    + MOST_ANSWERS)


@inline
def make_desk(scratch, form_codes, arcs, n):
    """Return the scratch arrays, with the joints held that a form wants given."""
    a = scratch.shape[0] - FORM_SCRATCH
    b = a - MOST_BRANCHES * n
    c = b - MOST_ANSWERS
    desk = Desk(make_work(scratch, arcs, n), scratch[a:], scratch[b:a].reshape((MOST_BRANCHES, n)),
                scratch[c:b], scratch[c - n:c], scratch[c - 2 * n:c - n],
                scratch[c - 3 * n:c - 2 * n], scratch[c - 4 * n:c - 3 * n], has_wrist(form_codes))
    given_columns(form_codes, desk.held)
    return desk


@njit
def all_answers(form_codes, form_numbers, codes, numbers, T_base_goal, weights, given, q0, within,
                scratch, out):
    """Write every answer for a goal into out (k, n), k at most MOST_ANSWERS; return how many.

    form_codes, form_numbers: of `branches.pack_form`. codes, numbers: of `packing.pack`, chain and
    settings. T_base_goal (4, 4), weights (6,): see `Goal`. given: see `branches`. q0 (n,): what
    answers are nearest to by whole turns. within: whether the limits matter.
    """
    chain = unpack_chain(codes, numbers)
    settings = unpack_settings(codes, numbers, 0)
    desk = make_desk(scratch, form_codes, chain.column.shape[0], q0.shape[0])
    return _all(form_codes, form_numbers, chain, settings, make_task(T_base_goal, weights),
                given, q0, within, desk, out)


@njit
def all_answers_batch(form_codes, form_numbers, codes, numbers, poses, weights, given, q0, within,
                      scratch, out, counts):
    """Write every answer for poses (m, 4, 4) into out (m, k, n), the rest NaN, counts (m,)."""
    chain = unpack_chain(codes, numbers)
    settings = unpack_settings(codes, numbers, 0)
    desk = make_desk(scratch, form_codes, chain.column.shape[0], q0.shape[0])
    for i in range(poses.shape[0]):
        counts[i] = _all(form_codes, form_numbers, chain, settings, make_task(poses[i], weights),
                         given, q0, within, desk, out[i])
        for j in range(counts[i], out.shape[1]):
            for k in range(out.shape[2]):
                out[i, j, k] = math.nan


@njit
def _all(form_codes, form_numbers, chain, settings, task, given, q0, within, desk, out):
    n = q0.shape[0]
    trial, errors = desk.trial, desk.errors
    count = branches(form_codes, form_numbers, task.T_base_goal, given, q0, desk.form, desk.found)
    # Of an ideal arm that is the true one a branch outside the limits stays there.
    shaky = may_be_off(form_codes, form_numbers)
    room = room_of(form_codes, form_numbers)
    kept, verified = 0, 0
    _forget(chain, desk)
    for i in range(count):
        for k in range(n):
            trial[k] = desk.found[i, k]
        if within:
            bring_near(chain, q0, trial)
            if _outside(chain, trial) > room and not _slides(chain, desk, trial):
                continue
        error, met = _finish(chain, settings, task, desk, q0, trial)
        if met and within and _outside(chain, trial) > 0.0:
            error = _slid_inside(chain, task, desk, trial)
            met = error <= VERIFIED
        if met:
            kept, verified = _keep(chain, within, trial, error, errors, kept, verified, out)
    if shaky:
        first, last = 0, kept
        while first < last and kept < out.shape[0]:  # twins of twins, too
            for i in range(first, last):
                if across_fold(chain, task, desk.work, desk.held, out[i], -1, trial):
                    _forget(chain, desk)
                    error, met = _finish(chain, settings, task, desk, q0, trial)
                    if met:
                        kept, verified = _keep(chain, within, trial, error, errors, kept, verified,
                                               out)
            first, last = last, kept
    if 0 < verified < kept:  # what is just within the tolerances is no branch beside true ones
        kept = 0
        for i in range(out.shape[0]):
            if kept == verified:
                break
            if errors[i] <= VERIFIED:
                for k in range(n):
                    out[kept, k] = out[i, k]
                kept += 1
    return kept


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
        for k in range(n):
            start[k] = sharp[k]
        for side in (1, -1):
            for k in range(n):
                held[k] = 0.0
            if across_fold(chain, task, work, held, start, side, sharp) and _polish_inside(
                    chain, task, work, held, sharp) <= VERIFIED:
                break
            for k in range(n):
                sharp[k] = start[k]
    if _outside(chain, sharp) == 0.0:
        for k in range(n):
            q[k] = sharp[k]
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
        if _outside(chain, q) == 0.0:
            return error
        for k in range(n):
            within = min(max(q[k], chain.lower[k]), chain.upper[k])
            if within != q[k]:
                q[k], held[k] = within, 1.0
    return math.inf


@inline
def _slides(chain, desk, q):
    """Tell whether q (n,) is one of a continuum of postures, or all but that."""
    _forget(chain, desk)
    return q.shape[0] == 6 and is_singular(chain, desk.work, q)


@njit
def _slid_inside(chain, task, desk, q):
    """Move q (n,), one of a continuum, along it to where it is inside the limits; in place.

    Return the squared error there; infinite where there is no such place, or no continuum.
    """
    if not _slides(chain, desk, q):
        return math.inf
    n, held, slid = q.shape[0], desk.work.slope, desk.work.start
    most = 0
    for k in range(n):
        if _beyond(chain, q, k) > _beyond(chain, q, most):
            most = k
    for side in range(2):  # whole turns aside both limits are near, and one may lead nowhere
        for k in range(n):
            held[k], slid[k] = desk.held[k], q[k]
        held[most] = 1.0
        slid[most] = chain.lower[most] if (q[most] > chain.upper[most]) == (side == 1) else (
            chain.upper[most])
        error = _polish_inside(chain, task, desk.work, held, slid)
        if error <= VERIFIED:
            for k in range(n):
                q[k] = slid[k]
            return error
    return math.inf


@njit
def _keep(chain, within, q, error, errors, kept, verified, out):
    """Add an answer to those kept, if it is new; return how many there are, and verified ones."""
    if kept == out.shape[0] or (within and _outside(chain, q) > 0.0):
        return kept, verified
    for i in range(kept):
        if _same(chain, q, out[i]):
            return kept, verified
    for k in range(q.shape[0]):
        out[kept, k] = q[k]
    errors[kept] = error
    return kept + 1, verified + (1 if error <= VERIFIED else 0)


@njit
def best_answer(form_codes, form_numbers, codes, numbers, T_base_goal, weights, given, q0, margin,
                scratch, q):
    """Write the answer that is preferred into q (n,): (found, position error, orientation error).

    See `all_answers`. margin: how far from the limits answers should stay, rad or m. Only as many
    branches are brought onto the true arm as it takes.
    """
    chain = unpack_chain(codes, numbers)
    settings = unpack_settings(codes, numbers, 0)
    desk = make_desk(scratch, form_codes, chain.column.shape[0], q0.shape[0])
    return preferred(form_codes, form_numbers, chain, settings, make_task(T_base_goal, weights),
                     given, q0, margin, desk, q)


@njit
def best_answer_batch(form_codes, form_numbers, codes, numbers, poses, weights, given, starts,
                      margin, scratch, q, known):
    """Do as `best_answer` for poses (m, 4, 4) from starts (m, n): q (m, n), known (m, 3)."""
    chain = unpack_chain(codes, numbers)
    settings = unpack_settings(codes, numbers, 0)
    desk = make_desk(scratch, form_codes, chain.column.shape[0], q.shape[1])
    for i in range(poses.shape[0]):
        known[i, 0], known[i, 1], known[i, 2] = preferred(
            form_codes, form_numbers, chain, settings, make_task(poses[i], weights), given,
            starts[i], margin, desk, q[i])


@njit
def preferred(form_codes, form_numbers, chain, settings, task, given, q0, margin, desk, q):
    """Do the work of `best_answer`."""
    n = q0.shape[0]
    found, costs = desk.found, desk.errors
    count = branches(form_codes, form_numbers, task.T_base_goal, given, q0, desk.form, found)
    room = room_of(form_codes, form_numbers)
    for i in range(count):
        bring_near(chain, q0, found[i])
        costs[i] = cost_of(chain, settings, task, desk.work, q0, found[i], margin, room)
    loose, chosen = False, desk.chosen
    for _ in range(count):
        best = 0
        for i in range(1, count):
            if costs[i] < costs[best]:
                best = i
        if costs[best] == math.inf:
            break
        costs[best] = math.inf
        for k in range(n):
            q[k] = found[best, k]
        _forget(chain, desk)
        error, met = _finish(chain, settings, task, desk, q0, q)
        if not met or _outside(chain, q) > 0.0:
            continue
        if error <= VERIFIED:
            _, position, orientation = residual(chain, task, desk.work, q)
            return FOUND, position, orientation
        if not loose:  # just within the tolerances: taken where no branch is right to the end
            loose = True
            for k in range(n):
                chosen[k] = q[k]
    if not loose:
        # Where joints may slide along one another, another posture may be inside the limits.
        least = math.inf
        for i in range(count):
            if _slid_inside(chain, task, desk, found[i]) <= VERIFIED:
                cost = cost_of(chain, settings, task, desk.work, q0, found[i], margin, 0.0)
                if cost < least:
                    least = cost
                    for k in range(n):
                        chosen[k] = found[i, k]
        if least == math.inf:
            return NONE, math.inf, math.inf
    for k in range(n):
        q[k] = chosen[k]
    position, orientation = sharpened(chain, task, desk.work, q)
    return FOUND, position, orientation


@njit
def room_of(form_codes, form_numbers):
    """Return how far outside the limits a branch may be until it is on the true arm, rad or m."""
    return _SHAKY if may_be_off(form_codes, form_numbers) else _FIRM


@njit
def cost_of(chain, settings, task, work, q0, q, margin, room):
    """Return how little a branch q (n,) is wanted; infinite where it is outside the limits.

    room: how far outside it may be, rad or m, until it is on the true arm. What is nearer a limit
    than the margin comes after all that is not.
    """
    outside = _outside(chain, q)
    if outside > room:
        return math.inf
    if settings.prefer == MANIPULABILITY:
        residual(chain, task, work, q)
    cost = regret(chain, task, settings, work, q0, q)
    if outside > 0.0:
        cost += _LAST * (1.0 + outside)
    elif margin > 0.0:
        for k in range(q.shape[0]):
            if min(q[k] - chain.lower[k], chain.upper[k] - q[k]) < margin:
                return cost + _LAST
    return cost
