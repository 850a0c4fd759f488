"""Results of the solvers of arms and bodies: the best joint values found, and their errors."""

from collections import Counter
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ik_node.collision.contact import Contact
from ik_node.collision.model import CollisionModel
from ik_node.solvers.goal import Goal, task_singular_values
from ik_node.support.exceptions import shown

if TYPE_CHECKING:
    from ik_node.model.chain import Chain


class StopReason(Enum):
    """Why a solver stopped; the value is a description."""

    CONVERGED = 'the goal is met'
    UNREACHABLE = 'the goal is out of reach, whatever the limits of the revolute joints'
    LIMITS = 'only joint values outside the limits meet the goal'
    SINGULAR = 'stuck in a singular configuration: no joint moves the tip towards the goal'
    STALLED = 'the error stopped shrinking before the goal was met'
    ITERATIONS = 'the iterations ran out while the error was still shrinking'
    TIMEOUT = 'the time ran out'
    COLLISION = 'only configurations in collision were found to meet the goal'


# By how a search of the kernels ended, see `codes`; INVALID only where an error is raised.
REASONS = (StopReason.CONVERGED, StopReason.ITERATIONS, StopReason.STALLED, StopReason.UNREACHABLE,
           StopReason.STALLED, StopReason.TIMEOUT, StopReason.SINGULAR, StopReason.COLLISION)

PROVEN = StopReason.UNREACHABLE, StopReason.LIMITS
"""Reasons that imply a proof."""


class ResultBase:
    """What results have in common: named tuples with further attributes, immutable."""

    def _replace(self, **fields: Any) -> Any:
        """Return the result with some fields replaced; further attributes are kept."""
        result = super()._replace(**fields)  # type: ignore[misc]
        vars(result).update(vars(self))
        return result

    __replace__ = _replace

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f'a {type(self).__name__} is immutable: {name!r} cannot be set; see '
                             '_replace')

    def __eq__(self, other: Any) -> bool:
        return type(other) is type(self) and all(map(np.array_equal, self, other))  # type: ignore

    def __ne__(self, other: object) -> bool:
        return not self == other


class _Fields(NamedTuple):
    """The fields of a result."""

    q: np.ndarray
    """(n,) rad or m, always inside the limits; of a batch (m, n)."""
    success: Any
    """bool: whether the errors below are within the tolerances."""
    reason: Any
    """StopReason."""
    position_error: Any
    """m, over the constrained axes, from forward kinematics at q; 0.0 without any."""
    orientation_error: Any
    """rad, likewise."""
    iterations: Any
    """Iterations of the attempt that found q."""
    restarts: Any
    """Number of attempts after the first."""
    solve_time: Any
    """s; for a batch the total time divided by its length."""


_SOLVED = len(_Fields._fields) - 1  # all but the time


