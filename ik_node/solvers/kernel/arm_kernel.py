"""Entry points: the errors of joint values, the closest ones, and the search of one solver.

Threads may use one object at the same time: each call has its own `ArmData`. ValueError is raised
where arrays have other shapes than documented.
"""

import math
import weakref
from collections.abc import Callable, Hashable
from typing import Any

import cython
import numpy as np

from ik_node.collision.scene import FreeSpace
from ik_node.kinematics.forward import ChainRecord
from ik_node.model.chain import Chain
from ik_node.solvers import codes
from ik_node.solvers.kernel import closest, search
from ik_node.solvers.kernel.low_discrepancy import low_discrepancy
from ik_node.solvers.kernel.method import Method
from ik_node.solvers.kernel.restarts import Table
from ik_node.solvers.kernel.settings import ArmData, Settings
from ik_node.support import arrays, native
from ik_node.support.arrays import InMatrix, InPoses, InVector, Memory, OutMatrix, OutVector

GUESSES = 94  # of `Closest`, after the two of the caller

_KEPT: weakref.WeakKeyDictionary[Chain, dict[Any, Any]] = weakref.WeakKeyDictionary()


class Verifier:
    """Errors of a chain's joint values, and their limits."""

    def __init__(self, chain: ChainRecord) -> None:
        self.chain = chain
        self.idle: list[ArmData] = []

    def make_data(self) -> ArmData:
        """Return new scratch."""
        return ArmData(self.chain.m, self.chain.n)

    def errors(self, T_base_goal: InMatrix, weights: InVector, q: InVector) -> tuple:
        """Return (squared weighted error, position error, orientation error) at q (n,).

        In m² and rad², m, and rad; for a goal's pose (4, 4), m, and its weights (6,).
        """
        work = self.begin(T_base_goal, weights, q)
        error, position, orientation = search.residual(self.chain, work.task, work, work.q0)
        self.idle.append(work)
        return error, position, orientation

    def rows(self, T_base_goal: InMatrix, weights: InVector, q: InVector) -> tuple:
        """Return the weighted error V (6,) at q (n,), its J (6, n), and what `errors` returns.

        V decreases by J Δq.
        """
        work = self.begin(T_base_goal, weights, q)
        error, position, orientation = search.residual(self.chain, work.task, work, work.q0)
        search.rows(self.chain, work.task, work)
        V, J = np.empty(6), np.empty((6, self.chain.n))
        arrays.copy_vector(work.V, V)
        arrays.copy_columns(work.J, J)
        self.idle.append(work)
        return V, J, error, position, orientation

    def into_limits(self, q: OutVector) -> bool:
        """Bring q (n,) inside the limits in place: by whole turns where possible, else clipped.

        Returns whether it is finite; else it is left as it is.
        """
        work, finite = self.take(q), True
        for k in range(self.chain.n):
            finite = finite and math.isfinite(work.q0[k])
        if finite:
            search.into_limits(self.chain, work.q0)
            arrays.copy_vector(work.q0, q)
        self.idle.append(work)
        return finite

    def nearest_turn(self, q0: InVector, q: OutVector) -> None:
        """Wrap revolute joints of q (n,) in place to come nearest to q0 (n,), inside the limits."""
        work = self.take(q)
        if q0.shape[0] != self.chain.n:
            raise ValueError(f'q0 must have the shape ({self.chain.n},)')
        arrays.read_vector(q0, work.start)
        search.nearest_turn(self.chain, work.start, work.q0)
        arrays.copy_vector(work.q0, q)
        self.idle.append(work)

    def begin(self, T_base_goal: InMatrix, weights: InVector, q: InVector,
              free: FreeSpace | None = None) -> ArmData:
        """Return scratch that no other thread uses, with a goal and q (n,) in it.

        free: where configurations must be.
        """
        if T_base_goal.shape[0] != 4 or T_base_goal.shape[1] != 4 or weights.shape[0] != 6:
            raise ValueError('a goal must have a pose (4, 4) and weights (6,)')
        work = self.take(q)
        search.load_goal(work.task, T_base_goal, weights)
        if free is not None:
            work.touch = free.take()
        return work

    def take(self, q: InVector) -> ArmData:
        """Return scratch that no other thread uses, with q (n,) in it."""
        if q.shape[0] != self.chain.n:
            raise ValueError(f'joint values must have the shape ({self.chain.n},)')
        work = self.scratch()
        arrays.read_vector(q, work.q0)
        return work

    def scratch(self) -> ArmData:
        """Return scratch that no other thread uses."""
        try:
            return self.idle.pop()
        except IndexError:
            return self.make_data()

    def leave(self, work: ArmData) -> None:
        """Leave scratch to other threads."""
        if work.touch is not None:
            work.touch.leave()
            work.touch = None
        self.idle.append(work)


