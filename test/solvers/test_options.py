"""Every option does what it says: each test fails when its option is ignored."""


import numpy as np
import pytest

import robots
from ik_node import (
    Goal,
    IkError,
    StopReason,
    body_solver_names,
    make_body_solver,
    make_solver,
    solver_names,
)
from ik_node.support.exceptions import OptionError

# A goal that takes dls, from the middle of the limits, several attempts.
HARD = 'puma560'


def hard_goal():
    """Return (chain, a reachable pose, a start) for which the first attempt fails."""
    chain = robots.chain(HARD)
    rng = np.random.default_rng(30)
    start = robots.middle(chain)
    solver = make_solver('dls', chain, max_restarts=0)
    while True:
        pose = chain.forward(robots.random_q(chain, rng))
        if not solver.solve(pose, start).success:
            return chain, pose, start


def endless(objective, gradient, q0, lower, upper):
    """Evaluate a gradient until the solver ends that."""
    while True:
        gradient(q0)


@pytest.mark.parametrize(('option', 'error'), [
    ('position_tolerance', 'position_error'), ('orientation_tolerance', 'orientation_error')])
def test_a_tolerance_is_what_a_success_keeps_and_no_more(option, error):
    chain = robots.chain('panda')
    pose = chain.forward(robots.random_q(chain, np.random.default_rng(31), inside=0.5))
    start = robots.middle(chain)
    coarse = make_solver('dls', chain, **{
        'position_tolerance': 10.0, 'orientation_tolerance': 10.0, option: 0.05})
    result = coarse.solve(pose, start)
    assert result.success
    assert 1e-6 < getattr(result, error) <= 0.05
    fine = make_solver('dls', chain, **{option: 1e-10}).solve(pose, start)
    assert fine.success
    assert getattr(fine, error) <= 1e-10


def test_max_iterations_bounds_an_attempt_and_is_named_as_the_reason():
    chain = robots.chain('panda')
    pose = chain.forward(robots.random_q(chain, np.random.default_rng(31), inside=0.5))
    for name in solver_names():
        if name not in ('analytic', 'auto'):
            solver = make_solver(name, chain, max_iterations=2, max_restarts=0,
                                 **robots.needed(name, chain))
            result = solver.solve(pose, robots.middle(chain))
            assert result.reason is StopReason.ITERATIONS
            assert result.iterations == 2


def test_max_restarts_bounds_the_attempts():
    chain, pose, start = hard_goal()
    assert make_solver('dls', chain, max_restarts=0).solve(pose, start).restarts == 0
    found = make_solver('dls', chain, max_restarts=50).solve(pose, start)
    assert found.success
    assert 0 < found.restarts <= 50
    unreachable = chain.forward(start)
    unreachable[:3, 3] = [0.0, 0.05, 0.7]  # too near the shoulder
    assert make_solver('dls', chain, max_restarts=7).solve(unreachable, start).restarts == 7


@pytest.mark.parametrize(('name', 'options'), [
    ('dls', {'path_step': 1e-7, 'max_iterations': 10**7}),
    ('pseudoinverse', {'path_step': 1e-7, 'max_iterations': 10**7}),
    ('transpose', {'path_step': 1e-7, 'max_iterations': 10**7}),
    ('optimization', {'minimizer': endless, 'max_iterations': 10**6}),
    ('genetic', {'generations': 10**7, 'wipeout': 10**9, 'local_search': False})])
def test_the_time_ends_an_attempt(name, options):
    chain, pose, start = hard_goal()
    pose[:3, 3] = [0.0, 0.05, 0.7]
    # The one attempt there is would use up its iterations, after a minute.
    result = make_solver(name, chain, max_restarts=0, timeout=0.02, **options).solve(pose, start)
    assert result.reason is StopReason.TIMEOUT


def test_a_margin_of_half_a_range_is_refused_however_it_is_rounded():
    chain = robots.planar(1.0, 0.8, limit=0.7)
    for margin in (0.7, np.nextafter(0.7, 0.0), 0.1 * 7, 0.5 * (0.7 + 0.7), 1.4 * 0.5, 3.0, 1e308):
        for name in ('dls', 'optimization', 'analytic', 'auto'):
            with pytest.raises(OptionError, match="less than half the range .* 'joint_1'"):
                make_solver(name, chain, limit_margin=margin)
    goal = chain.forward([0.0, 0.0])
    assert make_solver('dls', chain, limit_margin=0.699).solve(goal).success
    free = robots.planar(1.0, 0.8).with_limits([-np.inf, 0.3], [np.inf, 0.3])
    assert make_solver('dls', free, limit_margin=9.0).solve(free.forward([0.1, 0.3])).success


def test_a_step_that_overflows_is_an_error():
    chain, pose, start = hard_goal()
    with pytest.raises(IkError, match='the step of dls overflows'):
        make_solver('dls', chain, bias_gain=1e308, bias_target=1.0).step(pose, start)


def test_the_bounded_search_finds_the_same_as_the_unbounded():
    chain, pose, start = hard_goal()
    one = make_solver('dls', chain).solve(pose, start)
    other = make_solver('dls', chain, timeout=60.0).solve(pose, start)
    assert other.q == pytest.approx(one.q, abs=0)
    assert (other.iterations, other.restarts) == (one.iterations, one.restarts)


def test_another_seed_tries_other_starts():
    chain, pose, start = hard_goal()
    found = {make_solver('dls', chain, seed=seed).solve(pose, start).q.tobytes()
             for seed in range(8)}
    assert len(found) > 1


