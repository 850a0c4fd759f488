"""The search of `optimization`: preferences, soft limits, time, copies."""


import numpy as np

import robots
from ik_node import make_solver

ARM = 'puma560'


def goals(count):
    """Yield goals with initial guesses from which the first attempt fails."""
    chain, rng = robots.chain(ARM), np.random.default_rng(8)
    once = make_solver('optimization', chain, max_restarts=0)
    found = 0
    while found < count:
        goal, start = chain.forward(robots.random_q(chain, rng)), robots.random_q(chain, rng)
        if not once.solve(goal, start).success:
            found += 1
            yield chain, goal, start


def solved(chain, goal, start, **options):
    result = make_solver('optimization', chain, **options).solve(goal, start)
    assert result.success
    return result


def test_each_preference_selects_by_its_own_cost():
    costs = {
        'nearest': lambda chain, result, start: np.linalg.norm(result.q - start),
        'manipulability': lambda chain, result, start: -result.manipulability,
        'limits': lambda chain, result, start: np.abs(
            (2.0 * result.q - chain.lower - chain.upper) / (chain.upper - chain.lower)).max()}
    gained = dict.fromkeys(costs, 0.0)
    for chain, goal, start in goals(robots.samples(5)):
        first = solved(chain, goal, start, prefer='first')
        for prefer, cost in costs.items():
            result = solved(chain, goal, start, prefer=prefer)
            gained[prefer] += cost(chain, first, start) - cost(chain, result, start)
            assert gained[prefer] >= -1e-6
    assert gained['manipulability'] > 0.0
    assert gained['limits'] > 0.0
