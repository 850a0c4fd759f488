"""The body, the tasks and the settings of a body solver, packed into flat arrays for its kernels.

`PackedTasks` is made once. At each solve, targets that have changed are written anew; anything else
that has changed makes the arrays anew. Kernels restore tuples of views with `unpack_problem`.
"""

import copy
from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np

from ik_node._jit import Booleans, Integers, Layout, Matrix, Shape, Vector, njit
from ik_node.kinematics.forward import TreeArrays
from ik_node.kinematics.inertia import InertiaArrays
from ik_node.model.body import Body
from ik_node.tasks.base import Task
from ik_node.tasks.kernels import TaskWork

RECORD = 8                  # integers of a task, those of `Problem.tasks`
_HEAD = 6                   # integers before all others


class SearchSettings(NamedTuple):
    """Limits and options of a search as numbers."""

    lower: Annotated[Vector, Shape('n')]
    upper: Annotated[Vector, Shape('n')]
    step: Annotated[Vector, Shape('n')]
    """(n,) largest change in one iteration; infinite for entries in metres."""
    scale: Annotated[Vector, Shape('n')]
    """(n,) 1/√weight of each joint."""
    turns: Annotated[Booleans, Shape('n')]
    """(n,) whether an entry may change by 2π."""
    is_scaled: bool
    floats: bool
    """Whether the root has a rotation vector, q[3:6]."""
    position_tolerance: float
    orientation_tolerance: float
    max_iterations: int


class Problem(NamedTuple):
    """What the kernels work on."""

    robot: TreeArrays
    inertias: InertiaArrays
    settings: SearchSettings
    codes: Any
    numbers: Any
    tasks: Any
    """(t, 8): kind, link, other link, rows; where its codes and its numbers begin; its first row
    among those of all tasks; whether it is necessary."""
    metres: Any
    """(m,) of the rows of all tasks: whether they are in metres."""
    one_sided: Any
    """(m,) whether they ask for a residual ≥ 0."""
    scale: Any
    """(m,) √weight of the task times the weight of the row."""


class SearchWork(NamedTuple):
    """Scratch arrays of a search, m rows, n entries of q. Jacobians are transposed."""

    A: Annotated[Matrix, Shape('n', 'm')]
    e: Annotated[Vector, Shape('m')]
    A_trial: Annotated[Matrix, Shape('n', 'm')]
    e_trial: Annotated[Vector, Shape('m')]
    left: Annotated[Vector, Shape('m')]
    rest: Annotated[Vector, Shape('m')]
    active: Annotated[Vector, Shape('m')]
    sides: Annotated[Vector, Shape('m')]
    values: Annotated[Vector, Shape('m')]
    G: Annotated[Matrix, Shape('n', 'n')]
    y: Annotated[Vector, Shape('n')]
    x: Annotated[Vector, Shape('n')]
    trial: Annotated[Vector, Shape('n')]
    lower: Annotated[Vector, Shape('n')]
    upper: Annotated[Vector, Shape('n')]
    free: Annotated[Vector, Shape('n')]
    freed: Annotated[Vector, Shape('n')]


_TREE, _INERTIAS, _SETTINGS = Layout(TreeArrays), Layout(InertiaArrays), Layout(SearchSettings)
_TASK_WORK, _SEARCH_WORK = Layout(TaskWork), Layout(SearchWork)
_unpack_tree, _end_of_tree = _TREE.unpack, _TREE.end
_unpack_inertias, _end_of_inertias = _INERTIAS.unpack, _INERTIAS.end
_unpack_settings, _end_of_settings = _SETTINGS.unpack, _SETTINGS.end
_unpack_task_work, _end_of_task_work = _TASK_WORK.unpack, _TASK_WORK.end
_unpack_search_work = _SEARCH_WORK.unpack


def is_packable(task: Task) -> bool:
    """Tell whether kernels evaluate a task: one of this package, no subclass of one's own."""
    return type(task).__module__.startswith('ik_node.tasks.') and (
        type(task).packed is not Task.packed)


