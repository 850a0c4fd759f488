"""Which shapes of a robot are near one another, or near those of a world, at joint values."""

from typing import Any

try:
    import cython
except ImportError:
    from ik_node.support import cython
import numpy as np

from ik_node.collision import pair
from ik_node.collision import world as worlds
from ik_node.collision.convex import Convex
from ik_node.collision.gap import Gap
from ik_node.collision.penetration import Polytope
from ik_node.collision.world import World
from ik_node.kinematics import jacobian as jacobians
from ik_node.kinematics import tree as trees
from ik_node.kinematics.tree import Tree
from ik_node.spatial import vector3 as vectors
from ik_node.spatial.vector3 import Vector3
from ik_node.support.arrays import Memory, Vector

if not cython.compiled:
    from ik_node.spatial.vector3 import composed, dot, minus, moved, rotated_back

MOST = 256  # pairs that are noted; of more the nearest ones


class Scene:
    """The shapes of a robot.

    - `tree`: its links; `link`, `placement`: of each shape the link, and its pose (4, 4) on it.
    - `pairs`: (2 k,) shapes that may touch; `moving`: those that may touch a world.
    - `closer`: (k,) m, by which a pair may come closer than others: it counts as so much farther
      apart.
    """

    def __init__(self, tree: Tree, link: Any, placement: np.ndarray, shapes: list[Convex],
                 pairs: Any, moving: Any, closer: np.ndarray) -> None:
        """Copy what describes them."""
        self.memory, self.tree = Memory(), tree
        memory = self.memory
        self.count, self.pair_count, self.moving_count = len(shapes), len(pairs) // 2, len(moving)
        self.link, self.placement = memory.integers(link), memory.poses(placement)
        self.shape = memory.objects(shapes)
        self.pairs, self.moving = memory.integers(pairs), memory.integers(moving)
        self.closer = memory.vector(closer)
        self.idle: list[Any] = []  # that no thread uses

    def touch(self) -> 'Touch':
        """Return scratch that no other thread uses; it is left to the next by `idle`."""
        try:
            return self.idle.pop()
        except IndexError:
            return Touch(self)


