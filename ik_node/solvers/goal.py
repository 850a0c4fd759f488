"""What is asked of the tip: a position, an orientation, or some axes of either."""

from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np

from ik_node._arrays import floats, numbers, vector
from ik_node._jit import njit
from ik_node.exceptions import InputError
from ik_node.spatial import is_pose, matrix_from_quaternion, rotation_defect

ROTATION_TOLERANCE = 1e-6  # how far a matrix may be off SO(3) and still be taken as a rotation
_EXACT = 1e-12             # how far it is taken as it is; beyond, the nearest rotation is

ALL_AXES = np.ones(6)
ALL_AXES.flags.writeable = False


class Goal:
    """A pose, or part of one, for the tip, in the chain's base frame. Immutable.

    Attributes:
    - `position`: (3,) m, or None where none is asked for.
    - `orientation`: (3, 3), or None where none is asked for.
    - `weights`: (6,) along the goal's axes, linear first (the base's where there is no
      orientation); 0 leaves that axis free, the others weigh errors where they compete.
    - `pose`: (4, 4) T_base_goal, with what is not asked for at zero.
    """

    __slots__ = ('orientation', 'pose', 'position', 'weights')

    def __init__(self, position: Sequence[float] | np.ndarray | None = None,
                 orientation: Sequence[Any] | np.ndarray | None = None,
                 weights: Sequence[float] | np.ndarray | None = None) -> None:
        """Ask for a position (3,), m, an orientation, (3, 3) or quaternion xyzw (4,), or both.

        A quaternion is normalised. Weights of what is not given count as zero. Raises InputError
        for wrong shapes, numbers that are not finite, a zero quaternion, a matrix more than 1e-6
        off SO(3), negative weights, and a goal that asks for nothing.
        """
        self.position = None if position is None else vector(position, 3, 'a goal position')
        self.orientation = None if orientation is None else as_rotation(orientation)
        self.weights = _weights(weights, self.position is not None, self.orientation is not None)
        self.pose = np.eye(4)
        if self.position is not None:
            self.pose[:3, 3] = self.position
        if self.orientation is not None:
            self.pose[:3, :3] = self.orientation

    @classmethod
    def from_pose(cls, pose: Sequence[Any] | np.ndarray,
                  weights: Sequence[float] | np.ndarray | None = None) -> 'Goal':
        """Ask for a pose T_base_goal (4, 4), m. Raises InputError as the constructor does."""
        T = numbers(pose, 'a goal pose')
        if weights is None and T.shape == (4, 4) and is_pose(T, _EXACT):
            return cls.of_clean_pose(T)
        if T.shape != (4, 4):
            raise InputError(f'a goal pose must have the shape (4, 4), not {T.shape}')
        if T[3, 0] != 0.0 or T[3, 1] != 0.0 or T[3, 2] != 0.0 or T[3, 3] != 1.0:
            raise InputError(f'the last row of a goal pose must be 0 0 0 1, not {T[3].tolist()}')
        return cls(T[:3, 3], T[:3, :3], weights)

    @classmethod
    def of_clean_pose(cls, T_base_goal: np.ndarray) -> 'Goal':
        """Ask for a pose (4, 4), m, in full, which is taken as it is, unchecked."""
        goal = cls.__new__(cls)
        goal.position, goal.orientation = T_base_goal[:3, 3], T_base_goal[:3, :3]
        goal.weights, goal.pose = ALL_AXES, T_base_goal
        return goal

    def moved_to(self, T_base_goal: np.ndarray) -> 'Goal':
        """Return the same wish for another pose (4, 4), m, which is taken as it is, unchecked."""
        goal = copy(self)
        goal.pose = T_base_goal
        goal.position = None if self.position is None else T_base_goal[:3, 3]
        goal.orientation = None if self.orientation is None else T_base_goal[:3, :3]
        return goal

    def __repr__(self) -> str:
        """Return what is asked for."""
        return (f'Goal(position={self.position}, orientation={self.orientation}, '
                f'weights={self.weights})')


def is_plain_pose(goal: Any) -> bool:
    """Tell whether a goal is a pose (4, 4) that needs no checking beyond this, nor mending."""
    return (type(goal) is np.ndarray and goal.dtype == np.float64 and goal.shape == (4, 4)
            and goal.flags.c_contiguous and is_pose(goal, _EXACT))


def first_unclean(poses: np.ndarray) -> int:
    """Return the first of poses (m, 4, 4) that is none, or one to be mended; −1 without one."""
    return int(_first_unclean(poses, _EXACT))


@njit
def _first_unclean(poses, tolerance):
    for k in range(poses.shape[0]):
        if not is_pose(poses[k], tolerance):
            return k
    return -1


def as_goal(goal: Any) -> Goal:
    """Return a Goal as it is, and a pose (4, 4) as the goal of all six axes."""
    return goal if isinstance(goal, Goal) else Goal.from_pose(goal)


def as_rotation(orientation: Any) -> np.ndarray:
    """Return a rotation (3, 3) from a matrix (3, 3) or a quaternion xyzw (4,).

    Raises InputError for other shapes, a zero quaternion, and a matrix off SO(3).
    """
    given = floats(orientation, 'a goal orientation')
    if given.shape == (4,):
        norm = float(np.sqrt(given @ given))
        if not 1e-9 < norm < np.inf:
            raise InputError(f'the quaternion {given.tolist()} has no direction: its length is '
                             f'{norm:g}')
        return matrix_from_quaternion(given / norm)
    if given.shape != (3, 3):
        raise InputError('a goal orientation must be a matrix (3, 3) or a quaternion xyzw (4,), '
                         f'not of shape {given.shape}')
    defect = rotation_defect(given)
    if not defect <= ROTATION_TOLERANCE:
        raise InputError(f'the goal orientation is no rotation: R Rᵀ is {defect:g} off the unit '
                         f'matrix, {ROTATION_TOLERANCE:g} is allowed' if defect < 2.0 else
                         'the goal orientation is no rotation: it mirrors')
    if defect > _EXACT:
        U, _, Vt = np.linalg.svd(given)
        return np.ascontiguousarray(U @ Vt)
    return given


def _weights(weights: Any, has_position: bool, has_orientation: bool) -> np.ndarray:
    if weights is None:
        asked = np.ones(6)
    else:
        asked = vector(weights, 6, 'goal weights')
        if asked.min() < 0.0:
            raise InputError(f'goal weights must not be negative, not {asked.tolist()}')
    if not has_position:
        asked[:3] = 0.0
    if not has_orientation:
        asked[3:] = 0.0
    if not asked.any():
        raise InputError('the goal asks for nothing: give a position, an orientation or both, '
                         'with a weight above zero for at least one axis')
    asked.flags.writeable = False
    return asked