class PackedTasks:
    """Tasks that are all built in, on a body, as flat arrays.

    - `codes`, `numbers`: see `unpack_problem`; `rows`: how many all tasks have together.
    """

    def __init__(self, body: Body, tasks: Sequence[Task], settings: SearchSettings) -> None:
        """Pack tasks. Raises an IkError, naming the task, for one that cannot be solved."""
        self.tasks = tuple(tasks)
        layouts = []
        for task in tasks:
            task.check(body)
            task.check_target()
            layouts.append(task.rows(body))
        self._changes = [task.changes for task in tasks]
        self._remakes = [task.remakes for task in tasks]
        codes: list[np.ndarray] = []
        numbers: list[np.ndarray] = []
        for kind, part in ((_TREE, body.arrays), (_INERTIAS, body.inertias),
                           (_SETTINGS, settings)):
            own_codes, own_numbers = kind.pack(part)
            codes, numbers = codes + own_codes, numbers + own_numbers
        records: list[list[int]] = []
        at, c, x = 0, _HEAD + _length(codes) + RECORD * len(tasks), _length(numbers)
        self._targets: list[slice | None] = []
        extra: list[np.ndarray] = []
        for task, layout in zip(tasks, layouts):
            packed = task.packed(body)
            assert packed is not None
            own = np.concatenate([np.zeros(0), *map(np.ravel, packed.numbers)])
            records.append([packed.kind,
                            -1 if packed.link is None else body.link_index(packed.link),
                            -1 if packed.other is None else body.link_index(packed.other),
                            len(layout.metres), c, x, at, task.is_necessary])
            target = getattr(task, 'target', None)
            self._targets.append(None if target is None else slice(
                x, x + len(task.target_numbers())))
            extra.append(np.array(packed.codes, dtype=np.int64))
            numbers.append(own)
            at, c, x = at + len(layout.metres), c + len(packed.codes), x + len(own)
        self.rows = at
        self._records = np.array(records, dtype=np.int64)
        self._one_sided = [bool(layout.one_sided.any()) for layout in layouts]
        head = [len(body.arrays.parent), body.n_joints, len(tasks), at, c, x]
        codes = [np.array(head), *codes, np.ravel(records), *extra,
                 *(layout.metres for layout in layouts), *(layout.one_sided for layout in layouts)]
        numbers += [np.sqrt(task.weight) * layout.weights for task, layout in zip(tasks, layouts)]
        links, n = head[:2]
        self._scratch_size = _TASK_WORK.size(links, n)[1] + _SEARCH_WORK.size(self.rows, n)[1]
        self.codes = np.concatenate([np.ravel(part).astype(np.int64) for part in codes])
        self.numbers = np.concatenate([np.zeros(0), *map(np.ravel, numbers)])

    def refresh(self) -> bool:
        """Write targets that have changed; tell whether that was enough.

        They are written into a copy: kernels of other threads may read the array.
        """
        changes = [task.changes for task in self.tasks]
        if changes == self._changes:
            return True
        numbers = self.numbers.copy()
        for k, task in enumerate(self.tasks):
            if changes[k] == self._changes[k]:
                continue
            part, target = self._targets[k], getattr(task, 'target', None)
            if task.remakes != self._remakes[k] or part is None or target is None:
                return False
            numbers[part] = task.target_numbers()
        self.numbers, self._changes = numbers, changes
        return True

    def level(self, indices: Sequence[int]) -> np.ndarray:
        """Return what the kernels know a level by, from the indices of its tasks.

        (3 + k,): how many rows it has, whether any is one-sided, whether there is more to do when
        the necessary tasks are met; then the indices.
        """
        chosen = self._records[list(indices)]
        sides = [self._one_sided[k] for k in indices]
        return np.array([chosen[:, 3].sum(), any(sides), not chosen[:, 7].all(), *indices],
                        dtype=np.int64)

    def weighted(self, indices: Sequence[int], factor: float) -> 'PackedTasks':
        """Return a copy in which some tasks have factor² times their weight."""
        other = copy.copy(self)
        other.numbers = self.numbers.copy()
        scale = int(self.codes[5])
        for _, _, _, count, _, _, first, _ in self._records[list(indices)].tolist():
            other.numbers[scale + first:scale + first + count] *= factor
        return other

    def scratch(self) -> np.ndarray:
        """Return scratch for `unpack_work`; a new one for each call, for thread safety."""
        return np.empty(self._scratch_size)


@njit
def unpack_problem(codes: Integers, numbers: Vector) -> Problem:
    """Return the `Problem` of a `PackedTasks`, views of its arrays."""
    links, n, count, m = codes[0], codes[1], codes[2], codes[3]
    c, x = _HEAD, 0
    robot = _unpack_tree(codes, c, numbers, x, links, n)
    c, x = _end_of_tree(c, x, links, n)
    inertias = _unpack_inertias(codes, c, numbers, x, links, n)
    c, x = _end_of_inertias(c, x, links, n)
    settings = _unpack_settings(codes, c, numbers, x, links, n)
    c, x = _end_of_settings(c, x, links, n)
    tasks = codes[c:c + RECORD * count].reshape((count, RECORD))
    rows, scale = codes[4], codes[5]
    return Problem(robot, inertias, settings, codes, numbers, tasks, codes[rows:rows + m],
                   codes[rows + m:rows + 2 * m], numbers[scale:scale + m])


@njit
def unpack_work(scratch: Vector, links: int, n: int, m: int) -> tuple[TaskWork, SearchWork]:
    """Return the scratch arrays for a task and for a search with m rows."""
    _, x = _end_of_task_work(0, 0, links, n)
    return (_unpack_task_work(0, 0, scratch, 0, links, n),
            _unpack_search_work(0, 0, scratch, x, m, n))


def _length(parts: Sequence[np.ndarray]) -> int:
    return sum(map(len, parts))

