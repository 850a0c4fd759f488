"""The ladder of a path: candidates of every pose, turn copies, and the choice among them."""

import itertools
import math
from collections.abc import Sequence

import numpy as np

from ik_node.solvers.path.problem import PathProblem
from ik_node.solvers.path.shortest_path import Rungs
from ik_node.support import clock

_TURN = 2.0 * math.pi
_SAME = 1e-5            # rad or m: candidates nearer to each other are one
_FEW_COPIES = 1.5       # turns: joints with a smaller range get turn copies from the beginning
_NEAR_LIMIT = 0.05      # of a joint's range: nearer to a limit than this costs
_LIMIT_COST = 0.05      # rad²: of a joint at its limit
_MARGIN_COST = 1e3      # rad²: of a joint within the margin of the options
_ROUNDING = 1e-9        # rad or m: of a largest step
_LOOSER = 2.0           # of the least possible largest step: what the shortest path keeps
_ROUNDS = 24            # in which steps that touch something are left out
_FEW = 2500             # candidates that are compared after the deadline


def fewer(rungs: list[np.ndarray], deadline: float) -> list[np.ndarray]:
    """Return candidates (k, n) of some rungs; after the deadline, of many only some of each."""
    count = sum(map(len, rungs))
    if count <= _FEW or not clock.is_over(deadline):
        return rungs
    return [rung[::_stride(count)] for rung in rungs]


