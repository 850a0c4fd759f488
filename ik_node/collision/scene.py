"""Which shapes of a robot are near one another, or near those of a world, at joint values."""

from typing import Any

import cython
import numpy as np

from ik_node.collision import signed_distance as distances
from ik_node.collision import world as worlds
from ik_node.collision.convex import Convex
from ik_node.collision.signed_distance import PairData
from ik_node.collision.world import World
from ik_node.kinematics import jacobian as jacobians
from ik_node.kinematics import tree as trees
from ik_node.kinematics.tree import Tree
from ik_node.spatial import vector3 as vectors
from ik_node.spatial.vector3 import Transform, Vector3
from ik_node.support.arrays import InVector, Memory, OutMatrix, OutVector, Vector, taken

if not cython.compiled:
    from ik_node.spatial.vector3 import *

MOST = 256  # pairs that are noted; of more the nearest ones


class FreeSpace:
    """The configurations at which nothing is too near, by a scene that is replaced at any time."""

    scene: Any

    def take(self) -> 'SceneData':
        """Return what checks configurations, for one thread, until it calls `leave`."""
        return self.scene.take()


class Scene:
    """The shapes of a robot, and what is around it.

    - `tree`: its links; `link`, `placement`: of each shape the link, and its pose (4, 4) on it.
    - `pairs`: (2 k,) shapes that may touch; `moving`: those that may touch the world.
    - `closer`: (k,) m, by which a pair may come closer than others: it counts as so much farther
      apart. `margin`: m, that all keep.
    """

    def __init__(self, tree: Tree, link: Any, placement: np.ndarray, shapes: list[Convex],
                 pairs: Any, moving: Any, closer: np.ndarray, world: World, margin: float) -> None:
        """Copy what describes them."""
        self.memory, self.tree, self.world, self.margin = Memory(), tree, world, margin
        memory = self.memory
        self.count, self.pair_count, self.moving_count = len(shapes), len(pairs) // 2, len(moving)
        self.link, self.placement = memory.integers(link), memory.poses(placement)
        self.shape = memory.objects(shapes)
        self.pairs, self.moving = memory.integers(pairs), memory.integers(moving)
        self.closer = memory.vector(closer)
        self.idle: list[Any] = []  # that no thread uses

    def take(self) -> 'SceneData':
        """Return scratch that no other thread uses, until it calls `leave`."""
        return taken(self.idle, SceneData, self)

    def is_free(self, q: np.ndarray) -> bool:
        """Tell whether nothing is too near at q (n,), rad or m; a mesh counts as its hull."""
        data = self.take()
        near = data.find(q, self.margin, 1, False)
        data.leave()
        return not near


