"""The convex shapes of the kernels that the shapes of a model and of obstacles are made of."""

import contextlib
import functools
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ik_node.collision.convex import Convex
from ik_node.collision.mesh_distance import TriangleMesh
from ik_node.collision.obstacles import Ground, PointCloud
from ik_node.model.geometry import Box, Capsule, Cylinder, Mesh, Shape, Sphere
from ik_node.spatial import pose_from_rotation, turn_z_onto
from ik_node.support.bounds import MAX_NUMBER
from ik_node.support.exceptions import IkError, ModelError

if TYPE_CHECKING:
    from ik_node.model.meshes import Meshes

HALF_SPACE = Convex(is_plane=True)
_THIN = 1e-9  # of the size: what extends less has no extent in that direction


class Piece(NamedTuple):
    """A convex shape in a frame."""

    convex: Convex
    placement: np.ndarray  # (4, 4) T_frame_shape, m
    original: Shape | Ground | TriangleMesh  # the shape itself; a mesh: whose convex hull it is

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
            return [Piece(HALF_SPACE, pose @ plane, shape)]
        if isinstance(shape, PointCloud):
            ball = Sphere(shape.radius)
            return [Piece(convex_of(ball), T, ball) for T in poses_of(shape, pose)]
        if isinstance(shape, Mesh):
            if shape not in self._read_meshes:
                self._read_meshes[shape] = self._read(shape)
            convex, mesh = self._read_meshes[shape]
            return [Piece(convex, pose, mesh)]
        return [Piece(convex_of(shape), pose, shape)]

    def _read(self, mesh: Mesh) -> tuple[Convex, TriangleMesh]:
        try:
            from ik_node.model.meshes import MeshError, Meshes, Places
        except ImportError as error:
            raise IkError('collision shapes that are meshes need trimesh: "pip install '
                          f'ik_node[collisions]" brings it ({error})') from error
        if self._meshes is None:
            places = Places()
            places.add(Path('/'))  # what a caller in Python names may be read
            self._meshes = Meshes(places, robot=self._robot or '')
        try:
            read = self._meshes.load(mesh)
        except MeshError as error:
            raise ModelError(f'the mesh of a collision shape cannot be read: {error}') from error
        vertices = np.asarray(read.vertices, dtype=float)
        if not np.abs(vertices).max() <= MAX_NUMBER:
            raise ModelError(f'the mesh of a collision shape, {mesh.filename}, must be within '
                             f'{MAX_NUMBER:g} m')
        hull, volume = hull_of(vertices)
        triangles = TriangleMesh(vertices, np.asarray(read.faces), volume)
        hull.is_larger = not triangles.is_convex
        return hull, triangles


@functools.lru_cache(maxsize=4096, typed=True)  # a Capsule may equal a Cylinder
def convex_of(shape: Box | Sphere | Cylinder | Capsule) -> Convex:
    """Return a shape other than a mesh for the kernels."""
    if isinstance(shape, Box):
        return Convex([0.5 * float(value) for value in shape.size])
    radius = float(shape.radius)
    if isinstance(shape, Sphere):
        return Convex(radius=radius)
    half = 0.5 * float(shape.length)
    if isinstance(shape, Capsule):
        return Convex((0.0, 0.0, half), radius)
    return Convex((radius, radius, half), is_cylinder=True)


def hull_of(points: np.ndarray) -> tuple[Convex, float]:
    """Return the convex hull of points (m, 3), m, at least one, and its volume, m³.

    They may lie in a plane or on a line; then that is 0.
    """
    from scipy.spatial import ConvexHull, QhullError  # takes as long to import as rclpy
    points = np.unique(points, axis=0)
    middle = points.mean(axis=0)
    _, sizes, axes = np.linalg.svd(points - middle, full_matrices=False)
    rank = int((sizes > _THIN * max(sizes[0], np.abs(points).max())).sum())
    local = (points - middle) @ axes.T
    if rank < 2:
        ends = points[np.unique([local[:, 0].argmin(), local[:, 0].argmax()])]
        return _polytope(ends, [(0, len(ends) - 1)]), 0.0
    try:
        hull = ConvexHull(points if rank == 3 else local[:, :2])
    except QhullError:  # nearly flat: the box along its axes encloses it
        corners = np.array(list(itertools.product(*zip(local.min(axis=0), local.max(axis=0)))))
        return _polytope(middle + corners @ axes, [*itertools.combinations(range(8), 2)]), 0.0
    number = np.zeros(len(points), dtype=int)
    number[hull.vertices] = np.arange(len(hull.vertices))
    edges = number[hull.simplices][:, [*itertools.combinations(range(rank), 2)]].reshape(-1, 2)
    return _polytope(points[hull.vertices], edges), hull.volume if rank == 3 else 0.0


def _polytope(points: np.ndarray, edges: Any) -> Convex:
    """Return a shape with the vertices (k, 3), m, and the edges (m, 2) between these."""
    edges = np.unique(np.concatenate([edges, np.asarray(edges)[:, ::-1]]), axis=0)
    return Convex(points=np.ascontiguousarray(points), neighbours=edges[:, 1],
                  first=np.searchsorted(edges[:, 0], np.arange(len(points) + 1)))


def poses_of(cloud: PointCloud, pose: np.ndarray) -> np.ndarray:
    """Return the poses (k, 4, 4), m, of the balls of a cloud that is at a pose (4, 4)."""
    T = np.zeros((len(cloud.points), 4, 4))
    T[:] = np.eye(4)
    T[:, :3, 3] = cloud.points @ pose[:3, :3].T + pose[:3, 3]
    return T
