"""Reads a URDF and the names of its meshes from a zip archive.

The archive stays as it is. Mesh files inside it are named by paths through it, as
file:///home/me/robot.zip/meshes/link_1.stl, which `ik_node.archives` reads.
"""

import posixpath
import re
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote, urlparse
from xml.etree import ElementTree

from ik_node.archives import Member, file_names, listed, member_of, read_member
from ik_node.exceptions import ModelError
from ik_node.model.parts import ModelParts
from ik_node.model.robot_xml import parse_robot
from ik_node.model.urdf import read_untrusted_urdf

_URDF = '.urdf'


def read_zipped_urdf(source: Path | str, hold_complex_joints: bool = False) -> ModelParts:
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
    return read_untrusted_urdf(_with_meshes(member), hold_complex_joints)


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
    """Return the text of a URDF, with the names of the meshes that the archive has."""
    robot = parse_robot(read_member(urdf), f'{urdf.name} in {urdf.archive.name}')
    files = [name.split('/') for name in file_names(urdf.archive)]
    archive = urdf.archive.resolve()
    for mesh in robot.iter('mesh'):
        found = _find(mesh.get('filename', ''), urdf.name.split('/')[:-1], files)
        if found is not None:
            mesh.set('filename', archive.joinpath(*found).as_uri())
    return ElementTree.tostring(robot, encoding='unicode')


def _find(filename: str, folder: Sequence[str],
          files: Sequence[Sequence[str]]) -> Sequence[str] | None:
    """Return the file of an archive that a mesh's name means; None where it has none.

    folder: of the URDF. A relative name is looked for from there. Else that file is taken which
    has most of the name's last parts in common, the nearest to the URDF of several: the folder of
    a package, or where it was once installed, may have any name in an archive.
    """
    url = urlparse(re.sub(r'^[A-Za-z]:(?=[\\/])', '', filename).replace('\\', '/'))  # no drive
    path = unquote(url.path).lstrip('/')
    if url.scheme == 'package':
        path = f'{url.netloc}/{path}'
    elif url.scheme not in ('', 'file'):
        return None
    direct = posixpath.normpath('/'.join([*folder, path])).split('/')
    if direct in files:
        return direct
    parts = [part for part in posixpath.normpath(path).split('/') if part != '..']
    for first in range(len(parts)):
        wanted = parts[first:]
        found = [file for file in files if file[-len(wanted):] == wanted]
        if len(found) == 1 or (found and len(wanted) > 1):
            return max(found, key=lambda file: _shared(file, folder))
    return None


def _shared(file: Sequence[str], folder: Sequence[str]) -> int:
    """Return how many folders a file and a folder have in common, from the outermost on."""
    return len(posixpath.commonprefix([list(file[:-1]), list(folder)]))
