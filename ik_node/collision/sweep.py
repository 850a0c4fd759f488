"""Collision checks along a path of joint values, by conservative advancement.

The distance of a pair changes by no more than Σ |Δq| · lever, with a lever for each joint that is
valid at all joint values. So the distance at one place gives the next place at which it has to be
computed again [Mirtich 1996; Zhang, Redon, Lee, Kim 2007]. A joint rotates the two nearest points
of a pair relative to each other about its axis. Both lie on one normal of the surfaces, so the
distance of either to the axis bounds the rate: the lever is that of the smaller shape.
Along a surface these steps would be very small. But a plane that separates a pair at two places
separates it between them, too, by the margin κ/8 less for an acceleration of at most κ. The plane
is fixed to either shape or to a link between them, where the others move least.
Nothing is missed between two places, however thin it is. If a pair needs very many places, as two
huge shapes that pass each other, the path ends at one of them.
"""

import math
from typing import Any

import cython
import numpy as np

from ik_node.collision import convex
from ik_node.collision import scene as scenes
from ik_node.collision.convex import Convex
from ik_node.collision.scene import Scene, SceneData
from ik_node.kinematics import kinds
from ik_node.kinematics import tree as trees
from ik_node.kinematics.tree import Tree
from ik_node.spatial import vector3 as vectors
from ik_node.spatial.vector3 import Vector3
from ik_node.support import clock
from ik_node.support.arrays import Memory, Pose

if not cython.compiled:
    from ik_node.spatial.vector3 import *

FAR = 0.1        # m, beyond the margin: up to it distances from the world are measured
NEARER = 1e-4    # m, by which a pair may come nearer than the margin, and not be touched;
STOP = 5e-5      # m: at the places that are looked at half of it
ROUNDING = 1e-7  # m
MESHES = 0.01    # m, beyond the margin: meshes whose hulls are nearer are measured
HALVINGS = 3     # of a part on which planes are tried
LOOK = 64        # places between two looks at the clock
MOST_PLACES = 100_000  # of a pair
INF = math.inf


class Sweep:
    """A path of joint values (m, n), straight from one to the next, for one scene and one thread.

    - `bend`: (n,) rad or m, by which joints may deviate from it; `around`: m, how far the shapes of
      the world reach.
    - `lever`: (n,) m, of the joints, 1 for prismatic ones; `turn`: (n,) by how much each turns
      things; `slack`: m, by which a pair may be nearer on what bends.
    - `frame`: the link to which planes are fixed, −1 for the world; `swing`: (n,) m, levers of what
      moves against it: of the shapes `of_a`, `of_b`, or of each on its own link.
    - `low`, `plane` (MOST, 3): of each pair noted how near it may come, m, and the normal of the
      plane between its shapes, in the frame of `frame`.
    - `travel`: (links,) of prismatic joints, m.
    - `begun_b`, `begun`: with what a shape, or a pair, is nearer than it may be at the beginning,
      and how far apart they have come since; `begun_count` of them.
    - `strict`: whether only what is nearer there counts, not what bends of the path may bring so.
    - `most_places`: that are looked at for a pair.
    """

    data: SceneData

    def __init__(self, scene: Scene, path: np.ndarray, bend: np.ndarray | None = None) -> None:
        """Copy a path (m, n), rad or m; bend: (n,), by default 0."""
        self.memory, self.scene = Memory(), scene
        self.tree: Tree = scene.tree
        memory, self.m, self.n = self.memory, len(path), scene.tree.n
        self.path, zeros = memory.rows(path), np.zeros(self.n)
        self.q, self.lever = memory.vector(zeros), memory.vector(zeros)
        self.turn, self.swing = memory.vector(zeros), memory.vector(zeros)
        self.of_a, self.of_b = memory.vector(zeros), memory.vector(zeros)
        self.bend = memory.vector(zeros if bend is None else bend)
        self.frame, self.around, self.slack, self.is_late = -1, scene.world.reach, 0.0, False
        self.travel = memory.vector(np.zeros(self.tree.links))
        self.begun, self.low = (memory.vector(np.zeros(scenes.MOST)),
                                memory.vector(np.zeros(scenes.MOST)))
        self.plane = memory.points(np.zeros((scenes.MOST, 3)))
        self.near = memory.integers(np.zeros(1))
        self.begun_b, self.begun_count = memory.integers(np.zeros(scenes.MOST)), 0
        self.most_places, self.strict = MOST_PLACES, False
        write_travel(self)

    def run(self) -> float:
        """Return how far the path is free: i + s, a part s after its configuration i; inf: wholly.

        0 where it is cancelled.
        """
        self.data = self.scene.take()
        try:
            with cython.nogil:
                return advance(self)
        finally:
            self.data.leave()

    def levers(self) -> np.ndarray:
        """Return by how much a change of each joint (n,) changes any distance at the most, m."""
        scene = self.scene
        pairs = [*((scene.pairs[2 * k], scene.pairs[2 * k + 1]) for k in range(scene.pair_count)),
                 *((scene.moving[k], scene.count) for k in range(scene.moving_count))]
        return self.levers_of(np.array(pairs).reshape(-1, 2)).max(axis=0, initial=0.0)

    def levers_of(self, pairs: np.ndarray) -> np.ndarray:
        """Return by how much changes of joints change the distances of pairs at most (k, n)."""
        rows = []
        for a, b in pairs.tolist():
            write_levers(self, a, b if b < self.scene.count else -1)
            rows.append([self.lever[k] for k in range(self.n)])
        return np.array(rows).reshape(-1, self.n)


