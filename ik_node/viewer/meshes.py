"""Finds and reads the mesh files of a robot description."""

import io
import os
import posixpath
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

import numpy as np
import trimesh

from ik_node.archives import Member, is_member, member_of, read_member
from ik_node.bounds import MAX_MESH_BYTES
from ik_node.exceptions import ModelError
from ik_node.model.geometry import Mesh


class MeshError(Exception):
    """A mesh cannot be shown; the text says why."""


class Meshes:
    """Reads meshes, each file once."""

    def __init__(self, folders: Iterable[Path] = ()) -> None:
        """Look for packages in ament's index, in ROS_PACKAGE_PATH, and above some folders."""
        self._folders = [*folders, *(Path(folder) for folder in os.environ.get(
            'ROS_PACKAGE_PATH', '').split(os.pathsep) if folder)]
        self._read: dict[Path, trimesh.Trimesh] = {}

    def look_near(self, file: Path) -> None:
        """Look for packages in the folders above a robot's file, too."""
        self._folders = [*file.resolve().parents, *self._folders]

    @classmethod
    def near(cls, file: str) -> 'Meshes':
        """Return a reader that looks near a robot's file, too; '' for none."""
        made = cls()
        if file:
            made.look_near(Path(file))
        return made

    def load(self, mesh: Mesh) -> trimesh.Trimesh:
        """Return a mesh at its scale, m. Raises MeshError."""
        file = self.find(mesh.filename)
        if file not in self._read:
            self._read[file] = _read(file)
        scaled = self._read[file].copy()
        scaled.apply_scale(mesh.scale)
        return scaled

    def find(self, filename: str) -> Path:
        """Return the file of package://package/path, file:///path, or a path. Raises MeshError."""
        url = urlparse(filename)
        path = unquote(url.path)
        if url.scheme == 'package':
            candidates = self._in_package(url.netloc, path.lstrip('/'))
        elif url.scheme in ('', 'file'):
            candidates = [Path(path), *(folder / path for folder in self._folders)]
        else:
            raise MeshError(f'{filename}: only package:// and files are read')
        for candidate in candidates:
            if candidate.is_file() or is_member(candidate):
                return candidate
        raise MeshError(f'{filename}: not found')

    def _in_package(self, package: str, path: str) -> list[Path]:
        found = []
        try:
            from ament_index_python import get_package_share_path
            found.append(get_package_share_path(package) / path)
        except Exception:  # ROS 2 not sourced, or package not installed: other places follow
            pass
        for folder in self._folders:
            found += [folder / package / path, folder / path]
            if folder.name == package:
                found.append(folder / path)
        return found


def _read(file: Path) -> trimesh.Trimesh:
    """Return a file's meshes as one, in m. Raises MeshError."""
    member = member_of(file)
    try:
        loaded: Any = trimesh.load(
            file if member is None else io.BytesIO(read_member(member, MAX_MESH_BYTES)),
            file_type=None if member is None else file.suffix.lstrip('.').lower(),
            resolver=None if member is None else _Neighbours(member),
            force='mesh', skip_materials=False)
    except Exception as error:  # every reader has its own
        raise MeshError(f'{file.name}: {error or type(error).__name__}') from error
    if not isinstance(loaded, trimesh.Trimesh) or not len(loaded.faces) or not np.isfinite(
            loaded.vertices).all():
        raise MeshError(f'{file.name}: it has no triangles')
    return loaded


class _Neighbours(trimesh.resolvers.Resolver):
    """The files beside a mesh in an archive, such as its materials."""

    def __init__(self, mesh: Member) -> None:
        self._mesh = mesh

    def get(self, name: str) -> bytes:
        """Return a file by its name from the mesh's folder. Raises KeyError, as trimesh expects."""
        name = posixpath.normpath(posixpath.join(posixpath.dirname(self._mesh.name), name.strip()))
        try:
            return read_member(self._mesh._replace(name=name), MAX_MESH_BYTES)
        except ModelError as error:
            raise KeyError(name) from error

    def keys(self) -> list[str]:
        """Return no names: files are found by those that a mesh gives."""
        return []

    def namespaced(self, namespace: str) -> '_Neighbours':
        """Return the files of a folder below."""
        folder = posixpath.join(posixpath.dirname(self._mesh.name), namespace, '_')
        return _Neighbours(self._mesh._replace(name=folder))

    def write(self, name: str, data: bytes) -> None:
        """Refuse: archives stay as they are. Raises OSError."""
        raise OSError(f'{self._mesh.archive} is only read')
