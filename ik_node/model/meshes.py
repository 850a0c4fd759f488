"""Finds and reads the mesh files of a robot description.

A description may come from anyone, by a topic or as an upload. The files that it names are opened
only in places that the user of this machine has named, in packages of ROS that are installed, and
in the archive that was uploaded.
"""

import contextlib
import os
import posixpath
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar
from urllib.parse import unquote, urlparse

import trimesh

from ik_node.model import mesh_reader
from ik_node.model.geometry import Mesh
from ik_node.model.mesh_parts import MeshPart
from ik_node.model.mesh_reader import Find, MeshError, MeshReader
from ik_node.support.archives import ARCHIVE, Member, is_member, member_of, packed_size, read_member
from ik_node.support.bounds import MAX_MESH_BYTES, read_bytes
from ik_node.support.exceptions import ModelError, shown
from ik_node.support.resources import MESSAGE_MESHES, installed_package, package_path

_MOST_BYTES = 2**28  # of all meshes of a robot and of their pictures, in memory, with each copy
_LEAST = 1e-3        # s that a mesh is taken to need: to be sent to its reader, or copied
_Value = TypeVar('_Value')


class Places:
    """Where mesh files may be: folders and archives that the user has named."""

    def __init__(self, folders: Iterable[Path] = ()) -> None:
        """Name folders or archives to look in, and those of ROS_PACKAGE_PATH."""
        self._searched = [folder.resolve() for folder in (*folders, *package_path())]
        self._roots = set(self._searched)
        self._shares: set[Path] = set()  # of installed packages that meshes were looked for in

    def add(self, root: Path) -> None:
        """Name a folder, or an archive, for what is looked for near a robot in it."""
        self._roots.add(root.resolve())

    def add_robot(self, file: Path) -> None:
        """Name the folder of a robot's file, and the ROS package that it is in; or the archive."""
        member = member_of(file)
        if member is not None or file.suffix.lower() == ARCHIVE:
            self.add(file if member is None else member.archive)
            return
        folder = file.resolve().parent
        self.add(next((one for one in (folder, *folder.parents)
                       if (one / 'package.xml').is_file()), folder))

    def near(self, robot: str) -> list[Path]:
        """Return the folders above a robot's file, as far as they are in a place; '' for none."""
        return [folder for folder in Path(robot).resolve().parents
                if robot and self.allowed(folder)]

    def find(self, filename: str, near: Sequence[Path] = ()) -> Path:
        """Return the file of package://package/path, file:///path, or a path. Raises MeshError.

        near: folders to look in first.
        """
        folders = [*near, *self._searched]
        try:
            url = urlparse(filename)
            path = unquote(url.path)
            installed: list[Path] = []
            if url.scheme == 'package':
                path = path.lstrip('/')
                installed = self._installed(url.netloc, path)
                candidates = [file for folder in folders
                              for file in (folder / url.netloc / path, folder / path)]
            elif url.scheme in ('', 'file'):
                candidates = [folder / path for folder in folders] or [Path(path)]
            else:
                raise MeshError(f'{filename}: only package:// and files are read')
            allowed = [file for candidate in candidates if (file := self.allowed(candidate))]
            for file in [*installed, *allowed]:
                if file.is_file() or is_member(file):
                    return file
        except (OSError, RuntimeError, ValueError) as error:  # no path, or links in a circle
            raise MeshError(f'{shown(filename)}: {error}') from error
        raise MeshError(f'{filename}: not found' if allowed or not candidates else
                        f'{filename}: not opened, since it is outside the folders that are named '
                        'for meshes; start ik_view with --mesh-folder FOLDER to name its folder')

    def allowed(self, file: Path) -> Path | None:
        """Return where a path leads, links followed; None where that is outside all places.

        Those of nodes on this machine with the meshes of messages are places, too.
        """
        file = file.resolve()
        place = file.parent
        is_of_message = (place.parent == Path(tempfile.gettempdir()).resolve()
                         and place.name.startswith(MESSAGE_MESHES))
        return file if is_of_message or any(
            file.is_relative_to(root) for root in self._roots) else None

    def beside(self, mesh: Path, name: str) -> Path | None:
        """Return the file that a mesh names, from its folder; None where that is outside.

        mesh: as `find` returns it.
        """
        file = _joined(mesh.parent, name)
        if any(mesh.is_relative_to(share) and file.is_relative_to(share)
               for share in self._shares):
            return file
        return self.allowed(mesh.parent / name)

    def _installed(self, package: str, path: str) -> list[Path]:
        """Return the file of a package in ament's index, if any.

        Its links are followed: a workspace may be installed as links to its sources.
        """
        shares = installed_package(package)
        self._shares.update(shares)
        return [file for share in shares if (file := _joined(share, path)).is_relative_to(share)]


