"""A group of joints that move together: what an arm and a figure have in common."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ik_node.control.options import ArmOptions
from ik_node.model.joint_space import JointSpace
from ik_node.model.pose_library import PoseLibrary
from ik_node.motion.limits import MotionLimits, motion_limits
from ik_node.solvers.body.result import BodyResult
from ik_node.solvers.result import Result
from ik_node.support.exceptions import IkError, OptionError, UnsupportedError

AnyResult: TypeAlias = Result | BodyResult


class Aim(NamedTuple):
    """A goal of a task of a group."""

    task: str
    """Its name; that of the arm for an arm, which has one task: the pose of its tip."""
    target: Any
    """As the task takes it; a `Goal` in the frame of the base for an arm."""
    weights: np.ndarray | None = None
    """(6,) of a Pose; None: unchanged."""
    header: Any = None
    """Of its message, which the controller does not read."""


class Group(ABC):
    """Joints that one solver moves.

    Attributes:
    - `name`, `options`.
    - `space`: the chain or the body that says what q consists of.
    - `motion`: how it moves, one of `options.MOTIONS`.
    - `start`: (n,) initial joint values, rad or m.
    - `limits`: of motion.
    """

    name: str
    options: ArmOptions
    space: JointSpace
    motion: str
    start: np.ndarray
    limits: MotionLimits

    @property
    @abstractmethod
    def solver_name(self) -> str:
        """The name of the solver."""

    @property
    def solver_parameters(self) -> tuple[str, ...]:
        """The parameters that name the solver."""
        return (f'{self.name}.solver'.lstrip('.'),)

    @abstractmethod
    def problem(self, aims: Sequence[Aim]) -> Any:
        """Return what the solver is to solve so that aims are met, of tasks that are all different.

        Only the last one is solved. Raises IkError for a target that its task does not take.
        """

    @abstractmethod
    def solve(self, problem: Any, q0: np.ndarray, closest: bool) -> AnyResult:
        """Solve a problem from q0 (n,), rad or m; in any thread.

        closest: whether to find the closest configuration where the problem has no solution.
        """

    @abstractmethod
    def accept(self, aims: Sequence[Aim]) -> None:
        """Let the targets of aims stand from now on, where the group keeps any."""

    @abstractmethod
    def reset_targets(self, q: np.ndarray) -> None:
        """Let all targets be those of the parameters, or what the tasks meet at q (n,)."""

    @abstractmethod
    def errors(self, result: AnyResult, task: str) -> tuple[float, float]:
        """Return what a task misses in a result, m and rad."""

    @property
    @abstractmethod
    def words(self) -> str:
        """What it is and its solver, in words."""

    def _motion_limits(self) -> MotionLimits:
        return own_limits(self.options, self.space)


def run_solver(solver: Any, closest: bool, *arguments: Any) -> Any:
    """Solve a problem; closest: or find the closest configuration where it has no solution.

    Raises UnsupportedError where it has none and the solver finds no closest configurations.
    """
    if not closest:
        return solver.solve(*arguments)
    try:
        return solver.closest(*arguments)
    except UnsupportedError:
        result = solver.solve(*arguments)
        if not result.success:
            raise
        return result


def own_limits(options: ArmOptions, space: JointSpace) -> MotionLimits:
    """Return the limits of motion that options have for a chain or a body."""
    return motion_limits(space, options.velocity_limits, options.acceleration_limits,
                         options.jerk_limits, options.speed)


def configured_start(options: ArmOptions, space: JointSpace, poses: PoseLibrary | None,
                     neutral: np.ndarray, first: int = 0) -> np.ndarray:
    """Return the values of the parameter start_pose (n,).

    neutral: (n,) the values of joints without one. first: of the joints that a list has. Raises
    OptionError for values that do not fit.
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
    check_limits(q, space, 'start_pose', OptionError)
    return q


def check_limits(q: np.ndarray, space: JointSpace, what: str, error: type[IkError]) -> None:
    """Raise an error for joint values q (n,) outside the limits. what: they are, in words."""
    outside = (q < space.lower) | (q > space.upper)
    if outside.any():
        i = int(np.argmax(outside))
        raise error(f'{what}: {q[i]:.9g} is outside the limits {space.lower[i]:.9g} to '
                    f'{space.upper[i]:.9g} of joint {space.joint_names[i]!r}')
