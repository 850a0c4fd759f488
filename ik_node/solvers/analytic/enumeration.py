"""Every branch of an arm: for a pose, for many poses, and of the nominal arm."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from ik_node.model.chain import Chain
from ik_node.rotations import EXACT
from ik_node.solvers.analytic.families.closed_loop import MOST_BRANCHES
from ik_node.solvers.analytic.plan import Plan
from ik_node.solvers.analytic.refinement.buffers import make_solution_scratch
from ik_node.solvers.analytic.selection.all_solutions import ANYWHERE, INSIDE, NOMINAL
from ik_node.solvers.batch import share
from ik_node.solvers.goal import ALL_AXES, Goal
from ik_node.solvers.packing import Packed

NOTHING = np.zeros(0)
_FLOAT, _POSE = np.dtype(np.float64), (4, 4)
_SHARE, _SHARES = 128, 16  # poses per task of a core at least; number of tasks of larger batches


class Enumeration:
    """Lists branches; poses are T_base_goal (4, 4), m, parameters (p,) are those of the plan."""

    def __init__(self, chain: Chain, packed: Packed, start: np.ndarray, margin: float) -> None:
        """Prepare for a chain.

        packed: its arrays and the settings of the solver. start (n,): the configuration that whole
        turns are nearest to. margin: soft distance from the limits, rad or m.
        """
        self._n, self._margin = chain.n_joints, margin
        self._codes, self._numbers = packed
        self._start = start
        self._scratch_size = len(make_solution_scratch(self._n, self._n))

    def scratch(self) -> np.ndarray:
        """Return scratch for a call of a kernel."""
        return np.empty(self._scratch_size)

    def of_array(self, plan: Plan, T_base_goal: np.ndarray, within: bool) -> np.ndarray | None:
        """Return every branch (k, n) for a pose, as `of_pose`, without any conversion.

        None without any, and for an array that is no exact pose in C order, which remains to be
        converted or refused. The kernel checks that: a call for the check alone takes as long as a
        branch.
        """
        if (T_base_goal.dtype is not _FLOAT or T_base_goal.shape != _POSE
                or not T_base_goal.flags.carray):
            return None
        out = np.empty((plan.most, self._n))
        count = plan.kernels.of_pose(plan.codes, plan.numbers, self._codes, self._numbers,
                                     T_base_goal, ALL_AXES, NOTHING, self._start, EXACT, within,
                                     np.empty(self._scratch_size), out)
        return out[:count] if count > 0 else None

    def of_pose(self, plan: Plan, pose: np.ndarray, weights: np.ndarray, parameters: np.ndarray,
                within: bool) -> np.ndarray:
        """Return every branch (k, n) for a checked pose; within: only those inside the limits."""
        out = np.empty((plan.most, self._n))
        count = plan.kernels.of_pose(plan.codes, plan.numbers, self._codes, self._numbers, pose,
                                     weights, parameters, self._start, np.inf, within,
                                     np.empty(self._scratch_size), out)
        return out[:count]

    def at_each(self, plan: Plan, goal: Goal, rows: Iterable[Any], within: bool) -> np.ndarray:
        """Return the branches (k, n) for each of some parameters (p,)."""
        found = [self.of_pose(plan, goal.pose, goal.weights, np.asarray(row, dtype=float), within)
                 for row in rows]
        return np.concatenate([np.empty((0, self._n)), *found])

    def of_batch(self, plan: Plan, poses: np.ndarray, parameters: np.ndarray,
                 within: bool) -> tuple[np.ndarray, np.ndarray]:
        """Return every branch for poses (m, 4, 4): (branches (m, k, n), counts (m,))."""
        out = np.empty((len(poses), plan.most, self._n))
        records, starts = np.zeros((len(poses), 3)), np.tile(self._start, (len(poses), 1))
        mode = INSIDE if within else ANYWHERE
        share(lambda part: self.solve(plan, poses[part], ALL_AXES, parameters, starts[part], mode,
                                      out[part], records[part]),
              len(poses), size=max(_SHARE, len(poses) // _SHARES))
        counts = records[:, 0].astype(np.int64)
        return out[:, :int(counts.max(initial=0))], counts

    def nominal(self, plan: Plan, goals: np.ndarray, parameters: np.ndarray,
                q0: np.ndarray) -> np.ndarray:
        """Return the branches (k, n) of the nominal arm nearest to poses (m, 4, 4)."""
        count = len(goals)
        out, records = np.zeros((count, MOST_BRANCHES, self._n)), np.empty((count, 3))
        self.solve(plan, goals, ALL_AXES, parameters, np.tile(q0, (count, 1)), NOMINAL, out,
                   records)
        found = out[np.arange(MOST_BRANCHES) < records[:, :1]]
        return found[np.isfinite(found).all(axis=1)]

    def solve(self, plan: Plan, poses: np.ndarray, weights: np.ndarray, parameters: np.ndarray,
              starts: np.ndarray, mode: int, out: np.ndarray, records: np.ndarray) -> None:
        """Call the kernel for many poses; see `all_solutions.solutions`."""
        plan.kernels.solutions(
            plan.codes, plan.loose if mode == NOMINAL else plan.numbers, self._codes, self._numbers,
            poses, weights, parameters if parameters.ndim == 2 else parameters[None], starts,
            self._margin, mode, np.empty(self._scratch_size), out, records)
