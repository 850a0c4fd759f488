"""Bounds of external inputs, and reading of files within them.

Far beyond any robot there is, and far below what would stop the machine that reads it: the largest
of a hundred descriptions in the field has 0.2 MB, 130 links, and lengths of a few metres.
"""

import contextlib
import os
import stat
import tempfile
from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import BinaryIO

from ik_node.support.exceptions import ModelError, shown

MAX_BYTES = 8 * 2**20  # of a description, a table of rows or a file of poses
MAX_MESH_BYTES = 128 * 2**20  # of a mesh, with the files that it names
MAX_ARCHIVE_BYTES = 512 * 2**20  # of all files of an archive, unpacked
MAX_ARCHIVE_FILES = 10_000  # of an archive, folders counted
MAX_DIRECTORY_BYTES = 4 * 2**20  # of the directory of an archive
MAX_PACKING = 100
"""How many times a file of an archive may be larger than it is packed; meshes are 3 to 20 times."""
MAX_PATH = 1024  # characters of the name of a file in an archive, with its folders
MAX_FOLDERS = 50  # levels of nested folders in an archive
MAX_UPLOAD_BYTES = 256 * 2**20  # of a file that is sent to the page
MAX_NODES = 100_000
"""Elements of an XML text; values of a YAML text, those of aliases counted each time."""
MAX_NESTING = 50  # how deep elements or values may stand within each other
MAX_ATTRIBUTES = 200  # of an XML element; URDF knows a dozen
MAX_WARNINGS = 100  # about one description; the node logs each
MAX_GROUP_STATES = 1_000  # of an SRDF
MAX_LINKS = 2_000
"""Of a robot, as it is read from a description or a table of rows; and as many joints."""
MAX_JOINTS = 200
"""Of an arm that the node solves for: a goal out of reach must not keep it busy for minutes."""
MAX_NUMBER = 1e9  # m, rad, or a ratio: products of a few such numbers still have digits to spare
MAX_NAME = 255  # characters of the name of a link, a joint, a pose or a frame
MAX_TEXT = 4096  # characters of a parameter that is a text, other than a description
MAX_ENTRIES = 10_000  # of a parameter that is a list
MAX_POSES = 10_000  # waypoints of a path


def as_path(source: object, what: str) -> Path:
    """Return a path from a text or a path-like object. Raises ModelError for anything else."""
    with contextlib.suppress(Exception):  # whatever the object's own method raises
        if isinstance(source, (str, PathLike)):
            return Path(source)
    raise ModelError(f'{what} must be a path, not {shown(source)}')


@contextlib.contextmanager
def reading(what: str, hint: str = '') -> Iterator[None]:
    """Raise ModelError, which names what a block reads, for OSError and ValueError in it."""
    try:
        yield
    except (OSError, ValueError) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or error
        raise ModelError(f'cannot read {what}: {why}{hint}') from error


@contextlib.contextmanager
def replacing(file: str | PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file for writing that takes the place of another, or of none, when all is written.

    Raises OSError with the name of the file, such as on a full disk.
    """
    path = Path(file)
    handle, name = tempfile.mkstemp(prefix=path.name, suffix='.part', dir=path.parent)
    try:
        with os.fdopen(handle, 'wb') as stream:
            yield stream
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException as error:
        Path(name).unlink(missing_ok=True)
        if isinstance(error, OSError):
            error.filename = str(path)
        raise


def read_bytes(path: str | PathLike[str], most: int = MAX_BYTES) -> bytes:
    """Return what is in a regular file of at most so many bytes.

    Devices and pipes, which may have no end or never begin, are not opened. Raises OSError or
    ValueError, as reading a file does.
    """
    if not stat.S_ISREG(Path(path).stat().st_mode):
        raise ValueError('it is not a regular file')
    with open(path, 'rb') as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise ValueError(_too_large(most))
    return data


def check_size(size: int, what: str, most: int = MAX_BYTES) -> None:
    """Raise ModelError where a text of so many bytes is too large."""
    if size > most:
        raise ModelError(f'{what} cannot be read: {_too_large(most)}')


def _too_large(most: int) -> str:
    return f'it is too large; at most {most // 2**20} MiB are read'


def check_name(name: str, what: str) -> str:
    """Return a name. Raises ModelError where it is too long."""
    if len(name) > MAX_NAME:
        raise ModelError(f'{what} has a name of {len(name)} characters, {name[:40]!r}…; at most '
                         f'{MAX_NAME} are allowed')
    return name


def check_links(count: int, what: str = 'links') -> None:
    """Raise ModelError for a robot with too many links, or joints."""
    if count > MAX_LINKS:
        raise ModelError(f'the robot has {count} {what}; at most {MAX_LINKS} are allowed')
