"""Entry points: the errors of joint values, and the search of one solver.

Threads may use one object at the same time: each call has its own `Scratch`. ValueError is raised
where arrays have other shapes than documented.
"""

import math
from typing import Any

try:
    import cython
except ImportError:
    from ik_node.support import cython
import numpy as np

from ik_node.collision.scene import FreeSpace
from ik_node.kinematics import joint_limits
from ik_node.kinematics.forward import ChainRecord
from ik_node.solvers import codes
from ik_node.solvers.kernel import search
from ik_node.solvers.kernel.method import Method
from ik_node.solvers.kernel.restarts import Table
from ik_node.solvers.kernel.settings import Record, Scratch, Settings
from ik_node.solvers.kernel.task import TipTask
from ik_node.support import arrays, native


class Verifier:
    """Errors of a chain's joint values, and their limits."""

    def __init__(self, chain: ChainRecord) -> None:
        self.chain = chain
        self.idle: list[Scratch] = []

    def make_work(self) -> Scratch:
        """Return new scratch."""
        return Scratch(self.chain.m, self.chain.n)

    def errors(self, T_base_goal: np.ndarray, weights: np.ndarray, q: np.ndarray) -> tuple:
        """Return (squared weighted error, position error, orientation error) at q (n,).

        In m² and rad², m, and rad; for a goal's pose (4, 4), m, and its weights (6,).
        """
        work = self.begin(T_base_goal, weights, q)
        error, position, orientation = search.residual(self.chain, work.task, work, work.q0)
        self.idle.append(work)
        return error, position, orientation

    def rows(self, T_base_goal: np.ndarray, weights: np.ndarray, q: np.ndarray) -> tuple:
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

    def into_limits(self, q: np.ndarray) -> bool:
        """Bring q (n,) inside the limits in place: by whole turns where possible, else clipped.

        Returns whether it is finite; else it is left as it is.
        """
        work, finite = self.take(q), True
        for k in range(self.chain.n):
            finite = finite and math.isfinite(work.q0[k])
        if finite:
            joint_limits.into_limits(self.chain, work.q0)
            arrays.copy_vector(work.q0, q)
        self.idle.append(work)
        return finite

    def nearest_turn(self, q0: np.ndarray, q: np.ndarray) -> None:
        """Wrap revolute joints of q (n,) in place to come nearest to q0 (n,), inside the limits."""
        work = self.take(q)
        if q0.shape[0] != self.chain.n:
            raise ValueError(f'q0 must have the shape ({self.chain.n},)')
        for k in range(self.chain.n):
            work.start[k] = float(q0[k])
        joint_limits.nearest_turn(self.chain, work.start, work.q0)
        arrays.copy_vector(work.q0, q)
        self.idle.append(work)

    def begin(self, T_base_goal: np.ndarray, weights: np.ndarray, q: np.ndarray) -> Scratch:
        """Return scratch that no other thread uses, with a goal and q (n,) in it."""
        if T_base_goal.shape[0] != 4 or T_base_goal.shape[1] != 4 or weights.shape[0] != 6:
            raise ValueError('a goal must have a pose (4, 4) and weights (6,)')
        work = self.take(q)
        search.load_goal(work.task, T_base_goal, weights)
        return work

    def take(self, q: np.ndarray) -> Scratch:
        """Return scratch that no other thread uses, with q (n,) in it."""
        if q.shape[0] != self.chain.n:
            raise ValueError(f'joint values must have the shape ({self.chain.n},)')
        work = self.scratch()
        for k in range(self.chain.n):
            work.q0[k] = float(q[k])
        return work

    def scratch(self) -> Scratch:
        """Return scratch that no other thread uses."""
        try:
            return self.idle.pop()
        except IndexError:
            return self.make_work()


