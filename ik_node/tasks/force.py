"""A constant force at a point of a link."""

from typing import Any

import numpy as np

from ik_node.model.body import Body, BodyFrames
from ik_node.tasks import checks
from ik_node.tasks.base import BuiltInTask, Rows, rows
from ik_node.tasks.body_task import BodyTask
from ik_node.tasks.point_tasks import ForceTask


class Force(BuiltInTask):
    """A constant force f at a point p of a link: its energy is −f · p, and it pulls with J_vᵀ f.

    As rows for least squares it asks the point to be a metre farther on along the force than it
    is, with the weight √|f|: r = −1 (1,), m, and J = fᵀ J_v(p) / |f|, so that −Jᵀ W² r = J_vᵀ f.
    Unlike that of other tasks, J is not the derivative of r. It does not count for success, nor
    does it miss anything, whatever its priority.

    - `link`; `force`: (3,) N, world axes, not zero; `point`: (3,) in the link's frame, m.
    """

    misses = False
    force = checks.Checked(checks.point)
    point = checks.Checked(checks.point)

    def __init__(self, link: str, force: Any, point: Any = (0, 0, 0), *, weight: float = 1.0,
                 priority: int = 1, name: str | None = None) -> None:
        """Make the task. Raises InputError for malformed arguments."""
        super().__init__((link,), weight, priority, name)
        self.link = link
        self.force, self.point = force, point

    @property
    def counts(self) -> bool:
        """Whether it has to be met: never."""
        return False

    def rows(self, body: Body) -> Rows:
        """Return what the row is: a metre along the force."""
        return rows([True], weights=np.sqrt(np.linalg.norm(self.force)))

    def record(self, body: Body, index: int) -> BodyTask:
        """Return what kernels evaluate it by; see `BuiltInTask.record`."""
        return ForceTask(index, body.link_index(self.link), self._along(), self.point)

    def _along(self) -> np.ndarray:
        """Return the unit vector (3,) of the force, zero where it is zero."""
        size = np.linalg.norm(self.force)
        return self.force / size if size > 0.0 else self.force

    def energy(self, frames: BodyFrames, r: np.ndarray, weights: np.ndarray) -> float:
        """Return −f · p, J."""
        return -float(self.force @ frames.position(self.link, self.point))
