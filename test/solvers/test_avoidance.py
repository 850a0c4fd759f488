"""Solutions that touch neither the robot nor obstacles, by every solver."""

import math
import pickle

import numpy as np
import pytest

import robots
from ik_node import (
    Goal,
    KinematicTree,
    StopReason,
    make_body_solver,
    make_solver,
    solver_names,
)
from ik_node.collision import Box, CollisionModel, Cylinder, Ground, Obstacle, Sphere
from ik_node.support.exceptions import OptionError, UnsupportedError
from ik_node.tasks import Position
from shape_pairs import at


@pytest.fixture
def planar():
    """Three links of 0.5 m in a plane."""
    names = ('base', 'one', 'two', 'three')
    return KinematicTree.from_urdf(robots.robot(*(robots.joint(
        'abc'[k], 'revolute', names[k], names[k + 1], xyz=f'{0.5 if k else 0} 0 0',
        limit='lower="-3" upper="3"', shape='<box size="0.4 0.04 0.04"/>', at='0.25 0 0')
        for k in range(3)), robots.joint('end', 'fixed', 'three', 'tip', xyz='0.5 0 0')))


@pytest.fixture
def arm(planar):
    return planar.chain('base', 'tip')


UP, DOWN = np.array([0.6, -1.2, 0.6]), np.array([-0.6, 1.2, -0.6])  # mirrored: the tip is on x
OPTIONS = {'example': {'examples': [UP]}}
BESIDE_UP = Obstacle(Cylinder(0.05, 1.0), at(0.45, 0.3), name='post')
AROUND_TIP = Obstacle(Sphere(0.1), at(1.3254, 0.0), name='ball')
GOAL = Goal(position=[1.3253356149, 0.0, 0.0])


@pytest.mark.parametrize('name', solver_names())
def test_a_solution_is_free_where_the_one_from_q0_is_not(arm, name):
    options = OPTIONS.get(name, {})
    goal = Goal(position=GOAL.pose[:3, 3], orientation=arm.forward(UP)[:3, :3],
                weights=(1, 1, 1, 1, 1, 1)) if name == 'analytic' else GOAL
    model = CollisionModel(arm, [BESIDE_UP])
    without = make_solver(name, arm, **options).solve(goal, UP)
    assert without.success
    assert not model.is_free(without.q)
    found = make_solver(name, arm, avoid_collisions=True, obstacles=[BESIDE_UP],
                        **options).solve(goal, UP)
    assert found.success
    assert model.is_free(found.q)
    assert found.contact is None


@pytest.mark.parametrize('name', solver_names())
def test_a_goal_inside_an_obstacle_is_no_success(arm, name):
    solver = make_solver(name, arm, avoid_collisions=True, obstacles=[AROUND_TIP],
                         **{**OPTIONS.get(name, {}), 'max_restarts': 5})
    found = solver.solve(arm.forward(UP), UP)
    assert not found.success
    assert found.reason is StopReason.COLLISION
    assert found.contact.second == 'ball'
    assert found.contact.distance < 0.0
    assert robots.inside(arm, found.q)


def test_the_closest_configuration_is_free(arm):
    solver = make_solver('dls', arm, avoid_collisions=True, obstacles=[AROUND_TIP], closest=True)
    for q0 in (UP * 0.1, DOWN * 0.2, np.array([1.5, 0.0, 0.0])):
        found = solver.solve(GOAL, q0)
        assert not found.success
        assert solver.collisions.is_free(found.q)


def test_the_margin_and_the_obstacles_decide(arm):
    kept = make_solver('dls', arm, avoid_collisions=True, obstacles=[BESIDE_UP], margin=0.05)
    found = kept.solve(GOAL, UP)
    assert found.success
    assert kept.collisions.contacts(found.q, 0.05) == []
    kept.obstacles = []
    assert kept.solve(GOAL, UP).q == pytest.approx(UP, abs=1e-5)
    kept.obstacles = [AROUND_TIP]
    assert kept.solve(GOAL, UP).reason is StopReason.COLLISION


def test_a_batch_avoids_collisions_too(arm):
    poses = np.array([arm.forward(UP), arm.forward(np.array([2.0, -0.5, -0.5]))])
    for name in ('dls', 'analytic', 'genetic'):
        solver = make_solver(name, arm, avoid_collisions=True, obstacles=[AROUND_TIP],
                             max_restarts=3)
        found = solver.solve_batch(poses, UP)
        assert found.success.tolist() == [False, True]
        assert found.reason[0] is StopReason.COLLISION
        assert found.contact[0].second == 'ball'
        assert found.contact[1] is None


