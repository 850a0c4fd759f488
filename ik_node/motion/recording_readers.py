"""The registry of readers of recorded motions, chosen by the extension of a file."""

from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np

from ik_node._arrays import number
from ik_node.bounds import as_path
from ik_node.exceptions import InputError, ModelError, shown
from ik_node.model.amc import read_amc
from ik_node.model.tree import KinematicTree, check_tree
from ik_node.motion.recording import Recording
from ik_node.motion.table_recording import read_table
from ik_node.motion.trajectory_recording import read_trajectory

FRAMES_PER_SECOND = 120.0
"""Of an Acclaim motion, which has no times."""
_SLOWEST, _FASTEST = 1e-3, 1e6  # frames per second


@dataclass(frozen=True)
class RecordingReader:
    """A kind of file, and the function that reads it."""

    name: str
    """The name of this kind of file in messages and lists."""
    extensions: tuple[str, ...]
    """In lower case with the dot."""
    read: Callable[[Path, KinematicTree, float], Recording]
    """Takes the file, the robot, and the frames per second for files without times."""


def _acclaim(path: Path, tree: KinematicTree, fps: float) -> Recording:
    frames = read_amc(path, tree)
    joint_names = list(frames[0])
    values = np.array([[frame[name] for name in joint_names] for frame in frames])
    return Recording(tree, joint_names, np.arange(len(frames)) / fps, values,
                     f'the motion {str(path)!r}')


RECORDING_READERS: tuple[RecordingReader, ...] = (
    RecordingReader('Acclaim motion', ('.amc',), _acclaim),
    RecordingReader('table of joint values', ('.csv',), lambda path, tree, _: read_table(
        path, tree)),
    RecordingReader('JointTrajectory', ('.yaml', '.yml'), lambda path, tree, _: read_trajectory(
        path, tree)),
)
"""Every reader; each extension has one."""
RECORDING_FORMATS = ', '.join(f'{reader.name} ({" or ".join(reader.extensions)})'
                              for reader in RECORDING_READERS)
"""The readable kinds of files, for messages and help texts."""


def read_recording(path: str | PathLike[str], tree: KinematicTree,
                   fps: float = FRAMES_PER_SECOND) -> Recording:
    """Read a recorded motion of a robot from a file; its extension says of which kind it is.

    fps: frames per second of an Acclaim motion; other kinds have times. Where the motion has values
    of the root, root_tx … root_rz, and the robot has no such joints, `tree` of the recording is the
    robot with them. Raises ModelError for an invalid file, naming the line or the entry, and for an
    unknown extension; InputError for fps that are no number from 0.001 to 1e6.
    """
    path = as_path(path, 'a motion')
    check_tree(tree)
    if not _SLOWEST <= number(fps, 'fps') <= _FASTEST:
        raise InputError(f'fps must be from {_SLOWEST:g} to {_FASTEST:g} frames per second, not '
                         f'{shown(fps)}')
    for reader in RECORDING_READERS:
        if path.suffix.lower() in reader.extensions:
            return reader.read(path, tree, float(fps))
    raise ModelError(f'the motion {str(path)!r} is of no known kind; the kinds are '
                     f'{RECORDING_FORMATS}')
