"""The joints that no arm has, such as those of a gripper or a head, as a group without tasks."""

import dataclasses
from collections.abc import Sequence

import numpy as np

from ik_node.control.group_source import GroupSource
from ik_node.control.options import JUMP
from ik_node.control.task_group import TaskGroup
from ik_node.tasks import Task


class SideJoints(TaskGroup):
    """Joints that goals of joint values, and joint velocities of servo, move in joint space.

    Its solver only has the collisions.
    """

    status_key = 'arm'

    def __init__(self, source: GroupSource, previous: 'SideJoints | None' = None) -> None:
        super().__init__(dataclasses.replace(source, motion=JUMP), previous)
        self.source, self.motion = source, source.motion

    def __repr__(self) -> str:
        return f'joints beside the arms: {", ".join(self.space.joint_names)}'

    def check_command_joints(self) -> None:
        """Raise OptionError unless they are joints of the tree; not all of the group need be."""
        self._check_command_joints(())

    def _joints(self) -> Sequence[str]:
        return self.source.joints

    def _make_tasks(self, previous: TaskGroup | None) -> dict[str, Task]:
        return {}

    def _start(self) -> np.ndarray:
        return self.body.neutral()
