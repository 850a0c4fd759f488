import numpy as np
import pytest

import robots
from ik_node import Goal, make_solver


@pytest.mark.parametrize('name', ['pseudoinverse', 'dls'])
def test_the_solution_comes_as_near_to_the_target_as_the_goal_lets_it(name):
    chain = robots.planar(1.0, 1.0, 1.0, 1.0, limit=3.0)
    target = np.array([0.5, 0.4, 0.3, 0.2])
    goal = Goal(position=[1.0, 2.0, 0.0])
    start = np.array([1.6, -0.5, 1.2, -0.5])
    plain = make_solver(name, chain, bias_gain=0.0).solve(goal, start)
    biased = make_solver(name, chain, bias_target=target, bias_gain=0.1).solve(goal, start)
    assert plain.success
    assert biased.success
    distance = np.linalg.norm(biased.q - target)
    assert distance < 0.8 * np.linalg.norm(plain.q - target)
    # What is left of the pull has no part that would leave the tip where it is.
    J = chain.jacobian(biased.q)[:2]
    left = (np.eye(4) - np.linalg.pinv(J) @ J) @ (target - biased.q)
    assert np.abs(left).max() < 0.01


def test_the_default_target_is_the_middle_of_the_limits_and_dls_is_drawn_there_a_little():
    chain = robots.chain('panda')
    rng = np.random.default_rng(52)
    centre = robots.middle(chain)
    to_middle = {gain: [] for gain in (None, 0.0, 0.2)}
    for _ in range(robots.samples(50)):
        pose = chain.forward(robots.random_q(chain, rng, inside=0.7))
        start = robots.random_q(chain, rng, inside=0.7)
        for gain, distances in to_middle.items():
            result = make_solver('dls', chain, bias_gain=gain).solve(pose, start)
            assert result.success
            distances.append(np.linalg.norm(result.q - centre))
    nearer = np.array(to_middle[None]) < np.array(to_middle[0.0])
    assert nearer.mean() > 0.6
    assert np.mean(to_middle[0.2]) < 0.9 * np.mean(to_middle[0.0])
