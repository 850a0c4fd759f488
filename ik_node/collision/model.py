"""Where a robot touches itself or obstacles, at joint values."""

import math
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ik_node.collision import original
from ik_node.collision.contact import Contact, NearPairs
from ik_node.collision.free_space import FreeSpace
from ik_node.collision.obstacles import Obstacle, check_obstacles
from ik_node.collision.placed_obstacles import attached, world_of
from ik_node.collision.robot import LinkPiece, shapes_of
from ik_node.collision.scene import Scene
from ik_node.collision.shapes import Piece
from ik_node.collision.sweep import Sweep
from ik_node.collision.world import World
from ik_node.model.body import Body
from ik_node.model.chain import Chain
from ik_node.model.joint_space import check_joint_space
from ik_node.support.arguments import floats, number, sequence, whole
from ik_node.support.exceptions import InputError, shown

_FAR, _NEARER, _STOP, _ROUNDING = 0.1, 1e-4, 5e-5, 1e-7  # m, as in sweep
_NEAR = 0.01      # m, beyond the margin: meshes whose hulls are nearer are measured
_MOST_LOOKS = 50  # along one path


_Choice = Callable[[tuple[int, int], float], bool]


def _none(pair: tuple[int, int], distance: float) -> bool:
    return False


class CollisionModel:
    """The shapes of a robot, and obstacles, which may change at any time.

    A mesh counts as its convex hull; where that touches something, and coal is installed, as it is.

    - `space`: the arm or the body whose q its methods take; `margin`: m, kept from contact; but
      0.1 mm by pairs of the robot's links that are nearer in each of 1,000 configurations, whose
      distances count as that much greater where they are compared with it.
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
        self.space, self.margin = space, _margin(margin)
        if others is not None and isinstance(space, Body):
            raise InputError('the other joints of a body are those it holds: tree.body(held=…), '
                             f'not others={shown(others)}')
        disabled = tuple(sequence(disabled, 'disabled', InputError))
        self._arguments = space, disabled
        self.robot = shapes_of(space, disabled)
        if others is not None:
            self.robot = self.robot.with_others(others)
        self._lock = threading.Lock()
        self._obstacles: tuple[Obstacle, ...] = ()
        self._attached: list[LinkPiece] = []
        scene, world = self._surround(*world_of(self.robot, []))
        self.free: Any = FreeSpace(scene, world, self.margin)  # the same for kernels
        self.obstacles = obstacles

    @property
    def obstacles(self) -> tuple[Obstacle, ...]:
        """The obstacles: in the base frame of an arm, in the world of a body, or on links."""
        return self._obstacles

    @obstacles.setter
    def obstacles(self, obstacles: Iterable[Obstacle]) -> None:
        checked, robot = check_obstacles(obstacles), self.robot
        with robot.shapes.reading():
            pieces = [piece for one in checked if one.link is not None
                        for piece in attached(robot, one)]
            world, others = world_of(robot, [one for one in checked if one.link is None])
        with self._lock:
            self._obstacles, self._attached = checked, pieces
            self.free.replace(*self._surround(world, others))

    @property
    def others(self) -> Mapping[str, float]:
        """The values of the joints that are not in q, rad or m; they may change at any time.

        Those that are not named keep theirs. Obstacles stay where they are to the base of an arm.
        """
        return self.robot.others

    @others.setter
    def others(self, others: Mapping[str, float]) -> None:
        with self._lock:
            self.robot = self.robot.with_others(others)
            _, world, _, around, T_before = self._state
            if (self.robot.T_world_base != T_before).any():
                world, around = world_of(self.robot, [
                    one for one in self._obstacles if one.link is None])
            self.free.replace(*self._surround(world, around))

    def _surround(self, world: World, around: list[tuple[Any, Piece]]) -> tuple[Scene, World]:
        """Check the links and what is attached to them with a world, of named pieces."""
        robot, pieces = self.robot, [*self.robot.pieces, *self._attached]
        self._closer = robot.closer(self.margin)
        scene = robot.scene(pieces, robot.pairs + robot.possible_pairs(
            pieces, len(robot.pieces)), self._closer)
        # One assignment, so that another thread sees all of it or nothing.
        own = [(one.name, one.piece) for one in pieces]
        self._state = scene, world, own, around, robot.T_world_base
        self._has_hulls = not all(one.is_exact for one in {
            id(piece): piece for _, piece in (*own, *around)}.values())
        return scene, world

    def with_margin(self, margin: float) -> 'CollisionModel':
        """Return the same model with another margin, m; what one changes is not changed in both.

        Nothing is prepared again. Raises InputError for a margin below 0.
        """
        twin = object.__new__(CollisionModel)
        vars(twin).update(vars(self))
        twin._lock, twin.margin = threading.Lock(), _margin(margin)
        twin.free = FreeSpace(*twin._surround(self._state[1], self._state[3]), twin.margin)
        return twin

    def __reduce__(self) -> tuple[Any, ...]:
        """Return how pickle and copy restore it: from the arguments of its constructor."""
        space, disabled = self._arguments
        others = None if isinstance(space, Body) else dict(self.others)
        return CollisionModel, (space, self._obstacles, self.margin, others, disabled)

    def near_pairs(self, q: np.ndarray, distance: float, by_meshes: _Choice = _none) -> NearPairs:
        """Return the pairs at q (n,), rad or m, not farther apart than a distance, m.

        by_meshes(pair, d): tells, where coal is installed, whether the meshes of a pair whose hulls
        are d apart, m, are measured instead. Raises InputError for a wrong q or distance.
        """
        at, distance = self.space.checked(q), number(distance, 'distance')
        scene, world, own, around, _ = self._state
        touch, measures = scene.touch(), self.confirms
        found, far = touch.find(world, at, distance), []
        meshes = np.zeros(len(found), dtype=bool)
        for k, (a, b, apart, *_) in enumerate(found if measures else ()):
            ends = [(own[i] if i < len(own) else around[i - len(own)])[1] for i in (a, b)]
            meshes[k] = not all(end.is_exact for end in ends)
            if not (meshes[k] and by_meshes((a, b), apart)):
                continue
            closer = self._closer.get((a, b), 0.0)
            measured = original.distance(ends[0].original, _placement(touch.pose(world, a)),
                                         ends[1].original, _placement(touch.pose(world, b)),
                                         distance - closer)
            if measured is None:
                far.append(k)
            elif measured[0] > 0.0:
                apart, on_a, on_b = measured
                touch.replace(k, apart + closer, (on_b - on_a) / apart, on_a, on_b)
        pairs = np.array([one[:2] for one in found], dtype=int).reshape(-1, 2)
        rows = touch.rows()
        touch.leave()
        near = NearPairs(pairs, *rows, meshes)
        return NearPairs(*(np.delete(part, far, axis=0) for part in near)) if far else near

    def is_free(self, q: np.ndarray) -> bool:
        """Tell whether nothing is nearer than the margin at q (n,), rad or m.

        Raises InputError for a wrong q.
        """
        at = self.space.checked(q)
        return self._is_free_by_hulls(at) or (
            self.confirms and next(self._contacts(at, self.margin), None) is None)

    @property
    def confirms(self) -> bool:
        """Whether hulls that touch something may be free: a mesh is not convex, and coal is there.

        Kernels find configurations free by hulls alone.
        """
        return self._has_hulls and original.coal() is not None

    def free_part(self, path: np.ndarray, slack: float = 0.0,
                  looks: int = _MOST_LOOKS) -> float:
        """Return how far a path (m, n) keeps the margin: i + s, a part s after configuration i.

        Infinite where it does to its end. The path is straight from one configuration, rad or m, to
        the next. Nothing comes nearer than the margin less 0.1 mm, nor touches, between two of
        them either; a pair that is nearer where the path begins does not get nearer. slack: m, by
        which a pair may be nearer on what the path stands for. looks: how often meshes are compared
        at most, where their hulls touch; the path ends there after as many. Raises InputError for a
        wrong path, slack or number of looks.
        """
        at, slack, looks = floats(path, 'path'), number(slack, 'slack'), whole(looks, 'looks')
        if at.ndim != 2 or at.shape[1] != self.space.n_joints or not len(at):
            raise InputError(f'path must have the shape (m, {self.space.n_joints}), not {at.shape}')
        is_near, part = not self._is_free_by_hulls(at[0]), self._free_by_hulls(at, slack)
        if not self.confirms or (part == math.inf and not is_near) or (
                is_near and next(self._contacts(at[0], self.margin), None) is not None):
            return part
        return self._free_by_meshes(at, 0.0 if is_near else part, slack, looks)

    def tip_touches(self, q: np.ndarray, slack: float) -> bool:
        """Tell whether what moves with the tip of an arm touches what stands still at q (n,).

        Then it does so at every q with that pose of the tip, and none is free. slack: m, by which
        it must be nearer than the margin. Raises InputError for a wrong q or slack, and for a body.
        """
        far = self.margin - number(slack, 'slack')
        if not isinstance(self.space, Chain):
            raise InputError('a body has no tip')
        own = [self.robot.cluster_of(one.link) for one in (*self.robot.pieces, *self._attached)]
        tip = self.robot.cluster_of(self.space.tip_link)

        def matters(a: int, b: int) -> bool:
            ends = own[a], own[b] if b < len(own) else 0
            return ends in ((tip, 0), (0, tip))
        contacts = self._contacts(self.space.checked(q), far, among=matters)
        return next(contacts, None) is not None

    def _is_free_by_hulls(self, q: np.ndarray) -> bool:
        touch = self.free.take()
        near = touch.find(touch.world, q, self.margin, 1)
        touch.leave()
        return not near

    def _free_by_hulls(self, path: np.ndarray, slack: float) -> float:
        touch = self.free.take()
        part: float = Sweep(touch.scene, path).run(touch, slack)
        touch.leave()
        return part

    def _free_by_meshes(self, path: np.ndarray, part: float, slack: float, looks: int) -> float:
        """Return how far a path is free where hulls begin to touch a part after its beginning.

        As long as they do, meshes are compared, the next time where they could touch.
        """
        last, least = len(path) - 1, max(self.margin - _NEARER, 0.0)
        begun: dict[tuple[int, int], float] = {}
        sweep, ends_at_hulls = Sweep(self._state[0], path), True
        for _ in range(looks):
            i = min(int(part), last - 1)
            q, dq = path[i] + (part - i) * (path[i + 1] - path[i]), np.abs(path[i + 1] - path[i])
            if not ends_at_hulls and self._is_free_by_hulls(q):
                ahead = self._free_by_hulls(np.concatenate([q[None], path[i + 1:]]), slack)
                if ahead == math.inf:
                    return math.inf
                part = part + ahead * (i + 1 - part) if ahead < 1.0 else i + ahead
                ends_at_hulls = True
                continue
            near = self.near_pairs(q, least + slack + _FAR, lambda _, d: d < least + slack + _NEAR)
            room = near.distances - least - slack
            for k in np.flatnonzero(near.distances < least + _STOP):  # no nearer than it was
                pair = tuple(near.pairs[k].tolist())
                if part == 0.0 or pair in begun:
                    begun[pair] = max(begun.get(pair, -math.inf), float(near.distances[k]))
                    room[k] = near.distances[k] - begun[pair] + slack + _STOP + _ROUNDING
            if (room < _STOP).any():
                break
            if part >= last:
                return math.inf
            moved, room = sweep.levers_of(near.pairs) @ dq, room - 0.5 * _STOP
            share = min((room / np.maximum(moved, room)).min(initial=1.0),
                        _FAR / max(float(self.levers() @ dq), _FAR))
            part, ends_at_hulls = min(part + share, i + 1.0), False
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
        far, more = self.margin, 0.0
        if distance is not None:
            far, more = number(distance, 'distance'), max(self._closer.values(), default=0.0)
        return sorted(self._contacts(self.space.checked(q), far, more),
                      key=lambda one: one.distance)

    def _contacts(self, q: np.ndarray, far: float, more: float = 0.0,
                  among: Callable[[int, int], bool] = lambda a, b: True) -> Iterator[Contact]:
        """Yield the contacts at q (n,), those that need no measurement of meshes first.

        more: m, by which pairs may come closer at the most, where that does not matter; else 0.
        among: tells which pairs of shapes count, the robot's before those around.
        """
        scene, world, own, around, T_world_base = self._state
        touch = scene.touch()
        found = [near for near in touch.find(world, q, far + more) if among(*near[:2])]
        things = {k: own[k] if k < len(own) else around[k - len(own)]
                  for a, b, *_ in found for k in (a, b)}
        measures = len(found) < touch.most and original.coal() is not None
        pairs = sorted(((not (things[a][1].is_exact and things[b][1].is_exact), a, b, *near)
                        for a, b, *near in found), key=lambda pair: (pair[0], pair[3]))
        poses = {k: touch.pose(world, k) for by_hull, a, b, *_ in pairs
                 if by_hull and measures for k in (a, b)}
        touch.leave()
        R, t = T_world_base[:3, :3].T, T_world_base[:3, 3]
        for by_hull, a, b, apart, normal, on_a, on_b in pairs:
            closer = self._closer.get((a, b), 0.0)
            apart, least = apart - closer, far if more else far - closer
            if apart > least:
                continue
            if by_hull and measures:
                measured = original.distance(things[a][1].original, _placement(poses[a]),
                                             things[b][1].original, _placement(poses[b]), least)
                if measured is None:
                    continue
                apart_by, p_a, p_b = measured
                if apart_by > 0.0:
                    apart, normal, on_a, on_b = apart_by, (p_b - p_a) / apart_by, p_a, p_b
            yield Contact(things[a][0], things[b][0], apart, R @ (on_a - t), R @ (on_b - t),
                          R @ normal, measures or not by_hull)


def _placement(motion: tuple[tuple[float, ...], ...]) -> original.Placement:
    return np.array(motion[:3]), np.array(motion[3])


def _margin(margin: float) -> float:
    checked = number(margin, 'margin')
    if checked < 0.0:
        raise InputError(f'margin must be at least 0 m, not {checked:g}')
    return checked