def test_a_path_has_no_pose_in_collision(arm):
    poses = [Goal(position=[1.3, y, 0.0]) for y in np.linspace(-0.2, 0.2, 9)]
    solver = make_solver('dls', arm, avoid_collisions=True, obstacles=[BESIDE_UP])
    found = solver.solve_path(poses, UP)
    met = found.q[found.success]
    assert all(map(solver.collisions.is_free, met))
    assert len(met) + found.reason.tolist().count(StopReason.COLLISION) == len(poses)


# Links one and two of UP pass it on the way of the tip about the base; those of DOWN do not.
BETWEEN = Obstacle(Cylinder(0.01, 1.0), at(0.33, 0.226), name='rod')
TURN = np.array([1.0, 0.0, 0.0])


@pytest.mark.parametrize('name', ['dls', 'analytic'])
def test_a_path_does_not_pass_through_an_obstacle_between_its_poses(arm, name):
    poses = [arm.forward(UP + 0.3 * TURN), arm.forward(UP - 0.3 * TURN)]
    without = make_solver(name, arm).solve_path(poses, UP + 0.3 * TURN, 1.0)
    assert without.success.all()
    assert without.q[:, 1] == pytest.approx([-1.2, -1.2])
    solver = make_solver(name, arm, avoid_collisions=True, obstacles=[BETWEEN])
    assert all(map(solver.collisions.is_free, without.q))
    assert solver.collisions.free_part(without.q) < 1.0
    found = solver.solve_path(poses, UP + 0.3 * TURN, 1.0)
    assert found.success.all()
    assert found.q[:, 1] == pytest.approx([1.2, 1.2])
    assert solver.collisions.free_part(found.q) == math.inf


def test_a_step_through_an_obstacle_is_no_success(arm):
    poses = [arm.forward(UP - 0.3 * TURN)]
    solver = make_solver('analytic', arm, avoid_collisions=True, obstacles=[BETWEEN])
    found = solver.solve_path(poses, UP + 0.3 * TURN, 1.0, join_q0=True)
    assert not found.success[0]
    assert found.reason[0] is StopReason.COLLISION
    assert solver.solve_path(poses, UP + 0.3 * TURN, 1.0).success[0]  # from q0 by any step


def test_a_free_branch_of_a_closed_form_is_always_found():
    arm = robots.chain('ur5')
    obstacles = [Obstacle(Ground(offset=-0.01)), Obstacle(Box((0.1, 0.1, 1.2)), at(0.4, 0.3, 0.6)),
                 Obstacle(Cylinder(0.05, 1.2), at(-0.3, 0.4, 0.6))]
    try:
        solver = make_solver('analytic', arm, avoid_collisions=True, obstacles=obstacles)
    except Exception as error:
        pytest.skip(f'the shapes of the robot cannot be read: {error}')
    rng, tried = np.random.default_rng(5), 0
    while tried < 100:
        q, q0 = rng.uniform(-math.pi, math.pi, (2, 6))
        if not solver.collisions.is_free(q):
            continue
        tried += 1
        found = solver.solve(arm.forward(q), q0)
        assert found.success
        assert solver.collisions.is_free(found.q)


def test_what_is_of_meaning_for_collisions_needs_them_avoided(arm):
    for given in ({'obstacles': [BESIDE_UP]}, {'margin': 0.1}, {'others': {}},
                  {'disabled': [('one', 'two')]}):
        with pytest.raises(OptionError, match='needs avoid_collisions=True'):
            make_solver('dls', arm, **given)
    with pytest.raises(UnsupportedError, match='avoid_collisions=True'):
        make_solver('dls', arm).obstacles = []


def test_a_copy_avoids_the_same_obstacles(arm):
    solver = make_solver('dls', arm, avoid_collisions=True, obstacles=[AROUND_TIP])
    other = pickle.loads(pickle.dumps(solver))
    assert other.solve(GOAL, UP).reason is StopReason.COLLISION


@pytest.mark.parametrize('name', ['hierarchy', 'least_squares', 'lagrange', 'optimization',
                                  'genetic'])
def test_a_body_finds_a_free_solution(planar, name):
    body, task = planar.body(), Position('tip', [1.3253356149, 0.0, 0.0])
    solver = make_body_solver(name, body, [task], avoid_collisions=True, obstacles=[BESIDE_UP])
    plain = make_body_solver(name, body, [task]).solve(UP)
    assert plain.success
    assert not solver.collisions.is_free(plain.q)
    found = solver.solve(UP)
    assert found.success
    assert solver.collisions.is_free(found.q)
    assert found.contact is None


