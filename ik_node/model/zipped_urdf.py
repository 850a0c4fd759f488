"""Reads a URDF and the names of its meshes from a zip archive.

The archive stays as it is. Mesh files inside it are named by paths through it, as
file:///home/me/robot.zip/meshes/link_1.stl, which `ik_node.support.archives` reads.
"""

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
from ik_node.support.exceptions import ModelError

_URDF = '.urdf'
_LONGEST_END = 8  # parts of a path that are compared


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
    """The files of an archive, found by the ends of their paths, the nearest to the URDF first."""

    def __init__(self, names: Sequence[str], folder: Sequence[str]) -> None:
        self._names, self._folder = frozenset(names), folder
        self._by_end: dict[tuple[str, ...], list[Sequence[str]]] = {}
        for path in sorted((name.split('/') for name in names), key=lambda path: (
                -len(posixpath.commonprefix([path[:-1], list(folder)])), path[::-1])):
            for end in _ends(path):
                self._by_end.setdefault(end, []).append(path)

    def find(self, filename: str) -> Sequence[str]:
        """Return the file of the archive that a mesh's name means; empty where it has none.

        A relative name is looked for from the folder of the URDF. Else that file is taken which has
        most of the name's last parts in common, the nearest to the URDF of several: the folder of a
        package, or where it was once installed, may have any name in an archive. A name alone,
        without a folder, must have only one.
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
        for end in _ends([part for part in posixpath.normpath(path).split('/') if part != '..']):
            if found := self._by_end.get(end):
                return () if len(found) > 1 and len(end) == 1 else found[0]
        return ()


def _ends(path: list[str]) -> list[tuple[str, ...]]:
    """Return the last parts of a path, the longest end first."""
    return [tuple(path[-count:]) for count in range(min(len(path), _LONGEST_END), 0, -1)]
