"""What `solve_all` lists meets the goal, whatever the weights and the size of the arm."""

import numpy as np

import robots
import soak_branches
from ik_node import Goal, KinematicTree, UnsupportedError, make_solver


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


def listed_too(chain, q, listed, within=1e-5):
    """Tell whether q (n,) is among branches (k, n), whole turns aside."""
    off = listed - q
    off[:, chain.turns] -= 2.0 * np.pi * np.round(off[:, chain.turns] / (2.0 * np.pi))
    return bool((np.abs(off).max(axis=1) < within).any())


def test_branches_of_a_tiny_arm_with_an_inexact_wrist_are_listed():
    size, rng = 1e-5, np.random.default_rng(0)
    axes = ['-0.749 -0.156 -0.644', '-0.264 -0.959 -0.103', '0.538 0.481 -0.692',
            '-0.239 -0.778 0.581', '-0.417 -0.738 0.531', '-0.583 -0.034 -0.811']
    origins = size * np.array([
        (-0.0155, -0.001, -0.3527), (0.0147, 0.1487, -0.0035), (0.2691, -0.5071, 0.5353),
        (0.0191, 0.2262, -0.3308), (0.0012, -0.0009, 0.0006), (-0.0006, 0.0009, 0.0009)])
    parts = [robots.joint(
        f'j{k}', 'revolute', f'l{k}' if k else 'base', f'l{k + 1}',
        xyz=' '.join(map(repr, map(float, xyz))), axis=axis,
        limit='lower="-3" upper="3" effort="1" velocity="1"')
        for k, (axis, xyz) in enumerate(zip(axes, origins))]
    tip = robots.joint('t', 'fixed', 'l6', 'tip', xyz=f'{0.1 * size} {0.2 * size} {0.15 * size}',
                       rpy='0.3 -0.2 0.5')
    chain = KinematicTree.from_urdf(robots.robot(*parts, tip)).chain()
    solver = make_solver('analytic', chain, position_tolerance=1e-8 * size)
    for _ in range(400):
        q = rng.uniform(-3.0, 3.0, 6)
        J = chain.jacobian(q)
        J[:3] /= size
        if np.linalg.svd(J, compute_uv=False)[-1] > 1e-2:
            assert listed_too(chain, q, solver.solve_all(chain.forward(q))), q


def test_a_branch_just_beyond_a_limit_is_listed_at_it_where_that_meets_the_goal():
    rng, tried = np.random.default_rng(2), 0
    for seed in range(20):
        chain = soak_branches.arm('near parallel', 1.0, np.random.default_rng(seed))
        options = {'position_tolerance': 1e-3, 'orientation_tolerance': 1e-3}
        T = chain.forward(rng.uniform(chain.lower, chain.upper))
        try:
            branches = make_solver('analytic', chain, **options).solve_all(T)
        except UnsupportedError:  # coincident axes
            continue
        for beyond in branches if len(branches) > 1 else ():
            upper = chain.upper.copy()
            upper[0] = beyond[0] - 5e-7  # the others are exact, and inside or far outside
            if (np.abs(branches[:, 0] - beyond[0]) < 1e-3).sum() > 1:
                continue
            tried += 1
            narrow = chain.with_limits(chain.lower, upper)
            listed = make_solver('analytic', narrow, **options).solve_all(T)
            assert listed_too(chain, beyond, listed, 1e-3), (seed, beyond)
            assert (listed <= upper).all()
    assert tried >= 10
