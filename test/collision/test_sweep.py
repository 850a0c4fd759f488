"""How far a path of joint values is free of contact."""

import math

import numpy as np
import pytest

import robots
from ik_node import KinematicTree
from ik_node.collision import Box, CollisionModel, Ground, Obstacle, PointCloud, Sphere
from ik_node.spatial import pose_from_rpy
from ik_node.support.clock import Cancellation
from ik_node.support.exceptions import InputError
from shape_pairs import at

ARM = KinematicTree.from_urdf(robots.robot(
    robots.joint('turn', 'revolute', 'base', 'first', limit='lower="-3" upper="3"'),
    robots.joint('slide', 'prismatic', 'first', 'ball', axis='1 0 0', limit='lower="-1" upper="1"',
                 shape='<sphere radius="0.1"/>', at='0.5 0 0'))).chain()


def around(angle, radius=0.05):
    """Return a ball on the circle of the arm's own."""
    return Obstacle(Sphere(radius), at(0.5 * math.cos(angle), 0.5 * math.sin(angle)))


def test_a_path_is_free_up_to_where_a_ball_touches_another():
    model = CollisionModel(ARM, [around(1.0)])
    touching = 1.0 - 2.0 * math.asin(0.15 / 2.0 / 0.5)  # chord = sum of the radii
    part = model.free_part([[-1.0, 0.0], [1.5, 0.0]])
    assert part == pytest.approx((touching + 1.0) / 2.5, abs=2e-4)
    assert part < (touching + 1.0) / 2.5
    assert model.free_part([[-1.0, 0.0], [0.0, 0.0], [0.2, 0.0], [1.5, 0.0]]) == pytest.approx(
        2.0 + (touching - 0.2) / 1.3, abs=4e-4)
    assert model.free_part([[-1.0, 0.0], [touching - 1e-3, 0.0]]) == math.inf


def test_the_margin_is_kept_but_for_a_tenth_of_a_millimetre():
    model = CollisionModel(ARM, [around(1.0)], margin=0.02)
    touching = 1.0 - 2.0 * math.asin(0.17 / 2.0 / 0.5)
    assert model.free_part([[-1.0, 0.0], [1.5, 0.0]]) == pytest.approx(
        (touching + 1.0) / 2.5, abs=1e-4)


def test_nothing_is_too_thin_to_be_found_between_two_configurations():
    plate = Obstacle(Box((1.0, 1e-4, 1.0)), at(0.5, 0.4))
    assert 0.0 < CollisionModel(ARM, [plate]).free_part([[-0.9, 0.0], [2.9, 0.0]]) < 1.0
    cloud = Obstacle(PointCloud([[0.2, 0.47, 0.0]], 1e-5))
    assert 0.0 < CollisionModel(ARM, [cloud]).free_part([[-0.9, 0.0], [2.9, 0.0]]) < 1.0


def test_along_a_surface_a_path_is_free():
    floor = Obstacle(Ground((0.0, 0.0, 1.0), -0.1 - 6e-5))
    assert CollisionModel(ARM, [floor]).free_part([[-2.9, -0.3], [2.9, 0.8]]) == math.inf


def test_a_path_leads_out_of_a_contact_but_no_deeper():
    model = CollisionModel(ARM, [around(1.0)])
    assert model.free_part([[0.9, 0.0], [-1.0, 0.0]]) == math.inf
    assert model.free_part([[0.9, 0.0], [1.5, 0.0]]) == pytest.approx(0.0, abs=1e-3)
    assert model.free_part([[0.9, 0.0], [-1.0, 0.0], [1.5, 0.0]]) == pytest.approx(
        1.0 + (1.0 - 2.0 * math.asin(0.15) + 1.0) / 2.5, abs=1e-4)


@pytest.mark.parametrize('name', ['arm_6r', 'arm_7r'])
def test_dense_samples_find_no_contact_on_what_is_free(name):
    chain = robots.chain(name)
    obstacles = [Obstacle(Box((0.1, 0.1, 1.2)), at(0.45, 0.3, 0.6)),
                 Obstacle(Ground(offset=-0.3)), Obstacle(Sphere(0.15), at(0.1, -0.5, 0.5))]
    model, rng = CollisionModel(chain, obstacles), np.random.default_rng(3)
    free = 0
    for _ in range(40):
        begin, end = rng.uniform(chain.lower, chain.upper, (2, chain.n_joints))
        end = begin + 0.4 * (end - begin)
        if not model.is_free(begin):
            continue
        part = model.free_part([begin, end])
        shares = np.linspace(0.0, min(part - 1e-9, 1.0), 200)
        assert all(model.is_free(begin + share * (end - begin)) for share in shares)
        free += part == math.inf
        if part < 1.0:
            assert model.contacts(begin + part * (end - begin), 1e-3)
    assert free > 3


