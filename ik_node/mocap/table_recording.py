"""Reads recorded motions from tables of joint values (CSV).

    time, shoulder, elbow
    0.00, 0.10, -0.30
    0.01, 0.11, -0.31

Times are in s, values in rad or m. Blank lines and lines that begin with "#" are skipped.
"""

import re
from array import array
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ik_node.mocap.recording import MAX_MOTION_BYTES, MAX_VALUES, Recording, own_columns
from ik_node.model.numbered_text import number_of, numbers_in
from ik_node.model.root_joints import rooted_for
from ik_node.model.tree import KinematicTree
from ik_node.support.bounds import MAX_NUMBER, read_bytes
from ik_node.support.exceptions import ModelError, shown

_TIME = 'time'
_LATEST = 1e10  # s: times may be counted from 1970


def read_table(path: Path, tree: KinematicTree) -> Recording:
    """Read a motion of a robot from a CSV file; see the module.

    Raises ModelError for an invalid file, naming the line.
    """
    what = f'the motion {str(path)!r}'
    try:
        # What is not UTF-8 is replaced, and found as a wrong name or number.
        text = read_bytes(path, MAX_MOTION_BYTES).decode('utf-8-sig', errors='replace')
    except (OSError, ValueError) as error:
        raise ModelError(f'cannot read {what}: {error}') from error
    lines = _lines(text)
    at, header = next(lines, (1, ''))
    cells = [cell.strip().strip('"') for cell in header.split(',')]
    if cells[0].lower() != _TIME:
        raise _error(what, at, f'the names of the columns are expected here, {_TIME!r} first, then '
                               f'joints, separated by commas, not {shown(header)}')
    joint_names = cells[1:]
    tree = rooted_for(joint_names, tree)
    own_columns(joint_names, tree, lambda _: f'{what}, line {at}')
    rows = _rows(lines, what, at, joint_names)
    return Recording(tree, joint_names, rows[:, 0], rows[:, 1:], what)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Return the number and the text of every line that is neither blank nor a comment."""
    for number, line in enumerate(re.split('\r\n|\n|\r', text), start=1):
        stripped = line.strip()
        if stripped and not stripped.startswith('#'):
            yield number, line


def _rows(lines: Iterator[tuple[int, str]], what: str, at: int,
          joint_names: list[str]) -> np.ndarray:
    """Return the rows (m, 1 + n): time, s, and values; at: the line before them."""
    columns = (_TIME, *joint_names)
    found, before = array('d'), -np.inf
    for at, line in lines:
        cells = line.split(',')
        if len(cells) != len(columns):
            raise _error(what, at, f'a row must have {len(columns)} values, the time and one for '
                                   f'each joint, not {len(cells)}')
        try:
            row = numbers_in(line, ',')
        except ValueError:
            row = []
        # NaN fails the comparison too.
        if (not row or not abs(row[0]) <= _LATEST
                or not sum(map(abs, row[1:])) <= MAX_NUMBER):
            raise _unreadable(what, at, columns, cells)
        if not row[0] > before:
            raise _error(what, at, f'the time must be later than that of the row before, '
                                   f'{before:.9g} s, not {row[0]:.9g} s')
        before = row[0]
        found.extend(row)
        if len(found) > MAX_VALUES:
            raise _error(what, at, f'there are too many values; at most {MAX_VALUES} are allowed')
    if not found:
        raise _error(what, at, 'there must be at least one row of values after this line')
    return np.frombuffer(found).reshape(-1, len(columns))


def _unreadable(what: str, at: int, columns: tuple[str, ...], cells: list[str]) -> ModelError:
    """Return the error for a row with a cell that is no number, or too large a number."""
    for name, cell in zip(columns, cells):
        value, most = number_of(cell.strip()), _LATEST if name == _TIME else MAX_NUMBER
        if value is None or not abs(value) <= most:
            return _error(what, at, f'{name!r} must be a number, at most {most:g} in size, not '
                                    f'{shown(cell.strip())}')
    return _error(what, at, f'the values are beyond {MAX_NUMBER:g}')


def _error(what: str, line: int, problem: str) -> ModelError:
    return ModelError(f'{what}, line {line}: {problem}')
