"""Where a robot touches itself or obstacles, at joint values."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ik_node.collision.convex import Convex
from ik_node.collision.free_space import FreeSpace
from ik_node.collision.obstacles import Ground, Obstacle, PointCloud, check_obstacles
from ik_node.collision.robot import LinkPiece, RobotShapes, shapes_of
from ik_node.collision.shapes import Piece, convex_of, poses_of
from ik_node.collision.sweep import Sweep
from ik_node.collision.world import World
from ik_node.model.body import Body
from ik_node.model.chain import Chain
from ik_node.model.geometry import Sphere
from ik_node.model.joint_space import check_joint_space
from ik_node.spatial import inverse
from ik_node.support.arguments import floats, number
from ik_node.support.exceptions import InputError

_ATTACHED_POINTS = 1000


class Contact(NamedTuple):
    """Two things that are nearer than they may be."""

    first: str  # a link, or the name of what is attached to one
    second: str  # another, or the name of an obstacle
    distance: float  # m; negative: how deep they overlap
    point_first: np.ndarray
    """(3,) the point of the first nearest to the second, of an overlap the deepest in it: m, in
    the base frame of an arm, the world frame of a body."""
    point_second: np.ndarray  # (3,) that of the second
    normal: np.ndarray  # (3,) unit vector from the first to the second

    def __str__(self) -> str:
        """Return the pair and its distance."""
        state = (f'{-1e3 * self.distance:.3g} mm deep in' if self.distance < 0.0 else
                 f'{1e3 * self.distance:.3g} mm from')
        return f'{self.first!r} is {state} {self.second!r}'


class NearPairs(NamedTuple):
    """Pairs of shapes that are near one another at some joint values."""

    pairs: np.ndarray  # (k, 2) integers that tell them apart, until obstacles change
    distances: np.ndarray  # (k,) m; negative: how deep they overlap
    gradients: np.ndarray  # (k, n) how the distances change, m per rad or m


class CollisionModel:
    """The shapes of a robot, and obstacles, which may change at any time.

    - `space`: the arm or the body whose q its methods take; `margin`: m, kept from contact.
    - `robot`: the shapes of the links, see `RobotShapes`.
    """

    def __init__(self, space: Chain | Body, obstacles: Iterable[Obstacle] = (),
                 margin: float = 0.0, others: Mapping[str, float] | None = None,
                 disabled: Iterable[tuple[str, str]] = ()) -> None:
        """Read the shapes of the tree of an arm or of a body.

        margin: m, at least 0. others: {joint: value} of joints that are not in an arm's q, rad or
        m, zero by default. disabled: pairs of links that may touch, as those of an SRDF. Raises
        InputError for wrong arguments, ModelError for unknown links and joints, and for meshes that
        cannot be read.
        """
        check_joint_space(space)
        self.space, self.margin = space, number(margin, 'margin')
        if self.margin < 0.0:
            raise InputError(f'margin must be at least 0 m, not {self.margin:g}')
        disabled = tuple(disabled)
        self._arguments = space, (), margin, others, disabled
        self.robot = (shapes_of(space) if others is None and not disabled
                      else RobotShapes(space, others, disabled))
        self.free: Any = None  # the same for kernels, a FreeSpace
        self.obstacles = obstacles

    @property
    def obstacles(self) -> tuple[Obstacle, ...]:
        """The obstacles: in the base frame of an arm, in the world of a body, or on links."""
        return self._obstacles

    @obstacles.setter
    def obstacles(self, obstacles: Iterable[Obstacle]) -> None:
        checked, robot = check_obstacles(obstacles), self.robot
        with robot.shapes.reading():
            pieces = [*robot.pieces, *(piece for one in checked if one.link is not None
                                       for piece in _attached(robot, one))]
            world, names = _world(robot, [one for one in checked if one.link is None])
        scene = robot.scene(pieces, robot.pairs + robot.possible_pairs(pieces, len(robot.pieces)))
        # One assignment, so that another thread sees all of it or nothing.
        self._state = scene, world, [*(piece.name for piece in pieces), *names]
        self.free = FreeSpace(scene, world, self.margin) if self.free is None else self.free
        self.free.replace(scene, world)
        self._obstacles = checked

    def __reduce__(self) -> tuple[Any, ...]:
        """Return how pickle and copy restore it: from the arguments of its constructor."""
        space, _, *others = self._arguments
        return CollisionModel, (space, self._obstacles, *others)

    def gradients(self, q: np.ndarray, distance: float) -> tuple[np.ndarray, np.ndarray]:
        """Return (k,) distances, m, up to one, and how they change (k, n), m per rad or m.

        Of the pairs at q (n,), rad or m. Raises InputError for a wrong q.
        """
        return self.near_pairs(q, distance)[1:]

    def near_pairs(self, q: np.ndarray, distance: float) -> NearPairs:
        """Return the pairs at q (n,), rad or m, not farther apart than a distance, m.

        Raises InputError for a wrong q.
        """
        at = self.space.checked(q)
        touch = self.free.take()
        pairs = [one[:2] for one in touch.find(touch.world, at, distance)]
        found = NearPairs(np.array(pairs, dtype=int).reshape(-1, 2), *touch.rows())
        touch.leave()
        return found

    def is_free(self, q: np.ndarray) -> bool:
        """Tell whether nothing is nearer than the margin at q (n,), rad or m.

        Raises InputError for a wrong q.
        """
        at = self.space.checked(q)
        touch = self.free.take()
        near = touch.find(touch.world, at, self.margin, 1)
        touch.leave()
        return not near

    def free_part(self, path: np.ndarray, slack: float = 0.0) -> float:
        """Return how far a path (m, n) keeps the margin: i + s, a part s after configuration i.

        Infinite where it does to its end. The path is straight from one configuration, rad or m, to
        the next. Nothing comes nearer than the margin less 0.1 mm, nor touches, between two of
        them either; a pair that is nearer where the path begins does not get nearer. slack: m, by
        which a pair may be nearer on what the path stands for. Raises InputError for a wrong path.
        """
        at = floats(path, 'path')
        if at.ndim != 2 or at.shape[1] != self.space.n_joints or not len(at):
            raise InputError(f'path must have the shape (m, {self.space.n_joints}), not {at.shape}')
        touch = self.free.take()
        part: float = Sweep(touch.scene, at).run(touch, slack)
        touch.leave()
        return part

    def levers(self) -> np.ndarray:
        """Return by how much a change of each joint (n,) changes any distance at most: m per unit.

        Of joints that move others along, which have no limits, only up to a metre of that.
        """
        touch = self.free.take()
        levers: np.ndarray = Sweep(touch.scene, np.ones((1, self.space.n_joints))).levers()
        touch.leave()
        return levers

    def contacts(self, q: Sequence[float] | np.ndarray,
                 distance: float | None = None) -> list[Contact]:
        """Return the pairs at q (n,), rad or m, not farther apart than a distance, nearest first.

        distance: m, the margin by default. Of more than 256 pairs the nearest are returned. Raises
        InputError for a wrong q or distance.
        """
        far = self.margin if distance is None else number(distance, 'distance')
        scene, world, names = self._state
        touch = scene.touch()
        found = touch.find(world, self.space.checked(q), far)
        touch.leave()
        T = inverse(self.robot.T_world_base)
        R = T[:3, :3]
        return sorted((Contact(names[a], names[b], apart, R @ on_a + T[:3, 3],
                               R @ on_b + T[:3, 3], R @ normal)
                       for a, b, apart, normal, on_a, on_b in found),
                      key=lambda one: one.distance)


def _attached(robot: RobotShapes, obstacle: Obstacle) -> list[LinkPiece]:
    """Return the pieces of an obstacle on a link."""
    shape, link = obstacle.shape, obstacle.link or ''
    if isinstance(shape, Ground):
        raise InputError(f'{obstacle.name!r}: a Ground cannot be attached to a link')
    if isinstance(shape, PointCloud) and len(shape.points) > _ATTACHED_POINTS:
        raise InputError(f'{obstacle.name!r}: a PointCloud that is attached to a link has at most '
                         f'{_ATTACHED_POINTS} points, not {len(shape.points)}')
    return [robot.on_link(link, piece, obstacle.name)
            for piece in robot.shapes.pieces(shape, obstacle.pose)]


def _world(robot: RobotShapes, obstacles: list[Obstacle]) -> tuple[World, list[str]]:
    """Return the shapes of obstacles that are not attached, and their names in that order."""
    shapes: list[Convex] = []
    poses, names = [np.empty((0, 4, 4))], []
    planes: list[Piece] = []
    plane_names = []
    for one in obstacles:
        if isinstance(one.shape, PointCloud):
            poses.append(poses_of(one.shape, one.pose))
            shapes += [convex_of(Sphere(one.shape.radius))] * len(one.shape.points)
            names += [one.name] * len(one.shape.points)
            continue
        pieces = robot.shapes.pieces(one.shape, one.pose)
        if isinstance(one.shape, Ground):
            planes += pieces
            plane_names.append(one.name)
            continue
        poses += [piece.placement[None] for piece in pieces]
        shapes += [piece.convex for piece in pieces]
        names += [one.name] * len(pieces)
    T, at = robot.T_world_base, np.array([plane.placement for plane in planes]).reshape(-1, 4, 4)
    world = World(shapes, T @ np.concatenate(poses), [plane.convex for plane in planes], T @ at)
    return world, [*(names[k] for k in world.order), *plane_names]
