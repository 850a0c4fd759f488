"""One arm of the robot: its chain, its solver and its options."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ik_node.control.group import Aim, Group, configured_start, run_solver
from ik_node.control.options import CARTESIAN, JOINT, JUMP, ArmOptions
from ik_node.kinematics.reach import reach
from ik_node.model.chain import Chain
from ik_node.model.pose_library import PoseLibrary
from ik_node.model.tree import KinematicTree
from ik_node.motion.ruckig_profile import ruckig_module
from ik_node.solvers.base import Solver
from ik_node.solvers.goal import Goal
from ik_node.solvers.records import verifier_of
from ik_node.solvers.registry import make_solver
from ik_node.solvers.result import Result
from ik_node.support.bounds import MAX_JOINTS
from ik_node.support.exceptions import ModelError, OptionError
from ik_node.support.options import Options
from ik_node.workspace.task_rank import task_rank

if TYPE_CHECKING:
    from ik_node.motion.following import Follower

AUTO = 'auto'  # task_weights: the axes that the arm can serve


class Arm(Group):
    """One chain of the robot, its solver and its options.

    Attributes, besides those of a group:
    - `chain`, its space; `solver`.
    - `task_weights`: (6,) of goals; `weights`: the same, None where all are 1.
    - `reach`: of the tip, m.
    - `follower`: of paths of the tip, None unless motion is cartesian.
    """

    def __init__(self, name: str, tree: KinematicTree, options: ArmOptions,
                 solver_options: Mapping[str, Any], poses: PoseLibrary | None = None,
                 motion: str = JUMP, previous: 'Arm | None' = None) -> None:
        """Build the chain and the solver. Raises IkError where the options do not fit the tree.

        solver_options: of the chosen solver. poses: for named start poses. motion: the value of the
        parameter. previous: the arm that this one replaces; what the options leave unchanged, its
        chain, solver and reach, is taken from it.
        """
        self.name, self.options, self.motion = name, options, motion
        self._solver_options, self._poses = dict(solver_options), poses
        if previous is not None and not previous.is_chain_of(tree, options):
            previous = None
        self.chain: Chain = self._make_chain(tree) if previous is None else previous.chain
        self.space = self.chain
        self.solver: Solver = (
            previous.solver if previous is not None and previous.solves_with(
                options.solver, solver_options)
            else make_solver(options.solver, self.chain, **solver_options))
        self.start = configured_start(options, self.chain, poses, self.chain.neutral())
        self.task_weights: np.ndarray = (
            previous.task_weights if previous is not None and same_value(
                options.task_weights, previous.options.task_weights)
            else goal_weights(options, self.chain))
        self.weights = None if (self.task_weights == 1.0).all() else self.task_weights
        self.reach: float = reach(self.chain.arrays)[1] if previous is None else previous.reach
        self.limits = self._motion_limits()
        self.follower = self._make_follower() if motion == CARTESIAN else None
        if motion == JOINT:
            ruckig_module()

    def is_built_from(self, tree: KinematicTree, options: ArmOptions,
                      solver_options: Mapping[str, Any], poses: PoseLibrary | None,
                      motion: str) -> bool:
        """Return whether an arm built from these arguments would be the same."""
        return (self.chain.tree is tree and poses is self._poses and motion == self.motion
                and same_options(options, self.options)
                and self.solves_with(options.solver, solver_options))

    def is_chain_of(self, tree: KinematicTree, options: ArmOptions) -> bool:
        """Return whether the options choose the same chain of the same tree."""
        return self.chain.tree is tree and (options.base_link, options.tip_link) == (
            self.options.base_link, self.options.tip_link)

    def solves_with(self, solver: str, options: Mapping[str, Any]) -> bool:
        """Return whether the solver has this name and these options."""
        return solver == self.options.solver and options.keys() == self._solver_options.keys() and (
            all(same_value(value, self._solver_options[name]) for name, value in options.items()))

    def _make_chain(self, tree: KinematicTree) -> Chain:
        chain = tree.chain(self.options.base_link or None, self.options.tip_link or None)
        if chain.n_joints > MAX_JOINTS:
            raise ModelError(f'the arm from {chain.base_link!r} to {chain.tip_link!r} '
                             f'has {chain.n_joints} joints; at most {MAX_JOINTS} are allowed')
        return chain

    @property
    def solver_name(self) -> str:
        """The name of the solver."""
        return self.solver.name

    @property
    def words(self) -> str:
        """The chain and the solver, in words."""
        return f'{self.chain!r}, solver {self.solver.name}' + (
            f' ({self.family})' if self.family else '')

    @property
    def family(self) -> str:
        """The closed form of the solver, in words; '' for other solvers."""
        return getattr(self.solver, 'family', '')

    def problem(self, aims: Sequence[Aim]) -> Goal:
        """Return the goal of the tip."""
        (aim,) = aims
        goal: Goal = aim.target
        return goal

    def solve(self, problem: Goal, q0: np.ndarray, closest: bool) -> Result:
        """Solve a goal from q0 (n,); see `Group.solve`."""
        result: Result = run_solver(self.solver, closest, problem, q0)
        return result

    def accept(self, aims: Sequence[Aim]) -> None:
        """Do nothing: an arm has no targets but its goals."""

    def reset_targets(self, q: np.ndarray) -> None:
        """Do nothing; see `accept`."""

    def errors(self, result: Any, task: str) -> tuple[float, float]:
        """Return what the tip misses, m and rad."""
        return result.position_error, result.orientation_error

    def _make_follower(self) -> 'Follower':
        # Its splines are scipy's, which take a third of the node's start to import.
        from ik_node.motion.following import Follower
        return Follower(self.solver)

    def branches(self, goal: Goal, q0: np.ndarray) -> np.ndarray:
        """Return every branch (k, n) that meets a goal inside the limits, rad or m.

        Each by whole turns nearest q0 (n,), and the nearest branch first. Raises UnsupportedError
        where the solver lists no branches for this goal.
        """
        found: np.ndarray = self.solver.solve_all(goal)
        for q in found:
            verifier_of(self.solver.chain).nearest_turn(q0, q)
        weights = self.solver.options.joint_weights
        apart = np.square(found - q0) @ (
            np.ones(len(q0)) if weights is None else weights)
        return found[np.argsort(apart, kind='stable')]


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


def same_chain(chain: Chain, other: Chain) -> bool:
    """Return whether two chains are the same links of the same tree."""
    return chain.tree is other.tree and chain.links == other.links


def same_options(options: Options, other: Options) -> bool:
    """Return whether options of one type have the same values."""
    return all(same_value(getattr(options, name), getattr(other, name))
               for name in options.specs())


def same_value(value: Any, other: Any) -> bool:
    """Return whether two values of an option are the same; lists are arrays."""
    if isinstance(value, np.ndarray) or isinstance(other, np.ndarray):
        return (isinstance(value, np.ndarray) and isinstance(other, np.ndarray)
                and np.array_equal(value, other))
    return type(value) is type(other) and bool(value == other)
