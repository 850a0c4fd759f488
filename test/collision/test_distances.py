"""Distances of convex shapes, compared with formulas and with coal."""

import itertools
import math

import numpy as np
import pytest

from ik_node.collision import Box, Capsule, Cylinder, Ground, Sphere
from ik_node.collision.hulls import hull_of
from ik_node.collision.pair import Query
from ik_node.collision.shapes import Shapes, convex_of, hull_convex
from ik_node.spatial import pose_from_rotation, pose_from_rpy

HERE = np.eye(4)


def at(x=0.0, y=0.0, z=0.0, rpy=(0.0, 0.0, 0.0)):
    return pose_from_rpy((x, y, z), rpy)


def distance(a, T_a, b, T_b):
    return Query().distance(convex_of(a), T_a, convex_of(b), T_b)[0]


@pytest.mark.parametrize(('a', 'b', 'T_b', 'expected'), [
    (Sphere(0.1), Sphere(0.2), at(0.5), 0.2),
    (Sphere(0.1), Sphere(0.2), at(0.25), -0.05),
    (Sphere(0.1), Box((0.2, 0.4, 0.6)), at(0.5), 0.3),
    (Sphere(0.1), Box((0.2, 0.4, 0.6)), at(0.05, 0.02, 0.01), -0.15),  # the centre is inside
    (Sphere(0.1), Box((0.2, 0.2, 0.2)), at(0.4, 0.5, 0.0), 0.4),       # an edge: hypot(0.3, 0.4)
    (Sphere(0.1), Cylinder(0.2, 0.4), at(0.0, 0.0, 0.5), 0.2),         # its flat end
    (Sphere(0.1), Cylinder(0.2, 0.4), at(0.8), 0.5),                   # its side
    (Capsule(0.1, 0.4), Capsule(0.05, 0.4), at(0.5, rpy=(math.pi / 2, 0.0, 0.0)), 0.35),
    (Capsule(0.1, 0.4), Capsule(0.05, 0.4), at(0.0, 0.0, 0.7), 0.15),
    (Box((0.2, 0.2, 0.2)), Box((0.2, 0.2, 0.2)), at(0.5), 0.3),
    (Box((0.2, 0.2, 0.2)), Box((0.2, 0.2, 0.2)), at(0.15), -0.05),
    (Box((0.2, 0.2, 0.2)), Box((0.2, 0.2, 0.2)), at(0.5, rpy=(0.0, 0.0, math.pi / 4)),
     0.4 - 0.1 * math.sqrt(2.0)),
    (Cylinder(0.1, 0.4), Cylinder(0.2, 0.4), at(0.5, rpy=(0.0, 0.0, 0.3)), 0.2),
    (Cylinder(0.1, 0.4), Cylinder(0.2, 0.4), at(0.0, 0.0, 0.3), -0.1),
])
def test_the_distance_is_that_of_a_formula(a, b, T_b, expected):
    assert distance(a, HERE, b, T_b) == pytest.approx(expected, abs=1e-9)
    assert distance(b, T_b, a, HERE) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize('shape', [Sphere(0.1), Capsule(0.1, 0.4), Box((0.2, 0.3, 0.4)),
                                   Cylinder(0.1, 0.4)])
def test_the_distance_from_the_ground_is_the_lowest_point(shape):
    plane, = Shapes().pieces(Ground((0.0, 0.0, 2.0), 0.25), HERE)
    lowest = {Sphere: 0.1, Capsule: 0.3, Box: 0.2, Cylinder: 0.2}[type(shape)]
    found, on_shape, on_plane, normal = Query().distance(
        convex_of(shape), at(0.3, 0.2, 1.0), plane.convex, plane.placement)
    assert found == pytest.approx(1.0 - lowest - 0.25, abs=1e-12)
    assert on_shape[2] == pytest.approx(1.0 - lowest)
    assert on_plane[2] == pytest.approx(0.25)
    assert normal == pytest.approx((0.0, 0.0, -1.0))


SHAPES = ['sphere', 'capsule', 'box', 'cylinder', 'hull']


