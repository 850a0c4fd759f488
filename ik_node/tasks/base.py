"""The base of tasks: a residual over frames, its Jacobian, a weight and a priority."""

import functools
import inspect
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import InitVar, dataclass
from typing import Any, ClassVar, NamedTuple, TypeGuard

import numpy as np

from ik_node.model.body import Body, BodyFrames, check_body
from ik_node.spatial import pose_from_rotation, turn_z_onto
from ik_node.support.arguments import whole
from ik_node.support.exceptions import IkError, ModelError, shown
from ik_node.tasks.body_task import BodyTask, PythonTask, TaskRows
from ik_node.tasks.checks import Check, at_least_zero, check_length, read_pose, text
from ik_node.tasks.drawing import Shape

POSE, POINT = 'pose', 'point'  # what a goal moves a target with; see `Task.target_kind`

LINK_FIELDS = ('link', 'reference', 'link_a', 'link_b')  # the fields of tasks that name links


class RowKinds(NamedTuple):
    """The kinds of the rows of a task's residual, (m,) each.

    Whether a row is in metres, or else in radians; whether it asks for a residual ≥ 0, or else for
    0; and its factor in the cost.
    """

    metres: np.ndarray
    one_sided: np.ndarray
    weights: np.ndarray


def rows(metres: Any, one_sided: Any = False, weights: Any = 1.0) -> RowKinds:
    """Return rows: `metres` (m,), the others for each row or for all."""
    kinds = np.array(metres, dtype=bool)
    sides, factors = np.empty(kinds.shape, dtype=bool), np.empty(kinds.shape)
    sides[:], factors[:] = one_sided, weights
    return RowKinds(kinds, sides, factors)


class Task(ABC):
    """Something asked of a body: a residual r (m,) that should be 0, or ≥ 0 where one-sided.

    A solver minimises the cost weight · |W r|² / 2 of the tasks of one priority, W the weights of
    the rows; rows that ask for r ≥ 0 cost nothing where that holds. A task of one's own is a
    subclass with `rows` and `evaluate`, or a `CustomTask`. Malformed arguments raise InputError.

    - `name`: what errors and results call it; `links`: those that it names.
    - `weight`: ≥ 0, what it counts among tasks of the same priority; 0 switches it off.
    - `priority`: 0 for a constraint that must hold, then 1, 2, …
    - `target`: what is asked for, of tasks that have one; None where it is not set.
    - `target_kind`: POSE or POINT, what goals move its target with; None without one that moves.
    - `misses`: whether its residual is something missed, for `errors` of a result.
    - `changes`: how many attributes have been set; `remakes`: those that are not the target.
    """

    misses: ClassVar[bool] = True
    target_kind: ClassVar[str | None] = None
    changes = 0
    remakes = 0
    weight: float
    priority: int
    target: Any

    # What checks and copies the values of attributes: of these, and of `Annotated` fields.
    _checks: ClassVar[dict[str, Check]] = {
        'weight': at_least_zero, 'priority': lambda value, what: whole(value, what, 0, 1000)}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls._checks = cls._checks | {
            name: hint.__metadata__[0] for name, hint in inspect.get_annotations(cls).items()
            if hasattr(hint, '__metadata__')}

    def __init__(self, links: tuple[Any, ...], weight: Any, priority: Any, name: Any) -> None:
        kind = type_name(type(self))
        self.has_own_name = name is not None
        self.links = tuple(text(link, f'a link of the task {kind!r}') for link in links)
        self.name = (text(name, f'the name of the task {kind!r}') if self.has_own_name
                     else '_'.join([kind, *self.links]))
        self.weight, self.priority = weight, priority

    def __setattr__(self, name: str, value: Any) -> None:
        """Check, copy and set a value, and note the change, for solvers that keep copies.

        Raises InputError, naming task and attribute. Until the task has a name nothing is checked.
        """
        own = vars(self)
        if name in self._checks and 'name' in own:
            value = self._checks[name](value, f'{name} of the task {self.name!r}')
        super().__setattr__(name, value)
        own['changes'] = self.changes + 1
        if name != 'target':
            own['remakes'] = self.remakes + 1

    @property
    def affects_success(self) -> bool:
        """Whether it asks for something that has to be met, where its priority is 0 or 1."""
        return True

    @property
    def is_necessary(self) -> bool:
        """Whether success needs it: it affects success, and has a priority of 0 or 1."""
        return self.weight > 0.0 and self.affects_success and self.priority <= 1

    @property
    def is_movable(self) -> bool:
        """Whether goals move its target."""
        return self.target_kind is not None

    @abstractmethod
    def rows(self, body: Body) -> RowKinds:
        """Return what the rows are for a body."""

    @abstractmethod
    def evaluate(self, frames: BodyFrames) -> tuple[np.ndarray, np.ndarray]:
        """Return the residual r (m,), m and rad, and its Jacobian ∂r/∂q (m, n) at some frames."""

    def energy(self, frames: BodyFrames, r: np.ndarray, weights: np.ndarray) -> float:
        """Return the cost |W r|² / 2 without the task's weight; r (m,) has its idle rows at 0."""
        weighted = weights * r
        return 0.5 * float(weighted @ weighted)

    def check(self, body: Body) -> None:
        """Raise an IkError, naming the task, for a body that it does not fit."""
        for link in self.links:
            try:
                body.link_index(link)
            except ModelError as error:
                raise ModelError(f'the task {self.name!r}: {error}') from error

    def check_target(self) -> None:
        """Raise an IkError that names the task where its target is not set."""
        if getattr(self, 'target', 0) is None:
            raise IkError(f'the task {self.name!r} has no target: set task.target before solving')

    def target_at(self, body: Body, q: Any) -> Any:
        """Return the target that the task meets at q (n,); None for tasks without a target.

        Raises an IkError for a body that the task does not fit, and InputError for a wrong q.
        """
        self.check(check_body(body))
        return self.target_in(BodyFrames(body, body.checked(q)))

    def target_in(self, frames: BodyFrames) -> Any:
        """Return the target that the task meets at some frames; see `target_at`."""
        return None

    def target_from(self, T: np.ndarray, is_point: bool) -> np.ndarray:
        """Return a pose (4, 4), m, as its target; is_point: the orientation stays as it is."""
        if self.target_kind == POINT:
            return T[:3, 3]
        return T if not is_point or self.target is None else pose_from_rotation(
            self.target[:3, :3], T[:3, 3])

    @property
    def target_weights(self) -> np.ndarray:
        """The weights (6,) of the axes along and about which a goal moves its target."""
        return np.repeat([1.0, float(self.target_kind == POSE)], 3)

    @classmethod
    def read_target(cls, values: np.ndarray, what: str) -> np.ndarray:
        """Return a target from a list of numbers. Raises OptionError for a wrong number of them."""
        if cls.target_kind == POSE:
            return read_pose(values, what)
        check_length(values, (3,), 'x y z', what)
        return values

    def _why_undefined(self, frames: BodyFrames) -> str:
        """Return why its residual has no meaning at some frames; else ''."""
        return ''

    def drawing(self, frames: BodyFrames, size: float) -> list[Shape]:
        """Return what shows it at some frames; size: of the body, m."""
        return []

    def residual(self, body: Body, q: Any) -> np.ndarray:
        """Return r (m,) at q (n,), m and rad."""
        return self._at(body, q)[0]

    def jacobian(self, body: Body, q: Any) -> np.ndarray:
        """Return ∂r/∂q (m, n) at q (n,)."""
        return self._at(body, q)[1]

    def _at(self, body: Body, q: Any) -> tuple[np.ndarray, np.ndarray]:
        self.check(check_body(body))
        self.check_target()
        return self.evaluate(BodyFrames(body, body.checked(q)))

    def __repr__(self) -> str:
        return (f'{type(self).__name__}(name={shown(self.name)}, weight={self.weight:g}, '
                f'priority={self.priority})')


