"""The centre of mass at a point, or above a polygon."""

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from ik_node.model.body import Body, BodyFrames
from ik_node.support.arguments import floats, shaped
from ik_node.support.exceptions import IkError, InputError, ModelError
from ik_node.tasks import checks
from ik_node.tasks.base import POINT, BuiltInTask, RowKinds, rows
from ik_node.tasks.body_task import BodyTask
from ik_node.tasks.drawing import Ball, Color, Disc, Polyline, Shape, target_at
from ik_node.tasks.point_tasks import CenterOfMassTask


def _point(value: Any, what: str) -> np.ndarray:
    values = shaped(value, (3,), what, finite=False)
    if np.isinf(values).any() or np.isnan(values).all():
        raise InputError(f'{what} must be finite numbers, or nan for an axis that is free, but not '
                         f'for all three; not {values.tolist()}')
    return checks.fixed(values)


def _polygon(value: Any, what: str) -> np.ndarray:
    """Return the corners (k, 2) of a convex polygon, counterclockwise."""
    values = floats(value, what)
    if values.ndim != 2 or values.shape[1] != 2 or len(values) < 3:
        raise InputError(f'{what} must have the shape (k, 2) with at least three corners, not '
                         f'{values.shape}')
    corners = values[np.any(values != np.roll(values, 1, axis=0), axis=1)]
    edges = np.roll(corners, -1, axis=0) - corners
    nexts = np.roll(edges, -1, axis=0)
    turns = edges[:, 0] * nexts[:, 1] - edges[:, 1] * nexts[:, 0]
    area = 0.5 * float(np.sum(corners[:, 0] * np.roll(corners[:, 1], -1)
                              - corners[:, 1] * np.roll(corners[:, 0], -1)))
    size = float(np.abs(edges).max(initial=0.0))
    if len(corners) < 3 or not abs(area) > 1e-9 * size * size:
        raise InputError(f'{what} must enclose an area, not {values.tolist()}')
    # Convex: every corner turns the same way, and all of them once round.
    angles = np.arctan2(turns, np.sum(edges * nexts, axis=1))
    if (np.sign(area) * turns < -1e-12 * size * size).any() or abs(
            abs(angles.sum()) - 2.0 * np.pi) > 1e-6:
        raise InputError(f'{what} must be convex, its corners in order, not {values.tolist()}')
    return checks.fixed(corners if area > 0.0 else np.ascontiguousarray(corners[::-1]))


@dataclass(eq=False, repr=False)
class CenterOfMass(BuiltInTask):
    """The centre of mass of all links at a point, or inside a polygon seen from above, or both.

    r = c − target, m, world axes (3,); then, of a polygon, the distance of c from each edge's line,
    positive inside, which must not be negative (k,). J is made of the rows of the centre's
    Jacobian, and for an edge with inward unit normal n of n · J_xy.

    - `target`: (3,) m, world frame; nan leaves an axis free; or None.
    - `polygon`: (k, 2) m, the corners, in order, of a convex polygon, or None.
    """

    target: Annotated[Any, checks.optional(_point)] = None
    polygon: Annotated[Any, checks.optional(_polygon)] = None

    target_kind = POINT

    def check(self, body: Body) -> None:
        if body.mass == 0.0:
            raise ModelError(f'the task {self.name!r}: {body.tree.name!r} has no centre of mass: '
                             'the masses of its links add up to 0 kg')

    def check_target(self) -> None:
        """Raise an IkError where neither target nor polygon is set."""
        if self.target is None and self.polygon is None:
            raise IkError(f'the task {self.name!r} has neither a target nor a polygon: set one '
                          'before solving')

    def rows(self, body: Body) -> RowKinds:
        """Return what the rows are: x, y and z of a target, then the edges of a polygon."""
        edges = 0 if self.polygon is None else len(self.polygon)
        axes = 0 if self.target is None else 3
        return rows([True] * (axes + edges), [False] * axes + [True] * edges)

    def _record(self, body: Body, index: int) -> BodyTask:
        return CenterOfMassTask(index, self.target is not None, np.column_stack(self.edges()))

    def target_in(self, frames: BodyFrames) -> np.ndarray:
        return frames.center_of_mass()[0]

    @property
    def is_movable(self) -> bool:
        """Whether goals move its target: a polygon alone does not move."""
        return self.target is not None

    def target_from(self, T: np.ndarray, is_point: bool) -> np.ndarray:
        """Return the position of a pose (4, 4); axes that are free stay free."""
        return np.where(np.isnan(self.target), np.nan, T[:3, 3])

    @property
    def target_weights(self) -> np.ndarray:
        """Those of the axes that are not free."""
        return np.where(np.append(np.isnan(self.target), [True] * 3), 0.0, 1.0)

    @classmethod
    def read_target(cls, values: np.ndarray, what: str) -> np.ndarray:
        """Return a point (3,) from numbers, with x y only with z free; see `Task`."""
        checks.check_length(values, (2, 3), 'x y, or x y z', what)
        return np.append(values, np.nan) if len(values) == 2 else values

    def drawing(self, frames: BodyFrames, size: float) -> list[Shape]:
        """Return the target, the centre of mass, its projection on the ground, and the polygon."""
        com, _ = frames.center_of_mass()
        ground = np.array([com[0], com[1], 0.0])
        shapes: list[Shape] = [] if self.target is None else [
            target_at(np.where(np.isnan(self.target), com, self.target))]
        shapes += [Ball(com, Color.MASS), Disc(ground), Polyline([com, ground], Color.GROUND)]
        if self.polygon is not None:
            corners = np.column_stack([self.polygon, np.zeros(len(self.polygon))])
            shapes.append(Polyline([*corners, corners[0]]))
        return shapes

    def edges(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the inward unit normals of the edges (k, 2) and their first corners (k, 2), m."""
        if self.polygon is None:
            return np.empty((0, 2)), np.empty((0, 2))
        edges = np.roll(self.polygon, -1, axis=0) - self.polygon
        inward = np.column_stack([-edges[:, 1], edges[:, 0]])
        return inward / np.linalg.norm(inward, axis=1)[:, None], self.polygon
