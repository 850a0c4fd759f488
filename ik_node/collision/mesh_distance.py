"""Distances of meshes by their triangles, not by their convex hulls: by coal.

Of meshes coal knows the surface alone: one that is wholly inside another shape is as far from it as
the surfaces are. That is found here by winding numbers, which surfaces that are open, or inside
out, have as well [Jacobson, Kavan & Sorkine-Hornung 2013]: the solid angles of their triangles,
over 4 π [van Oosterom & Strackee 1983]. Its security margin misses pairs of meshes that are nearer
than the margin, and its depths of meshes are of single triangles: distances of surfaces that are
apart are all that is used.
"""

import functools
import math
import re
from typing import Any, TypeAlias

import cython
import numpy as np

from ik_node.collision.obstacles import Ground
from ik_node.model.geometry import Shape
from ik_node.spatial.vector3 import Vector3
from ik_node.support.arrays import InMatrix

if not cython.compiled:
    from ik_node.spatial.vector3 import *

Placement: TypeAlias = tuple[np.ndarray, np.ndarray]  # R (3, 3) and t (3,), m
_OLDEST = (3, 0, 3)
_FULL = 1.0 - 1e-9
ENCLOSED = 0.5  # of a winding: more of it, in either direction, is around what is inside


class TriangleMesh:
    """The triangles of a mesh; whether its convex hull, of `hull_volume` m³, is its shape.

    - `vertices` (k, 3), m, between `low` and `high`; `faces` (t, 3): those of each triangle.
    """

    def __init__(self, vertices: np.ndarray, faces: np.ndarray, hull_volume: float) -> None:
        self.vertices, self.hull_volume = np.ascontiguousarray(vertices, float), hull_volume
        self.faces = np.ascontiguousarray(faces, np.intc)
        self.low, self.high = vertices.min(axis=0), vertices.max(axis=0)
        a, b, c = (self.vertices - self.vertices.mean(axis=0))[self.faces.T]
        volume = abs(float(np.einsum('ij,ij->', a, np.cross(b, c)))) / 6.0
        self.is_convex = 0.0 < _FULL * hull_volume <= volume

    @functools.cached_property
    def geometry(self) -> Any:
        """The mesh for coal."""
        model = coal().BVHModelOBBRSS()
        model.beginModel(len(self.faces), len(self.vertices))
        model.addVertices(np.asfortranarray(self.vertices))
        model.addTriangles(np.asfortranarray(self.faces, dtype=int))
        model.endModel()
        return model

    @functools.cached_property
    def parts(self) -> np.ndarray:
        """A vertex (p, 3) of each part that is connected, m."""
        from scipy.sparse import coo_matrix, csgraph
        points, number = np.unique(self.vertices, axis=0, return_inverse=True)
        a, b, c = number.reshape(-1)[self.faces.T]
        edges = coo_matrix((np.ones(2 * len(a)), (np.tile(a, 2), np.concatenate([b, c]))),
                           (len(points), len(points)))
        labels = csgraph.connected_components(edges, directed=False)[1]
        used = np.unique(a)
        return points[used[np.unique(labels[used], return_index=True)[1]]]

    def encloses(self, points: np.ndarray) -> bool:
        """Tell whether one of points (p, 3), m, is inside; none is on the surface."""
        near = points[((self.low < points) & (points < self.high)).all(axis=1)]
        return are_around(self.vertices, self.faces, near)

    def hull_excess(self, count: int = 2000) -> float:
        """Return how far the convex hull is from the surface at the most, m, at random points."""
        from scipy.spatial import ConvexHull
        if not self.hull_volume:
            return 0.0
        hull, rng = ConvexHull(self.vertices), np.random.default_rng(0)
        a, b, c = self.vertices[hull.simplices].swapaxes(0, 1)
        areas = np.linalg.norm(np.cross(b - a, c - a), axis=1)
        chosen = rng.choice(len(areas), count, p=areas / areas.sum())
        points = np.einsum('pi,pij->pj', rng.dirichlet(np.ones(3), count),
                           self.vertices[hull.simplices[chosen]])
        here, ball = coal().Transform3s.Identity(), coal().Sphere(1e-9)
        return max(coal().distance(self.geometry, here, ball, coal().Transform3s(np.eye(3), p),
                                   _request(), coal().DistanceResult()) for p in points)


