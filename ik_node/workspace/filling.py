"""Fills reachability maps: by samples, from neighbours that are reached, by inverse kinematics."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from typing import Any

import numpy as np

from ik_node.collision.model import CollisionModel
from ik_node.kinematics.forward import ChainRecord
from ik_node.model.chain import Chain
from ik_node.solvers.auto import AutoSolver
from ik_node.solvers.goal import Goal
from ik_node.spatial import inverse
from ik_node.workspace.cells import Cells
from ik_node.workspace.filling_kernel import Filler
from ik_node.workspace.lattice import Lattice, SamplingPlan

Report = Callable[[float, str], None]  # part of the whole, 0 to 1; name of the stage

_MOST_BINS = 16       # samples of a round for each cell, one for each of its bins;
_FEWEST = 1 << 16     # and at least so many in all
_PIECE = 1 << 18      # samples between two reports
_CHANGE = 5e-3        # of the cells reached: a round that changes fewer is the last
_MOST_ROUNDS = 40
_RESTARTS = 20        # of a solve for a centre


class Filling:
    """The arrays of a map while it is filled, see `Filler`, and the threads that fill it.

    Each thread fills cells of its own, in an order that does not depend on how many there are: the
    bits are the same for any number.
    """

    def __init__(self, chain: Chain, lattice: Lattice, plan: SamplingPlan,
                 obstacles: Sequence[Any] | None, report: Report,
                 workers: int | None = None) -> None:
        """obstacles: those to avoid, and the robot itself; None where collisions do not count."""
        size, n = lattice.size, chain.n_joints
        self.chain, self.lattice, self.plan, self.report = chain, lattice, plan, report
        self.reached, self.tries = np.zeros(size, np.int64), np.zeros(size, np.int64)
        self.best, self.offset = np.zeros(size, np.float32), np.zeros(4 * size, np.float32)
        self.opened = np.zeros(size * lattice.turns, np.int64)
        self.q = np.zeros(size * n, np.float32)
        self._model = None if obstacles is None else CollisionModel(chain, obstacles)
        spans, record = _heading_spans(Cells(lattice).headings), ChainRecord(plan.arrays)
        self._fillers = [Filler(record, Cells(lattice), plan, self.reached, self.tries, self.best,
                                self.opened, self.q, self.offset, spans,
                                None if self._model is None else self._model.take())
                         for _ in range(workers or os.cpu_count() or 1)]

    def run(self, exact: bool) -> None:
        """Fill the cells; exact: whether those at the border are solved for in the end."""
        parts, stamp = len(self._fillers), 2
        with ThreadPoolExecutor(parts) as pool:
            self._draw(pool)
            while sum(pool.map(Filler.spread, self._fillers, range(parts), repeat(parts),
                               repeat(stamp))):
                stamp += 1
            if exact:
                self._solve(pool, stamp + 1)
        self.report(1.0, 'done')

    def _draw(self, pool: ThreadPoolExecutor) -> None:
        """Draw samples until a round of them changes little."""
        parts, drawn, expected = len(self._fillers), 0, 1.0
        count = max(self.lattice.size * min(self.plan.bins, _MOST_BINS), _FEWEST)
        for _ in range(_MOST_ROUNDS):
            changed = 0
            for first in range(0, count, _PIECE):
                changed += sum(pool.map(
                    Filler.sample, self._fillers, repeat(drawn + first),
                    repeat(min(_PIECE, count - first)), range(parts), repeat(parts), repeat(1)))
                self.report(0.9 * min(_CHANGE / expected, 1.0), 'sampling configurations')
            drawn += count
            expected = changed / max(int(np.count_nonzero(self.reached)), 1)
            if expected <= _CHANGE:
                break

    def _solve(self, pool: ThreadPoolExecutor, stamp: int) -> None:
        """Solve for the centres that are not reached, next to some that are, with restarts."""
        lattice, plan, n = self.lattice, self.plan, self.chain.n_joints
        nodes, others = self.border()
        lower, upper = self.chain.lower.copy(), self.chain.upper.copy()
        for joint in (plan.first, plan.last):
            if joint >= 0:
                lower[joint], upper[joint] = -np.inf, np.inf
        chain = self.chain.with_limits(lower, upper)
        back, ahead = inverse(lattice.T_joint_base), inverse(lattice.T_tip_wrist)
        parts = len(self._fillers)

        def solve(filler: Filler, part: int) -> None:
            solver = AutoSolver(chain, max_restarts=_RESTARTS)
            T = np.empty((4, 4))
            for k in range(part, len(nodes), parts):
                q = self.q[others[k] * n:(others[k] + 1) * n].astype(float)
                filler.goal_from(int(nodes[k]), q, T)
                result = solver.solve(Goal.from_pose(back @ T @ ahead, lattice.weights,
                                                     project=True), q)
                if result.success:
                    filler.seed(int(nodes[k]), result.q, stamp)
                if part == 0:
                    self.report(0.9 + 0.1 * k / len(nodes), 'solving for the border')
        list(pool.map(solve, self._fillers, range(parts)))

    def border(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the cells (k,) not reached next to ones that are, and one of these (k,) each."""
        inside = self.reached.reshape(self.lattice.shape) > 0
        numbers = np.arange(inside.size).reshape(inside.shape)
        other = np.full(inside.shape, -1)
        for here, there, _, _ in _neighbours():
            view = other[here]
            view[:] = np.where(~inside[here] & inside[there], numbers[there], view)
        nodes = np.flatnonzero(other.ravel() >= 0)
        return nodes, other.ravel()[nodes]

    def depths(self) -> np.ndarray:
        """Return the distances (k,) of the cells' centres from the border, in cells, −1 to 1.

        Positive inside. Outside that to the nearest pose found. Inside that to the planes through
        the poses found next to it, at right angles to the offsets there.
        """
        shape = self.lattice.shape
        inside, offset = self.reached.reshape(shape) > 0, self.offset.reshape(*shape, 4)
        away = np.sqrt((offset ** 2).sum(axis=-1))
        depth = np.where(inside, 1.0, np.where(away > 0.0, -np.clip(away, _LEAST, 1.0), -1.0))
        for here, there, axis, sign in _neighbours():
            border = inside[here] & ~inside[there]
            distance = away[there][border]
            along = -sign * offset[there][border][:, axis] / np.maximum(distance, 1e-9) - distance
            along = np.where(distance > 0.0, along, 0.5)
            view = depth[here]
            view[border] = np.minimum(view[border], np.clip(along, _LEAST, 1.0))
        return depth.astype(np.float16).astype(np.float32).ravel()

    def rows(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the row (k,) of each cell, and the bits (r turns,) of rows 1 to r.

        Row 0 is of cells that are not reached, or reachable at all headings and turns.
        """
        opened = self.opened.reshape(self.lattice.size, -1)
        partial = (self.reached > 0) & (opened != self._fillers[0].full).any(axis=1)
        rows = np.zeros(self.lattice.size, np.int64)
        rows[partial] = np.arange(1, int(partial.sum()) + 1)
        return rows, np.ascontiguousarray(opened[partial].ravel())


_LEAST = 0.01  # cells: a centre is on one side of the border


def _neighbours() -> Iterator[tuple[Any, Any, int, int]]:
    """Yield the slices of cells and of their neighbours, the axis and the sign of the step."""
    for axis in range(4):
        for sign in (-1, 1):
            low, high = [slice(None)] * 4, [slice(None)] * 4
            low[axis], high[axis] = slice(0, -1), slice(1, None)
            here, there = (low, high) if sign > 0 else (high, low)
            yield tuple(here), tuple(there), axis, sign


def _heading_spans(headings: int) -> np.ndarray:
    """Return the bits of 0 to all headings from each one on, (headings (headings + 1),)."""
    return np.array([sum(1 << (first + k) % headings for k in range(count))
                     for first in range(headings) for count in range(headings + 1)], np.int64)
