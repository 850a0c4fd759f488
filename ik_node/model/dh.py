"""Reads Denavit-Hartenberg rows.

A table is a mapping, or a YAML file that holds one:

    convention: standard            # Rz(θ) Tz(d) Tx(a) Rx(α), or
                                    # modified: Rx(α) Tx(a) Rz(θ) Tz(d) [Craig]
    angle_unit: rad                 # or deg; of every angle in the table
    joints:                         # from the base to the tool
      - {name: waist, type: revolute, a: 0.0, alpha: 1.5708, d: 0.672, theta: 0.0,
         lower: -2.79, upper: 2.79, sign: 1}
    base: {xyz: [0, 0, 0], rpy: [0, 0, 0]}      # before the first row
    tool: {xyz: [0, 0, 0.1], rpy: [0, 0, 0]}    # after the last

A revolute row leaves out `lower`, `upper`, or both where there is no such limit. A prismatic row
must have both; ±1e9 m means no limit.

The joint value q turns a revolute row, θ = theta + sign·q, and slides a prismatic one,
d = d + sign·q; a fixed row has none. The links are base_link, link_1 … link_n and tool. The frame
of link_i stands on the axis of joint i and turns with it: with the modified convention it is the
row's own frame, with the standard one it comes before the row's Tx(a) Rx(α).
"""

import math
import re
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ik_node.model import joints
from ik_node.model.joints import Joint, limits_of, model_array
from ik_node.model.parts import ModelParts
from ik_node.model.yaml_file import angle_scale, load_yaml, parse_yaml, real_number
from ik_node.spatial import pose_from_rpy, screw
from ik_node.support.arguments import instance, keyed, sequence
from ik_node.support.bounds import MAX_LINKS, check_name
from ik_node.support.exceptions import ModelError, names, shown

STANDARD, MODIFIED = 'standard', 'modified'
CONVENTIONS = (STANDARD, MODIFIED)
_TYPES = (joints.REVOLUTE, joints.PRISMATIC, joints.FIXED)
ROW_NUMBERS = ('a', 'alpha', 'd', 'theta')
_KEYS = ('name', 'type', *ROW_NUMBERS, 'sign', 'lower', 'upper', 'velocity', 'effort')
_TABLE_KEYS = ('name', 'convention', 'angle_unit', 'joints', 'base', 'tool')


def read_dh(table: Any, convention: str | None = None) -> ModelParts:
    """Read a path (.yaml), a mapping, or (n, 4) rows; see `KinematicTree.from_dh`.

    Raises ModelError.
    """
    if isinstance(table, (str, PathLike)):
        table = keyed(load_yaml(table, 'the DH table'), _TABLE_KEYS, f'the DH table {str(table)!r}')
    table = (keyed(table, _TABLE_KEYS, 'a DH table') if isinstance(table, Mapping)
             else {'joints': _plain_rows(table)})
    convention = _convention(table.get('convention'), convention)
    unit = angle_scale(table.get('angle_unit', 'rad'))
    rows = table.get('joints')
    if not isinstance(rows, Sequence) or not (rows := sequence(rows, 'joints, the rows,')):
        raise ModelError(f'joints must be a list of rows, not {shown(rows)}')
    if len(rows) > MAX_LINKS:
        raise ModelError(f'a DH table may have at most {MAX_LINKS} rows, not {len(rows)}')
    T = _pose(table.get('base'), 'base', unit)
    found: dict[str, Joint] = {}
    for index, row in enumerate(rows, start=1):
        joint, T = _joint(row, index, convention, unit, found, T)
        found[joint.name] = joint
    T = T @ _pose(table.get('tool'), 'tool', unit)
    name = 'tool_joint'
    while name in found:
        name += '_'
    tool = Joint(name, joints.FIXED, f'link_{len(rows)}', 'tool', T, lower=0.0, upper=0.0)
    all_joints = [*found.values(), tool]
    robot = table.get('name', 'robot')
    instance(robot, (str, int, float), 'the name of a DH table must be text', ModelError)
    return ModelParts(['base_link', *(joint.child for joint in all_joints)], all_joints,
                      name=str(robot))


def read_dh_source(source: Path | str) -> ModelParts:
    """Read a YAML file, or YAML text, of rows. Raises ModelError."""
    if isinstance(source, Path):
        return read_dh(source)
    return read_dh(keyed(parse_yaml(source, 'the DH table'), _TABLE_KEYS, 'the DH table'))


def is_dh(head: str) -> bool:
    """Return whether a text that begins so is a table of rows in YAML."""
    return re.search(rf'^({"|".join(_TABLE_KEYS)})[ \t]*:', head, re.MULTILINE) is not None


def _plain_rows(rows: Any) -> list[dict[str, Any]]:
    """Return (n, 4) rows a, alpha, d, theta as mappings of revolute joints."""
    if isinstance(rows, np.ndarray):
        rows = model_array(rows, 'the rows of a DH table', None).tolist()
    if not isinstance(rows, Sequence) or not (rows := sequence(rows, 'a DH table')):
        raise ModelError('a DH table must be a path, a mapping, or rows of a, alpha, d, theta, not '
                         f'{shown(rows)}')
    for index, row in enumerate(rows, start=1):
        if not isinstance(row, (list, tuple, np.ndarray)) or len(row) != 4:
            raise ModelError(f'row {index} of the DH table must be four numbers, a, alpha, d, '
                             f'theta, not {shown(row)}')
    return [{'type': joints.REVOLUTE, **dict(zip(ROW_NUMBERS, row))} for row in rows]


