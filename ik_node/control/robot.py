"""The robot of the node: a tree, its groups, and the present joint values."""

import copy
from collections.abc import Mapping

import numpy as np

from ik_node.control.group import Group
from ik_node.control.task_group import GOAL
from ik_node.model.pose_library import PoseLibrary
from ik_node.model.tree import KinematicTree
from ik_node.spatial import inverse


class Robot:
    """A tree, its groups, and the value of every moving joint.

    - `groups`: by name, in the order of the parameters.
    - `has_velocities`: whether joints have velocities; where they jump they have none.
    """

    def __init__(self, tree: KinematicTree, groups: Mapping[str, Group],
                 poses: PoseLibrary | None = None, previous: 'Robot | None' = None) -> None:
        """Set the start pose, or the values of a previous robot for joints of the same names.

        Targets that are not set become what their tasks meet there.
        """
        self.tree, self.groups, self.poses = tree, dict(groups), poses
        self.has_velocities = False
        self._values: dict[str, float] = {}
        self._velocities: dict[str, float] = {}
        self._drives = [(joint.name, *tree.drives[joint.name])
                        for joint in tree.joints.values() if joint.moves]
        self._tasks = {task: (group, task) for group in groups.values() for task in group.tasks}
        for group in groups.values():
            if GOAL in group.tips:  # the only tip of a robot: its goals have no name
                self._tasks[''] = group, GOAL
        self._root = next((group for group in groups.values() if group.moves_root), None)
        self.reset()
        if previous is not None:
            self.place(previous._values)
        for group in groups.values():
            group.set_missing_targets(self.joint_configuration(group))

    def group_of(self, name: str) -> Group | None:
        """Return the group that has the arm or the task of this name; None without one."""
        return self._tasks.get(name, (self.groups.get(name), name))[0]

    def task_name(self, name: str) -> str:
        """Return the name of the task that takes goals of the arm or task of this name."""
        return self._tasks.get(name, (None, name))[1]

    def reset(self) -> None:
        """Set the start pose: by default zero, or the nearest limit."""
        self._values = {
            joint.name: min(max(0.0, joint.lower), joint.upper)
            for joint in self.tree.joints.values() if joint.moves and joint.mimic is None}
        self._velocities = {}
        for group in self.groups.values():
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
        names = group.space.joint_names
        return np.fromiter(map(self._values.__getitem__, names), float, len(names))

    @property
    def moves_root(self) -> bool:
        """Whether the root link moves."""
        return self._root is not None

    @property
    def T_world_root(self) -> np.ndarray:
        """The pose of the root link (4, 4), m, in the world of the tasks."""
        root = self._root
        return np.eye(4) if root is None else root.T_world_root(self.joint_configuration(root))

    def joint_values(self) -> dict[str, float]:
        """Return the value of every moving joint, mimics too, in the order of the tree."""
        values, found = self._values, {}
        for name, source, multiplier, offset in self._drives:
            found[name] = multiplier * values[source] + offset
        return found

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
