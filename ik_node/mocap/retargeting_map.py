"""Maps of retargeting: which bone of a figure leads which link of another, read from YAML.

For example:

    heading: 90.0             # deg about z from the figure's rest pose to the robot's
    tasks:
      pelvis: {bone: root, link: pelvis, type: pose}
      left_foot: {bone: lfoot, link: left_sole, type: pose, hold: true}
      left_hand: {bone: lhand, link: left_palm, type: position, parent: pelvis}
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from types import MappingProxyType
from typing import Any

import numpy as np

from ik_node.model.tree import KinematicTree
from ik_node.model.yaml_file import load_yaml, real_number
from ik_node.solvers.registry import body_solver_names
from ik_node.support.arguments import keyed, mapping, one_of
from ik_node.support.exceptions import ModelError, OptionError, names, shown, unknown
from ik_node.support.options import Options, option

POSE, POSITION, ORIENTATION, LOOK_AT = TYPES = ('pose', 'position', 'orientation', 'look_at')


@dataclass(frozen=True)
class Entry(Options):
    """A bone of the figure and the task that it leads; an entry of `tasks`."""

    bone: str = option('', 'the bone, a link of the figure')
    link: str = option('', 'the link of the robot that the task moves')
    type: str = option(POSE, 'the type of the task', choices=TYPES)
    weight: float = option(
        1.0, 'weight of the task; 0: no task, only the parent of others', low=0.0)
    priority: int = option(
        1, 'priority of the task: 0 for a constraint', low=0, high=1000)
    parent: str = option(
        '', 'the entry from whose target lengths are measured; empty: from the ground')
    hold: bool = option(False, 'whether the link is held in place while its bone stands')
    axis: Any = option(
        None, 'of a look_at: the axis of the link, in its frame', listed=True, length=3,
        optional=True)


@dataclass(frozen=True)
class MapOptions(Options):
    """The options of a map."""

    scale: float | None = option(
        None, 'lengths of the robot per length of the figure, of entries without a parent; none: '
        'that of the legs, from the first entry to those that are held', low=0.0, positive=True,
        optional=True)
    heading: float | None = option(
        None, 'angle about z from the figure in its rest pose to the robot in its own; none: the '
        'one that brings the bones nearest to their links', 'deg', low=-360.0, high=360.0,
        optional=True)
    ground: float | None = option(
        None, 'height of held bones of the figure when they stand; none: that of each stand, '
        'interpolated between them', 'm', low=-1e6, high=1e6, optional=True)
    hold_height: float = option(
        0.04, 'a bone that is no higher above `ground`, else above the lowest height of a held '
        'bone in the motion, is low', 'm', low=0.0)
    hold_speed: float = option(
        0.25, 'a bone that is no faster is slow', 'm/s', low=0.0)
    hold_tilt: float = option(
        15.0, 'a bone that is tilted no further from its rest pose may stand', 'deg', low=0.0,
        high=180.0)
    hold_blend: float = option(
        0.1, 'time in which a link comes to where it is held, and is released', 's', low=0.0,
        high=10.0)
    solver: str = option('least_squares', 'the body solver', choices=body_solver_names())
    smoothness: float = option(
        1e-3, 'weight of a task that keeps joints near their values in the frame before; 0: none',
        low=0.0)
    max_iterations: int = option(
        30, 'iterations of the solver for one frame', low=1, high=10**6)
    position_tolerance: float = option(
        5e-3, 'a frame is missed where a task is further off', 'm', low=0.0, positive=True)
    orientation_tolerance: float = option(
        0.02, 'a frame is missed where a task is turned further off', 'rad', low=0.0,
        positive=True)


@dataclass(frozen=True)
class RetargetingMap:
    """How the bones of a figure lead the tasks of a robot."""

    tasks: Mapping[str, Entry]  # {name: entry}, parents before their children
    options: MapOptions = field(default_factory=MapOptions)
    figure_rest: Mapping[str, float] = field(default_factory=dict)
    """{joint: value} of the figure in its rest pose, rad or m; joints left out are at zero."""
    robot_rest: Mapping[str, float] = field(default_factory=dict)  # the same of the robot
    source: str = 'the map'

    @classmethod
    def read(cls, values: Any, source: str = 'the map') -> 'RetargetingMap':
        """Check what a YAML map holds. Raises ModelError, which names the entry."""
        values = keyed(values, ('tasks', 'rest', *MapOptions.specs()), source)
        rest = keyed(values.pop('rest', {}), ('figure', 'robot'), f'{source}: rest')
        entries = mapping(values.pop('tasks', None), f'{source}: tasks')
        if not entries:
            raise ModelError(f'{source}: tasks must have at least one entry')
        try:
            options = MapOptions.read(values)
            read = {name: _entry(name, entry, source) for name, entry in entries.items()}
        except OptionError as error:
            raise ModelError(f'{source}: {error}') from error
        return cls(MappingProxyType(_ordered(read, source)), options,
                   _joint_values(rest, 'figure', source), _joint_values(rest, 'robot', source),
                   source)

    def check(self, figure: KinematicTree, robot: KinematicTree) -> None:
        """Raise ModelError where an entry names what figure or robot have not."""
        for name, entry in self.tasks.items():
            for kind, link, tree in (('bone', entry.bone, figure), ('link', entry.link, robot)):
                one_of(link, tree.links, kind, where=f'{self.source}: tasks.{name}.{kind}: ')
        for who, rest, tree in (('figure', self.figure_rest, figure),
                                ('robot', self.robot_rest, robot)):
            for joint in set(rest).difference(tree.independent_joints):
                raise ModelError(f'{self.source}: rest.{who}: '
                                 f'{unknown("joint", joint, tree.independent_joints)}')


def read_map(path: str | PathLike[str]) -> RetargetingMap:
    """Read a map from a YAML file. Raises ModelError, which names the file and the entry."""
    return RetargetingMap.read(load_yaml(path, 'the map'), f'the map {str(path)!r}')


def _entry(name: Any, values: Any, source: str) -> Entry:
    if not isinstance(name, str) or not name:
        raise ModelError(f'{source}: the names of tasks must be texts, not {shown(name)}')
    where = f'tasks.{name}'
    entry: Entry = Entry.read(mapping(values, f'{source}: {where}'), owner=where)
    for fault, message in (
            (not entry.bone, ' must have a bone'), (not entry.link, ' must have a link'),
            ((entry.axis is not None) != (entry.type == LOOK_AT),
             f' must have an axis with the type {LOOK_AT}, and only with that'),
            (entry.axis is not None and not np.any(entry.axis), '.axis must not be zero'),
            (entry.hold and entry.type not in (POSE, POSITION),
             f'.hold needs the type {POSE} or {POSITION}, not {entry.type}'),
            (entry.hold and entry.weight == 0.0, '.hold needs a weight above 0')):
        if fault:
            raise ModelError(f'{source}: {where}{message}')
    return entry


def _ordered(entries: dict[str, Entry], source: str) -> dict[str, Entry]:
    for name, entry in entries.items():
        if entry.parent and entry.parent not in entries:
            raise ModelError(f'{source}: tasks.{name}.parent: '
                             f'{unknown("entry", entry.parent, entries)}')
    ordered: dict[str, Entry] = {}
    left = dict(entries)
    while left:
        ready = [name for name, entry in left.items() if entry.parent in ('', *ordered)]
        if not ready:
            raise ModelError(f'{source}: the parents of the tasks {names(left)} form a loop')
        ordered.update((name, left.pop(name)) for name in ready)
    return ordered


def _joint_values(rest: dict[str, Any], who: str, source: str) -> Mapping[str, float]:
    """Return the joint values {joint: value} of a rest pose."""
    where = f'{source}: rest.{who}'
    return MappingProxyType({
        str(joint): real_number(value, f'{where}: {shown(joint)}')
        for joint, value in mapping(rest.get(who, {}), where).items()})
