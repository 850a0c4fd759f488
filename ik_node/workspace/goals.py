"""Reads goals for the tip from files: poses, or points with the normals of a surface.

At a point with a normal the third axis of the tip points into the surface, and the turn about it is
free, as in studies of the package reach.
"""

import csv
import io
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, NamedTuple

import numpy as np

from ik_node.model.yaml_file import parse_yaml
from ik_node.spatial import matrix_from_rpy, pose_from_rotation, screw, turn_z_onto
from ik_node.spatial.rotations import as_rotation
from ik_node.support.bounds import MAX_MESH_BYTES, as_path, read_bytes, reading
from ik_node.support.exceptions import IkError, InputError, ModelError, names, shown

MOST_GOALS = 1_000_000

_ORIENTATIONS = (('qx', 'qy', 'qz', 'qw'), ('roll', 'pitch', 'yaw'), ('nx', 'ny', 'nz'))
_TYPES = {'char': 'i1', 'uchar': 'u1', 'short': 'i2', 'ushort': 'u2', 'int': 'i4', 'uint': 'u4',
          'float': 'f4', 'double': 'f8'}  # of PLY; newer files have int8 … float64


class GoalSet(NamedTuple):
    """Poses for the tip; from normals the turn about the third axis is free."""

    poses: np.ndarray  # (k, 4, 4) m
    free_turn: bool

    def turned(self, count: int) -> np.ndarray:
        """Return the poses (k, t, 4, 4), t equal turns about the third axis: `count`, or 1."""
        count = count if self.free_turn else 1
        turns = np.array([screw(2.0 * math.pi * k / count, 0.0, 2) for k in range(count)])
        return np.asarray(self.poses[:, None] @ turns)


def read_goals(path: str | PathLike[str]) -> GoalSet:
    """Return the goals of a file .csv, .yaml, .yml, .pcd or .ply.

    CSV has a line with names of columns: x y z in m, and qx qy qz qw, roll pitch yaw in rad, or
    nx ny nz. YAML is a list with `position` and `orientation` (xyzw), `rpy` or `normal`, or a
    PoseArray as ROS prints it. Raises ModelError for what cannot be read, InputError for a goal
    that is none, with its number.
    """
    file = as_path(path, 'a file of goals')
    what = f'the goals {str(file)!r}'
    reader = _READERS.get(file.suffix.lower())
    if reader is None:
        raise ModelError(f'{what} must be a file {names(_READERS)}')
    with reading(what):
        try:
            columns = reader(read_bytes(file, MAX_MESH_BYTES))
        except (LookupError, StopIteration, TypeError, csv.Error) as error:
            raise ValueError(f'it is damaged, {error!r}') from error
        columns = {name.replace('normal_', 'n'): column for name, column in columns.items()}
        kind = next((kind for kind in _ORIENTATIONS if columns.keys() >= {*kind}), None)
        if kind is None or not columns.keys() >= {*'xyz'}:
            raise ValueError(f'goals need {names("xyz")} and one of '
                             f'{"; ".join(", ".join(kind) for kind in _ORIENTATIONS)}, not '
                             f'{names(columns)}')
        rows = np.array([columns[name] for name in (*'xyz', *kind)], float).T
    if not 0 < len(rows) <= MOST_GOALS:
        raise InputError(f'{what} has {len(rows)} goals, 1 to {MOST_GOALS} are allowed')
    poses = []
    for number, row in enumerate(rows, start=1):
        if not np.isfinite(row).all():
            raise InputError(f'{what}: goal {number} has a number that is not finite: '
                             f'{row.tolist()}')
        try:
            poses.append(pose_from_rotation(_rotation(row[3:], kind[0]), row[:3]))
        except IkError as error:
            raise InputError(f'{what}: goal {number}: {error}') from error
    return GoalSet(np.array(poses), kind[0] == 'nx')


def _rotation(values: np.ndarray, kind: str) -> np.ndarray:
    if kind == 'qx':
        return as_rotation(values, 'the orientation')
    if kind == 'roll':
        return matrix_from_rpy(*values)
    length = float(np.linalg.norm(values))
    if not length > 1e-9:
        raise InputError('its normal has no direction')
    return turn_z_onto(-values / length)


def _read_csv(data: bytes) -> dict[str, Any]:
    rows = csv.reader(io.StringIO(data.decode('utf-8-sig')), skipinitialspace=True)
    head = [name.strip().lower() for name in next(rows, [])]
    filled = [row for row in rows if row]
    for row in filled:
        if len(row) != len(head):
            raise ValueError(f'{shown(row)} has {len(row)} columns, the first line {len(head)}')
    return {name: [float(row[k]) for row in filled] for k, name in enumerate(head)
            if name.replace('normal_', 'n') in {*'xyz', *sum(_ORIENTATIONS, ())}}


