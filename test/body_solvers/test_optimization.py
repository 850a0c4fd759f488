"""`optimization` on bodies: each option, minimizers, strict tasks and constraints."""

import numpy as np
import pytest

from ik_node import StopReason, make_body_solver
from ik_node.tasks import AlignAxis, Force, HalfSpace, Position
from task_bodies import hand, two_arms


def reaching(body, **fields):
    """Return a task that a hand of `two_arms` can meet, and joint values near that."""
    q = np.clip(np.full(body.n_joints, 0.3), body.lower, body.upper)
    return Position('left_hand', hand(body, q), **fields), q + 0.1


@pytest.mark.parametrize('minimizer', ['slsqp', 'l-bfgs-b', 'trust-constr', 'least-squares'])
@pytest.mark.parametrize('priority', [0, 1])
def test_each_minimizer_meets_tasks(minimizer, priority):
    body = two_arms()
    task, q0 = reaching(body, priority=priority)
    assert make_body_solver('optimization', body, [task], minimizer=minimizer).solve(q0).success


@pytest.mark.parametrize('minimizer', ['slsqp', 'l-bfgs-b', 'trust-constr', 'least-squares'])
@pytest.mark.parametrize('root', ['planar', 'floating'])
def test_a_force_does_not_carry_a_root_away(root, minimizer):
    body = two_arms(root)
    tasks = [AlignAxis('left_hand', [0, 0, 1], [1, 0, 0]) if root == 'floating' else
             AlignAxis('left_hand', [1, 0, 0], [0, 1, 0]), Force('left_hand', [0, 3.0, 0])]
    result = make_body_solver('optimization', body, tasks, minimizer=minimizer).solve()
    assert result.success
    assert np.abs(result.q).max() < 2e3
    T = body.forward(result.q)['left_hand']
    along, across = (T[:3, 2], [1, 0, 0]) if root == 'floating' else (T[:3, 0], [0, 1, 0])
    assert np.linalg.norm(np.cross(along, across)) < 1e-6


@pytest.mark.parametrize('minimizer', ['slsqp', 'l-bfgs-b', 'trust-constr', 'least-squares'])
@pytest.mark.parametrize('tolerance', [1e200, 1e-200])
def test_any_tolerance_is_taken(minimizer, tolerance):
    body = two_arms()
    task, q0 = reaching(body)
    result = make_body_solver('optimization', body, [task], minimizer=minimizer, max_restarts=0,
                              position_tolerance=tolerance).solve(q0)
    assert result.errors[task.name][0] < (1.0 if tolerance > 1.0 else 1e-4)


def test_terms_by_their_weights_act_in_what_the_tasks_leave_free():
    body = two_arms()
    task, q0 = reaching(body)
    reference = np.clip(q0 - 0.3, body.lower, body.upper)
    terms = {'terms': ['reference', lambda q: float((q[-1] - 0.8) ** 2)], 'reference': reference}
    plain, near, other = (make_body_solver('optimization', body, [task], **options).solve(q0)
                          for options in ({}, {**terms, 'term_weights': (1.0, 0.01)},
                                          {**terms, 'term_weights': (0.01, 1.0)}))
    assert near.success
    assert np.linalg.norm(near.q - reference) < 0.8 * np.linalg.norm(plain.q - reference)
    assert other.q[-1] > 0.5 > near.q[-1]


def test_what_meets_the_tasks_but_not_the_constraints_is_no_success():
    body = two_arms()
    q0 = np.full(body.n_joints, 0.3)
    task = Position('left_hand', hand(body, q0))
    A = np.ones((1, body.n_joints))
    result = make_body_solver('optimization', body, [task], max_restarts=3, linear_constraints=(
        A, 100.0, 101.0)).solve(q0)  # rad: beyond all limits
    assert not result.success
    assert result.reason is not StopReason.CONVERGED


@pytest.mark.parametrize(('name', 'options', 'most'), [
    ('optimization', {'minimizer': 'slsqp'}, 1e-5), ('optimization', {'minimizer': 'l-bfgs-b'},
                                                     1e-3), ('genetic', {}, 1e-6)])
def test_a_strict_wall_holds_against_a_task_behind_it(name, options, most):
    body = two_arms()
    task, q0 = reaching(body)
    wall = HalfSpace('left_hand', (0, 0, 0), task.target - [0.05, 0, 0], (-1, 0, 0), priority=0,
                     name='wall')
    result = make_body_solver(name, body, [wall, task], max_restarts=0, **options).solve(q0)
    assert not result.success
    assert result.errors['wall'][0] < most


def test_one_iteration_is_not_enough():
    body = two_arms()
    task, q0 = reaching(body)
    result = make_body_solver('optimization', body, [task], max_iterations=1,
                              max_restarts=0).solve(q0)
    assert not result.success
    assert result.reason is StopReason.ITERATIONS
    assert result.iterations == 1