class Closest(Verifier):
    """Finds the closest configurations of a chain."""

    def __init__(self, chain: ChainRecord, samples: np.ndarray) -> None:
        """Take the guesses (k, n) after the two of the caller, in [0, 1), of the limits' range."""
        self.chain, self.idle, self.memory = chain, [], Memory()
        self.samples, self.guesses = self.memory.vector(samples.ravel()), 2 + len(samples)

    def find(self, T_base_goal: InMatrix, weights: InVector, q: OutVector,
             found: InVector, deadline: float, free: FreeSpace | None = None) -> tuple:
        """Replace q (n,), inside the limits, by the best local minimum from it and other guesses.

        Of those alike the one from q. found: (n,) where a search has ended, the second guess.
        deadline: by `clock`, s; the search ends there, but not before the minimum from q. free:
        where minima must be; without one q stays. Returns (position error, orientation error), m
        and rad.
        """
        work = self.begin(T_base_goal, weights, q, free)
        if found.shape[0] != self.chain.n:
            raise ValueError(f'joint values must have the shape ({self.chain.n},)')
        arrays.read_vector(found, work.null)
        with cython.nogil:
            closest.best_of(self.chain, work, self.samples, self.guesses, deadline)
        _, position, orientation = search.residual(self.chain, work.task, work, work.best)
        arrays.copy_vector(work.best, q)
        self.leave(work)
        return position, orientation


