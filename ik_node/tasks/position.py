"""Positions of points of links."""

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from ik_node.model.body import Body, BodyFrames
from ik_node.tasks import checks
from ik_node.tasks.base import POINT, BuiltInTask
from ik_node.tasks.body_task import BodyTask
from ik_node.tasks.drawing import Shape, target_at
from ik_node.tasks.point_tasks import PointTask


@dataclass(eq=False, repr=False)
class Position(BuiltInTask):
    """A point of a link at a position: r = p − target (3,), m, world axes; J = J_v(p).

    - `link`; `point`: (3,) in its frame, m.
    - `target`: (3,) m, world frame, or None.
    """

    link: str
    target: Annotated[Any, checks.optional(checks.point)] = None
    point: Annotated[Any, checks.point] = (0, 0, 0)

    target_kind = POINT
    _metres = (True,) * 3

    def _record(self, body: Body, index: int) -> BodyTask:
        return PointTask(index, body.link_index(self.link), self.point, np.eye(3))

    def target_in(self, frames: BodyFrames) -> np.ndarray:
        return frames.position(self.link, self.point)

    def drawing(self, frames: BodyFrames, size: float) -> list[Shape]:
        return [target_at(self.target)]
