"""Joint values from messages, as goals."""

from collections.abc import Sequence

import numpy as np
from sensor_msgs.msg import JointState

from ik_node.control.group import Group
from ik_node.control.robot import Robot
from ik_node.model.joint_space import check_inside
from ik_node.ros.conversions import checked_positions
from ik_node.support.exceptions import InputError, unknown


def configuration_of(robot: Robot, group: Group, name: str, message: JointState) -> np.ndarray:
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
