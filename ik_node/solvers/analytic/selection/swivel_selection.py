"""Selection of the swivel angle: within the limits, by cost or nearest to an elbow hint.

The intervals of swivel angles inside the limits contain every solution, however narrow they are;
without an interval there is no solution.

`best_swivel`, `best_within` and `nearest_within` are templates: `preferred_solution` and the
kernels of `redundancy` stand for those of the family, bound in `kernels`.
"""

import math

from ik_node._jit import Integers, Matrix, Vector, entry, inline, njit
from ik_node.kinematics.forward import ChainArrays
from ik_node.solvers.analytic.families.parameters import parameters_of
from ik_node.solvers.analytic.families.swivel import swivel_towards
from ik_node.solvers.analytic.families.swivel_intervals import (
    INTERVAL_SCRATCH,
    MOST_INTERVALS,
    swivel_intervals,
)
from ik_node.solvers.analytic.refinement.buffers import Buffers, lay_out
from ik_node.solvers.analytic.selection.best_solution import NONE, preferred_solution
from ik_node.solvers.analytic.selection.redundancy import best_redundant, brent_minimum, least_cost
from ik_node.solvers.analytic.structure import (
    swivel_arm,
)
from ik_node.solvers.analytic.subproblems.vector3 import cross, minus, moved, norm, row
from ik_node.solvers.settings import FIRST, Settings
from ik_node.solvers.task import Task, make_task

ROOM_SCRATCH = 14 + INTERVAL_SCRATCH + 5 * MOST_INTERVALS

_WIDER = 5e-10        # rad: excess at which a joint is set back to its limit
_INWARDS = 1e-7       # rad: distance from the end of an interval, against rounding
_ON_THE_LINE = 1e-9   # of the arm's size: a hint nearer to the line gives no direction
_STEPS = 10           # of the refinement within an interval


def best_swivel(structure_codes: Integers, structure_numbers: Vector, codes: Integers,
                numbers: Vector, T_base_goal: Matrix, weights: Vector, q0: Vector, lower: Vector,
                upper: Vector, samples: Matrix, margin: float, elbow: Vector, scratch: Vector,
                room: Vector, parameters: Vector, q: Vector) -> tuple[int, float, float]:
    """Write the preferred solution into q (7,), its swivel angle into parameters (1,).

    elbow: a point (3,), m, base frame, that the elbow is brought nearest to, or empty. room
    (ROOM_SCRATCH,): scratch. The other arguments and results: see `redundancy.best_redundant`.
    Samples are tried first, since they are cheap; the intervals contain the rest.
    """
    chain, settings, buffers = lay_out(structure_codes, codes, numbers, scratch, q0.shape[0])
    hinted, wanted = False, 0.0
    if elbow.shape[0] == 3:
        hinted, wanted = hinted_swivel(structure_codes, structure_numbers, T_base_goal, elbow)
    found, position, orientation = NONE, math.inf, math.inf
    if not hinted:
        found, position, orientation = best_redundant(
            structure_codes, structure_numbers, codes, numbers, T_base_goal, weights, q0, lower,
            upper, samples, margin, scratch, parameters, q)
        if found and _is_clear(chain, q, margin):
            return found, position, orientation
        parameters_of(structure_codes, structure_numbers, q0, parameters)
        wanted = parameters[0]
    task = make_task(T_base_goal, weights)
    rows = room[14 + INTERVAL_SCRATCH:].reshape((MOST_INTERVALS, 5))
    for stage in range(3):
        if stage == 0 and margin == 0.0:
            continue
        if found and stage > 0:  # inside the limits, and none keeps the margin
            break
        narrower = margin if stage == 0 else (0.0 if stage == 1 else -_WIDER)
        count = intervals_within(structure_codes, structure_numbers, T_base_goal, chain.lower,
                                 chain.upper, narrower, room)
        if count == 0:
            continue
        if not hinted:
            best_within(structure_codes, structure_numbers, chain, settings, task, q0, margin,
                        buffers, rows, count, wanted, parameters, q)
            found, position, orientation = preferred_solution(
                structure_codes, structure_numbers, chain, settings, task, parameters, q0, margin,
                buffers, q)
        if not found:
            found, position, orientation = nearest_within(
                structure_codes, structure_numbers, chain, settings, task, q0, margin, buffers,
                rows, count, wanted, parameters, q)
    return found, position, orientation


