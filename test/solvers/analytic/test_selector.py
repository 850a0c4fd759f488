"""Selection of solutions by the entries of the kernels: arrays must fit, threads do not meet."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import robots
from ik_node import Goal, make_solver
from ik_node.solvers.codes import NONE
from ik_node.solvers.goal import ALL_AXES


def problems(name, count):
    chain = robots.chain(name)
    plan, rng = make_solver('analytic', chain)._whole, np.random.default_rng(12)
    starts = np.array([robots.random_q(chain, rng) for _ in range(count)])
    poses = np.array([chain.forward(robots.random_q(chain, rng)) for _ in range(count)])
    return plan, poses, starts


def solve(plan, poses, starts):
    q, records = np.empty(starts.shape), np.empty((len(poses), 3))
    plan.selector.solve_batch(poses, ALL_AXES, np.zeros((len(poses), len(plan.lower))), starts, q,
                              records)
    return np.column_stack([q, records])


@pytest.mark.parametrize('name', ['ur5', 'panda'])
def test_many_goals_in_threads_have_the_solutions_of_one_after_the_other(name):
    plan, poses, starts = problems(name, 40)
    expected = solve(plan, poses, starts)
    assert (expected[:, -3] != NONE).any()
    for pose, start, row in zip(poses, starts, expected):
        q = np.empty(len(start))
        record = plan.selector.solve(pose, ALL_AXES, np.zeros(len(plan.lower)), start, q)
        assert [*q, *record] == row.tolist()
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: solve(plan, poses, starts), range(8)):
            assert (found == expected).all()


def test_arrays_of_other_lengths_are_refused():
    plan, poses, starts = problems('panda', 2)
    q, own = np.empty(7), np.zeros(1)
    for wrong in ((poses[0, :3].copy(), ALL_AXES, own, starts[0], q),
                  (poses[0], np.ones(5), own, starts[0], q),
                  (poses[0], ALL_AXES, np.zeros(2), starts[0], q),
                  (poses[0], ALL_AXES, own, starts[0, :6].copy(), q),
                  (poses[0], ALL_AXES, own, starts[0], np.empty(8))):
        with pytest.raises(ValueError, match='lengths'):
            plan.selector.solve(*wrong)
    with pytest.raises(ValueError, match='lengths'):
        plan.branches(Goal.from_pose(poses[0]), np.zeros((1, 2)), True)


@pytest.mark.parametrize(('name', 'prefer'), [
    ('ur5', 'nearest'), ('puma560', 'nearest'), ('irb140', 'nearest'), ('ur5', 'limits')])
def test_the_solution_beside_the_initial_guess_is_the_nearest_of_all(name, prefer):
    chain, rng = robots.chain(name), np.random.default_rng(8)
    solver, beside = make_solver('analytic', chain, prefer=prefer), 0
    for _ in range(robots.samples(60)):
        q = robots.random_q(chain, rng)
        q0, T = np.clip(q + rng.uniform(-0.05, 0.05, 6), chain.lower, chain.upper), chain.forward(q)
        found = solver.solve(T, q0)
        assert found.success
        every = np.array([found.q, *solver.solve_all(T, windings=True)])
        nearest = np.linalg.norm(every - q0, axis=1)
        beside += nearest[0] <= nearest.min() + 1e-6
    assert (beside == robots.samples(60)) == (prefer == 'nearest')
