"""Candidates of the poses of a path: every branch, of a redundant arm at many parameters."""

from collections.abc import Sequence

import numpy as np

from ik_node.solvers.analytic.plan import Plan
from ik_node.solvers.driver import share
from ik_node.solvers.goal import ALL_AXES, Goal
from ik_node.solvers.low_discrepancy import low_discrepancy
from ik_node.support import clock

_SAMPLES = 48  # values of the redundancy parameters, at density 1
_AT_ONCE = 256  # of these, of some goals, in one call
_SHARES = 16    # tasks of a core of a long path


def path_candidates(plan: Plan, goals: Sequence[Goal], q0: np.ndarray, density: int, seed: int,
                    deadline: float) -> list[np.ndarray]:
    """Return the branches (k, n) inside the limits for each goal of all six axes, rad or m.

    q0 (n,): reference for whole turns. density: multiple of the usual number of parameters.
    deadline: by time.perf_counter, s; the goals that are left then, but for the first one, have no
    branch.
    """
    n, parameters = len(q0), np.zeros((1, len(plan.lower)))
    if plan.searched:
        lower, upper = plan.range_near(q0)
        count = density * _SAMPLES
        spread = (low_discrepancy(count, len(lower), seed) if len(lower) > 1
                  else (np.arange(count)[:, None] + 0.5) / count)
        parameters = lower + spread * (upper - lower)
    count = len(parameters)
    found: list[np.ndarray] = [np.empty((0, n))] * len(goals)

    def solve(part: slice) -> None:
        poses = np.repeat(np.array([goal.pose for goal in goals[part]]), count, axis=0)
        out, counts = np.empty((len(poses), plan.most, n)), np.zeros(len(poses), dtype=np.int64)
        solved = plan.solutions.of_batch(
            poses, ALL_AXES, np.tile(parameters, (len(poses) // count, 1)), q0[None], True, out,
            counts, deadline)
        branches = out[:solved][np.isfinite(out[:solved, :, 0])]
        ends = counts.cumsum()[count - 1::count].tolist()
        for i, first, end in zip(range(part.start, part.stop), [0, *ends], ends):
            found[i] = branches[first:end]

    def solve_share(part: slice) -> None:
        last = min(part.stop, len(goals))
        for first in range(part.start, last, at_once):
            if first > 0 and clock.is_over(deadline):
                return
            solve(slice(first, min(first + at_once, last)))

    at_once = max(_AT_ONCE // count, 1)
    share(solve_share, len(goals), size=max(at_once, len(goals) // _SHARES))
    return found
