"""Candidates of the poses of a path: every branch, of a redundant arm at many parameters."""

from collections.abc import Sequence

import numpy as np

from ik_node.solvers.analytic.plan import Plan
from ik_node.solvers.batch import share
from ik_node.solvers.goal import ALL_AXES, Goal
from ik_node.solvers.low_discrepancy import low_discrepancy
from ik_node.support import clock

_SAMPLES = 48  # values of the redundancy parameters, at density 1
_AT_ONCE = 256  # of these, of some goals, between looks at the clock


def path_candidates(plan: Plan, goals: Sequence[Goal], q0: np.ndarray, density: int, seed: int,
                    deadline: float) -> list[np.ndarray]:
    """Return the branches (k, n) inside the limits for each goal of all six axes, rad or m.

    q0 (n,): reference for whole turns. density: multiple of the usual number of parameters.
    deadline: by time.perf_counter, s; the goals that are left then, but for the first ones, have no
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

    def solve_part(part: slice) -> None:
        if part.start > 0 and clock.is_over(deadline):
            return
        poses = np.repeat(np.array([goal.pose for goal in goals[part]]), count, axis=0)
        out = np.empty((len(poses), plan.most, n))
        plan.solutions.of_batch(poses, ALL_AXES, np.tile(parameters, (len(poses) // count, 1)),
                                q0[None], True, out, np.empty(len(poses), dtype=np.int64))
        for i, own in enumerate(out.reshape(-1, count * plan.most, n), start=part.start):
            found[i] = own[np.isfinite(own[:, 0])]

    share(solve_part, len(goals), size=max(_AT_ONCE // count, 1))
    return found
