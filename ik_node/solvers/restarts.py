"""Initial guesses of restarts, taken from a `StartTable`; see `next_start`.

The entries whose pose lies nearest the goal come first, ordered by how near they are to the goal
and to q0; samples spread over the limits follow. IKSel [arXiv 2503.22234] selects seeds likewise.
"""

import math

from ik_node._jit import Matrix, Vector, inline, njit, rare
from ik_node.kinematics.forward import ChainArrays
from ik_node.solvers.preference import joint_distance
from ik_node.solvers.settings import NEAREST, Settings, Work
from ik_node.solvers.start_table import Table
from ik_node.solvers.task import Task

_TURNED = 0.25      # squared differences of rotation matrices against squared positions in lengths
_POSE = 8.0         # squared pose distance against the mean squared distance of a joint, rad


@rare
def pick_entries(chain: ChainArrays, task: Task, settings: Settings, work: Work, table: Table,
                 start: Vector) -> int:
    """Select the entries to restart from, given q0 = start (n,); return how many.

    Writes their indices into row 0 of work.picked (2, MOST_PICKED), the best first, and their
    squared distances from `start`, see `preference.joint_distance`, into row 1.
    """
    n, rows, cells, first, corner = (
        start.shape[0], table.entries, table.cells, table.first, table.corner)
    if rows.shape[0] == 0:
        return 0
    best, cost = work.picked, work.cost
    count = 0
    T, w = task.T_base_goal, task.weights
    if w[0] > 0.0 and w[1] > 0.0 and w[2] > 0.0:
        edge = corner[3]
        x = _cell(T[0, 3] - corner[0], edge, cells)
        y = _cell(T[1, 3] - corner[1], edge, cells)
        z = _cell(T[2, 3] - corner[2], edge, cells)
        around = 1
        while True:
            count = 0
            for i in range(max(0, x - around), min(cells, x + around + 1)):
                for j in range(max(0, y - around), min(cells, y + around + 1)):
                    row = (i * cells + j) * cells
                    count = _scan(task, settings, rows, first[row + max(0, z - around)],
                                  first[row + min(cells, z + around + 1)], count, best, cost)
            if count == best.shape[1] or around >= cells:
                break
            around *= 2
    else:
        count = _scan(task, settings, rows, 0, rows.shape[0], count, best, cost)
    q = work.q
    for i in range(count):
        take_entry(chain, rows, int(best[0, i]), start, q)
        best[1, i] = joint_distance(settings, start, q)
        if settings.prefer == NEAREST:
            cost[i] = _POSE * cost[i] + best[1, i] / n
    for i in range(1, count):  # by cost, the least first
        number, distance, c = best[0, i], best[1, i], cost[i]
        j = i
        while j > 0 and cost[j - 1] > c:
            best[0, j], best[1, j], cost[j] = best[0, j - 1], best[1, j - 1], cost[j - 1]
            j -= 1
        best[0, j], best[1, j], cost[j] = number, distance, c
    return count


@rare
def next_start(chain: ChainArrays, settings: Settings, work: Work, table: Table, entries: int,
               number: int, start: Vector, q: Vector) -> None:
    """Write the initial guess of restart `number`, from 0, into q (n,).

    First come the entries that `pick_entries` has selected, as many as `entries`, then samples
    spread over the limits. start (n,): the initial guess q0, inside the limits.
    """
    if number < entries:
        take_entry(chain, table.entries, int(work.picked[0, number]), start, q)
        return
    for k in range(q.shape[0]):
        work.unit[k] = settings.length if settings.span[k] > 0.0 else 1.0
    spread(chain, work.unit, start, table.samples[number - entries], q)


@rare
def take_entry(chain: ChainArrays, rows: Matrix, number: int, start: Vector, q: Vector) -> None:
    """Write the joint values of an entry into q (n,), turned to come nearest to start (n,)."""
    turn, lower, upper = 2.0 * math.pi, chain.lower, chain.upper
    for k in range(q.shape[0]):
        value = rows[number, 12 + k]
        if chain.turns[k]:
            turned = value + turn * round((start[k] - value) / turn)
            while turned > upper[k]:
                turned -= turn
            while turned < lower[k]:
                turned += turn
            if turned <= upper[k]:
                value = turned
        q[k] = min(max(value, lower[k]), upper[k])


@rare
def spread(chain: ChainArrays, unit: Vector, q0: Vector, sample: Vector, q: Vector) -> None:
    """Spread sample (n,), in [0, 1), over the limits into q (n,).

    A joint with a range above one turn starts within half a turn of q0, as far as its limits
    allow: the rest repeats configurations. A joint without limits starts within π units of q0;
    unit (n,) is 1 rad, or for a prismatic joint a length, m.
    """
    for k in range(q.shape[0]):
        lower, upper = chain.lower[k], chain.upper[k]
        if chain.turns[k] or upper - lower == math.inf:
            half = math.pi * (1.0 if chain.turns[k] else unit[k])
            if upper - lower > 2.0 * half:
                lower = max(lower, min(q0[k] - half, upper - 2.0 * half))
                upper = min(upper, lower + 2.0 * half)
        q[k] = min(lower + sample[k] * (upper - lower), upper)


@inline
def _cell(offset: float, edge: float, cells: int) -> int:
    """Return the index of the cell along one axis that contains an offset, or of the nearest."""
    return int(min(max(offset / edge, 0.0), cells - 1.0))


@njit
def _scan(task: Task, settings: Settings, rows: Matrix, first: int, last: int, count: int,
          best: Matrix, cost: Vector) -> int:
    """Merge the entries first … last − 1 into the `count` nearest to the goal.

    Row 0 of best holds their indices, cost (k,) their squared distances: positions in arm lengths,
    rotation matrices entry by entry, free axes of the goal left out. Returns how many there are.
    """
    T, w, most = task.T_base_goal, task.weights, best.shape[1]
    whole = task.rows == 6
    square = 1.0 / (settings.length * settings.length)
    for i in range(first, last):
        if whole:
            x, y, z = rows[i, 0] - T[0, 3], rows[i, 1] - T[1, 3], rows[i, 2] - T[2, 3]
            away = square * (x * x + y * y + z * z)
            if count == most and away >= cost[most - 1]:
                continue
            turned = 0.0
            for j in range(3):
                for k in range(3):
                    off = rows[i, 3 + 3 * j + k] - T[j, k]
                    turned += off * off
            away += _TURNED * turned
        else:
            away = _partial(T, w, square, rows, i)
        if count == most:
            if away >= cost[most - 1]:
                continue
        else:
            count += 1
        j = count - 1
        while j > 0 and cost[j - 1] > away:
            best[0, j], cost[j] = best[0, j - 1], cost[j - 1]
            j -= 1
        best[0, j], cost[j] = i, away
    return count


@rare
def _partial(T: Matrix, w: Vector, square: float, rows: Matrix, i: int) -> float:
    """Return the squared distance of entry i from a goal with free axes.

    A column of the rotation matrix counts if both rotations that move it are constrained.
    """
    away, turned = 0.0, 0.0
    for a in range(3):
        if w[a] > 0.0:
            off = 0.0
            for j in range(3):
                off += T[j, a] * (rows[i, j] - T[j, 3])
            away += square * off * off
        if w[3 + (a + 1) % 3] > 0.0 and w[3 + (a + 2) % 3] > 0.0:
            for j in range(3):
                off = rows[i, 3 + 3 * j + a] - T[j, a]
                turned += off * off
    return away + _TURNED * turned