def _convention(declared: Any, argument: str | None) -> str:
    for convention in (declared, argument) if declared is not None else (argument,):
        if (convention is not None or declared is None) and (
                not isinstance(convention, str) or convention not in CONVENTIONS):
            raise ModelError(f'the convention of a DH table must be one of {names(CONVENTIONS)}, '
                             f'not {shown(convention)}')
    if declared is not None and argument is not None and declared != argument:
        raise ModelError(f'the DH table says convention {declared!r}, the argument {argument!r}')
    return str(argument if declared is None else declared)


def _joint(row: Any, index: int, convention: str, unit: float, before: Mapping[str, Joint],
           T: np.ndarray) -> tuple[Joint, np.ndarray]:
    """Return the joint of a row, and what its constants leave for the next one.

    before: the joints of the rows before, by name. T (4, 4) is what stands between the link of the
    last one and the row, m.
    """
    row = keyed(row, _KEYS, f'row {index} of the DH table')
    kind = row.get('type')
    fixed = isinstance(kind, str) and kind == joints.FIXED
    name = row.get('name', f'{"fixed" if fixed else "joint"}_{index}')
    if not isinstance(name, str) or not name:
        raise ModelError(f'row {index} of the DH table: name must be a text, not {shown(name)}')
    where = f'row {index} of the DH table' + (f' ({name})' if 'name' in row else '')
    check_name(name, f'row {index} of the DH table')
    if name in before:
        raise ModelError(f'{where}: another row before it has the name {name!r}')
    for key in ('type', *ROW_NUMBERS):
        if key not in row:
            raise ModelError(f'{where}: the key {key!r} is missing; a row needs '
                             f'{names(("type", *ROW_NUMBERS))}')
    if not isinstance(kind, str) or kind not in _TYPES:
        raise ModelError(f'{where}: type must be one of {names(_TYPES)}, not {shown(kind)}: one of '
                         'theta and d moves, not both')
    a, alpha, d, theta = (real_number(row[key], f'{where}: {key}') for key in ROW_NUMBERS)
    alpha, theta = unit * alpha, unit * theta
    sign = row.get('sign', 1)
    if abs(real_number(sign, f'{where}: sign')) != 1.0:
        raise ModelError(f'{where}: sign must be 1 or -1, not {shown(sign)}')
    along_x, along_z = screw(alpha, a, 0), screw(theta, d, 2)
    placement, rest = (T @ along_x @ along_z, np.eye(4)) if convention == MODIFIED else (
        T @ along_z, along_x)
    parent = f'link_{index - 1}' if before else 'base_link'
    kind, lower, upper = _limits(row, kind, unit, where)
    joint = Joint(name, kind, parent, f'link_{index}', placement,
                  np.array([0.0, 0.0, float(sign)]), lower, upper,
                  _positive(row, 'velocity', where), _positive(row, 'effort', where))
    return joint, rest


def _limits(row: Mapping[str, Any], kind: str, unit: float,
            where: str) -> tuple[str, float, float]:
    """Return a row's type and limits: a revolute one without limits is continuous."""
    if kind == joints.FIXED:
        return joints.FIXED, 0.0, 0.0
    if kind == joints.PRISMATIC and not ('lower' in row and 'upper' in row):
        raise ModelError(f'{where}: a prismatic joint must have lower and upper; '
                         f'{-joints.UNLIMITED:g} and {joints.UNLIMITED:g} mean no limit')
    if 'lower' not in row and 'upper' not in row:
        return joints.CONTINUOUS, -math.inf, math.inf
    scale = 1.0 if kind == joints.PRISMATIC else unit
    lower, upper = (scale * real_number(row[key], f'{where}: {key}', math.inf) if key in row
                    else none for key, none in (('lower', -math.inf), ('upper', math.inf)))
    return kind, *limits_of(lower, upper, where)


def _positive(row: Mapping[str, Any], key: str, where: str) -> float:
    if key not in row:
        return math.inf
    value = real_number(row[key], f'{where}: {key}', math.inf)
    if value <= 0.0:
        raise ModelError(f'{where}: {key} must be above 0, not {shown(value)}')
    return value


def _pose(table: Any, what: str, unit: float) -> np.ndarray:
    vectors, table = [], keyed({} if table is None else table, ('xyz', 'rpy'), what)
    for key in ('xyz', 'rpy'):
        value = sequence(table.get(key, (0.0, 0.0, 0.0)), f'{what}: {key}, three numbers,')
        if len(value) != 3:
            raise ModelError(f'{what}: {key} must be three numbers, not {shown(value)}')
        vectors.append(np.array([real_number(number, f'{what}: {key}') for number in value]))
    return pose_from_rpy(vectors[0], unit * vectors[1])
