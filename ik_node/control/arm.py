"""A group of one chain, whose solver meets goals of the tip."""

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ik_node.control.group import Group, TaskGoal, Tip, solve_closest, tip_task
from ik_node.control.group_source import GroupSource, configured_start, goal_weights, same_value
from ik_node.control.options import CARTESIAN
from ik_node.kinematics.reach import extent
from ik_node.model.chain import Chain
from ik_node.solvers.arm.base import Solver
from ik_node.solvers.goal import Goal
from ik_node.solvers.kernel.arm_kernel import verifier_of
from ik_node.solvers.registry import make_solver, solver_names
from ik_node.solvers.result import Result
from ik_node.support.bounds import MAX_JOINTS
from ik_node.support.exceptions import ModelError

_ANY_STEP = 1e6  # rad or m: waypoints may lie far apart


class Arm(Group):
    """One chain, with one task: the pose of its tip, which has the name of the arm.

    - `weights`: (6,) of goals, None where all are 1.
    """

    chain: Chain

    def __init__(self, source: GroupSource, previous: 'Arm | None' = None) -> None:
        """Build the chain and the solver. Raises IkError where the options do not fit the tree.

        previous: the arm that this one replaces; what the source leaves unchanged is taken from it.
        """
        super().__init__(source)
        options, name = source.options, source.name
        if previous is not None and not (source.tree is previous.source.tree and (
                options.base_link, options.tip_link) == (
                previous.options.base_link, previous.options.tip_link)
                and same_value(options.tool, previous.options.tool)):
            previous = None
        self.space = self.chain = chain = (
            options.chain(source.tree) if previous is None else previous.chain)
        if chain.n_joints > MAX_JOINTS:
            raise ModelError(f'the arm from {chain.base_link!r} to {chain.tip_link!r} '
                             f'has {chain.n_joints} joints; at most {MAX_JOINTS} are allowed')
        self.solvers = solver_names()
        self.solver: Solver = (
            previous.solver if previous is not None and source.has_same_solver(previous.source)
            else self._avoid(self._make_solver(source.solver_options), previous))
        if previous is not None and self.solver is previous.solver:
            self.collisions = previous.collisions
        self.start = configured_start(options, self.chain, source.poses, self.chain.neutral())
        weights = (previous.tips[name].weights if previous is not None and same_value(
            options.task_weights, previous.options.task_weights)
            else goal_weights(options, self.chain))
        self.weights = None if (weights == 1.0).all() else weights
        self.target_links = {name: self.chain.base_link}
        self.tips = {name: Tip(self.chain.base_link, weights)}
        self.tasks = {name: tip_task(self.chain, weights)}
        self.size = extent(self.chain.arrays).reach if previous is None else previous.size
        self.limits = self._motion_limits()
        if self.motion == CARTESIAN:
            # Its splines are scipy's, which take a third of the node's start to import.
            from ik_node.motion.following import Follower
            self.follower = Follower(self.solver)

    def _make_solver(self, options: Mapping[str, Any]) -> Solver:
        return make_solver(self.options.solver, self.chain, **options)

    def make_goal(self, task: str, T: np.ndarray, is_point: bool, header: Any = None) -> TaskGoal:
        """Return a pose of the tip (4, 4), m, in the base, or its position, as a goal."""
        weights = self.weights
        if not is_point:
            return TaskGoal(task, Goal.from_pose(T, weights), None, header)
        if weights is not None and not weights[:3].any():
            weights = None
        return TaskGoal(task, Goal(position=T[:3, 3], weights=weights), None, header)

    def solve(self, goals: Sequence[TaskGoal], q0: np.ndarray, closest: bool = False) -> Result:
        if not closest:
            return self.solver.solve(goals[0].target, q0)
        result: Result = solve_closest(self.solver, goals[0].target, q0)
        return result

    def errors(self, result: Any, task: str) -> tuple[float, float]:
        return result.position_error, result.orientation_error

    def keeps_goals_of(self, other: Group) -> bool:
        """Return whether another group has the same links of the same tree, and the same tool."""
        own, chain = self.chain, other.chain
        return chain is not None and own.tree is chain.tree and own.links == chain.links and (
            np.array_equal(own.tool, chain.tool))

    def initial_guesses(self, goals: Sequence[TaskGoal], q0: np.ndarray,
                        timeout: float) -> Sequence[np.ndarray | None]:
        """Return the configurations of the path, chosen as a whole, where it meets the goals."""
        path = self.solver.solve_path([goal.target for goal in goals], q0, _ANY_STEP, timeout)
        return [q if met else None for q, met in zip(path.q, path.success)]

    @functools.cached_property
    def closed_form(self) -> Solver:
        """The solver that lists branches, whatever solves the goals.

        Raises UnsupportedError where the arm has no closed form.
        """
        lists = type(self.solver).solve_all is not Solver.solve_all
        return self.solver if lists else make_solver('analytic', self.chain)

    def branches(self, goal: Goal, q0: np.ndarray) -> np.ndarray:
        found: np.ndarray = self.closed_form.solve_all(goal)
        for q in found:
            verifier_of(self.solver.chain).nearest_turn(q0, q)
        weights = self.solver.options.joint_weights
        apart = np.square(found - q0) @ (
            np.ones(len(q0)) if weights is None else weights)
        return found[np.argsort(apart, kind='stable')]
