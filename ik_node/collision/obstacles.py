"""Obstacles: shapes that a robot keeps away from, in the world or on one of its links."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ik_node.model.geometry import Capsule, Mesh, Shape
from ik_node.spatial.rotations import as_pose
from ik_node.support.arguments import instance, number, sequence, shaped, vector
from ik_node.support.bounds import MAX_NAME, MAX_NUMBER
from ik_node.support.exceptions import InputError, shown
from ik_node.support.immutable import Immutable, frozen_copy

MAX_POINTS = 1_000_000
_ATTACHED_POINTS = 1000


@dataclass(frozen=True, eq=False)
class Ground(Immutable):
    """A half-space: solid where normal · x < offset. Immutable.

    normal: (3,), of any length but 0; offset: along the unit normal, m. Raises InputError.
    """

    normal: Any = (0.0, 0.0, 1.0)
    offset: float = 0.0

    def __post_init__(self) -> None:
        normal = vector(self.normal, 3, 'the normal of a Ground')
        length = math.sqrt(normal @ normal)
        if not 0.0 < length < math.inf:
            raise InputError(f'the normal of a Ground must not be zero, not {shown(self.normal)}')
        vars(self).update(normal=frozen_copy(normal / length),
                          offset=number(self.offset, 'the offset of a Ground'))


@dataclass(frozen=True, eq=False)
class PointCloud(Immutable):
    """Balls of one radius, m, about points (k, 3), m: at most a million. Immutable.

    Raises InputError.
    """

    points: Any
    radius: float

    def __post_init__(self) -> None:
        points = shaped(self.points, ('k', 3), 'the points of a PointCloud')
        if len(points) > MAX_POINTS:
            raise InputError(f'a PointCloud has at most {MAX_POINTS} points, not {len(points)}')
        if np.abs(points).max(initial=0.0) > MAX_NUMBER:
            raise InputError(f'the points of a PointCloud must be within {MAX_NUMBER:g} m')
        vars(self).update(points=frozen_copy(points),
                          radius=_size(self.radius, 'the radius of a PointCloud', True))


@dataclass(frozen=True, eq=False)
class Obstacle(Immutable):
    """A shape at a place: in the base frame of an arm, in the world of a body, or on a link.

    - `shape`: Box, Sphere, Cylinder, Capsule, Mesh, Ground or PointCloud.
    - `pose`: (4, 4), m, by default where the frame is; of a Ground and a PointCloud too.
    - `link`: the link it is attached to and moves with, which may touch it; None for none.
    - `name`: in contacts; by default the name of the class of the shape.
    - `touches`: other links that it may touch where it is on one, such as those of a gripper.

    Immutable. Raises InputError for sizes that are not positive, for what is no pose, and for a
    Ground, or a PointCloud of more than a thousand points, on a link.
    """

    shape: Shape | Ground | PointCloud
    pose: Any = None
    link: str | None = None
    name: str | None = None
    touches: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_shape(self.shape)
        T = np.eye(4) if self.pose is None else as_pose(self.pose, 'the pose of an obstacle')
        object.__setattr__(self, 'pose', frozen_copy(T))
        if self.link is not None and not isinstance(self.link, str):
            raise InputError(f'the link of an obstacle must be a name, not {shown(self.link)}')
        name = type(self.shape).__name__ if self.name is None else self.name
        if not isinstance(name, str) or not 0 < len(name) <= MAX_NAME:
            raise InputError(f'the name of an obstacle must be a text of at most {MAX_NAME} '
                             f'characters, not {shown(self.name)}')
        object.__setattr__(self, 'name', name)
        if self.link is not None and isinstance(self.shape, Ground):
            raise InputError(f'{self.name!r}: a Ground cannot be attached to a link')
        if self.link is not None and isinstance(self.shape, PointCloud) and (
                len(self.shape.points) > _ATTACHED_POINTS):
            raise InputError(f'{self.name!r}: a PointCloud that is attached to a link has at most '
                             f'{_ATTACHED_POINTS} points, not {len(self.shape.points)}')

    def moved(self, pose: np.ndarray) -> 'Obstacle':
        """Return this obstacle at another pose (4, 4), m, which is not checked and not copied."""
        twin: Obstacle = self._with(pose=pose)
        return twin


def check_obstacles(obstacles: Iterable[Obstacle]) -> tuple[Obstacle, ...]:
    """Return obstacles. Raises InputError for anything else."""
    found = tuple(sequence(obstacles, 'obstacles', InputError))
    for one in found:
        instance(one, Obstacle, 'an obstacle must be an Obstacle(shape, pose)')
    return found


def check_shape(shape: Any) -> None:
    """Raise InputError for what is no shape, and for sizes that are not positive."""
    if isinstance(shape, (Ground, PointCloud)):
        return
    instance(shape, Shape,
             'a shape must be a Box, Sphere, Cylinder, Capsule, Mesh, Ground or PointCloud')
    if isinstance(shape, Mesh):
        instance(shape.filename, str, 'the file of a Mesh must be a text')
        if not vector(shape.scale, 3, 'the scale of a Mesh').all():
            raise InputError(f'the scale of a Mesh must not be zero, not {shown(shape.scale)}')
        return
    for name, value in shape._asdict().items():
        what = f'the {name} of a {type(shape).__name__}'
        for size in vector(value, 3, what) if name == 'size' else (value,):
            _size(size, what, isinstance(shape, Capsule) and name == 'length')


def _size(value: Any, what: str, may_be_zero: bool = False) -> float:
    size = number(value, what)
    if size < 0.0 or (size == 0.0 and not may_be_zero) or size > MAX_NUMBER:
        raise InputError(f'{what} must be {"at least" if may_be_zero else "greater than"} 0 m and '
                         f'at most {MAX_NUMBER:g} m, not {size:g}')
    return size
