"""Joint values that a body should be near."""

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from ik_node.model.body import Body
from ik_node.support.arguments import shaped
from ik_node.support.exceptions import InputError
from ik_node.tasks import checks
from ik_node.tasks.base import BuiltInTask, RowKinds, rows
from ik_node.tasks.body_task import BodyTask
from ik_node.tasks.point_tasks import RestTask


def _configuration(value: Any, what: str) -> np.ndarray:
    return checks.fixed(shaped(value, ('n',), what))


@dataclass(eq=False, repr=False)
class Posture(BuiltInTask):
    """A joint configuration: rᵢ = qᵢ − q_refᵢ, rad or m; J is the identity.

    Its cost is Σ gainsᵢ rᵢ² / 2 [Parent 5.25]. It does not count for success unless its priority is
    0.

    - `q`: (n,) rad or m; None: the middle of the limits, and joints without limits are free, those
      of the root included.
    - `gains`: (n,) ≥ 0; 0 leaves a joint free; None: 1 for all.
    """

    q: Annotated[Any, checks.optional(_configuration)] = None
    gains: Annotated[Any, checks.optional(checks.gains)] = None

    @property
    def affects_success(self) -> bool:
        """Whether it has to be met: with priority 0 only."""
        return self.priority == 0

    def check(self, body: Body) -> None:
        """Raise InputError where q or gains have another length than the body's q."""
        for what, values in (('q', self.q), ('gains', self.gains)):
            if values is not None and len(values) != body.n_joints:
                raise InputError(f'{what} of the task {self.name!r} must have the shape '
                                 f'({body.n_joints},), not {values.shape}')

    def rows(self, body: Body) -> RowKinds:
        """Return what the rows are: one for each joint that is not free."""
        joints, _ = self.wanted(body)
        gains = np.ones(len(joints)) if self.gains is None else self.gains[joints]
        return rows(body.prismatic[joints], weights=np.sqrt(gains))

    def _record(self, body: Body, index: int) -> BodyTask:
        return RestTask(index, *self.wanted(body))

    def wanted(self, body: Body) -> tuple[np.ndarray, np.ndarray]:
        """Return the joints that are not free (m,), entries of q, and what they should be (m,)."""
        if self.q is None:
            counted = np.isfinite(body.lower) & np.isfinite(body.upper)
            with np.errstate(invalid='ignore'):
                q_ref = 0.5 * (body.lower + body.upper)
        else:
            counted, q_ref = np.ones(body.n_joints, dtype=bool), self.q
        if self.gains is not None:
            counted &= self.gains > 0.0
        return np.flatnonzero(counted), q_ref[counted]


class JointValues(Posture):
    """Joint values that are weighed against tasks of links, instead of giving way to them all.

    For solvers in which a `Posture` acts only in what the other tasks leave free. With a priority
    of 2 or more success does not need it.
    """

    affects_success = True
