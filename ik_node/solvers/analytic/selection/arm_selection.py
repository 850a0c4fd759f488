"""Selection of the configuration that a human-like arm prefers; see `arm_preference`.

The kernels are templates: `preferred_solution` and the kernels of `redundancy` stand for those with
`arm_cost` as the cost of a branch, bound in `kernels`.
"""

import math

from ik_node._jit import Integers, Matrix, Vector, rare
from ik_node.kinematics.forward import ChainArrays
from ik_node.solvers.analytic.families.swivel_intervals import INTERVAL_SCRATCH, MOST_INTERVALS
from ik_node.solvers.analytic.refinement.buffers import Buffers, lay_out
from ik_node.solvers.analytic.selection.arm_preference import unpack_arm_preference
from ik_node.solvers.analytic.selection.best_solution import NONE, preferred_solution
from ik_node.solvers.analytic.selection.redundancy import brent_minimum, least_cost
from ik_node.solvers.analytic.selection.swivel_selection import (
    ROOM_SCRATCH,
    intervals_within,
    into_interval,
)
from ik_node.solvers.packing import method_at, unpack_settings
from ik_node.solvers.settings import Settings
from ik_node.solvers.task import Task, make_task

_ANGLES = 40      # samples of the whole circle
_SPACING = 2.0 * math.pi / _ANGLES
_REFINED = 3      # minima among the samples that are refined
_STEPS = 16       # of a refinement
_INWARDS = 1e-7   # rad: distance from the end of an interval, against rounding
ARM_SCRATCH = ROOM_SCRATCH + _ANGLES


def best_arm(structure_codes: Integers, structure_numbers: Vector, codes: Integers,
             numbers: Vector, T_base_goal: Matrix, weights: Vector, q0: Vector, margin: float,
             scratch: Vector, room: Vector, parameters: Vector,
             q: Vector) -> tuple[int, float, float]:
    """Write the preferred solution into q (7,), its swivel angle into parameters (1,).

    codes, numbers: of `packing.pack`, with an `ArmPreference` as the settings of the method. room
    (ARM_SCRATCH,): scratch. The other arguments and the results: see
    `swivel_selection.best_swivel`; NONE proves nothing. The cost has a kink wherever a preference
    begins to hold and jumps where a branch leaves its limits: samples of the circle and of each
    interval within the limits are refined where they are lowest.
    """
    chain, _, buffers = lay_out(structure_codes, codes, numbers, scratch, q0.shape[0])
    c, x = method_at(codes)
    settings = unpack_settings(codes, numbers, unpack_arm_preference(
        codes, c, numbers, x, codes[0], codes[1]))
    task = make_task(T_base_goal, weights)
    count = intervals_within(structure_codes, structure_numbers, T_base_goal, chain.lower,
                             chain.upper, 0.0, room[:ROOM_SCRATCH])
    rows = room[14 + INTERVAL_SCRATCH:ROOM_SCRATCH].reshape((MOST_INTERVALS, 5))
    costs = room[ROOM_SCRATCH:]
    best, at = best_of_intervals(structure_codes, structure_numbers, chain, settings, task, q0,
                                 margin, buffers, rows, count, parameters, q)
    sample_circle(structure_codes, structure_numbers, chain, settings, task, q0, margin, buffers,
                  rows, count, costs, parameters, q)
    for k in range(_REFINED + 1):
        low, x, high, cost = at - _SPACING, at, at + _SPACING, best
        if k > 0:
            lowest = _take_lowest(costs)
            if lowest < 0:
                break
            x, cost = _angle(lowest), costs[lowest]
            low, high = x - _SPACING, x + _SPACING
            costs[lowest] = math.inf
        if cost == math.inf:
            continue
        parameters[0] = brent_minimum(structure_codes, structure_numbers, chain, settings, task,
                                      parameters, q0, margin, buffers, low, x, high, cost, _STEPS)
        cost = least_cost(structure_codes, structure_numbers, chain, settings, task, parameters, q0,
                          margin, buffers, q)
        if cost < best:
            best, at = cost, parameters[0]
    if best == math.inf:
        return NONE, math.inf, math.inf
    parameters[0] = at
    return preferred_solution(structure_codes, structure_numbers, chain, settings, task, parameters,
                              q0, margin, buffers, q)


def best_of_intervals(structure_codes: Integers, structure_numbers: Vector, chain: ChainArrays,
                      settings: Settings, task: Task, q0: Vector, margin: float, buffers: Buffers,
                      rows: Matrix, count: int, parameters: Vector,
                      q: Vector) -> tuple[float, float]:
    """Return (cost, angle) of the best among the ends and the middle of each interval."""
    best, at = math.inf, 0.0
    for i in range(count):
        begin, end = rows[i, 3], rows[i, 4]
        inwards = min(_INWARDS, 0.5 * (end - begin))
        for k in range(3):
            parameters[0] = (begin + inwards if k == 0 else
                             end - inwards if k == 1 else 0.5 * (begin + end))
            cost = least_cost(structure_codes, structure_numbers, chain, settings, task, parameters,
                              q0, margin, buffers, q)
            if cost < best:
                best, at = cost, parameters[0]
    return best, at


def sample_circle(structure_codes: Integers, structure_numbers: Vector, chain: ChainArrays,
                  settings: Settings, task: Task, q0: Vector, margin: float, buffers: Buffers,
                  rows: Matrix, count: int, costs: Vector, parameters: Vector, q: Vector) -> None:
    """Write the cost of each sample of the circle, infinite outside the intervals."""
    for k in range(_ANGLES):
        costs[k] = math.inf
        for i in range(count):
            _, off = into_interval(_angle(k), rows[i, 3], rows[i, 4])
            if off == 0.0:
                parameters[0] = _angle(k)
                costs[k] = least_cost(structure_codes, structure_numbers, chain, settings, task,
                                      parameters, q0, margin, buffers, q)
                break


@rare
def _take_lowest(costs: Vector) -> int:
    """Return the lowest of the local minima among costs on a circle, −1 without any."""
    best, lowest = math.inf, -1
    n = costs.shape[0]
    for k in range(n):
        if costs[k] < best and costs[k] <= costs[(k + 1) % n] and costs[k] <= costs[k - 1]:
            best, lowest = costs[k], k
    return lowest


@rare
def _angle(k: int) -> float:
    """Return the swivel angle of sample k, rad."""
    return (k + 0.5) * _SPACING - math.pi

