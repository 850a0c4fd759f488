"""A branch of the ideal arm brought onto the true one, and checked there."""

import math

from ik_node._jit import inline, njit
from ik_node.kinematics.forward import frames_beyond
from ik_node.solvers.analytic.desk import copy_to
from ik_node.solvers.analytic.form import may_be_off
from ik_node.solvers.analytic.polish import STEPS, is_regular, last_step, polish
from ik_node.solvers.search import nearest_turn, residual

_EXACT = 1e-24        # squared error of a branch that needs no polish, m² and rad²
_GOOD = 1e-18         # and of one that needs just one more step
_AT_LIMIT = 1e-9      # rad or m: what is beyond a limit by less is a rounding error
_FIRM = 1e-6          # rad or m: how far a branch of an ideal arm may be from its answer
_SHAKY = 0.3          # rad or m: how far a branch of an inexact arm may be from its answer


@njit
def finish(chain, settings, task, desk, q0, q):
    """Bring a branch q (n,) onto the true arm in place; return (squared error, whether met)."""
    work = desk.work
    error = _misses(chain, task, desk, q) if task.rows == 6 else math.inf
    if error <= _EXACT or (error <= _GOOD and q.shape[0] == 6 and (
            (desk.wrist and is_regular(work.frames))
            or last_step(chain, task.T_base_goal, work, q))):
        bring_near(chain, q0, q)
        return error, True
    forget(chain, desk)
    error, position, orientation = residual(chain, task, work, q)
    if error > _EXACT:
        error, position, orientation = polish(chain, task, work, desk.held, q, STEPS)
    bring_near(chain, q0, q)
    return error, (position <= settings.position_tolerance
                   and orientation <= settings.orientation_tolerance)


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
    copy_to(known, q)
    tip = frames.shape[0] - 1
    shift, turn = 0.0, 0.0
    for i in range(3):
        shift += (frames[tip, i, 3] - goal[i, 3]) ** 2
        for j in range(3):
            turn += (frames[tip, i, j] - goal[i, j]) ** 2
    return shift + 0.5 * turn


@inline
def forget(chain, desk):
    """Remember that the frames have been, or will be, used for other postures."""
    desk.known[chain.column[0]] = math.nan


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
def beyond(chain, q, k):
    """Return by how much q (n,) is outside the limits of joint k, rad or m; below 0 inside."""
    return max(chain.lower[k] - q[k], q[k] - chain.upper[k])


@njit
def overshoot(chain, q):
    """Return by how much q (n,) is outside the limits at most, rad or m; 0 inside."""
    worst = 0.0
    for k in range(q.shape[0]):
        worst = max(worst, beyond(chain, q, k))
    return worst


@njit
def room_of(form_codes, form_numbers):
    """Return how far outside the limits a branch may be until it is on the true arm, rad or m."""
    return _SHAKY if may_be_off(form_codes, form_numbers) else _FIRM
