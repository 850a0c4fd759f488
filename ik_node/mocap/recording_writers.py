"""Writes recorded motions to files that `read_recording` reads: .yaml, .csv and .amc."""

import math
from collections.abc import Callable
from os import PathLike

import numpy as np
import yaml

from ik_node.mocap.recording import Recording
from ik_node.mocap.recording_readers import FRAMES_PER_SECOND
from ik_node.support.bounds import as_path
from ik_node.support.exceptions import ModelError, names

_SECOND = 10**9  # ns
_DIGITS = 6         # of joint values, m and rad
_DEGREE_DIGITS = 4
_UNIFORM = 1e-6     # relative, by which steps of time may differ


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
        raise ModelError(f'cannot write the motion {str(path)!r}: {error}') from error


def _trajectory(recording: Recording) -> str:
    """Return a motion as a JointTrajectory."""
    head = yaml.safe_dump({'joint_names': list(recording.joint_names)}, default_flow_style=None,
                          width=100)
    lines = [head.rstrip('\n'), 'points:']
    for time, row in zip(recording.times, recording.values):
        sec, nanosec = divmod(round(_SECOND * float(time)), _SECOND)
        lines += [f'- positions: [{", ".join(_rounded(value) for value in row)}]',
                  f'  time_from_start: {{sec: {sec}, nanosec: {nanosec}}}']
    return '\n'.join(lines) + '\n'


def _table(recording: Recording) -> str:
    """Return a motion as a table."""
    lines = [f'time,{",".join(recording.joint_names)}']
    lines += [f'{time:.9f},{",".join(_rounded(value) for value in row)}'
              for time, row in zip(recording.times.tolist(), recording.values)]
    return '\n'.join(lines) + '\n'


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
            lines.append(f'{bone} ' + ' '.join(_rounded(
                *((math.degrees(value), _DEGREE_DIGITS) if joint[-2] == 'r' else
                  (value / channels.length_unit, _DIGITS)))
                for joint, value in zip(joints, values)))
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


WRITERS: dict[str, Callable[[Recording], str]] = {
    '.yaml': _trajectory, '.yml': _trajectory, '.csv': _table, '.amc': _acclaim}
"""What writes a file, by its extension."""
