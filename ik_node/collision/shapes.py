"""The convex shapes of the kernels that the shapes of a model and of obstacles are made of."""

import contextlib
import functools
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ik_node.collision import cores
from ik_node.collision.convex import Convex
from ik_node.collision.hulls import Hull, hull_of
from ik_node.collision.obstacles import Ground, PointCloud
from ik_node.collision.original import TriangleMesh
from ik_node.model.geometry import Box, Capsule, Cylinder, Mesh, Sphere
from ik_node.spatial import pose_from_rotation, turn_z_onto
from ik_node.support.bounds import MAX_NUMBER
from ik_node.support.exceptions import IkError, ModelError

if TYPE_CHECKING:
    from ik_node.model.meshes import Meshes

HALF_SPACE = Convex(cores.HALF_SPACE, 0.0, (0.0, 0.0, 0.0))
_NOWHERE = (0.0, 0.0, 0.0)


class Piece(NamedTuple):
    """A convex shape in a frame."""

    convex: Convex
    placement: np.ndarray  # (4, 4) T_frame_shape, m
    mesh: TriangleMesh | None = None  # whose convex hull it is

    @property
    def is_exact(self) -> bool:
        """Whether it is the shape itself, and no larger hull of it."""
        return self.mesh is None or self.mesh.is_convex

    @property
    def original(self) -> Convex | TriangleMesh:
        """The shape itself."""
        return self.convex if self.mesh is None else self.mesh


class Shapes:
    """Makes pieces of shapes; each mesh is read once. `robot`: the file near which meshes are."""

    def __init__(self, robot: str | None = None) -> None:
        self._robot = robot
        self._read_meshes: dict[Mesh, tuple[Convex, TriangleMesh]] = {}
        self._meshes: Meshes | None = None

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """Keep the process that reads meshes for the time of a block."""
        try:
            yield
        finally:
            if self._meshes is not None:
                self._meshes.close()
                self._meshes = None

    def pieces(self, shape: Any, pose: np.ndarray) -> list[Piece]:
        """Return the pieces of a checked shape at a pose (4, 4), m.

        Raises ModelError for a mesh that cannot be read.
        """
        if isinstance(shape, Ground):
            plane = pose_from_rotation(turn_z_onto(shape.normal), shape.offset * shape.normal)
            return [Piece(HALF_SPACE, pose @ plane)]
        if isinstance(shape, PointCloud):
            ball = convex_of(Sphere(shape.radius))
            return [Piece(ball, T) for T in poses_of(shape, pose)]
        if isinstance(shape, Mesh):
            if shape not in self._read_meshes:
                self._read_meshes[shape] = self._read(shape)
            convex, mesh = self._read_meshes[shape]
            return [Piece(convex, pose, mesh)]
        return [Piece(convex_of(shape), pose)]

    def _read(self, mesh: Mesh) -> tuple[Convex, TriangleMesh]:
        if self._meshes is None:
            self._meshes = _meshes_near(self._robot)
        from ik_node.model.meshes import MeshError
        try:
            read = self._meshes.load(mesh)
        except MeshError as error:
            raise ModelError(f'the mesh of a collision shape cannot be read: {error}') from error
        vertices = np.asarray(read.vertices, dtype=float)
        if not np.abs(vertices).max() <= MAX_NUMBER:
            raise ModelError(f'the mesh of a collision shape, {mesh.filename}, must be within '
                             f'{MAX_NUMBER:g} m')
        hull = hull_of(vertices)
        return hull_convex(hull), TriangleMesh(vertices, np.asarray(read.faces), hull.volume)


def _meshes_near(robot: str | None) -> 'Meshes':
    try:
        from ik_node.model.meshes import Meshes, Places
    except ImportError as error:
        raise IkError('collision shapes that are meshes need trimesh: "pip install '
                      f'ik_node[collisions]" brings it ({error})') from error
    places = Places()
    places.add(Path('/'))  # what a caller in Python names may be read
    return Meshes(places, robot=robot or '')


@functools.lru_cache(maxsize=4096, typed=True)  # a Capsule may equal a Cylinder
def convex_of(shape: Box | Sphere | Cylinder | Capsule) -> Convex:
    """Return a shape other than a mesh for the kernels."""
    if isinstance(shape, Box):
        return Convex(cores.CUBOID, 0.0, tuple(0.5 * float(value) for value in shape.size))
    if isinstance(shape, Sphere):
        return Convex(cores.POINT, float(shape.radius), _NOWHERE)
    half = 0.5 * float(shape.length)
    if isinstance(shape, Capsule):
        return Convex(cores.SEGMENT, float(shape.radius), (0.0, 0.0, half))
    return Convex(cores.DRUM, 0.0, (float(shape.radius), float(shape.radius), half))


def hull_convex(hull: Hull) -> Convex:
    """Return a convex hull for the kernels."""
    middle = 0.5 * (hull.points.min(axis=0) + hull.points.max(axis=0))
    bound = float(np.sqrt(((hull.points - middle) ** 2).sum(axis=1).max()))
    return Convex(cores.HULL, 0.0, _NOWHERE, hull.points, hull.first, hull.neighbours,
                  tuple(middle.tolist()), bound)


def poses_of(cloud: PointCloud, pose: np.ndarray) -> np.ndarray:
    """Return the poses (k, 4, 4), m, of the balls of a cloud that is at a pose (4, 4)."""
    T = np.zeros((len(cloud.points), 4, 4))
    T[:] = np.eye(4)
    T[:, :3, 3] = cloud.points @ pose[:3, :3].T + pose[:3, 3]
    return T