@dataclass(eq=False, repr=False, kw_only=True)
class BuiltInTask(Task):
    """A task that kernels evaluate; its fields are the arguments of its constructor."""

    weight: InitVar[float] = 1.0
    priority: InitVar[int] = 1
    name: InitVar[str | None] = None

    _metres: ClassVar[Sequence[bool]]  # see `RowKinds`; of tasks that have always the same rows
    _one_sided: ClassVar[bool] = False
    _evaluator: ClassVar[tuple[Body, int, TaskRows] | None] = None  # for a body and `changes`

    def __post_init__(self, weight: float, priority: int, name: str | None) -> None:
        fields = dict(vars(self))
        links = [fields[field] for field in LINK_FIELDS if field in fields]
        if fields.get('link_b', '') is None:  # a point of the world
            links.pop()
        super().__init__(tuple(links), weight, priority, name)
        for field, value in fields.items():
            if field in self._checks:
                setattr(self, field, value)

    def rows(self, body: Body) -> RowKinds:
        return rows(self._metres, self._one_sided)

    @abstractmethod
    def _record(self, body: Body, index: int) -> BodyTask:
        """Return what kernels evaluate it by, without target; index: as of `BodyTask`."""

    def evaluate(self, frames: BodyFrames) -> tuple[np.ndarray, np.ndarray]:
        """Return residual and Jacobian; see `Task`. An IkError where the target is not set."""
        last = self._evaluator
        if last is None or last[0] is not frames.body or last[1] != self.changes:
            self.check_target()
            last = frames.body, self.changes, TaskRows(
                frames.body.record, _targeted(self, frames.body, 0))
            vars(self)['_evaluator'] = last  # which is no change
        return last[2].evaluate(frames.q)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != '_evaluator'}


def is_built_in(task: Task) -> TypeGuard[BuiltInTask]:
    """Tell whether kernels evaluate a task: one of this package, no subclass of one's own."""
    return isinstance(task, BuiltInTask) and type(task).__module__.startswith('ik_node.tasks.')


def set_checked(task: Task, target: np.ndarray) -> None:
    """Set a target that needs no check, and that nobody writes to, without a copy."""
    vars(task).update(target=target, changes=task.changes + 1)


def record_of(task: Task, body: Body, index: int) -> BodyTask:
    """Return what kernels evaluate a task by, with its target; index: as of `BodyTask`."""
    record = _targeted(task, body, index) if is_built_in(task) else PythonTask(
        index, task, functools.partial(BodyFrames, body), task.rows(body),
        type(task).energy is not Task.energy)
    record.misses = task.misses
    return record


def _targeted(task: BuiltInTask, body: Body, index: int) -> BodyTask:
    record = task._record(body, index)
    if getattr(task, 'target', None) is not None:
        record.set_target(task.target)
    return record


def type_name(task: type) -> str:
    """Return the name of a type of tasks in snake case, as in names of tasks and parameters."""
    return re.sub('(?<=[a-z])(?=[A-Z])', '_', task.__name__).lower()


def perpendicular(axis: np.ndarray) -> np.ndarray:
    """Return two unit vectors (2, 3) at right angles to a unit vector (3,) and to each other."""
    return np.ascontiguousarray(turn_z_onto(axis)[:, :2].T)
