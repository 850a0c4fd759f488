import numpy as np
import pytest

import robots
from ik_node import KinematicTree, make_solver
from ik_node.workspace.reachability_solver import ReachabilitySolver

PLANAR = np.array([1.0, 1.0, 0.0, 0.0, 0.0, 1.0])
POSITION = np.array([1.0, 1.0, 1.0, 0.0, 0.0, 0.0])


def test_the_closed_form_decides_where_the_way_from_the_start_leads_nowhere():
    chain = robots.planar(15, 10, 5, limit=2.5)
    solver = ReachabilitySolver(chain, PLANAR, restarts=0)
    rng = np.random.default_rng(2)
    quick, thorough = 0, 0
    count = robots.samples(200)
    for _ in range(count):
        T = chain.forward(robots.random_q(chain, rng))
        start = robots.random_q(chain, rng)
        quick += solver.find(T, start, thorough=False)[1]
        q, met = solver.find(T, start)
        thorough += met
        assert chain.forward(q) == pytest.approx(T, abs=1e-4)
        assert np.abs(q).max() <= 2.5
    assert thorough == count
    assert quick < count


def test_restarts_find_what_one_start_does_not():
    chain = robots.chain('so101')
    rng = np.random.default_rng(2)
    goals = [chain.forward(robots.random_q(chain, rng)) for _ in range(robots.samples(200))]
    starts = [robots.random_q(chain, rng) for _ in goals]
    few, many = (sum(solver.find(T, start)[1] for T, start in zip(goals, starts))
                 for solver in (ReachabilitySolver(chain, POSITION, restarts=n) for n in (0, 20)))
    assert few < many == len(goals)


def test_what_is_out_of_reach_gets_a_no_and_a_configuration_that_points_there():
    chain = robots.planar(1.0, 0.5)
    solver = ReachabilitySolver(chain, np.array([1.0, 1.0, 0.0, 0.0, 0.0, 0.0]), restarts=2)
    T = np.eye(4)
    T[:2, 3] = 1.1, 1.1
    q, met = solver.find(T, np.array([0.1, 0.4]))
    assert not met
    assert np.linalg.norm(chain.forward(q)[:2, 3] - T[:2, 3]) < 0.15  # at least 0.056


def test_a_no_is_taken_for_one_only_where_the_closed_form_knows_every_branch():
    seven = KinematicTree.from_urdf(robots.OWN / 'arm_7r.urdf').chain()
    for chain, decides in ((seven, True), (robots.chain('puma560'), True),
                           (robots.chain('irb140'), False), (robots.chain('panda'), False)):
        assert ReachabilitySolver(chain, np.ones(6), restarts=0).decides is decides
    assert not ReachabilitySolver(robots.chain('puma560'), POSITION, restarts=0).decides


def test_a_general_arm_is_searched_where_its_closed_form_says_no():
    chain, asked = robots.chain('irb140'), []
    solver = ReachabilitySolver(chain, np.ones(6), restarts=20)
    solver._closed.best_solution = lambda goal, q0: asked.append(goal)
    rng, found = np.random.default_rng(5), 0
    for _ in range(count := robots.samples(30)):
        q = robots.random_q(chain, rng)
        found += solver.find(chain.forward(q), robots.random_q(chain, rng))[1]
    assert asked
    assert found == count


@pytest.mark.parametrize('name', ['irb140', 'arm_7r'])
def test_what_a_long_search_finds_is_found(name):
    chain = (robots.chain(name) if name == 'irb140' else
             KinematicTree.from_urdf(robots.OWN / f'{name}.urdf').chain())
    solver, long = ReachabilitySolver(chain, np.ones(6), restarts=4), make_solver('dls', chain)
    rng, met = np.random.default_rng(6), 0
    for _ in range(count := robots.samples(60)):
        T = chain.forward(robots.random_q(chain, rng))
        T[:3, 3] += rng.normal(scale=0.15, size=3)  # some of them out of reach
        start = robots.random_q(chain, rng)
        found = long.solve(T, start).success
        met += found
        assert solver.find(T, start)[1] or not found
    assert 0 < met < count
