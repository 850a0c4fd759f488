"""Contacts and near pairs of shapes, at joint values."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ik_node.collision import mesh_distance
from ik_node.collision.obstacles import Obstacle, PointCloud
from ik_node.collision.robot import LinkPiece, RobotShapes
from ik_node.collision.scene import Scene, SceneData
from ik_node.collision.shapes import Piece, Shapes, convex_of, poses_of
from ik_node.collision.world import World
from ik_node.model.geometry import Sphere

Choice = Callable[[int, int, float], bool]
"""Chooses pairs: of shapes a and b that are so far apart, m."""
_Near = tuple[int, tuple[int, int], tuple[Any, ...], bool]
"""k of a pair in SceneData, the pair, its distance, normal and points, and whether it is exact."""


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
    is_exact: bool = True
    """Whether the shapes themselves are that near. False: one is a mesh, whose convex hull was
    measured; it encloses the mesh, which may be farther away. Of meshes that overlap the depth is
    that of their hulls."""

    def __str__(self) -> str:
        """Return the pair and its distance."""
        state = (f'{-1e3 * self.distance:.3g} mm deep in' if self.distance < 0.0 else
                 f'{1e3 * self.distance:.3g} mm from')
        return (f'{self.first!r} is {state} {self.second!r}'
                + ('' if self.is_exact else ' by the convex hulls of their meshes'))


class NearPairs(NamedTuple):
    """Pairs of shapes that are near one another at some joint values."""

    pairs: np.ndarray  # (k, 2) integers that tell them apart, until obstacles change
    distances: np.ndarray  # (k,) m; negative: how deep they overlap
    gradients: np.ndarray  # (k, n) how the distances change, m per rad or m
    meshes: np.ndarray  # (k,) bool: coal is there, and one is a mesh that is not convex

    def by_pair(self, values: np.ndarray) -> dict[tuple[int, int], float]:
        """Return values (k,) by their pairs."""
        return dict(zip(map(tuple, self.pairs.tolist()), values.tolist()))


def world_of(obstacles: list[Obstacle], T: np.ndarray, shapes: Shapes) -> World:
    """Return the shapes of obstacles that are not attached; `named`: their names and pieces.

    The obstacles are in a frame at T (4, 4), m, in that of the root link.
    """
    named: list[tuple[Any, Piece]] = []
    balls: list[tuple[Any, Piece]] = []
    clouds = []
    for one in obstacles:
        if isinstance(one.shape, PointCloud):
            clouds.append(poses_of(one.shape, one.pose))
            ball = Sphere(one.shape.radius)
            balls += [(one.name, Piece(convex_of(ball), one.pose, ball))] * len(clouds[-1])
        else:
            named += [(one.name, piece) for piece in shapes.pieces(one.shape, one.pose)]
    poses = np.array([piece.placement for _, piece in named]).reshape(-1, 4, 4)
    named += balls
    return World([piece.convex for _, piece in named], T @ np.concatenate([poses, *clouds]), named)


class RobotScene(Scene):
    """A robot, and what is around it, with the names of the shapes: all of it of one time.

    - `own`: the pieces of the robot and what contacts call them; after them come the world's.
    - `T_world_base`: (4, 4) where the base of an arm is, m.
    - `may_come_closer`: by how much pairs may come closer than others, m.
    """

    def __init__(self, robot: RobotShapes, attached: list[LinkPiece], world: World,
                 margin: float) -> None:
        pieces = [*robot.pieces, *attached]
        self.T_world_base = robot.T_world_base
        self.own: list[tuple[Any, Piece]] = [(one.name, one.piece) for one in pieces]
        self.may_come_closer = robot.closer(margin)
        super().__init__(*robot.scene_of(pieces, robot.pairs + robot.possible_pairs(
            pieces, len(robot.pieces)), world, margin, self.may_come_closer))
        self.has_larger = world.has_larger or any(
            piece.convex.is_larger for _, piece in self.own)

    def near_pairs(self, q: np.ndarray, far: float, by_meshes: Choice) -> NearPairs:
        """Return the pairs at q (n,) that count as at most `far` apart, m."""
        data = self.take()
        near = [*self._near(data, q, far, by_meshes)]
        distances, gradients = data.rows()
        if len(near) < data.count:  # some are farther apart than their hulls
            kept = [one[0] for one in near]
            distances, gradients = distances[kept], gradients[kept]
        data.leave()
        return NearPairs(np.array([one[1] for one in near], int).reshape(-1, 2), distances,
                         gradients, np.array([not one[3] for one in near], bool) & (
                             mesh_distance.coal() is not None))

    def touches(self, q: np.ndarray, far: float,
                among: Choice = lambda a, b, apart: True) -> bool:
        """Tell whether there is a contact, as of `contacts`, at q (n,)."""
        return next(self.contacts(q, far, among, False), None) is not None

    def contacts(self, q: np.ndarray, far: float, among: Choice = lambda a, b, apart: True,
                 deep: bool = True) -> Iterator[Contact]:
        """Yield the contacts at q (n,) of pairs that count as at most `far` apart, m.

        Those that need no measurement of meshes come first. among: tells which pairs matter. deep:
        whether overlaps are measured, which takes a third of the time.
        """
        data, R, t = self.take(), self.T_world_base[:3, :3].T, self.T_world_base[:3, 3]
        try:
            for _, (a, b), (apart, normal, on_a, on_b), is_exact in self._near(
                    data, q, far, None, among, deep):
                yield Contact(self._named(a)[0], self._named(b)[0],
                              apart - self.may_come_closer.get((a, b), 0.0), R @ (on_a - t),
                              R @ (on_b - t), R @ normal, is_exact or self._measures(data))
        finally:
            data.leave()

    def _near(self, data: SceneData, q: np.ndarray, far: float, by_meshes: Choice | None,
              among: Choice = lambda a, b, apart: True, deep: bool = True) -> Iterator[_Near]:
        """Yield near pairs, where all are measured those first that need no measurement.

        by_meshes: tells which meshes are measured where coal is installed, None: all.
        """
        found = data.find(q, far, data.most + 1, deep)
        exact = [not (self._named(a)[1].convex.is_larger or self._named(b)[1].convex.is_larger)
                 for a, b, *_ in found]
        measures = self._measures(data)
        for k in range(len(found)) if by_meshes else sorted(
                range(len(found)), key=lambda k: (not exact[k], found[k][2])):
            a, b, apart, *witness = found[k]
            if not among(a, b, apart):
                continue
            if measures and not exact[k] and (by_meshes is None or by_meshes(a, b, apart)):
                closer = self.may_come_closer.get((a, b), 0.0)
                measured = mesh_distance.distance(*self._placed(data, a), *self._placed(data, b),
                                                  far - closer)
                if measured is None:
                    continue
                if measured[0] > 0.0:
                    apart, p_a, p_b = measured
                    witness, apart = [(p_b - p_a) / apart, p_a, p_b], apart + closer
                    data.replace(k, apart, *witness)
            yield k, (a, b), (apart, *witness), exact[k]

    def _measures(self, data: SceneData) -> bool:
        """Tell whether meshes are measured; not where very many pairs are near."""
        return mesh_distance.coal() is not None and data.count < data.most

    def _named(self, k: int) -> tuple[Any, Piece]:
        return self.own[k] if k < len(self.own) else self.world.named[k - len(self.own)]

    def _placed(self, data: SceneData, k: int) -> tuple[Any, mesh_distance.Placement]:
        """Return a shape itself, and its pose."""
        T = data.pose(k)
        return self._named(k)[1].original, (np.array(T[:3]), np.array(T[3]))