_Original = Shape | Ground | TriangleMesh


@functools.cache
def coal() -> Any:
    """Return the module coal; None where it is not installed, or too old."""
    try:
        import coal
    except ImportError:
        return None
    version = tuple(map(int, re.findall(r'\d+', coal.__version__)[:3]))
    return coal if version >= _OLDEST else None


def distance(a: _Original, T_a: Placement, b: _Original, T_b: Placement,
             far: float) -> tuple[float, np.ndarray, np.ndarray] | None:
    """Return the distance, m, of two shapes, 0 where they touch; None where it is above `far`.

    And the nearest points (3,) of shapes that do not touch.
    """
    own, other = (one.geometry if isinstance(one, TriangleMesh) else _primitive(one)
                  for one in (a, b))
    at, there = coal().Transform3s(*T_a), coal().Transform3s(*T_b)
    if (coal().collide(own, at, other, there, _contact_request(), coal().CollisionResult())
            or _encloses(a, T_a, b, T_b) or _encloses(b, T_b, a, T_a)):
        return 0.0, T_a[1], T_b[1]
    if far <= 0.0:  # whether they touch takes a tenth of the time of how far they are apart
        return None
    found = coal().DistanceResult()
    apart = coal().distance(own, at, other, there, _request(), found)
    return None if apart > far else (apart, found.getNearestPoint1(), found.getNearestPoint2())


def _encloses(a: _Original, T_a: Placement, b: _Original, T_b: Placement) -> bool:
    """Tell whether a part of b is inside the mesh a; their surfaces do not touch."""
    if not isinstance(a, TriangleMesh) or isinstance(b, Ground):
        return False
    points = b.parts if isinstance(b, TriangleMesh) else np.zeros((1, 3))
    return a.encloses((points @ T_b[0].T + T_b[1] - T_a[1]) @ T_a[0])


@functools.cache
def _contact_request() -> Any:
    """Return the request where it matters alone whether shapes touch."""
    request = coal().CollisionRequest()
    request.num_max_contacts, request.enable_contact = 1, False
    return request


@functools.cache
def _request() -> Any:
    request = coal().DistanceRequest()
    request.enable_signed_distance, request.gjk_tolerance = False, 1e-9
    return request


@functools.lru_cache(maxsize=4096, typed=True)  # a Capsule may equal a Cylinder
def _primitive(shape: Shape | Ground) -> Any:
    """Return a shape for coal, whose primitives have the names and the sizes of ours."""
    if isinstance(shape, Ground):
        return coal().Halfspace(np.array([0.0, 0.0, 1.0]), 0.0)
    return getattr(coal(), type(shape).__name__)(*np.hstack(shape).astype(float))


def are_around(vertices: InMatrix, faces: np.ndarray, points: np.ndarray) -> bool:
    """Tell whether triangles (t, 3) of vertices (k, 3) enclose one of points (p, 3), m.

    None is on them.
    """
    for i in range(points.shape[0]):
        p, total = (points[i, 0], points[i, 1], points[i, 2]), 0.0
        for k in range(faces.shape[0]):
            a = _from(p, vertices, faces[k, 0])
            b = _from(p, vertices, faces[k, 1])
            c = _from(p, vertices, faces[k, 2])
            u, v, w = norm(a), norm(b), norm(c)
            total += math.atan2(dot(a, cross(b, c)),
                                u * v * w + dot(a, b) * w + dot(b, c) * u + dot(c, a) * v)
        if math.fabs(total) > 2.0 * math.pi * ENCLOSED:
            return True
    return False


def _from(p: Vector3, vertices: InMatrix, k: int) -> Vector3:
    return vertices[k, 0] - p[0], vertices[k, 1] - p[1], vertices[k, 2] - p[2]
