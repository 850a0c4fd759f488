"""The closest configuration beside obstacles: along them, as far as the goal can be followed."""

import numpy as np
import pytest

import robots
from ik_node import Goal, make_body_solver, make_solver
from ik_node.collision import Box, Obstacle
from ik_node.spatial import pose_from_rpy
from ik_node.tasks import Position

MARGIN = 0.01
TREE = robots.tree('arm_6r')
CHAIN = TREE.chain()
START = np.array([0.0, 0.6, -1.0, 0.0, -0.5, 0.0])
TIP = CHAIN.forward(START)
AXES = [1, 1, 1, 0, 0, 0]


def goal_at(*offset, axes=AXES):
    T = TIP.copy()
    T[:3, 3] += offset
    return Goal.from_pose(T, axes)


def wall(distance):
    """Return a wall across x, a distance, m, before the tip at the start."""
    x = TIP[0, 3] + distance
    return Obstacle(Box((0.1, 4.0, 4.0)), pose_from_rpy((x + 0.05, 0.0, 0.0), (0.0, 0.0, 0.0)))


def arm_solver(distance=0.12, **options):
    return make_solver('dls', CHAIN, avoid_collisions=True, obstacles=[wall(distance)],
                       margin=MARGIN, closest=True, **options)


def test_an_arm_follows_a_goal_behind_a_wall_along_it():
    solver, goal = arm_solver(), goal_at(0.3, 0.25, -0.1)
    found = solver.solve(goal, START)
    assert not found.success
    assert solver.collisions.is_free(found.q)
    assert solver.collisions.contacts(found.q, 1.0)[0].distance == pytest.approx(MARGIN, abs=2e-4)
    assert CHAIN.forward(found.q)[1:3, 3] == pytest.approx(goal.pose[1:3, 3], abs=2e-3)


def test_a_goal_dragged_along_a_wall_moves_an_arm_steadily_and_leaves_it_at_once():
    solver, q, along, apart = arm_solver(0.025), START, [], []
    for k in range(60):
        before, goal = q, goal_at(0.004 * min(k, 20), 0.002 * k, 0.0, axes=None)
        q = solver.solve(goal, q).q
        assert np.abs(q - before).max() < 0.1
        along.append(CHAIN.forward(q)[1, 3])
        apart.append(solver.collisions.contacts(q, 1.0)[0].distance)
    assert min(apart) >= MARGIN
    assert max(apart[10:]) < MARGIN + 3e-4
    assert np.diff(along)[25:] == pytest.approx(0.002, abs=5e-4)
    assert solver.solve(goal_at(-0.01, 0.12, 0.0, axes=None), q).success


def test_an_arm_beyond_its_reach_does_not_flip():
    solver, q = make_solver('dls', CHAIN, closest=True), START
    for k in range(40):
        before, q = q, solver.solve(goal_at(0.005 * k, 0.002 * k, 0.0, axes=None), q).q
        assert np.abs(q - before).max() < 0.2


def test_a_goal_beside_an_obstacle_is_met_where_the_straight_path_is_blocked():
    post = Obstacle(Box((0.04, 0.04, 2.0)), pose_from_rpy(TIP[:3, 3] + (0.0, 0.1, 0.0), (0, 0, 0)))
    solver = make_solver('dls', CHAIN, avoid_collisions=True, obstacles=[post], closest=True)
    found = solver.solve(goal_at(0.0, 0.25, 0.0), START)
    assert found.success
    assert solver.collisions.is_free(found.q)


@pytest.mark.parametrize('name', ['least_squares', 'hierarchy'])
def test_a_body_comes_as_near_as_an_arm(name):
    goal = goal_at(0.3, 0.25, -0.1)
    body = TREE.body(joints=CHAIN.joint_names)
    solver = make_body_solver(name, body, [Position(CHAIN.tip_link, goal.pose[:3, 3])],
                              avoid_collisions=True, obstacles=[wall(0.12)], margin=MARGIN)
    found = solver.closest(START)
    assert solver.collisions.is_free(found.q)
    gaps = [np.linalg.norm(CHAIN.forward(q)[:3, 3] - goal.pose[:3, 3])
            for q in (found.q, arm_solver().solve(goal, START).q)]
    assert gaps[0] == pytest.approx(gaps[1], abs=5e-3)


def test_the_timeout_ends_the_path_along_an_obstacle():
    found = arm_solver(timeout=1e-6).solve(goal_at(0.3, 0.25, -0.1), START)
    assert found.q == pytest.approx(START, abs=1e-9)
    assert arm_solver(timeout=1e-6).collisions.is_free(found.q)


def test_an_arm_that_is_pressed_against_itself_keeps_the_margin():
    solver = make_solver('dls', CHAIN, avoid_collisions=True, margin=MARGIN, closest=True)
    rng, q, target, touched = np.random.default_rng(1), START, TIP[:3, 3].copy(), 0
    for _ in range(4):
        aim = rng.uniform(-0.15, 0.15, 3) + (0.0, 0.0, 0.3)
        for _ in range(40):
            target += 0.1 * (aim - target)
            found = solver.solve(Goal(position=target), q)
            q, touched = found.q, touched + (not found.success)
            assert solver.collisions.is_free(q)
    assert touched > 10
