"""Arms with joints to spare: the parameters that a closed form wants given, chosen well.

A parameter is the value of a locked joint, the swivel angle of an arm with spherical shoulder and
wrist, or the angle of a planar arm's tip. For every choice of it there are a few branches, and the
best is looked for over all of both.
"""

import math

from ik_node._jit import njit
from ik_node.solvers.analytic.best_answer import NONE, cost_of, preferred
from ik_node.solvers.analytic.branches import branches
from ik_node.solvers.analytic.desk import copy_to, lay_out
from ik_node.solvers.analytic.finishing import bring_near, room_of
from ik_node.solvers.analytic.form import parameters_of
from ik_node.solvers.analytic.polish import polish
from ik_node.solvers.search import residual
from ik_node.solvers.settings import FIRST, NEAREST
from ik_node.solvers.task import make_task

_STAGES = (6, 12, 48, 192)  # samples after which it is seen whether one was inside the limits
_NEAR = 0.05       # squared distance, rad² or m², that is looked around first and not farther
_AROUND = 0.05     # rad or m: how far
_FEASIBLE = 1e8    # cost of what is inside the limits and their margin
_REFINEMENTS = 5, 10  # of the best sample, of what is near the start
_FINE = 1e-6       # rad or m, of a parameter
_NEARBY = 0.25     # squared error at the start, m² and rad², of a goal that is near it
_FIRST_STEPS = 8
_MET = 1e-12       # squared error, m² and rad²
_GOLDEN = 0.5 * (3.0 - math.sqrt(5.0))


@njit
def best_redundant(form_codes, form_numbers, codes, numbers, T_base_goal, weights, q0, lower, upper,
                   samples, margin, scratch, given, q):
    """Write the answer that is preferred into q (n,), its parameters into given (p,).

    lower, upper (p,): between which the parameters are looked for, rad or m. samples (k, p):
    numbers in [0, 1) that are spread over that. The other arguments and what is returned: see
    `best_answer.best_answer`.
    """
    chain, settings, desk = lay_out(form_codes, codes, numbers, scratch, q0.shape[0])
    n, count = q0.shape[0], given.shape[0]
    task = make_task(T_base_goal, weights)
    held = desk.trial
    for i in range(n):
        q[i], held[i] = q0[i], 0.0
    error, _, _ = residual(chain, task, desk.work, q)
    if error < _NEARBY:
        # Where Newton's method leads from the start, the parameters are about right for it.
        error, _, _ = polish(chain, task, desk.work, held, q, _FIRST_STEPS)
        bring_near(chain, q0, q)
    parameters_of(form_codes, form_numbers, q if error < _MET else q0, given)
    for i in range(count):
        given[i] = min(max(given[i], lower[i]), upper[i])
    best = least_cost(form_codes, form_numbers, chain, settings, task, given, q0, margin, desk, q)
    at = given[0]
    around, steps = _AROUND, _REFINEMENTS[1]
    first = settings.prefer == FIRST
    enough = best < _FEASIBLE and (first or (settings.prefer == NEAREST and (
        count > 1 or best < _NEAR)))
    if not enough:
        trial, chosen = desk.trial, desk.chosen[:count]
        copy_to(chosen, given)
        for k in range(samples.shape[0]):
            if best < _FEASIBLE and (k in _STAGES or first):
                break
            for i in range(count):
                given[i] = lower[i] + samples[k, i] * (upper[i] - lower[i])
            cost = least_cost(form_codes, form_numbers, chain, settings, task, given, q0, margin,
                              desk, trial)
            if cost < best:
                best, at = cost, given[0]
                copy_to(chosen, given)
                copy_to(q, trial)
            around = 1.5 * (upper[0] - lower[0]) / (k + 1)
        steps = _REFINEMENTS[0]
        copy_to(given, chosen)
    if best == math.inf:
        return NONE, math.inf, math.inf
    if count == 1 and not first:
        given[0] = refined(form_codes, form_numbers, chain, settings, task, given, q0, margin,
                           desk, max(lower[0], at - around), at, min(upper[0], at + around), best,
                           steps)
    return preferred(form_codes, form_numbers, chain, settings, task, given, q0, margin, desk, q)


@njit
def least_cost(form_codes, form_numbers, chain, settings, task, given, q0, margin, desk, q):
    """Return the least cost of the branches for given parameters, and write that one into q."""
    found = desk.found
    count = branches(form_codes, form_numbers, task.T_base_goal, given, q0, desk.form, found)
    room = room_of(form_codes, form_numbers)
    least = math.inf
    for i in range(count):
        bring_near(chain, q0, found[i])
        cost = cost_of(chain, settings, task, desk.work, q0, found[i], margin, room)
        if cost < least:
            least = cost
            copy_to(q, found[i])
    return least


@njit
def refined(form_codes, form_numbers, chain, settings, task, given, q0, margin, desk, low, x, high,
            fx, steps):
    """Return the parameter near x, between low and high, where the cost is least [Brent 1973].

    Parabolas through the three best, golden sections where these lead nowhere. fx: cost at x.
    steps: how many, at the most.
    """
    v, w, fv, fw = x, x, fx, fx
    moved, before = 0.0, 0.0
    for _ in range(steps):
        middle = 0.5 * (low + high)
        if high - low < 4.0 * _FINE:
            break
        golden = True
        if abs(before) > _FINE and fv < math.inf and fw < math.inf:
            r, p = (x - w) * (fx - fv), (x - v) * (fx - fw)
            top = (x - v) * p - (x - w) * r
            bottom = 2.0 * (p - r)
            if bottom > 0.0:
                top = -top
            bottom = abs(bottom)
            if abs(top) < abs(0.5 * bottom * before) and (
                    bottom * (low - x) < top < bottom * (high - x)):
                before, moved = moved, top / bottom
                golden = False
        if golden:
            before = (high if x < middle else low) - x
            moved = _GOLDEN * before
        u = x + (moved if abs(moved) >= _FINE else math.copysign(_FINE, moved))
        given[0] = u
        fu = least_cost(form_codes, form_numbers, chain, settings, task, given, q0, margin, desk,
                        desk.trial)
        if fu <= fx:
            if u < x:
                high = x
            else:
                low = x
            v, w, x, fv, fw, fx = w, x, u, fw, fx, fu
        else:
            if u < x:
                low = u
            else:
                high = u
            if fu <= fw or w == x:
                v, w, fv, fw = w, u, fw, fu
            elif fu <= fv or v in (x, w):
                v, fv = u, fu
    return x
