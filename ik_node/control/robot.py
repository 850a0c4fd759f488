"""The robot of the node: a tree, its groups, and the present joint values."""

import copy
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ik_node.collision.obstacles import Obstacle
from ik_node.control.collision_world import CollisionWorld
from ik_node.control.group import Group
from ik_node.control.options import SIDE
from ik_node.control.task_group import GOAL
from ik_node.model.pose_library import PoseLibrary
from ik_node.model.tree import KinematicTree
from ik_node.spatial import inverse

if TYPE_CHECKING:
    from ik_node.workspace import ReachabilityMap


class ArmMap(NamedTuple):
    """A reachability map with its file, and the base link of the arm that it is of."""

    file: str
    map: 'ReachabilityMap'
    base_link: str


class Robot:
    """A tree, its groups, and the value of every moving joint.

    - `groups`: by name, in the order of the parameters; last, as SIDE, the joints of no arm.
    - `side`: that one; None where there are no such joints.
    - `tasks`: the group of each arm and task, by its name, and the name of the task in the group.
    - `joint_names`: of every moving joint, mimics too, in the order of the tree.
    - `values`: of joints that have one of their own, rad or m, and of the root. Those of groups are
      inside the limits; others are where they are measured, if they are.
    - `measured`: where joints are measured, inside the limits or not; without those of groups that
      have been moved since.
    - `has_velocities`: whether joints have velocities; where they jump they have none.
    - `has_mimics`: whether joints follow others.
    - `obstacles`: those that parameters describe; `warnings`: of building it.
    - `world`: all obstacles that there are. `reachability`: the map of an arm, or None.
    """

    def __init__(self, tree: KinematicTree, groups: Mapping[str, Group],
                 poses: PoseLibrary | None = None, previous: 'Robot | None' = None,
                 obstacles: tuple[Obstacle, ...] = (), warnings: tuple[str, ...] = ()) -> None:
        """Set the start pose, or the values of a previous robot for joints of the same names.

        Targets that are not set become what their tasks meet there. New groups keep away from what
        the previous robot keeps away from; those that it has too do already.
        """
        self.tree, self.groups, self.poses = tree, dict(groups), poses
        self.obstacles, self.warnings = obstacles, warnings
        self.world = CollisionWorld(obstacles)
        self.reachability: ArmMap | None = None
        self.side = self.groups.get(SIDE)
        self.has_velocities = False
        self.values: dict[str, float] = {}
        self.measured: dict[str, float] = {}
        self._velocities: dict[str, float] = {}
        self.joint_names = [joint.name for joint in tree.joints.values() if joint.moves]
        self._limits = {name: tree.limits(name) for name in tree.independent_joints}
        drives = [tree.drives[name] for name in self.joint_names]
        self._sources = [source for source, _, _ in drives]
        self._mimics = [(name, multiplier, offset) for name, (source, multiplier, offset)
                        in zip(self.joint_names, drives) if name != source]
        self.has_mimics = bool(self._mimics)
        self.tasks = {task: (group, task) for group in groups.values() for task in group.tasks}
        for group in groups.values():
            if GOAL in group.tips:  # the only tip of a robot: its goals have no name
                self.tasks[''] = group, GOAL
        self._grouped = {name for group in groups.values() if group.name != SIDE
                         for name in group.space.joint_names}
        self._root = next((group for group in groups.values() if group.moves_root), None)
        self.reset()
        if previous is not None:
            self.place(previous.values)
            self.set_world(previous.world._replace(obstacles=(*obstacles, *(
                one for one in previous.world.obstacles[len(previous.obstacles):]
                if one.link is None or one.link in tree.links))))
        for group in groups.values():
            group.set_missing_targets(self.joint_configuration(group))

    def group_of(self, name: str) -> Group | None:
        """Return the group that has the arm or the task of this name; None without one."""
        return self.tasks[name][0] if name in self.tasks else self.groups.get(name)

    def set_world(self, world: CollisionWorld) -> None:
        """Let all groups keep away from obstacles; see `Group.set_world`."""
        for group in self.groups.values():
            group.set_world(world)
        if world.number > self.world.number:
            self.world = world

    def reset(self) -> None:
        """Set the start pose: by default zero, or the nearest limit."""
        self.values = {
            name: min(max(0.0, lower), upper) for name, (lower, upper) in self._limits.items()}
        self._velocities = {}
        for group in self.groups.values():
            self.move(group, group.start)
        self.measure(self.measured)

    def move(self, group: Group, q: np.ndarray, velocity: np.ndarray | None = None) -> None:
        """Set the joints of a group to q (n,), rad or m, and their velocities (n,), per s."""
        names = group.space.joint_names
        self.values.update(zip(names, q.tolist()))
        for name in names if self.measured else ():
            self.measured.pop(name, None)
        if velocity is not None:
            self._velocities.update(zip(names, velocity.tolist()))
        elif self._velocities:
            self._velocities.update(dict.fromkeys(names, 0.0))

    def measure(self, values: Mapping[str, float]) -> None:
        """Let joints be where they are measured, rad or m; groups keep their `values`."""
        self.measured = dict(values)
        self.values.update({name: value for name, value in values.items()
                            if name not in self._grouped})

    @property
    def present(self) -> dict[str, float]:
        """Where all joints with a value of their own are, rad or m, and the root."""
        return {**self.values, **self.measured}

    def place(self, values: Mapping[str, float]) -> None:
        """Set joint values by name, rad or m, clipped to the limits; others are ignored."""
        unlimited = -math.inf, math.inf  # of a moving root
        self.values.update({
            name: min(max(value, limits[0]), limits[1]) for name, value in values.items()
            if name in self.values for limits in [self._limits.get(name, unlimited)]})

    def with_values(self, values: Mapping[str, float]) -> 'Robot':
        """Return a copy with other values of joints that have one of their own, rad or m."""
        other = copy.copy(self)
        other.values = {name: values.get(name, value) for name, value in self.present.items()}
        other.measured = {}
        other._velocities = dict(self._velocities)
        return other

    def joint_configuration(self, group: Group) -> np.ndarray:
        """Return the present joint values (n,) of a group."""
        names = group.space.joint_names
        return np.fromiter(map(self.values.__getitem__, names), float, len(names))

    @property
    def moves_root(self) -> bool:
        """Whether the root link moves."""
        return self._root is not None

    @property
    def T_world_root(self) -> np.ndarray:
        """The pose of the root link (4, 4), m, in the world of the tasks."""
        root = self._root
        return np.eye(4) if root is None else root.T_world_root(self.joint_configuration(root))

    def joint_values(self, values: Mapping[str, float] | None = None) -> dict[str, float]:
        """Return the value of every moving joint, by `joint_names`; values: by default present."""
        values = self.values if values is None else values
        found = dict(zip(self.joint_names, map(values.__getitem__, self._sources)))
        for name, multiplier, offset in self._mimics:
            found[name] = multiplier * found[name] + offset
        return found

    def joint_velocities(self, velocities: Mapping[str, float] | None = None) -> dict[str, float]:
        """Return the velocity of every moving joint, in the same order."""
        velocities = self._velocities if velocities is None else velocities
        found = {name: velocities.get(source, 0.0)
                 for name, source in zip(self.joint_names, self._sources)}
        for name, multiplier, _ in self._mimics:
            found[name] *= multiplier
        return found

    def in_link(self, base_link: str, link: str) -> np.ndarray:
        """Return T_base_link (4, 4), m, of any link in another one, at the present values."""
        T_root = self.tree.forward({name: value for name, value in self.present.items()
                                    if name in self.tree.joints})
        return inverse(T_root[base_link]) @ T_root[link]