def free_by_meshes(scene: Any, path: np.ndarray, part: float, bend: np.ndarray,
                   looks: int) -> float:
    """Return how far a path is free where hulls begin to touch a part after its beginning.

    As long as they do, meshes are compared, the next time where they could touch. See
    `CollisionModel.free_part`; scene: a `RobotScene`.
    """
    last, least = len(path) - 1, max(scene.margin - NEARER, 0.0)
    begun: dict[tuple[int, int], float] = {}
    sweep, ends_at_hulls = Sweep(scene, path), True
    levers = sweep.levers()
    far = least + float(levers @ bend)
    for _ in range(looks):
        i = min(int(part), last - 1)
        q, dq = path[i] + (part - i) * (path[i + 1] - path[i]), np.abs(path[i + 1] - path[i])
        if not ends_at_hulls and scene.is_free(q):
            ahead = Sweep(scene, np.concatenate([q[None], path[i + 1:]]), bend).run()
            if ahead == INF:
                return INF
            part = part + ahead * (i + 1 - part) if ahead < 1.0 else i + ahead
            ends_at_hulls = True
            continue
        near = scene.near_pairs(q, far + FAR, lambda a, b, d: d < far + MESHES)
        moves = sweep.levers_of(near.pairs)
        slack = moves @ bend
        room = near.distances - least - slack
        for k in np.flatnonzero(room < STOP):  # no nearer than it was
            pair = tuple(near.pairs[k].tolist())
            if part == 0.0 or pair in begun:
                begun[pair] = max(begun.get(pair, -INF), float(near.distances[k]))
                room[k] = near.distances[k] - begun[pair] + slack[k] + STOP + ROUNDING
        if (room < STOP).any():
            break
        if part >= last:
            return INF
        moved, room = moves @ dq, room - 0.5 * STOP
        share = min((room / np.maximum(moved, room)).min(initial=1.0),
                    FAR / max(float(levers @ dq), FAR))
        part, ends_at_hulls = min(part + share, i + 1.0), False
    return part


def write_travel(own: Sweep) -> None:
    """Write how far each prismatic joint is from zero, at the most."""
    for k in range(own.tree.links):
        if own.tree.kind[k] == kinds.PRISMATIC:
            for i in range(own.m):
                own.travel[k] = max(own.travel[k],
                                    math.fabs(trees.joint_value(own.tree, own.path[i], k)))


def advance(own: Sweep) -> float:
    """Return how far the path is free of all pairs; see `Sweep.run`."""
    free, own.data.deep = INF, True
    for k in range(own.scene.pair_count):
        own.data.closer = own.scene.closer[k]
        free = min(free, free_of(own, own.scene.pairs[2 * k], own.scene.pairs[2 * k + 1], free))
    own.data.closer = 0.0
    for k in range(own.scene.moving_count):
        free = min(free, free_of(own, own.scene.moving[k], -1, free))
    return 0.0 if own.is_late else free


def free_of(own: Sweep, a: int, b: int, until: float) -> float:
    """Return how far the path is free of contact between shape a and b, or the world for b = −1.

    Infinite where it is as far as `until`.
    """
    place, end, places = 0.0, min(until, own.m - 1.0), 0
    own.begun_count = 0
    write_levers(own, a, b)
    while not own.is_late:
        room = room_at(own, a, b, place)
        if room < 0.0:
            return place
        if place >= end:
            return INF
        places += 1
        if places == own.most_places:
            return place
        own.is_late = places % LOOK == 0 and clock.is_over(INF)
        place = max(farthest(own, place, max(room, 0.5 * STOP)),
                    separated_until(own, a, b, place, room))
    return place


