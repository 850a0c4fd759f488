"""Files of recorded motions, chosen by the extension: Acclaim motions, tables, printed messages.

A table (CSV) has a first line like "time, shoulder, elbow", then times in s and values in rad or m;
blank lines and lines that begin with "#" are skipped.
"""

import math
import re
from array import array
from collections.abc import Callable, Iterator
from os import PathLike
from pathlib import Path
from typing import NamedTuple

import numpy as np
import yaml

from ik_node.mocap.printed_messages import SECOND, read_printed
from ik_node.mocap.recording import MAX_MOTION_BYTES, Recording, own_columns, rooted_for
from ik_node.model.amc import FASTEST, SLOWEST, read_motion
from ik_node.model.numbered_text import number_of, numbers_in
from ik_node.model.tree import KinematicTree, check_tree
from ik_node.support.arguments import number
from ik_node.support.bounds import MAX_NUMBER, as_path, read_bytes, reading
from ik_node.support.exceptions import InputError, ModelError, error_line, names, shown

FRAMES_PER_SECOND = 120.0  # of an Acclaim motion that does not say its own
MAX_VALUES = 10_000_000
"""Joint values of a motion: twenty minutes at 120 Hz of a figure of 60 joints."""
_TIME = 'time'
_LATEST = 1e10      # s: times may be counted from 1970
_DIGITS = 6         # of joint values, m and rad
_DEGREE_DIGITS = 4
_UNIFORM = 1e-6     # relative, by which steps of time may differ


def read_recording(path: str | PathLike[str], tree: KinematicTree,
                   fps: float | None = None) -> Recording:
    """Read a recorded motion of a robot from a file; its extension says of which kind it is.

    fps: frames per second of an Acclaim motion, by default those that it says, else 120; other
    kinds have times. Where the motion has values of the root, root_tx … root_rz, and the robot has
    no such joints, `tree` of the recording is the robot with them. Raises ModelError for an invalid
    file, naming the line or the entry, and for an unknown extension; InputError for fps that are no
    number from 0.001 to 1e6.
    """
    path = as_path(path, 'a motion')
    check_tree(tree)
    if fps is not None and not SLOWEST <= number(fps, 'fps') <= FASTEST:
        raise InputError(f'fps must be from {SLOWEST:g} to {FASTEST:g} frames per second, not '
                         f'{shown(fps)}')
    for kind in RECORDING_KINDS:
        if path.suffix.lower() in kind.extensions:
            return kind.read(path, tree, None if fps is None else float(fps))
    raise ModelError(f'the motion {str(path)!r} is of no known kind; the kinds are '
                     f'{RECORDING_FORMATS}')


def write_recording(recording: Recording, path: str | PathLike[str]) -> None:
    """Write a motion to a file; its extension says of which kind it is.

    .yaml or .yml: a trajectory_msgs/JointTrajectory; .csv: a table; .amc: an Acclaim motion, of a
    skeleton only, with a frame rate in place of times. Values are rounded to 6 decimals, degrees
    to 4. Raises ModelError for another extension, for a motion of no skeleton as .amc, and where
    the file cannot be written.
    """
    path = as_path(path, 'a motion')
    write = WRITERS.get(path.suffix.lower())
    if write is None:
        raise ModelError(f'a motion cannot be written to {str(path)!r}: its extension must be one '
                         f'of {names(WRITERS)}')
    try:
        path.write_text(write(recording), encoding='utf-8')
    except OSError as error:
        raise ModelError(f'cannot write the motion {error_line(error)}') from error


def _read_acclaim(path: Path, tree: KinematicTree, fps: float | None) -> Recording:
    frames, rate = read_motion(path, tree)
    joint_names = list(frames[0])
    values = np.array([[frame[name] for name in joint_names] for frame in frames])
    return Recording(tree, joint_names, np.arange(len(frames)) / (fps or rate or FRAMES_PER_SECOND),
                     values, f'the motion {str(path)!r}')


def _acclaim(recording: Recording) -> str:
    """Return a motion of a skeleton, in degrees. Raises ModelError where there is no skeleton."""
    channels = recording.tree.motion_channels
    if channels is None:
        raise ModelError('an Acclaim motion (.amc) needs a skeleton (.asf), and '
                         f'{recording.tree.name!r} is none')
    column = {name: k for k, name in enumerate(recording.joint_names)}
    # First of all, where those readers who know it look for it.
    lines = [*_rate(recording), ':FULLY-SPECIFIED', ':DEGREES']
    for k, row in enumerate(recording.values, start=1):
        lines.append(str(k))
        for bone, joints in channels.joints.items():
            values = [float(row[column[joint]]) if joint in column else 0.0 for joint in joints]
            lines.append(f'{bone} ' + ' '.join(
                _rounded(math.degrees(value), _DEGREE_DIGITS) if joint[-2] == 'r' else
                _rounded(value / channels.length_unit) for joint, value in zip(joints, values)))
    return '\n'.join(lines) + '\n'


