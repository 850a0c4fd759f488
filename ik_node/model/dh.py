"""Reads Denavit-Hartenberg rows into a tree.

A table is a mapping, or a YAML file that holds one:

    convention: standard            # Rz(θ) Tz(d) Tx(a) Rx(α), or
                                    # modified: Rx(α) Tx(a) Rz(θ) Tz(d) [Craig]
    angle_unit: rad                 # or deg; of every angle in the table
    joints:                         # from the base to the tool
      - {name: waist, type: revolute, a: 0.0, alpha: 1.5708, d: 0.672, theta: 0.0,
         lower: -2.79, upper: 2.79, sign: 1}
    base: {xyz: [0, 0, 0], rpy: [0, 0, 0]}      # before the first row
    tool: {xyz: [0, 0, 0.1], rpy: [0, 0, 0]}    # after the last

The joint value q turns a revolute row, θ = theta + sign·q, and slides a prismatic one,
d = d + sign·q; a fixed row has none. The links are base_link, link_1 … link_n and tool. The frame
of link_i stands on the axis of joint i and turns with it: with the modified convention it is the
row's own frame, with the standard one it comes before the row's Tx(a) Rx(α).
"""

import math
import sys
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np

from ik_node.bounds import MAX_LINKS, MAX_NUMBER, check_name
from ik_node.exceptions import ModelError, names, shown, unknown
from ik_node.model.joints import CONTINUOUS, FIXED, PRISMATIC, REVOLUTE, UNLIMITED, Joint
from ik_node.model.tree import KinematicTree
from ik_node.model.yaml_file import load_yaml
from ik_node.spatial import pose_from_rpy

STANDARD, MODIFIED = 'standard', 'modified'
CONVENTIONS = (STANDARD, MODIFIED)
_UNITS = {'rad': 1.0, 'deg': math.pi / 180.0}
_TYPES = (REVOLUTE, PRISMATIC, FIXED)
ROW_NUMBERS = ('a', 'alpha', 'd', 'theta')
_KEYS = ('name', 'type', *ROW_NUMBERS, 'sign', 'lower', 'upper', 'velocity', 'effort')
_TABLE_KEYS = ('name', 'convention', 'angle_unit', 'joints', 'base', 'tool')


def read_dh(table: Any, convention: str | None = None) -> KinematicTree:
    """Read a tree from a path (.yaml), a mapping, or (n, 4) rows; see `KinematicTree.from_dh`.

    Raises ModelError.
    """
    if isinstance(table, (str, PathLike)):
        table = _load(table)
    if not isinstance(table, Mapping):
        table = {'joints': _plain_rows(table)}
    for key in table:
        if key not in _TABLE_KEYS:
            raise ModelError(unknown('key', key, _TABLE_KEYS).replace('there is no',
                                                                      'a DH table has no', 1))
    convention = _convention(table.get('convention'), convention)
    given_unit = table.get('angle_unit', 'rad')
    if given_unit not in tuple(_UNITS):
        raise ModelError(f'angle_unit must be rad or deg, not {given_unit!r}')
    unit = _UNITS[given_unit]
    rows = table.get('joints')
    if not isinstance(rows, Sequence) or isinstance(rows, str) or not rows:
        raise ModelError(f'joints must be a list of rows, not {rows!r:.60}')
    if len(rows) > MAX_LINKS:
        raise ModelError(f'a DH table may have at most {MAX_LINKS} rows, not {len(rows)}')
    T = _pose(table.get('base'), 'base', unit)
    joints: dict[str, Joint] = {}
    for index, row in enumerate(rows, start=1):
        joint, T = _joint(row, index, convention, unit, joints, T)
        joints[joint.name] = joint
    T = T @ _pose(table.get('tool'), 'tool', unit)
    name = 'tool_joint'
    while name in joints:
        name += '_'
    tool = Joint(name, FIXED, f'link_{len(rows)}', 'tool', T, lower=0.0, upper=0.0)
    arcs = [*joints.values(), tool]
    return KinematicTree(['base_link', *(arc.child for arc in arcs)], arcs,
                         name=str(table.get('name', 'robot')))


def _load(path: str | PathLike[str]) -> Any:
    table = load_yaml(path, 'the DH table')
    if not isinstance(table, Mapping):
        raise ModelError(f'the DH table {str(path)!r} must be a mapping with the keys '
                         f'{names(_TABLE_KEYS)}, not {table!r:.60}')
    return table


def _plain_rows(rows: Any) -> list[dict[str, Any]]:
    """Return (n, 4) rows a, alpha, d, theta as mappings of revolute joints."""
    if not isinstance(rows, (Sequence, np.ndarray)) or isinstance(rows, bytes) or not len(rows):
        raise ModelError('a DH table must be a path, a mapping, or rows of a, alpha, d, theta, not '
                         f'{rows!r:.60}')
    for index, row in enumerate(rows, start=1):
        if not isinstance(row, (Sequence, np.ndarray)) or isinstance(row, str) or len(row) != 4:
            raise ModelError(f'row {index} of the DH table must be four numbers, a, alpha, d, '
                             f'theta, not {row!r:.60}')
    return [{'type': REVOLUTE, **dict(zip(ROW_NUMBERS, row))} for row in rows]


def _convention(given: Any, argument: str | None) -> str:
    if given is not None and argument is not None and given != argument:
        raise ModelError(f'the DH table says convention {given!r}, the argument {argument!r}')
    convention = argument if given is None else given
    if convention not in CONVENTIONS:
        raise ModelError(f'the convention of a DH table must be one of {names(CONVENTIONS)}, not '
                         f'{convention!r}')
    return convention


