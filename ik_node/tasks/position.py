"""A position for a point of a link."""

from typing import Any

import numpy as np

from ik_node.model.body import Body, BodyFrames
from ik_node.tasks import checks
from ik_node.tasks.base import BuiltInTask, Rows, rows
from ik_node.tasks.body_task import BodyTask
from ik_node.tasks.point_tasks import PointTask


class Position(BuiltInTask):
    """A point of a link at a position: r = p − target (3,), m, world axes; J = J_v(p).

    - `link`; `point`: (3,) in its frame, m.
    - `target`: (3,) m, world frame, or None.
    """

    target = checks.Checked(checks.optional(checks.point))
    point = checks.Checked(checks.point)

    def __init__(self, link: str, target: Any = None, point: Any = (0, 0, 0), *,
                 weight: float = 1.0, priority: int = 1, name: str | None = None) -> None:
        """Make the task. Raises InputError for malformed arguments."""
        super().__init__((link,), weight, priority, name)
        self.link = link
        self.target, self.point = target, point

    def rows(self, body: Body) -> Rows:
        """Return what the rows are: x, y and z."""
        return rows([True] * 3)

    def record(self, body: Body, index: int) -> BodyTask:
        """Return what kernels evaluate it by; see `BuiltInTask.record`."""
        return PointTask(index, body.link_index(self.link), self.point, np.eye(3))

    def put_target(self, record: BodyTask) -> None:
        """Write the target into what kernels evaluate the task by."""
        record.set_point(self.target)

    def target_in(self, frames: BodyFrames) -> np.ndarray:
        """Return the position of the point (3,), m."""
        return frames.position(self.link, self.point)
