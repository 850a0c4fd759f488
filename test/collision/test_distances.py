"""Distances of convex shapes, compared with formulas and with coal."""

import itertools
import math

import numpy as np
import pytest

from ik_node.collision import Box, Capsule, Cylinder, Ground, Sphere
from ik_node.collision.shapes import Shapes, convex_of, hull_of
from shape_pairs import SHAPES, Pair, at, random_pose, random_shape


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
    a, b = convex_of(a), convex_of(b)
    assert Pair(a, b, T_b=T_b).find()[0] == pytest.approx(expected, abs=1e-9)
    assert Pair(b, a, T_a=T_b).find()[0] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize('shape', [Sphere(0.1), Capsule(0.1, 0.4), Box((0.2, 0.3, 0.4)),
                                   Cylinder(0.1, 0.4)])
def test_the_distance_from_the_ground_is_the_lowest_point(shape):
    plane, = Shapes().pieces(Ground((0.0, 0.0, 2.0), 0.25), at())
    lowest = {Sphere: 0.1, Capsule: 0.3, Box: 0.2, Cylinder: 0.2}[type(shape)]
    found, normal, on_shape, on_plane = Pair(
        convex_of(shape), plane.convex, at(0.3, 0.2, 1.0), plane.placement).find()
    assert found == pytest.approx(1.0 - lowest - 0.25, abs=1e-12)
    assert on_shape[2] == pytest.approx(1.0 - lowest)
    assert on_plane[2] == pytest.approx(0.25)
    assert normal == pytest.approx((0.0, 0.0, -1.0))


@pytest.mark.parametrize('kinds', [*itertools.combinations_with_replacement(SHAPES, 2)],
                         ids='-'.join)
def test_the_distance_is_that_of_coal_and_that_between_the_witness_points(kinds):
    coal = pytest.importorskip('coal', reason='coal is not installed (make test brings it)')
    rng = np.random.default_rng(3)
    curved = 'cylinder' in kinds
    for k in range(300):
        (a, own_a), (b, own_b) = (random_shape(kind, rng) for kind in kinds)
        T_a, T_b = (random_pose(rng, reach, k % 4 == 0) for reach in (0.2, (0.05, 0.3, 1.0)[k % 3]))
        found, normal, on_a, on_b = Pair(a, b, T_a, T_b).find()
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
    rng = np.random.default_rng(4)
    for kinds in itertools.product(SHAPES[:4], repeat=2):
        for _ in range(50):
            (a, _), (b, _) = (random_shape(kind, rng) for kind in kinds)
            T_a, T_b = random_pose(rng, 0.1, False), random_pose(rng, 0.1, False)
            found, normal, *_ = Pair(a, b, T_a, T_b).find()
            T_b[:3, 3] -= found * np.array(normal)
            assert Pair(a, b, T_a, T_b).find()[0] == pytest.approx(0.0, abs=1e-7)


DRUM = Cylinder(0.2, 1.0)


@pytest.mark.parametrize(('shape', 'pose', 'depth', 'normal'), [
    # As deep as the radius of the cylinder and the shape's least extent towards its side, or end.
    (Sphere(0.05), at(1e-4, 0.0, 0.1), 0.25 - 1e-4, (-1.0, 0.0, 0.0)),
    (Capsule(0.05, 0.1), at(-1e-5, 0.0, 0.1), 0.25 - 1e-5, (1.0, 0.0, 0.0)),
    (Box((0.03, 0.02, 0.01)), at(0.0, 1e-4, 0.1), 0.21 - 1e-4, (0.0, -1.0, 0.0)),
    (Cylinder(0.03, 0.02), at(1e-4, 0.0, 0.1), 0.23 - 1e-4, (-1.0, 0.0, 0.0)),
    (Cylinder(0.03, 0.02), at(1e-4, 0.0, 0.0, (0.0, math.pi / 2, 0.0)), 0.21 - 1e-4,
     (-1.0, 0.0, 0.0)),                                   # its end is towards the side
], ids=['sphere', 'capsule', 'box', 'coaxial', 'across'])
def test_the_depth_near_the_axis_of_a_cylinder_is_exact(shape, pose, depth, normal):
    found = Pair(convex_of(shape), convex_of(DRUM), pose).find()
    assert found[0] == pytest.approx(-depth, abs=1e-12)
    assert found[1] == pytest.approx(normal, abs=1e-9)


@pytest.mark.parametrize('apart', [2e-5, -2e-5])
@pytest.mark.parametrize('kind', SHAPES)
def test_gradients_just_beside_a_cylinder_are_those_of_differences(kind, apart):
    rng, h = np.random.default_rng(5), 1e-7
    for _ in range(50):
        pair = Pair(random_shape(kind, rng)[0], random_shape('cylinder', rng)[0])
        q = np.concatenate([rng.normal(size=3), rng.uniform(-2.0, 2.0, 3)])
        for _ in range(2):
            found, normal, *_ = pair.find(q)
            q[:3] += (found - apart) * np.array(normal)
        here = pair.find(q)[0]
        rows, steps = pair.gradient().copy(), h * np.eye(6)
        before, after = ([pair.find(q + sign * step)[0] for step in steps] for sign in (-1.0, 1.0))
        slopes = np.array([np.subtract(here, before), np.subtract(after, here)]) / h
        assert (slopes.min(axis=0) - 1e-5 < rows).all()  # of a kink, between those of its sides
        assert (rows < slopes.max(axis=0) + 1e-5).all()


def test_shapes_that_are_farther_apart_than_the_bound_are_not_found():
    pair = Pair(convex_of(Sphere(0.1)), convex_of(Box((0.2, 0.2, 0.2))), T_b=at(2.0, 2.0))
    apart = math.hypot(1.9, 1.9) - 0.1
    assert pair.find(far=apart - 1e-6) is None
    assert pair.find(far=apart + 1e-6)[0] == pytest.approx(apart)


@pytest.mark.parametrize('points', [
    [[0.1, 0.2, 0.3]],
    [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 0.0, 0.0]],
    [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.5, 0.5, 0.0]],
    [[0.0, 0.0, 0.0], [1.0, 0.0, 1e-13], [0.0, 1.0, 0.0], [1.0, 1.0, -1e-13]],
], ids=['a point', 'a line', 'a plate', 'a plate but for rounding'])
def test_points_without_a_volume_have_a_hull(points):
    flat = hull_of(np.array(points))[0]
    beside = at(float(np.max(np.array(points)[:, 0])) + 0.5, *points[0][1:])
    assert Pair(flat, convex_of(Sphere(0.1)), T_b=beside).find()[0] == pytest.approx(0.4)


def test_a_hull_has_the_vertices_alone():
    cube = np.array(list(itertools.product((0.0, 1.0), repeat=3)))
    inside = np.random.default_rng(0).uniform(0.1, 0.9, (50, 3))
    assert hull_of(np.concatenate([cube, inside]))[0].vertices == 8