def random_shape(kind, rng):
    """Return a shape for the kernels, and the same of coal."""
    coal = pytest.importorskip('coal', reason='coal is not installed (make test brings it)')
    x, y, z = rng.uniform(0.03, 0.5, 3)
    if kind == 'sphere':
        return convex_of(Sphere(x)), coal.Sphere(x)
    if kind == 'capsule':
        return convex_of(Capsule(x, y)), coal.Capsule(x, y)
    if kind == 'box':
        return convex_of(Box((x, y, z))), coal.Box(x, y, z)
    if kind == 'cylinder':
        return convex_of(Cylinder(x, y)), coal.Cylinder(x, y)
    points = rng.normal(size=(rng.integers(8, 100), 3)) * (0.5 * x, 0.5 * y, 0.5 * z)
    own = coal.StdVec_Vec3s()
    for point in hull_of(points).points:
        own.append(point)
    return hull_convex(hull_of(points)), coal.Convex.convexHull(own, True, None)


def random_pose(rng, reach, structured):
    from scipy.spatial.transform import Rotation
    if structured:
        R = Rotation.from_euler('xyz', rng.integers(0, 4, 3) * np.pi / 2).as_matrix()
        return pose_from_rotation(R, rng.integers(-3, 4, 3) * 0.2)
    return pose_from_rotation(Rotation.random(random_state=rng).as_matrix(),
                              rng.normal(size=3) * reach)


@pytest.mark.parametrize('kinds', [*itertools.combinations_with_replacement(SHAPES, 2)],
                         ids='-'.join)
def test_the_distance_is_that_of_coal_and_that_between_the_witness_points(kinds):
    coal = pytest.importorskip('coal', reason='coal is not installed (make test brings it)')
    rng, query = np.random.default_rng(3), Query()
    curved = 'cylinder' in kinds
    for k in range(300):
        (a, own_a), (b, own_b) = (random_shape(kind, rng) for kind in kinds)
        T_a, T_b = (random_pose(rng, reach, k % 4 == 0) for reach in (0.2, (0.05, 0.3, 1.0)[k % 3]))
        found, on_a, on_b, normal = query.distance(a, T_a, b, T_b)
        request, result = coal.DistanceRequest(), coal.DistanceResult()
        request.enable_signed_distance = True
        request.gjk_tolerance, request.epa_tolerance = 1e-10, 1e-9
        expected = coal.distance(own_a, coal.Transform3s(T_a[:3, :3], T_a[:3, 3]),
                                 own_b, coal.Transform3s(T_b[:3, :3], T_b[:3, 3]), request, result)
        # Of cylinders that overlap coal's own search often ends above the least depth.
        if not (curved and expected < 0.0 and found > expected):
            assert found == pytest.approx(expected, abs=1e-6 if curved else 1e-9)
        assert np.linalg.norm(normal) == pytest.approx(1.0)
        assert np.subtract(on_b, on_a) == pytest.approx(found * np.array(normal), abs=1e-7)


def test_a_shape_moved_by_its_depth_just_touches():
    rng, query = np.random.default_rng(4), Query()
    for kinds in itertools.product(SHAPES[:4], repeat=2):
        for _ in range(50):
            (a, _), (b, _) = (random_shape(kind, rng) for kind in kinds)
            T_a, T_b = random_pose(rng, 0.1, False), random_pose(rng, 0.1, False)
            found, *_, normal = query.distance(a, T_a, b, T_b)
            T_b[:3, 3] -= found * np.array(normal)
            assert query.distance(a, T_a, b, T_b)[0] == pytest.approx(0.0, abs=1e-7)


def test_far_shapes_have_a_bound_that_is_below_the_distance():
    query, ball = Query(), convex_of(Sphere(0.1))
    bound, *_ = query.distance(ball, HERE, convex_of(Box((0.2, 0.2, 0.2))), at(2.0, 2.0), 0.5)
    assert 0.5 < bound <= math.hypot(1.9, 1.9) - 0.1


@pytest.mark.parametrize('points', [
    [[0.1, 0.2, 0.3]],
    [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 0.0, 0.0]],
    [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.5, 0.5, 0.0]],
    [[0.0, 0.0, 0.0], [1.0, 0.0, 1e-13], [0.0, 1.0, 0.0], [1.0, 1.0, -1e-13]],
], ids=['a point', 'a line', 'a plate', 'a plate but for rounding'])
def test_points_without_a_volume_have_a_hull(points):
    flat = hull_convex(hull_of(np.array(points)))
    beside = at(float(np.max(np.array(points)[:, 0])) + 0.5, *points[0][1:])
    assert Query().distance(flat, HERE, convex_of(Sphere(0.1)), beside)[0] == pytest.approx(0.4)


def test_a_hull_has_the_vertices_alone():
    cube = np.array(list(itertools.product((0.0, 1.0), repeat=3)))
    inside = np.random.default_rng(0).uniform(0.1, 0.9, (50, 3))
    assert len(hull_of(np.concatenate([cube, inside])).points) == 8
