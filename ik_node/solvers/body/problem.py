"""Tasks stacked by level: the rows that a solver works on, and what they miss."""

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ik_node.exceptions import InputError, shown
from ik_node.model.body import Body
from ik_node.model.body_frames import BodyFrames
from ik_node.solvers.body.compiled import PackedLevel
from ik_node.solvers.body.packing import PackedTasks
from ik_node.tasks.base import Rows, Task


class LevelRows(NamedTuple):
    """The rows of one level at some q, weighted: A Δq = e is wanted, A Δq ≥ e where one-sided."""

    A: np.ndarray
    """(m, n)."""
    e: np.ndarray
    """(m,) what is missing; of one-sided rows negative where there is more than is asked for."""
    one_sided: np.ndarray
    """(m,) bool."""
    cost: float
    """Σ weight · energy of the tasks, see `Task.energy`."""
    met: bool
    """Whether every necessary task of the level is within the tolerances."""

    def violation(self) -> float:
        """Return the length of what is missed, weighted."""
        return float(np.linalg.norm(missed(self.e, self.one_sided)))


def missed(e: np.ndarray, one_sided: np.ndarray) -> np.ndarray:
    """Return e (m,) with the one-sided rows that hold at 0."""
    return np.where(one_sided & (e < 0.0), 0.0, e)


class Level:
    """Tasks of one level, with the kinds of their rows at the time it is made."""

    def __init__(self, body: Body, tasks: Sequence[Task], position_tolerance: float,
                 orientation_tolerance: float, packed: PackedTasks | None = None) -> None:
        """Lay out the rows. Raises an IkError, naming the task, for one that cannot be solved.

        packed: tasks that contain these, for kernels; None where Python evaluates the tasks.
        """
        self.tasks = [task for task in tasks if task.weight > 0.0]
        layouts = []
        for task in self.tasks:
            layouts.append(layout(task, body))
        self.sizes = [len(each.metres) for each in layouts]
        ends = np.cumsum([0, *self.sizes])
        self.slices = [slice(a, b) for a, b in itertools.pairwise(ends)]
        self.one_sided = np.concatenate([np.zeros(0, bool), *(one.one_sided for one in layouts)])
        self.any_one_sided = bool(self.one_sided.any())
        self._row_weights = [np.array(one.weights) for one in layouts]
        self.scale = np.concatenate([np.zeros(0), *(
            np.sqrt(task.weight) * one.weights for task, one in zip(self.tasks, layouts))])
        self._is_scaled = bool((self.scale != 1.0).any())
        self._needed = [(part, one.metres, bool(one.metres.all()), not one.metres.any())
                        for task, part, one in zip(self.tasks, self.slices, layouts)
                        if task.is_necessary]
        self._tolerances = position_tolerance, orientation_tolerance
        self._own_energy = any(type(task).energy is not Task.energy for task in self.tasks)
        self.is_necessary = bool(self._needed)
        self.all_necessary = len(self._needed) == len(self.tasks)
        self.packed = None if packed is None else PackedLevel(
            packed, [packed.tasks.index(task) for task in self.tasks])

    @classmethod
    def merged(cls, levels: 'Sequence[Level]', body: Body) -> 'Level':
        """Return the tasks of several levels as one."""
        first = levels[0]
        return cls(body, [task for level in levels for task in level.tasks], *first._tolerances,
                   None if first.packed is None else first.packed.packed)

    def evaluate(self, frames: BodyFrames) -> LevelRows:
        """Return the rows at some frames."""
        if self.packed is not None:
            A, e, cost, met = self.packed.rows(frames.q)
            return LevelRows(A, e, self.one_sided, cost, met)
        J = np.empty((len(self.one_sided), frames.body.n_joints))
        r = np.empty(len(J))
        for task, part in zip(self.tasks, self.slices):
            r[part], J[part] = task.evaluate(frames)
        lacking = missed(-r, self.one_sided) if self.any_one_sided else r
        met = all(self._is_met(lacking[part], metres, all_metres, all_radians)
                  for part, metres, all_metres, all_radians in self._needed)
        if self._own_energy:
            cost = sum(task.weight * task.energy(frames, -lacking[part] if self.any_one_sided
                                                 else r[part], weights)
                       for task, part, weights in zip(self.tasks, self.slices, self._row_weights))
        else:
            weighted = self.scale * lacking if self._is_scaled else lacking
            cost = 0.5 * float(weighted @ weighted)
        if self._is_scaled:
            J *= self.scale[:, None]
            r *= self.scale
        np.negative(r, out=r)
        return LevelRows(J, r, self.one_sided, cost, met)

    def _is_met(self, lacking: np.ndarray, metres: np.ndarray, all_metres: bool,
                all_radians: bool) -> bool:
        position, orientation = self._tolerances
        if all_metres:
            return bool(lacking @ lacking <= position * position)
        if all_radians:
            return bool(lacking @ lacking <= orientation * orientation)
        p, o = lacking[metres], lacking[~metres]
        return bool(p @ p <= position * position and o @ o <= orientation * orientation)


def layout(task: Task, body: Body) -> Rows:
    """Return the rows of a task; raise an IkError that names it where it cannot be solved."""
    task.check(body)
    task.check_target()
    return task.rows(body)


def errors(task: Task, frames: BodyFrames) -> tuple[float, float]:
    """Return what a task misses at some frames: the lengths of its rows in metres and in radians.

    One-sided rows that hold miss nothing, nor does a force.
    """
    if not task.misses:
        return 0.0, 0.0
    one = task.rows(frames.body)
    r, _ = task.evaluate(frames)
    lacking = np.where(one.one_sided & (r > 0.0), 0.0, r)
    along, about = lacking[one.metres], lacking[~one.metres]
    return math.sqrt(along @ along), math.sqrt(about @ about)


def checked_tasks(body: Body, tasks: object) -> tuple[Task, ...]:
    """Return tasks as a tuple. Raises an IkError for what is none, and what does not fit a body."""
    if isinstance(tasks, Task) or not isinstance(tasks, (list, tuple)):
        raise InputError(f'tasks must be a list of tasks, not {shown(tasks)}')
    if not tasks:
        raise InputError('tasks must have at least one task')
    for k, task in enumerate(tasks):
        if not isinstance(task, Task):
            raise InputError(f'tasks[{k}] must be a task of ik_node.tasks, not {shown(task)}')
        task.check(body)
    return tuple(tasks)


def unique_names(tasks: Sequence[Task]) -> tuple[str, ...]:
    """Return the tasks' names; those made by themselves get a number where they are taken.

    Raises InputError for a name that two tasks were given.
    """
    taken: set[str] = set()
    for task in tasks:
        if task.has_own_name:
            if task.name in taken:
                raise InputError(f'two tasks have the name {task.name!r}; results are by name')
            taken.add(task.name)
    found = []
    for task in tasks:
        name, number = task.name, 1
        while not task.has_own_name and name in taken:
            number += 1
            name = f'{task.name}_{number}'
        taken.add(name)
        found.append(name)
    return tuple(found)