@entry
def intervals_within(structure_codes: Integers, structure_numbers: Vector, T_base_goal: Matrix,
                     lower: Vector, upper: Vector, narrower: float, room: Vector) -> int:
    """Write the intervals inside limits narrowed by `narrower`, rad, into the end of room.

    Return the number of rows; see `swivel_intervals`. room (ROOM_SCRATCH,).
    """
    axes, points, M = swivel_arm(structure_codes, structure_numbers, T_base_goal)
    low, high = room[:7], room[7:14]
    for j in range(7):
        low[j], high[j] = lower[j] + narrower, upper[j] - narrower
        if low[j] > high[j]:
            return 0
    return swivel_intervals(axes, points, M, low, high, structure_numbers[0], structure_numbers[1],
                            room[14:14 + INTERVAL_SCRATCH],
                            room[14 + INTERVAL_SCRATCH:].reshape((MOST_INTERVALS, 5)))


@entry
def hinted_swivel(structure_codes: Integers, structure_numbers: Vector, T_base_goal: Matrix,
                  elbow: Vector) -> tuple[bool, float]:
    """Return (whether a hint defines an angle, the swivel angle with the elbow nearest to it).

    elbow (3,): m, base frame. A hint on the line through shoulder and wrist defines none.
    """
    axes, points, M = swivel_arm(structure_codes, structure_numbers, T_base_goal)
    s = row(points, 0)
    line = minus(moved(M, row(points, 4)), s)
    beside = norm(cross(line, minus((elbow[0], elbow[1], elbow[2]), s)))
    if beside <= _ON_THE_LINE * structure_numbers[0] * norm(line):
        return False, 0.0
    return True, swivel_towards(axes, points, M, elbow)


@njit
def into_interval(psi: float, begin: float, end: float) -> tuple[float, float]:
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
def _is_clear(chain: ChainArrays, q: Vector, margin: float) -> bool:
    """Tell whether q (n,) keeps the margin from the limits."""
    for k in range(q.shape[0]):
        if min(q[k] - chain.lower[k], chain.upper[k] - q[k]) < margin:
            return False
    return True


def best_within(structure_codes: Integers, structure_numbers: Vector, chain: ChainArrays,
                settings: Settings, task: Task, q0: Vector, margin: float, buffers: Buffers,
                rows: Matrix, count: int, wanted: float, parameters: Vector, q: Vector) -> None:
    """Write the angle of least cost in the intervals into parameters (1,)."""
    best, at, low, high = math.inf, wanted, wanted, wanted
    for i in range(count):
        begin, end = rows[i, 3], rows[i, 4]
        near, _ = into_interval(wanted, begin, end)
        for k in range(2):
            parameters[0] = near if k == 0 else 0.5 * (begin + end)
            cost = least_cost(structure_codes, structure_numbers, chain, settings, task, parameters,
                              q0, margin, buffers, q)
            if cost < best:
                best, at, low, high = cost, parameters[0], begin, end
    parameters[0] = at
    if best < math.inf and settings.prefer != FIRST:
        parameters[0] = brent_minimum(structure_codes, structure_numbers, chain, settings, task,
                                      parameters, q0, margin, buffers, low, at, high, best, _STEPS)


def nearest_within(structure_codes: Integers, structure_numbers: Vector, chain: ChainArrays,
                   settings: Settings, task: Task, q0: Vector, margin: float, buffers: Buffers,
                   rows: Matrix, count: int, wanted: float, parameters: Vector,
                   q: Vector) -> tuple[int, float, float]:
    """Do as `best_solution.preferred_solution`, for the interval angle nearest to `wanted`."""
    for _ in range(count):
        nearest, least = -1, math.inf
        for i in range(count):
            if rows[i, 0] != 0.0:
                _, off = into_interval(wanted, rows[i, 3], rows[i, 4])
                if off < least:
                    nearest, least = i, off
        if nearest < 0:
            break
        rows[nearest, 0] = 0.0  # no sign: already tried
        begin, end = rows[nearest, 3], rows[nearest, 4]
        middle = 0.5 * (begin + end)
        near, _ = into_interval(wanted, begin, end)
        inwards = math.copysign(min(_INWARDS, abs(middle - near)), middle - near)
        for k in range(3):
            parameters[0] = near if k == 0 else (near + inwards if k == 1 else middle)
            found, position, orientation = preferred_solution(
                structure_codes, structure_numbers, chain, settings, task, parameters, q0, margin,
                buffers, q)
            if found:
                return found, position, orientation
    return NONE, math.inf, math.inf
