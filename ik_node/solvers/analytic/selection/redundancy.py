"""Redundant arms: optimal choice of the redundancy parameters of a closed form.

A parameter is the value of a locked joint, the swivel angle of an arm with spherical shoulder and
wrist, or the angle of a planar arm's tip. Each choice of it gives a few branches; the search runs
over parameters and branches.

The kernels here are templates: `branches` and `preferred_solution` stand for those of a family,
bound in `kernels`.
"""

import math

from ik_node._jit import Integers, Matrix, Vector
from ik_node.kinematics.forward import ChainArrays
from ik_node.solvers.analytic.families.branches import branches
from ik_node.solvers.analytic.families.parameters import parameters_of
from ik_node.solvers.analytic.refinement.branch import allowed_excess, wrap_to_nearest
from ik_node.solvers.analytic.refinement.buffers import Buffers, copy_to, lay_out
from ik_node.solvers.analytic.refinement.newton import newton_refinement
from ik_node.solvers.analytic.selection.best_solution import NONE, branch_cost, preferred_solution
from ik_node.solvers.search import beyond_reach, residual
from ik_node.solvers.settings import FIRST, NEAREST, Settings
from ik_node.solvers.task import Task, make_task

_STAGES = (6, 12, 48, 192)  # samples after which the search ends if one is inside the limits
_NEAR = 0.05       # squared distance, rad² or m², within which no samples are needed
_AROUND = 0.05     # rad or m: half width of the search around the initial parameter
_FEASIBLE = 1e8    # costs below are of branches inside the limits and their margin
_BRENT_STEPS = 5, 10  # of the best sample, and near the initial guess
_FINE = 1e-6       # rad or m, of a parameter
_NEARBY = 0.25     # squared error at the start, m² and rad², of a goal that is near it
_FIRST_STEPS = 8
_MET = 1e-12       # squared error, m² and rad²
_GOLDEN = 0.5 * (3.0 - math.sqrt(5.0))


def best_redundant(structure_codes: Integers, structure_numbers: Vector, codes: Integers,
                   numbers: Vector, T_base_goal: Matrix, weights: Vector, q0: Vector, lower: Vector,
                   upper: Vector, samples: Matrix, margin: float, scratch: Vector,
                   parameters: Vector, q: Vector) -> tuple[int, float, float]:
    """Write the preferred solution into q (n,), its redundancy parameters into parameters (p,).

    lower, upper (p,): bounds of the parameters, rad or m. samples (k, p): in [0, 1), scaled to
    these bounds. The other arguments and results: see
    `best_solution.preferred_solution` and `all_solutions.solutions`.
    """
    chain, settings, buffers = lay_out(structure_codes, codes, numbers, scratch, q0.shape[0])
    n, count = q0.shape[0], parameters.shape[0]
    task = make_task(T_base_goal, weights)
    held = buffers.trial
    for i in range(n):
        q[i], held[i] = q0[i], 0.0
    error, _, _ = residual(chain, task, buffers.work, q)
    if error < _NEARBY:
        # Newton's method from q0 yields nearly optimal parameters.
        error, _, _ = newton_refinement(chain, task, buffers.work, held, q, _FIRST_STEPS)
        wrap_to_nearest(chain, q0, q)
    parameters_of(structure_codes, structure_numbers, q if error < _MET else q0, parameters)
    for i in range(count):
        parameters[i] = min(max(parameters[i], lower[i]), upper[i])
    if beyond_reach(task, settings):
        return NONE, math.inf, math.inf
    best = least_cost(structure_codes, structure_numbers, chain, settings, task, parameters, q0,
                      margin, buffers, q)
    at = parameters[0]
    around, steps = _AROUND, _BRENT_STEPS[1]
    first = settings.prefer == FIRST
    enough = best < _FEASIBLE and (first or (settings.prefer == NEAREST and (
        count > 1 or best < _NEAR)))
    if not enough:
        trial, chosen = buffers.trial, buffers.chosen[:count]
        copy_to(chosen, parameters)
        for k in range(samples.shape[0]):
            if best < _FEASIBLE and (k in _STAGES or first):
                break
            for i in range(count):
                parameters[i] = lower[i] + samples[k, i] * (upper[i] - lower[i])
            cost = least_cost(structure_codes, structure_numbers, chain, settings, task, parameters,
                              q0, margin, buffers, trial)
            if cost < best:
                best, at = cost, parameters[0]
                copy_to(chosen, parameters)
                copy_to(q, trial)
            around = 1.5 * (upper[0] - lower[0]) / (k + 1)
        steps = _BRENT_STEPS[0]
        copy_to(parameters, chosen)
    if best == math.inf:
        return NONE, math.inf, math.inf
    if count == 1 and not first:
        parameters[0] = brent_minimum(structure_codes, structure_numbers, chain, settings, task,
                                      parameters, q0, margin, buffers, max(lower[0], at - around),
                                      at, min(upper[0], at + around), best, steps)
    return preferred_solution(structure_codes, structure_numbers, chain, settings, task, parameters,
                              q0, margin, buffers, q)


def least_cost(structure_codes: Integers, structure_numbers: Vector, chain: ChainArrays,
               settings: Settings, task: Task, parameters: Vector, q0: Vector, margin: float,
               buffers: Buffers, q: Vector) -> float:
    """Return the least cost of the branches for some parameters; write that branch into q."""
    found = buffers.branches
    count = branches(structure_codes, structure_numbers, task.T_base_goal, parameters, q0,
                     buffers.closed_form, found)
    room = allowed_excess(structure_codes, structure_numbers)
    least = math.inf
    for i in range(count):
        wrap_to_nearest(chain, q0, found[i])
        cost = branch_cost(chain, settings, task, buffers.work, q0, found[i], margin, room)
        if cost < least:
            least = cost
            copy_to(q, found[i])
    return least


def brent_minimum(structure_codes: Integers, structure_numbers: Vector, chain: ChainArrays,
                  settings: Settings, task: Task, parameters: Vector, q0: Vector, margin: float,
                  buffers: Buffers, low: float, x: float, high: float, fx: float,
                  steps: int) -> float:
    """Return the parameter near x, in [low, high], of least cost, by Brent's method [Brent 1973].

    Parabolas through the three best points, golden sections where these fail. fx: cost at x.
    steps: maximum number of steps.
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
        parameters[0] = u
        fu = least_cost(structure_codes, structure_numbers, chain, settings, task, parameters, q0,
                        margin, buffers, buffers.trial)
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
