"""The interface of LeRobot's `RobotKinematics`, without placo; joint values are in degrees."""

import math
from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np

from ik_node.model.readers import read_model
from ik_node.solvers.goal import Goal
from ik_node.solvers.jacobian.solvers import DlsSolver
from ik_node.solvers.kernel.streamed_search import StreamedSearch
from ik_node.spatial.rotations import clean_pose
from ik_node.support.arguments import floats, sequence
from ik_node.support.exceptions import InputError, ModelError, names, unknown

_DEGREE = math.pi / 180.0  # rad
_FLOAT = np.dtype(float)


class RobotKinematics:
    """Forward and inverse kinematics of one frame of a robot. Threads may share it.

    - `joint_names`: in the order of joint values.
    - `target_frame_name`: the link whose pose it is, in the frame of the root link.
    - `chain`: from the root to that link; its joints that are not named are held at zero.

    Joint values are in degrees, those of prismatic joints in m · 180/π, as LeRobot converts them.
    """

    def __init__(self, urdf_path: str | PathLike[str],
                 target_frame_name: str = 'gripper_frame_link',
                 joint_names: Sequence[str] | None = None) -> None:
        """Read a robot from any source of `read_model`.

        joint_names: of the joint values, such as the names of motors; by default of all joints that
        have a value of their own, depth first. Raises ModelError for an invalid source, an unknown
        frame, and one that no joint moves; InputError for names of no such joints, and repeated
        ones.
        """
        tree = read_model(urdf_path)
        own = tree.independent_joints
        self.joint_names = list(own) if joint_names is None else sequence(
            joint_names, 'joint_names', InputError)
        for k, name in enumerate(self.joint_names):
            if not isinstance(name, str) or name not in own or name in self.joint_names[:k]:
                raise InputError(f'joint_names[{k}]: {unknown("joint", name, own)}, each once')
        self.target_frame_name = target_frame_name
        chain = tree.chain(None, target_frame_name)
        named = np.array([name in self.joint_names for name in chain.joint_names])
        if not named.any():
            raise ModelError(f'none of the joint_names moves {target_frame_name!r}; those that do '
                             f'are {names(chain.joint_names)}')
        self._columns = np.array([self.joint_names.index(name) if name in self.joint_names else 0
                                  for name in chain.joint_names])
        self._scale = np.where(named, _DEGREE, 0.0)
        self.chain = chain.with_limits(np.where(named, chain.lower, 0.0),
                                       np.where(named, chain.upper, 0.0))
        # From the current configuration to the nearest minimum: no restart leads elsewhere.
        self._search = StreamedSearch(DlsSolver(self.chain, max_restarts=0), len(self.joint_names),
                                      self._columns, self._scale)
        self._weights: Any = None

    def forward_kinematics(self, joint_pos_deg: Any) -> np.ndarray:
        """Return the pose of the frame (4, 4), m, at joint values, of which further ones are left.

        Raises InputError for too few values, and for such as are no finite numbers.
        """
        return self.chain.forward(self._checked(joint_pos_deg)[self._columns] * self._scale)

    def inverse_kinematics(self, current_joint_pos: Any, desired_ee_pose: Any,
                           position_weight: float = 1.0,
                           orientation_weight: float = 0.01) -> np.ndarray:
        """Return joint values with the frame at a pose (4, 4), m, or next to it.

        They are a local minimum of the squared weighted error, m² and rad², that is reached from
        the current values. Those of other joints, such as a gripper's, and further values are
        returned as they are. A joint that is outside its limits goes no farther, but need not go
        inside. Raises InputError for malformed values, poses and weights; 0 leaves position or
        orientation free.
        """
        weights = position_weight, orientation_weight
        if weights != self._weights:
            Goal.from_pose(np.eye(4), (position_weight,) * 3 + (orientation_weight,) * 3)
            self._weights = weights
        if (type(current_joint_pos) is np.ndarray is type(desired_ee_pose)
                and current_joint_pos.dtype is _FLOAT):
            values = current_joint_pos.copy()
            try:
                if self._search.solve(desired_ee_pose, position_weight, orientation_weight, values):
                    return values
            except ValueError:  # a pose in another order, or of other numbers
                pass
        values = self._checked(current_joint_pos)
        if not self._search.solve(clean_pose(desired_ee_pose, 'a goal pose'), *weights, values):
            floats(values, 'the joint values')  # raises the error
        return values

    def _checked(self, values: Any) -> np.ndarray:
        """Return a copy of joint values, degrees."""
        found = np.array(values) if (type(values) is np.ndarray and values.dtype is _FLOAT
                                     ) else floats(values, 'the joint values')
        if found.ndim != 1 or len(found) < len(self.joint_names):
            raise InputError(f'the joint values must be {len(self.joint_names)} or more numbers, '
                             f'not of the shape {found.shape}')
        return found