def _read_yaml(data: bytes) -> dict[str, Any]:
    items = parse_yaml(data.decode('utf-8-sig'), 'they')
    items = items.get('poses', items.get('goals')) if isinstance(items, Mapping) else items
    if not isinstance(items, list):
        raise ValueError('they are no list')
    rows: list[dict[str, float]] = []
    for number, item in enumerate(items, start=1):
        row: dict[str, float] = {}
        for key, kind in (('position', ('x', 'y', 'z')), ('orientation', _ORIENTATIONS[0]),
                          ('rpy', _ORIENTATIONS[1]), ('normal', _ORIENTATIONS[2])):
            values = item.get(key) if isinstance(item, Mapping) else None
            if isinstance(values, Mapping):
                values = [values.get(name) for name in 'xyzw'[:len(kind)]]
            if values is not None:
                if not isinstance(values, list) or len(values) != len(kind):
                    raise ValueError(f'goal {number}: {key} must be {len(kind)} numbers, not '
                                     f'{shown(values)}')
                row.update(zip(kind, values))
        if rows and row.keys() != rows[0].keys():
            raise ValueError(f'goal {number} has {names(row)}, the first {names(rows[0])}')
        rows.append(row)
    return {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}


def _read_pcd(data: bytes) -> dict[str, Any]:
    head, body = _split(data, b'\nDATA ')
    first, _, body = body.partition(b'\n')
    storage = first.strip().lower()
    lines = {words[0]: words[1:] for words in map(str.split, head) if words}
    types = [f'{"<" if size != "1" else ""}{kind.lower()}{size}'
             for kind, size in zip(lines['TYPE'], lines['SIZE'])]
    return _records(body, lines['FIELDS'], types, lines.get('COUNT', ['1'] * len(types)),
                    int(lines['POINTS'][0]), {b'ascii': True, b'binary': False}.get(storage))


def _read_ply(data: bytes) -> dict[str, Any]:
    head, body = _split(data, b'\nend_header')
    body = body.partition(b'\n')[2]
    words = [line.split() for line in head if line.strip()]
    storage = next(line[1] for line in words if line[0] == 'format')
    elements = [k for k, line in enumerate(words) if line[0] == 'element']
    if not elements or words[elements[0]][1] != 'vertex':
        raise ValueError('its first element is not vertex')
    last = elements[1] if len(elements) > 1 else len(words)
    properties = [line for line in words[elements[0] + 1:last] if line[0] == 'property']
    order: Literal['<', '>'] = '>' if storage == 'binary_big_endian' else '<'
    types = [np.dtype(_TYPES.get(kind, kind)).newbyteorder(order).str
             for _, kind, *_ in properties]
    return _records(body, [line[-1] for line in properties], types, ['1'] * len(properties),
                    int(words[elements[0]][2]), storage == 'ascii')


def _split(data: bytes, end: bytes) -> tuple[list[str], bytes]:
    """Return the lines of a header, and what comes after the words that end it."""
    head, found, body = data.partition(end)
    if not found:
        raise ValueError('it has no header')
    return head.decode('ascii', 'replace').splitlines(), body


def _records(body: bytes, fields: Sequence[str], types: Sequence[str], counts: Iterable[str],
             count: int, is_text: bool | None) -> dict[str, Any]:
    """Return the columns by name of records in text or binary."""
    if is_text is None:
        raise ValueError('it is compressed: save it as ascii or binary')
    kinds = np.dtype([(name, kind, (int(n),)) for name, kind, n in zip(fields, types, counts)])
    if not is_text:
        found = np.frombuffer(body, kinds, count)
        return {name: found[name][:, 0] for name in fields}
    widths = np.cumsum([0, *(kinds[name].shape[0] for name in fields)])
    rows = np.array([line.split()[:widths[-1]] for line in body.splitlines()[:count]], float)
    if rows.shape != (count, widths[-1]):
        raise ValueError(f'{count} points of {widths[-1]} numbers are announced')
    return {name: rows[:, at] for name, at in zip(fields, widths)}


_READERS: dict[str, Callable[[bytes], dict[str, Any]]] = {
    '.csv': _read_csv, '.yaml': _read_yaml, '.yml': _read_yaml, '.pcd': _read_pcd,
    '.ply': _read_ply}
