"""The answer that is preferred: of the branches the one that costs least and proves right."""

import math

from ik_node._jit import njit
from ik_node.solvers.analytic.branches import branches
from ik_node.solvers.analytic.desk import copy_to, lay_out
from ik_node.solvers.analytic.finishing import bring_near, finish, forget, overshoot, room_of
from ik_node.solvers.analytic.sharpening import VERIFIED, sharpened, slid_inside
from ik_node.solvers.preference import regret
from ik_node.solvers.search import residual
from ik_node.solvers.settings import MANIPULABILITY
from ik_node.solvers.task import make_task

FOUND, NONE = 1, 0

_LAST = 1e9           # cost of what is taken only where there is nothing else


@njit
def best_answer(form_codes, form_numbers, codes, numbers, T_base_goal, weights, given, q0, margin,
                scratch, q):
    """Write the answer that is preferred into q (n,): (found, position error, orientation error).

    See `all_answers`. margin: how far from the limits answers should stay, rad or m. Only as many
    branches are brought onto the true arm as it takes.
    """
    chain, settings, desk = lay_out(form_codes, codes, numbers, scratch, q0.shape[0])
    return preferred(form_codes, form_numbers, chain, settings, make_task(T_base_goal, weights),
                     given, q0, margin, desk, q)


@njit
def best_answer_batch(form_codes, form_numbers, codes, numbers, poses, weights, given, starts,
                      margin, scratch, q, known):
    """Do as `best_answer` for poses (m, 4, 4) from starts (m, n): q (m, n), known (m, 3)."""
    chain, settings, desk = lay_out(form_codes, codes, numbers, scratch, q.shape[1])
    for i in range(poses.shape[0]):
        known[i, 0], known[i, 1], known[i, 2] = preferred(
            form_codes, form_numbers, chain, settings, make_task(poses[i], weights), given,
            starts[i], margin, desk, q[i])


@njit
def preferred(form_codes, form_numbers, chain, settings, task, given, q0, margin, desk, q):
    """Do the work of `best_answer`."""
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
        copy_to(q, found[best])
        forget(chain, desk)
        error, met = finish(chain, settings, task, desk, q0, q)
        if not met or overshoot(chain, q) > 0.0:
            continue
        if error <= VERIFIED:
            _, position, orientation = residual(chain, task, desk.work, q)
            return FOUND, position, orientation
        if not loose:  # just within the tolerances: taken where no branch is right to the end
            loose = True
            copy_to(chosen, q)
    if not loose:
        # Where joints may slide along one another, another posture may be inside the limits.
        least = math.inf
        for i in range(count):
            if slid_inside(chain, task, desk, found[i]) <= VERIFIED:
                cost = cost_of(chain, settings, task, desk.work, q0, found[i], margin, 0.0)
                if cost < least:
                    least = cost
                    copy_to(chosen, found[i])
        if least == math.inf:
            return NONE, math.inf, math.inf
    copy_to(q, chosen)
    position, orientation = sharpened(chain, task, desk.work, q)
    return FOUND, position, orientation


@njit
def cost_of(chain, settings, task, work, q0, q, margin, room):
    """Return how little a branch q (n,) is wanted; infinite where it is outside the limits.

    room: how far outside it may be, rad or m, until it is on the true arm. What is nearer a limit
    than the margin comes after all that is not.
    """
    outside = overshoot(chain, q)
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
