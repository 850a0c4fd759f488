"""Tasks from parameters: one table of the fields of all types of tasks."""

import inspect
from dataclasses import dataclass
from typing import Any

import numpy as np

from ik_node import tasks
from ik_node.support.exceptions import OptionError, names
from ik_node.support.options import Options, option
from ik_node.tasks.base import type_name
from ik_node.tasks.checks import read_rotation

NO_TYPE = 'none'
_COMMON = ('weight', 'priority', 'name')


TYPES: dict[str, type[tasks.Task]] = {
    type_name(task): task for task in (vars(tasks)[name] for name in tasks.__all__)
    if task not in (tasks.Task, tasks.CustomTask)}
"""The types of tasks, by their names in parameters."""


def _vector(text: str, unit: str = 'm', length: int | None = 3, **limits: Any) -> Any:
    return option(None, text, unit, listed=True, length=length, optional=True, **limits)


@dataclass(frozen=True)
class TaskOptions(Options):
    """The fields of a task; each type has some of them, and none stands for their default."""

    type: str = option(NO_TYPE, 'the type of the task; none: it is not solved yet',
                       choices=(NO_TYPE, *TYPES))
    weight: float = option(
        1.0, 'weight among the tasks of the same priority; 0: the task is not solved', low=0.0)
    priority: int = option(
        1, 'priority: 0 for a constraint, which must hold, then 1, 2, …; success needs 0 and 1',
        low=0, high=1000)
    link: str = option('', 'the link that the task moves')
    reference: str = option('', 'of a relative_pose: the link in whose frame the target is')
    link_a: str = option('', 'of a distance or spring: the link of one end')
    link_b: str = option(
        '', 'of a distance or spring: the link of the other end; empty: a point of the world')
    target: Any = _vector(
        'the initial target: x y z of a position, look_at or center_of_mass, which may leave z '
        'free; roll pitch yaw, or a quaternion x y z w, of an orientation; both of a pose or '
        'relative_pose; none: where the link is', 'm and rad', None)
    weights: Any = _vector(
        'of a pose: weights of x y z and of the orientation along the target\'s axes; 0 leaves an '
        'axis free', '', 6, low=0.0)
    point: Any = _vector('the point of the link, in its frame, which a point_on_line, '
                         'point_on_plane and half_space need; none: its origin')
    axes: Any = _vector('of a pose: the axes at the point, roll pitch yaw or a quaternion, in '
                        'the frame of the link; none: those of the link', 'rad', None)
    origin: Any = _vector('a point of the line or plane, in the world')
    direction: Any = _vector('the direction of the line, or the one that the axis takes', '')
    normal: Any = _vector('the normal of the plane; a half_space is on its side', '')
    axis: Any = _vector('the axis of the link, in its frame', '')
    polygon: Any = _vector(
        'of a center_of_mass: the corners of a convex polygon seen from above, x y of each', 'm',
        None)
    lower: float | None = option(
        None, 'of a distance: the least; none: 0', 'm', low=0.0, optional=True)
    upper: float | None = option(
        None, 'of a distance: the largest; none: any', 'm', low=0.0, optional=True)
    point_a: Any = _vector('the point of link_a, in its frame; none: its origin')
    point_b: Any = _vector('the point of link_b, in its frame, or of the world; none: the origin')
    stiffness: float | None = option(None, 'of a spring', 'N/m', low=0.0, optional=True)
    rest_length: float | None = option(
        None, 'of a spring: its length without force; none: 0', 'm', low=0.0, optional=True)
    force: Any = _vector('the force on the point, world axes', 'N')
    q: Any = _vector(
        'of a Posture: one value for each joint; none: the middle of the limits', 'rad or m', None)
    gains: Any = _vector(
        'of a Posture: one gain for each joint; none: 1 for all', '', None, low=0.0)


def fields(kind: str) -> dict[str, bool]:
    """Return the fields that a type of task has, and whether each must be set."""
    parameters = list(inspect.signature(TYPES[kind].__init__).parameters.values())[1:]
    return {one.name: one.default is inspect.Parameter.empty and one.name != 'link_b'
            for one in parameters if one.name not in _COMMON}


def make_task(name: str, options: TaskOptions) -> tasks.Task:
    """Return the task that options describe; they must have a type.

    Raises OptionError for fields that the type does not have or needs, and for targets and polygons
    of the wrong length; InputError for values that the task refuses.
    """
    kind, own = options.type, fields(options.type)
    values = {field: value for field in TaskOptions.specs()
              if field not in ('type', 'weight', 'priority')
              and (value := getattr(options, field)) is not None and not (
                  isinstance(value, str) and value == '')}
    for field in values:
        if field not in own:
            raise OptionError(f'{name}.{field} must be unset: a task of the type {kind} has the '
                              f'fields {names(own)}')
    missing = [field for field, needed in own.items() if needed and field not in values]
    if missing:
        raise OptionError(f'{name}.{missing[0]} must be set: a task of the type {kind} needs '
                          f'{names(field for field, needed in own.items() if needed)}')
    if 'target' in values:
        values['target'] = TYPES[kind].read_target(values['target'], f'{name}.target')
    if 'axes' in values:
        values['axes'] = read_rotation(values['axes'], f'{name}.axes')
    if 'polygon' in values:
        values['polygon'] = _corners(name, values['polygon'])
    if 'link_b' in own:
        values.setdefault('link_b', None)
    return TYPES[kind](**values, weight=options.weight, priority=options.priority, name=name)


def _corners(name: str, values: np.ndarray) -> np.ndarray:
    if len(values) % 2:
        raise OptionError(f'{name}.polygon must have an even number of entries, x y of each, '
                          f'not {len(values)}')
    return values.reshape(-1, 2)
