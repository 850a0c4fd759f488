"""What q consists of: the joints of a chain, or of a body."""

from typing import TypeAlias

from ik_node.exceptions import InputError, shown
from ik_node.model.body import Body
from ik_node.model.chain import Chain

JointSpace: TypeAlias = Chain | Body
"""Both have n_joints, joint_names, lower, upper, prismatic, turns and tree."""


def check_joint_space(space: object) -> None:
    """Raise InputError for anything but a chain or a body."""
    if not isinstance(space, (Chain, Body)):
        raise InputError(f'a chain or a body is needed, of tree.chain(…) or tree.body(…), not '
                         f'{shown(space)}')
