"""Groups: joints that one solver moves, with the tasks that it solves for."""

import copy
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

import numpy as np

from ik_node.collision.model import CollisionModel
from ik_node.control.collision_world import CollisionWorld, GroupCollisions, place_others
from ik_node.control.group_source import GroupSource, own_limits
from ik_node.control.options import JOINT
from ik_node.model.chain import Chain
from ik_node.model.joint_space import JointSpace
from ik_node.motion.limits import MotionLimits
from ik_node.motion.ruckig_profile import ruckig_module
from ik_node.solvers.result import BodyResult, Result
from ik_node.support.exceptions import OptionError, UnsupportedError
from ik_node.support.immutable import read_only
from ik_node.tasks import Pose, Task

if TYPE_CHECKING:
    from ik_node.motion.following import Follower

_HEADROOM = 0.95  # part of velocities with an output: controllers check them in uneven cycles

AnyResult: TypeAlias = Result | BodyResult


class TaskGoal(NamedTuple):
    """A goal of a task of a group, by its name."""

    task: str
    target: Any
    """As the solver takes it: a `Goal` in the frame of the base, or the task's target (an array
    that has been checked and that nobody writes to)."""
    weights: np.ndarray | None = None  # (6,) of a Pose; None: unchanged
    header: Any = None  # of its message; not read here


class Tip(NamedTuple):
    """The end of a chain, whose task has the goals of an arm."""

    base_link: str  # the link in whose frame goals without a frame are; '' for the root link
    weights: np.ndarray  # (6,) of its goals


def tip_task(chain: Chain, weights: np.ndarray, name: str | None = None) -> Pose:
    """Return the task of the tip of a chain, with its tool; weights: (6,) of goals."""
    return Pose(chain.tip_link, None, weights, chain.tool[:3, 3], chain.tool[:3, :3], name=name)


