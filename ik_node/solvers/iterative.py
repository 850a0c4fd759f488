"""The solvers that iterate: the whole search runs in one kernel."""

import math
import time
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from ik_node._arrays import vector
from ik_node._jit import compiled
from ik_node.kinematics.reach import reach
from ik_node.model.chain import Chain
from ik_node.solvers.base import Solver
from ik_node.solvers.diagnosis import diagnose
from ik_node.solvers.goal import Goal, as_goal
from ik_node.solvers.result import StopReason
from ik_node.solvers.search import Kernels, goal_error
from ik_node.solvers.settings import CONVERGED, STALLED, Settings
from ik_node.solvers.task import Task, task_of

# Of the way to the closest posture: iterations to wait, and what counts as progress meanwhile.
_PATIENT = 20
_HARDLY_ANY = 0.999


class IterativeSolver(Solver):
    """A solver whose iterations run in kernels; subclasses say in which and with what settings."""

    kernels: ClassVar[Kernels]
    patience: ClassVar[int] = 5
    progress: ClassVar[float] = 0.5

    def __init__(self, chain: Chain, **options: Any) -> None:
        """Prepare to solve for a chain; see `Solver`."""
        super().__init__(chain, **options)
        self.centre, self.reach = reach(chain.arrays)
        self.settings = self._settings()
        self.samples = np.random.default_rng(self.options.seed).random(
            (self.options.max_restarts, chain.n_joints))

    def step(self, goal: Any, q: Sequence[float] | np.ndarray) -> np.ndarray:
        """Return one bare step Δq (n,) of the method from q (n,): no limits, no line search.

        For ccd a step is a sweep over all joints. Raises InputError for a malformed goal or q.
        """
        start = vector(q, self.chain.n_joints, 'q')
        dq = np.zeros(self.chain.n_joints)
        self.kernels.step(self.chain.arrays, task_of(as_goal(goal)), self.settings, start, dq)
        return dq

    def compiled(self) -> bool:
        """Tell whether the kernels are on disk; see `Solver.compiled`."""
        return compiled(self.kernels.search.__name__)

    def _solve(self, goal: Goal, q0: np.ndarray) -> tuple[
            np.ndarray, bool, StopReason, float, float, int, int]:
        task = task_of(goal)
        beyond = self._beyond_reach(goal)
        q, outcome, timed_out = self.search(task, q0, 1 if beyond else None)
        end, iterations, attempts, _, position, orientation = outcome
        if end == STALLED and not timed_out:
            end, position, orientation = self._go_on(task, q)
        if end == CONVERGED:
            reason = StopReason.CONVERGED
        elif timed_out:
            reason = StopReason.TIMEOUT
        elif beyond:
            reason = StopReason.UNREACHABLE
        else:
            reason = diagnose(self, goal, q0, q, end)
        return q, end == CONVERGED, reason, position, orientation, iterations, attempts - 1

    def _go_on(self, task: Task, q: np.ndarray) -> tuple[int, float, float]:
        """Go on, in place, from the best q (n,) of a search that gave up, until it gains no more.

        An attempt is given up as soon as another promises more; where the error is smallest is
        another question. Return (how it ended, position error, orientation error).
        """
        patient = self.settings._replace(patience=_PATIENT, progress=_HARDLY_ANY)
        nearer = np.empty_like(q)
        before = goal_error(self.chain.arrays, task, q)
        after = self.kernels.search(self.chain.arrays, task, patient, q, self.samples, 0, 1, nearer)
        if after[0] != CONVERGED and after[3] >= before[0]:
            return STALLED, before[1], before[2]
        q[:] = nearer
        return CONVERGED if after[0] == CONVERGED else STALLED, after[4], after[5]

    def search(self, task: Task, q0: np.ndarray, attempts: int | None = None) -> tuple[
            np.ndarray, tuple[int, int, int, float, float, float], bool]:
        """Return (q, the outcome of `search.search`, whether the time ran out).

        attempts: how many at the most, instead of all that the options allow.
        """
        last = 1 + self.options.max_restarts if attempts is None else attempts
        q = np.empty_like(q0)
        kernel, known = self.kernels.search, (self.chain.arrays, task, self.settings, q0,
                                              self.samples)
        if self.options.timeout is None:
            return q, kernel(*known, 0, last, q), False
        # The kernel has no clock: with a bound on the time it is called attempt by attempt.
        deadline = time.perf_counter() + self.options.timeout
        best = kernel(*known, 0, 1, q)
        tried = np.empty_like(q0)
        for attempt in range(1, last):
            if best[0] == CONVERGED:
                break
            if time.perf_counter() >= deadline:
                return q, best, True
            new = kernel(*known, attempt, attempt + 1, tried)
            if new[0] == CONVERGED or new[3] < best[3]:
                q[:] = tried
                best = new
            best = (best[0], best[1], attempt + 1, *best[3:])
        return q, best, False

    def _beyond_reach(self, goal: Goal) -> bool:
        """Tell whether the goal's position lies outside the ball that the tip cannot leave."""
        distance = math.dist(goal.pose[:3, 3], self.centre)
        return (distance > self.reach + self.options.position_tolerance
                and bool(goal.weights[:3].all()))

    def _settings(self) -> Settings:
        """Return the options as the kernels take them."""
        n = self.chain.n_joints
        weights = self.options.joint_weights
        scale = np.ones(n)
        if weights is not None:
            scale /= np.sqrt(weights)
            scale /= scale.max()
        return Settings(
            self.options.position_tolerance, self.options.orientation_tolerance,
            self.options.max_iterations, self.options.max_step, self.patience, self.progress,
            self.reach if math.isfinite(self.reach) and self.reach > 0.0 else 1.0,
            scale, self._method_settings())

    def _method_settings(self) -> Any:
        """Return what only the method's kernels know, a NamedTuple."""
        raise NotImplementedError