def _joint(row: Any, index: int, convention: str, unit: float, before: Mapping[str, Joint],
           T: np.ndarray) -> tuple[Joint, np.ndarray]:
    """Return the joint of a row, and what its constants leave for the next one.

    before: the joints of the rows before, by name. T (4, 4) is what stands between the link of the
    last one and the row, m.
    """
    if not isinstance(row, Mapping):
        raise ModelError(f'row {index} of the DH table must be a mapping with the keys '
                         f'{names(_KEYS)}, not {row!r:.60}')
    name = row.get('name', f'{"fixed" if row.get("type") == FIXED else "joint"}_{index}')
    where = f'row {index} of the DH table' + (f' ({name})' if 'name' in row else '')
    if not isinstance(name, str) or not name:
        raise ModelError(f'{where}: name must be a text, not {name!r}')
    check_name(name, f'row {index} of the DH table')
    if name in before:
        raise ModelError(f'{where}: another row before it has the name {name!r}')
    for key in row:
        if key not in _KEYS:
            raise ModelError(f'{where}: {unknown("key", key, _KEYS)}')
    for key in ('type', *ROW_NUMBERS):
        if key not in row:
            raise ModelError(f'{where}: the key {key!r} is missing; a row needs '
                             f'{names(("type", *ROW_NUMBERS))}')
    kind = row['type']
    if kind not in _TYPES:
        raise ModelError(f'{where}: type must be one of {names(_TYPES)}, not {kind!r}: one of '
                         'theta and d moves, not both')
    a, alpha, d, theta = (_number(row[key], key, where) for key in ROW_NUMBERS)
    alpha, theta = unit * alpha, unit * theta
    sign = row.get('sign', 1)
    if sign not in (1, -1):
        raise ModelError(f'{where}: sign must be 1 or -1, not {sign!r}')
    along_x, along_z = screw(alpha, a, 0), screw(theta, d, 2)
    placement, rest = (T @ along_x @ along_z, np.eye(4)) if convention == MODIFIED else (
        T @ along_z, along_x)
    parent = f'link_{index - 1}' if before else 'base_link'
    kind, lower, upper = _limits(row, kind, unit, where)
    joint = Joint(name, kind, parent, f'link_{index}', placement,
                  np.array([0.0, 0.0, float(sign)]), lower, upper,
                  _positive(row, 'velocity', where), _positive(row, 'effort', where))
    return joint, rest


def screw(angle: float, length: float, axis: int) -> np.ndarray:
    """Return the pose (4, 4) turned about, rad, and moved along, m, the x (0) or z (2) axis."""
    c, s = math.cos(angle), math.sin(angle)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    T = np.eye(4)
    T[i, i], T[i, j], T[j, i], T[j, j] = c, -s, s, c
    T[axis, 3] = length
    return T


def _limits(row: Mapping[str, Any], kind: str, unit: float,
            where: str) -> tuple[str, float, float]:
    """Return a row's type and limits: a revolute one without limits is continuous."""
    if kind == FIXED:
        return FIXED, 0.0, 0.0
    if ('lower' in row) != ('upper' in row):
        raise ModelError(f'{where}: lower and upper come together')
    if 'lower' not in row:
        if kind == PRISMATIC:
            raise ModelError(f'{where}: a prismatic joint must have lower and upper')
        return CONTINUOUS, -math.inf, math.inf
    scale = 1.0 if kind == PRISMATIC else unit
    lower, upper = (scale * _number(row[key], key, where, sys.float_info.max)
                    for key in ('lower', 'upper'))
    lower, upper = (math.copysign(math.inf, limit) if abs(limit) >= UNLIMITED else limit
                    for limit in (lower, upper))
    if lower > upper:
        raise ModelError(f'{where}: lower {row["lower"]!r} is greater than upper {row["upper"]!r}')
    return kind, lower, upper


def _number(value: Any, key: str, where: str, largest: float = MAX_NUMBER) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise ModelError(f'{where}: {key} must be a number, not {value!r}{_yaml_hint(value)}')
    if not abs(value) < math.inf:  # NaN is not, either
        raise ModelError(f'{where}: {key} must be a finite number, not {value!r}')
    if abs(value) > largest:
        raise ModelError(f'{where}: {key} must be at most {largest:g} in size, not {shown(value)}')
    return float(value)


def _yaml_hint(value: Any) -> str:
    """Return what to do about a number that YAML 1.1 reads as text: 1e-3 has no point."""
    try:
        return f'; in YAML write {float(value)!r}' if isinstance(value, str) else ''
    except ValueError:
        return ''


def _positive(row: Mapping[str, Any], key: str, where: str) -> float:
    if key not in row:
        return math.inf
    value = _number(row[key], key, where, sys.float_info.max)
    if value <= 0.0:
        raise ModelError(f'{where}: {key} must be above 0, not {value!r}')
    return value


def _pose(given: Any, what: str, unit: float) -> np.ndarray:
    """Return base or tool as a pose (4, 4), m."""
    if given is None:
        return np.eye(4)
    if not isinstance(given, Mapping) or not set(given) <= {'xyz', 'rpy'}:
        raise ModelError(f'{what} must be a mapping with the keys xyz and rpy, not {given!r:.60}')
    vectors = []
    for key in ('xyz', 'rpy'):
        value = given.get(key, (0.0, 0.0, 0.0))
        if not isinstance(value, (Sequence, np.ndarray)) or isinstance(value, str) or (
                len(value) != 3):
            raise ModelError(f'{what}: {key} must be three numbers, not {value!r:.60}')
        vectors.append(np.array([_number(number, key, what) for number in value]))
    return pose_from_rpy(vectors[0], unit * vectors[1])
