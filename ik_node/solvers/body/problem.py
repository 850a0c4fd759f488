"""Tasks stacked by level: the rows that a solver works on, and what they miss."""

import itertools
import zlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ik_node.model.body import Body
from ik_node.solvers.body.evolution import BodyEvolution
from ik_node.solvers.body.records import Records
from ik_node.solvers.found import Attempt
from ik_node.solvers.genetic.evolution import first_state
from ik_node.solvers.result import REASONS
from ik_node.support.exceptions import InputError, shown
from ik_node.tasks.base import Task


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

    def __init__(self, records: Records, tasks: Sequence[Task],
                 factors: Sequence[float] = ()) -> None:
        """Take tasks of some records; those with a weight of 0 are left out.

        factors: see `Records.problem`.
        """
        self.records = records
        self.tasks = [task for task in tasks if task.weight > 0.0]
        indices = [records.tasks.index(task) for task in self.tasks]
        layouts = [records.layouts[k] for k in indices]
        ends = itertools.accumulate((len(one.metres) for one in layouts), initial=0)
        self.slices = [slice(a, b) for a, b in itertools.pairwise(ends)]
        self.one_sided = np.concatenate([np.zeros(0, bool), *(one.one_sided for one in layouts)])
        self.any_one_sided = bool(self.one_sided.any())
        needed = [task.is_necessary for task in self.tasks]
        self.is_necessary, self.all_necessary = any(needed), all(needed)
        self._descent = records.descent(indices, factors)

    @classmethod
    def merged(cls, levels: 'Sequence[Level]', factors: Sequence[float] = ()) -> 'Level':
        """Return the tasks of several levels as one; factors: of the rows of each level."""
        if len(levels) == 1 and not factors:
            return levels[0]
        records = levels[0].records
        tasks = [task for level in levels for task in level.tasks]
        key = tuple(map(id, tasks)), tuple(factors)
        if key not in records.merged:
            own = [1.0] * len(records.tasks) if factors else []
            for level, factor in zip(levels, factors):
                for task in level.tasks:
                    own[records.tasks.index(task)] = factor
            records.merged[key] = cls(records, tasks, own)
        found: Level = records.merged[key]
        return found

    def evaluate(self, q: np.ndarray) -> LevelRows:
        """Return the rows at q (n,)."""
        A, e, cost, met = self._descent.rows(q)
        return LevelRows(A, e, self.one_sided, cost, met)

    def descend(self, q: np.ndarray, deadline: float, settles: bool = False) -> Attempt:
        """Minimise the cost from q (n,), until it is met or nothing improves any more.

        deadline: see `Budget`. settles: whether a minimum is wanted where it is not met;
        so it is where a task of the level is not necessary.
        """
        q, reason, iterations = self._descent.run(q, deadline, settles)
        return Attempt(q, REASONS[reason], iterations)

    def solve(self, q: np.ndarray, start: np.ndarray,
              deadline: float) -> tuple[Attempt, bool, np.ndarray]:
        """Descend from q (n,) and verify.

        Return also whether all that is necessary is met, and what each task of the solver misses
        (t, 2), m and rad. Continuous joints end at the turn nearest to start (n,).
        """
        q, met, misses, reason, iterations = self._descent.solve(start, q, deadline)
        return Attempt(q, REASONS[reason], iterations), met, misses

    def evolve(self, evolution: BodyEvolution, seed: int, q: np.ndarray, start: np.ndarray,
               deadline: float) -> Attempt:
        """Return the best of all generations; q (n,) is one of the first.

        start: (n,) about which joints without limits are spread. The same seed and q give the same.
        """
        state = first_state((seed + zlib.crc32(q.tobytes())) % 2**31)
        q, reason, generations = evolution.run(self._descent, start, q, state, deadline)
        return Attempt(q, REASONS[reason], generations)


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
