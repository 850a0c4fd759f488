"""Where a robot touches itself or obstacles, at joint values."""

import math
import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ik_node.collision import original
from ik_node.collision.contact import Checked, Choice, Contact, NearPairs
from ik_node.collision.free_space import FreeSpace
from ik_node.collision.nearness import FAR, NEARER, ROUNDING, STOP
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
from ik_node.spatial import inverse
from ik_node.spatial.rotations import as_pose
from ik_node.support.arguments import floats, number, sequence, vector, whole
from ik_node.support.exceptions import InputError, shown

_NEAR = 0.01      # m, beyond the margin: meshes whose hulls are nearer are measured
_MOST_LOOKS = 50  # along one path
_ROOT = np.eye(4)


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
        self._T_world_frame = np.eye(4)  # the frame of the poses of these
        self._attached: list[LinkPiece] = []
        scene, world = self._surround(*world_of(self.robot, [], self._T_world_frame))
        self.free: Any = FreeSpace(scene, world, self.margin)  # the same for kernels
        self.obstacles = obstacles

    @property
    def obstacles(self) -> tuple[Obstacle, ...]:
        """The obstacles: in the base frame of an arm, in the world of a body, or on links."""
        with self._lock:
            T_world_base, T_world_frame = self.robot.T_world_base, self._T_world_frame
            obstacles = self._obstacles
        if (T_world_base == T_world_frame).all():
            return obstacles
        T_base_frame = inverse(T_world_base) @ T_world_frame
        return tuple(one if one.link is not None else Obstacle(
            one.shape, T_base_frame @ one.pose, None, one.name) for one in obstacles)

    @obstacles.setter
    def obstacles(self, obstacles: Iterable[Obstacle]) -> None:
        self.surround(obstacles, self.robot.T_world_base)

    def surround(self, obstacles: Iterable[Obstacle],
                 T_world_frame: np.ndarray = _ROOT) -> None:
        """Set the obstacles, with poses in a frame.

        T_world_frame: (4, 4), m, of it in the root link, or of a body in its world; by default
        that itself. Raises IkError for invalid obstacles, and a matrix that is no pose.
        """
        checked, robot = check_obstacles(obstacles), self.robot
        T_world_frame = as_pose(T_world_frame, 'T_world_frame')
        with robot.shapes.reading():
            pieces = [piece for one in checked if one.link is not None
                        for piece in attached(robot, one)]
            world, others = world_of(robot, [one for one in checked if one.link is None],
                                     T_world_frame)
        with self._lock:
            self._obstacles, self._attached, self._T_world_frame = checked, pieces, T_world_frame
            self.free.replace(*self._surround(world, others))

    @property
    def others(self) -> Mapping[str, float]:
        """The values of the joints that are not in q, rad or m; they may change at any time.

        Those that are not named keep theirs. Obstacles stay where they are to the base of an arm.
        """
        return self.robot.others

    @others.setter
    def others(self, others: Mapping[str, float]) -> None:
        obstacles, T_world_base = self.obstacles, self.robot.T_world_base
        self.place_others(others)
        if (self.robot.T_world_base != T_world_base).any():
            self.obstacles = obstacles

    def place_others(self, others: Mapping[str, float]) -> None:
        """Set `others`; obstacles stay where they are to the root link, which takes no time."""
        with self._lock:
            self.robot = self.robot.with_others(others)
            self.free.replace(*self._surround(self._state.world, self._state.around))

    def _surround(self, world: World, around: list[tuple[Any, Piece]]) -> tuple[Scene, World]:
        """Check the links and what is attached to them with a world, of named pieces."""
        robot, pieces = self.robot, [*self.robot.pieces, *self._attached]
        closer = robot.closer(self.margin)
        scene = robot.scene(pieces, robot.pairs + robot.possible_pairs(
            pieces, len(robot.pieces)), closer)
        own = [(one.name, one.piece) for one in pieces]
        # One assignment, so that another thread sees all of it or nothing.
        self._state = Checked(scene, world, own, around, robot.T_world_base, closer)
        self._has_hulls = not all(one.is_exact for one in {
            id(piece): piece for _, piece in (*own, *around)}.values())
        self.confirms  # noqa: B018 which imports coal: not in the first solve
        return scene, world

    def with_margin(self, margin: float) -> 'CollisionModel':
        """Return the same model with another margin, m; what one changes is not changed in both.

        Nothing is prepared again. Raises InputError for a margin below 0.
        """
        twin = object.__new__(CollisionModel)
        vars(twin).update(vars(self))
        twin._lock, twin.margin = threading.Lock(), _margin(margin)
        twin.free = FreeSpace(*twin._surround(self._state.world, self._state.around), twin.margin)
        return twin

    def __reduce__(self) -> tuple[Any, ...]:
        """Return how pickle and copy restore it: from the arguments of its constructor."""
        space, disabled = self._arguments
        others = None if isinstance(space, Body) else dict(self.others)
        return CollisionModel, (space, self.obstacles, self.margin, others, disabled)

    def near_pairs(self, q: np.ndarray, distance: float,
                   by_meshes: Choice = lambda a, b, apart: False) -> NearPairs:
        """Return the pairs at q (n,), rad or m, not farther apart than a distance, m.

        by_meshes(a, b, d): tells, where coal is installed, whether the meshes of a pair whose hulls
        are d apart, m, are measured instead. Raises InputError for wrong arguments.
        """
        if not callable(by_meshes):
            raise InputError(f'by_meshes must be a function, not {shown(by_meshes)}')
        return self._state.near_pairs(self.space.checked(q), number(distance, 'distance'),
                                      by_meshes)

    def is_free(self, q: np.ndarray) -> bool:
        """Tell whether nothing is nearer than the margin at q (n,), rad or m.

        Raises InputError for a wrong q.
        """
        at = self.space.checked(q)
        return self._is_free_by_hulls(at) or (
            self.confirms and not self._state.touches(at, self.margin))

    @property
    def confirms(self) -> bool:
        """Whether hulls that touch something may be free: a mesh is not convex, and coal is there.

        Kernels find configurations free by hulls alone.
        """
        return self._has_hulls and original.coal() is not None

    def free_part(self, path: np.ndarray, bend: np.ndarray | None = None,
                  looks: int = _MOST_LOOKS) -> float:
        """Return how far a path (m, n) keeps the margin: i + s, a part s after configuration i.

        Infinite where it does to its end. The path is straight from one configuration, rad or m, to
        the next. Nothing comes nearer than the margin less 0.1 mm, nor touches, between two of
        them either; a pair that is nearer where the path begins does not get nearer. bend: (n,) by
        how much each joint may deviate from the path, by default 0. looks: how often meshes are
        compared at most, where their hulls touch; the path ends there after as many, and where very
        many places would have to be looked at. Cancelled, it is 0. Raises InputError for a wrong
        path, bend or number of looks.
        """
        at, looks, n = floats(path, 'path'), whole(looks, 'looks'), self.space.n_joints
        bend = vector(np.zeros(n) if bend is None else bend, n, 'bend')
        if at.ndim != 2 or at.shape[1] != n or not len(at):
            raise InputError(f'path must have the shape (m, {n}), not {at.shape}')
        is_near, part = not self._is_free_by_hulls(at[0]), self._free_by_hulls(at, bend)
        if not self.confirms or (part == math.inf and not is_near) or (
                is_near and self._state.touches(at[0], self.margin)):
            return part
        return self._free_by_meshes(at, 0.0 if is_near else part, bend, looks)

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

        def matters(a: int, b: int, apart: float) -> bool:
            ends = own[a], own[b] if b < len(own) else 0
            return ends in ((tip, 0), (0, tip))
        return self._state.touches(self.space.checked(q), far, matters)

    def _is_free_by_hulls(self, q: np.ndarray) -> bool:
        touch = self.free.take()
        near = touch.find(touch.world, q, self.margin, 1, False)
        touch.leave()
        return not near

    def _free_by_hulls(self, path: np.ndarray, bend: np.ndarray) -> float:
        touch = self.free.take()
        part: float = Sweep(touch.scene, touch.world, path, bend).run(touch)
        touch.leave()
        return part

    def _free_by_meshes(self, path: np.ndarray, part: float, bend: np.ndarray,
                        looks: int) -> float:
        """Return how far a path is free where hulls begin to touch a part after its beginning.

        As long as they do, meshes are compared, the next time where they could touch.
        """
        last, least = len(path) - 1, max(self.margin - NEARER, 0.0)
        begun: dict[tuple[int, int], float] = {}
        sweep, ends_at_hulls = Sweep(self._state.scene, self._state.world, path), True
        levers = sweep.levers()
        far = least + float(levers @ bend)
        for _ in range(looks):
            i = min(int(part), last - 1)
            q, dq = path[i] + (part - i) * (path[i + 1] - path[i]), np.abs(path[i + 1] - path[i])
            if not ends_at_hulls and self._is_free_by_hulls(q):
                ahead = self._free_by_hulls(np.concatenate([q[None], path[i + 1:]]), bend)
                if ahead == math.inf:
                    return math.inf
                part = part + ahead * (i + 1 - part) if ahead < 1.0 else i + ahead
                ends_at_hulls = True
                continue
            near = self._state.near_pairs(q, far + FAR, lambda a, b, d: d < far + _NEAR)
            moves = sweep.levers_of(near.pairs)
            slack = moves @ bend
            room = near.distances - least - slack
            for k in np.flatnonzero(room < STOP):  # no nearer than it was
                pair = tuple(near.pairs[k].tolist())
                if part == 0.0 or pair in begun:
                    begun[pair] = max(begun.get(pair, -math.inf), float(near.distances[k]))
                    room[k] = near.distances[k] - begun[pair] + slack[k] + STOP + ROUNDING
            if (room < STOP).any():
                break
            if part >= last:
                return math.inf
            moved, room = moves @ dq, room - 0.5 * STOP
            share = min((room / np.maximum(moved, room)).min(initial=1.0),
                        FAR / max(float(levers @ dq), FAR))
            part, ends_at_hulls = min(part + share, i + 1.0), False
        return part

    def levers(self) -> np.ndarray:
        """Return by how much a change of each joint (n,) changes any distance at most: m per unit.

        Of joints that move others along, which have no limits, only up to a metre of that.
        """
        state, path = self._state, np.ones((1, self.space.n_joints))
        levers: np.ndarray = Sweep(state.scene, state.world, path).levers()
        return levers

    def contacts(self, q: Sequence[float] | np.ndarray,
                 distance: float | None = None) -> list[Contact]:
        """Return the pairs at q (n,), rad or m, not farther apart than a distance, nearest first.

        distance: m, the margin by default. Of more than 256 pairs the nearest are returned. Raises
        InputError for a wrong q or distance.
        """
        at, far = self.space.checked(q), self.margin
        if distance is None:
            found = self._state.contacts(at, far)
        else:  # whatever pairs may come closer
            far, more = number(distance, 'distance'), max(self._state.closer.values(), default=0.0)
            found = (one for one in self._state.contacts(at, far + more) if one.distance <= far)
        return sorted(found, key=lambda one: one.distance)


def _margin(margin: float) -> float:
    checked = number(margin, 'margin')
    if checked < 0.0:
        raise InputError(f'margin must be at least 0 m, not {checked:g}')
    return checked
