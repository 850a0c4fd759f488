"""Differential steps beside obstacles: along them, away from them and out of them."""

import numpy as np
import pytest

import robots
from ik_node import make_body_solver
from ik_node.collision import Box, CollisionModel, Ground, Obstacle
from ik_node.solvers.collision.avoidance import exit_from
from ik_node.spatial import pose_from_rpy
from ik_node.tasks import Position

MARGIN, DT = 0.01, 0.02
TREE = robots.tree('arm_6r')
CHAIN = TREE.chain()
BODY = TREE.body(joints=CHAIN.joint_names)
TIP = CHAIN.tip_link
START = np.array([0.0, 0.6, -1.0, 0.0, -0.5, 0.0])


def tip(q):
    return BODY.forward(q)[TIP][:3, 3]


def wall_before(distance):
    """Return a wall across x, a distance, m, before the tip at the start."""
    x = tip(START)[0] + distance
    return Obstacle(Box((0.1, 4.0, 4.0)), pose_from_rpy((x + 0.05, 0.0, 0.0), (0.0, 0.0, 0.0)),
                    name='wall')


def solver_of(name, task, obstacles, margin=MARGIN):
    return make_body_solver(name, BODY, [task], avoid_collisions=True, obstacles=obstacles,
                            margin=margin)


def follow(solver, q, steps):
    """Return the configurations of some steps, and check that they keep the margin."""
    path = [q]
    for _ in range(steps):
        path.append(path[-1] + DT * solver.velocity(path[-1], DT))
        for share in (0.25, 0.5, 0.75, 1.0):
            between = path[-2] + share * (path[-1] - path[-2])
            assert not solver.collisions.contacts(between, MARGIN - 1e-4)
    return np.array(path)


@pytest.mark.parametrize('name', ['least_squares', 'hierarchy', 'lagrange'])
def test_the_tip_slides_along_a_wall_and_rests_there_without_vibration(name):
    goal = tip(START) + (0.3, 0.25, -0.1)
    solver = solver_of(name, Position(TIP, goal), [wall_before(0.12)])
    path = follow(solver, START, 400)
    end = np.array([tip(q) for q in path[-50:]])
    assert np.ptp(end, axis=0).max() < 5e-4
    nearest = solver.collisions.contacts(path[-1], 1.0)[0].distance
    assert nearest == pytest.approx(MARGIN, abs=2e-4)
    assert abs(end[-1] - goal)[1:].max() < 5e-3  # beside the wall it is where it would be


def test_it_leaves_a_wall_at_once():
    task = Position(TIP, tip(START) + (0.3, 0.0, 0.0))
    solver = solver_of('least_squares', task, [wall_before(0.12)])
    free = make_body_solver('least_squares', BODY, [task])
    q = follow(solver, START, 200)[-1]
    task.target = tip(q) - (0.05, 0.0, 0.0)
    away, freely = (tip(q)[0] - tip(q + DT * one.velocity(q, DT))[0] for one in (solver, free))
    assert away > 0.8 * freely > 0.005


def test_far_from_obstacles_a_step_is_what_it_would_be_without():
    task = Position(TIP, tip(START) + (0.0, 0.02, 0.0))
    guarded = solver_of('least_squares', task, [wall_before(0.5)])
    assert np.array_equal(guarded.velocity(START, DT),
                          make_body_solver('least_squares', BODY, [task]).velocity(START, DT))


def test_from_inside_an_obstacle_it_goes_out_only():
    solver = solver_of('least_squares', Position(TIP, tip(START)), [
        Obstacle(Ground((-1.0, 0.0, 0.0), -tip(START)[0] + 0.03), name='wall')])
    q, depths = START, []
    for _ in range(60):
        depths.append(solver.collisions.contacts(q, 1.0)[0].distance)
        q = q + DT * solver.velocity(q, DT)
    assert depths[0] < -0.02
    assert np.diff(depths).min() > -1e-5 or min(depths[-5:]) > MARGIN - 1e-4
    assert depths[-1] > MARGIN - 1e-4


@pytest.mark.parametrize('obstacle', [
    Obstacle(Ground((0.0, 0.0, 1.0), -0.02), name='floor'),
    Obstacle(Box((0.04, 3.0, 3.0)), pose_from_rpy((0.35, 0.0, 0.5), (0.0, 0.0, 0.0)), name='wall'),
], ids=lambda obstacle: obstacle.name)
def test_from_random_configurations_in_collision_it_gets_out(obstacle):
    solver = solver_of('least_squares', Position(TIP, tip(START)), [obstacle])
    rng, starts = np.random.default_rng(5), 0
    while starts < 10:
        q = rng.uniform(BODY.lower, BODY.upper)
        if solver.collisions.is_free(q):
            continue
        starts += 1
        solver.tasks[0].target = tip(q)
        for _ in range(150):
            q = q + DT * solver.velocity(q, DT)
            if solver.collisions.is_free(q):
                break
        else:
            pytest.fail(str(solver.collisions.contacts(q)))


def test_out_of_a_wall_an_arm_touches_no_other_obstacle():
    wall = Obstacle(Box((0.04, 3.0, 3.0)), pose_from_rpy((0.35, 0.0, 0.5), (0.0, 0.0, 0.0)))
    posts = [Obstacle(Box((0.1, 0.1, 2.0)), pose_from_rpy((0.2, y, 0.5), (0.0, 0.0, 0.0)))
             for y in (-0.3, 0.3)]
    walls, others = CollisionModel(BODY, [wall]), CollisionModel(BODY, posts)
    model, rng, starts = CollisionModel(BODY, [wall, *posts]), np.random.default_rng(1), 0
    while starts < 10:
        q = rng.uniform(BODY.lower, BODY.upper)
        if walls.is_free(q) or not others.is_free(q):
            continue
        starts += 1
        end = exit_from(q, model).end
        assert model.is_free(end)
        assert all(others.is_free(q + share * (end - q)) for share in np.linspace(0.0, 1.0, 17))


def test_limits_of_velocity_and_position_hold_beside_obstacles():
    solver = solver_of('least_squares', Position(TIP, tip(START) + (0.3, 0.3, 0.0)),
                       [wall_before(0.05)])
    q = START
    for _ in range(100):
        velocity = solver.velocity(q, DT)
        assert (abs(velocity) <= BODY.velocity_limits * (1.0 + 1e-9)).all()
        q = q + DT * velocity
        assert ((q >= BODY.lower - 1e-12) & (q <= BODY.upper + 1e-12)).all()
