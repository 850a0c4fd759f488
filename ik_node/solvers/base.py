"""What every solver is: options checked once, a goal in, a Result out."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ik_node._arrays import floats, numbers, vector
from ik_node.exceptions import InputError
from ik_node.model.chain import Chain
from ik_node.solvers.closest import closest
from ik_node.solvers.goal import Goal, as_goal, first_unclean
from ik_node.solvers.options import SolverOptions, restricted
from ik_node.solvers.result import Result, StopReason
from ik_node.solvers.search import into_limits


class Found(NamedTuple):
    """The fields of `Result` that a solver fills in."""

    q: np.ndarray
    success: bool
    reason: StopReason
    position_error: float
    orientation_error: float
    iterations: int
    restarts: int
    method: str = ''


class Solver(ABC):
    """Finds joint values for a goal. A solver of one's own overrides `_solve` and `name`."""

    name: ClassVar[str]
    Options: ClassVar[type[SolverOptions]] = SolverOptions

    def __init__(self, chain: Chain, **options: Any) -> None:
        """Prepare to solve for a chain. Raises OptionError for what an option may not be."""
        self.options = self.Options.read(options, chain.n_joints, self.name)
        self.chain = restricted(chain, self.options)
        self._shape = (chain.n_joints,)

    def solve(self, goal: Any, q0: Sequence[float] | np.ndarray | None = None) -> Result:
        """Return the joint values that meet a goal, or the best found and why they do not.

        goal: `Goal`, or a pose T_base_tip (4, 4), m, for all six axes. q0: (n,) where to start,
        rad or m; by default zero where that is inside the limits, else in the middle of them.
        What is outside the limits starts at the limit. Raises InputError for a malformed goal or
        q0; not converging is a result.
        """
        started = time.perf_counter()
        wanted = as_goal(goal)
        found = self._solve(wanted, self._start(q0))
        if self.options.closest and not found.success:
            found = self._closest(wanted, found)
        return Result.of(found, time.perf_counter() - started, self.chain, wanted)

    def solve_batch(self, goals: Any, q0: Any = None,
                    progress: Callable[[float], None] | None = None) -> Result:
        """Return a Result of arrays for poses (m, 4, 4), m.

        q0: (n,), the start of every solve, or (m, n). progress: called with how much is done, 0 to
        1, now and then. Raises InputError as `solve`, naming the pose.
        """
        started = time.perf_counter()
        wanted = self._goals(goals)
        starts = self._starts(q0, len(wanted))
        found = self._solve_many(wanted, starts, progress or (lambda done: None))
        if self.options.closest:
            found = [one if one.success else self._closest(goal, one)
                     for goal, one in zip(wanted, found)]
        columns = [np.array(column) for column in zip(*found)] or [np.empty(0)] * len(Found._fields)
        columns[0] = columns[0].reshape(len(wanted), self.chain.n_joints)
        share = (time.perf_counter() - started) / max(len(wanted), 1)
        return Result.of(tuple(columns), np.full(len(wanted), share), self.chain, *wanted)

    def closest(self, goal: Any, q0: Sequence[float] | np.ndarray | None = None) -> Result:
        """Return the joint values that come closest to a goal, whether it can be met or not.

        Least is the sum of the squared weighted errors, m² and rad². goal, q0: as for `solve`,
        what q0 leads to being one of many that are compared. Raises InputError as `solve`.
        """
        started = time.perf_counter()
        wanted = as_goal(goal)
        start = Solver._start(self, q0)
        found = self._closest(wanted, Found(start, False, StopReason.STALLED, 0.0, 0.0, 0, 0))
        return Result.of(found, time.perf_counter() - started, self.chain, wanted)

    def compiled(self) -> bool:
        """Tell whether the first solve is as quick as the next: nothing is left to compile."""
        return True

    def warm_up(self, q: Sequence[float] | np.ndarray) -> None:
        """Compile what there is to compile, by solving for where the tip is at q (n,)."""
        self.solve(self.chain.forward(q), q)

    @abstractmethod
    def _solve(self, goal: Goal, q0: np.ndarray) -> Found:
        """Solve from q0 (n,), as `_start` made it."""

    def _closest(self, goal: Goal, found: Found) -> Found:
        """Return the closest posture instead of one that does not meet the goal."""
        q = found.q.copy()
        position, orientation = closest(self.chain, goal, q)
        met = (position <= self.options.position_tolerance
               and orientation <= self.options.orientation_tolerance)
        return found._replace(q=q, success=met, position_error=position,
                              orientation_error=orientation,
                              reason=StopReason.CONVERGED if met else found.reason)

    def _solve_many(self, goals: Sequence[Goal], starts: np.ndarray,
                    progress: Callable[[float], None]) -> list[Found]:
        """Solve for goals from starts (m, n)."""
        found = []
        for k, (goal, start) in enumerate(zip(goals, starts), start=1):
            found.append(self._solve(goal, start))
            progress(k / len(goals))
        return found

    @staticmethod
    def _poses(poses: Any) -> np.ndarray:
        """Return poses as an array (m, 4, 4). Raises InputError, naming the first that is none."""
        given = numbers(poses, 'goals')
        if given.ndim != 3 or given.shape[1:] != (4, 4):
            raise InputError(f'goals must have the shape (m, 4, 4), not {given.shape}')
        wrong = first_unclean(given)
        if wrong < 0:
            return given
        mended = given.copy()
        for k in range(wrong, len(given)):
            try:
                mended[k] = Goal.from_pose(given[k]).pose
            except InputError as error:
                raise InputError(f'goals[{k}]: {error}') from error
        return mended

    @classmethod
    def _goals(cls, poses: Any) -> list[Goal]:
        return [Goal.of_clean_pose(pose) for pose in cls._poses(poses)]

    def _start(self, q0: Any) -> np.ndarray:
        """Return q0 (n,) as a new array inside the limits."""
        if q0 is None:
            return self.chain.neutral()
        start = vector(q0, self.chain.n_joints, 'q0')
        into_limits(self.chain.arrays, start)
        self.chain.shorten_rotations(start)
        return start

    def _starts(self, q0: Any, count: int) -> np.ndarray:
        """Return where each of `count` solves starts, (count, n)."""
        if q0 is None or np.ndim(q0) == 1:
            return np.tile(self._start(q0), (count, 1))
        starts = floats(q0, 'q0')
        if starts.shape != (count, self.chain.n_joints):
            raise InputError(f'q0 must have the shape ({self.chain.n_joints},) or '
                             f'({count}, {self.chain.n_joints}), not {starts.shape}')
        return np.array([self._start(start) for start in starts]).reshape(starts.shape)