class Touch:
    """The frames of a scene at the last q, and the pairs found near: for one thread at a time.

    - `world`, `margin`: of `is_free`; the margin in m. `closer`: of the pair that is measured;
      `deep`: whether overlaps are measured.
    - `count`: of pairs, at most `most`: `a`, `b` their shapes, those of a world after those of
      the robot, or the number of shapes of the robot and of the world for its first half-space;
      `distance` m; `normal`, `on_a`, `on_b` (count, 3): unit vector from a to b, and the witness
      points.
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
        self.gap, self.polytope = Gap(), Polytope()
        self.a, self.b = memory.integers(np.zeros(MOST)), memory.integers(np.zeros(MOST))
        self.distance = memory.vector(np.zeros(MOST))
        self.normal = memory.points(np.zeros((MOST, 3)))
        self.on_a, self.on_b = (memory.points(np.zeros((MOST, 3))), memory.points(
            np.zeros((MOST, 3))))
        self.stack = memory.integers(np.zeros(worlds.DEPTH))
        self.world: Any = None
        self.count, self.most, self.margin, self.closer, self.deep = 0, MOST, 0.0, 0.0, True

    def leave(self) -> None:
        """Leave this to other threads."""
        self.world = None
        self.scene.idle.append(self)

    def pose(self, world: World, k: int) -> 'vectors.Motion':
        """Return the pose of a shape, numbered as in `a` and `b`, at the last q."""
        if k < self.scene.count:
            return vectors.motion_of(self.place[k])
        return vectors.motion_of(world.place[k - self.scene.count])

    def is_free(self, q: Vector) -> bool:
        """Tell whether nothing is nearer than the margin at q (n,), rad or m."""
        return scan(self.scene, self.world, self, q, self.margin, 1, False) == 0

    def find(self, world: World, q: np.ndarray, far: float,
             most: int = MOST + 1, deep: bool = True) -> list[tuple]:
        """Return (a, b, distance, normal, on_a, on_b) of the pairs at most `far` apart, m.

        q (n,), rad or m. Of more than MOST the nearest. With most = 1 the search ends with the
        first pair. deep: whether overlaps are measured; else 0, and no points, stand for them.
        """
        if q.shape[0] != self.scene.tree.n:
            raise ValueError(f'q must have {self.scene.tree.n} values, not {q.shape[0]}')
        for k in range(self.scene.tree.n):
            self.q[k] = q[k]
        scene = self.scene
        with cython.nogil:
            scan(scene, world, self, self.q, far, most, deep)
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
        scene, d, G = self.scene, distances, rows
        for k in range(self.count):
            d[k] = self.distance[k]
            distance_row(scene, self, k, self.q)
            for i in range(scene.tree.n):
                G[k, i] = self.q[i]
        return distances, rows


def scan(scene: Scene, world: World, touch: Touch, q: Vector, far: float, most: int,
         deep: bool) -> int:
    """Write the pairs at q (n,) that are at most `far` apart, m; return how many they are.

    The search ends when `most` are found. deep: whether overlaps are measured.
    """
    place_shapes(scene, touch, q)
    touch.count, touch.deep = 0, deep
    for k in range(scene.pair_count):
        a, b = scene.pairs[2 * k], scene.pairs[2 * k + 1]
        touch.closer = scene.closer[k]
        reach = (cython.cast(Convex, scene.shape[a]).bound
                 + cython.cast(Convex, scene.shape[b]).bound + far - touch.closer)
        between = minus(vectors.row(touch.middle, b), vectors.row(touch.middle, a))
        if reach >= 0.0 and dot(between, between) <= reach * reach and measure(
                cython.cast(Convex, scene.shape[a]), cython.cast(Convex, scene.shape[b]),
                vectors.motion_of(touch.place[b]), touch, a, b, far) and touch.count >= most:
            return touch.count
    touch.closer = 0.0
    for k in range(scene.moving_count):
        if scan_world(cython.cast(Convex, scene.shape[scene.moving[k]]), world, touch,
                      scene.moving[k], scene.count, far, most):
            break
    return touch.count


def place_shapes(scene: Scene, touch: Touch, q: Vector) -> None:
    """Write the frames of the links, the poses of the shapes and their middles at q (n,)."""
    trees.tree_frames(scene.tree, q, touch.frames, touch.axes)
    for k in range(scene.count):
        place_shape(scene, touch, k)


def place_shape(scene: Scene, touch: Touch, k: int) -> None:
    """Write the pose and the middle of shape k, for the frames of the links."""
    T = composed(vectors.motion_of(touch.frames[scene.link[k]]),
                 vectors.motion_of(scene.placement[k]))
    put(T, touch.place[k])
    p = moved(T, cython.cast(Convex, scene.shape[k]).middle)
    touch.middle[k][0], touch.middle[k][1], touch.middle[k][2] = p


def put(T: 'vectors.Motion', pose: 'vectors.Pose') -> None:
    """Write a motion into the upper rows of a pose (4, 4)."""
    pose[0][0], pose[0][1], pose[0][2] = T[0]
    pose[1][0], pose[1][1], pose[1][2] = T[1]
    pose[2][0], pose[2][1], pose[2][2] = T[2]
    pose[0][3], pose[1][3], pose[2][3] = T[3]


def measure(a: Convex, b: Convex, B: 'vectors.Motion', touch: Touch, i: int, j: int,
            far: float) -> bool:
    """Note the pair of shape i of the robot and shape j at the pose B; return whether it is near.

    Where there is no more room, it replaces the farthest that is noted.
    """
    distance = touch.closer + pair.signed_distance(
        a, vectors.motion_of(touch.place[i]), b, B, far - touch.closer, touch.gap, touch.polytope,
        touch.deep or far < touch.closer)
    if not distance <= far:
        return False
    k = touch.count
    if k == MOST:
        k = 0
        for m in range(1, MOST):
            if touch.distance[m] > touch.distance[k]:
                k = m
        if distance >= touch.distance[k]:
            return True
        touch.count -= 1
    touch.count += 1
    touch.a[k], touch.b[k], touch.distance[k] = i, j, distance
    touch.normal[k][0], touch.normal[k][1], touch.normal[k][2] = touch.gap.normal
    touch.on_a[k][0], touch.on_a[k][1], touch.on_a[k][2] = touch.gap.on_a
    touch.on_b[k][0], touch.on_b[k][1], touch.on_b[k][2] = touch.gap.on_b
    return True


def scan_world(a: Convex, world: World, touch: Touch, i: int, offset: int, far: float,
               most: int) -> bool:
    """Note the shapes of a world near shape i of the robot; return whether there are `most`."""
    for k in range(world.count, world.count + world.planes):
        if measure(a, cython.cast(Convex, world.shape[k]), vectors.motion_of(world.place[k]),
                   touch, i, offset + k, far) and touch.count >= most:
            return True
    middle, reach = vectors.row(touch.middle, i), a.bound + far
    depth, touch.stack[0] = 1, 1
    while depth > 0:
        depth -= 1
        node = touch.stack[depth]
        if beyond_box(world.boxes[node], middle, reach):
            continue
        if node < world.leaves:
            touch.stack[depth], touch.stack[depth + 1] = 2 * node, 2 * node + 1
            depth += 2
            continue
        first = (node - world.leaves) * worlds.LEAF
        for k in range(first, min(first + worlds.LEAF, world.count)):
            if is_apart(cython.cast(Convex, world.shape[k]), world.place[k], middle, reach):
                continue
            if measure(a, cython.cast(Convex, world.shape[k]), vectors.motion_of(world.place[k]),
                       touch, i, offset + k, far) and touch.count >= most:
                return True
    return False


def beyond_box(box: Vector, p: Vector3, reach: float) -> bool:
    """Tell whether a box (6,), least and greatest coordinates, is farther than `reach` from p."""
    x = max(box[0] - p[0], max(p[0] - box[3], 0.0))
    y = max(box[1] - p[1], max(p[1] - box[4], 0.0))
    z = max(box[2] - p[2], max(p[2] - box[5], 0.0))
    return x * x + y * y + z * z > reach * reach


def is_apart(b: Convex, T: 'vectors.Pose', p: Vector3, reach: float) -> bool:
    """Tell whether the ball of a shape at a pose is farther than `reach` from p, m."""
    between = minus(moved(vectors.motion_of(T), b.middle), p)
    reach += b.bound
    return dot(between, between) > reach * reach


def distance_row(scene: Scene, touch: Touch, k: int, row: Vector) -> None:
    """Write the gradient (n,) of the distance of pair k, m per rad or m, at the last q."""
    n = scene.tree.n
    for i in range(n):
        row[i] = 0.0
    add_motion(scene, touch, touch.a[k], vectors.row(touch.on_a, k),
               vectors.row(touch.normal, k), -1.0, row)
    if touch.b[k] < scene.count:
        add_motion(scene, touch, touch.b[k], vectors.row(touch.on_b, k),
                   vectors.row(touch.normal, k), 1.0, row)


def add_motion(scene: Scene, touch: Touch, shape: int, point: Vector3, normal: Vector3,
               sign: float, row: Vector) -> None:
    """Add to a row (n,) how fast a point of a shape moves along a normal, times a sign."""
    link = scene.link[shape]
    T = vectors.motion_of(touch.frames[link])
    local = rotated_back(T, minus(point, T[3]))
    jacobians.point_jacobian(scene.tree, touch.frames, touch.axes, link, local[0], local[1],
                             local[2], touch.J)
    for i in range(scene.tree.n):
        row[i] += sign * (normal[0] * touch.J[i][0] + normal[1] * touch.J[i][1]
                          + normal[2] * touch.J[i][2])
