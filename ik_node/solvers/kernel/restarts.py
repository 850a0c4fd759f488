"""Initial guesses of restarts, around q0 and from a `Table`; see `next_start`.

Where the goal is near the tip at q0, guesses around q0 come first: solutions near it are likely.
The entries whose pose lies nearest the goal come first, ordered by how near they are to the goal
and to q0; samples spread over the limits follow. IKSel [arXiv 2503.22234] selects seeds likewise.
"""

import math

import numpy as np

from ik_node.kinematics.forward import ChainRecord
from ik_node.kinematics.joint_limits import JointLimits
from ik_node.model.chain import Chain
from ik_node.solvers import codes
from ik_node.solvers.kernel.low_discrepancy import low_discrepancy, one_turn_ranges
from ik_node.solvers.kernel.settings import ArmData, Settings
from ik_node.solvers.kernel.task import TipTask
from ik_node.support.arrays import Integers, Memory, Vector

INF, PI, TWO_PI = math.inf, math.pi, 2.0 * math.pi
MOST_ENTRIES = 8192
MOST_NUMBERS = 80_000  # joint values at the most: long chains get fewer entries
FEWEST = 64        # fewest entries that make a search worthwhile
PER_CELL = 12      # entries of a cell, on average
TURNED = 0.25      # squared differences of rotation matrices against squared positions in lengths
POSE = 8.0         # squared pose distance against the mean squared distance of a joint, rad


