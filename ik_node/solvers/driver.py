"""The common base of the solvers of arms and bodies."""

import contextlib
import functools
import os
from abc import ABC
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar

import numpy as np

from ik_node.collision.model import CollisionModel
from ik_node.collision.obstacles import Obstacle
from ik_node.model.joint_space import JointSpace
from ik_node.solvers.options import DriverOptions
from ik_node.solvers.result import StopReason
from ik_node.support import clock
from ik_node.support.exceptions import InputError, UnsupportedError, shown

_SHARE = 128  # goals per task of a core, for searches


class Driver(ABC):
    """A solver of an arm or of a body: its options, the collisions it avoids, its time."""

    name: ClassVar[str]
    Options: ClassVar[type[DriverOptions]]

    options: Any
    collisions: CollisionModel | None = None  # what a solution must not touch; None: no matter
    _deadline = clock.deadline_of  # compiled: every solve asks it

    def __init__(self, options: Mapping[str, Any], space: JointSpace, *others: Any) -> None:
        """Read options. Raises OptionError for unknown or invalid ones.

        space: the chain or the body. others: what else the constructor of the solver takes.
        """
        self.options = self.Options.read(options, space.n_joints, self.name)
        self._arguments = space, *others
        self._own_options = {name: getattr(self.options, name) for name in options}

    def avoid(self, collisions: CollisionModel) -> None:
        """Count as solutions only what keeps the margin of a model of the same arm or body.

        Raises InputError for anything else.
        """
        if not isinstance(collisions, CollisionModel) or collisions.space is not self._arguments[0]:
            raise InputError('collisions must be a CollisionModel of the same arm or body, '
                             f'not {shown(collisions)}')
        self.collisions = collisions

    @property
    def obstacles(self) -> tuple[Obstacle, ...]:
        """The obstacles that solutions do not touch; they may be set at any time.

        Raises UnsupportedError for a solver that was made without avoid_collisions.
        """
        return self._collision_model().obstacles

    @obstacles.setter
    def obstacles(self, obstacles: Iterable[Obstacle]) -> None:
        self._collision_model().obstacles = obstacles

    def _is_free(self, q: np.ndarray) -> bool:
        """Tell whether q (n,) touches nothing, where that matters."""
        return self.collisions is None or self.collisions.is_free(q)

    def _collision_model(self) -> CollisionModel:
        if self.collisions is None:
            raise UnsupportedError('the solver does not check for collisions: make it with '
                                   'avoid_collisions=True')
        return self.collisions

    @functools.cached_property
    def _unchecked(self) -> Any:
        """The same solver without collision checks: it finds what touches by a hull alone."""
        return self._changed()

    def _changed(self, **changes: Any) -> Any:
        """Return the same solver with other values of options, without collision checks."""
        return type(self)(*self._arguments, **{**self._own_options, **changes})

    def __reduce__(self) -> tuple[Any, ...]:
        """Return how pickle and copy restore the solver: from the arguments of its constructor."""
        return _make, (type(self), self._arguments, self._own_options, self.collisions)

    def __repr__(self) -> str:
        options = (f'{name}={shown(value)}' for name, value in self._own_options.items())
        return f'{type(self).__name__}({", ".join((*self._shown_arguments(), *options))})'

    def _shown_arguments(self) -> tuple[str, ...]:
        """Return the arguments of the constructor, as text."""
        return tuple(map(repr, self._arguments))


def reason_of(success: bool, reason: StopReason) -> StopReason:
    """Return why a search ended, whatever its method says: a refuted success is STALLED."""
    if success:
        return StopReason.CONVERGED
    return StopReason.STALLED if reason is StopReason.CONVERGED else reason


def share(work: Callable[[slice], object], count: int,
          progress: Callable[[float], None] = lambda done: None, size: int = _SHARE) -> None:
    """Call work for slices of range(count), of a size, on all cores; kernels release the GIL.

    What cancels searches of the calling thread cancels those of the others.
    """
    cancellation = clock.present()

    def cancellable(part: slice) -> None:
        with cancellation or contextlib.nullcontext():
            work(part)

    parts = [slice(first, first + size) for first in range(0, count, size)]
    cores = len(os.sched_getaffinity(0)) if hasattr(os, 'sched_getaffinity') else os.cpu_count()
    with ThreadPoolExecutor(cores) as pool:
        for done, _ in enumerate(pool.map(cancellable, parts), start=1):
            progress(done / len(parts))


def _make(solver: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any],
          collisions: CollisionModel | None) -> Any:
    made = solver(*arguments, **options)
    if collisions is not None:
        made.avoid(collisions)
    return made
