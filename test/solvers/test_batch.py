"""Many goals in one call."""

import numpy as np
import pytest

import robots
from ik_node import IkError, StopReason, make_solver


def poses(chain, count, seed=0):
    rng = np.random.default_rng(seed)
    return np.array([chain.forward(robots.random_q(chain, rng)) for _ in range(count)])


@pytest.mark.parametrize('name', ['dls', 'pseudoinverse', 'ccd', 'analytic', 'auto'])
def test_a_batch_is_what_one_by_one_is(name):
    chain = robots.planar(15.0, 10.0, 5.0, limit=2.5) if name == 'analytic' else (
        robots.chain('ur5'))
    goals = poses(chain, robots.samples(100))
    goals[1, :3, 3] = 100.0  # one of them cannot be met
    solver = make_solver(name, chain, position_tolerance=1e-3, orientation_tolerance=1e-3)
    start = robots.middle(chain) + 0.1
    batch = solver.solve_batch(goals, start)
    assert batch.q.shape == (len(goals), chain.n_joints)
    for k, goal in enumerate(goals):
        one = solver.solve(goal, start)
        assert (batch.q[k] == one.q).all()
        assert (batch.success[k], batch.reason[k]) == (one.success, one.reason)
        assert batch.position_error[k] == one.position_error
        assert batch.orientation_error[k] == one.orientation_error
        assert (batch.iterations[k], batch.restarts[k]) == (one.iterations, one.restarts)
        assert batch.smallest_singular_value[k] == one.smallest_singular_value
    assert batch.reason[1] is StopReason.UNREACHABLE
    assert batch.manipulability.shape == batch.solve_time.shape == (len(goals),)


def test_each_may_start_elsewhere():
    chain = robots.chain('iiwa14')
    rng = np.random.default_rng(3)
    starts = np.array([robots.random_q(chain, rng) for _ in range(5)])
    goals = np.array([chain.forward(q) for q in starts])
    batch = make_solver('dls', chain).solve_batch(goals, starts)
    assert batch.q == pytest.approx(starts, abs=1e-12)
    assert batch.iterations.tolist() == [0] * 5


def test_progress_is_told_up_to_the_end():
    chain = robots.planar(1.0, 1.0)
    reported = []
    make_solver('dls', chain).solve_batch(poses(chain, 300), progress=reported.append)
    assert reported == sorted(reported)
    assert reported[-1] == 1.0
    assert len(reported) > 1


def test_a_bound_on_the_time_holds_for_each():
    chain = robots.chain('ur5')
    goals = poses(chain, 3)
    batch = make_solver('dls', chain, timeout=60.0).solve_batch(goals)
    assert (batch.q == make_solver('dls', chain).solve_batch(goals).q).all()


def test_none_at_all_is_a_batch_too():
    batch = make_solver('dls', robots.planar(1.0, 1.0)).solve_batch(np.empty((0, 4, 4)))
    assert batch.q.shape == (0, 2)
    assert batch.success.shape == (0,)


@pytest.mark.parametrize(('goals', 'words'), [
    (np.eye(4), r'goals must have the shape \(m, 4, 4\), not \(4, 4\)'),
    (np.array([np.eye(4), np.full((4, 4), np.nan)]), r'goals\[1\]: '),
    (np.array([np.eye(4), 2.0 * np.eye(4)]), r'goals\[1\]: '),
    ('here', 'goals must be numbers'),
])
def test_a_batch_that_cannot_be_is_told(goals, words):
    with pytest.raises(IkError, match=words):
        make_solver('dls', robots.planar(1.0, 1.0)).solve_batch(goals)
    with pytest.raises(IkError, match='q0 must have the shape'):
        make_solver('dls', robots.planar(1.0, 1.0)).solve_batch([np.eye(4)], np.zeros((2, 2)))