class Table:
    """A table of joint configurations, indexed by the pose of the tip.

    Entries are spread evenly over the limits and sorted into cubic cells by the position of the
    tip, so that a few cells contain those near a goal.

    - `samples`: (k, n) in [0, 1), of the range of each joint; used after the entries.
    - `q`, `position`, `rotation`: (entries, n) rad or m, and the pose of the tip: (entries, 3), m,
      and (entries, 3, 3), in the order of their cells.
    - `cells`, `edge`: number of cells along an axis, and their edge, m; `corner`: (3,) m, base
      frame. `first`: (cells³ + 1,) first entry of each cell; the last is the number of entries.
    """

    def __init__(self, chain: Chain, samples: int, seed: int) -> None:
        """Make a table with `samples` samples.

        It has no entries for chains with a joint that moves without limits other than by whole
        turns, and for chains of many hundred joints.
        """
        self.memory = memory = Memory()
        n, count = chain.n_joints, 0
        self.samples = memory.vector(low_discrepancy(samples, n, seed).ravel())
        if samples > 0 and (np.isfinite(chain.upper - chain.lower) | chain.turns).all():
            count = min(MOST_ENTRIES, MOST_NUMBERS // n)
        self.entries = count = count if count >= FEWEST else 0
        lower, upper = one_turn_ranges(chain)
        q = lower + low_discrepancy(count, n, seed) * (upper - lower)
        T = chain.record.poses(q)
        p, corner, size = T[:, :3, 3], np.zeros(3), 0.0
        if count > 0:
            corner, size = p.min(axis=0), float(np.ptp(p, axis=0).max())
        self.cells = cells = max(1, int((count / PER_CELL) ** (1.0 / 3.0) + 0.5))
        self.edge = 1.001 * size / cells if size > 0.0 else 1.0
        at = ((p - corner) / self.edge).astype(np.int64) @ (cells * cells, cells, 1)
        order = np.argsort(at, kind='stable')
        self.first = memory.integers(np.searchsorted(at[order], np.arange(cells**3 + 1)))
        self.corner, self.q = memory.vector(corner), memory.vector(q[order].ravel())
        self.position = memory.points(p[order])
        self.rotation = memory.rotations(T[order, :3, :3])


def pick_entries(chain: ChainRecord, settings: Settings, work: ArmData, table: Table,
                 start: Vector) -> int:
    """Select the entries to restart from, given q0 = start (n,); return how many.

    They are in work.picked, the best first, and their `joint_distance` from `start` in work.away.
    """
    if table.entries == 0:
        return 0
    n, cells, first, corner, edge = chain.n, table.cells, table.first, table.corner, table.edge
    best, away, cost, q = work.picked, work.away, work.cost, work.q
    T, w = work.task.T, work.task.weights
    count = 0
    if w[0] > 0.0 and w[1] > 0.0 and w[2] > 0.0:
        x = _cell(T[0][3] - corner[0], edge, cells)
        y = _cell(T[1][3] - corner[1], edge, cells)
        z = _cell(T[2][3] - corner[2], edge, cells)
        around = 1
        while True:
            count = 0
            for i in range(max(0, x - around), min(cells, x + around + 1)):
                for j in range(max(0, y - around), min(cells, y + around + 1)):
                    row = (i * cells + j) * cells
                    count = _scan(work.task, settings, table, first[row + max(0, z - around)],
                                  first[row + min(cells, z + around + 1)], count, best, cost)
            if count == codes.MOST_PICKED or around >= cells:
                break
            around *= 2
    else:
        count = _scan(work.task, settings, table, 0, table.entries, count, best, cost)
    for i in range(count):
        take_entry(chain, table, best[i], start, q)
        away[i] = joint_distance(settings, n, start, q)
        if settings.prefer == codes.NEAREST:
            cost[i] = POSE * cost[i] + away[i] / n
    for i in range(1, count):  # by cost, the least first
        number, distance, c = best[i], away[i], cost[i]
        j = i
        while j > 0 and cost[j - 1] > c:
            best[j], away[j], cost[j] = best[j - 1], away[j - 1], cost[j - 1]
            j -= 1
        best[j], away[j], cost[j] = number, distance, c
    return count


def next_start(chain: ChainRecord, settings: Settings, work: ArmData, table: Table, entries: int,
               around: int, number: int, start: Vector, q: Vector) -> None:
    """Write the initial guess of restart `number`, from 0, into q (n,); start (n,): q0.

    First come guesses around q0, as many as `around`, then the entries that `pick_entries` has
    selected, as many as `entries`, then samples. Around q0 joints are within work.nearby of it.
    """
    n, lower, upper = chain.n, chain.lower, chain.upper
    for k in range(n):
        work.unit[k] = settings.length if settings.span[k] > 0.0 else 1.0
    if number < around:
        for k in range(n):
            part = 2.0 * table.samples[number * n + k] - 1.0
            q[k] = min(max(start[k] + part * work.nearby * work.unit[k], lower[k]), upper[k])
    elif number < around + entries:
        take_entry(chain, table, work.picked[number - around], start, q)
    else:
        spread(chain, work.unit, start, table.samples, number - around - entries, q)


def take_entry(chain: ChainRecord, table: Table, number: int, start: Vector, q: Vector) -> None:
    """Write the joint values of an entry into q (n,), turned to come nearest to start (n,)."""
    n, lower, upper = chain.n, chain.lower, chain.upper
    for k in range(n):
        value = table.q[number * n + k]
        if chain.turns[k]:
            turned = value + TWO_PI * round((start[k] - value) / TWO_PI)
            while turned > upper[k]:
                turned -= TWO_PI
            while turned < lower[k]:
                turned += TWO_PI
            if turned <= upper[k]:
                value = turned
        q[k] = min(max(value, lower[k]), upper[k])


def spread(limits: JointLimits, unit: Vector, q0: Vector, samples: Vector, number: int,
           q: Vector) -> None:
    """Spread a sample (n,), in [0, 1), over the limits into q (n,).

    A joint with a range above one turn starts within half a turn of q0, as far as its limits
    allow: the rest repeats configurations. A joint without limits starts within π units of q0;
    unit (n,) is 1 rad, or for a prismatic joint a length, m.
    """
    for k in range(limits.n):
        lower, upper = limits.lower[k], limits.upper[k]
        if limits.turns[k] or upper - lower == INF:
            half = PI * (1.0 if limits.turns[k] else unit[k])
            if upper - lower > 2.0 * half:
                lower = max(lower, min(q0[k] - half, upper - 2.0 * half))
                upper = min(upper, lower + 2.0 * half)
        q[k] = min(lower + samples[number * limits.n + k] * (upper - lower), upper)


def joint_distance(settings: Settings, n: int, q0: Vector, q: Vector) -> float:
    """Return the squared distance of q (n,) from q0 (n,), a heavier joint counting more.

    In rad²; of a prismatic joint the length of the arm counts as a radian.
    """
    total, scale, span = 0.0, settings.scale, settings.span
    for k in range(n):
        unit = settings.length if span[k] > 0.0 else 1.0
        total += ((q[k] - q0[k]) / (unit * scale[k])) ** 2
    return total


def _cell(offset: float, edge: float, cells: int) -> int:
    """Return the index of the cell along one axis nearest to an offset."""
    return int(min(max(offset / edge, 0.0), cells - 1.0))


def _scan(task: TipTask, settings: Settings, table: Table, first: int, last: int, count: int,
          best: Integers, cost: Vector) -> int:
    """Merge the entries first … last − 1 into the `count` nearest to the goal; return how many.

    best: their indices; cost: their squared distances: positions in arm lengths, rotation matrices
    entry by entry, free axes of the goal left out.
    """
    T, most, p, R = task.T, codes.MOST_PICKED, table.position, table.rotation
    whole, square = task.rows == 6, 1.0 / (settings.length * settings.length)
    for i in range(first, last):
        if whole:
            x, y, z = p[i][0] - T[0][3], p[i][1] - T[1][3], p[i][2] - T[2][3]
            away = square * (x * x + y * y + z * z)
            if count == most and away >= cost[most - 1]:
                continue
            turned = 0.0
            for j in range(3):
                for k in range(3):
                    off = R[i][j][k] - T[j][k]
                    turned += off * off
            away += TURNED * turned
        else:
            away = _partial(task, square, table, i)
        if count == most and away >= cost[most - 1]:
            continue
        count = min(count + 1, most)
        at = count - 1
        while at > 0 and cost[at - 1] > away:
            best[at], cost[at] = best[at - 1], cost[at - 1]
            at -= 1
        best[at], cost[at] = i, away
    return count


def _partial(task: TipTask, square: float, table: Table, i: int) -> float:
    """Return the squared distance of entry i from a goal with free axes.

    A column of the rotation matrix counts if both rotations that move it are constrained.
    """
    T, w, p, R = task.T, task.weights, table.position, table.rotation
    away, turned = 0.0, 0.0
    for a in range(3):
        if w[a] > 0.0:
            off = 0.0
            for j in range(3):
                off += T[j][a] * (p[i][j] - T[j][3])
            away += square * off * off
        if w[3 + (a + 1) % 3] > 0.0 and w[3 + (a + 2) % 3] > 0.0:
            for j in range(3):
                off = R[i][j][a] - T[j][a]
                turned += off * off
    return away + TURNED * turned