class Meshes:
    """Reads the meshes of a robot, each file once, and simplifies them, within bounds.

    The meshes of one robot have as much time together as their sizes warrant.
    """

    def __init__(self, places: Places | None = None, reader: MeshReader | None = None,
                 robot: str = '') -> None:
        """Read from some places, by default those of ROS alone; robot: the file that names them."""
        self._places = Places() if places is None else places
        self._near = self._places.near(robot)
        self._reader = MeshReader() if reader is None else reader
        self._read: dict[Path, trimesh.Trimesh | MeshError] = {}
        self._warranted = mesh_reader.SECONDS  # by the sizes of all files
        self._seconds, self._bytes = mesh_reader.SECONDS, _MOST_BYTES  # that are left

    def begin(self) -> None:
        """Allow the whole time and memory again: the robot is drawn anew."""
        self._seconds = self._warranted
        self._bytes = _MOST_BYTES - sum(_size_of(mesh) for mesh in self._read.values()
                                        if isinstance(mesh, trimesh.Trimesh))

    def close(self) -> None:
        """End the process that reads meshes; it starts again with the next one."""
        self._reader.close()

    def load(self, mesh: Mesh) -> trimesh.Trimesh:
        """Return a mesh at its scale, m. Raises MeshError."""
        file = self._places.find(mesh.filename, self._near)
        if file not in self._read:
            try:
                self._read[file] = self._load(file)
            except MeshError as error:
                self._read[file] = MeshError(f'{file.name}: {error}')
        found = self._read[file]
        if isinstance(found, MeshError):
            raise found
        self._take(found)
        scaled: trimesh.Trimesh = self._spend(lambda _: (found.copy(), _LEAST))
        scaled.apply_scale(mesh.scale)
        return scaled

    def simplified(self, part: MeshPart, most: int) -> MeshPart:
        """Return `mesh_parts.simplified` of a part. Raises MeshError."""
        if len(part.faces) <= most:
            return part
        return self._spend(lambda seconds: self._reader.simplify(part, most, seconds))

    def _load(self, file: Path) -> trimesh.Trimesh:
        kind = file.suffix.lower().lstrip('.')
        if kind not in mesh_reader.MESH_FORMATS:
            raise MeshError(f'only {", ".join(mesh_reader.MESH_FORMATS)} are drawn')
        member = member_of(file)
        try:
            content = (read_bytes(file, MAX_MESH_BYTES) if member is None else
                       read_member(member, MAX_MESH_BYTES))
            size = len(content) if member is None else packed_size(member)
        except (ModelError, OSError, ValueError) as error:
            raise MeshError(f'{error}') from error
        more = mesh_reader.SECONDS_PER_MIB * size / 2**20
        self._warranted, self._seconds = self._warranted + more, self._seconds + more
        loaded: trimesh.Trimesh = self._spend(lambda seconds: self._reader.read(
            content, kind, self._beside(file, member), seconds))
        self._take(loaded)
        return loaded

    def _take(self, mesh: trimesh.Trimesh) -> None:
        """Subtract the memory of a mesh from what is left. Raises MeshError if it is too much."""
        if self._bytes < (size := _size_of(mesh)):
            raise MeshError('the meshes of the robot need too much memory')
        self._bytes -= size

    def _spend(self, work: Callable[[float], tuple[_Value, float]]) -> _Value:
        """Do work within the time that is left, and subtract what it returns to have taken."""
        if self._seconds <= 0.0:
            raise MeshError('the meshes of the robot take too long for their size')
        try:
            value, used = work(self._seconds)
        except MeshError as error:
            self._seconds -= max(error.seconds, _LEAST)
            raise
        self._seconds -= max(used, _LEAST)
        return value

    def _beside(self, mesh: Path, member: Member | None) -> Find:
        """Return a function that reads the files that a mesh names, from its folder."""
        def find(name: str) -> bytes | None:
            with contextlib.suppress(ModelError, OSError, RuntimeError, ValueError):
                if member is not None:
                    inner = posixpath.normpath(posixpath.join(posixpath.dirname(member.name), name))
                    return read_member(member._replace(name=inner), MAX_MESH_BYTES)
                file = self._places.beside(mesh, name)
                return None if file is None else read_bytes(file, MAX_MESH_BYTES)
            return None
        return find


def _size_of(mesh: trimesh.Trimesh) -> int:
    image = getattr(getattr(mesh.visual, 'material', None), 'image', None)
    return int(mesh.vertices.nbytes + mesh.faces.nbytes) + (
        0 if image is None else 4 * image.width * image.height)


def _joined(folder: Path, name: str) -> Path:
    """Return the path of a name from a folder, with its `..` applied to the names of folders."""
    return Path(os.path.normpath(folder / name))
