"""Reads files inside zip archives, in place: nothing is unpacked.

An archive may come from anyone. Its members are found by their names in its directory only, so no
name, link or drive letter leads outside, and sizes are checked before anything is read.
"""

import posixpath
import zipfile
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from ik_node.bounds import MAX_ARCHIVE_BYTES, MAX_ARCHIVE_FILES, MAX_BYTES
from ik_node.exceptions import ModelError, shown

ARCHIVE = '.zip'
"""The extension of archives."""
_IGNORED = ('__MACOSX', '.git')  # folders


class Member(NamedTuple):
    """A file inside an archive. Its path is that of the archive and the name in it."""

    archive: Path
    name: str
    """With slashes, as the archive has it."""


def member_of(path: str | PathLike[str]) -> Member | None:
    """Return what a path like robot.zip/urdf/arm.urdf names; None for a path outside archives."""
    path = Path(path)
    if ARCHIVE not in str(path).lower():
        return None
    for parent in path.parents:
        if parent.suffix.lower() == ARCHIVE and parent.is_file():
            return Member(parent, posixpath.normpath(path.relative_to(parent).as_posix()))
    return None


def is_member(path: str | PathLike[str]) -> bool:
    """Return whether a path names a file inside an archive. Archives that are damaged have none."""
    member = member_of(path)
    try:
        return member is not None and member.name in file_names(member.archive)
    except ModelError:
        return False


def file_names(archive: Path) -> list[str]:
    """Return the names of the files in an archive, within the bounds. Raises ModelError."""
    return list(_files(archive))


def read_member(member: Member, most: int = MAX_BYTES) -> bytes:
    """Return what is in a file inside an archive, of at most so many bytes. Raises ModelError."""
    info = _files(member.archive).get(member.name)
    what = f'{member.name} in {member.archive.name}'
    if info is None:
        raise ModelError(f'there is no {what}')
    if info.file_size > most:
        raise ModelError(f'{what} is too large: {info.file_size / 2**20:.0f} MiB; at most '
                         f'{most // 2**20} MiB are read')
    if info.flag_bits & 1:
        raise ModelError(f'{what} is encrypted; pack it without a password')
    try:
        with zipfile.ZipFile(member.archive) as opened, opened.open(info) as file:
            return file.read(most)  # the module reads no more than the size in the directory
    except _DAMAGED as error:
        raise ModelError(f'{what} cannot be read: {error}') from error


def _files(archive: Path) -> dict[str, zipfile.ZipInfo]:
    try:
        with zipfile.ZipFile(archive) as opened:
            members = opened.infolist()
    except _DAMAGED as error:
        raise ModelError(f'{archive.name} is no zip archive that can be read: {error}') from error
    if len(members) > MAX_ARCHIVE_FILES:
        raise ModelError(f'{archive.name} has {len(members)} files; at most {MAX_ARCHIVE_FILES} '
                         'are allowed')
    size = sum(info.file_size for info in members)
    if size > MAX_ARCHIVE_BYTES:
        raise ModelError(f'{archive.name} has {size / 2**20:.0f} MiB unpacked; at most '
                         f'{MAX_ARCHIVE_BYTES // 2**20} MiB are allowed')
    return {info.filename: info for info in members
            if not info.is_dir() and not _is_ignored(info.filename.split('/'))}


def _is_ignored(parts: Iterable[str]) -> bool:
    return any(part in _IGNORED for part in parts)


def listed(names: Iterable[str], most: int = 12) -> str:
    """Return names of files as text for a message, long lists cut short."""
    kept = [shown(name, 100).strip('\'"') for name in names]
    more = len(kept) - most
    return ', '.join(kept[:most]) + (f' and {more} more' if more > 0 else '')


_DAMAGED = (OSError, ValueError, EOFError, NotImplementedError, RuntimeError, zipfile.BadZipFile,
            zipfile.LargeZipFile)
