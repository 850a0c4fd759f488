"""The registry of model readers, chosen by the extension or the content of a source."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any

from ik_node.model.asf import is_asf, read_asf
from ik_node.model.dh import is_dh, read_dh_source
from ik_node.model.mjcf import read_mjcf
from ik_node.model.mjcf_compiler import is_mjcf
from ik_node.model.parts import ModelParts
from ik_node.model.sdf import is_sdf, read_sdf
from ik_node.model.tree import KinematicTree
from ik_node.model.urdf import is_urdf, is_xacro, read_untrusted_urdf, read_urdf
from ik_node.model.zipped_urdf import is_zip, read_zipped_urdf
from ik_node.support.archives import ARCHIVE, member_of
from ik_node.support.bounds import as_path, read_bytes, reading
from ik_node.support.exceptions import ModelError, shown
from ik_node.support.resources import robot_file

_HEAD = 2**16  # characters that a reader is shown to recognise a source by


@dataclass(frozen=True)
class Reader:
    """A kind of source, and the function that reads it."""

    name: str  # the name of this kind of source in messages and lists
    extensions: tuple[str, ...]
    """Of its files, in lower case with the dot; several readers may share one."""
    recognises: Callable[[str], bool]
    """Whether the beginning of a text is of this kind; for text and for other extensions."""
    read: Callable[..., ModelParts]  # takes a Path, or the text itself as str. Raises ModelError.
    options: tuple[str, ...] = ()  # the arguments of `read_model` that `read` takes too, by name


_URDF_OPTIONS = ('hold_complex_joints', 'soft_limits')
_XML_OPTIONS = ('xacro_args', 'package_folders', *_URDF_OPTIONS)
READERS: tuple[Reader, ...] = (
    Reader('xacro', ('.xacro',), is_xacro, read_urdf, _XML_OPTIONS),
    Reader('MJCF', ('.xml', '.mjcf'), is_mjcf, read_mjcf),
    Reader('SDF', ('.sdf', '.world'), is_sdf, read_sdf),
    Reader('URDF', ('.urdf', '.xml'), is_urdf, read_urdf, _XML_OPTIONS),
    Reader('DH rows', ('.yaml', '.yml'), is_dh, read_dh_source),
    Reader('Acclaim skeleton', ('.asf',), is_asf, read_asf),
    Reader('URDF and meshes', (ARCHIVE,), is_zip, read_zipped_urdf, _URDF_OPTIONS),
)
"""Every reader. Of several that recognise a content the first is taken."""
EXTENSIONS = tuple(extension for reader in READERS for extension in reader.extensions)
FORMATS = ', '.join(f'{reader.name} ({" or ".join(reader.extensions)})' for reader in READERS)
"""The readable kinds of sources, for messages and help texts."""


def read_model(source: str | PathLike[str], xacro_args: Mapping[str, object] | None = None, *,
               hold_complex_joints: bool = False, soft_limits: bool = True,
               package_folders: Iterable[str | PathLike[str]] = ()) -> KinematicTree:
    """Read a robot from any source that a reader is registered for.

    source: a path, or the text itself, which begins with "<" or has several lines.
    Other arguments: as for `KinematicTree.from_urdf`; sources of other kinds ignore them. Raises
    ModelError for an invalid source, and where no reader supports it.
    """
    options = {'xacro_args': xacro_args, 'hold_complex_joints': hold_complex_joints,
               'soft_limits': soft_limits, 'package_folders': package_folders}
    if not _is_text(source):
        source = as_path(source, 'a model')
    reader = find_reader(source)
    return KinematicTree.from_parts(reader.read(
        source, **{name: options[name] for name in reader.options}))


def read_robot(name: str, xacro_args: Mapping[str, object] | None = None,
               **options: Any) -> KinematicTree:
    """Read a robot as the user of a command names it, see `robot_file`.

    xacro_args, options: as for `read_model`. Raises ModelError, which names the file, and
    FileNotFoundError where there is none.
    """
    file = robot_file(name)
    try:
        return read_model(file, xacro_args, **options)
    except ModelError as error:
        raise error if str(file) in str(error) else ModelError(f'{file}: {error}') from error


def find_reader(source: str | PathLike[str]) -> Reader:
    """Return the reader of a source: by a file's extension where only one has it, else by content.

    Raises ModelError, with the known kinds, where none does.
    """
    if _is_text(source):
        what, head, candidates = 'the text', str(source), READERS
    else:
        path = as_path(source, 'a model')
        extension = ARCHIVE if member_of(path) else path.suffix.lower()
        candidates = tuple(reader for reader in READERS if extension in reader.extensions)
        if len(candidates) == 1:
            return candidates[0]
        candidates = candidates or READERS
        what = f'the file {str(path)!r}'
        with reading(what, f'; the known models are {FORMATS}'):
            head = read_bytes(path).decode(errors='replace')
    head = head[:_HEAD]
    for reader in candidates:
        if reader.recognises(head):
            return reader
    raise ModelError(f'{what} is none of the known models, which are {FORMATS}; it begins with '
                     f'{shown(head.strip()[:60])}')


def read_untrusted_model(file: PathLike[str]) -> KinematicTree:
    """Read a robot from a file that may come from anyone, as `read_urdf_text` reads text.

    No other file is opened: a URDF must not use xacro, an MJCF or SDF not include others. Raises
    ModelError.
    """
    path = as_path(file, 'a model')
    reader = find_reader(path)
    if reader.read not in (read_urdf, read_mjcf, read_sdf):
        return read_model(path)
    with reading(path.name):
        text = read_bytes(path).decode('utf-8-sig')
    if reader.read is not read_urdf:
        return KinematicTree.from_parts(reader.read(text))
    if not is_urdf(text):
        raise ModelError(f'{path.name} is no robot: it has no <robot>')
    return read_urdf_text(text)


def read_urdf_text(text: str, hold_complex_joints: bool = False,
                   soft_limits: bool = True) -> KinematicTree:
    """Read a robot from URDF text that may come from anyone; see `read_untrusted_urdf`."""
    return KinematicTree.from_parts(read_untrusted_urdf(text, hold_complex_joints, soft_limits))


def _is_text(source: object) -> bool:
    return isinstance(source, str) and bool(re.search(r'\A[\ufeff\s]*<|\n', source))
