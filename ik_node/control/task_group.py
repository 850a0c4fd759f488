"""A group of several tasks, which a solver of a whole body meets together; one without tasks."""

import copy
import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ik_node.control.group import Group, TaskGoal, Tip, solve_closest, tip_task
from ik_node.control.group_source import GroupSource, configured_start, goal_weights, same_value
from ik_node.control.options import BODY_SOLVERS, CARTESIAN, JUMP, ArmOptions
from ik_node.control.task_options import NO_TYPE, make_task
from ik_node.model.body import Body, BodyFrames, root_values
from ik_node.solvers.body.base import BodySolver
from ik_node.solvers.registry import make_body_solver
from ik_node.solvers.result import BodyResult
from ik_node.spatial import rotation_exp, rpy_from_matrix
from ik_node.support.bounds import MAX_JOINTS
from ik_node.support.exceptions import ModelError, OptionError, names
from ik_node.tasks import Posture, RelativePose, Task
from ik_node.tasks.base import set_checked

GOAL = 'goal'  # the name of the task of a group without tasks of its own: the pose of the tip


class TaskGroup(Group):
    """The joints of a body, and its tasks.

    Its solver has copies of the tasks, whose targets may be those of a goal that is not met yet.
    """

    status_key = 'task'
    body: Body
    solver: BodySolver
    tasks: dict[str, Any]
    _copies: dict[str, Any]
    _targeted: list[tuple[Any, Any]]

    def __init__(self, source: GroupSource, previous: 'TaskGroup | None' = None) -> None:
        """Build body, tasks and solver. Raises IkError for values that do not fit the tree.

        previous: the group that this one replaces. Tasks with unchanged options are taken from it,
        with their present targets; changed ones keep the target where it is valid.
        """
        super().__init__(source)
        if self.motion == CARTESIAN:
            raise OptionError('motion cartesian moves one tip on a line; with several tips or '
                              'tasks use jump or joint')
        if previous is not None and previous.source.tree is not source.tree:
            previous = None
        joints = self._joints()
        like = previous if previous is not None and (
            previous.source.root == source.root and previous._joints() == joints) else None
        self.space = self.body = (
            source.tree.body(source.root, joints) if like is None else like.body)
        if self.body.n_joints > MAX_JOINTS:
            raise ModelError(f'{source.tree.name!r} has {self.body.n_joints} joints; at most '
                             f'{MAX_JOINTS} are allowed')
        self.tips: dict[str, Tip] = {}
        self.tasks = self._make_tasks(previous)
        self.target_links = {name: task.reference if isinstance(task, RelativePose) else None
                             for name, task in self.tasks.items()}
        self.reported = tuple(source.task_options or self.tasks)
        self.undefined = tuple(name for name in source.task_options if name not in self.tasks)
        self.solvers, self.moves_root = BODY_SOLVERS, source.root != 'fixed'
        self.start = self._start()
        if like is not None and source.has_same_solver(like.source) and (
                list(self.tasks.values()) == list(like.tasks.values())):
            self._copies, self._targeted = like._copies, like._targeted
            self.solver, self.collisions = like.solver, like.collisions
        else:
            self.solver = self._avoid(self._make_solver(source.solver_options), like)
        self.limits = self._motion_limits()
        if like is not None:
            self.size = like.size
        else:  # the largest distance of two links along an axis
            places = [T[:3, 3] for T in self.body.forward(self.body.neutral()).values()]
            self.size = float(np.ptp(places, axis=0).max())

    def __repr__(self) -> str:
        return f'{super().__repr__()}, tasks {names(self.tasks) if self.tasks else "without types"}'

    def make_goal(self, task: str, T: np.ndarray, is_point: bool, header: Any = None) -> TaskGoal:
        own, weights = self.tasks[task], None
        target = own.target_from(T, is_point)
        if task in self.tips:
            weights = self.tips[task].weights.copy()
            if is_point and weights[:3].any():
                weights[3:] = 0.0
        return TaskGoal(task, target, weights, header)

    def T_world_root(self, q: np.ndarray) -> np.ndarray:
        T = np.eye(4)
        if self.source.root == 'planar':
            c, s = np.cos(q[2]), np.sin(q[2])
            T[:2, :2], T[:2, 3] = [[c, -s], [s, c]], q[:2]
        elif self.source.root == 'floating':
            T[:3, :3], T[:3, 3] = rotation_exp(q[3:6]), q[:3]
        return T

    def solve(self, goals: Sequence[TaskGoal], q0: np.ndarray, closest: bool = False) -> BodyResult:
        """Solve the tasks from q0 (n,): for goals, and for the targets of others that stand."""
        with self.solver.lock:
            for own, task in self._targeted:
                if task.target is not own.target:
                    set_checked(task, own.target)
            for goal in goals:
                set_checked(self._copies[goal.task], goal.target)
            if self.tips:
                self._set_weights(goals)
            result: BodyResult = (
                solve_closest(self.solver, q0) if closest else self.solver.solve(q0))
        return result

    def accept(self, goals: Sequence[TaskGoal]) -> None:
        """Let the targets of goals stand from now on."""
        for goal in goals:
            task = self.tasks[goal.task]
            set_checked(task, goal.target)
            if goal.weights is not None:
                task.weights = goal.weights

    def _set_weights(self, goals: Sequence[TaskGoal]) -> None:
        """Set the weights of tips for goals; the solver is made anew for those that differ."""
        weights = {name: self.tasks[name].weights for name in self.tips} | {
            goal.task: goal.weights for goal in goals if goal.weights is not None}
        for name, wanted in weights.items():
            if wanted.tobytes() != self._copies[name].weights.tobytes():
                self._copies[name].weights = wanted

    def errors(self, result: Any, task: str) -> tuple[float, float] | None:
        found: tuple[float, float] | None = result.errors.get(task)
        return found

    def keeps_goals_of(self, other: Group) -> bool:
        """Return whether the other group has tasks, whose targets are those of this group."""
        return True

    def _make_solver(self, options: Mapping[str, Any]) -> BodySolver:
        self._copies = {name: copy.copy(task) for name, task in self.tasks.items()}
        self._targeted = [(self.tasks[name], task) for name, task in self._copies.items()
                          if hasattr(task, 'target')]
        # Until a task has a type, the solver has nothing to do.
        tasks = tuple(self._copies.values()) or (Posture(self.start),)
        return make_body_solver(self.options.solver, self.body, tasks, **options)

    def set_missing_targets(self, q: np.ndarray) -> None:
        frames = BodyFrames(self.body, q)
        for task in self.tasks.values():
            if getattr(task, 'target', 0) is None and getattr(task, 'polygon', None) is None:
                task.target = task.target_in(frames)

    def reset_targets(self, q: np.ndarray) -> None:
        for name, task in self.tasks.items():
            if hasattr(task, 'target'):
                options = self.source.task_options.get(name)
                task.target = None if options is None or options.target is None else (
                    make_task(name, options).target)
        self.set_missing_targets(q)

    def _make_tasks(self, previous: 'TaskGroup | None') -> dict[str, Task]:
        """Return the tasks that have a type, or the pose of the tip where there are none."""
        source = self.source
        if not source.task_options:
            return {GOAL: self._tip_task(GOAL, self.options, previous)}
        made: dict[str, Task] = {}
        for name, options in source.task_options.items():
            before = None if previous is None else previous.tasks.get(name)
            former = None if previous is None else previous.source.task_options.get(name)
            if options.type == NO_TYPE:
                continue
            if before is None or former is None:
                made[name] = make_task(name, options)
            elif same_value(options, former):
                made[name] = before
            else:
                made[name] = make_task(name, options)
                if hasattr(before, 'target') and same_value(options.target, former.target) and (
                        options.type, options.link, options.reference) == (
                        former.type, former.link, former.reference):  # it is valid
                    made[name].target = before.target
        return made

    def _tip_task(self, name: str, options: ArmOptions, previous: 'TaskGroup | None') -> Task:
        """Return the pose of a tip, with the present target where the tip is the same."""
        chain = options.chain(self.source.tree)
        weights = goal_weights(options, chain)
        self.tips[name] = Tip(options.base_link, weights)
        task = tip_task(chain, weights, name)
        before = previous.tasks.get(name) if previous is not None and (
            name in previous.tips) else None
        if before is not None and before.place == task.place:
            task.target = before.target
        return task

    def _joints(self) -> Sequence[str] | None:
        """Return the names of the joints of the body; None for all."""
        return None

    def _start(self) -> np.ndarray:
        """Return the start pose (n,): the root as placed, then the joints."""
        source, neutral = self.source, self.body.neutral()
        T = source.T_world_root
        if source.root == 'planar':
            roll, pitch, _ = rpy_from_matrix(T[:3, :3])
            if max(abs(T[2, 3]), abs(roll), abs(pitch)) > 1e-9:
                raise OptionError('root_pose must be x y 0 0 0 yaw with a planar root')
        placed = root_values(source.root, T)
        neutral[:len(placed)] = placed
        return configured_start(self.options, self.body, source.poses, neutral, len(placed))


class SideJoints(TaskGroup):
    """The joints that no arm has, such as those of a gripper or a head.

    Goals of joint values, and joint velocities of servo, move them in joint space. Its solver only
    has the collisions.
    """

    status_key = 'arm'

    def __init__(self, source: GroupSource, previous: 'SideJoints | None' = None) -> None:
        super().__init__(dataclasses.replace(source, motion=JUMP), previous)
        self.source, self.motion = source, source.motion

    def __repr__(self) -> str:
        return f'joints beside the arms: {", ".join(self.space.joint_names)}'

    def check_command_joints(self) -> None:
        """Raise OptionError unless they are joints of the tree; not all of the group need be."""
        self._check_command_joints(())

    def _joints(self) -> Sequence[str]:
        return self.source.joints

    def _make_tasks(self, previous: TaskGroup | None) -> dict[str, Task]:
        return {}

    def _start(self) -> np.ndarray:
        return self.body.neutral()