def _rate(recording: Recording) -> list[str]:
    """Return the line that says the frames per second, where these are other than 120."""
    if recording.n_frames < 2:
        return []
    rate = (recording.n_frames - 1) / recording.duration
    uniform = np.allclose(np.diff(recording.times), 1.0 / rate, rtol=_UNIFORM)
    if not uniform or abs(rate - FRAMES_PER_SECOND) <= _UNIFORM * FRAMES_PER_SECOND:
        return []
    return [f':SAMPLES-PER-SECOND {rate:.9g}']


def _rounded(value: float, digits: int = _DIGITS) -> str:
    """Return a number as text that YAML reads as one, without superfluous zeros."""
    text = f'{float(np.round(value, digits)) + 0.0:.{digits}f}'.rstrip('0')
    return f'{text}0' if text.endswith('.') else text


def _trajectory(recording: Recording) -> str:
    head = yaml.safe_dump({'joint_names': list(recording.joint_names)}, default_flow_style=None,
                          width=100)
    lines = [head.rstrip('\n'), 'points:']
    for time, row in zip(recording.times, recording.values):
        sec, nanosec = divmod(round(SECOND * float(time)), SECOND)
        lines += [f'- positions: [{", ".join(map(_rounded, row))}]',
                  f'  time_from_start: {{sec: {sec}, nanosec: {nanosec}}}']
    return '\n'.join(lines) + '\n'


def _table(recording: Recording) -> str:
    lines = [f'time,{",".join(recording.joint_names)}',
             *(f'{time:.9f},{",".join(map(_rounded, row))}'
               for time, row in zip(recording.times.tolist(), recording.values))]
    return '\n'.join(lines) + '\n'


def _read_table(path: Path, tree: KinematicTree) -> Recording:
    what = f'the motion {str(path)!r}'
    with reading(what):  # what is not UTF-8 is replaced, and found as a wrong name or number
        text = read_bytes(path, MAX_MOTION_BYTES).decode('utf-8-sig', errors='replace')
    lines = _lines(text)
    at, header = next(lines, (1, ''))
    first, *joint_names = (cell.strip().strip('"') for cell in header.split(','))
    if first.lower() != _TIME:
        raise _error(what, at, f'the names of the columns are expected here, {_TIME!r} first, then '
                               f'joints, separated by commas, not {shown(header)}')
    tree = rooted_for(joint_names, tree)
    own_columns(joint_names, tree, lambda _: f'{what}, line {at}')
    rows = _rows(lines, what, at, (_TIME, *joint_names))
    return Recording(tree, joint_names, rows[:, 0], rows[:, 1:], what)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Return the number and the text of every line that is neither blank nor a comment."""
    return ((at, line) for at, line in enumerate(re.split('\r\n|\n|\r', text), start=1)
            if line.strip() and not line.lstrip().startswith('#'))


def _rows(lines: Iterator[tuple[int, str]], what: str, at: int,
          columns: tuple[str, ...]) -> np.ndarray:
    """Return the rows (m, 1 + n): time, s, and values; at: the line before them."""
    found, before = array('d'), -np.inf
    for at, line in lines:
        cells = line.split(',')
        if len(cells) != len(columns):
            raise _error(what, at, f'a row must have {len(columns)} values, the time and one for '
                                   f'each joint, not {len(cells)}')
        try:
            row = numbers_in(line, ',')
        except ValueError:
            row = [math.nan]
        # NaN fails the comparison too.
        if not (abs(row[0]) <= _LATEST and sum(map(abs, row[1:])) <= MAX_NUMBER):
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


class RecordingKind(NamedTuple):
    """A kind of file, its extensions in lower case, and the functions that read and write it."""

    name: str
    extensions: tuple[str, ...]
    read: Callable[[Path, KinematicTree, float | None], Recording]
    """Takes the file, the robot, and the frames per second of a file without times."""
    write: Callable[[Recording], str]  # returns the text of the file


RECORDING_KINDS = (
    RecordingKind('Acclaim motion', ('.amc',), _read_acclaim, _acclaim),
    RecordingKind('table of joint values', ('.csv',), lambda path, tree, _: _read_table(path, tree),
                  _table),
    RecordingKind('JointTrajectory or JointState', ('.yaml', '.yml'),
                  lambda path, tree, _: read_printed(path, tree), _trajectory),
)
"""Every kind; each extension has one."""
RECORDING_FORMATS = ', '.join(f'{kind.name} ({" or ".join(kind.extensions)})'
                              for kind in RECORDING_KINDS)
"""The readable kinds of files, for messages and help texts."""
WRITERS = {extension: kind.write for kind in reversed(RECORDING_KINDS)
           for extension in kind.extensions}
"""Functions that write a file, by its extension."""
