"""Minimizers of `optimization`, by name and as functions: success, limits, constraints, errors."""

import sys

import numpy as np
import pytest
from scipy import optimize

import robots
from ik_node import Goal, IkError, StopReason, make_solver
from ik_node.solvers.optimization.minimizers import CONSTRAINED, MINIMIZERS
from ik_node.solvers.optimization.objective import MetError, Objective, Problem

NAMES = tuple(MINIMIZERS)


def needs(minimizer):
    if isinstance(minimizer, str) and minimizer.startswith('nlopt-'):
        pytest.importorskip('nlopt')


def objective_of(solver, goal):
    return Objective(Problem(solver._rows_of(goal), solver._space, solver._space, solver._unit,
                             solver.options, np.inf), None)


@pytest.mark.parametrize('minimizer', [name for name in NAMES if name != 'trust-constr'])
@pytest.mark.parametrize('arm', robots.rest_slow(['panda', 'ur5', 'pr2'], 'ur5'))
def test_a_minimizer_meets_goals_to_a_millionth_of_a_metre(minimizer, arm):
    needs(minimizer)
    chain, rng = robots.chain(arm), np.random.default_rng(3)
    solver = make_solver('optimization', chain, minimizer=minimizer)
    for _ in range(robots.samples(2)):
        goal = chain.forward(robots.random_q(chain, rng, inside=0.8))
        result = solver.solve(goal, robots.random_q(chain, rng))
        assert result.success
        assert np.abs(chain.forward(result.q)[:3, 3] - goal[:3, 3]).max() < 1e-6


def test_the_slow_minimizer_meets_a_goal_of_a_planar_arm():
    chain = robots.planar(1.0, 0.8, limit=2.5)
    goal = Goal(position=chain.forward([0.4, 0.9])[:3, 3])
    assert make_solver('optimization', chain, minimizer='trust-constr').solve(
        goal, [0.2, 0.5]).success


def test_minimizers_take_different_numbers_of_iterations():
    chain = robots.planar(15.0, 10.0, 5.0)
    goal = Goal(position=[-5.0, 20.0, 0.0])
    counts = {make_solver('optimization', chain, minimizer=name).solve(
        goal, [0.4, 0.8, 0.8]).iterations for name in ('slsqp', 'l-bfgs-b', 'least-squares')}
    assert len(counts) > 1


def test_a_function_of_ones_own_minimises():
    seen = []

    def own(objective, gradient, q0, lower, upper):
        seen.append((objective(q0), gradient(q0).shape, lower.shape, upper.shape))
        return optimize.minimize(objective, q0, jac=gradient, method='TNC',
                                 bounds=list(zip(lower, upper)), tol=1e-20).x
    chain = robots.planar(1.0, 0.8, limit=2.5)
    goal = Goal(position=[0.9, 0.9, 0.0])
    result = make_solver('optimization', chain, minimizer=own).solve(goal, [0.2, 0.5])
    assert result.success
    assert seen[0][0] > 0.0
    assert seen[0][1:] == ((2,), (2,), (2,))


@pytest.mark.parametrize('returned', [None, 'q', np.zeros(3), [np.nan, 0.0]])
def test_a_function_that_returns_no_joint_values_is_named(returned):
    solver = make_solver('optimization', robots.planar(1.0, 0.8), minimizer=lambda *given: returned)
    with pytest.raises(IkError, match='the minimizer must return 2 finite joint values, not'):
        solver.solve(Goal(position=[0.9, 0.9, 0.0]))


def test_a_function_that_stays_where_it_is_never_makes_a_success():
    chain = robots.planar(1.0, 0.8)
    solver = make_solver('optimization', chain, max_restarts=3,
                         minimizer=lambda objective, gradient, q0, lower, upper: q0)
    result = solver.solve(Goal(position=[0.9, 0.9, 0.0]), [0.3, 0.4])
    assert not result.success
    assert result.reason is StopReason.STALLED
    assert result.position_error > 0.0


def test_an_endless_function_is_ended_after_max_iterations():
    def endless(objective, gradient, q0, lower, upper):
        while True:
            objective(q0)
    solver = make_solver('optimization', robots.planar(1.0, 0.8), minimizer=endless,
                         max_iterations=3, max_restarts=0)
    result = solver.solve(Goal(position=[0.9, 0.9, 0.0]), [0.3, 0.4])
    assert result.reason is StopReason.ITERATIONS


def test_the_gradient_is_that_of_the_objective():
    chain, rng = robots.chain('panda'), np.random.default_rng(5)
    solver = make_solver('optimization', chain)
    goal = Goal.from_pose(chain.forward(robots.random_q(chain, rng)), (1, 2, 0.5, 1, 0, 3))
    objective = objective_of(solver, goal)
    for _ in range(3):
        q = robots.random_q(chain, rng, inside=0.9)
        slope = objective.gradient(q)
        differences = [(objective.objective(q + step) - objective.objective(q - step)) / 2e-6
                       for step in 1e-6 * np.eye(7)]
        assert slope == pytest.approx(np.array(differences), abs=1e-7)