def room_at(own: Sweep, a: int, b: int, place: float) -> float:
    """Return by how much a and b may come nearer, m; negative where they are too near."""
    put_at(own, a, b, place)
    far, own.data.count = own.scene.margin + own.slack + FAR, 0
    if b < 0:
        scenes.scan_world(cython.cast(Convex, own.scene.shape[a]), own.scene.world, own.data, a,
                          far, scenes.MOST + 1)
    else:
        between = minus(vectors.row(own.data.middle, b), vectors.row(own.data.middle, a))
        apart = (math.sqrt(dot(between, between)) - cython.cast(Convex, own.scene.shape[a]).bound
                 - cython.cast(Convex, own.scene.shape[b]).bound)
        if apart > far:
            return apart - own.scene.margin - own.slack
        scenes.measure(cython.cast(Convex, own.scene.shape[a]),
                       cython.cast(Convex, own.scene.shape[b]),
                       vectors.transform_of(own.data.place[b]), own.data, a, b, far)
    slack = 0.0 if own.strict and place == 0.0 else own.slack  # joints are there exactly
    least, room = max(own.scene.margin - NEARER, 0.0) + slack, FAR
    for k in range(own.data.count):
        distance, low = own.data.distance[k], least
        if distance < least + STOP:
            low = lowest(own, own.data.b[k], distance, place == 0.0)
            if distance < low + STOP:
                return -1.0
        own.low[k] = low
        room = min(room, distance - low)
    return max(room - (own.slack - slack), 0.0)


def put_at(own: Sweep, a: int, b: int, place: float) -> None:
    """Write the poses of shapes a and b at a place of the path."""
    i: int = int(place)
    if i > 0 and i > own.m - 2:
        i = own.m - 2
    part = place - i
    for k in range(own.n):
        here = own.path[i][k]
        own.q[k] = here if part == 0.0 else here + part * (own.path[i + 1][k] - here)
    trees.tree_frames(own.tree, own.q, own.data.frames, own.data.axes)
    scenes.place_shape(own.data, a)
    if b >= 0:
        scenes.place_shape(own.data, b)


def lowest(own: Sweep, b: int, distance: float, begins: bool) -> float:
    """Return how near shape b may be that is nearer than the margin: no nearer than it was."""
    if begins:
        own.begun_b[own.begun_count], own.begun[own.begun_count] = b, distance
        own.begun_count += 1
    for k in range(own.begun_count):
        if own.begun_b[k] == b:
            own.begun[k] = max(own.begun[k], distance)
            return own.begun[k] - STOP - ROUNDING - own.slack
    return INF


def farthest(own: Sweep, place: float, room: float) -> float:
    """Return the place up to which the levers cannot use up a room, m."""
    i: int = int(place)
    part = place - i
    while i < own.m - 1:
        rate = 0.0
        for k in range(own.n):
            rate += own.lever[k] * math.fabs(own.path[i + 1][k] - own.path[i][k])
        if rate * (1.0 - part) > room:
            return i + part + room / rate
        room -= rate * (1.0 - part)
        i, part = i + 1, 0.0
    return own.m - 1.0


def separated_until(own: Sweep, a: int, b: int, place: float, room: float) -> float:
    """Return a place of the same part up to which planes separate a and b, or `place` itself."""
    i: int = int(place)
    rate, swing, spin = 0.0, 0.0, 0.0
    for k in range(own.n):
        moved_by = math.fabs(own.path[i + 1][k] - own.path[i][k])
        rate += own.lever[k] * moved_by
        swing += own.swing[k] * moved_by
        spin += own.turn[k] * moved_by
    if own.data.count == 0 or own.data.count == scenes.MOST or room <= 0.0 or rate == 0.0:
        return place
    part = min(i + 1.0 - place, FAR / rate)
    if swing * spin * part * part > 8.0 * room:
        part = math.sqrt(8.0 * room / (swing * spin))
    write_planes(own)
    for _ in range(HALVINGS):
        if are_separated(own, a, b, place + part, rate * part,
                         0.125 * swing * spin * part * part):
            return place + part
        part *= 0.5
    return place


def write_planes(own: Sweep) -> None:
    """Write the normals of the pairs that are noted, in the frame of `frame`."""
    for k in range(own.data.count):
        n = vectors.row(own.data.normal, k)
        if own.frame >= 0:
            n = rotated_back(vectors.transform_of(own.data.frames[own.frame]), n)
        own.plane[k][0], own.plane[k][1], own.plane[k][2] = n


def are_separated(own: Sweep, a: int, b: int, place: float, motion: float,
                  least: float) -> bool:
    """Tell whether the planes still separate all pairs that a motion, m, could bring too near.

    By `least`, m, more than they must be apart.
    """
    put_at(own, a, b, place)
    for k in range(own.data.count):
        if own.data.distance[k] - own.low[k] - least >= motion:
            continue
        n = vectors.row(own.plane, k)
        if own.frame >= 0:
            n = rotated(vectors.transform_of(own.data.frames[own.frame]), n)
        if b >= 0:
            apart = separation(own, a, cython.cast(Convex, own.scene.shape[b]),
                               own.data.place[b], n)
        else:
            c = own.data.b[k] - own.scene.count
            apart = separation(own, a, cython.cast(Convex, own.scene.world.shape[c]),
                               own.scene.world.place[c], n)
        if apart - own.low[k] < least:
            return False
    return True


