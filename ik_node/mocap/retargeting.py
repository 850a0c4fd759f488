"""Retargeting: the motion of one figure leads the tasks of another."""

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ik_node.mocap import recording as recordings
from ik_node.mocap.recording import Recording
from ik_node.mocap.retargeting_map import LOOK_AT, ORIENTATION, POSITION, Entry, RetargetingMap
from ik_node.mocap.targets import make_targets
from ik_node.model.body import Body, root_values
from ik_node.model.tree import KinematicTree, check_tree
from ik_node.solvers.body.base import BodySolver
from ik_node.solvers.registry import make_body_solver
from ik_node.support.arguments import instance
from ik_node.tasks import LookAt, Orientation, Pose, Position
from ik_node.tasks.base import Task
from ik_node.tasks.posture import JointValues

_STRICT = 1e4            # least_squares: weight of constraints among the other tasks
_LOOK_DISTANCE = 2.0     # m: of the point that a gaze meets
_FIRST_ITERATIONS = 500  # for the first frame, which begins at the rest pose
_TOLERANCE = 1e-4        # m and rad: of constraints, at which the search ends


class Miss(NamedTuple):
    """How a task is missed in a motion."""

    frames: int  # in how many frames it is beyond a tolerance of the map
    position: float  # the largest error, m
    orientation: float  # the largest error, rad
    frame: int
    """Where the larger of the two errors, each over its tolerance, is largest; the first is 1."""


class Retargeted(NamedTuple):
    """A motion for another robot, and how well it follows."""

    recording: Recording  # values of the robot's joints and of its root, `ROOT_JOINTS`
    misses: dict[str, Miss]  # {task: how it is missed}, of the tasks that are
    missed_frames: int  # in how many frames some task is missed
    held: dict[str, int]  # {task that is held: for how many stands}
    solve_times: np.ndarray  # (m,) s, of each frame: targets, solver and verification

    def report(self) -> str:
        """Return a sentence about missed frames and their tasks; '' where there are none."""
        if not self.misses:
            return ''
        tasks = '; '.join(
            f'{name} in {miss.frames}, most in frame {miss.frame} (largest errors '
            f'{1e3 * miss.position:.1f} mm, {miss.orientation:.3f} rad)'
            for name, miss in self.misses.items())
        return f'{self.missed_frames} of {self.recording.n_frames} frames miss tasks: {tasks}'


def retarget(recording: Recording, robot: KinematicTree, mapping: RetargetingMap,
             progress: Callable[[int, int], None] | None = None) -> Retargeted:
    """Return the motion of a robot whose tasks a recorded motion of another figure leads.

    Every frame is solved from the one before, inside the limits. progress(done, total) is called
    after each frame. With the solver least_squares, constraints (links that are held, and entries
    of priority 0) have 10⁴ times the weight of others, in one problem, so that a frame takes a
    fraction of a millisecond; other solvers treat them as tasks of priority 0. Raises ModelError
    where the map does not fit to figure or robot.
    """
    instance(recording, Recording, 'a Recording is needed')
    check_tree(robot)
    mapping.check(recording.tree, robot)
    targets = make_targets(recording, robot, mapping)
    follower = _Follower(robot, mapping)
    q = follower.start(targets.root)
    standing = {name: {k for stand in stands for k in range(stand.first, stand.last + 1)}
                for name, stands in targets.stands.items()}
    rows, times, errors = [], [], []
    for k in range(recording.n_frames):
        held = frozenset(name for name, frames in standing.items() if k in frames)
        started = time.perf_counter()
        q, missed = follower.solve({name: poses[k] for name, poses in targets.poses.items()}, held,
                                   q, k == 0)
        times.append(time.perf_counter() - started)
        rows.append(follower.values(q))
        errors.append(missed)
        if progress is not None:
            progress(k + 1, recording.n_frames)
    moved = Recording(follower.recorded, follower.joint_names, recording.times, np.array(rows),
                      f'{recording.source} on {robot.name!r}')
    misses, count = _misses(errors, mapping)
    return Retargeted(moved, misses, count,
                      {name: len(stands) for name, stands in targets.stands.items()},
                      np.array(times))


