"""Goals for the tip: a position, an orientation, or some axes of either; and their errors."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ik_node.model.chain import Chain
from ik_node.solvers.kernel.arm_kernel import verifier_of
from ik_node.spatial import rotation_log
from ik_node.spatial.conversions import heading_axis, tip_heading
from ik_node.spatial.rotations import EXACT, as_rotation, clean_pose
from ik_node.support.arguments import flag, numbers, vector
from ik_node.support.checks import exact_pose, first_off_pose
from ik_node.support.exceptions import InputError
from ik_node.tasks.pose import Pose

ALL_AXES = np.ones(6)
ALL_AXES.flags.writeable = False


class Goal:
    """A pose, or part of one, for the tip, in the chain's base frame. Immutable.

    Its arrays are read-only copies of the arguments.
    """

    __slots__ = ('_has_orientation', '_has_position', '_pose', '_weights')

    def __init__(self, position: Sequence[float] | np.ndarray | None = None,
                 orientation: Sequence[Any] | np.ndarray | None = None,
                 weights: Sequence[float] | np.ndarray | None = None) -> None:
        """Make a goal from a position (3,), m, an orientation, or both.

        An orientation is a matrix (3, 3) or a quaternion xyzw (4,), which is normalised. Weights
        may be booleans; those of a missing position or orientation count as zero. Raises InputError
        for wrong shapes, values that are not finite real numbers, a zero quaternion, a matrix more
        than 1e-6 off SO(3), negative weights, and a goal without any weight above zero.
        """
        pose = np.eye(4)
        if position is not None:
            pose[:3, 3] = vector(position, 3, 'a goal position')
        if orientation is not None:
            pose[:3, :3] = as_rotation(orientation, 'a goal orientation')
        pose.flags.writeable = False
        self._pose = pose
        self._has_position, self._has_orientation = position is not None, orientation is not None
        self._weights = _weights(weights, self._has_position, self._has_orientation)

    @classmethod
    def from_pose(cls, pose: Sequence[Any] | np.ndarray,
                  weights: Sequence[float] | np.ndarray | None = None,
                  project: bool = False) -> 'Goal':
        """Make a goal from a pose T_base_goal (4, 4), m. Raises InputError as the constructor.

        project: whether a matrix that is no rotation, such as a printed one with three decimals,
        is replaced by the nearest rotation; InputError is then raised where none is nearest.
        """
        goal = cls.__new__(cls)
        T = exact_pose(pose, EXACT) if project is False else None  # fast where goals are streamed
        goal._pose = clean_pose(pose, 'a goal pose', flag(project, 'project')) if T is None else T
        goal._weights = ALL_AXES if weights is None else _weights(weights, True, True)
        goal._has_position = goal._has_orientation = True
        return goal

    @property
    def position(self) -> np.ndarray | None:
        """(3,) m, or None where the goal has none; read-only."""
        return self._pose[:3, 3] if self._has_position else None

    @property
    def orientation(self) -> np.ndarray | None:
        """(3, 3), or None where the goal has none; read-only."""
        return self._pose[:3, :3] if self._has_orientation else None

    @property
    def weights(self) -> np.ndarray:
        """(6,) along the goal's axes, linear first (the base's without an orientation); read-only.

        0 leaves that axis free, the others weight errors where they compete. One rotation alone
        asks for the heading of the tip's next axis about it, see docs/solvers/README.md.
        """
        return self._weights

    @property
    def pose(self) -> np.ndarray:
        """(4, 4) T_base_goal, m, the identity in place of a missing part; read-only."""
        return self._pose

    def moved_to(self, T_base_goal: Sequence[Any] | np.ndarray) -> 'Goal':
        """Return the goal with the same weights at another pose (4, 4), m.

        Raises InputError for an invalid pose.
        """
        goal = Goal.from_pose(T_base_goal)
        if not (self._has_position and self._has_orientation):
            pose = goal.pose.copy()
            if not self._has_position:
                pose[:3, 3] = 0.0
            if not self._has_orientation:
                pose[:3, :3] = np.eye(3)
            return Goal._restored(pose, self._weights, self._has_position, self._has_orientation)
        goal._weights = self._weights
        return goal

    def as_task(self, link: str, *, weight: float = 1.0, priority: int = 1,
                name: str | None = None) -> Pose:
        """Return the goal as a task of a body: a `Pose` of a link, with the same free axes.

        The goal is then in the frame of the body's tasks, the world. Raises InputError as `Pose`.
        """
        return Pose(link, self.pose, self.weights, weight=weight, priority=priority, name=name)

    @classmethod
    def _of_clean_pose(cls, T_base_goal: np.ndarray) -> 'Goal':
        """Return the goal of a pose (4, 4), m, a read-only C-contiguous array, unchecked."""
        goal = cls.__new__(cls)
        goal._pose, goal._weights = T_base_goal, ALL_AXES
        goal._has_position = goal._has_orientation = True
        return goal

    @classmethod
    def _restored(cls, pose: np.ndarray, weights: np.ndarray, has_position: bool,
                  has_orientation: bool) -> 'Goal':
        """Return a goal from its own parts; for pickle and copy."""
        pose.flags.writeable = weights.flags.writeable = False
        goal = cls._of_clean_pose(pose)
        goal._weights = ALL_AXES if np.array_equal(weights, ALL_AXES) else weights
        goal._has_position, goal._has_orientation = has_position, has_orientation
        return goal

    def __eq__(self, other: object) -> bool:
        """Tell whether another goal is the same to the last bit."""
        return (isinstance(other, Goal) and self._pose.tobytes() == other._pose.tobytes()
                and self._weights.tobytes() == other._weights.tobytes()
                and self._has_position == other._has_position
                and self._has_orientation == other._has_orientation)

    def __hash__(self) -> int:
        return hash((self._pose.tobytes(), self._weights.tobytes()))

    def __reduce__(self) -> tuple[Any, ...]:
        """Return how pickle and copy restore the goal, to the last bit."""
        return Goal._restored, (self._pose, self._weights, self._has_position,
                                self._has_orientation)

    def __repr__(self) -> str:
        parts = [f'{name}={None if array is None else array.tolist()}' for name, array in (
            ('position', self.position), ('orientation', self.orientation),
            ('weights', self.weights))]
        return f'Goal({", ".join(parts)})'


def as_goal(goal: Any) -> Goal:
    """Return a Goal as it is, and a pose (4, 4) as the goal of all six axes."""
    return goal if isinstance(goal, Goal) else Goal.from_pose(goal)


def as_poses(poses: Any) -> np.ndarray:
    """Return poses as an array (m, 4, 4). Raises InputError, naming the first invalid one."""
    array = numbers(poses, 'goals')
    array.flags.writeable = False
    if array.ndim != 3 or array.shape[1:] != (4, 4):
        raise InputError(f'goals must have the shape (m, 4, 4), not {array.shape}')
    wrong = first_off_pose(array, EXACT)
    if wrong < 0:
        return array
    exact = array.copy()
    for k in range(wrong, len(array)):
        try:
            exact[k] = Goal.from_pose(array[k]).pose
        except InputError as error:
            raise InputError(f'goals[{k}]: {error}') from error
    exact.flags.writeable = False
    return exact


def task_singular_values(chain: Chain, goal: Goal, q: np.ndarray,
                         length: float = 1.0) -> np.ndarray:
    """Return the singular values, descending, of the Jacobian of `task_rows`."""
    return np.linalg.svd(task_rows(chain, goal, q, length)[1], compute_uv=False)


def task_rows(chain: Chain, goal: Goal, q: np.ndarray,
              length: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Return the errors (r,) of the constrained axes, and J (r, n): they decrease by J Δq.

    At q (n,), weighted as in the goal; along its axes where their weights differ, else the base's.
    length: divisor of the linear rows, m.
    """
    e, J, *_ = verifier_of(chain).rows(goal.pose, goal.weights, q)
    e[:3] /= length
    J[:3] /= length
    constrained = goal.weights > 0.0
    return e[constrained], J[constrained]


