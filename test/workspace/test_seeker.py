import numpy as np
import pytest

import robots
from ik_node.workspace.seeker import Seeker

PLANAR = np.array([1.0, 1.0, 0.0, 0.0, 0.0, 1.0])
POSITION = np.array([1.0, 1.0, 1.0, 0.0, 0.0, 0.0])


def test_the_closed_form_decides_where_the_way_from_the_start_leads_nowhere():
    chain = robots.planar(15, 10, 5, limit=2.5)
    seeker = Seeker(chain, PLANAR, restarts=0)
    rng = np.random.default_rng(2)
    quick, thorough = 0, 0
    count = robots.samples(200)
    for _ in range(count):
        T = chain.forward(robots.random_q(chain, rng))
        start = robots.random_q(chain, rng)
        quick += seeker.find(T, start, thorough=False)[1]
        q, met = seeker.find(T, start)
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
    few, many = (sum(Seeker(chain, POSITION, restarts=restarts).find(T, start)[1]
                     for T, start in zip(goals, starts)) for restarts in (0, 20))
    assert few < many == len(goals)


def test_what_is_out_of_reach_gets_a_no_and_a_posture_that_points_there():
    chain = robots.planar(1.0, 0.5)
    seeker = Seeker(chain, np.array([1.0, 1.0, 0.0, 0.0, 0.0, 0.0]), restarts=2)
    T = np.eye(4)
    T[:2, 3] = 1.1, 1.1
    q, met = seeker.find(T, np.array([0.1, 0.4]))
    assert not met
    assert np.linalg.norm(chain.forward(q)[:2, 3] - T[:2, 3]) < 0.15  # at least 0.056
