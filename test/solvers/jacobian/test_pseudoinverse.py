import numpy as np
import pytest

import robots
from ik_node import Goal, make_solver

HOW = ('auto', 'lu', 'svd')


def nearly_straight(angle):
    """Return (chain, q, a goal a little inwards) of a 2R arm whose elbow is nearly straight."""
    chain = robots.planar(1.0, 0.8)
    q = np.array([0.3, angle])
    tip = chain.forward(q)[:3, 3]
    return chain, q, Goal(position=0.99 * tip)


def steps(chain, q, goal, **options):
    return {how: make_solver('pseudoinverse', chain, factorization=how, **options).step(goal, q)
            for how in HOW}


def test_by_lu_the_step_grows_beyond_all_bounds_where_the_others_drop_what_is_lost():
    chain, q, goal = nearly_straight(1e-5)
    found = steps(chain, q, goal)
    J = chain.jacobian(q)[:2]
    e = (goal.position - chain.forward(q)[:3, 3])[:2]
    assert found['lu'] == pytest.approx(np.linalg.solve(J, e), rel=1e-3)
    assert np.abs(found['lu']).max() > 1e3
    assert np.abs(found['auto']).max() < 1.0
    assert found['svd'] == pytest.approx(found['auto'], abs=1e-9)


@pytest.mark.parametrize('angle', [0.0, 1e-9])
def test_by_lu_a_singular_configuration_gives_the_step_of_the_svd(angle):
    chain, q, goal = nearly_straight(angle)
    found = steps(chain, q, goal)
    assert np.isfinite(found['lu']).all()
    assert found['lu'] == pytest.approx(found['svd'], abs=1e-12)


@pytest.mark.parametrize('how', HOW)
def test_every_factorization_meets_goals(how):
    chain = robots.chain('panda')
    rng = np.random.default_rng(61)
    solver = make_solver('pseudoinverse', chain, factorization=how)
    for _ in range(robots.samples(50)):
        assert solver.solve(chain.forward(robots.random_q(chain, rng, inside=0.8))).success


@pytest.mark.parametrize('how', ['auto', 'svd'])
def test_the_rank_tolerance_says_which_configurations_count_as_singular(how):
    chain, q, goal = nearly_straight(0.1)
    options = {'factorization': how}
    free = make_solver('pseudoinverse', chain, **options).step(goal, q)
    dropped = make_solver('pseudoinverse', chain, rank_tolerance=0.1, **options).step(goal, q)
    J = chain.jacobian(q)[:2]
    e = (goal.position - chain.forward(q)[:3, 3])[:2]
    assert free == pytest.approx(np.linalg.pinv(J) @ e, rel=1e-6)
    assert dropped == pytest.approx(np.linalg.pinv(J, rcond=0.1) @ e, abs=1e-9)
    assert np.abs(dropped).max() < 0.1 * np.abs(free).max()


def test_the_rank_tolerance_widens_the_null_space():
    # What counts as lost to the tip is free for the bias.
    chain, q, _ = nearly_straight(0.1)
    here = Goal(position=chain.forward(q)[:3, 3])
    options = {'bias_target': 1.0, 'bias_gain': 0.1}
    for name in ('pseudoinverse', 'dls', 'transpose'):
        assert make_solver(name, chain, **options).step(here, q) == pytest.approx(
            np.zeros(2), abs=1e-9)
        wide = make_solver(name, chain, rank_tolerance=0.1, **options).step(here, q)
        assert np.abs(wide).max() > 0.01
