"""What is preferred of a human-like arm: forearm, comfort zone and torso."""

from typing import NamedTuple

import numpy as np
import pytest

import robots
from ik_node import IkError, make_solver
from plain_kernels import plain
from swivel_arms import each_arm, elbow_point, human, own_7r, wrist_place

distance_of_segments = plain('solvers.analytic.selection.swivel_selection')[0].distance_of_segments

HAND = np.array([0.3, -0.2, 1.0])
PLANE = np.array([0.1, 0.0, 0.0, 1.0, 0.5, 0.0])
CAPSULE = np.array([0.25, -0.1, -0.6, 0.25, -0.1, 0.9, 0.2])


class Measures(NamedTuple):
    """What a configuration should have little of, the most important first."""

    depth: float
    discomfort: float
    guide: float


def measures(arm, q, hand=None, hint=None, comfort=None, plane=None, capsule=None):
    """Return the measures of a configuration, by its points and sampled segments alone."""
    T = arm.chain.forward(q)
    elbow, wrist = elbow_point(arm, q), wrist_place(arm, T)
    depth, discomfort, guide = 0.0, 0.0, 0.0
    if plane is not None:
        normal = plane[3:] / np.linalg.norm(plane[3:])
        deep = [-normal @ (p - plane[:3]) for p in (elbow, wrist)]
        depth += max(deep[0], 0.0) + max(*deep, 0.0)
    if capsule is not None:
        for end in (elbow, wrist):
            depth += max(capsule[6] - apart(elbow, end, capsule[:3], capsule[3:6]), 0.0)
    if comfort is not None:
        lower, upper = arm.chain.lower, arm.chain.upper
        for k in np.flatnonzero(np.isfinite(upper - lower)):
            off = abs(q[k] - 0.5 * (lower[k] + upper[k]))
            discomfort += max(off - 0.5 * comfort * (upper[k] - lower[k]), 0.0)
    if hand is not None:
        a, b = wrist - elbow, T[:3, :3] @ hand
        guide = np.arccos(np.clip(a @ b / np.linalg.norm(a) / np.linalg.norm(b), -1.0, 1.0))
    if hint is not None:
        guide = np.linalg.norm(elbow - hint)
    return Measures(depth, discomfort, guide)


def apart(a, b, c, d):
    """Return the distance of two segments: of a point of the first, sampled finely, a second."""
    points = a + np.linspace(0.0, 1.0, 2001)[:, None] * (b - a)
    t = np.clip((points - c) @ (d - c) / max((d - c) @ (d - c), 1e-300), 0.0, 1.0)
    return np.linalg.norm(points - c - t[:, None] * (d - c), axis=1).min()


def wanted(**terms):
    """Return the options of a solver for the arguments of `measures`."""
    names = {'hand': 'hand_axis', 'hint': 'elbow', 'comfort': 'comfort_zone',
             'plane': 'torso_plane', 'capsule': 'torso_capsule'}
    return {names[key]: value for key, value in terms.items()}


def is_best(own, others):
    """Tell whether no other configuration is better, measure by measure."""
    for other in others:
        for a, b in zip(other, own):
            if a < b - 1e-4:
                return False
            if a > b + 1e-12:
                break
    return True


TERMS = [
    {'hand': HAND}, {'plane': PLANE}, {'capsule': CAPSULE}, {'comfort': 0.6},
    {'hand': HAND, 'plane': PLANE, 'capsule': CAPSULE, 'comfort': 0.8},
    {'hint': np.array([0.2, -0.5, 0.3]), 'capsule': CAPSULE}]


@each_arm
@pytest.mark.parametrize('terms', [
    *(pytest.param(terms, marks=pytest.mark.slow) for terms in TERMS[:3]),
    *TERMS[3:]], ids='+'.join)
def test_no_sampled_swivel_angle_has_a_better_configuration(make, terms):
    arm, rng = make(), np.random.default_rng(210)
    solver = make_solver('analytic', arm.chain, **wanted(**terms))
    plain = make_solver('analytic', arm.chain)
    improved = 0
    for _ in range(robots.samples(5)):
        q = robots.random_q(arm.chain, rng)
        pose = arm.chain.forward(q)
        result = solver.solve(pose, q)
        assert result.success
        assert arm.chain.forward(result.q) == pytest.approx(pose, abs=1e-6)
        own = measures(arm, result.q, **terms)
        others = [measures(arm, branch, **terms)
                  for psi in np.linspace(-np.pi, np.pi, 37)
                  for branch in plain.solve_all(pose, redundancy=psi)]
        assert is_best(own, others)
        nearest = measures(arm, plain.solve(pose, q).q, **terms)
        improved += not is_best(nearest, [own])
    if robots.samples(5) == 5:  # in plain Python there are few
        assert improved > 0  # without the options it is not so good


