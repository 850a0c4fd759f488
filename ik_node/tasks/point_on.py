"""A point of a link on a line, on a plane, or on one side of a plane."""

from typing import Any

from ik_node.model.body import Body
from ik_node.tasks import checks
from ik_node.tasks.base import BuiltInTask, Rows, perpendicular, rows
from ik_node.tasks.body_task import BodyTask
from ik_node.tasks.point_tasks import PointTask


class PointOnLine(BuiltInTask):
    """A point of a link on a line: r = B (p − origin) (2,), m; J = B J_v(p).

    B (2, 3): two unit vectors at right angles to the direction and to each other.

    - `link`; `point`: (3,) in its frame, m.
    - `origin`: (3,) m, a point of the line, `direction`: (3,) along it; world frame. The direction
      is kept as a unit vector.
    """

    point = checks.Checked(checks.point)
    origin = checks.Checked(checks.point)
    direction = checks.Checked(checks.direction)

    def __init__(self, link: str, point: Any, origin: Any, direction: Any, *, weight: float = 1.0,
                 priority: int = 1, name: str | None = None) -> None:
        """Make the task. Raises InputError for malformed arguments, a zero direction included."""
        super().__init__((link,), weight, priority, name)
        self.link = link
        self.point, self.origin, self.direction = point, origin, direction

    def rows(self, body: Body) -> Rows:
        """Return what the rows are: two distances."""
        return rows([True] * 2)

    def record(self, body: Body, index: int) -> BodyTask:
        """Return what kernels evaluate it by; see `BuiltInTask.record`."""
        record = PointTask(index, body.link_index(self.link), self.point,
                           perpendicular(self.direction))
        record.set_point(self.origin)
        return record


class PointOnPlane(BuiltInTask):
    """A point of a link on a plane: r = normal · (p − origin) (1,), m; J = normalᵀ J_v(p).

    - `link`; `point`: (3,) in its frame, m.
    - `origin`: (3,) m, a point of the plane, `normal`: (3,) at right angles to it; world frame. The
      normal is kept as a unit vector.
    """

    point = checks.Checked(checks.point)
    origin = checks.Checked(checks.point)
    normal = checks.Checked(checks.direction)

    def __init__(self, link: str, point: Any, origin: Any, normal: Any, *, weight: float = 1.0,
                 priority: int = 1, name: str | None = None) -> None:
        """Make the task. Raises InputError for malformed arguments, a zero normal included."""
        super().__init__((link,), weight, priority, name)
        self.link = link
        self.point, self.origin, self.normal = point, origin, normal

    def rows(self, body: Body) -> Rows:
        """Return what the row is: a distance."""
        return rows([True])

    def record(self, body: Body, index: int) -> BodyTask:
        """Return what kernels evaluate it by; see `BuiltInTask.record`."""
        record = PointTask(index, body.link_index(self.link), self.point, self.normal)
        record.set_point(self.origin)
        return record


class HalfSpace(PointOnPlane):
    """A point of a link on the side of a plane that its normal points to: r ≥ 0.

    r = normal · (p − origin) (1,), m, as of `PointOnPlane`, but one-sided: (p − origin)·normal ≥ 0.
    """

    def rows(self, body: Body) -> Rows:
        """Return what the row is: a distance that must not be negative."""
        return rows([True], one_sided=True)