@pytest.mark.parametrize('length', [5.0, 1e3, 1e6, 1e8])
def test_a_beam_on_a_link_touches_a_ball_at_the_same_angle_however_long_it_is(length):
    beam = Obstacle(Box((length, 0.2, 0.2)), at(0.3 + 0.5 * length), 'first', name='beam')
    ball = Obstacle(Sphere(0.05), at(2.0 * math.cos(1.0), 2.0 * math.sin(1.0)), name='ball')
    touching = 1.0 - math.asin(0.15 / 2.0)
    model = CollisionModel(ARM, [beam, ball])
    assert model.free_part([[-1.0, -0.9], [1.5, -0.9]]) == pytest.approx(
        (touching + 1.0) / 2.5, abs=1e-4)
    assert model.free_part([[-1.0, -0.9], [touching - 1e-3, -0.9]]) == math.inf


def test_where_two_huge_shapes_pass_each_other_a_path_ends_before_they_can_touch():
    beam = Obstacle(Box((1e7, 0.2, 0.2)), at(0.3 + 0.5e7), 'first', name='beam')
    wall = Obstacle(Ground((0.0, 1.0, 0.0), -4e6), name='wall')  # which the far end would touch
    model = CollisionModel(ARM, [beam, wall])
    part = model.free_part([[0.1, -0.9], [-1.5, -0.9]])
    assert 0.0 < part <= (0.1 + math.asin(0.4)) / 1.6
    cancelled = Cancellation()
    cancelled.cancel()
    with cancelled:
        assert model.free_part([[0.1, -0.9], [-1.5, -0.9]]) == 0.0


def test_dense_samples_find_no_contact_of_large_shapes_on_links():
    chain = robots.chain('arm_7r')
    rng, free = np.random.default_rng(5), 0
    for _ in range(30):
        size, place, axis = 10.0 ** rng.uniform(-1.5, 4.0, 3), np.zeros(3), rng.integers(3)
        place[axis] = rng.choice([-1, 1]) * (0.5 * size[axis] + rng.uniform(0.02, 1.0))
        large = Obstacle(Box(tuple(size)), at(*place), chain.links[rng.integers(1, 8)])
        other = Obstacle(Box(tuple(10.0 ** rng.uniform(-2.0, 1.0, 3))), pose_from_rpy(
            rng.uniform(-2.0, 2.0, 3), rng.uniform(-3.0, 3.0, 3)))
        model = CollisionModel(chain, [large, other])
        begin, end = rng.uniform(chain.lower, chain.upper, (2, chain.n_joints))
        end = begin + 0.2 * (end - begin)
        if model.is_free(begin):
            part = model.free_part([begin, end])
            shares = np.linspace(0.0, min(part - 1e-9, 1.0), 100)
            assert all(model.is_free(begin + share * (end - begin)) for share in shares)
            free += part == math.inf
    assert free > 3


def test_a_path_that_bends_by_so_much_must_be_so_much_farther_away():
    model = CollisionModel(ARM, [around(1.0)])
    near = 1.0 - 2.0 * math.asin(0.16 / 2.0 / 0.5)  # 10 mm from contact
    path = [[-1.0, 0.0], [near, 0.0]]
    assert model.free_part(path, bend=[0.01, 0.0]) == math.inf  # by 0.6 m each rad at most
    assert 0.9 < model.free_part(path, bend=[0.03, 0.0]) < 1.0
    assert 0.9 < model.free_part(path, bend=[0.0, 0.02]) < 1.0


@pytest.mark.parametrize('path', [[0.0, 0.0], [[0.0]], [[np.nan, 0.0]], np.empty((0, 2)), 'here'])
def test_a_malformed_path_is_refused(path):
    with pytest.raises(InputError, match='path'):
        CollisionModel(ARM).free_part(path)