class _Follower:
    """Solves the frames: the body, the tasks, and a solver for each set of held links."""

    def __init__(self, robot: KinematicTree, mapping: RetargetingMap) -> None:
        self._rooted, self._mapping = recordings.has_root_joints(robot), mapping
        self.body: Body = robot.body('fixed' if self._rooted else 'floating')
        self.recorded = recordings.with_root_joints(robot)
        own = self.body.joint_names if self._rooted else self.body.joint_names[6:]
        self._own = np.array([name in own and name not in recordings.ROOT_JOINTS
                              for name in self.body.joint_names])
        self.joint_names = own if self._rooted else (*recordings.ROOT_JOINTS, *own)
        self._solvers: dict[tuple[frozenset[str], bool], tuple[BodySolver, dict[str, Task]]] = {}

    def start(self, T_world_root: np.ndarray) -> np.ndarray:
        """Return the rest pose (n,) with the root (4, 4), m, where it begins."""
        q, names = self.body.neutral(), self.body.joint_names
        for joint, value in self._mapping.robot_rest.items():
            if joint in names:
                q[names.index(joint)] = value
        if not self._rooted:
            q[:6] = root_values('floating', T_world_root)
        return q

    def solve(self, poses: dict[str, np.ndarray], held: frozenset[str], q: np.ndarray,
              is_first: bool) -> tuple[np.ndarray, dict[str, tuple[float, float]]]:
        """Return joint values (n,) for poses {entry: (4, 4)}, and what tasks miss, m and rad."""
        solver, tasks = self._solver(held, is_first)
        for name, task in tasks.items():
            _set_target(task, self._mapping.tasks[name], poses[name])
        for task in solver.tasks:
            if isinstance(task, JointValues):
                task.q = q
        result = solver.solve(q)
        return result.q, {name: result.errors[name] for name in tasks}

    def values(self, q: np.ndarray) -> np.ndarray:
        """Return what is recorded of q (n,): values of `joint_names`, m and rad."""
        if self._rooted:
            return q
        T = self.body.forward(q)[self.body.tree.root]
        return np.concatenate([recordings.root_values(T), q[6:]])

    def _solver(self, held: frozenset[str],
                is_first: bool) -> tuple[BodySolver, dict[str, Task]]:
        """Return the solver, and {entry: its task}, while some links are held."""
        if (held, is_first) not in self._solvers:
            options = self._mapping.options
            tasks = {name: _task(name, entry, name in held, options.solver)
                     for name, entry in self._mapping.tasks.items() if entry.weight > 0.0}
            for task in tasks.values():
                _set_target(task, self._mapping.tasks[str(task.name)], np.eye(4))
            smooth = [] if is_first or options.smoothness == 0.0 else [JointValues(
                np.zeros(self.body.n_joints), self._own.astype(float),
                weight=options.smoothness, priority=2)]
            solver = make_body_solver(
                options.solver, self.body, [*tasks.values(), *smooth], max_restarts=0,
                max_iterations=_FIRST_ITERATIONS if is_first else options.max_iterations,
                position_tolerance=_TOLERANCE, orientation_tolerance=_TOLERANCE)
            self._solvers[held, is_first] = solver, tasks
        return self._solvers[held, is_first]


def _task(name: str, entry: Entry, is_held: bool, solver: str) -> Task:
    """Return the task of an entry; least_squares has them all in one problem."""
    strict = is_held or entry.priority == 0
    common: dict[str, Any] = {'name': name, 'weight': entry.weight,
                              'priority': 0 if is_held else entry.priority}
    if solver == 'least_squares':
        common.update(priority=1 if strict else 2,
                      weight=entry.weight * (_STRICT if strict else 1.0))
    if entry.type == LOOK_AT:
        return LookAt(entry.link, entry.axis, **common)
    kind: Any = {POSITION: Position, ORIENTATION: Orientation}.get(entry.type, Pose)
    return kind(entry.link, **common)


def _set_target(task: Any, entry: Entry, T: np.ndarray) -> None:
    """Set the target of a task from the target pose (4, 4), m, of its entry."""
    if entry.type == LOOK_AT:
        task.target = T[:3, 3] + _LOOK_DISTANCE * T[:3, :3] @ task.axis
    else:
        task.target = task.target_from(T, is_point=False)


def _misses(errors: list[dict[str, tuple[float, float]]],
            mapping: RetargetingMap) -> tuple[dict[str, Miss], int]:
    """Return how tasks are missed, and in how many frames some task is."""
    options = mapping.options
    tolerances = np.array([options.position_tolerance, options.orientation_tolerance])
    misses, missed = {}, np.zeros(len(errors), dtype=bool)
    for name in errors[0]:
        found = np.array([frame[name] for frame in errors])
        over = (found / tolerances).max(axis=1)
        if over.max() > 1.0:
            missed |= over > 1.0
            position, orientation = found.max(axis=0).tolist()
            misses[name] = Miss(int((over > 1.0).sum()), position, orientation,
                                int(np.argmax(over)) + 1)
    return misses, int(missed.sum())
