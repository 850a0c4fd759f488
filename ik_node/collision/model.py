"""The collision model: contacts and near pairs of a robot and obstacles, at joint values."""

import math
import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ik_node.collision import mesh_distance
from ik_node.collision.contact import Choice, Contact, NearPairs, RobotScene, world_of
from ik_node.collision.obstacles import Obstacle, check_obstacles
from ik_node.collision.robot import LinkPiece, shapes_of
from ik_node.collision.scene import FreeSpace
from ik_node.collision.sweep import Sweep, free_by_meshes
from ik_node.collision.world import World
from ik_node.model.body import Body
from ik_node.model.chain import Chain
from ik_node.model.joint_space import check_joint_space
from ik_node.spatial import inverse
from ik_node.spatial.rotations import as_pose
from ik_node.support.arguments import floats, number, sequence, vector, whole
from ik_node.support.exceptions import InputError, shown

_MOST_LOOKS = 50  # along one path
_ROOT = np.eye(4)


class CollisionModel(FreeSpace):
    """The shapes of a robot, and obstacles, which may change at any time.

    A mesh counts as its convex hull; where that is in contact, and coal is installed, its triangles
    decide.

    - `space`: the arm or the body whose q its methods take; `margin`: m, kept from contact; but
      0.1 mm by pairs of the robot's links that are nearer in each of 1,000 configurations, whose
      distances count as that much greater where they are compared with it.
    - `robot`: the shapes of the links, see `RobotShapes`; `scene`: what is checked at present.
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
        self._attached: list[LinkPiece] = []  # of these, on links
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
        self.set_obstacles(obstacles, self.robot.T_world_base)

    def set_obstacles(self, obstacles: Iterable[Obstacle],
                      T_world_frame: np.ndarray = _ROOT) -> None:
        """Set the obstacles, with poses in a frame.

        T_world_frame: (4, 4), m, of it in the root link, or of a body in its world; by default
        that itself. Raises IkError for invalid obstacles, and a matrix that is no pose.
        """
        checked, robot = check_obstacles(obstacles), self.robot
        T_world_frame = as_pose(T_world_frame, 'T_world_frame')
        with robot.shapes.reading():
            attached = [robot.on_link(one.link, piece, one.name, one.touches)
                        for one in checked if one.link is not None
                        for piece in robot.shapes.pieces(one.shape, one.pose)]
            world = world_of([one for one in checked if one.link is None], T_world_frame,
                             robot.shapes)
        with self._lock:
            self._obstacles, self._attached, self._T_world_frame = checked, attached, T_world_frame
            self._check(world)

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
            self._check(self.scene.world)

    def _check(self, world: World) -> None:
        """Check the links and what is attached to them, with a world, from the next search on."""
        self.scene = RobotScene(self.robot, self._attached, world, self.margin)
        self.confirms  # noqa: B018 which imports coal: not in the first solve

    def with_margin(self, margin: float) -> 'CollisionModel':
        """Return the same model with another margin, m; what one changes is not changed in both.

        Nothing is prepared again. Raises InputError for a margin below 0.
        """
        twin = CollisionModel.__new__(CollisionModel)
        vars(twin).update(vars(self))
        twin._lock, twin.margin = threading.Lock(), _margin(margin)
        twin._check(self.scene.world)
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
        return self.scene.near_pairs(self.space.checked(q), number(distance, 'distance'),
                                     by_meshes)

    def is_free(self, q: np.ndarray) -> bool:
        """Tell whether nothing is nearer than the margin at q (n,), rad or m.

        Raises InputError for a wrong q.
        """
        at, scene = self.space.checked(q), self.scene
        return scene.is_free(at) or (self.confirms and not scene.touches(at, scene.margin))

    @property
    def confirms(self) -> bool:
        """Whether hulls that touch something may be free: a mesh is not convex, and coal is there.

        Kernels find configurations free by hulls alone.
        """
        return self.scene.has_larger and mesh_distance.coal() is not None

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
        scene = self.scene
        part: float = Sweep(scene, at, bend).run()
        if not self.confirms:
            return part
        if not scene.is_free(at[0]):
            if scene.touches(at[0], self.margin):
                return part
            part = 0.0
        return part if part == math.inf else free_by_meshes(scene, at, part, bend, looks)

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
        return self.scene.touches(self.space.checked(q), far, matters)

    def levers(self) -> np.ndarray:
        """Return by how much a change of each joint (n,) changes any distance at most: m per unit.

        Of joints that move others along, which have no limits, only up to a metre of that.
        """
        levers: np.ndarray = Sweep(self.scene, np.ones((1, self.space.n_joints))).levers()
        return levers

    def contacts(self, q: Sequence[float] | np.ndarray,
                 distance: float | None = None) -> list[Contact]:
        """Return the pairs at q (n,), rad or m, not farther apart than a distance, nearest first.

        distance: m, the margin by default. Of more than 256 pairs the nearest are returned. Raises
        InputError for a wrong q or distance.
        """
        at, far = self.space.checked(q), self.margin
        if distance is None:
            found = self.scene.contacts(at, far)
        else:  # whatever pairs may come closer
            far, scene = number(distance, 'distance'), self.scene
            more = max(scene.may_come_closer.values(), default=0.0)
            found = (one for one in scene.contacts(at, far + more) if one.distance <= far)
        return sorted(found, key=lambda one: one.distance)


def _margin(margin: float) -> float:
    checked = number(margin, 'margin')
    if checked < 0.0:
        raise InputError(f'margin must be at least 0 m, not {checked:g}')
    return checked