@pytest.mark.parametrize('name', ['dls', 'pseudoinverse', 'transpose', 'ccd'])
def test_max_step_bounds_the_change_of_a_joint_in_one_iteration(name):
    chain = robots.planar(1.0, 0.8)
    goal = Goal(position=[-0.9, -0.9, 0.0])
    start = np.array([0.4, 0.9])
    solver = make_solver(name, chain, max_step=0.05, max_iterations=1, max_restarts=0)
    moved = np.abs(solver.solve(goal, start).q - start).max()
    assert 0.0 < moved <= 0.05 + 1e-12
    free = make_solver(name, chain, max_iterations=1, max_restarts=0)
    assert np.abs(free.solve(goal, start).q - start).max() > 0.05


@pytest.mark.parametrize('name', [*(name for name in solver_names() if name != 'example'),
                                  *(f'body {name}' for name in body_solver_names())])
def test_a_heavy_joint_moves_less(name):
    chain = robots.planar(15.0, 10.0, 5.0)
    start = np.array([np.pi / 8, np.pi / 4, np.pi / 4])
    goal = Goal(position=chain.forward(start)[:3, 3] + [-4.0, 2.0, 0.0])
    moved = []
    for weights in (None, [100.0, 1.0, 1.0]):
        options = {'position_tolerance': 1e-3, 'joint_weights': weights}
        result = (make_solver(name, chain, **options).solve(goal, start)
                  if 'body' not in name else make_body_solver(
                      name[5:], chain.tree.body(), [goal.as_task('tip')], **options).solve(start))
        assert result.success
        moved.append(abs(result.q[0] - start[0]))
    assert moved[1] < 0.75 * moved[0]


def test_a_weighted_step_is_the_one_of_least_weighted_length():
    chain = robots.planar(15.0, 10.0, 5.0)
    q = np.array([0.4, 0.8, 0.8])
    weights = np.array([4.0, 1.0, 0.25])
    goal = Goal(position=chain.forward(q)[:3, 3] + [-1.0, 0.5, 0.0])
    J, W = chain.jacobian(q)[:2], np.diag(1.0 / weights)
    expected = W @ J.T @ np.linalg.solve(J @ W @ J.T, [-1.0, 0.5])
    step = make_solver('pseudoinverse', chain, joint_weights=weights).step(goal, q)
    assert step == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize('option', ['position_weight', 'orientation_weight'])
def test_ccd_weighs_position_against_orientation(option):
    chain = robots.chain('panda')
    q = robots.middle(chain)
    pose = chain.forward(robots.random_q(chain, np.random.default_rng(32), inside=0.5))
    one, other = (make_solver('ccd', chain, **{option: weight}).step(pose, q)
                  for weight in (1.0, 10.0))
    assert np.abs(one - other).max() > 1e-2


def test_ccd_takes_the_joints_in_the_order_of_the_option():
    chain = robots.planar(15.0, 10.0, 5.0)
    q = np.array([0.4, 0.8, 0.8])
    goal = Goal(position=[-5.0, 20.0, 0.0])
    steps = {order: make_solver('ccd', chain, order=order).step(goal, q)
             for order in ('inward', 'outward', 'ranked')}
    tip, centre = chain.forward(q)[:2, 3], np.zeros(2)
    turn = np.arctan2(*(goal.position[:2] - centre)[::-1]) - np.arctan2(*(tip - centre)[::-1])
    assert steps['outward'][0] == pytest.approx(turn)  # the base first, the others still as before
    assert np.abs(steps['inward'] - steps['outward']).max() > 0.05
    assert np.abs(steps['inward'] - steps['ranked']).max() > 0.05


@pytest.mark.parametrize('name', solver_names())
def test_unknown_options_are_refused_with_the_known_ones(name):
    chain = robots.planar(1.0, 0.8)
    with pytest.raises(IkError, match=f"no {name} option 'max_iteration'; did you mean "
                                      "'max_iterations'.*'position_tolerance'"):
        make_solver(name, chain, max_iteration=3)


def test_unknown_solvers_are_refused_with_the_known_ones():
    with pytest.raises(IkError, match="no solver 'lm'.*'analytic', 'auto', 'ccd', 'dls'"):
        make_solver('lm', robots.planar(1.0))


@pytest.mark.parametrize(('name', 'option', 'value', 'words'), [
    ('dls', 'position_tolerance', 0.0, 'a number above 0 .m., not 0.0'),
    ('dls', 'timeout', -0.1, 'a number of at least 0 .s., or None'),
    ('dls', 'joint_weights', [1.0], 'must have 2 entries, one for each joint, not 1'),
    ('dls', 'joint_weights', [1.0, 0.0], r'joint_weights\[1\] must be a number above 0'),
    ('dls', 'rank_tolerance', 0.6, 'a number of at least 0 and at most 0.5'),
    ('pseudoinverse', 'factorization', 'qr', "one of 'auto', 'lu', 'svd', not 'qr'")],
    ids=range(6))
def test_options_out_of_range_are_refused_with_what_is_allowed(name, option, value, words):
    with pytest.raises(IkError, match=words):
        make_solver(name, robots.planar(1.0, 0.8), **{option: value})


def test_options_cannot_be_changed_behind_the_solvers_back():
    solver = make_solver('dls', robots.planar(1.0, 0.8), damping=2)
    assert solver.options.damping == 2.0
    with pytest.raises(AttributeError):
        solver.options.damping = 3.0
