"""Recorded motions from printed trajectory_msgs/JointTrajectory.

As `ros2 topic echo --full-length` prints it:

    joint_names: [shoulder, elbow]
    points:
    - positions: [0.10, -0.30]
      time_from_start: {sec: 0, nanosec: 0}
    - positions: [0.11, -0.31]
      time_from_start: {sec: 0, nanosec: 10000000}

The header of a single message, velocities, accelerations and efforts are not used. Of several
messages each begins at its stamp, and replaces what those before have from its first point on, as
controllers do; without stamps, each begins where the one before ends.
"""

from typing import Any

import numpy as np

from ik_node.mocap.printed_messages import (
    SECOND,
    Message,
    joint_values,
    listed,
    mapping,
    nanoseconds,
    stamp,
)
from ik_node.mocap.recording import Recording, own_columns
from ik_node.model.root_joints import rooted_for
from ik_node.model.tree import KinematicTree
from ik_node.support.exceptions import ModelError, names, shown

_KEYS = ('header', 'joint_names', 'points')
_POINT_KEYS = ('positions', 'velocities', 'accelerations', 'effort', 'time_from_start')


def read_trajectories(messages: list[Message], tree: KinematicTree, what: str) -> Recording:
    """Return the motion of some JointTrajectory messages; see the module.

    Raises ModelError for an invalid one, naming its entry.
    """
    joint_names: list[Any] = []
    times: list[int] = []  # ns
    rows: list[list[float]] = []
    before: int | None = None  # the stamp of the message before
    for message in messages:
        values = mapping(message.values, _KEYS, message.where)
        own = listed(values.get('joint_names'), f'{message.where}: joint_names')
        if not joint_names:
            joint_names, tree = own, _tree_for(own, tree, message.where)
        elif own != joint_names:
            columns = _columns(own, joint_names, message.where)
        own_times, own_rows = _points(values, own, message.where)
        if own != joint_names:
            own_rows = [[row[i] for i in columns] for row in own_rows]
        begin = 0
        if len(messages) > 1:
            present = stamp(values, message.where)
            _check_stamp(present, before, message.where)
            before = present
            begin = present or (times[-1] if times else 0)
        while times and times[-1] >= begin + own_times[0]:
            del times[-1], rows[-1]
        times += [begin + time for time in own_times]
        rows += own_rows
    seconds = np.array([time - times[0] for time in times]) / SECOND
    return Recording(tree, joint_names, seconds, np.array(rows), what)


def _points(message: dict[str, Any], joint_names: list[Any],
            where: str) -> tuple[list[int], list[list[float]]]:
    """Return the times from the start, ns, and the values of the points of a message."""
    points = listed(message.get('points'), f'{where}: points')
    if not points:
        raise ModelError(f'{where}: points must have at least one entry')
    times: list[int] = []
    rows = []
    for k, point in enumerate(points):
        at = f'{where}: points[{k}]'
        fields = mapping(point, _POINT_KEYS, at)
        rows.append(joint_values(fields.get('positions'), joint_names, f'{at}.positions'))
        times.append(nanoseconds(fields.get('time_from_start'), f'{at}.time_from_start'))
        if k and not times[k] > times[k - 1]:
            raise ModelError(f'{at}.time_from_start must be later than that of the point before, '
                             f'{times[k - 1] / SECOND:.9g} s, not {times[k] / SECOND:.9g} s')
    return times, rows


def _tree_for(joint_names: list[Any], tree: KinematicTree, where: str) -> KinematicTree:
    """Return the tree that has the joints of a message. Raises ModelError where none has."""
    tree = rooted_for(joint_names, tree)
    own_columns(joint_names, tree, lambda i: f'{where}: joint_names[{i}]')
    return tree


def _columns(own: list[Any], joint_names: list[Any], where: str) -> list[int]:
    """Return where the joints of the first message are in another. Raises ModelError."""
    if len(own) != len(joint_names) or any(name not in own for name in joint_names):
        raise ModelError(f'{where}: joint_names must be those of the first message, '
                         f'{names(joint_names)}, in any order, not {shown(own)}')
    return [own.index(name) for name in joint_names]


def _check_stamp(present: int, before: int | None, where: str) -> None:
    """Raise ModelError for a stamp before the last one, and where only some have one."""
    if before is not None and (present < before or (present > 0) != (before > 0)):
        raise ModelError(f'{where}: header.stamp must not be before that of the message before, '
                         f'{before / SECOND:.9f} s, and be 0 in all messages or in none, not '
                         f'{present / SECOND:.9f} s')
