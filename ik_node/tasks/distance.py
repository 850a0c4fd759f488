"""Distances between two points, springs between them, and forces on points."""

import math
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from ik_node.model.body import Body, BodyFrames
from ik_node.support.arguments import numbers
from ik_node.support.exceptions import InputError, shown
from ik_node.tasks import checks
from ik_node.tasks.base import BuiltInTask, RowKinds, rows
from ik_node.tasks.body_task import BodyTask
from ik_node.tasks.drawing import Arrow, Ball, Color, Polyline, Shape
from ik_node.tasks.point_tasks import DifferenceTask, DistanceTask, ForceTask


def _indices(body: Body, link_a: str, link_b: str | None) -> tuple[int, int]:
    """Return the indices of two links, −1 for the world."""
    return body.link_index(link_a), -1 if link_b is None else body.link_index(link_b)


def _connection(task: Any, frames: BodyFrames, color: Color) -> list[Shape]:
    """Return the points of a distance or a spring, and the line between them."""
    b = task.point_b if task.link_b is None else frames.position(task.link_b, task.point_b)
    a = frames.position(task.link_a, task.point_a)
    return [Polyline([a, b], color), Ball(a, color), Ball(b, color)]


def _bound(value: Any, what: str) -> float:
    values = numbers(value, what)
    if values.ndim or not values >= 0.0:
        raise InputError(f'{what} must be a number of at least 0, m, not {shown(value)}')
    return float(values)


@dataclass(eq=False, repr=False)
class Distance(BuiltInTask):
    """The distance d of two points between two bounds: r = [d − lower; upper − d] ≥ 0, m.

    J of d is uᵀ (J_v(p_a) − J_v(p_b)), u = (p_a − p_b)/d. Equal bounds are one row, d − lower = 0;
    a lower bound of 0 and an infinite upper one have none.

    - `link_a`, `link_b`: the latter None for a point of the world.
    - `lower`, `upper`: m, 0 ≤ lower ≤ upper.
    - `point_a`, `point_b`: (3,) in their link's frame, m.
    """

    link_a: str
    link_b: str | None
    lower: Annotated[float, _bound] = 0.0
    upper: Annotated[float, _bound] = math.inf
    point_a: Annotated[Any, checks.point] = (0, 0, 0)
    point_b: Annotated[Any, checks.point] = (0, 0, 0)

    def __post_init__(self, weight: float, priority: int, name: str | None) -> None:
        super().__post_init__(weight, priority, name)
        self._check_bounds()

    def check(self, body: Body) -> None:
        """Raise an IkError for unknown links and crossed bounds."""
        super().check(body)
        self._check_bounds()

    def rows(self, body: Body) -> RowKinds:
        """Return what the rows are: one for each bound that excludes something."""
        return rows([True] * len(self._sides()), one_sided=self.lower != self.upper)

    def _record(self, body: Body, index: int) -> BodyTask:
        return DistanceTask(index, *_indices(body, self.link_a, self.link_b), self.point_a,
                            self.point_b, self._sides())

    def drawing(self, frames: BodyFrames, size: float) -> list[Shape]:
        return _connection(self, frames, Color.STATUS)

    def _sides(self) -> list[tuple[float, float]]:
        """Return the sign and the bound of each row, r = sign · (d − bound)."""
        sides = []
        if self.lower > 0.0 or self.lower == self.upper:
            sides.append((1.0, self.lower))
        if self.lower < self.upper < math.inf:
            sides.append((-1.0, self.upper))
        return sides

    def _check_bounds(self) -> None:
        if not self.lower <= self.upper or self.lower == math.inf:
            raise InputError(f'the bounds of the task {self.name!r} must be lower ≤ upper, the '
                             f'lower one finite, not {self.lower:g} and {self.upper:g}')


@dataclass(eq=False, repr=False)
class Spring(BuiltInTask):
    """A spring between two points: r = d − rest_length (1,), m; its energy is stiffness · r² / 2.

    It pulls with stiffness · r, N, where forces are known; see `Distance` for d and its Jacobian.
    It does not count for success, whatever its priority.

    - `link_a`, `link_b`: the latter None for a point of the world.
    - `stiffness`: N/m, ≥ 0; `rest_length`: m, ≥ 0.
    - `point_a`, `point_b`: (3,) in their link's frame, m.
    """

    link_a: str
    link_b: str | None
    stiffness: Annotated[float, checks.at_least_zero]
    rest_length: Annotated[float, checks.at_least_zero] = 0.0
    point_a: Annotated[Any, checks.point] = (0, 0, 0)
    point_b: Annotated[Any, checks.point] = (0, 0, 0)

    affects_success = False

    def rows(self, body: Body) -> RowKinds:
        """Return what the rows are: how much longer it is; along three axes with length 0."""
        count = 1 if self.rest_length > 0.0 else 3
        return rows([True] * count, weights=math.sqrt(self.stiffness))

    def _record(self, body: Body, index: int) -> BodyTask:
        links = _indices(body, self.link_a, self.link_b)
        if self.rest_length > 0.0:
            return DistanceTask(index, *links, self.point_a, self.point_b,
                                [(1.0, self.rest_length)])
        return DifferenceTask(index, 3, *links, self.point_a, self.point_b)

    def drawing(self, frames: BodyFrames, size: float) -> list[Shape]:
        return _connection(self, frames, Color.FORCE)


@dataclass(eq=False, repr=False)
class Force(BuiltInTask):
    """A constant force f at a point p of a link: its energy is −f · p, and it pulls with J_vᵀ f.

    As rows for least squares it asks the point to be a metre farther on along the force than it
    is, with the weight √|f|: r = −1 (1,), m, and J = fᵀ J_v(p) / |f|, so that −Jᵀ W² r = J_vᵀ f.
    Unlike that of other tasks, J is not the derivative of r. It does not count for success, nor
    does it miss anything, whatever its priority.

    - `link`; `force`: (3,) N, world axes, not zero; `point`: (3,) in the link's frame, m.
    """

    link: str
    force: Annotated[Any, checks.point]
    point: Annotated[Any, checks.point] = (0, 0, 0)

    misses = False
    affects_success = False

    def rows(self, body: Body) -> RowKinds:
        """Return what the row is: a metre along the force."""
        return rows([True], weights=np.sqrt(np.linalg.norm(self.force)))

    def _record(self, body: Body, index: int) -> BodyTask:
        size = np.linalg.norm(self.force)
        along = self.force / size if size > 0.0 else self.force
        return ForceTask(index, body.link_index(self.link), along, self.point)

    def energy(self, frames: BodyFrames, r: np.ndarray, weights: np.ndarray) -> float:
        """Return −f · p, J."""
        return -float(self.force @ frames.position(self.link, self.point))

    def drawing(self, frames: BodyFrames, size: float) -> list[Shape]:
        strength = math.hypot(*self.force)
        return [] if strength == 0.0 else [Arrow(
            frames.position(self.link, self.point), self.force / strength, Color.FORCE)]