class SceneData:
    """The frames of a scene at the last q, and the pairs found near: for one thread at a time.

    - `closer`: of the pair that is measured, m; `deep`: whether overlaps are measured.
    - `count`: of pairs, at most `most`: `a`, `b` their shapes, those of the world after those of
      the robot; `distance` m; `normal`, `on_a`, `on_b` (count, 3): unit vector from a to b, and the
      witness points.
    """

    def __init__(self, scene: Scene) -> None:
        """Make room."""
        self.scene, self.memory = scene, Memory()
        memory, links, n = self.memory, scene.tree.links, scene.tree.n
        self.frames, self.axes = memory.poses(np.zeros((links, 4, 4))), memory.points(
            np.zeros((links, 3)))
        self.place = memory.poses(np.zeros((scene.count, 4, 4)))
        self.middle = memory.points(np.zeros((scene.count, 3)))
        self.q, self.J = memory.vector(np.zeros(n)), memory.columns(np.zeros((n, 6)))
        self.pair = PairData()
        self.a, self.b = memory.integers(np.zeros(MOST)), memory.integers(np.zeros(MOST))
        self.distance = memory.vector(np.zeros(MOST))
        self.normal = memory.points(np.zeros((MOST, 3)))
        self.on_a, self.on_b = (memory.points(np.zeros((MOST, 3))), memory.points(
            np.zeros((MOST, 3))))
        self.stack = memory.integers(np.zeros(worlds.DEPTH))
        self.count, self.most, self.closer, self.deep = 0, MOST, 0.0, True

    def leave(self) -> None:
        """Leave this to other threads."""
        self.scene.idle.append(self)

    def pose(self, k: int) -> Transform:
        """Return the pose of a shape, numbered as in `a` and `b`, at the last q."""
        if k < self.scene.count:
            return vectors.transform_of(self.place[k])
        return vectors.transform_of(self.scene.world.place[k - self.scene.count])

    def is_free(self, q: Vector) -> bool:
        """Tell whether nothing is nearer than the margin at q (n,), rad or m."""
        return scan(self, q, self.scene.margin, 1, False) == 0

    def find(self, q: InVector, far: float, most: int = MOST + 1,
             deep: bool = True) -> list[tuple]:
        """Return (a, b, distance, normal, on_a, on_b) of the pairs at most `far` apart, m.

        q (n,), rad or m. Of more than MOST the nearest. With most = 1 the search ends with the
        first pair. deep: whether overlaps are measured; else 0, and no points, stand for them.
        """
        if q.shape[0] != self.scene.tree.n:
            raise ValueError(f'q must have {self.scene.tree.n} values, not {q.shape[0]}')
        for k in range(self.scene.tree.n):
            self.q[k] = q[k]
        with cython.nogil:
            scan(self, self.q, far, most, deep)
        return [(self.a[k], self.b[k], self.distance[k], vectors.row(self.normal, k),
                 vectors.row(self.on_a, k), vectors.row(self.on_b, k))
                for k in range(self.count)]

    def replace(self, k: int, distance: float, normal: Any, on_a: Any, on_b: Any) -> None:
        """Let pair k have another distance, m, and witness points of its own."""
        self.distance[k] = distance
        for i in range(3):
            self.normal[k][i], self.on_a[k][i], self.on_b[k][i] = normal[i], on_a[i], on_b[i]

    def rows(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the distances (k,), m, of the pairs found, and their gradients (k, n)."""
        distances, rows = np.empty(self.count), np.empty((self.count, self.scene.tree.n))
        d: OutVector = distances
        G: OutMatrix = rows
        for k in range(self.count):
            d[k] = self.distance[k]
            distance_row(self, k, self.q)
            for i in range(self.scene.tree.n):
                G[k, i] = self.q[i]
        return distances, rows


def scan(own: SceneData, q: Vector, far: float, most: int, deep: bool) -> int:
    """Write the pairs at q (n,) that are at most `far` apart, m; return how many they are.

    The search ends when `most` are found. deep: whether overlaps are measured.
    """
    trees.tree_frames(own.scene.tree, q, own.frames, own.axes)
    for k in range(own.scene.count):
        place_shape(own, k)
    own.count, own.deep = 0, deep
    for k in range(own.scene.pair_count):
        a, b = own.scene.pairs[2 * k], own.scene.pairs[2 * k + 1]
        own.closer = own.scene.closer[k]
        reach = (cython.cast(Convex, own.scene.shape[a]).bound
                 + cython.cast(Convex, own.scene.shape[b]).bound + far - own.closer)
        between = minus(vectors.row(own.middle, b), vectors.row(own.middle, a))
        if reach >= 0.0 and dot(between, between) <= reach * reach and measure(
                cython.cast(Convex, own.scene.shape[a]), cython.cast(Convex, own.scene.shape[b]),
                vectors.transform_of(own.place[b]), own, a, b, far) and own.count >= most:
            return own.count
    own.closer = 0.0
    for k in range(own.scene.moving_count):
        a = own.scene.moving[k]
        if scan_world(cython.cast(Convex, own.scene.shape[a]), own.scene.world, own, a, far, most):
            break
    return own.count


def place_shape(own: SceneData, k: int) -> None:
    """Write the pose and the middle of shape k, for the frames of the links."""
    pose = own.place[k]
    T = composed(vectors.transform_of(own.frames[own.scene.link[k]]),
                 vectors.transform_of(own.scene.placement[k]))
    pose[0][0], pose[0][1], pose[0][2] = T[0]
    pose[1][0], pose[1][1], pose[1][2] = T[1]
    pose[2][0], pose[2][1], pose[2][2] = T[2]
    pose[0][3], pose[1][3], pose[2][3] = T[3]
    p = transform_point(T, cython.cast(Convex, own.scene.shape[k]).middle)
    own.middle[k][0], own.middle[k][1], own.middle[k][2] = p


def measure(a: Convex, b: Convex, B: Transform, own: SceneData, i: int, j: int,
            far: float) -> bool:
    """Note the pair of shape i of the robot and shape j at the pose B; return whether it is near.

    Where there is no more room, it replaces the farthest that is noted.
    """
    distance = own.closer + distances.signed_distance(
        a, vectors.transform_of(own.place[i]), b, B, far - own.closer, own.pair,
        own.deep or far < own.closer)
    if not distance <= far:
        return False
    k = own.count
    if k == MOST:
        k = 0
        for m in range(1, MOST):
            if own.distance[m] > own.distance[k]:
                k = m
        if distance >= own.distance[k]:
            return True
        own.count -= 1
    own.count += 1
    own.a[k], own.b[k], own.distance[k] = i, j, distance
    own.normal[k][0], own.normal[k][1], own.normal[k][2] = own.pair.normal
    own.on_a[k][0], own.on_a[k][1], own.on_a[k][2] = own.pair.on_a
    own.on_b[k][0], own.on_b[k][1], own.on_b[k][2] = own.pair.on_b
    return True


def scan_world(a: Convex, world: World, own: SceneData, i: int, far: float, most: int) -> bool:
    """Note the shapes of the world near shape i of the robot; return whether there are `most`."""
    first, middle, reach = own.scene.count, vectors.row(own.middle, i), a.bound + far
    for k in range(world.count, world.count + world.planes):
        if measure(a, cython.cast(Convex, world.shape[k]), vectors.transform_of(world.place[k]),
                   own, i, first + k, far) and own.count >= most:
            return True
    depth, own.stack[0] = 1, 1
    while depth > 0:
        depth -= 1
        node = own.stack[depth]
        if beyond_box(world.boxes[node], middle, reach):
            continue
        if node < world.leaves:
            own.stack[depth], own.stack[depth + 1] = 2 * node, 2 * node + 1
            depth += 2
            continue
        leaf = (node - world.leaves) * worlds.LEAF
        for k in range(leaf, min(leaf + worlds.LEAF, world.count)):
            B, within = vectors.transform_of(world.place[k]), reach + cython.cast(
                Convex, world.shape[k]).bound
            between = minus(transform_point(B, cython.cast(Convex, world.shape[k]).middle), middle)
            if dot(between, between) <= within * within and measure(
                    a, cython.cast(Convex, world.shape[k]), B, own, i, first + k, far) and (
                        own.count >= most):
                return True
    return False


def beyond_box(box: Vector, p: Vector3, reach: float) -> bool:
    """Tell whether a box (6,), least and greatest coordinates, is farther than `reach` from p."""
    x = max(box[0] - p[0], max(p[0] - box[3], 0.0))
    y = max(box[1] - p[1], max(p[1] - box[4], 0.0))
    z = max(box[2] - p[2], max(p[2] - box[5], 0.0))
    return x * x + y * y + z * z > reach * reach


def distance_row(own: SceneData, k: int, row: Vector) -> None:
    """Write the gradient (n,) of the distance of pair k, m per rad or m, at the last q."""
    for i in range(own.scene.tree.n):
        row[i] = 0.0
    add_motion(own, own.a[k], vectors.row(own.on_a, k), vectors.row(own.normal, k), -1.0, row)
    if own.b[k] < own.scene.count:
        add_motion(own, own.b[k], vectors.row(own.on_b, k), vectors.row(own.normal, k), 1.0, row)


def add_motion(own: SceneData, shape: int, point: Vector3, normal: Vector3, sign: float,
               row: Vector) -> None:
    """Add to a row (n,) how fast a point of a shape moves along a normal, times a sign."""
    link = own.scene.link[shape]
    T = vectors.transform_of(own.frames[link])
    local = rotated_back(T, minus(point, T[3]))
    jacobians.point_jacobian(own.scene.tree, own.frames, own.axes, link, local[0], local[1],
                             local[2], own.J)
    for i in range(own.scene.tree.n):
        row[i] += sign * (normal[0] * own.J[i][0] + normal[1] * own.J[i][1]
                          + normal[2] * own.J[i][2])
