"""Axes that point along a direction, or at a point."""

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from ik_node.model.body import Body, BodyFrames
from ik_node.tasks import checks
from ik_node.tasks.base import POINT, BuiltInTask, perpendicular
from ik_node.tasks.body_task import BodyTask
from ik_node.tasks.drawing import Arrow, Polyline, Shape, target_at
from ik_node.tasks.pose_tasks import AlignTask, LookTask


@dataclass(eq=False, repr=False)
class AlignAxis(BuiltInTask):
    """An axis of a link along a direction: r = (θ / sin θ) B a (2,), rad, |r| = θ.

    a: the axis in the world, θ the angle between it and the direction, B (2, 3) two unit vectors at
    right angles to the direction. The axis moves by ȧ = ω × a. The turn about the direction is
    free.

    - `link`; `axis`: (3,) in its frame; `direction`: (3,) world axes. Both are kept as unit
      vectors.
    """

    link: str
    axis: Annotated[Any, checks.direction]
    direction: Annotated[Any, checks.direction]

    _metres = (False,) * 2

    def _record(self, body: Body, index: int) -> BodyTask:
        return AlignTask(index, body.link_index(self.link), self.axis, self.direction,
                         perpendicular(self.direction))

    def drawing(self, frames: BodyFrames, size: float) -> list[Shape]:
        return [Arrow(frames.position(self.link), self.direction)]


@dataclass(eq=False, repr=False)
class LookAt(BuiltInTask):
    """The ray from a link's origin along an axis of it meets a point: r = (θ / sin θ) B u (2,).

    u: the direction to the point in the link's frame, θ (rad) the angle between it and the axis,
    B (2, 3) two unit vectors at right angles to the axis; |r| = θ. With v = target − p in the
    world, u = Rᵀ v/|v|, and v seen from the link moves by −(ṗ + ω × v). Where the link's origin is
    at the target, r = 0.

    - `link`; `axis`: (3,) in its frame, kept as a unit vector.
    - `target`: (3,) m, world frame, or None.
    """

    link: str
    axis: Annotated[Any, checks.direction]
    target: Annotated[Any, checks.optional(checks.point)] = None

    target_kind = POINT
    _metres = (False,) * 2

    def _record(self, body: Body, index: int) -> BodyTask:
        return LookTask(index, body.link_index(self.link), self.axis, perpendicular(self.axis))

    def target_in(self, frames: BodyFrames) -> np.ndarray:
        """Return the point of the ray (3,) that is 1 m from the link's origin, m."""
        T = frames.pose(self.link)
        p: np.ndarray = T[:3, 3] + T[:3, :3] @ self.axis
        return p

    def drawing(self, frames: BodyFrames, size: float) -> list[Shape]:
        return [target_at(self.target), Polyline([frames.position(self.link), self.target])]
