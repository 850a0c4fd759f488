"""The parameters of a node, and the arm, the tasks and the targets that they describe."""

import functools
import math
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ik_node.control.group_source import goal_weights
from ik_node.control.options import (
    MODEL_PATHS,
    ArmOptions,
    CollisionOptions,
    model_path,
    solves_body,
)
from ik_node.control.task_options import TYPES
from ik_node.model.chain import Chain
from ik_node.model.readers import read_untrusted_model
from ik_node.ros.clients.connection import Connection
from ik_node.support.exceptions import IkError
from ik_node.tasks.base import POINT

# With the options of the solver, and those of tasks, they decide how goals are solved.
_SETTING = ('solver', 'task_weights', 'base_link', 'tip_link', 'tool')
_MODEL = ('robot_description', *MODEL_PATHS, 'xacro_args')  # parameters of the robot


class Freedom(NamedTuple):
    """The parts of a pose that a handle sets; it follows its target in the others."""

    axes: tuple[bool, bool, bool] = (True, True, True)  # of the position, along its own x, y, z
    turns: bool = True  # whether it sets the orientation

    def merge(self, T: np.ndarray, T_other: np.ndarray) -> np.ndarray:
        """Return a pose (4, 4), m, with the parts that are not set from another one."""
        merged = T_other.copy()
        if self.turns:
            merged[:3, :3] = T[:3, :3]
        R = merged[:3, :3]
        unset = np.where(self.axes, 0.0, R.T @ (T[:3, 3] - T_other[:3, 3]))
        merged[:3, 3] = T[:3, 3] - R @ unset  # exactly T's where all axes are set
        return merged


class Target(NamedTuple):
    """A target; another one where the node would not keep the present one."""

    name: str = ''  # of its task; '' for the goal of the arm
    kind: str = 'pose'  # the type of the task
    link: str = ''
    reference: str = ''  # the link in whose frame the target is; '' for the world
    initial: tuple[float, ...] | None = None  # the parameter; None: it is where the link is
    served: Freedom = Freedom()  # the parts of a pose that an arm can serve

    @property
    def is_point(self) -> bool:
        """Whether goals for it are points."""
        return TYPES[self.kind].target_kind == POINT

    @property
    def freedom(self) -> Freedom:
        """What a handle sets."""
        if self.kind == 'center_of_mass' and self.initial is not None:
            x, y, z = (not math.isnan(value) for value in (*self.initial, math.nan)[:3])
            return Freedom((x, y, z), turns=False)
        return Freedom((self.kind != 'orientation',) * 3, not self.is_point) if (
            self.name) else self.served


ARM_GOAL = Target()


