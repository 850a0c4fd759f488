"""What every solver is: options checked once, a goal in, a Result out."""

import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from ik_node._arrays import floats, vector
from ik_node.exceptions import InputError
from ik_node.model.chain import Chain
from ik_node.solvers.goal import Goal, as_goal
from ik_node.solvers.options import SolverOptions
from ik_node.solvers.result import Result, StopReason
from ik_node.solvers.search import into_limits


class Solver(ABC):
    """Finds joint values for a goal. A solver of one's own overrides `_solve` and `name`."""

    name: ClassVar[str]
    Options: ClassVar[type[SolverOptions]] = SolverOptions

    def __init__(self, chain: Chain, **options: Any) -> None:
        """Prepare to solve for a chain. Raises OptionError for what an option may not be."""
        self.chain = chain
        self.options = self.Options.read(options, chain.n_joints, self.name)

    def solve(self, goal: Any, q0: Sequence[float] | np.ndarray | None = None) -> Result:
        """Return the joint values that meet a goal, or the best found and why they do not.

        goal: `Goal`, or a pose T_base_tip (4, 4), m, for all six axes. q0: (n,) where to start,
        rad or m; by default zero where that is inside the limits, else in the middle of them.
        What is outside the limits starts at the limit. Raises InputError for a malformed goal or
        q0; not converging is a result.
        """
        started = time.perf_counter()
        found = self._solve(as_goal(goal), self._start(q0))
        return Result(*found, solve_time=time.perf_counter() - started)

    def solve_batch(self, goals: Any, q0: Any = None) -> Result:
        """Return a Result of arrays for poses (m, 4, 4), m.

        q0: (n,), the start of every solve, or (m, n). Raises InputError as `solve`.
        """
        poses = floats(goals, 'goals')
        if poses.ndim != 3 or poses.shape[1:] != (4, 4):
            raise InputError(f'goals must have the shape (m, 4, 4), not {poses.shape}')
        started = time.perf_counter()
        starts = self._starts(q0, len(poses))
        found = [self._solve(Goal.from_pose(pose), start) for pose, start in zip(poses, starts)]
        share = (time.perf_counter() - started) / max(len(poses), 1)
        columns = list(zip(*found)) or [()] * 7
        return Result(
            q=np.array(columns[0]).reshape(len(poses), self.chain.n_joints),
            success=np.array(columns[1], dtype=bool),
            reason=np.array(columns[2], dtype=object),
            position_error=np.array(columns[3], dtype=float),
            orientation_error=np.array(columns[4], dtype=float),
            iterations=np.array(columns[5], dtype=int),
            restarts=np.array(columns[6], dtype=int),
            solve_time=np.full(len(poses), share))

    def compiled(self) -> bool:
        """Tell whether the first solve is as quick as the next: nothing is left to compile."""
        return True

    @abstractmethod
    def _solve(self, goal: Goal, q0: np.ndarray) -> tuple[
            np.ndarray, bool, StopReason, float, float, int, int]:
        """Solve from q0 (n,), inside the limits; return the fields of Result but solve_time."""

    def _start(self, q0: Any) -> np.ndarray:
        """Return q0 (n,) as a new array inside the limits."""
        if q0 is None:
            return self.chain.neutral()
        start = vector(q0, self.chain.n_joints, 'q0')
        into_limits(self.chain.arrays, start)
        self.chain.shorten_rotations(start)
        return start

    def _starts(self, q0: Any, count: int) -> list[np.ndarray]:
        if q0 is None or np.ndim(q0) == 1:
            return [self._start(q0)] * count
        starts = floats(q0, 'q0')
        if starts.shape != (count, self.chain.n_joints):
            raise InputError(f'q0 must have the shape ({self.chain.n_joints},) or '
                             f'({count}, {self.chain.n_joints}), not {starts.shape}')
        return [self._start(start) for start in starts]