class Search(Verifier):
    """The search of one solver; its attempts are those of a method."""

    patient: Any

    def __init__(self, chain: ChainRecord, method: Method, settings: Settings, table: Table,
                 attempts: int, soft: ChainRecord | None = None,
                 patient: 'Search | None' = None) -> None:
        """Take the chain with narrower limits, soft, where a solution is looked for first.

        patient: the search that continues from the best configuration of a failed one.
        """
        self.chain, self.idle = chain, []
        self.method, self.settings, self.table = method, settings, table
        self.attempts, self.soft, self.patient = attempts, soft, patient
        self.free: FreeSpace | None = None  # where configurations must be

    def altered(self, method: Method | None = None, attempts: int = 0,
                chain: ChainRecord | None = None, soft: ChainRecord | None = None) -> 'Search':
        """Return the same search with changes.

        method: another one of the same class. attempts: so many, none of which is continued.
        chain: the same with narrower limits, with soft as its `soft`.
        """
        other = Search(self.chain if chain is None else chain, method or self.method, self.settings,
                       self.table, attempts or self.attempts, self.soft if chain is None else soft,
                       None if attempts else self.patient)
        other.idle, other.free = self.idle, self.free
        return other

    def make_work(self) -> Scratch:
        return self.method.make_work(self.chain.m, self.chain.n)

    def begin(self, T_base_goal: np.ndarray, weights: np.ndarray, q: np.ndarray) -> Scratch:
        """Do as `Verifier.begin`, with what checks for collisions."""
        work = Verifier.begin(self, T_base_goal, weights, q)
        if self.free is not None:
            work.touch = self.free.take()
        return work

    def leave(self, work: Scratch) -> None:
        """Leave scratch to other threads."""
        if work.touch is not None:
            work.touch.leave()
            work.touch = None
        self.idle.append(work)

    def solve(self, T_base_goal: np.ndarray, weights: np.ndarray, q: np.ndarray,
              deadline: float) -> tuple:
        """Search from q (n,), and write the best configuration there.

        deadline: by `clock`, s; the attempt under way then ends, after its first few iterations at
        least. Returns (end, position error, orientation error, iterations, restarts), see
        `Record`. Where q is not finite it is left as it is, and the end is INVALID.
        """
        work = self.begin(T_base_goal, weights, q)
        work.deadline = deadline
        task, plain, record = work.task, work.plain, work.record
        with cython.nogil:
            self.find(task, plain, work, record)
        if record.end != codes.INVALID:
            arrays.copy_vector(work.best, q)
        self.leave(work)
        return (record.end, record.position, record.orientation, record.iterations,
                record.attempts - 1)

    def solve_many(self, T_base_goal: np.ndarray, weights: np.ndarray, q: np.ndarray,
                   timeout: float, counts: np.ndarray, errors: np.ndarray) -> None:
        """Search for goals at poses (m, 4, 4), from q (m, n), in place; see `solve`.

        timeout: of each search, s. Writes end, iterations and restarts into counts (m, 3), position
        and orientation errors into errors (m, 2).
        """
        m, n = T_base_goal.shape[0], self.chain.n
        if (q.shape[0] != m or counts.shape[0] != m or errors.shape[0] != m
                or counts.shape[1] != 3 or errors.shape[1] != 2):
            raise ValueError('the arrays of a batch must have one row for each pose')
        if m == 0:
            return
        work = self.begin(T_base_goal[0], weights, q[0])
        task, plain, record = work.task, work.plain, work.record
        with cython.nogil:
            for i in range(m):
                for j in range(3):
                    for k in range(4):
                        task.T[j][k] = float(T_base_goal[i, j, k])
                for k in range(n):
                    work.q0[k] = float(q[i, k])
                work.deadline = native.now() + timeout
                self.find(task, plain, work, record)
                if record.end != codes.INVALID:
                    for k in range(n):
                        q[i, k] = work.best[k]
                counts[i, 0], counts[i, 1] = record.end, record.iterations
                counts[i, 2] = record.attempts - 1
                errors[i, 0], errors[i, 1] = record.position, record.orientation
        self.leave(work)

    def run(self, T_base_goal: np.ndarray, weights: np.ndarray, q: np.ndarray, attempts: int,
            deadline: float) -> tuple:
        """Do as `solve`, by attempts inside the limits alone: nothing follows a failure.

        Returns (end, iterations, attempts, squared weighted error, both errors).
        """
        work = self.begin(T_base_goal, weights, q)
        work.deadline = deadline
        task, plain, record = work.task, work.plain, work.record
        with cython.nogil:
            search.try_starts(self.chain, self.method, self.settings, self.table, task, plain, work,
                              attempts, record)
        if record.end != codes.INVALID:
            arrays.copy_vector(work.best, q)
        self.leave(work)
        return (record.end, record.iterations, record.attempts, record.error, record.position,
                record.orientation)

    def step(self, T_base_goal: np.ndarray, weights: np.ndarray, q: np.ndarray,
             dq: np.ndarray) -> None:
        """Write one bare step of the method from q (n,) into dq (n,)."""
        if dq.shape[0] != self.chain.n:
            raise ValueError(f'dq must have the shape ({self.chain.n},)')
        work = self.begin(T_base_goal, weights, q)
        task = work.task
        with cython.nogil:
            self.method.bare_step(self.chain, task, self.settings, work, work.q0, work.q)
        arrays.copy_vector(work.q, dq)
        self.leave(work)

    def find(self, task: TipTask, plain: TipTask, work: Scratch, record: Record) -> int:
        """Search from work.q0 (n,); the best goes into work.best (n,). Return 0."""
        if self.soft is not None:
            search.try_starts(self.soft, self.method, self.settings, self.table, task, plain, work,
                              self.attempts, record)
            if record.end == codes.CONVERGED:
                return 0
        search.try_starts(self.chain, self.method, self.settings, self.table, task, plain, work,
                          self.attempts, record)
        if record.end != codes.STALLED and record.end != codes.BEYOND:
            return 0
        if self.patient is not None:
            search.approach(self.chain, self.patient.method, self.patient.settings, self.table,
                            task, plain, work, record)
        if record.end == codes.STALLED and search.is_singular(
                self.chain, self.settings.length, task, work):
            record.end = codes.SINGULAR
        return 0