def test_unequal_tolerances_are_kept_each():
    chain, rng = robots.chain('panda'), np.random.default_rng(6)
    for tolerances in ((1e-2, 1e-8), (1e-8, 1e-2)):
        solver = make_solver('optimization', chain, position_tolerance=tolerances[0],
                             orientation_tolerance=tolerances[1])
        for _ in range(robots.samples(3)):
            goal = chain.forward(robots.random_q(chain, rng, inside=0.7))
            result = solver.solve(goal, robots.random_q(chain, rng))
            assert result.success
            assert result.position_error <= tolerances[0]
            assert result.orientation_error <= tolerances[1]


@pytest.mark.parametrize('minimizer', CONSTRAINED)
def test_linear_constraints_hold_at_the_solution(minimizer):
    needs(minimizer)
    chain = robots.planar(1.0, 0.8, 0.6)
    goal = Goal(position=[1.1, 0.9, 0.0])
    A = [[0.0, 1.0, -1.0]]  # the outer two joints move together
    free = make_solver('optimization', chain, minimizer=minimizer).solve(goal, [0.1, 0.9, 0.2])
    assert abs(free.q[1] - free.q[2]) > 0.1
    bound = make_solver('optimization', chain, minimizer=minimizer,
                        linear_constraints=(A, 0.0, 0.0)).solve(goal, [0.1, 0.9, 0.2])
    assert bound.success
    assert bound.q[1] == pytest.approx(bound.q[2], abs=2e-6)
    listed = make_solver('optimization', chain, minimizer=minimizer,
                         linear_constraints=[0.0, 1.0, -1.0, 0.0, 0.0]).solve(goal, [0.1, 0.9, 0.2])
    assert (listed.q == bound.q).all()


def test_a_goal_that_linear_constraints_exclude_is_no_success():
    chain = robots.planar(1.0, 0.8)
    goal = Goal(position=chain.forward([0.4, 0.9])[:3, 3])
    solver = make_solver('optimization', chain, max_restarts=5,
                         linear_constraints=([[1.0, 1.0]], 3.0, np.inf))
    result = solver.solve(goal, [0.4, 0.9])
    assert not result.success
    assert result.reason not in (StopReason.UNREACHABLE, StopReason.LIMITS)


@pytest.mark.parametrize(('options', 'words'), [
    ({'minimizer': 'powell'}, "one of 'l-bfgs-b', 'slsqp', .*, not 'powell'"),
    ({'minimizer': 3}, "one of 'l-bfgs-b'"),
    ({'minimizer': 'l-bfgs-b', 'linear_constraints': ([[1, 0]], 0, 1)},
     "linear_constraints needs one of the minimizers 'slsqp', .*, not 'l-bfgs-b'"),
    ({'linear_constraints': ([[1, 0, 0]], 0, 1)}, 'multiple of 4 numbers, not 5'),
    ({'linear_constraints': ([[1, 0]], 1, 0)}, 'lower bound 1 of sum 0 is greater'),
    ({'linear_constraints': ([[1, 0]], np.nan, 0)}, 'must not be NaN'),
    ({'linear_constraints': ([[1, 0]], [0, 1, 2], 0)}, 'must be a number or 1 of them'),
    ({'linear_constraints': ([[1, 0]], 0, 1), 'closest': True}, 'closest ignores'),
    ({'linear_constraints': []}, 'multiple of 4 numbers, not 0')])
def test_minimizers_and_constraints_that_cannot_be_are_refused(options, words):
    with pytest.raises(IkError, match=words):
        make_solver('optimization', robots.planar(1.0, 0.8), **options)


def test_without_nlopt_its_minimizers_say_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, 'nlopt', None)
    with pytest.raises(IkError, match='module nlopt, which is not installed: pip install nlopt'):
        make_solver('optimization', robots.planar(1.0, 0.8), minimizer='nlopt-slsqp')


def test_the_objective_ends_a_minimizer_at_the_goal():
    chain = robots.planar(1.0, 0.8)
    solver = make_solver('optimization', chain)
    goal = Goal(position=chain.forward([0.4, 0.9])[:3, 3])
    objective = objective_of(solver, goal)
    with pytest.raises(MetError):
        objective.objective(np.array([0.4, 0.9]))
    assert objective.q == pytest.approx([0.4, 0.9])


def test_the_closest_configuration_is_refused_with_linear_constraints():
    solver = make_solver('optimization', robots.planar(1.0, 0.8),
                         linear_constraints=([[1.0, 1.0]], 0.0, 1.0))
    with pytest.raises(IkError, match='closest ignores linear_constraints'):
        solver.closest(Goal(position=[0.9, 0.9, 0.0]))
