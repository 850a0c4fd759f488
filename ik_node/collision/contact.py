"""What is near what, at joint values."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from ik_node.collision import original
from ik_node.collision.convex import Convex
from ik_node.collision.original import TriangleMesh
from ik_node.collision.scene import Scene, Touch
from ik_node.collision.shapes import Piece
from ik_node.collision.world import World

Choice = Callable[[int, int, float], bool]
"""Chooses pairs: of shapes a and b that are so far apart, m."""
_Near = tuple[int, tuple[int, int], tuple[Any, ...], bool]
"""k of a pair in Touch, the pair, its distance, normal and points, and whether it needs no mesh."""


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


class Checked(NamedTuple):
    """What is checked for contact: shapes and what is around them, all of it of one time."""

    scene: Scene
    world: World
    own: list[tuple[str, Piece]]     # the pieces of the robot, and what contacts call them
    around: list[tuple[str, Piece]]  # those of the world, numbered after them
    T_world_base: np.ndarray
    closer: Mapping[tuple[int, int], float]  # m, by which pairs may come closer than others

    def near_pairs(self, q: np.ndarray, far: float, by_meshes: Choice) -> NearPairs:
        """Return the pairs at q (n,) that count as at most `far` apart, m."""
        touch = self.scene.touch()
        near = [*self._near(touch, q, far, by_meshes)]
        distances, gradients = touch.rows()
        if len(near) < touch.count:  # some are farther apart than their hulls
            kept = [one[0] for one in near]
            distances, gradients = distances[kept], gradients[kept]
        touch.leave()
        return NearPairs(np.array([one[1] for one in near], int).reshape(-1, 2), distances,
                         gradients, np.array([not one[3] for one in near], bool) & (
                             original.coal() is not None))

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
        touch, R, t = self.scene.touch(), self.T_world_base[:3, :3].T, self.T_world_base[:3, 3]
        try:
            for _, (a, b), (apart, normal, on_a, on_b), is_exact in self._near(
                    touch, q, far, None, among, deep):
                yield Contact(self._named(a)[0], self._named(b)[0],
                              apart - self.closer.get((a, b), 0.0), R @ (on_a - t),
                              R @ (on_b - t), R @ normal, is_exact or self._measures(touch))
        finally:
            touch.leave()

    def _near(self, touch: Touch, q: np.ndarray, far: float, by_meshes: Choice | None,
              among: Choice = lambda a, b, apart: True, deep: bool = True) -> Iterator[_Near]:
        """Yield near pairs, where all are measured those first that need no measurement.

        by_meshes: tells which meshes are measured where coal is installed, None: all.
        """
        found = touch.find(self.world, q, far, touch.most + 1, deep)
        exact = [self._named(a)[1].is_exact and self._named(b)[1].is_exact for a, b, *_ in found]
        measures = self._measures(touch)
        for k in range(len(found)) if by_meshes else sorted(
                range(len(found)), key=lambda k: (not exact[k], found[k][2])):
            a, b, apart, *witness = found[k]
            if not among(a, b, apart):
                continue
            if measures and not exact[k] and (by_meshes is None or by_meshes(a, b, apart)):
                closer = self.closer.get((a, b), 0.0)
                measured = original.distance(*self._placed(touch, a), *self._placed(touch, b),
                                             far - closer)
                if measured is None:
                    continue
                if measured[0] > 0.0:
                    apart, p_a, p_b = measured
                    witness, apart = [(p_b - p_a) / apart, p_a, p_b], apart + closer
                    touch.replace(k, apart, *witness)
            yield k, (a, b), (apart, *witness), exact[k]

    def _measures(self, touch: Touch) -> bool:
        """Tell whether meshes are measured; not where very many pairs are near."""
        return original.coal() is not None and touch.count < touch.most

    def _named(self, k: int) -> tuple[str, Piece]:
        return self.own[k] if k < len(self.own) else self.around[k - len(self.own)]

    def _placed(self, touch: Touch, k: int) -> tuple[Convex | TriangleMesh, original.Placement]:
        """Return a shape itself, and its pose."""
        T = touch.pose(self.world, k)
        return self._named(k)[1].original, (np.array(T[:3]), np.array(T[3]))
