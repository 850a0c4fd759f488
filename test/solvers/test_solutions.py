import numpy as np
import pytest

import robots
from ik_node import Goal, IkError, StopReason, make_solver


def goals(chain, count, seed=0):
    rng = np.random.default_rng(seed)
    return [chain.forward(robots.random_q(chain, rng)) for _ in range(robots.samples(count))]


def nearest_limit(chain, q):
    """Return how near the nearest limit is: 0 in the middle of all, 1 at one."""
    half = 0.5 * (chain.upper - chain.lower)
    return np.max(np.abs(q - chain.lower - half) / half)


def test_a_preference_shows_over_many_goals():
    chain = robots.chain('panda')
    start = robots.middle(chain)
    found = {prefer: [make_solver('dls', chain, prefer=prefer, bias_gain=0.0).solve(goal, start)
                      for goal in goals(chain, 200)]
             for prefer in ('first', 'nearest', 'manipulability', 'limits')}
    assert not [result for results in found.values() for result in results if not result.success]

    def mean(prefer, measure):
        return np.mean([measure(result) for result in found[prefer]])

    def path(result):
        return np.linalg.norm(result.q - start)

    assert mean('nearest', path) < mean('first', path)
    assert mean('limits', lambda result: nearest_limit(chain, result.q)) < 0.97 * mean(
        'first', lambda result: nearest_limit(chain, result.q))
    assert mean('manipulability', lambda result: result.manipulability) > 1.1 * mean(
        'first', lambda result: result.manipulability)


def test_what_the_start_leads_to_is_nearest():
    chain = robots.chain('ur5')
    start = robots.middle(chain)
    first, nearest = (make_solver('dls', chain, prefer=prefer) for prefer in ('first', 'nearest'))
    without_restarts = [(goal, found.q) for goal in goals(chain, 50)
                        if (found := first.solve(goal, start)).restarts == 0]
    assert len(without_restarts) > len(goals(chain, 50)) // 4
    for goal, q in without_restarts:
        assert (nearest.solve(goal, start).q == q).all()


@pytest.mark.parametrize('name', ['dls', 'pseudoinverse', 'transpose', 'ccd'])
def test_narrower_limits_are_kept(name):
    chain = robots.chain('iiwa14')
    lower, upper = 0.5 * chain.lower, 0.6 * chain.upper
    solver = make_solver(name, chain, lower=lower, upper=upper, position_tolerance=1e-3,
                         orientation_tolerance=1e-3)
    for goal in goals(chain, 30):
        q = solver.solve(goal).q
        assert (lower <= q).all()
        assert (q <= upper).all()
    inside = chain.forward(0.5 * (lower + upper) + 0.05)
    assert solver.solve(inside).success


def test_limits_for_all_joints_may_be_one_number():
    chain = robots.planar(1.0, 1.0)
    result = make_solver('analytic', chain, lower=0.0, upper=1.0).solve(chain.forward([0.5, -0.5]))
    assert result.reason is StopReason.LIMITS
    assert make_solver('dls', chain, lower=0.0, upper=1.0).solve(chain.forward([0.5, 0.5])).success


@pytest.mark.parametrize('name', ['dls', 'pseudoinverse', 'ccd', 'optimization', 'example'])
def test_soft_limits_are_kept_where_the_goal_can_be_met_so(name):
    chain = robots.planar(1.0, 0.8, limit=1.5)
    solver = make_solver(name, chain, limit_margin=0.3, **robots.needed(name, chain))
    inside = solver.solve(chain.forward([1.1, -1.0]), [1.45, -1.45])
    assert inside.success
    assert np.abs(inside.q).max() <= 1.2
    beyond = solver.solve(chain.forward([1.4, -0.5]))
    assert beyond.success
    assert beyond.q[0] == pytest.approx(1.4, abs=1e-5)
    batch = solver.solve_batch([chain.forward([1.1, -1.0]), chain.forward([1.4, -0.5])])
    assert batch.success.all()
    assert abs(batch.q[0]).max() <= 1.2


@pytest.mark.parametrize(('options', 'words'), [
    ({'limit_margin': -0.1}, 'limit_margin must be a number of at least 0'),
    ({'lower': -9.0}, "lower must stay inside the limits of the model, .*'panda_joint1', not -9"),
    ({'upper': [1, 1, 1, 0, 1, 1, 1]}, "upper must stay inside .*'panda_joint4', not 0"),
    ({'lower': 0.0, 'upper': [1, -1, 1, -1, 1, 1, 1]}, 'lower 0 is greater than upper -1'),
    ({'lower': [0.0] * 3}, 'must have 7 entries'),
    ({'prefer': 'best'}, "prefer must be one of 'nearest', 'first'"),
])
def test_impossible_limits_and_preferences_are_refused(options, words):
    with pytest.raises(IkError, match=words):
        make_solver('dls', robots.chain('panda'), **options)


def test_the_result_has_the_smallest_singular_value_and_the_manipulability():
    chain = robots.chain('ur5')
    q = np.array([0.1, -0.7, 1.1, -0.5, 0.9, 0.2])
    result = make_solver('dls', chain).solve(chain.forward(q), q)
    J = chain.jacobian(result.q)
    assert result.smallest_singular_value == pytest.approx(
        np.linalg.svd(J, compute_uv=False)[-1], rel=1e-9)
    assert result.manipulability == pytest.approx(abs(np.linalg.det(J)), rel=1e-9)


def test_of_a_part_of_a_goal_only_its_rows_count():
    chain = robots.planar(2.0, 1.5)
    q = np.array([0.3, 0.8])
    goal = Goal(chain.forward(q)[:3, 3], weights=[1, 1, 0, 0, 0, 0])
    result = make_solver('dls', chain).solve(goal, q)
    assert result.manipulability == pytest.approx(2.0 * 1.5 * np.sin(0.8))  # the textbook's
    too_few = make_solver('dls', chain).solve(chain.forward(q), q)
    assert too_few.manipulability == 0.0


@pytest.mark.parametrize('options', [{'max_step': 1e-3}, {'damping': 1.0}])
def test_a_hobbled_solver_does_not_blame_the_limits(options):
    chain, reasons = robots.chain('ur5'), []
    for goal in goals(chain, 5):
        reasons.append(make_solver('dls', chain, **options).solve(goal).reason)
    assert not {StopReason.LIMITS, StopReason.UNREACHABLE} & set(reasons)
    assert set(reasons) != {StopReason.CONVERGED}  # it is hobbled


def test_a_solver_is_made_for_a_chain():
    with pytest.raises(IkError, match='a chain is needed, .* not KinematicTree'):
        make_solver('dls', robots.tree('ur5'))
