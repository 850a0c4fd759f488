"""The registry of readers of recorded motions, chosen by the extension of a file."""

from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np

from ik_node.mocap.message_recording import read_printed
from ik_node.mocap.recording import Recording
from ik_node.mocap.table_recording import read_table
from ik_node.model.amc import FASTEST, SLOWEST, read_motion
from ik_node.model.tree import KinematicTree, check_tree
from ik_node.support.arguments import number
from ik_node.support.bounds import as_path
from ik_node.support.exceptions import InputError, ModelError, shown

FRAMES_PER_SECOND = 120.0
"""Of an Acclaim motion that does not say its own."""


@dataclass(frozen=True)
class RecordingReader:
    """A kind of file, and the function that reads it."""

    name: str
    """The name of this kind of file in messages and lists."""
    extensions: tuple[str, ...]
    """In lower case with the dot."""
    read: Callable[[Path, KinematicTree, float | None], Recording]
    """Takes the file, the robot, and the frames per second of a file without times."""


def _acclaim(path: Path, tree: KinematicTree, fps: float | None) -> Recording:
    frames, rate = read_motion(path, tree)
    fps = fps or rate or FRAMES_PER_SECOND
    joint_names = list(frames[0])
    values = np.array([[frame[name] for name in joint_names] for frame in frames])
    return Recording(tree, joint_names, np.arange(len(frames)) / fps, values,
                     f'the motion {str(path)!r}')


RECORDING_READERS: tuple[RecordingReader, ...] = (
    RecordingReader('Acclaim motion', ('.amc',), _acclaim),
    RecordingReader('table of joint values', ('.csv',), lambda path, tree, _: read_table(
        path, tree)),
    RecordingReader('JointTrajectory or JointState', ('.yaml', '.yml'),
                    lambda path, tree, _: read_printed(path, tree)),
)
"""Every reader; each extension has one."""
RECORDING_FORMATS = ', '.join(f'{reader.name} ({" or ".join(reader.extensions)})'
                              for reader in RECORDING_READERS)
"""The readable kinds of files, for messages and help texts."""


def read_recording(path: str | PathLike[str], tree: KinematicTree,
                   fps: float | None = None) -> Recording:
    """Read a recorded motion of a robot from a file; its extension says of which kind it is.

    fps: frames per second of an Acclaim motion, by default those that it says, else 120; other
    kinds have times. Where the motion has values
    of the root, root_tx … root_rz, and the robot has no such joints, `tree` of the recording is the
    robot with them. Raises ModelError for an invalid file, naming the line or the entry, and for an
    unknown extension; InputError for fps that are no number from 0.001 to 1e6.
    """
    path = as_path(path, 'a motion')
    check_tree(tree)
    if fps is not None and not SLOWEST <= number(fps, 'fps') <= FASTEST:
        raise InputError(f'fps must be from {SLOWEST:g} to {FASTEST:g} frames per second, not '
                         f'{shown(fps)}')
    for reader in RECORDING_READERS:
        if path.suffix.lower() in reader.extensions:
            return reader.read(path, tree, None if fps is None else float(fps))
    raise ModelError(f'the motion {str(path)!r} is of no known kind; the kinds are '
                     f'{RECORDING_FORMATS}')
