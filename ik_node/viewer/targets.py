"""Targets that can be moved by a handle: the goal of an arm, and the targets of tasks."""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

_POSES = ('pose', 'orientation', 'relative_pose')
_POINTS = ('position', 'look_at', 'center_of_mass')
_CENTER_BALL = 3  # the id of the marker of a center_of_mass's target; of others it is 0


class Freedom(NamedTuple):
    """The parts of a pose that a handle sets; it follows its target in the others."""

    axes: tuple[bool, bool, bool] = (True, True, True)
    """Of the position: x, y and z."""
    turns: bool = True
    """Whether it sets the orientation."""

    def merge(self, T: np.ndarray, T_other: np.ndarray) -> np.ndarray:
        """Return a pose (4, 4), m, with the parts that are not set from another one."""
        merged = T_other.copy()
        if self.turns:
            merged[:3, :3] = T[:3, :3]
        merged[:3, 3] = np.where(self.axes, T[:3, 3], T_other[:3, 3])
        return merged


class Target(NamedTuple):
    """A target; another one where the node would not keep the present one."""

    name: str = ''
    """Of its task; '' for the goal of the arm."""
    kind: str = 'pose'
    """The type of the task."""
    link: str = ''
    reference: str = ''
    """The link in whose frame the target is; '' for the world."""
    initial: tuple[float, ...] | None = None
    """The parameter; None where the target is where the link is."""

    @property
    def is_point(self) -> bool:
        """Whether goals for it are points."""
        return self.kind in _POINTS

    @property
    def freedom(self) -> Freedom:
        """What a handle sets."""
        if self.kind == 'center_of_mass' and self.initial is not None:
            x, y, z = (not math.isnan(value) for value in (*self.initial, math.nan)[:3])
            return Freedom((x, y, z), turns=False)
        return Freedom((self.kind != 'orientation',) * 3, not self.is_point)

    @property
    def marker(self) -> tuple[str, int]:
        """The namespace and the id of the marker that the node draws at it."""
        return f'{self.name}/goal', _CENTER_BALL if self.kind == 'center_of_mass' else 0


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
        if kind in (*_POSES, *_POINTS):
            made.append(Target(name, str(kind), str(link or ''), str(reference or ''), None if (
                initial is None or isinstance(initial, str)) else tuple(map(float, initial))))
    return tuple(made)
