"""Grippers of baxter; soles, hands and centre of mass of talos and humanoid; near and far."""

import numpy as np
import pytest

import robots
from ik_node import make_body_solver
from ik_node.tasks import CenterOfMass, Pose, Position, Posture
from soak_bodies import TALOS, bodies, is_met, set_targets
from task_bodies import bounds


def made(name):
    """Return a robot and its tasks."""
    return next(rest for found, *rest in bodies() if found == name)


def share_met(name, body, tasks, count, distance=0.15, extra=()):
    """Return which share of random targets is met from configurations near theirs."""
    rng, met = np.random.default_rng(7), 0
    solver = make_body_solver(name, body, [*tasks, *extra])
    for _ in range(count):
        set_targets(body, tasks, q := rng.uniform(*bounds(body)))
        q0 = np.clip(q + rng.uniform(-distance, distance, body.n_joints), body.lower, body.upper)
        result = solver.solve(q0)
        met += result.success
        assert robots.inside(body, result.q)
        assert not result.success or is_met(body, tasks, result.q, 1e-6)
    print(f'{name}: {met / count:.4f} of {count} met')
    return met / count


@pytest.mark.parametrize('robot', ['baxter', 'talos', 'humanoid'])
def test_least_squares_meets_nearly_all_from_near(robot):
    assert share_met('least_squares', *made(robot), robots.samples(200)) >= 0.99


@pytest.mark.parametrize('robot', ['baxter', 'talos', 'humanoid'])
@pytest.mark.parametrize('name', ['hierarchy', 'lagrange'])
def test_the_others_meet_most_from_near(name, robot):
    assert share_met(name, *made(robot), robots.samples(20)) >= 0.95


def test_strict_soles_and_a_posture_do_not_cost_success():
    body, tasks = made('talos')
    for task in tasks[:2]:
        task.priority = 0
    assert share_met('least_squares', body, tasks, robots.samples(10), extra=[Posture()]) == 1.0


def test_least_squares_meets_most_from_afar():
    body, tasks = made('baxter')
    assert share_met('least_squares', body, tasks, robots.samples(20), distance=9.0) >= 0.9


def test_balance_keeps_the_centre_of_mass_above_the_soles():
    body, _tasks = made('talos')
    q = np.zeros(body.n_joints)
    frames = body.forward(q)
    soles = [Pose(link, frames[link], priority=0) for link in TALOS[:2]]
    middle = 0.5 * (frames[TALOS[0]] + frames[TALOS[1]])[:2, 3]
    square = middle + 0.05 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    hand = frames['gripper_left_base_link'][:3, 3] + [0.1, 0.0, 0.3]
    result = make_body_solver('least_squares', body, [
        *soles, CenterOfMass(polygon=square, priority=0),
        Position('gripper_left_base_link', hand)]).solve(q)
    assert result.success, result
    com = body.center_of_mass(result.q)[:2]
    assert (np.abs(com - middle) <= 0.05 + 1e-6).all()


@pytest.mark.parametrize('robot', ['talos', 'humanoid'])
def test_lagrange_moves_straight_legs_in_few_steps(robot):
    body, tasks = made(robot)
    rng, solver = np.random.default_rng(1), make_body_solver('lagrange', body, tasks)
    for _ in range(6):
        start = body.neutral()  # where the knees are singular
        q = np.clip(start + rng.normal(scale=0.15, size=len(start)), body.lower, body.upper)
        set_targets(body, tasks, q)
        result = solver.solve()
        assert result.success
        assert (result.restarts, result.iterations <= 45) == (0, True)
        for _ in range(20):
            start = np.clip(start + solver.velocity(start, 1.0), body.lower, body.upper)
        assert max(np.abs(task.residual(body, start)).max() for task in tasks) < 1e-9
