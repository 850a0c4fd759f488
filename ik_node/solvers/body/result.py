"""The result of a body solver."""

from typing import NamedTuple

import numpy as np

from ik_node.collision.contact import Contact
from ik_node.solvers.result import ResultBase, StopReason


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
