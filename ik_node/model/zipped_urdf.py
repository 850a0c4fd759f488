"""Reads a URDF and the names of its meshes from a zip archive.

The archive stays as it is. Mesh files inside it are named by paths through it, as
file:///home/me/robot.zip/meshes/link_1.stl, which `ik_node.support.archives` reads.
"""

import bisect
import posixpath
import re
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote, urlparse
from xml.etree import ElementTree

from ik_node.model.parts import ModelParts
from ik_node.model.robot_xml import parse_robot
from ik_node.model.urdf import read_untrusted_urdf
from ik_node.support.archives import Member, file_names, listed, member_of, read_member
from ik_node.support.bounds import MAX_FOLDERS
from ik_node.support.exceptions import ModelError

_URDF = '.urdf'


def read_zipped_urdf(source: Path | str, hold_complex_joints: bool = False,
                     soft_limits: bool = True) -> ModelParts:
    """Read the only URDF of an archive, or the one that a path like robot.zip/arm.urdf names.

    xacro in it is refused, as in texts that come from anyone. Raises ModelError.
    """
    member = member_of(source)
    if member is None:
        urdfs = zipped_urdfs(Path(source))
        if len(urdfs) > 1:
            raise ModelError(f'{Path(source).name} has {len(urdfs)} robots: {listed(urdfs)}; '
                             f'choose one, as {Path(source).name}/{urdfs[0]}')
        member = Member(Path(source), urdfs[0])
    return read_untrusted_urdf(_with_meshes(member), hold_complex_joints, soft_limits)


def zipped_urdfs(archive: Path) -> list[str]:
    """Return the names of the URDFs in an archive, those in fewer folders first.

    Raises ModelError where it has none.
    """
    files = file_names(archive)
    found = sorted((name for name in files if name.lower().endswith(_URDF)),
                   key=lambda name: (name.count('/'), name))
    if not found:
        xacros = [name for name in files if name.lower().endswith('.xacro')]
        hint = (f'; expand {xacros[0]} first: "xacro {posixpath.basename(xacros[0])} > robot.urdf"'
                if xacros else '')
        raise ModelError(f'{archive.name} has no URDF (.urdf){hint}; its files are '
                         f'{listed(files) or "none"}')
    return found


def is_zip(head: str) -> bool:
    """Return whether content that begins so is an archive."""
    return head.startswith('PK\x03\x04')


def _with_meshes(urdf: Member) -> str:
    robot = parse_robot(read_member(urdf), f'{urdf.name} in {urdf.archive.name}')
    files = _Files(file_names(urdf.archive), urdf.name.split('/')[:-1])
    archive = urdf.archive.resolve()
    for mesh in robot.iter('mesh'):
        found = files.find(mesh.get('filename', ''))
        if found:
            mesh.set('filename', archive.joinpath(*found).as_uri())
    return ElementTree.tostring(robot, encoding='unicode')


class _Files:
    """The files of an archive, found by the ends of their names by a binary search.

    Names are kept with the file first and the outermost folder last, and sorted so: those with the
    same end stand together.
    """

    def __init__(self, names: Sequence[str], folder: Sequence[str]) -> None:
        self._names, self._folder = frozenset(names), folder
        self._backward = sorted(tuple(reversed(name.split('/'))) for name in names)
        self._nearest: dict[tuple[str, ...], tuple[str, ...]] = {}  # by the end of a name

    def find(self, filename: str) -> Sequence[str]:
        """Return the file of the archive that a mesh's name means; empty where it has none.

        A relative name is looked for from the folder of the URDF. Else that file is taken which has
        most of the name's last parts in common, the nearest to the URDF of several: the folder of a
        package, or where it was once installed, may have any name in an archive.
        """
        try:
            url = urlparse(re.sub(r'^[A-Za-z]:(?=[\\/])', '', filename)  # no drive
                           .replace('\\', '/'))
        except ValueError:  # no URL
            return ()
        path = unquote(url.path).lstrip('/')
        if url.scheme == 'package':
            path = f'{url.netloc}/{path}'
        elif url.scheme not in ('', 'file'):
            return ()
        direct = posixpath.normpath('/'.join([*self._folder, path]))
        if direct in self._names:
            return direct.split('/')
        parts = [part for part in posixpath.normpath(path).split('/') if part != '..']
        wanted = tuple(reversed(parts[-MAX_FOLDERS - 1:]))
        at = bisect.bisect_left(self._backward, wanted)
        end = max((_common(wanted, file) for file in self._backward[max(at - 1, 0):at + 1]),
                  key=len, default=())
        if end not in self._nearest:
            self._nearest[end] = self._nearest_of(end)
        return self._nearest[end]

    def _nearest_of(self, end: tuple[str, ...]) -> tuple[str, ...]:
        """Return the file that is nearest to the URDF of those with an end in common.

        A name alone, without a folder, must have only one.
        """
        if not end:
            return ()
        first = bisect.bisect_left(self._backward, end)
        last = bisect.bisect_left(self._backward, (*end[:-1], end[-1] + '\0'))
        found = [file[::-1] for file in self._backward[first:last]]
        if len(end) == 1 and len(found) > 1:
            return ()
        return max(found, key=lambda file: len(_common(file[:-1], self._folder)))


def _common(a: Sequence[str], b: Sequence[str]) -> tuple[str, ...]:
    return tuple(posixpath.commonprefix([list(a), list(b)]))
