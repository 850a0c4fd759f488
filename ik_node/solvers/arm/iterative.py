"""Base class of iterative solvers, whose whole search runs in one kernel."""

import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from ik_node.collision.model import CollisionModel
from ik_node.model.chain import Chain
from ik_node.solvers.arm.base import Solver
from ik_node.solvers.codes import CONVERGED, INVALID
from ik_node.solvers.driver import share
from ik_node.solvers.goal import ALL_AXES, Goal, as_goal
from ik_node.solvers.kernel.arm_kernel import Search, table_of
from ik_node.solvers.kernel.method import Method
from ik_node.solvers.kernel.settings import Settings
from ik_node.solvers.result import REASONS
from ik_node.solvers.solver_output import Found, Verified
from ik_node.support.arguments import floats, vector
from ik_node.support.exceptions import InputError, OptionError, shown

_MOST_SAMPLES = 10_000_000  # numbers in the initial guesses of restarts, 80 MB


class IterativeSolver(Solver):
    """A solver whose iterations run in a kernel; subclasses define the method and its settings."""

    patience: ClassVar[int] = 5
    progress: ClassVar[float] = 0.5
    _entry: Any = None  # the search by kernels, of methods that have one
    _copies_starts = True
    credited = ''  # `method` of the results, of a solver that another one uses

    def __init__(self, chain: Chain, **options: Any) -> None:
        super().__init__(chain, **options)
        most = _MOST_SAMPLES // chain.n_joints
        if self.options.max_restarts > most:
            raise OptionError(f'max_restarts must be at most {most} for an arm of '
                              f'{chain.n_joints} joints, not {self.options.max_restarts}')
        weights = self.options.joint_weights
        self._scale = np.ones(chain.n_joints)  # 1/√weight of each joint, at most 1
        if weights is not None:
            self._scale /= np.sqrt(weights)
            self._scale /= self._scale.max()
        # How far a prismatic joint can travel; 0 of the others.
        self._span = np.where(self.chain.prismatic, self.chain.upper - self.chain.lower, 0.0)
        self.settings = self._make_settings()
        # Whether the kernels do all: plug-ins, and some subclasses, have a `_solve` of their own.
        self._in_kernel = self._own_kernels and type(self)._solve is IterativeSolver._solve
        self._prepare_search()

    def _prepare_search(self) -> None:
        """Build what the kernels search with."""
        options, record = self.options, self.chain.record
        table = table_of(self.chain, options.max_restarts, options.seed)
        soft = self._soft_chain().record if options.limit_margin > 0.0 else None
        self._entry = Search(record, self._make_method(), self.settings, table,
                             1 + options.max_restarts, soft, not options.closest)

    def avoid(self, collisions: CollisionModel) -> None:
        """Check for collisions in the kernel; see `Driver.avoid`."""
        super().avoid(collisions)
        if self._entry is not None:
            self._entry.free = collisions

    def _avoiding(self, goal: Goal, q0: np.ndarray,
                  is_free: Callable[[np.ndarray], bool]) -> Found:
        if self._entry is not None:
            return self._solve_verified(goal, q0)
        return super()._avoiding(goal, q0, is_free)

    def step(self, goal: Any, q: Sequence[float] | np.ndarray) -> np.ndarray:
        """Return one bare step Δq (n,) of the method from q (n,): no limits, no line search.

        For ccd a step is a sweep over all joints. Raises InputError for a malformed goal or q, and
        where options are so large or small that the step is no finite number.
        """
        start = vector(q, self.chain.n_joints, 'q')
        wanted, dq = as_goal(goal), np.empty(self.chain.n_joints)
        self._entry.step(wanted.pose, wanted.weights, start, dq)
        if not np.isfinite(dq).all():
            raise InputError(f'the step of {self.name} overflows: {shown(self._own_options)}')
        return dq

    def _distance(self, q0: np.ndarray, q: np.ndarray) -> float:
        """Return the distance of q (n,) from q0 (n,), a heavier joint counting more."""
        return float(np.linalg.norm((q - q0) / self._scale))

    def _starts(self, q0: Any, count: int) -> np.ndarray:
        if q0 is not None and not self._has_balls:
            starts = floats(q0, 'q0')
            if starts.shape == (count, self.chain.n_joints):
                return starts
        return super()._starts(q0, count)

    def _solve(self, goal: Goal, q0: np.ndarray, search: Search | None = None) -> Found:
        """Solve from q0 (n,), which need not be inside the limits.

        search: by default the solver's own, within the consistency limits.
        """
        if search is None:
            search = self._entry
            if self.options.consistency_limits is not None:
                search = self._search_about(q0, search)
        q = q0.copy()
        end, position, orientation, iterations, restarts = search.solve(
            goal._pose, goal._weights, q, self._deadline())
        if end == INVALID:
            vector(q, self.chain.n_joints, 'q0')  # raises the error
        return tuple.__new__(Verified, (q, end == CONVERGED, REASONS[end], position, orientation,
                                        iterations, restarts, self.credited))

    def _batch(self, poses: np.ndarray, starts: np.ndarray, progress: Callable[[float], None],
               search: Search | None = None) -> list[np.ndarray]:
        """Do as `ArmSearch._batch`; search: by default the solver's own."""
        if not self._in_kernel or self.options.consistency_limits is not None:
            return super()._batch(poses, starts, progress)
        entry, q, count = search or self._entry, starts.copy(), len(poses)
        records = np.empty((count, 5))
        allowed = math.inf if self.options.timeout is None else self.options.timeout
        share(lambda part: entry.solve_many(
            poses[part], ALL_AXES, q[part], allowed, records[part]), count, progress)
        ends, *counts = records[:, (0, 3, 4)].T.astype(int)
        return self._finished_batch([
            q, ends == CONVERGED, np.array(REASONS, dtype=object)[ends], *records.T[1:3].copy(),
            *counts, np.full(count, self.credited, dtype=object)], poses, starts)

    def _chains_about(self, q0: np.ndarray) -> list[Chain]:
        """Return the chain within the consistency limits about q0 (n,), a soft one before it."""
        chain = self._chain_about(q0)
        if self.options.limit_margin > 0.0:
            soft = self._soft_chain()
            lower, upper = np.maximum(soft.lower, chain.lower), np.minimum(soft.upper, chain.upper)
            if (lower <= upper).all():
                return [chain.with_limits(lower, upper), chain]
        return [chain]

    def _search_about(self, q0: np.ndarray, search: Search) -> Search:
        """Return a search, within the consistency limits about q0 (n,) where there are some."""
        if self.options.consistency_limits is None:
            return search
        *soft, chain = self._chains_about(q0)
        return search.altered(chain=chain.record, soft=soft[0].record if soft else None)

    def _soft_chain(self) -> Chain:
        lower, upper = self.chain.lower, self.chain.upper
        margin = np.where(lower < upper, self.options.limit_margin, 0.0)
        return self.chain.with_limits(lower + margin, upper - margin)

    def _make_settings(self, **changes: Any) -> Settings:
        """Return the options, with changes, as settings of the kernels; see `Settings`."""
        return Settings(replace(self.options, **changes), self.chain.arrays, self._scale,
                        self._span, self.patience, self.progress)

    @abstractmethod
    def _make_method(self) -> Method:
        """Return the method of the kernels."""
