"""What `solve_all` lists meets the goal, whatever the weights and the size of the arm."""

import numpy as np

import robots
import soak_branches
from ik_node import Goal, make_solver


def test_branches_of_any_weights_and_sizes_meet_the_goal():
    found, _ = soak_branches.run(1500, 5)
    assert not found['FALSE']
    assert found['listed'] > 4000
    assert found['missing'] < 0.002 * found['goals']


def test_weights_do_not_change_the_list():
    rng = np.random.default_rng(3)
    for name in ('irb140', 'ur5', 'puma560'):
        chain = robots.chain(name)
        solver = make_solver('analytic', chain)
        for _ in range(20):
            T = chain.forward(robots.random_q(chain, rng))
            listed = solver.solve_all(T)
            for weights in ((1, 1, 1, 1e-9, 1e-9, 1e-9), (1e-6, 1e-7, 1e-6, 1, 1, 1)):
                assert np.array_equal(solver.solve_all(Goal.from_pose(T, weights)), listed)
