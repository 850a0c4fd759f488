"""What methods take and return: rows of tasks, results of one attempt and of a goal."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ik_node.solvers.result import StopReason
from ik_node.support import clock


class Budget(NamedTuple):
    """How long a search may go on."""

    max_iterations: int  # of one attempt
    deadline: float      # by time.perf_counter, s; may be infinite

    def is_over(self) -> bool:
        """Tell whether the time is over, or the search is cancelled."""
        return clock.is_over(self.deadline)


class LevelRows(NamedTuple):
    """The rows of one level at some q, weighted: A Δq = e is wanted, A Δq ≥ e where one-sided."""

    A: np.ndarray  # (m, n)
    e: np.ndarray
    """(m,) what is missing; of one-sided rows negative where there is more than is asked for."""
    one_sided: np.ndarray  # (m,) bool
    cost: float  # Σ weight · energy of the tasks, see `Task.energy`
    met: bool  # whether every necessary task of the level is within the tolerances

    def missed(self) -> np.ndarray:
        """Return e (m,) with the one-sided rows that hold at 0."""
        return np.where(self.one_sided & (self.e < 0.0), 0.0, self.e)


class Attempt(NamedTuple):
    """Where an attempt ended, and why."""

    q: np.ndarray
    reason: StopReason
    iterations: int


class VerifiedAttempt(NamedTuple):
    """Where an attempt ended, and what independent frames say of it."""

    q: np.ndarray
    success: bool
    misses: np.ndarray  # (tasks, 2) what each task misses, m and rad
    reason: StopReason
    iterations: int
    restarts: int = 0   # attempts before it


class Found(NamedTuple):
    """The fields of `Result` that a solver sets; errors and success are verified afterwards."""

    q: np.ndarray
    success: bool
    reason: StopReason
    position_error: float
    orientation_error: float
    iterations: int
    restarts: int
    method: str = ''


class Verified(Found):
    """A result that a kernel of this package has verified at q; see `ArmSearch._verified`."""

    __slots__ = ()


def as_columns(found: Sequence[Found], n: int) -> list[np.ndarray]:
    """Return the fields of results, each as an array (m,), q as (m, n)."""
    columns = [np.array(column, dtype=object if isinstance(column[0], (str, StopReason)) else None)
               for column in zip(*found)] or [np.empty(0, dtype=kind) for kind in (
                 float, bool, object, float, float, int, int, object)]
    columns[0] = columns[0].reshape(len(found), n)
    return columns
