"""`genetic` on bodies: each option, fitness, tasks in Python, seeds."""

import copy

import numpy as np
import pytest

import robots
from ik_node import make_body_solver
from ik_node.tasks import Pose, Position
from task_bodies import bounds, figure, hand, two_arms


def reaching(body, seed=0, **fields):
    """Return a task for a hand of `two_arms` that is met somewhere inside the limits."""
    q = np.random.default_rng(seed).uniform(*bounds(body))
    return Position('left_hand', hand(body, q), **fields)


def pure(body, tasks, **options):
    """Return an evolution without local steps, of one attempt, to 1e-3."""
    given = {'local_search': False, 'max_restarts': 0, 'position_tolerance': 1e-3,
             'orientation_tolerance': 1e-3, **options}
    return make_body_solver('genetic', body, tasks, **given)


@pytest.mark.parametrize('root', ['fixed', 'planar', 'floating'])
def test_evolution_alone_meets_tasks_inside_the_limits(root):
    body = figure(root)
    rng = np.random.default_rng(1)
    for _ in range(3):
        q = np.clip(0.3 * rng.standard_normal(body.n_joints), body.lower, body.upper)
        result = pure(body, [Position('hand', body.forward(q)['hand'][:3, 3])],
                      max_restarts=5).solve()
        assert result.success
        assert robots.inside(body, result.q)


def test_local_steps_come_first_so_that_the_nearest_solution_is_found():
    body = two_arms()
    task = reaching(body)
    steps = make_body_solver('least_squares', body, [task]).solve()
    assert (make_body_solver('genetic', body, [task]).solve().q == steps.q).all()


@pytest.mark.parametrize('options', [
    {'population': 3}, {'elite': 2}, {'mutation': 0.5}, {'crossover': 0.9}, {'momentum': 0.0},
    {'generations': 1}, {'seed': 5}])
def test_each_option_of_the_evolution_changes_it(options):
    body = figure()
    task = Pose('hand', body.forward(np.full(body.n_joints, 0.2))['hand'])
    plain = pure(body, [task], generations=20, position_tolerance=1e-9)
    changed = pure(body, [task], **{'generations': 20, 'position_tolerance': 1e-9, **options})
    assert (plain.solve().q != changed.solve().q).any()


def test_fitness_chooses_among_the_configurations_that_meet_the_tasks():
    body = two_arms()
    task = reaching(body)

    def fitness(q):
        return float((q[3:] - 0.5) @ (q[3:] - 0.5))  # of the other arm, which is free
    plain = make_body_solver('genetic', body, [task]).solve()
    solver = make_body_solver('genetic', body, [task], fitness=fitness, generations=20)
    for one in (solver, copy.deepcopy(solver)):
        result = one.solve()
        assert result.success
        assert fitness(result.q) < 0.2 * fitness(plain.q)


def test_wipeout_ends_an_evolution_without_progress():
    body = two_arms()
    out_of_reach = Position('left_hand', [5.0, 5.0, 0.0])
    short, long = (pure(body, [out_of_reach], wipeout=wipeout).solve().iterations
                   for wipeout in (5, 60))
    assert short < long < 2000
