"""Joint values as goals: a motion in joint space, or a jump, to given values of some joints."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from rclpy.lifecycle import LifecycleNode
from sensor_msgs.msg import JointState

from ik_node.control.controller import Outcome
from ik_node.control.group import Group
from ik_node.control.robot import Robot
from ik_node.model.joint_space import check_inside
from ik_node.ros.conversions import checked_positions
from ik_node.ros.execution.execution import Execution
from ik_node.ros.intake.dispatcher import Dispatcher, Received
from ik_node.ros.topics import LATEST, goal_topic
from ik_node.support.exceptions import InputError, unknown


class JointGoals:
    """The joint goals of a configured node, for each arm or for all joints."""

    def __init__(self, node: LifecycleNode, arm_names: Sequence[str], dispatcher: Dispatcher,
                 execution: Execution, on_leave: Callable[[Group], None]) -> None:
        self._dispatcher, self._execution, self._on_leave = dispatcher, execution, on_leave
        for arm in arm_names:
            node.create_subscription(JointState, goal_topic(JointState, arm),
                                     partial(self.take, arm), LATEST)

    def take(self, name: str, message: JointState) -> None:
        """Move the joints of the arm of this name, or those of all tasks, to the values."""
        received = self._dispatcher.receive(name, message, self._convert, self.take)
        if received is not None:
            self._dispatcher.replace(received, self._move(received))

    def _convert(self, robot: Robot, *others: Any) -> np.ndarray:
        self._execution.follow(robot)
        return configuration(robot, *others)

    async def _move(self, received: Received) -> Outcome:
        group, name = received.controller.group, received.arrival.name
        self._on_leave(group)
        duration = await received.controller.go_to(received.content)
        if name not in group.tasks:  # the goals of all tasks are superseded
            for task in group.tasks:
                self._dispatcher.waiting.refuse_older(task)
        return Outcome((), None, True, duration)


def configuration(robot: Robot, group: Group, name: str, message: JointState) -> np.ndarray:
    """Return q (n,) of a group, rad or m: the values of a message, the present ones of others.

    name: of the arm or task, whose joints the message may name. Raises InputError.
    """
    values = checked_positions(message)
    if not values:
        raise InputError('joint values need names and positions; the message has none')
    space, allowed = group.space, group.joints_of(name)
    q = np.clip(robot.joint_configuration(group), space.lower, space.upper)
    for joint, value in values.items():
        if joint not in allowed:
            whole = 'arm' if name in group.tips else 'body'
            raise InputError(_foreign(robot, whole, joint, allowed))
        q[space.joint_names.index(joint)] = value
    return check_inside(space, q[None], lambda _: 'joint values')[0]


def _foreign(robot: Robot, whole: str, name: str, allowed: Sequence[str]) -> str:
    """Return why a joint cannot be set. whole: what has the allowed joints."""
    joint = robot.tree.joints.get(name)
    if joint is not None and joint.mimic is not None:
        return f'joint {name!r} follows joint {joint.mimic.joint!r}; give the value of that one'
    return unknown(f'joint of the {whole} named', name, allowed)
