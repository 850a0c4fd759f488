"""A point of a link on a line, on a plane, or on one side of a plane."""

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from ik_node.model.body import Body, BodyFrames
from ik_node.tasks import checks
from ik_node.tasks.base import BuiltInTask, perpendicular
from ik_node.tasks.body_task import BodyTask
from ik_node.tasks.drawing import Arrow, Ball, Plane, Polyline, Shape
from ik_node.tasks.point_tasks import PointTask

_LINE = 0.5  # half of the piece of a line that is drawn, of the size of the body


def _point_task(task: Any, body: Body, index: int, across: np.ndarray) -> PointTask:
    """Return what kernels evaluate a task by whose rows are `across` (m, 3) · (p − origin)."""
    record = PointTask(index, body.link_index(task.link), task.point, across)
    record.set_target(task.origin)
    return record


@dataclass(eq=False, repr=False)
class PointOnLine(BuiltInTask):
    """A point of a link on a line: r = B (p − origin) (2,), m; J = B J_v(p).

    B (2, 3): two unit vectors at right angles to the direction and to each other.

    - `link`; `point`: (3,) in its frame, m.
    - `origin`: (3,) m, a point of the line, `direction`: (3,) along it; world frame. The direction
      is kept as a unit vector.
    """

    link: str
    point: Annotated[Any, checks.point]
    origin: Annotated[Any, checks.point]
    direction: Annotated[Any, checks.direction]

    _metres = (True,) * 2

    def _record(self, body: Body, index: int) -> BodyTask:
        return _point_task(self, body, index, perpendicular(self.direction))

    def drawing(self, frames: BodyFrames, size: float) -> list[Shape]:
        p, along = frames.position(self.link, self.point), _LINE * size * self.direction
        middle = self.origin + self.direction * float(self.direction @ (p - self.origin))
        return [Polyline([middle - along, middle + along]), Ball(p)]


@dataclass(eq=False, repr=False)
class PointOnPlane(BuiltInTask):
    """A point of a link on a plane: r = normal · (p − origin) (1,), m; J = normalᵀ J_v(p).

    - `link`; `point`: (3,) in its frame, m.
    - `origin`: (3,) m, a point of the plane, `normal`: (3,) at right angles to it; world frame. The
      normal is kept as a unit vector.
    """

    link: str
    point: Annotated[Any, checks.point]
    origin: Annotated[Any, checks.point]
    normal: Annotated[Any, checks.direction]

    _metres = (True,)

    def _record(self, body: Body, index: int) -> BodyTask:
        return _point_task(self, body, index, self.normal)

    def drawing(self, frames: BodyFrames, size: float) -> list[Shape]:
        p = frames.position(self.link, self.point)
        foot = p - self.normal * float(self.normal @ (p - self.origin))
        return [Plane(foot, self.normal), Ball(p), Arrow(foot, self.normal)]


class HalfSpace(PointOnPlane):
    """A point of a link on the side of a plane that its normal points to: r ≥ 0.

    r = normal · (p − origin) (1,), m, as of `PointOnPlane`, but one-sided: (p − origin)·normal ≥ 0.
    """

    _one_sided = True
