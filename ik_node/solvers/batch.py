"""Batches of searches, distributed over the cores; kernels release the GIL."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from ik_node.solvers.goal import Goal
from ik_node.solvers.search import Outcome, outcome_of

_SHARE = 128  # goals per task of a core, for searches


def share(work: Callable[[slice], None], count: int,
          progress: Callable[[float], None] = lambda done: None, size: int = _SHARE) -> None:
    """Call work for slices of range(count), of a size, on all cores; kernels release the GIL."""
    parts = [slice(first, first + size) for first in range(0, count, size)]
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for done, _ in enumerate(pool.map(work, parts), start=1):
            progress(done / len(parts))


def search_many(search: Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray],
                                 None],
                goals: Sequence[Goal], starts: np.ndarray,
                progress: Callable[[float], None]) -> tuple[np.ndarray, list[Outcome]]:
    """Return (q (m, n), outcomes) of searches for goals of the same weights, from starts (m, n).

    search: called as search(poses (k, 4, 4), weights (6,), starts (k, n), records (k, 8), q (k, n))
    for some of them, in several threads.
    """
    poses = np.array([goal.pose for goal in goals]).reshape(len(goals), 4, 4)
    q, records = np.empty(starts.shape), np.empty((len(goals), 8))
    share(lambda part: search(poses[part], goals[0].weights, starts[part], records[part], q[part]),
          len(goals), progress)
    return q, [outcome_of(row) for row in records]
