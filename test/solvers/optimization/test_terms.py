"""Terms of `optimization`: each improves what it names, and the tip stays at the goal."""

import numpy as np
import pytest

import robots
from ik_node import Goal, IkError, make_solver
from ik_node.solvers.optimization.terms import distance_from_limits

GOAL = Goal(position=[0.9, 0.9, 0.0])
START = np.array([0.6, 0.9, -0.4, 0.3])


def arm():
    return robots.planar(1.0, 0.8, 0.6, 0.4, limit=2.0)


def solved(**options):
    result = make_solver('optimization', arm(), **options).solve(GOAL, START)
    assert result.success
    assert result.position_error <= 1e-6
    return result.q


def least(function):
    """Return the least value of a function over configurations that meet the goal, by search."""
    chain, rng = arm(), np.random.default_rng(0)
    dls = make_solver('dls', chain)
    found = [dls.solve(GOAL, robots.random_q(chain, rng)) for _ in range(robots.samples(300))]
    return min(function(one.q) for one in found if one.success)


def test_the_reference_draws_the_arm_along_the_null_space():
    reference = np.array([0.0, 1.2, -0.5, 1.0])

    def distance(q):
        return np.linalg.norm(q - reference)
    near = solved(terms=['reference'], reference=reference)
    assert distance(near) < 0.9 * distance(solved())
    assert distance(near) <= least(distance) + 1e-6


def test_without_a_reference_the_initial_guess_is_it():
    near, other = solved(terms=['reference']), solved(terms=['reference'], reference=0.5)
    assert np.linalg.norm(near - START) < np.linalg.norm(other - START)


def test_the_term_of_the_limits_leads_away_from_them():
    def closeness(q):
        return (q ** 2).sum()
    assert closeness(solved(terms=['limits'])) <= least(closeness) + 1e-6


def test_the_term_of_manipulability_raises_it():
    chain = robots.chain('panda')
    goal = chain.forward(robots.middle(chain) + 0.2)
    plain = make_solver('optimization', chain).solve(goal, robots.middle(chain))
    better = make_solver('optimization', chain, terms=['manipulability']).solve(
        goal, robots.middle(chain))
    assert plain.success
    assert better.success
    ascent = make_solver('dls', chain, manipulability_gain=5.0).solve(goal, robots.middle(chain))
    assert better.manipulability > 1.01 * plain.manipulability
    assert better.manipulability >= ascent.manipulability - 1e-4


@pytest.mark.parametrize('has_gradient', [False, True])
def test_a_function_of_ones_own_is_a_term(has_gradient):
    def value(q):
        return (q[1] - 1.5) ** 2

    def gradient(q):
        return np.array([0.0, 2.0 * (q[1] - 1.5), 0.0, 0.0])
    q = solved(terms=[(value, gradient) if has_gradient else value])
    assert value(q) <= least(value) + 1e-4


def test_the_weights_decide_between_terms():
    low = solved(terms=[lambda q: (q[1] - 1.5) ** 2, lambda q: (q[1] + 0.5) ** 2],
                 term_weights=[0.001, 0.1])
    high = solved(terms=[lambda q: (q[1] - 1.5) ** 2, lambda q: (q[1] + 0.5) ** 2],
                  term_weights=[0.1, 0.001])
    assert high[1] > low[1] + 0.3


def test_terms_keep_linear_constraints():
    q = solved(terms=['limits'], linear_constraints=([[0.0, 1.0, -1.0, 0.0]], 0.0, 0.0))
    assert q[1] == pytest.approx(q[2], abs=2e-6)


@pytest.mark.parametrize('minimizer', ['l-bfgs-b', 'least-squares', 'nlopt-slsqp'])
def test_terms_have_the_same_minimum_whatever_the_minimizer(minimizer):
    if minimizer.startswith('nlopt'):
        pytest.importorskip('nlopt')
    reference = np.array([0.5, 0.9, -0.3, 0.3])
    one = solved(terms=['reference'], reference=reference)
    other = solved(terms=['reference'], reference=reference, minimizer=minimizer)
    assert other == pytest.approx(one, abs=2e-3)


@pytest.mark.parametrize(('options', 'words'), [
    ({'terms': ['comfort']}, "one of 'reference', 'limits', 'manipulability', not 'comfort'"),
    ({'terms': 'limits'}, 'terms must be a list'),
    ({'terms': [3, len]}, r"terms\[0\] must be one of 'reference', .*, a function of q, or a pair"),
    ({'terms': ['limits'], 'term_weights': [1.0, 2.0]},
     'term_weights must have 1 entries, one for each of the terms, not 2'),
    ({'term_weights': [1.0]}, 'term_weights must have 0 entries'),
    ({'terms': ['limits'], 'term_weights': [-1.0]}, 'a number of at least 0'),
    ({'reference': [0.0]}, 'reference must have 4 entries')])
def test_terms_that_cannot_be_are_refused(options, words):
    with pytest.raises(IkError, match=words):
        make_solver('optimization', arm(), **options)


@pytest.mark.parametrize(('term', 'words'), [
    (lambda q: None, 'a term must return a finite number'),
    (lambda q: float('nan'), 'a term must return a finite number'),
    ((lambda q: 0.0, lambda q: np.zeros(2)), 'gradient of a term must be 4 finite numbers')])
def test_a_term_that_returns_something_else_is_named(term, words):
    with pytest.raises(IkError, match=words):
        make_solver('optimization', arm(), terms=[term]).solve(GOAL, START)


def test_a_start_at_the_goal_is_improved_too():
    chain = arm()
    start = make_solver('dls', chain).solve(GOAL, START).q
    solver = make_solver('optimization', chain, terms=['limits'])
    assert (solver.solve(GOAL, start).q ** 2).sum() < 0.9 * (start ** 2).sum()
    stays = make_solver('optimization', chain).solve(GOAL, start)
    assert stays.iterations == 0
    assert (stays.q == start).all()


def test_the_term_of_the_limits_is_one_at_them_and_zero_in_their_middle():
    lower, upper = np.array([-1.0, 0.0, -np.inf]), np.array([3.0, 0.2, np.inf])
    term = distance_from_limits(lower, upper, 1.0)
    assert term.value(np.array([1.0, 0.1, 50.0])) == 0.0
    assert term.value(np.array([3.0, 0.0, 50.0])) == pytest.approx(1.0)
    assert term.value(np.array([-1.0, 0.1, 50.0])) == pytest.approx(0.5)  # the mean of 1 and 0
