import numpy as np
import pytest

import robots
import soak_paths
from ik_node import Goal, make_solver

POSES = 200


def follow(solver, path, q):
    """Return the joint values (k, n) along a path of goals, all of which must be met."""
    found = []
    for goal in path:
        result = solver.solve(goal, q)
        assert result.success
        q = result.q
        found.append(q)
    return np.array(found)


@pytest.mark.parametrize('name', ['panda', 'ur5', 'iiwa14'])
def test_a_feasible_path_is_followed_without_a_jump(name):
    chain, rng = robots.chain(name), np.random.default_rng(4)
    solver = make_solver('dls', chain)
    for _ in range(robots.samples(10)):
        start = robots.random_q(chain, rng, inside=0.6)
        end = start + 0.3 * (robots.random_q(chain, rng, inside=0.6) - start)
        path = [chain.forward(start + part * (end - start)) for part in np.linspace(0, 1, POSES)]
        steps = np.abs(np.diff(follow(solver, path, start), axis=0))
        assert steps.max() < 0.1


@pytest.mark.parametrize('name', soak_paths.ARMS)
@pytest.mark.parametrize('solver', ['auto', 'analytic'])
def test_no_joint_jumps_where_a_local_search_shows_that_none_has_to(name, solver):
    chain, rng = robots.chain(name), np.random.default_rng(0)
    for _ in range(2):
        path = soak_paths.path(chain, rng, 1000)[:robots.samples(300)]
        _, _, needless = soak_paths.follow(chain, solver, path)
        assert needless == 0


@pytest.mark.parametrize('name', ['dls', 'pseudoinverse', 'transpose', 'ccd', 'analytic', 'auto'])
def test_a_joint_that_turns_for_ever_goes_on_beyond_a_whole_turn(name):
    chain = robots.planar(1.0, 0.7)
    tolerance = 1e-6 if name not in ('transpose', 'ccd') else 1e-4
    solver = make_solver(name, chain, position_tolerance=tolerance)
    turns = np.linspace(0.0, 4.5 * np.pi, 300)
    path = [Goal([1.2 * np.cos(turn), 1.2 * np.sin(turn), 0.0], weights=[1, 1, 0, 0, 0, 0])
           for turn in turns]
    start = make_solver('analytic', chain).solve(path[0]).q
    q = follow(solver, path, start)
    assert np.abs(np.diff(q, axis=0)).max() < 0.2
    assert q[-1, 0] - q[0, 0] == pytest.approx(4.5 * np.pi, abs=0.05)
