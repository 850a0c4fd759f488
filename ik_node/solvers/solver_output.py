"""Results of methods, of one attempt and of a goal, which forward kinematics verifies."""

from typing import Any, NamedTuple

import numpy as np

from ik_node.solvers.result import StopReason
from ik_node.support import clock
from ik_node.support.exceptions import IkError, shown


class Budget(NamedTuple):
    """How long a search may go on."""

    max_iterations: int  # of one attempt
    deadline: float      # by time.perf_counter, s; may be infinite

    def is_over(self) -> bool:
        """Tell whether the time is over, or the search is cancelled."""
        return clock.is_over(self.deadline)


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
    """A result that a kernel of this package has verified at q; see `Solver._verified`."""

    __slots__ = ()

    def _replace(self, **changes: Any) -> Found:  # type: ignore[override]
        """Return it with other fields; a plain `Found` where verified fields change."""
        replaced = super()._replace(**changes)
        return replaced if _VERIFIED_FIELDS.isdisjoint(changes) else Found(*replaced)


_VERIFIED_FIELDS = {'q', 'success', 'position_error', 'orientation_error'}


def joint_values(found: Any, n: int, solver: str) -> np.ndarray:
    """Return the q (n,) of a result, as a new array, which may be not finite.

    Raises IkError, naming the solver, for anything but a valid `Found`.
    """
    if not isinstance(found, Found):
        raise IkError(f'the solver {solver!r} must return a Found, not {shown(found)}')
    array = np.asarray(found.q)
    if array.shape != (n,) or array.dtype.kind not in 'iuf':
        raise IkError(f'the solver {solver!r} must return q as numbers of the shape {(n,)}, not '
                      f'{shown(found.q)}')
    if not isinstance(found.reason, StopReason):
        raise IkError(f'the solver {solver!r} must return a StopReason, not {shown(found.reason)}')
    return np.array(array, dtype=float)
