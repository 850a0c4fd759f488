"""Pairs of convex shapes: random ones, the same of coal, and where one is to the other."""

import itertools

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import robots
from ik_node import KinematicTree
from ik_node.collision import Box, Capsule, Cylinder, Sphere
from ik_node.collision.scene import Scene
from ik_node.collision.shapes import convex_of, hull_of
from ik_node.collision.world import World
from ik_node.spatial import pose_from_rotation, pose_from_rpy

SHAPES = ['sphere', 'capsule', 'box', 'cylinder', 'hull']
_FREE = KinematicTree.from_urdf('<robot name="a"><link name="a"/></robot>').body('floating').record


def at(x=0.0, y=0.0, z=0.0, rpy=(0.0, 0.0, 0.0)):
    return pose_from_rpy((x, y, z), rpy)


def slider(shape='<box size="0.04 0.04 0.04"/>'):
    """Return an arm that moves a shape along x, 0 to 2 m."""
    return KinematicTree.from_urdf(robots.robot(robots.joint(
        'a', 'prismatic', 'base', 'hand', axis='1 0 0', limit='lower="0" upper="2"',
        shape=shape))).chain()


class Pair:
    """A shape at the pose T_a, moved by q (6,), xyz and a rotation vector; another one at T_b."""

    def __init__(self, a, b, T_a=None, T_b=None):
        T_a, T_b = (np.eye(4) if T is None else T for T in (T_a, T_b))
        self._data = Scene(_FREE, [_FREE.links - 1], T_a[None], [a], [], [0], np.empty(0),
                           World([b], T_b[None]), 0.0).take()

    def find(self, q=None, far=np.inf):
        """Return the distance, the normal from a to b, and the nearest points; None beyond far."""
        found = self._data.find(np.zeros(6) if q is None else q, far)
        return found[0][2:] if found else None

    def gradient(self):
        """Return how the distance that was found last changes with q (6,)."""
        return self._data.rows()[1][0]


def random_shape(kind, rng, sizes=None):
    """Return a shape for the kernels, the same of coal, and its vertices (k, 3) or sizes (3,)."""
    coal = pytest.importorskip('coal', reason='coal is not installed (make test brings it)')
    x, y, z = rng.uniform(0.03, 0.5, 3) if sizes is None else sizes
    if kind == 'sphere':
        return convex_of(Sphere(x)), coal.Sphere(x)
    if kind == 'capsule':
        return convex_of(Capsule(x, y)), coal.Capsule(x, y)
    if kind == 'box':
        return convex_of(Box((x, y, z))), coal.Box(x, y, z)
    if kind == 'cylinder':
        return convex_of(Cylinder(x, y)), coal.Cylinder(x, y)
    own, points = coal.StdVec_Vec3s(), _points(rng) * (x, y, z)
    for point in points:
        own.append(point)
    return hull_of(points)[0], coal.Convex.convexHull(own, True, None)


def _points(rng):
    """Return points (k, 3) about zero: of a ball, of a grid, or of a prism."""
    kind = rng.integers(3)
    if kind == 0:
        return 0.5 * rng.normal(size=(rng.integers(8, 100), 3))
    if kind == 1:
        grid = np.array([*itertools.product((-0.5, 0.0, 0.5), repeat=3)])
        return grid[rng.permutation(27)[:rng.integers(12, 28)]]
    angles = np.linspace(0.0, 2.0 * np.pi, rng.integers(4, 65))[:-1]
    ring = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return np.array([[*point, side] for point in ring for side in (-0.5, 0.5)])


def random_pose(rng, reach, structured):
    if structured:
        R = Rotation.from_euler('xyz', rng.integers(0, 4, 3) * np.pi / 2).as_matrix()
        return pose_from_rotation(R, rng.integers(-3, 4, 3) * 0.2)
    return pose_from_rotation(Rotation.random(random_state=rng).as_matrix(),
                              rng.normal(size=3) * reach)