class Search(Verifier):
    """The search of one solver; its attempts are those of a method."""

    def __init__(self, chain: ChainRecord, method: Method, settings: Settings, table: Table,
                 attempts: int, soft: ChainRecord | None = None, continues: bool = False) -> None:
        """Take the chain with narrower limits, soft, where a solution is looked for first.

        continues: whether a failed search ends at the local minimum next to the best configuration.
        """
        self.chain, self.idle = chain, []
        self.method, self.settings, self.table = method, settings, table
        self.attempts, self.soft, self.continues = attempts, soft, continues
        self.free: FreeSpace | None = None  # where configurations must be

    def altered(self, method: Method | None = None, attempts: int = 0,
                chain: ChainRecord | None = None, soft: ChainRecord | None = None) -> 'Search':
        """Return the same search with changes.

        method: another one of the same class. attempts: so many, none of which is continued.
        chain: the same with narrower limits, with soft as its `soft`.
        """
        other = Search(self.chain if chain is None else chain, method or self.method, self.settings,
                       self.table, attempts or self.attempts, self.soft if chain is None else soft,
                       self.continues and not attempts)
        other.idle, other.free = self.idle, self.free
        return other

    def make_data(self) -> ArmData:
        return self.method.make_data(self.chain.m, self.chain.n)

    def solve(self, T_base_goal: InMatrix, weights: InVector, q: OutVector,
              deadline: float) -> tuple:
        """Search from q (n,), and write the best configuration there.

        deadline: by `clock`, s; the attempt under way then ends, after its first few iterations at
        least. Returns (end, position error, orientation error, iterations, restarts), see
        `ArmData`. Where q is not finite it is left as it is, and the end is INVALID.
        """
        work = self.begin(T_base_goal, weights, q, self.free)
        work.deadline = deadline
        with cython.nogil:
            self.find(self.chain, work)
        if work.end != codes.INVALID:
            arrays.copy_vector(work.best, q)
        found = (work.end, work.position, work.orientation, work.best_iterations,
                 work.attempts - 1)
        self.leave(work)
        return found

    def solve_many(self, T_base_goal: InPoses, weights: InVector, q: OutMatrix,
                   timeout: float, records: OutMatrix) -> None:
        """Search for goals at poses (m, 4, 4), from q (m, n), in place; see `solve`.

        timeout: of each search, s. records: (m, 5) what `solve` returns.
        """
        m = T_base_goal.shape[0]
        if q.shape[0] != m or records.shape[0] != m or records.shape[1] != 5:
            raise ValueError('the arrays of a batch must have one row for each pose')
        if m == 0:
            return
        work = self.begin(T_base_goal[0], weights, q[0], self.free)
        with cython.nogil:
            for i in range(m):
                arrays.read_pose(T_base_goal[i], work.task.T)
                arrays.read_vector(q[i], work.q0)
                work.deadline = native.now() + timeout
                self.find(self.chain, work)
                if work.end != codes.INVALID:
                    arrays.copy_vector(work.best, q[i])
                records[i, 0], records[i, 1] = work.end, work.position
                records[i, 2], records[i, 3] = work.orientation, work.best_iterations
                records[i, 4] = work.attempts - 1
        self.leave(work)

    def step(self, T_base_goal: InMatrix, weights: InVector, q: InVector,
             dq: OutVector) -> None:
        """Write one bare step of the method from q (n,) into dq (n,)."""
        if dq.shape[0] != self.chain.n:
            raise ValueError(f'dq must have the shape ({self.chain.n},)')
        work = self.begin(T_base_goal, weights, q, self.free)
        with cython.nogil:
            self.method.bare_step(self.chain, work.task, self.settings, work, work.q0, work.q)
        arrays.copy_vector(work.q, dq)
        self.leave(work)

    def find(self, chain: ChainRecord, work: ArmData) -> int:
        """Search from work.q0 (n,); the best goes into work.best (n,). Return 0.

        chain: the same, its limits perhaps others.
        """
        if self.soft is not None:
            search.try_starts(self.soft, self.method, self.settings, self.table, work,
                              self.attempts)
            if work.end == codes.CONVERGED:
                return 0
        search.try_starts(chain, self.method, self.settings, self.table, work, self.attempts)
        if work.end != codes.STALLED and work.end != codes.BEYOND:
            return 0
        if self.continues:
            closest.approach(chain, self.settings, work)
        if work.end == codes.STALLED and search.is_singular(chain, self.settings.length, work):
            work.end = codes.SINGULAR
        return 0


def verifier_of(chain: Chain) -> Verifier:
    """Return what computes the errors of a chain's joint values, and holds their limits."""
    return kept(chain, Verifier, lambda: Verifier(chain.record))


def closest_of(chain: Chain) -> Closest:
    """Return what finds the configurations of a chain that are closest to goals."""
    return kept(chain, Closest, lambda: Closest(
        chain.record, low_discrepancy(GUESSES, chain.n_joints, 0)))


def table_of(chain: Chain, samples: int, seed: int) -> Table:
    """Return the table of a chain."""
    return kept(chain, (Table, samples, seed), lambda: Table(chain, samples, seed))


def kept(chain: Chain, key: Hashable, make: Callable[[], Any]) -> Any:
    """Return what `make` returns, made once for a chain and a key."""
    own = _KEPT.setdefault(chain, {})
    if key not in own:
        own[key] = make()
    return own[key]
