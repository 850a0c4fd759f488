"""The tasks of a body solver as its kernels evaluate them, by level."""

import itertools
import math
import zlib
from collections.abc import Sequence
from contextlib import AbstractContextManager
from operator import attrgetter
from typing import Any

import numpy as np

from ik_node.model.body import Body
from ik_node.solvers.kernel.body.descent import Descent, DescentData, TaskJudge
from ik_node.solvers.kernel.body.stacked_tasks import StackedTasks
from ik_node.solvers.kernel.body.steps import Limits
from ik_node.solvers.kernel.evolution import Evolution, first_state
from ik_node.solvers.options import BodyOptions
from ik_node.solvers.result import REASONS
from ik_node.solvers.solver_output import Attempt, LevelRows
from ik_node.support.exceptions import InputError, shown
from ik_node.tasks.base import RowKinds, Task, is_built_in, record_of

_changes = attrgetter('changes')


class Records:
    """Tasks on a body, made once. At each solve targets that have changed are written anew.

    Anything else that has changed makes them anew: see `refresh`.

    - `body`, `tasks`, `limits`; `layouts`: what the rows of each task are.
    - `check`: verifies joint values.
    """

    def __init__(self, body: Body, tasks: Sequence[Task], limits: Limits, options: BodyOptions,
                 lock: AbstractContextManager[Any]) -> None:
        """Take tasks. Raises an IkError, naming the task, for one that cannot be solved.

        lock: held by a search, whose targets must not change.
        """
        self.body, self.tasks, self.limits = body, tuple(tasks), limits
        self._options, self._lock = options, lock
        self.layouts = [_layout(task, body) for task in tasks]
        self._changes = list(map(_changes, tasks))
        self._remakes = [task.remakes for task in tasks]
        self._targeted = [getattr(task, 'target', None) is not None for task in tasks]
        self._own = {k: _described(task, body) for k, task in enumerate(tasks)
                     if not is_built_in(task)}
        self._records = [record_of(task, body, k) for k, task in enumerate(tasks)]
        self._idle: list[DescentData] = []
        self._whole = self.stacked([range(len(tasks))])
        self.check = self.descent(self._whole)
        self._merged: dict[Any, TaskLevel] = {}

    def refresh(self) -> bool:
        """Write targets that have changed; tell whether that was enough.

        The rows, weights and priorities of tasks written in Python are compared each time. Raises
        an IkError for one of them that cannot be solved.
        """
        for k, before in self._own.items():
            now = _described(self.tasks[k], self.body)
            if not all(np.array_equal(a, b) for a, b in zip(before, now)):
                return False
        changes = list(map(_changes, self.tasks))
        if changes == self._changes:
            return True
        with self._lock:
            for k, task in enumerate(self.tasks):
                if changes[k] == self._changes[k]:
                    continue
                if task.remakes != self._remakes[k] or not self._targeted[k] or task.target is None:
                    return False
                if k not in self._own:
                    self._records[k].set_target(task.target)
            self._changes = changes
        return True

    def stacked(self, levels: Sequence[Sequence[int]],
                factors: Sequence[float] = ()) -> StackedTasks:
        """Return levels of tasks, given by their indices, for kernels.

        factors: what the rows of each task are multiplied by, in addition to their weights.
        """
        def entry(k: int) -> tuple[Any, ...]:
            task, one = self.tasks[k], self.layouts[k]
            scale = math.sqrt(task.weight) * one.weights
            return (self._records[k], task.is_necessary, one.metres, one.one_sided,
                    factors[k] * scale if factors else scale)
        return StackedTasks([[entry(k) for k in level] for level in levels],
                            self._options.position_tolerance, self._options.orientation_tolerance)

    def descent(self, level: StackedTasks) -> Descent:
        """Return what searches for the tasks of one level."""
        return Descent(self.body.record, level, self._whole, self.limits,
                       self._options.max_iterations, self._idle)

    def merged(self, levels: 'Sequence[TaskLevel]', factors: Sequence[float] = ()) -> 'TaskLevel':
        """Return the tasks of several levels as one; factors: of the rows of each level."""
        if len(levels) == 1 and not factors:
            return levels[0]
        tasks = [task for level in levels for task in level.tasks]
        key = tuple(map(id, tasks)), tuple(factors)
        if key not in self._merged:
            own = [1.0] * len(self.tasks) if factors else []
            for level, factor in zip(levels, factors):
                for k in level.indices:
                    own[k] = factor
            self._merged[key] = TaskLevel(self, tasks, own)
        return self._merged[key]


def _layout(task: Task, body: Body) -> RowKinds:
    """Return the rows of a task; raise an IkError that names it where it cannot be solved."""
    task.check(body)
    task.check_target()
    return task.rows(body)


def _described(task: Task, body: Body) -> tuple[Any, ...]:
    """Return the rows, weight and priority of a task."""
    return (*_layout(task, body), task.weight, task.priority, task.affects_success)


class TaskLevel:
    """Tasks of one level, with the kinds of their rows at the time it is made.

    - `solve`: descends and verifies, see `Descent.solve`.
    """

    def __init__(self, records: Records, tasks: Sequence[Task],
                 factors: Sequence[float] = ()) -> None:
        """Take tasks of some records; factors: see `Records.stacked`."""
        self.records, self.tasks = records, list(tasks)
        self.indices = [records.tasks.index(task) for task in tasks]
        sides = [records.layouts[k].one_sided for k in self.indices]
        ends = itertools.accumulate(map(len, sides), initial=0)
        self.slices = [slice(a, b) for a, b in itertools.pairwise(ends)]
        self.one_sided = np.concatenate([np.zeros(0, bool), *sides])
        needed = [task.is_necessary for task in tasks]
        self.is_necessary, self.all_necessary = any(needed), all(needed)
        self._descent = records.descent(records.stacked([self.indices], factors))
        self.solve = self._descent.solve

    def evaluate(self, q: np.ndarray) -> LevelRows:
        """Return the rows at q (n,)."""
        A, e, cost, met = self._descent.rows(q)
        return LevelRows(A, e, self.one_sided, cost, met)

    def descend(self, q: np.ndarray, deadline: float, settles: bool = False) -> Attempt:
        """Minimise the cost from q (n,); see `Descent.run`, and `Budget` for the deadline."""
        q, reason, iterations = self._descent.run(q, deadline, settles)
        return Attempt(q, REASONS[reason], iterations)

    def evolve(self, evolution: Evolution, seed: int, q: np.ndarray, start: np.ndarray,
               deadline: float) -> Attempt:
        """Return the best of all generations; see `Evolution.run`."""
        state = first_state((seed + zlib.crc32(q.tobytes())) % 2**31)
        judge = TaskJudge(self._descent, q)
        q, reason, generations = evolution.run(self.records.limits, judge, start, q, state,
                                               deadline)
        judge.leave()
        return Attempt(q, REASONS[reason], generations)


def checked_tasks(body: Body, tasks: object) -> tuple[Task, ...]:
    """Return tasks as a tuple. Raises an IkError for those that are none, or do not fit a body."""
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
    """Return the tasks' names; default names get a number where they are taken.

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
