"""What a solver returns."""

from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from ik_node.model.chain import Chain
    from ik_node.solvers.goal import Goal


class StopReason(Enum):
    """Why a solver stopped; the value says it in words."""

    CONVERGED = 'the goal is met'
    UNREACHABLE = 'no joint values meet the goal, with or without the joint limits'
    LIMITS = 'only joint values outside the limits meet the goal'
    SINGULAR = 'stuck in a singular posture: no joint moves the tip towards the goal'
    STALLED = 'the error stopped shrinking before the goal was met'
    ITERATIONS = 'the iterations ran out while the error was still shrinking'
    TIMEOUT = 'the time ran out'


class _Fields(NamedTuple):
    """What a solver hands back."""

    q: np.ndarray
    """(n,) rad or m, always inside the limits; of a batch (m, n)."""
    success: Any
    """bool: whether the errors below are within the tolerances."""
    reason: Any
    """StopReason."""
    position_error: Any
    """m, over the axes asked for, from forward kinematics at q; 0.0 where none is."""
    orientation_error: Any
    """rad, likewise."""
    iterations: Any
    """Iterations of the attempt that found q."""
    restarts: Any
    """How many attempts were made after the first."""
    solve_time: Any
    """s; of a batch the time of the whole divided by its length."""


_SOLVED = len(_Fields._fields) - 1  # all but the time


class Result(_Fields):
    """The best joint values found, and how good they are. Of a batch, every field is an array.

    - `method`: the solver that found them, where one that chooses among several was asked; else ''.
    """

    chain: 'Chain'
    goals: 'tuple[Goal, ...]'
    method: Any

    @classmethod
    def of(cls, fields: tuple, solve_time: Any, chain: 'Chain', *goals: 'Goal') -> 'Result':
        """Return a result; chain and goals are what its singular values are taken of.

        fields: those before `solve_time`, and `method` where it is known.
        """
        result = cls(*fields[:_SOLVED], solve_time)  # type: ignore[call-arg]
        result.method = fields[_SOLVED] if len(fields) > _SOLVED else ''
        result.chain, result.goals = chain, goals
        return result

    def because(self, reason: StopReason) -> 'Result':
        """Return the same result for another reason."""
        return Result.of((*self._replace(reason=reason)[:_SOLVED], self.method), self.solve_time,
                         self.chain, *self.goals)

    @property
    def smallest_singular_value(self) -> Any:
        """Of the Jacobian's rows that the goal asks for, at q, in m and rad; 0 where singular."""
        return self._each(lambda sigma: sigma[-1])

    @property
    def manipulability(self) -> Any:
        """√det(J Jᵀ) of those rows, in m and rad [Yoshikawa 1985]; 0 with too few joints."""
        rows = int((self.goals[0].weights > 0.0).sum()) if self.goals else 0
        return self._each(lambda sigma: np.prod(sigma) if len(sigma) == rows else 0.0)

    def _each(self, measure: Any) -> Any:
        """Return a measure of the singular values: a float, of a batch (m,)."""
        found = [float(measure(task_singular_values(self.chain, goal, q)))
                 for goal, q in zip(self.goals, np.atleast_2d(self.q))]
        return found[0] if np.ndim(self.q) == 1 else np.array(found)


def task_singular_values(chain: 'Chain', goal: 'Goal', q: np.ndarray,
                         length: float = 1.0) -> np.ndarray:
    """Return the singular values, falling, of the Jacobian's rows that a goal asks for, at q (n,).

    Weighted as the goal weights them; length: what a metre is divided by, m.
    """
    J = chain.jacobian(q)
    J[:3] /= length
    turn = np.kron(np.eye(2), goal.pose[:3, :3].T)  # rows along the goal's axes
    return np.linalg.svd((goal.weights[:, None] * (turn @ J))[goal.weights > 0.0],
                         compute_uv=False)
