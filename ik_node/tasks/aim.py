"""Axes that point along a direction, or at a point."""

from typing import Any

import numpy as np

from ik_node.model.body import Body, BodyFrames
from ik_node.tasks import checks
from ik_node.tasks.base import BuiltInTask, Rows, perpendicular, rows
from ik_node.tasks.body_task import BodyTask
from ik_node.tasks.direction_tasks import AlignTask, LookTask


class AlignAxis(BuiltInTask):
    """An axis of a link along a direction: r = (θ / sin θ) B a (2,), rad, |r| = θ.

    a: the axis in the world, θ the angle between it and the direction, B (2, 3) two unit vectors at
    right angles to the direction. The axis moves by ȧ = ω × a. The turn about the direction is
    free.

    - `link`; `axis`: (3,) in its frame; `direction`: (3,) world axes. Both are kept as unit
      vectors.
    """

    axis = checks.Checked(checks.direction)
    direction = checks.Checked(checks.direction)

    def __init__(self, link: str, axis: Any, direction: Any, *, weight: float = 1.0,
                 priority: int = 1, name: str | None = None) -> None:
        """Make the task. Raises InputError for malformed arguments, zero axes included."""
        super().__init__((link,), weight, priority, name)
        self.link = link
        self.axis, self.direction = axis, direction

    def rows(self, body: Body) -> Rows:
        """Return what the rows are: two angles."""
        return rows([False] * 2)

    def record(self, body: Body, index: int) -> BodyTask:
        """Return what kernels evaluate it by; see `BuiltInTask.record`."""
        return AlignTask(index, body.link_index(self.link), self.axis, self.direction,
                         perpendicular(self.direction))


class LookAt(BuiltInTask):
    """The ray from a link's origin along an axis of it meets a point: r = (θ / sin θ) B u (2,).

    u: the direction to the point in the link's frame, θ (rad) the angle between it and the axis,
    B (2, 3) two unit vectors at right angles to the axis; |r| = θ. With v = target − p in the
    world, u = Rᵀ v/|v|, and v seen from the link moves by −(ṗ + ω × v). Where the link's origin is
    at the target, r = 0.

    - `link`; `axis`: (3,) in its frame, kept as a unit vector.
    - `target`: (3,) m, world frame, or None.
    """

    axis = checks.Checked(checks.direction)
    target = checks.Checked(checks.optional(checks.point))

    def __init__(self, link: str, axis: Any, target: Any = None, *, weight: float = 1.0,
                 priority: int = 1, name: str | None = None) -> None:
        """Make the task. Raises InputError for malformed arguments, a zero axis included."""
        super().__init__((link,), weight, priority, name)
        self.link = link
        self.axis, self.target = axis, target

    def rows(self, body: Body) -> Rows:
        """Return what the rows are: two angles."""
        return rows([False] * 2)

    def record(self, body: Body, index: int) -> BodyTask:
        """Return what kernels evaluate it by; see `BuiltInTask.record`."""
        return LookTask(index, body.link_index(self.link), self.axis, perpendicular(self.axis))

    def put_target(self, record: BodyTask) -> None:
        """Write the target into what kernels evaluate the task by."""
        record.set_point(self.target)

    def target_in(self, frames: BodyFrames) -> np.ndarray:
        """Return the point of the ray (3,) that is 1 m from the link's origin, m."""
        T = frames.pose(self.link)
        p: np.ndarray = T[:3, 3] + T[:3, :3] @ self.axis
        return p