def pose_error(T_goal: np.ndarray, T_tip: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the error (6,) of a tip from a goal along the goal's axes, m and rad, unweighted.

    [R_goalᵀ (p_goal − p); R_goalᵀ log(R_goal Rᵀ)], for poses (4, 4); but where only one rotation
    has a weight above 0, its component is a heading, see `so3.heading`.
    """
    R = T_goal[:3, :3]
    e = np.concatenate([R.T @ (T_goal[:3, 3] - T_tip[:3, 3]),
                        R.T @ rotation_log(R @ T_tip[:3, :3].T)])
    axis = heading_axis(weights)
    if axis is not None:
        e[3 + axis] = -tip_heading(T_goal, T_tip, axis)[0]
    return e


def _weights(weights: Any, has_position: bool, has_orientation: bool) -> np.ndarray:
    checked = numbers(np.ones(6) if weights is None else weights, 'goal weights', booleans=True)
    if checked.shape != (6,):
        raise InputError(f'goal weights must have the shape (6,), not {checked.shape}')
    if not np.isfinite(checked).all():
        raise InputError(f'goal weights must be finite numbers, not {checked.tolist()}')
    if checked.min() < 0.0:
        raise InputError(f'goal weights must not be negative, not {checked.tolist()}')
    if not has_position:
        checked[:3] = 0.0
    if not has_orientation:
        checked[3:] = 0.0
    if not checked.any():
        raise InputError('the goal constrains no axis: give a position, an orientation or both, '
                         'with a weight above zero for at least one axis')
    checked.flags.writeable = False
    return ALL_AXES if (checked == 1.0).all() else checked