def separation(own: Sweep, a: int, b: Convex, T: Pose, n: Vector3) -> float:
    """Return by how much planes across n, a unit vector from a to b at T (4, 4), part them, m."""
    A, B = vectors.transform_of(own.data.place[a]), vectors.transform_of(T)
    if b.is_plane:
        n = times(-1.0, rotated(B, (0.0, 0.0, 1.0)))
    own.near[0] = 0
    on_a = transform_point(A, convex.support(cython.cast(Convex, own.scene.shape[a]),
                                             rotated_back(A, n), own.near))
    on_b = B[3]
    if not b.is_plane:
        own.near[0] = 0
        on_b = transform_point(B, convex.support(b, times(-1.0, rotated_back(B, n)), own.near))
    return dot(n, minus(on_b, on_a)) - cython.cast(Convex, own.scene.shape[a]).radius - b.radius


def write_levers(own: Sweep, a: int, b: int) -> None:
    """Write the lever of each joint for the distance of shapes a and b; b = −1: of the world.

    Joints that move both do not change their distance. A point at a distance ρ from the origin of a
    joint moves by ρ |Δq| at the most. A spherical joint turns by no more than its rotation vector
    changes.
    """
    for k in range(own.n):
        own.lever[k], own.turn[k], own.swing[k] = 0.0, 0.0, 0.0
        own.of_a[k], own.of_b[k] = 0.0, 0.0
    first, second = own.scene.link[a], -1
    size_a, size_b, apart = extent(own, a), own.around, 0.0
    if b >= 0:
        second, size_b = own.scene.link[b], extent(own, b)
    i, j = first, second
    while i != j:  # parents come first
        if i > j:
            apart += offset(own, i)
            i = own.tree.parent[i]
        else:
            apart += offset(own, j)
            j = own.tree.parent[j]
    common, i, j, along_a, along_b = i, first, second, 0.0, 0.0
    while i != j:
        if i > j:
            add_lever(own, i, size_a + along_a, size_b + apart - along_a, True)
            along_a += offset(own, i)
            i = own.tree.parent[i]
        else:
            add_lever(own, j, size_a + apart - along_b, size_b + along_b, False)
            along_b += offset(own, j)
            j = own.tree.parent[j]
    swing, of_a, of_b, own.slack = 0.0, 0.0, 0.0, 0.0
    for k in range(own.n):
        swing, of_a, of_b = swing + own.swing[k], of_a + own.of_a[k], of_b + own.of_b[k]
        own.slack += own.lever[k] * own.bend[k]
    own.frame = common
    if of_b < min(swing, of_a):  # which moves against a
        own.frame = first
    elif of_a < swing:
        own.frame = second
    if own.frame != common:
        for k in range(own.n):
            own.swing[k] = own.of_b[k] if own.frame == first else own.of_a[k]


def add_lever(own: Sweep, k: int, of_a: float, of_b: float, moves_a: bool) -> None:
    """Add the lever of the joint into link k, which moves shape a or b.

    of_a, of_b: how far either is from its origin at most, m.
    """
    column, kind = own.tree.column[k], own.tree.kind[k]
    if column < 0:
        return
    ratio = math.fabs(own.tree.ratio[k])
    if kind == kinds.PRISMATIC:
        of_a = of_b = 1.0
    else:  # the axis of a spherical joint turns, too
        own.turn[column] += ratio * (1.0 if kind == kinds.REVOLUTE else 2.0)
    own.of_a[column] += ratio * of_a
    own.of_b[column] += ratio * of_b
    own.swing[column] += ratio * (of_a if moves_a else of_b)
    own.lever[column] += ratio * min(of_a, of_b)


def extent(own: Sweep, shape: int) -> float:
    """Return how far a shape reaches from the origin of its link, m."""
    p = transform_point(vectors.transform_of(own.scene.placement[shape]),
                        cython.cast(Convex, own.scene.shape[shape]).middle)
    return math.sqrt(dot(p, p)) + cython.cast(Convex, own.scene.shape[shape]).bound


def offset(own: Sweep, k: int) -> float:
    """Return how far the origin of link k is from its parent's, at the most, m."""
    T = own.tree.placement[k]
    return math.sqrt(T[0][3] * T[0][3] + T[1][3] * T[1][3] + T[2][3] * T[2][3]) + own.travel[k]