def test_a_body_says_what_it_touches(planar):
    body, task = planar.body(), Position('tip', [1.3253356149, 0.0, 0.0])
    solver = make_body_solver('least_squares', body, [task], avoid_collisions=True,
                              obstacles=[AROUND_TIP], closest=False)
    found = solver.solve(UP)
    assert found.reason is StopReason.COLLISION
    assert found.contact.second == 'ball'
    assert 'ball' in found.diagnosis
    closest = solver.closest([1.5, 0.0, 0.0])
    assert not closest.success
    assert solver.collisions.is_free(closest.q)


def test_a_body_moves_joints_that_its_tasks_leave_free(planar):
    # Only the first two links are needed, and the third would touch the wall where it is.
    wall = Obstacle(Box((0.2, 0.02, 0.2)), at(1.12, 0.0), name='wall')
    body, task = planar.body(), Position('three', planar.body().forward(UP)['three'][:3, 3])
    solver = make_body_solver('least_squares', body, [task], avoid_collisions=True,
                              obstacles=[wall], max_restarts=0)
    assert not solver.collisions.is_free(UP)
    found = solver.solve(UP)
    assert found.success
    assert solver.collisions.is_free(found.q)
    assert abs(found.q[2] - UP[2]) > 0.05


@pytest.mark.parametrize('name', ['genetic', 'optimization', 'auto', 'dls'])
def test_the_timeout_is_of_all_searches_together(arm, name):
    solver = make_solver(name, arm, avoid_collisions=True, obstacles=[AROUND_TIP], timeout=0.02,
                         max_restarts=100_000)
    one, many = solver.solve(GOAL, UP), solver.solve_batch(arm.forward(UP)[None], UP)
    assert one.reason is StopReason.TIMEOUT
    assert many.reason[0] in (StopReason.TIMEOUT, StopReason.COLLISION)


def test_a_closest_configuration_that_is_free_and_meets_the_goal_is_a_success(arm):
    solver = make_solver('dls', arm, avoid_collisions=True, obstacles=[BESIDE_UP], max_restarts=0)
    assert solver.solve(GOAL, UP).reason is StopReason.COLLISION
    found = solver.closest(GOAL, UP)
    assert found.success
    assert solver.collisions.is_free(found.q)


@pytest.mark.parametrize('prefer', ['nearest', 'limits', 'manipulability'])
@pytest.mark.parametrize('name', ['analytic', 'auto'])
def test_of_the_free_branches_the_preferred_one_is_returned(name, prefer):
    arm, rng = robots.chain('arm_6r'), np.random.default_rng(2)
    arm = arm.with_limits(np.full(6, -3.0), np.full(6, 3.0))
    posts = [Obstacle(Cylinder(0.06, 2.0), at(*place)) for place in rng.uniform(-0.6, 0.6, (6, 2))]
    solver = make_solver(name, arm, avoid_collisions=True, obstacles=posts, prefer=prefer)
    costs = {'nearest': lambda q: np.linalg.norm(q),
             'limits': lambda q: np.abs(q).max(),
             'manipulability': lambda q: -abs(np.linalg.det(arm.jacobian(q)))}
    changed = 0
    while changed < 5:
        pose = arm.forward(rng.uniform(arm.lower, arm.upper))
        branches = sorted(make_solver('analytic', arm).solve_all(pose), key=costs[prefer])
        free = [q for q in branches if solver.collisions.is_free(q)]
        if free and free[0] is not branches[0]:
            found = solver.solve(pose, np.zeros(6) if prefer == 'nearest' else 0.9 * arm.lower)
            assert costs[prefer](found.q) == pytest.approx(costs[prefer](free[0]), rel=1e-6)
            changed += 1


@pytest.mark.parametrize('name', ['dls', 'ccd', 'optimization'])
def test_goals_as_far_as_numbers_go_have_a_closest_configuration(arm, name, recwarn):
    solver = make_solver(name, arm, avoid_collisions=True, obstacles=[AROUND_TIP], max_restarts=1)
    for far in (1e154, 1e200, 1e308):
        result = solver.closest(Goal([far, -far, 0.0]))
        assert np.isfinite(result.q).all()
        assert solver.collisions.is_free(result.q)
    assert not [one for one in recwarn if one.category is RuntimeWarning]