def test_the_forearm_is_in_line_with_the_hand_where_it_can_be():
    arm = human()
    q = np.array([0.5, -0.6, 0.2, 1.2, 0.4, 0.0, 0.0])  # a straight wrist
    pose = arm.chain.forward(q)
    solver = make_solver('analytic', arm.chain, hand_axis=[0, 0, -1])
    found = solver.solve(pose, q + 0.2)
    assert found.q == pytest.approx(q, abs=1e-4)


@pytest.mark.parametrize('terms', [{'hand': HAND}, {'comfort': 1.0}], ids='+'.join)
def test_of_equally_good_branches_the_one_nearest_to_the_initial_guess_is_returned(terms):
    arm, rng = own_7r(), np.random.default_rng(212)
    solver = make_solver('auto', arm.chain, **wanted(**terms))
    for _ in range(robots.samples(5)):
        q = robots.random_q(arm.chain, rng)
        pose = arm.chain.forward(q)
        found = solver.solve(pose, q).q
        own = measures(arm, found, **terms)
        psi = solver.redundancy_of(found)
        for branch in solver.solve_all(pose, redundancy=psi):
            other = measures(arm, branch, **terms)
            if max(other) <= max(own) + 1e-9:
                assert np.linalg.norm(branch - q) >= np.linalg.norm(found - q) - 1e-6


def test_limits_and_their_margin_come_before_all_preferences():
    arm, rng = own_7r(), np.random.default_rng(213)
    plain = make_solver('analytic', arm.chain, limit_margin=0.2)
    solver = make_solver('analytic', arm.chain, limit_margin=0.2, torso_plane=PLANE, hand_axis=HAND)
    kept = 0
    for _ in range(robots.samples(20)):
        q = robots.random_q(arm.chain, rng)
        rooms = []
        for one in (plain, solver):
            found = one.solve(arm.chain.forward(q), q)
            assert found.success
            rooms.append(np.minimum(found.q - arm.chain.lower, arm.chain.upper - found.q).min())
        assert rooms[1] >= min(0.2, rooms[0]) - 1e-9 or rooms[0] < 0.2
        kept += rooms[1] >= 0.2 - 1e-9
    assert kept > 0


@pytest.mark.parametrize(('segments', 'distance'), [
    (((0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)), 1.0),
    (((0, 0, 0), (1, 0, 0), (0.5, -1, 2), (0.5, 1, 2)), 2.0),
    (((0, 0, 0), (1, 0, 0), (4, 4, 0), (4, 9, 0)), 5.0),
    (((1, 2, 3), (1, 2, 3), (1, 2, 5), (1, 2, 5)), 2.0),
    (((0, 0, 0), (2, 0, 0), (1, 0, 0), (1, 0, 0)), 0.0)],
    ids=['parallel', 'crossing', 'ends', 'points', 'point on a segment'])
def test_segments_are_as_far_apart_as_their_nearest_points(segments, distance):
    points = [tuple(map(float, point)) for point in segments]
    assert distance_of_segments(*points) == pytest.approx(distance, abs=1e-12)
    assert distance_of_segments(*points[2:], *points[:2]) == pytest.approx(distance, abs=1e-12)


@pytest.mark.parametrize(('options', 'message'), [
    ({'hand_axis': [0, 0, 0]}, 'hand_axis must be a direction'),
    ({'hand_axis': [0, 0, 1], 'elbow': [0, 0, 1]}, 'one of them must be None'),
    ({'comfort_zone': [0.5, 0.5]}, 'comfort_zone must have 7'),
    ({'torso_plane': [0, 0, 0, 0, 0, 0]}, 'torso_plane.* must be a direction'),
    ({'torso_capsule': [0, 0, 0, 0, 0, 1, 0]}, 'radius, must be above 0 m, not 0'),
    ({'torso_capsule': [0, 0, 0, 0, 0, np.nan, 1]}, 'torso_capsule')])
@pytest.mark.parametrize('name', ['analytic', 'auto'])
def test_options_that_say_nothing_are_refused(name, options, message):
    with pytest.raises(IkError, match=message):
        make_solver(name, own_7r().chain, **options)


@pytest.mark.parametrize('options', [
    {'hand_axis': [0, 0, 1]}, {'comfort_zone': 0.5}, {'torso_plane': [0, 0, 0, 1, 0, 0]},
    {'torso_capsule': [0, 0, 0, 0, 0, 1, 0.1]}], ids='+'.join)
def test_arms_without_a_swivel_angle_refuse_them(options):
    option, = options
    for name, chain in (('analytic', robots.planar(1.0, 0.8)), ('auto', robots.mimicking())):
        with pytest.raises(IkError, match=f'{name}.{option} is for'):
            make_solver(name, chain, **options)
