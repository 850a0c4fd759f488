"""Subscriptions of joint values as goals: checked as a whole, and carried out without a solver."""

import functools
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from rclpy.lifecycle import LifecycleNode
from sensor_msgs.msg import JointState

from ik_node.control.controller import Controller, Outcome
from ik_node.control.coupled_arms import CoupledArms
from ik_node.control.group import Group, check_limits
from ik_node.control.robot import Robot
from ik_node.control.searches import Goal
from ik_node.ros.conversions import joint_positions
from ik_node.ros.execution.execution import Execution
from ik_node.ros.intake.goals import LATEST
from ik_node.ros.intake.handling import Handling
from ik_node.support.bounds import MAX_NUMBER
from ik_node.support.exceptions import InputError, unknown


class JointGoals:
    """The joint goals of a configured node, for each arm or for the figure."""

    def __init__(self, node: LifecycleNode, arm_names: Sequence[str], handling: Handling,
                 execution: Execution, on_leave: Callable[[Group], None]) -> None:
        """Subscribe to the goals of every arm. on_leave: called when a group leaves its goal."""
        self._node, self._handling = node, handling
        self._execution, self._on_leave = execution, on_leave
        self._subscriptions: list[Any] = [
            node.create_subscription(JointState, f'{arm}/goal_joints' if arm else 'goal_joints',
                                     functools.partial(self.take, arm), LATEST)
            for arm in arm_names]

    def destroy(self) -> None:
        """Destroy the subscriptions."""
        for subscription in self._subscriptions:
            self._node.destroy_subscription(subscription)

    def take(self, name: str, message: JointState) -> None:
        """Move the joints of the arm of this name, or those of the figure, to the values."""
        self._handling.handle(name, message.header, self._controller,
                              functools.partial(self._go, name, message))

    def _controller(self, robot: Robot, name: str) -> Controller:
        """Return the controller of an arm, or of the figure that has its joints."""
        group = robot.arms.get(name, robot.figure)
        if group is None:
            raise InputError(f'there is no arm {name!r} any more')
        return self._execution.controllers[group.name]

    def _go(self, name: str, message: JointState, robot: Robot,
            controller: Controller) -> Goal[Outcome]:
        return self._move(name, configuration(robot, controller.group, name, message), robot,
                          controller)

    async def _move(self, name: str, q: np.ndarray, robot: Robot,
                    controller: Controller) -> Outcome:
        group = controller.group
        self._on_leave(group)
        duration = controller.go_to(robot, q)
        if robot.figure is group and not name:  # the goals of all tasks are superseded
            for task in robot.figure.tasks:
                self._handling.overtaken(task)
        return Outcome((), None, True, duration)


def configuration(robot: Robot, group: Group, arm: str, message: JointState) -> np.ndarray:
    """Return q (n,) of a group, rad or m: the values of a message, the present ones of others.

    arm: the name of the arm, whose joints the message may name. Raises InputError.
    """
    values = joint_positions(message)
    if not values:
        raise InputError('joint values need names and positions; the message has none')
    if len(values) < len(message.name):
        (repeated, _), = Counter(message.name).most_common(1)
        raise InputError(f'joint {repeated!r:.80} is named more than once')
    space = group.space
    allowed = group.chains[arm].joint_names if isinstance(
        group, CoupledArms) else space.joint_names
    q = np.clip(robot.joint_configuration(group), space.lower, space.upper)
    for name, value in values.items():
        if name not in allowed:
            whole = 'body' if group is robot.figure and not arm else 'arm'
            raise InputError(_foreign(robot, whole, name, allowed))
        if abs(value) > MAX_NUMBER:
            raise InputError(f'the position of joint {name!r} must be at most {MAX_NUMBER:g} in '
                             f'size, not {value:g}')
        q[space.joint_names.index(name)] = value
    check_limits(q, space, 'joint values', InputError)
    return q


def _foreign(robot: Robot, whole: str, name: str, allowed: Sequence[str]) -> str:
    """Return why a joint cannot be set. whole: what has the allowed joints."""
    joint = robot.tree.joints.get(name)
    if joint is not None and joint.mimic is not None:
        return f'joint {name!r} follows joint {joint.mimic.joint!r}; give the value of that one'
    return unknown(f'joint of the {whole} named', name, allowed)
