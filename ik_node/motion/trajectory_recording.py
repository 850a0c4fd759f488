"""Reads recorded motions from a trajectory_msgs/JointTrajectory as YAML.

As `ros2 topic echo --once --full-length` prints it:

    joint_names: [shoulder, elbow]
    points:
    - positions: [0.10, -0.30]
      time_from_start: {sec: 0, nanosec: 0}
    - positions: [0.11, -0.31]
      time_from_start: {sec: 0, nanosec: 10000000}

The header, velocities, accelerations and efforts are not used.
"""

from pathlib import Path
from typing import Any

import numpy as np

from ik_node.bounds import MAX_NUMBER, read_bytes
from ik_node.exceptions import ModelError, shown, unknown
from ik_node.model.root_joints import rooted_for
from ik_node.model.tree import KinematicTree
from ik_node.model.yaml_file import parse_yaml
from ik_node.motion.recording import Recording, own_columns

_KEYS = ('header', 'joint_names', 'points')
_POINT_KEYS = ('positions', 'velocities', 'accelerations', 'effort', 'time_from_start')
_DURATION_KEYS = ('sec', 'nanosec')
_CUT = '...'     # in place of the items after the first 128
_MAX_SEC = 2**31 - 1
_SECOND = 10**9  # ns


def read_trajectory(path: Path, tree: KinematicTree) -> Recording:
    """Read a motion of a robot from a JointTrajectory as YAML; see the module.

    Raises ModelError for an invalid file, naming the entry, or the line where it is not YAML.
    """
    what = f'the motion {str(path)!r}'
    try:
        text = read_bytes(path).decode('utf-8-sig')
    except (OSError, ValueError) as error:
        raise ModelError(f'cannot read {what}: {error}') from error
    message = _mapping(parse_yaml(_without_end(text), what), _KEYS, what)
    joint_names = _list(message, 'joint_names', what)
    tree = rooted_for(joint_names, tree)
    own_columns(joint_names, tree, lambda i: f'{what}: joint_names[{i}]')
    points = _list(message, 'points', what)
    if not points:
        raise ModelError(f'{what}: points must have at least one entry')
    times, values = [], np.empty((len(points), len(joint_names)))
    for k, point in enumerate(points):
        where = f'{what}: points[{k}]'
        if point == _CUT:
            raise ModelError(f'{where}: the message was printed in part only; use ros2 topic echo '
                             '--full-length')
        entries = _mapping(point, _POINT_KEYS, where)
        values[k] = _positions(entries, joint_names, where)
        times.append(_time(entries, where))
        if k and not times[k] > times[k - 1]:
            raise ModelError(f'{where}.time_from_start must be later than that of the point '
                             f'before, {times[k - 1] / _SECOND:.9g} s, not '
                             f'{times[k] / _SECOND:.9g} s')
    return Recording(tree, joint_names, np.array(times) / _SECOND, values, what)


def _without_end(text: str) -> str:
    """Return a text without the "---" with which ROS ends each message."""
    text = text.rstrip()
    return text[:-3] if text.endswith('\n---') else text


def _mapping(value: Any, keys: tuple[str, ...], where: str) -> dict[str, Any]:
    """Return a mapping with some of the keys and no others. Raises ModelError."""
    if not isinstance(value, dict):
        raise ModelError(f'{where} must be a mapping with the keys {", ".join(keys)}, not '
                         f'{shown(value)}')
    for key in value:
        if key not in keys:
            raise ModelError(f'{where}: {unknown("key", key, keys)}')
    return value


def _list(entries: dict[str, Any], key: str, where: str) -> list[Any]:
    """Return a list of a mapping. Raises ModelError."""
    value = entries.get(key)
    if not isinstance(value, list):
        raise ModelError(f'{where}: {key} must be a list, not {shown(value)}')
    return value


def _positions(entries: dict[str, Any], joint_names: list[str], where: str) -> list[float]:
    """Return the joint values of a point, rad or m. Raises ModelError."""
    positions = _list(entries, 'positions', where)
    if len(positions) != len(joint_names):
        raise ModelError(f'{where}.positions must have {len(joint_names)} values, one for each '
                         f'joint, not {len(positions)}')
    for i, value in enumerate(positions):
        numeric = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not numeric or not abs(value) <= MAX_NUMBER:
            hint = ', which YAML reads as text (write 1.0e-3)' if isinstance(value, str) else ''
            raise ModelError(f'{where}.positions[{i}], of {joint_names[i]!r}, must be a number, at '
                             f'most {MAX_NUMBER:g} in size, not {shown(value)}{hint}')
    return positions


def _time(entries: dict[str, Any], where: str) -> int:
    """Return the time of a point from the start, ns. Raises ModelError."""
    where = f'{where}.time_from_start'
    duration = _mapping(entries.get('time_from_start'), _DURATION_KEYS, where)
    total = 0
    for key, scale, most in (('sec', _SECOND, _MAX_SEC), ('nanosec', 1, _SECOND - 1)):
        value = duration.get(key, 0)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
            raise ModelError(f'{where}.{key} must be a whole number from 0 to {most}, not '
                             f'{shown(value)}')
        total += scale * value
    return total
