"""What a group is built from, and what its options mean for a chain or a body."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ik_node.control.options import AUTO, JUMP, ArmOptions, CollisionOptions
from ik_node.control.task_options import TaskOptions
from ik_node.model.chain import Chain
from ik_node.model.joint_space import JointSpace, check_inside
from ik_node.model.pose_library import PoseLibrary
from ik_node.model.tree import KinematicTree
from ik_node.motion.limits import MotionLimits, motion_limits
from ik_node.support.exceptions import OptionError
from ik_node.support.options import Options
from ik_node.workspace.task_rank import task_rank


@dataclass(frozen=True, eq=False)
class GroupSource:
    """What a group is built from: the tree, and values of parameters."""

    tree: KinematicTree
    options: ArmOptions
    solver_options: Mapping[str, Any] = field(default_factory=dict)  # of the chosen solver
    task_options: Mapping[str, TaskOptions] = field(default_factory=dict)
    """By the names of the tasks; without any, the tip has a pose."""
    root: str = 'fixed'
    T_world_root: np.ndarray = field(default_factory=lambda: np.eye(4))
    """(4, 4) where a moving root starts, m."""
    poses: PoseLibrary | None = None
    motion: str = JUMP
    arms: Mapping[str, ArmOptions] = field(default_factory=dict)
    """By the names of arms that are solved together; see `CoupledArms`."""
    name: str = ''
    joints: tuple[str, ...] = ()  # of `SideJoints`
    collision_options: CollisionOptions = field(default_factory=CollisionOptions)
    """Of the chosen solver."""
    disabled: tuple[tuple[str, str], ...] = ()  # pairs of links that may touch

    def is_same(self, other: 'GroupSource') -> bool:
        """Return whether a group built from the other one would be the same."""
        return same_value(vars(self), vars(other))

    def has_same_solver(self, other: 'GroupSource') -> bool:
        """Return whether the solver has the same name and options."""
        return (self.options.solver == other.options.solver and self.disabled == other.disabled
                and self.collision_options == other.collision_options
                and same_value(self.solver_options, other.solver_options))


def own_limits(options: ArmOptions, space: JointSpace) -> MotionLimits:
    """Return the limits of motion that options have for a chain or a body."""
    return motion_limits(space, options.velocity_limits, options.acceleration_limits,
                         options.jerk_limits, options.speed)


def goal_weights(options: ArmOptions, chain: Chain) -> np.ndarray:
    """Return the weights (6,) of goals of a chain. Raises OptionError for invalid ones."""
    weights = options.task_weights
    if isinstance(weights, str):
        if weights != AUTO:
            raise OptionError(f'task_weights must be six numbers or {AUTO!r}, not {weights!r}')
        return task_rank(chain).weights
    if not np.any(weights):
        raise OptionError('task_weights must have an entry above zero: six zeros leave every '
                          'axis of a goal free')
    return np.array(weights, dtype=float)


def configured_start(options: ArmOptions, space: JointSpace, poses: PoseLibrary | None,
                     neutral: np.ndarray, first: int = 0) -> np.ndarray:
    """Return the values of the parameter start_pose (n,), those of neutral (n,) by default.

    first: of the joints that a list has. Raises OptionError for values that do not fit.
    """
    start = options.start_pose
    if start is None:
        return neutral
    if isinstance(start, str):
        if poses is None:
            raise OptionError(f'start_pose {start!r} is a name, but the parameter poses names no '
                              'file')
        return poses.configuration(start, space, neutral)
    named = space.joint_names[first:]
    if len(start) != len(named):
        raise OptionError(f'start_pose must have {len(named)} entries, one for each of '
                          f'{", ".join(named)}, not {len(start)}')
    q = neutral.copy()
    q[first:] = start
    return check_inside(space, q[None], lambda _: 'start_pose', OptionError)[0]


def same_value(value: Any, other: Any) -> bool:
    """Return whether two values of parameters are the same; lists are arrays."""
    if value is other or type(value) is not type(other):
        return value is other
    if isinstance(value, np.ndarray):
        return np.array_equal(value, other)
    if isinstance(value, Options):
        return same_value(vars(value), vars(other))
    if isinstance(value, Mapping):
        return value.keys() == other.keys() and all(
            same_value(one, other[name]) for name, one in value.items())
    return bool(value == other)
