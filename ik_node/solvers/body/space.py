"""Where a search may go, and where one ended."""

from typing import NamedTuple

import numpy as np

from ik_node.solvers.result import StopReason
from ik_node.support import clock


class Space(NamedTuple):
    """Where a search may go: the limits and the largest steps of q, and what a joint weighs."""

    lower: np.ndarray
    """(n,) rad or m."""
    upper: np.ndarray
    step: np.ndarray
    """(n,) largest change in one iteration; infinite for entries in metres."""
    scale: np.ndarray | None
    """(n,) 1/√weight of the joints; None: all alike."""
    max_iterations: int
    end: float
    """When the time is over, s, as `time.perf_counter` has it; may be infinite."""

    def out_of_time(self) -> bool:
        """Tell whether the time is over, or the search is cancelled."""
        return clock.is_over(self.end)


class Attempt(NamedTuple):
    """Where a search ended."""

    q: np.ndarray
    reason: StopReason
    iterations: int
