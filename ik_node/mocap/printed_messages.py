"""Recorded motions from ROS messages as `ros2 topic echo` prints them: YAML, "---" after each.

The header of a single trajectory_msgs/JointTrajectory is not used. Of several each begins at its
stamp, and replaces what those before have from its first point on, as controllers do; without
stamps, each begins where the one before ends. Each sensor_msgs/JointState is a frame at its stamp.
Several publishers may each have some of the joints; values of a joint between its own messages are
interpolated.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ik_node.mocap.recording import MAX_MOTION_BYTES, Recording, own_columns, rooted_for
from ik_node.model.joints import CONTINUOUS
from ik_node.model.tree import KinematicTree
from ik_node.model.yaml_file import parse_yaml, real_number
from ik_node.support.arguments import instance, is_real, keyed
from ik_node.support.bounds import MAX_NUMBER, read_bytes, reading
from ik_node.support.exceptions import ModelError, names, shown

_TRAJECTORY_KEYS = ('header', 'joint_names', 'points')
_POINT_KEYS = ('positions', 'velocities', 'accelerations', 'effort', 'time_from_start')
_STATE_KEYS = ('header', 'name', 'position', 'velocity', 'effort')
SECOND = 10**9  # ns
_MAX_SEC = 2**31 - 1
_CUT = '...'     # in place of the items after the first 128
_END = re.compile(r'^(?:---|\.\.\.)[ \t]*\r?(?:\n|\Z)', re.MULTILINE)
_NOTE = re.compile(  # that ros2 topic echo prints between messages
    r'^(?:WARNING: topic \[.*\n|A message was lost!!!\r?\n\t.*\n\ttotal count:.*\n)',
    re.MULTILINE)


_Messages = list[tuple[str, Any]]
"""For each message the file, with its number and first line where there are several, and the YAML.
"""


def read_printed(path: Path, tree: KinematicTree) -> Recording:
    """Read a motion of a robot from printed messages, all of the kind of the first.

    Raises ModelError for an invalid file, naming the entry, or the line where it is not YAML.
    """
    messages = read_messages(path)
    _, first = messages[0]
    states = isinstance(first, dict) and ('name' in first or 'position' in first)
    return (_joint_states if states else _trajectories)(messages, tree, f'the motion {str(path)!r}')


def _trajectories(messages: _Messages, tree: KinematicTree, what: str) -> Recording:
    joint_names: list[Any] = []
    times: list[int] = []  # ns
    rows: list[list[float]] = []
    before: int | None = None  # the stamp of the message before
    for where, message in messages:
        values = keyed(message, _TRAJECTORY_KEYS, where)
        own = listed(values.get('joint_names'), f'{where}: joint_names')
        if not joint_names:
            joint_names, tree = own, rooted_for(own, tree)
            own_columns(own, tree, partial('{}: joint_names[{}]'.format, where))
        if len(own) != len(joint_names) or any(name not in own for name in joint_names):
            raise ModelError(f'{where}: joint_names must be those of the first message, '
                             f'{names(joint_names)}, in any order, not {shown(own)}')
        own_times, own_rows = _points(values, own, where)
        begin = 0
        if len(messages) > 1:
            present = stamp(values, where)
            if before is not None and (present < before or (present > 0) != (before > 0)):
                raise ModelError(f'{where}: header.stamp must not be before that of the message '
                                 f'before, {before / SECOND:.9f} s, and be 0 in all messages or in '
                                 f'none, not {present / SECOND:.9f} s')
            before, begin = present, present or (times[-1] if times else 0)
        while times and times[-1] >= begin + own_times[0]:
            del times[-1], rows[-1]
        times += [begin + time for time in own_times]
        columns = [own.index(name) for name in joint_names]
        rows += [[row[i] for i in columns] for row in own_rows]
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
        fields = keyed(point, _POINT_KEYS, at)
        rows.append(joint_values(fields.get('positions'), joint_names, f'{at}.positions'))
        times.append(nanoseconds(fields.get('time_from_start'), f'{at}.time_from_start'))
        if k and not times[k] > times[k - 1]:
            raise ModelError(f'{at}.time_from_start must be later than that of the point before, '
                             f'{times[k - 1] / SECOND:.9g} s, not {times[k] / SECOND:.9g} s')
    return times, rows


def _joint_states(messages: _Messages, tree: KinematicTree, what: str) -> Recording:
    places: dict[str, str] = {}  # of joints: where they first appear
    last: dict[tuple[str, ...], int] = {}  # stamps, by the joints of a message
    values: dict[str, dict[int, float]] = defaultdict(dict)  # by time, ns, of each joint
    for where, message in messages:
        state = keyed(message, _STATE_KEYS, where)
        own = _own_joints(state, places, where)
        positions = joint_values(state.get('position'), own, f'{where}: position')
        time = stamp(state, where)
        if time <= last.get(own, -1):
            raise ModelError(f'{where}: header.stamp must be later than that of the message of the '
                             f'same joints before, {last[own] / SECOND:.9f} s, not '
                             f'{time / SECOND:.9f} s')
        last[own] = time
        for name, position in zip(own, positions):
            # Unless another publisher has the joint, too.
            if not values[name] or time > next(reversed(values[name])):
                values[name][time] = position
    tree = rooted_for(list(places), tree)
    own_columns(list(places), tree, lambda i: [*places.values(), f'{messages[0][0]}: name'][i])
    every = np.array(sorted({time for one in values.values() for time in one}))
    seconds, columns = (every - every[0]) / SECOND, []
    for name in places:
        column = np.array([*values[name].values()])
        if tree.joints[name].type == CONTINUOUS:
            column = np.unwrap(column)
        own_seconds = (np.array([*values[name]]) - every[0]) / SECOND
        columns.append(np.interp(seconds, own_seconds, column))
    return Recording(tree, list(places), seconds, np.column_stack(columns), what)


def _own_joints(state: dict[str, Any], places: dict[str, str], where: str) -> tuple[str, ...]:
    """Return the joints of a message, and note where new ones appear."""
    seen: set[str] = set()
    for i, name in enumerate(listed(state.get('name'), f'{where}: name')):
        if not isinstance(name, str) or name in seen:
            raise ModelError(f'{where}: name[{i}] must be the name of a joint that is not named '
                             f'before, not {shown(name)}')
        seen.add(name)
        places.setdefault(name, f'{where}: name[{i}]')
    return tuple(state['name'])


def read_messages(path: Path) -> _Messages:
    """Read the messages of a file, at least one.

    Notes of ros2 topic echo, as about lost messages, are skipped. Raises ModelError for a file that
    cannot be read or is not YAML, naming the line.
    """
    what = f'the motion {str(path)!r}'
    with reading(what):
        text = read_bytes(path, MAX_MOTION_BYTES).decode('utf-8-sig')
    text = _NOTE.sub(lambda note: '\n' * note[0].count('\n'), text)
    documents, line = [], 1
    for document in _END.split(text):
        stripped = document.lstrip()
        if stripped:
            first = line + document[:len(document) - len(stripped)].count('\n')
            documents.append((first, stripped))
        line += document.count('\n') + 1  # and the line of the end
    documents = documents or [(1, '')]
    wheres = [what] if len(documents) == 1 else [
        f'{what}, message {k} from line {first}' for k, (first, _) in enumerate(documents, start=1)]
    return [(where, _parsed(*document, where))
            for where, document in zip(wheres, documents)]


def _parsed(line: int, text: str, where: str) -> Any:
    """Return what a text says that begins in a line. Raises ModelError, with lines of the file."""
    try:
        return parse_yaml(text, where)
    except ModelError:
        # Again, where it stands in the file, for the numbers of lines in the message.
        return parse_yaml('\n' * (line - 1) + text, where)


def listed(value: Any, where: str) -> list[Any]:
    """Return a list that is printed in full. Raises ModelError."""
    instance(value, list, f'{where} must be a list', ModelError)
    if _CUT in value:
        raise ModelError(f'{where}[{value.index(_CUT)}]: the message was printed in part only; use '
                         'ros2 topic echo --full-length')
    return value


def joint_values(value: Any, joint_names: Sequence[str], where: str) -> list[float]:
    """Return a list of values, one for each joint, rad or m. Raises ModelError."""
    values = listed(value, where)
    if len(values) != len(joint_names):
        raise ModelError(f'{where} must have {len(joint_names)} values, one for each joint, not '
                         f'{len(values)}')
    for i, one in enumerate(values):
        if not is_real(one) or not abs(one) <= MAX_NUMBER:
            real_number(one, f'{where}[{i}], of {joint_names[i]!r},')
    return values


def nanoseconds(value: Any, where: str) -> int:
    """Return a time or a duration, of sec and nanosec, in ns. Raises ModelError."""
    parts, total = keyed(value, ('sec', 'nanosec'), where), 0
    for key, scale, most in (('sec', SECOND, _MAX_SEC), ('nanosec', 1, SECOND - 1)):
        part = parts.get(key, 0)
        if isinstance(part, bool) or not isinstance(part, int) or not 0 <= part <= most:
            raise ModelError(f'{where}.{key} must be a whole number from 0 to {most}, not '
                             f'{shown(part)}')
        total += scale * part
    return total


def stamp(message: dict[str, Any], where: str) -> int:
    """Return the stamp of a message, ns. Raises ModelError."""
    header = keyed(message.get('header'), ('stamp', 'frame_id'), f'{where}: header')
    return nanoseconds(header.get('stamp'), f'{where}: header.stamp')
