"""The robot of the node: a tree, its arms or its figure, and the present joint values."""

import copy
from collections.abc import Mapping

import numpy as np

from ik_node.control.arm import Arm
from ik_node.control.figure import GOAL, Figure
from ik_node.control.group import Group
from ik_node.model.pose_library import PoseLibrary
from ik_node.model.tree import KinematicTree
from ik_node.spatial import inverse


class Robot:
    """A tree, its arms by name, its figure if there is one, and the value of every moving joint.

    - `groups`: the arms, or the figure.
    - `has_velocities`: whether joints have velocities; where they jump they have none.
    """

    def __init__(self, tree: KinematicTree, arms: Mapping[str, Arm],
                 poses: PoseLibrary | None = None, previous: 'Robot | None' = None,
                 figure: Figure | None = None) -> None:
        """Set the start pose, or the values of a previous robot for joints of the same names.

        Targets of the figure that are not set become what its tasks meet there.
        """
        self.tree = tree
        self.arms, self.figure = dict(arms), figure
        self.groups: tuple[Group, ...] = (*self.arms.values(), *([figure] if figure else []))
        self.poses = poses
        self.has_velocities = False
        self._values: dict[str, float] = {}
        self._velocities: dict[str, float] = {}
        self._drives = [(joint.name, *tree.drives[joint.name])
                        for joint in tree.joints.values() if joint.moves]
        self.reset()
        if previous is not None:
            self.place(previous._values)
        if figure is not None:
            figure.set_missing_targets(self.joint_configuration(figure))

    def group_of(self, name: str) -> Group | None:
        """Return the group that has the arm or the task of this name; None without one."""
        if name in self.arms:
            return self.arms[name]
        figure = self.figure
        return figure if figure is not None and self.task_name(name) in figure.tasks else None

    def task_name(self, name: str) -> str:
        """Return the name of the task that takes goals of the arm or task of this name."""
        figure = self.figure
        return GOAL if not name and figure is not None and GOAL in figure.tips else name

    def reset(self) -> None:
        """Set the start pose: by default zero, or the nearest limit."""
        self._values = {
            joint.name: min(max(0.0, joint.lower), joint.upper)
            for joint in self.tree.joints.values() if joint.moves and joint.mimic is None}
        self._velocities = {}
        for group in self.groups:
            self.move(group, group.start)

    def move(self, group: Group, q: np.ndarray, velocity: np.ndarray | None = None) -> None:
        """Set the joints of a group to q (n,), rad or m, and their velocities (n,), per s."""
        names = group.space.joint_names
        self._values.update(zip(names, q.tolist()))
        v = np.zeros(len(q)) if velocity is None else velocity
        self._velocities.update(zip(names, v.tolist()))

    def place(self, values: Mapping[str, float]) -> None:
        """Set joint values by name, rad or m, clipped to the limits; others are ignored."""
        joints = self.tree.joints
        self._values.update({
            name: min(max(value, joints[name].lower), joints[name].upper) if name in joints
            else value  # of a moving root
            for name, value in values.items() if name in self._values})

    def own_values(self) -> dict[str, float]:
        """Return the values of joints that have one of their own, rad or m, and of the root."""
        return dict(self._values)

    def with_values(self, values: Mapping[str, float]) -> 'Robot':
        """Return a copy of the robot with other values of some joints, rad or m.

        Joints without a value of their own, such as mimics, are ignored.
        """
        other = copy.copy(self)
        other._values = {name: values.get(name, value) for name, value in self._values.items()}
        other._velocities = dict(self._velocities)
        return other

    def joint_configuration(self, group: Group) -> np.ndarray:
        """Return the present joint values (n,) of a group."""
        return np.array([self._values[name] for name in group.space.joint_names])

    @property
    def moves_root(self) -> bool:
        """Whether the root link moves."""
        return self.figure is not None and self.figure.moves_root

    @property
    def T_world_root(self) -> np.ndarray:
        """The pose of the root link (4, 4), m, in the world of the figure's tasks."""
        if self.figure is None or not self.figure.moves_root:
            return np.eye(4)
        return self.figure.T_world_root(self.joint_configuration(self.figure))

    def joint_values(self) -> dict[str, float]:
        """Return the value of every moving joint, mimics too, in the order of the tree."""
        values = self._values
        return {name: multiplier * values[source] + offset
                for name, source, multiplier, offset in self._drives}

    def joint_velocities(self) -> dict[str, float] | None:
        """Return the velocity of every moving joint, in the same order; None where joints jump."""
        if not self.has_velocities:
            return None
        return {name: multiplier * self._velocities.get(source, 0.0)
                for name, source, multiplier, _ in self._drives}

    def in_link(self, base_link: str, link: str) -> np.ndarray:
        """Return T_base_link (4, 4), m, of any link in another one, at the present values."""
        joints = self.tree.joints
        T_root = self.tree.forward({name: value for name, value in self._values.items()
                                    if name in joints})
        return inverse(T_root[base_link]) @ T_root[link]