def task_names(parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of the tasks in a node's parameters."""
    names = parameters.get('tasks')
    return tuple(names) if isinstance(names, (list, tuple)) else ()


def task_targets(parameters: Mapping[str, Any]) -> tuple[Target, ...]:
    """Return the targets of the tasks of those types whose target can be moved."""
    made = []
    for name in task_names(parameters):
        kind, link, reference, initial = (parameters.get(f'{name}.{field}') for field in (
            'type', 'link', 'reference', 'target'))
        task = TYPES.get(kind) if isinstance(kind, str) else None
        if task is not None and task.target_kind is not None:
            made.append(Target(name, str(kind), str(link or ''), str(reference or ''), None if (
                initial is None or isinstance(initial, str)) else tuple(map(float, initial))))
    return tuple(made)


class NodeParameters(Mapping[str, Any]):
    """The last values of a node's parameters, by name; empty before the first.

    - `switching`: whether another robot has been requested, and they will be fetched.
    - `description`: of the robot in them, or in the file that they name; '' for none. `error`: why
      that file cannot be read; '' for no reason.
    """

    def __init__(self, arm: str = '', on_solver: Callable[[], None] = lambda: None) -> None:
        """Begin empty. on_solver: called when the solver of the arm changes."""
        self.switching, self.description, self.error = False, '', ''
        self._arm, self._on_solver = arm, on_solver
        self._values: Mapping[str, Any] = {}
        self._lock = threading.Lock()
        # By name, with the number of the event: a response may be read after a later event, which
        # counts then.
        self._events: dict[str, tuple[int, Any]] = {}
        self._count = 0  # of events
        self._expired, self._fetched = 1, 0  # how often, and which of these times is over

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    @property
    def setting(self) -> tuple[tuple[str, str], ...]:
        """Those that decide how goals are solved; empty before the first."""
        values = self._values  # which do not change
        names = [*map(self.option_name, _SETTING), 'on_failure']
        below = tuple(f'{part}.' for part in (values.get(names[0]), *task_names(values)))
        return tuple((name, str(value)) for name, value in sorted(values.items())
                     if name in names or name.startswith(below))

    def option(self, name: str) -> Any:
        """Return a parameter of the arm."""
        return self.get(self.option_name(name))

    def option_name(self, name: str) -> str:
        """Return the full name of a parameter of the arm."""
        return f'{self._arm}.{name}' if self._arm else name

    def choosing(self, solver: str) -> dict[str, Any]:
        """Return the parameters of another solver, which avoids collisions as this one does."""
        present = self.option('solver')
        return {self.option_name('solver'): solver} | {
            f'{solver}.{name}': value for name in CollisionOptions.specs()
            if f'{solver}.{name}' in self and (value := self.get(f'{present}.{name}')) is not None}

    @property
    def avoids(self) -> bool:
        """Whether the solver of the arm avoids collisions."""
        return bool(self.get(f'{self.option("solver")}.avoid_collisions'))

    @property
    def links(self) -> tuple[str, str]:
        """The names of base and tip of the arm, '' for the default."""
        return self.option('base_link') or '', self.option('tip_link') or ''

    @property
    def tool(self) -> tuple[float, ...]:
        """The tool of the arm: x y z, m, and roll pitch yaw, rad."""
        return tuple(self.option('tool') or ArmOptions.defaults()['tool'])

    def task_weights(self, chain: Chain) -> np.ndarray:
        """Return the weights (6,) of goals of the arm. Raises OptionError for invalid ones."""
        wanted = self.option('task_weights')
        return _weights(chain, wanted if isinstance(wanted, str) else tuple(wanted or ()))

    @property
    def has_body_solver(self) -> bool:
        """Whether one solver moves all joints of the robot, not those of an arm."""
        return not self._arm and solves_body(
            str(self.option('solver')), task_names(self), str(self.get('root', 'fixed')))

    @property
    def other_arms(self) -> tuple[str, ...]:
        """The names of the node's arms where the one looked at is none of them, else ()."""
        arms = self.get('arms')
        return tuple(arms) if isinstance(arms, list) and self._arm not in arms else ()

    @property
    def moves_root(self) -> bool:
        """Whether the root link moves."""
        return self.get('root', 'fixed') != 'fixed'

    @property
    def outdated(self) -> bool:
        """Whether they have to be fetched, or are being fetched."""
        return self._fetched != self._expired

    def expire(self) -> None:
        """Note that they have to be fetched: those of another process may be others."""
        self._expired += 1

    def on_event(self, changed: Mapping[str, Any]) -> None:
        """Store the changed parameters of an event."""
        with self._lock:
            self._count += 1
            self._events |= {name: (self._count, value) for name, value in changed.items()}
            self._store(changed)

    def set(self, connection: Connection, values: Mapping[str, Any]) -> None:
        """Set parameters of the node, all or none. Raises SilentError with its reason."""
        count = self._count
        connection.set_parameters(values)
        with self._lock:
            newer = self._events_since(count)  # other events are still on their way
            self._store({name: value for name, value in values.items() if name not in newer})

    def fetch(self, connection: Connection) -> None:
        """Fetch the node's parameters, and read the file that they name. Raises SilentError."""
        expired, count = self._expired, self._count
        values = {name: one.value for name, one in connection.parameters().items()}
        description, error = _description(values)
        with self._lock:
            self._values = {**values, **self._events_since(count)}
            self.description, self.error, self._fetched = description, error, expired

    def _events_since(self, count: int) -> dict[str, Any]:
        return {name: value for name, (at, value) in self._events.items() if at > count}

    def _store(self, changed: Mapping[str, Any]) -> None:
        if any(name in changed for name in _MODEL):
            # Its description and the rest of its parameters are needed together.
            if not self.switching:
                self.expire()
            return
        solver = self.option('solver')
        self._values = {**self._values, **changed}
        if self.option('solver') != solver:
            self._on_solver()


@functools.lru_cache(maxsize=8)
def _weights(chain: Chain, wanted: str | tuple[float, ...]) -> np.ndarray:
    options = ArmOptions.read({'task_weights': wanted} if wanted else {})
    return goal_weights(options, chain)  # of 'auto' they take a while


def _description(values: Mapping[str, Any]) -> tuple[str, str]:
    """Return the description in a node's parameters, or in the file they name; '' for none.

    With it comes why that file cannot be read, or ''.

    xacro is not expanded, since the node may be anyone's: it publishes the description itself.
    """
    if values.get('robot_description'):
        return str(values['robot_description']), ''
    file = model_path(values)
    try:
        return read_untrusted_model(Path(file)).description if file else '', ''
    except IkError as error:
        return '', str(error)
