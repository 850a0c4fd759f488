"""Joint values that a body should be near."""

from typing import Any

import numpy as np

from ik_node.model.body import Body
from ik_node.support.arguments import floats
from ik_node.support.exceptions import InputError
from ik_node.tasks import checks
from ik_node.tasks.base import BuiltInTask, Rows, rows
from ik_node.tasks.body_task import BodyTask
from ik_node.tasks.whole_body_tasks import RestTask


def _configuration(value: Any, what: str) -> np.ndarray:
    values = floats(value, what)
    if values.ndim != 1:
        raise InputError(f'{what} must have the shape (n,), not {values.shape}')
    return checks.fixed(values)


class Posture(BuiltInTask):
    """A joint configuration: rᵢ = qᵢ − q_refᵢ, rad or m; J is the identity.

    Its cost is Σ gainsᵢ rᵢ² / 2 [Parent 5.25]. It does not count for success unless its priority is
    0.

    - `q`: (n,) rad or m; None: the middle of the limits, and joints without limits are free, those
      of the root included.
    - `gains`: (n,) ≥ 0; 0 leaves a joint free; None: 1 for all.
    """

    q = checks.Checked(checks.optional(_configuration))
    gains = checks.Checked(checks.optional(checks.gains))

    def __init__(self, q: Any = None, gains: Any = None, *, weight: float = 1.0,
                 priority: int = 1, name: str | None = None) -> None:
        """Make the task. Raises InputError for malformed arguments."""
        super().__init__((), weight, priority, name)
        self.q, self.gains = q, gains

    @property
    def counts(self) -> bool:
        """Whether it has to be met: with priority 0 only."""
        return self.priority == 0

    def check(self, body: Body) -> None:
        """Raise InputError where q or gains have another length than the body's q."""
        for what, values in (('q', self.q), ('gains', self.gains)):
            if values is not None and len(values) != body.n_joints:
                raise InputError(f'{what} of the task {self.name!r} must have the shape '
                                 f'({body.n_joints},), not {values.shape}')

    def rows(self, body: Body) -> Rows:
        """Return what the rows are: one for each joint that is not free."""
        counted = self._counted(body)
        gains = np.ones(body.n_joints) if self.gains is None else self.gains
        return rows(body.prismatic[counted], weights=np.sqrt(gains[counted]))

    def record(self, body: Body, index: int) -> BodyTask:
        """Return what kernels evaluate it by; see `BuiltInTask.record`."""
        return RestTask(index, *self.wanted(body))

    def wanted(self, body: Body) -> tuple[np.ndarray, np.ndarray]:
        """Return the joints that are not free (m,), entries of q, and what they should be (m,)."""
        counted = self._counted(body)
        return np.flatnonzero(counted), self._reference(body)[counted]

    def _reference(self, body: Body) -> np.ndarray:
        """Return q_ref (n,); of no meaning for joints that are free."""
        if self.q is not None:
            return self.q
        with np.errstate(invalid='ignore'):
            return 0.5 * (body.lower + body.upper)

    def _counted(self, body: Body) -> np.ndarray:
        """Return which joints are not free (n,)."""
        counted = (np.isfinite(body.lower) & np.isfinite(body.upper) if self.q is None
                 else np.ones(body.n_joints, dtype=bool))
        return counted if self.gains is None else counted & (self.gains > 0.0)
