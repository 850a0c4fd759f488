"""The preferred solution: the branch of least cost that passes verification.

`preferred_solution` is a template: `branches` stands for that of a family, bound in `kernels`.
"""

import math

from ik_node._jit import Integers, Vector, njit, rare
from ik_node.kinematics.forward import ChainArrays
from ik_node.solvers.analytic.families.branches import branches
from ik_node.solvers.analytic.refinement.branch import (
    allowed_excess,
    invalidate_frames,
    limit_excess,
    refine_branch,
    squared_pose_error,
    wrap_to_nearest,
)
from ik_node.solvers.analytic.refinement.buffers import Buffers, copy_to
from ik_node.solvers.analytic.refinement.newton import STEPS, newton_refinement
from ik_node.solvers.analytic.refinement.solution import (
    PRECISE,
    refine_to_precision,
    self_motion_inside_limits,
    within_tolerances,
)
from ik_node.solvers.preference import selection_cost
from ik_node.solvers.search import residual
from ik_node.solvers.settings import MANIPULABILITY, NEAREST, Settings, Work
from ik_node.solvers.task import Task

NONE, FOUND, FAR = range(3)

_NEAR = 0.1           # rad or m: largest joint change of a solution that counts as near
_NEARBY = 0.25        # squared error at the start, m² and rad², of a goal that is near it
OUT_OF_MARGIN = 1e9  # cost added to a branch that does not keep the margin


def preferred_solution(structure_codes: Integers, structure_numbers: Vector, chain: ChainArrays,
                       settings: Settings, task: Task, parameters: Vector, q0: Vector,
                       margin: float, buffers: Buffers, q: Vector) -> tuple[int, float, float]:
    """Write the preferred solution into q (n,): (found, position error, orientation error).

    found: NONE, FOUND, or FAR where a search from q0 may lead to a nearer one.
    See `all_solutions.solutions`. margin: soft distance from the limits, rad or m. Branches are
    refined in the order of their cost, until one passes.
    """
    found, costs = buffers.branches, buffers.errors
    count = branches(structure_codes, structure_numbers, task.T_base_goal, parameters, q0,
                     buffers.closed_form, found)
    room = allowed_excess(structure_codes, structure_numbers)
    for i in range(count):
        wrap_to_nearest(chain, q0, found[i])
        costs[i] = branch_cost(chain, settings, task, buffers.work, q0, found[i], margin, room)
    loose, chosen = False, buffers.chosen
    for _ in range(count):
        best = 0
        for i in range(1, count):
            if costs[i] < costs[best]:
                best = i
        if costs[best] == math.inf:
            break
        costs[best] = math.inf
        copy_to(q, found[best])
        invalidate_frames(chain, buffers)
        refine_branch(chain, settings, task, buffers, q0, q)
        if limit_excess(chain, q) > 0.0:
            continue
        after, position, orientation = residual(chain, task, buffers.work, q)
        if not within_tolerances(settings, position, orientation):
            if not after <= PRECISE:
                continue
            # Tolerances near rounding.
            _, position, orientation = newton_refinement(chain, task, buffers.work, buffers.held, q,
                                                         STEPS)
            if limit_excess(chain, q) > 0.0 or not within_tolerances(
                    settings, position, orientation):
                continue
        if after <= PRECISE:
            return found_at(chain, settings, task, buffers, q0, q), position, orientation
        if not loose:  # just within the tolerances: kept for the case that no branch is precise
            loose = True
            copy_to(chosen, q)
    if not loose:
        # A self-motion may lead to another configuration, inside the limits.
        least = math.inf
        for i in range(count):
            if self_motion_inside_limits(chain, task, buffers, found[i]) <= PRECISE:
                _, position, orientation = residual(chain, task, buffers.work, found[i])
                if not within_tolerances(settings, position, orientation):
                    continue
                cost = branch_cost(chain, settings, task, buffers.work, q0, found[i], margin, 0.0)
                if cost < least:
                    least = cost
                    copy_to(chosen, found[i])
        if least == math.inf:
            return NONE, math.inf, math.inf
    copy_to(q, chosen)
    position, orientation = refine_to_precision(chain, task, settings, buffers.work, q)
    return found_at(chain, settings, task, buffers, q0, q), position, orientation


@rare
def found_at(chain: ChainArrays, settings: Settings, task: Task, buffers: Buffers, q0: Vector,
             q: Vector) -> int:
    """Return FOUND, or FAR where q (n,) is far from q0 (n,) though the goal is near its tip.

    Near a singular configuration a closed form may yield only farther branches, or the exact
    solution may be far while a configuration within the tolerances is near.
    """
    if settings.prefer != NEAREST:
        return FOUND
    farthest = 0.0
    for k in range(q.shape[0]):
        farthest = max(farthest, abs(q[k] - q0[k]))
    if farthest <= _NEAR:
        return FOUND
    invalidate_frames(chain, buffers)
    error = (squared_pose_error(chain, task, buffers, q0) if task.rows == 6
             else residual(chain, task, buffers.work, q0)[0])
    return FAR if error < _NEARBY else FOUND


@njit
def branch_cost(chain: ChainArrays, settings: Settings, task: Task, work: Work, q0: Vector,
                q: Vector, margin: float, room: float) -> float:
    """Return the selection cost of a branch q (n,); infinite where it is outside the limits.

    room: excess allowed before refinement, rad or m. Branches nearer to a limit than the margin
    rank after all others.
    """
    outside = limit_excess(chain, q)
    if outside > room:
        return math.inf
    if settings.prefer == MANIPULABILITY:
        residual(chain, task, work, q)
    cost = selection_cost(chain, task, settings, work, q0, q)
    if outside > 0.0:
        cost += OUT_OF_MARGIN * (1.0 + outside)
    elif margin > 0.0:
        for k in range(q.shape[0]):
            if min(q[k] - chain.lower[k], chain.upper[k] - q[k]) < margin:
                return cost + OUT_OF_MARGIN
    return cost