def _stride(count: int) -> int:
    """Return which of many candidates are kept after the deadline: every how many."""
    return -(-count // _FEW)


class Ladder:
    """Candidates of every pose; the first rung may be the initial guess alone."""

    def __init__(self, problem: PathProblem, rungs: Sequence[np.ndarray]) -> None:
        """Take candidates (k, n) of every rung; that of q0 stays as it is."""
        self._problem, self._chain, self._margin = problem, problem.chain, problem.margin
        self._anchored, self._count = bool(problem.anchored), len(rungs)
        turns, span = self._chain.turns, self._chain.upper - self._chain.lower
        self._cyclic = turns & (span >= _FEW_COPIES * _TURN)
        self._copied = turns & (span >= _TURN) & ~self._cyclic
        self._q, self._rung = np.empty((0, len(span))), np.empty(0, dtype=np.int64)
        self._new: dict[int, list[np.ndarray]] = {}
        self._touching: dict[bytes, tuple[np.ndarray, np.ndarray]] = {}  # steps
        self._rounds = 0  # in which these were looked for
        rungs = [*rungs[:problem.anchored], *map(self._free, rungs[problem.anchored:])]
        sizes = np.fromiter(map(len, rungs), np.int64)
        self._insert(np.concatenate([self._q, *rungs]), np.repeat(np.arange(len(rungs)), sizes),
                     self._copied)

    def add(self, i: int, q: np.ndarray) -> bool:
        """Add a candidate (n,) to a rung; return whether it is new, and touches nothing."""
        first, last = np.searchsorted(self._rung, (i, i + 1))
        new = self._new.setdefault(i, [])
        off = np.concatenate([self._q[first:last], *new]) - q
        off[:, self._chain.turns] -= _TURN * np.round(off[:, self._chain.turns] / _TURN)
        if (len(off) and np.abs(off).max(axis=1).min() < _SAME) or not self._problem.is_free(q):
            return False
        new.append(q[None])
        return True

    def extend(self, i: int, q: np.ndarray) -> None:
        """Add candidates (k, n) to a rung, new or not, that touch nothing."""
        self._new.setdefault(i, []).append(self._free(q))

    def _free(self, q: np.ndarray) -> np.ndarray:
        return q if self._problem.collisions is None else q[list(map(self._problem.is_free, q))]

    def size(self, i: int) -> int:
        """Return the number of candidates of a rung."""
        first, last = np.searchsorted(self._rung, (i, i + 1))
        return int(last - first) + sum(map(len, self._new.get(i, ())))

    def choose(self) -> np.ndarray:
        """Return the best configuration (m, n) of every rung, rad or m; NaN where one is empty.

        First the least possible largest step is found; no joint then moves much farther than that
        for the sake of a shorter path.
        """
        added = [(i, block) for i, new in self._new.items() for block in new]
        self._new = {}
        if added:
            blocks = fewer([block for _, block in added], self._problem.deadline)
            self._insert(np.concatenate(blocks), np.repeat(
                [i for i, _ in added], [len(block) for block in blocks]), self._copied)
        while True:
            path = self._shortest()
            stuck = self._unwrap(path)
            if not stuck.any():
                return path
            self._cyclic = self._cyclic & ~stuck
            self._copied = self._copied | stuck
            q, rung = self._q, self._rung
            self._q, self._rung = q[:0], rung[:0]
            self._insert(q, rung, stuck)

    def _shortest(self) -> np.ndarray:
        """Return the best path (m, n) with cyclic joints but for whole turns."""
        most, deadline = self._problem.most, self._problem.deadline
        departs = self._anchored and not self._problem.joined
        if len(self._q) > _FEW and clock.is_over(deadline):
            first = np.searchsorted(self._rung, np.arange(self._count + 1))
            place = np.arange(len(self._q)) - np.repeat(first[:-1], np.diff(first))
            kept = place % _stride(len(self._q)) == 0
            self._q, self._rung = self._q[kept], self._rung[kept]
        first = np.searchsorted(self._rung, np.arange(self._count + 1))
        while True:
            rungs = Rungs(self._q, first, self._costs(self._q), self._cyclic, self._problem.scale,
                          self._left_out(), self._problem.bound)
            largest, _ = rungs.shortest_path(most, departs, True, deadline)
            _, chosen = rungs.shortest_path(min(most, _LOOSER * largest + _ROUNDING), departs,
                                            False, deadline)
            path = np.full((self._count, self._q.shape[1]), np.nan)
            path[chosen >= 0] = self._q[chosen[chosen >= 0]]
            self._rounds += 1
            if not self._leave_out(path) or self._rounds >= _ROUNDS or clock.is_over(deadline):
                return path

    def _leave_out(self, path: np.ndarray) -> bool:
        """Leave out steps of a path (m, n) that touch something; return whether any are new."""
        count = len(self._touching)
        for i in np.flatnonzero(self._problem.blocked(path, self._cyclic)).tolist():
            self._touching[path[i - 1:i + 1].tobytes()] = path[i - 1], path[i]
        return len(self._touching) > count

    def _left_out(self) -> np.ndarray:
        """Return the steps (k, 2) that are left out, by the places of their candidates."""
        return np.array([each for step in self._touching.values() for each in itertools.product(
            *(np.flatnonzero((self._q == q).all(axis=1)) for q in step))],
            dtype=np.int_).reshape(-1, 2)

    def _insert(self, q: np.ndarray, rung: np.ndarray, copied: np.ndarray) -> None:
        """Add candidates (k, n) to their rungs (k,), with turn copies of some joints (n,)."""
        lower, upper = self._chain.lower, self._chain.upper
        for k in np.flatnonzero(copied):
            free = ~(self._anchored & (rung == 0))
            copies, rungs = [q], [rung]
            for turn in (-2, -1, 1, 2):
                value = q[:, k] + turn * _TURN
                inside = free & (value >= lower[k]) & (value <= upper[k])
                if inside.any():
                    copy = q[inside]
                    copy[:, k] = value[inside]
                    copies.append(copy)
                    rungs.append(rung[inside])
            q, rung = np.concatenate(copies), np.concatenate(rungs)
        rung = np.concatenate([self._rung, rung])
        order = np.argsort(rung, kind='stable')
        self._rung = rung[order]
        self._q = np.ascontiguousarray(np.concatenate([self._q, q])[order])

    def _costs(self, q: np.ndarray) -> np.ndarray:
        """Return the costs (k,) of candidates (k, n): of nearness to limits."""
        lower, upper = self._chain.lower, self._chain.upper
        finite = np.isfinite(upper - lower) & (upper > lower) & ~self._cyclic
        gap = np.minimum(q - lower, upper - q)[:, finite]
        room = _NEAR_LIMIT * (upper - lower)[finite]
        short = np.clip(1.0 - gap / room, 0.0, 1.0)
        cost: np.ndarray = _LIMIT_COST * (short * short).sum(axis=1)
        if self._margin > 0.0:
            cost += _MARGIN_COST * (gap < self._margin).sum(axis=1)
        return cost

    def _unwrap(self, path: np.ndarray) -> np.ndarray:
        """Turn cyclic joints of a path (m, n) by whole turns, in place, so that it is continuous.

        Return (n,) whether a joint leaves its limits, or the margin, for all whole turns.
        """
        stuck = np.zeros(path.shape[1], dtype=bool)
        present = np.flatnonzero(np.isfinite(path).all(axis=1))
        if not len(present):
            return stuck
        for k in np.flatnonzero(self._cyclic):
            values = path[present, k]
            values[1:] -= _TURN * np.cumsum(np.round(np.diff(values) / _TURN))
            lower = self._chain.lower[k] + self._margin
            upper = self._chain.upper[k] - self._margin
            low = np.ceil((lower - values.min()) / _TURN)
            high = np.floor((upper - values.max()) / _TURN)
            if self._anchored:
                low, high = max(low, 0.0), min(high, 0.0)
            if low > high:
                stuck[k] = True
                continue
            turned = 0.0 if self._anchored else -np.round(values[0] / _TURN)
            path[present, k] = values + _TURN * min(max(turned, low), high)
        return stuck