class Group(ABC):
    """Joints that one solver moves, and the tasks that it solves for.

    What only a chain can do is absent by default.

    - `options`, `motion`: those of its source; `output`: what controllers get, and its topic.
    - `space`: the chain or the body that defines q; `chain`: the chain, None for a body.
    - `tasks`: by name; `undefined`: names of tasks that have no type yet; `reported`: names of
      those in /diagnostics.
    - `target_links`: the link in whose frame the target of each task is; None for the world.
    - `tips`: of tasks that have the goals of an arm, by the same names.
    - `solver`; `solvers`: the names that may be chosen in its place.
    - `limits`: of motion.
    - `start`: (n,) initial joint values, rad or m; `size`: how far its links reach, m.
    - `follower`: of paths of the tip on lines; None unless motion is cartesian.
    - `collisions`: its collision model, and what that keeps away from.
    """

    space: JointSpace
    chain: Chain | None = None
    tasks: Mapping[str, Task]
    undefined: tuple[str, ...] = ()
    reported: tuple[str, ...] = ()
    target_links: Mapping[str, str | None]
    tips: Mapping[str, Tip]
    solver: Any
    solvers: tuple[str, ...]
    limits: MotionLimits
    start: np.ndarray
    size: float
    follower: 'Follower | None' = None
    moves_root = False
    status_key = 'arm'  # the key of a goal's status that names its task

    def __init__(self, source: GroupSource) -> None:
        self.source, self.name = source, source.name
        self.options, self.motion = source.options, source.motion
        self.output = source.options.command_output
        self.collisions = GroupCollisions()
        if source.motion == JOINT:
            ruckig_module()

    @property
    def command_joints(self) -> Sequence[str]:
        """The joints of commands of positions, in their order."""
        return self.options.command_joints or [
            name for name in self.space.joint_names if name in self.space.tree.joints]

    def check_command_joints(self) -> None:
        """Raise OptionError unless they are joints of the tree, those of the group among them."""
        self._check_command_joints(self.space.joint_names)

    def _check_command_joints(self, needed: Sequence[str]) -> None:
        names, all_names = self.command_joints, self.space.tree.independent_joints
        missing = [name for name in needed
                   if name in self.space.tree.joints and name not in names]
        foreign = [name for name in names if name not in all_names]
        if missing or foreign or len(set(names)) < len(names):
            raise OptionError(f'{self.name}.command_joints'.lstrip('.') + (
                f' must have different joints that move by themselves, those of the arm '
                f'({", ".join(self.space.joint_names)}) among them, not {", ".join(names)}'))

    @property
    def solver_parameters(self) -> tuple[str, ...]:
        """The parameters that name the solver."""
        return (f'{self.name}.solver'.lstrip('.'),)

    @property
    def family(self) -> str:
        """The closed form of the solver; '' for other solvers."""
        return getattr(self.solver, 'family', '')

    def __repr__(self) -> str:
        return f'{self.space!r}, solver {self.solver.name}' + (
            f' ({self.family})' if self.family else '')

    @abstractmethod
    def make_goal(self, task: str, T: np.ndarray, is_point: bool, header: Any = None) -> TaskGoal:
        """Return a pose (4, 4), m, in the frame of a task's target as a goal of the task.

        is_point: whether only its position counts.
        """

    @abstractmethod
    def solve(self, goals: Sequence[TaskGoal], q0: np.ndarray, closest: bool = False) -> AnyResult:
        """Solve for goals of different tasks together, from q0 (n,), rad or m; in any thread.

        closest: find the closest configuration where there is no solution. Raises UnsupportedError
        as `solve_closest`.
        """

    @abstractmethod
    def errors(self, result: Any, task: str) -> tuple[float, float] | None:
        """Return the errors of a task in a result, m and rad; None where it has none."""

    @abstractmethod
    def keeps_goals_of(self, other: 'Group') -> bool:
        """Return whether goals of another group are valid for this one."""

    def collision_model(self) -> CollisionModel:
        """Return the model of its collisions, made by the first call; in any thread.

        Raises IkError for shapes that cannot be read.
        """
        own = self.collisions
        with own.lock:
            if own.model is None:
                made = CollisionModel(
                    cast(Any, self.space), (), self.source.collision_options.margin,
                    disabled=self.source.disabled)
                made.set_obstacles(own.world.obstacles)
                own.model = made
            return own.model

    def set_world(self, world: CollisionWorld) -> None:
        """Keep away from other obstacles from now on, unless these are older; in any thread.

        Raises IkError for shapes that cannot be read; those before then stand.
        """
        own = self.collisions
        with own.lock:
            if world.number > own.world.number:
                if own.model is not None and world.obstacles != own.world.obstacles:
                    own.model.set_obstacles(world.obstacles)
                own.world = world

    def place_others(self, values: Mapping[str, float]) -> None:
        """Keep away from joints that the group does not move at joint values, rad or m."""
        if self.collisions.model is not None:
            place_others(self.collisions.model, values)

    def checker(self, values: Mapping[str, float]) -> CollisionModel:
        """Return a model of its own for some joint values, rad or m; in any thread.

        Raises IkError as `collision_model`.
        """
        with self.collisions.lock:
            model = self.collision_model().with_margin(self.source.collision_options.margin)
        place_others(model, values)
        return model

    def _avoid(self, solver: Any, previous: 'Group | None') -> Any:
        """Return a new solver, which avoids collisions where that is wanted.

        previous: a group with the same joints of the same tree, whose shapes are not read again.
        """
        options = self.source.collision_options
        if previous is not None and previous.collisions.model is not None and (
                previous.source.disabled == self.source.disabled):
            self.collisions.model = previous.collisions.model.with_margin(options.margin)
            self.collisions.world = previous.collisions.world
        if options.avoid_collisions:
            solver.avoid(self.collision_model())
        return solver

    def with_timeout(self, timeout: float) -> 'Group':
        """Return this group with a solver of its own that has at most this timeout, s, or inf.

        Its solver does not avoid collisions yet.
        """
        twin, options = copy.copy(self), self.solver.options
        own = {name: getattr(options, name) for name in options.specs()}
        shorter = min(timeout, math.inf if own['timeout'] is None else own['timeout'])
        twin.solver = twin._make_solver(
            {**own, 'timeout': None if shorter == math.inf else shorter})
        return twin

    @abstractmethod
    def _make_solver(self, options: Mapping[str, Any]) -> Any:
        """Return a solver of the chosen name with options."""

    def initial_guesses(self, goals: Sequence[TaskGoal], q0: np.ndarray,
                        timeout: float) -> Sequence[np.ndarray | None]:
        """Return initial guesses (n,) for the goals of a path, chosen as a whole; timeout: s.

        None where it is the configuration of the goal before.
        """
        return [None] * len(goals)

    def branches(self, goal: Any, q0: np.ndarray) -> np.ndarray:
        """Return every branch (k, n) of a goal inside the limits, rad or m, the nearest first.

        Each by whole turns nearest q0 (n,). Raises UnsupportedError where the solver lists none.
        """
        raise UnsupportedError(f'{self.solver.name} lists no branches for several tasks')

    def joints_of(self, task: str) -> Sequence[str]:
        """Return the names of the joints that joint values for a task may name."""
        return self.space.joint_names

    def accept(self, goals: Sequence[TaskGoal]) -> None:
        """Store the targets of goals; those of an arm are its goals, which are not stored."""

    def reset_targets(self, q: np.ndarray) -> None:
        """Set all targets to those of the parameters, or to what the tasks meet at q (n,)."""

    def set_missing_targets(self, q: np.ndarray) -> None:
        """Set targets that are not set to what the tasks meet at q (n,)."""

    def T_world_root(self, q: np.ndarray) -> np.ndarray:
        """Return the pose of the root link (4, 4), m, at q (n,)."""
        return np.eye(4)

    def _motion_limits(self) -> MotionLimits:
        """Return the limits of motion, of velocities a part of them where a controller follows."""
        limits = self._own_limits()
        return replace(limits, velocity=read_only(_HEADROOM * limits.velocity)) if (
            self.output[1]) else limits

    def _own_limits(self) -> MotionLimits:
        return own_limits(self.options, self.space)


def solve_closest(solver: Any, *arguments: Any) -> Any:
    """Return the closest configuration of a problem, or its solution.

    Raises UnsupportedError where the solver finds neither.
    """
    try:
        return solver.closest(*arguments)
    except UnsupportedError:
        result = solver.solve(*arguments)
        if not result.success:
            raise
        return result
