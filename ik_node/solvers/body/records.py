"""The tasks of a body solver as its kernels evaluate them."""

import math
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from ik_node.model.body import Body
from ik_node.solvers.body.descent import Descent, DescentWork
from ik_node.solvers.body.limits import Limits
from ik_node.solvers.body.stacked_tasks import Problem
from ik_node.solvers.options import BodyOptions
from ik_node.tasks.base import Rows, Task, is_built_in, record_of


class Records:
    """Tasks on a body, made once. At each solve targets that have changed are written anew.

    Anything else that has changed makes them anew: see `refresh`.

    - `body`, `tasks`; `layouts`: what the rows of each task are.
    - `merged`: levels of `Level.merged`, by the tasks and their factors.
    """

    def __init__(self, body: Body, tasks: Sequence[Task], limits: Limits, options: BodyOptions,
                 lock: AbstractContextManager[Any]) -> None:
        """Take tasks. Raises an IkError, naming the task, for one that cannot be solved.

        lock: held by a search, whose targets must not change.
        """
        self._lock = lock
        self.body, self.tasks, self._limits = body, tuple(tasks), limits
        self._options = options
        self.layouts = [layout(task, body) for task in tasks]
        self._changes = [task.changes for task in tasks]
        self._remakes = [task.remakes for task in tasks]
        self._targeted = [getattr(task, 'target', None) is not None for task in tasks]
        self._own = {k: _described(task, body) for k, task in enumerate(tasks)
                     if not is_built_in(task)}
        self._records = [record_of(task, body, k) for k, task in enumerate(tasks)]
        self._idle: list[DescentWork] = []
        self._whole = self.problem([range(len(tasks))])
        self._check = self._descent(self._whole)
        self.merged: dict[Any, Any] = {}

    def refresh(self) -> bool:
        """Write targets that have changed; tell whether that was enough.

        What tasks written in Python say of themselves is asked for each time. Raises an IkError
        for one of them that cannot be solved.
        """
        for k, before in self._own.items():
            if not _same(before, _described(self.tasks[k], self.body)):
                return False
        changes = [task.changes for task in self.tasks]
        if changes == self._changes:
            return True
        with self._lock:
            for k, task in enumerate(self.tasks):
                if changes[k] == self._changes[k]:
                    continue
                if task.remakes != self._remakes[k] or not self._targeted[k] or task.target is None:
                    return False
                if is_built_in(task):
                    self._records[k].set_target(task.target)
            self._changes = changes
        return True

    def problem(self, levels: Sequence[Sequence[int]], factors: Sequence[float] = ()) -> Problem:
        """Return levels of tasks, given by their indices, for kernels.

        factors: what the rows of each task are multiplied by, in addition to their weights.
        """
        def entry(k: int) -> tuple[Any, ...]:
            task, one = self.tasks[k], self.layouts[k]
            scale = math.sqrt(task.weight) * one.weights
            return (self._records[k], task.is_necessary, one.metres, one.one_sided,
                    factors[k] * scale if factors else scale)
        return Problem([[entry(k) for k in level] for level in levels],
                       self._options.position_tolerance, self._options.orientation_tolerance)

    def descent(self, indices: Sequence[int], factors: Sequence[float] = ()) -> Descent:
        """Return what searches for tasks as one level; see `problem`."""
        return self._descent(self.problem([indices], factors))

    def _descent(self, problem: Problem) -> Descent:
        return Descent(self.body.record, problem, self._whole, self._limits, self.body,
                       self.body.root == 'floating', self._options.max_iterations, self._idle)

    def verify(self, q: np.ndarray, start: np.ndarray) -> tuple[np.ndarray, bool, np.ndarray]:
        """Return q (n,), whether it meets all that is necessary, and what each task misses (t, 2).

        m and rad, from frames computed anew. Continuous joints are at the turn nearest to start
        (n,), where that meets no less.
        """
        found: tuple[np.ndarray, bool, np.ndarray] = self._check.verify(start, q)
        return found


def layout(task: Task, body: Body) -> Rows:
    """Return the rows of a task; raise an IkError that names it where it cannot be solved."""
    task.check(body)
    task.check_target()
    return task.rows(body)


def _described(task: Task, body: Body) -> tuple[Any, ...]:
    """Return what a task says of itself, without its residual."""
    return (*layout(task, body), task.weight, task.priority, task.counts)


def _same(before: tuple[Any, ...], now: tuple[Any, ...]) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(before, now))