class Result(ResultBase, _Fields):
    """The best joint values found, and their errors. For a batch, every field is an array.

    A named tuple: its fields cannot be set, `_replace` returns another result for the same chain
    and goals. The array `q` belongs to the caller.

    - `chain`, `goals`: the problem; goals is a tuple, of length one without a batch.
    - `contact`: where the reason is COLLISION the deepest `Contact` at q, else None; of a batch of
      a solver that avoids collisions a tuple of these.
    - `method`: name of the solver that found q, for solvers that delegate; else ''.
    """

    chain: 'Chain'
    method: Any
    contact: Any = None

    @classmethod
    def of(cls, fields: tuple, solve_time: Any, chain: 'Chain', *goals: Goal,
           poses: np.ndarray | None = None) -> 'Result':
        """Return a result; chain and goals are used for its singular values.

        fields: those before `solve_time`, and optionally `method`. poses: instead of goals, those
        of all six axes at (m, 4, 4), m, read-only and checked.
        """
        result = tuple.__new__(cls, fields[:_SOLVED] + (solve_time,))  # noqa: RUF005 faster
        own = result.__dict__
        own['chain'], own['_goals'] = chain, goals if poses is None else poses
        own['method'] = fields[_SOLVED] if len(fields) > _SOLVED else ''
        return result

    def _with_contact(self, collisions: CollisionModel) -> 'Result':
        """Return the result, with what touches at q where that is why a goal is not met."""
        def contact(q: np.ndarray, reason: StopReason) -> Contact | None:
            found = collisions.contacts(q) if reason is StopReason.COLLISION else []
            return found[0] if found else None
        self.__dict__['contact'] = contact(self.q, self.reason) if np.ndim(self.q) == 1 else tuple(
            map(contact, self.q, self.reason))
        return self

    def _without_contacts(self, collisions: CollisionModel) -> 'Result':
        """Return the batch with the reason COLLISION, and no success, where q touches something."""
        touching = np.array([not collisions.is_free(q) for q in self.q], dtype=bool)
        touching &= self.success
        reason = self.reason.copy()
        reason[touching] = StopReason.COLLISION
        found: Result = self._replace(success=self.success & ~touching, reason=reason)
        return found._with_contact(collisions)

    @property
    def goals(self) -> tuple[Goal, ...]:
        """The goals, of length one without a batch."""
        own = self.__dict__
        if isinstance(own['_goals'], np.ndarray):  # goals of a batch are made when needed
            own['_goals'].setflags(write=False)
            own['_goals'] = tuple(map(Goal._of_clean_pose, own['_goals']))
        return own['_goals']

    def __repr__(self) -> str:
        if np.ndim(self.q) == 1:
            with np.printoptions(precision=6, suppress=True, linewidth=10_000, threshold=20):
                q = repr(np.asarray(self.q)).removeprefix('array(').removesuffix(')')
            method = f', {self.method}' if getattr(self, 'method', '') else ''
            return (f'Result({_name(self.reason)}{method}, q={q}, '
                    f'position_error={self.position_error:.2g} m, '
                    f'orientation_error={self.orientation_error:.2g} rad, '
                    f'iterations={self.iterations}, restarts={self.restarts}, '
                    f'solve_time={self.solve_time * 1e3:.3g} ms)')
        count = len(self.q)
        reasons = ', '.join(f'{number} {name}' for name, number in Counter(
            map(_name, self.reason)).most_common())
        worst = (f'; largest errors {np.max(self.position_error):.2g} m and '
                 f'{np.max(self.orientation_error):.2g} rad; {np.mean(self.solve_time) * 1e3:.3g} '
                 'ms each' if count else '')
        return (f'Result(batch of {count}, {int(np.sum(self.success))} met'
                f'{f": {reasons}" if reasons else ""}{worst})')

    @property
    def smallest_singular_value(self) -> Any:
        """Of the constrained rows of the Jacobian at q, in m and rad; 0 where singular."""
        return self._each(lambda sigma: sigma[-1])

    @property
    def manipulability(self) -> Any:
        """√det(J Jᵀ) of those rows, in m and rad [Yoshikawa 1985]; 0 with too few joints."""
        rows = int((self.goals[0].weights > 0.0).sum()) if self.goals else 0
        return self._each(lambda sigma: manipulability(sigma, rows))

    def _each(self, measure: Any) -> Any:
        """Return a measure of the singular values: a float, of a batch (m,)."""
        found = [float(measure(task_singular_values(self.chain, goal, q)))
                 for goal, q in zip(self.goals, np.atleast_2d(self.q))]
        return found[0] if np.ndim(self.q) == 1 else np.array(found)


def _name(reason: Any) -> str:
    return getattr(reason, 'name', shown(reason))


def manipulability(sigma: np.ndarray, rows: int) -> float:
    """Return √det(J Jᵀ) from the singular values of J with some rows; 0 with too few joints."""
    return float(np.prod(sigma)) if len(sigma) == rows else 0.0


def error_words(errors: tuple[float, float]) -> str:
    """Return what a task misses, m and rad, as text: "0.3 m and 0.09 rad"."""
    return ' and '.join(f'{value:.3g} {unit}' for value, unit in zip(errors, ('m', 'rad'))
                        if value > 0.0)


class _BodyFields(NamedTuple):
    q: np.ndarray
    """(n,) rad or m, always inside the limits."""
    success: bool
    """Whether every task of priority 0 and 1 that counts is within the tolerances."""
    reason: StopReason
    errors: dict[str, tuple[float, float]]
    """{task name: (m, rad)}: the lengths of what is missed, from the frames at q."""
    iterations: int
    """Iterations of the attempt that found q."""
    restarts: int
    """How many attempts were made after the first."""
    solve_time: float
    """s."""


class BodyResult(ResultBase, _BodyFields):
    """The best joint values found for several tasks, and how good they are. A named tuple.

    - `contact`: where the reason is COLLISION the deepest contact at q, else None.
    - `diagnosis`: as text, which tasks are missed by how much, and which joints are at a limit; ''
      for a success.
    """

    diagnosis: str
    contact: Contact | None = None

    def __repr__(self) -> str:
        outcome = 'success' if self.success else f'failure, {self.reason.name}: {self.diagnosis}'
        return (f'BodyResult({outcome}; {self.iterations} iterations, {self.restarts} restarts, '
                f'{1e3 * self.solve_time:.3g} ms; q={self.q.tolist()})')
