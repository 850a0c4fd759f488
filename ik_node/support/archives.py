"""Reads files inside zip archives, in place: nothing is unpacked.

An archive may come from anyone. Its members are found by their names in its directory only, so no
name, link or drive letter leads outside, and sizes are checked before anything is read. Archives
inside archives are not opened.
"""

import functools
import io
import posixpath
import zipfile
from collections.abc import Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from ik_node.support import bounds
from ik_node.support.exceptions import ModelError, shown

ARCHIVE = '.zip'  # the extension of archives
_IGNORED = ('__MACOSX', '.git')  # folders
_SMALL = 2**16  # bytes that a file may have, however it is packed


class Member(NamedTuple):
    """A file inside an archive. Its path is that of the archive and the name in it."""

    archive: Path
    name: str  # with slashes, as the archive has it


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
    return list(_opened(archive)[1])


def packed_size(member: Member) -> int:
    """Return how many bytes of its archive a file takes. Raises ModelError."""
    return _info(member).compress_size


def read_member(member: Member, most: int = bounds.MAX_BYTES) -> bytes:
    """Return what is in a file inside an archive, of at most so many bytes. Raises ModelError."""
    info, what = _info(member), _shown_name(member)
    if info.file_size > most:
        raise ModelError(f'{what} is too large: {info.file_size / 2**20:.0f} MiB; at most '
                         f'{most // 2**20} MiB are read')
    if info.file_size > max(bounds.MAX_PACKING * info.compress_size, _SMALL):
        raise ModelError(f'{what} is {info.file_size / info.compress_size:.0f} times as large as '
                         f'it is packed; at most {bounds.MAX_PACKING} times are allowed')
    if info.flag_bits & 1:
        raise ModelError(f'{what} is encrypted; pack it without a password')
    try:
        with _opened(member.archive)[0].open(info) as file:
            return file.read(most)  # the module reads no more than the size in the directory
    except _DAMAGED as error:
        raise ModelError(f'{what} cannot be read: {error}') from error


def _info(member: Member) -> zipfile.ZipInfo:
    info = _opened(member.archive)[1].get(member.name)
    if info is None:
        raise ModelError(f'there is no {_shown_name(member)}')
    return info


def _shown_name(member: Member) -> str:
    return f'{member.name} in {member.archive.name}'


_Opened = tuple[zipfile.ZipFile, dict[str, zipfile.ZipInfo]]


def _opened(archive: Path) -> _Opened:
    """Return an open archive and its files; the last one stays open: robots have many meshes."""
    try:
        status = archive.stat()
        return _open(archive, (status.st_ino, status.st_size, status.st_mtime_ns))
    except _DAMAGED as error:
        raise ModelError(f'{archive.name} is no zip archive that can be read: {error}') from error


@functools.lru_cache(maxsize=1)
def _open(archive: Path, _: tuple[int, ...]) -> _Opened:
    file = _File(archive)
    try:
        reader = zipfile.ZipFile(file)
        file.most = None
        infos = reader.infolist()
        _check_bounds(archive.name, infos)
    except BaseException:
        file.close()
        raise
    return reader, {info.filename: info for info in infos if not info.is_dir()
                    and not any(part in _IGNORED for part in info.filename.split('/'))}


def _check_bounds(archive: str, infos: Sequence[zipfile.ZipInfo]) -> None:
    if len(infos) > bounds.MAX_ARCHIVE_FILES:
        raise ModelError(f'{archive} has {len(infos)} files; at most {bounds.MAX_ARCHIVE_FILES} '
                         'are allowed')
    size = sum(info.file_size for info in infos)
    if size > bounds.MAX_ARCHIVE_BYTES:
        raise ModelError(f'{archive} has {size / 2**20:.0f} MiB unpacked; at most '
                         f'{bounds.MAX_ARCHIVE_BYTES // 2**20} MiB are allowed')
    for name in (info.filename for info in infos):
        if len(name) > bounds.MAX_PATH or name.count('/') > bounds.MAX_FOLDERS:
            raise ModelError(f'{archive} has a file {shown(name[:60])}…; names have at '
                             f'most {bounds.MAX_PATH} characters and {bounds.MAX_FOLDERS} folders')


class _File(io.FileIO):
    """The file of an archive, whose directory zipfile reads whole, however large."""

    most: int | None = bounds.MAX_DIRECTORY_BYTES

    def read(self, size: int | None = -1) -> bytes:
        if self.most is not None and size is not None and size > self.most:
            raise zipfile.BadZipFile(f'its directory has {size / 2**20:.0f} MiB; at most '
                                     f'{self.most // 2**20} MiB are read')
        return super().read(-1 if size is None else size) or b''


def listed(names: Iterable[str], most: int = 12) -> str:
    """Return names of files as text for a message, long lists cut short."""
    kept = [shown(name, 100).strip('\'"') for name in names]
    more = len(kept) - most
    return ', '.join(kept[:most]) + (f' and {more} more' if more > 0 else '')


_DAMAGED = (OSError, ValueError, EOFError, NotImplementedError, RuntimeError, zipfile.BadZipFile,
            zipfile.LargeZipFile)
