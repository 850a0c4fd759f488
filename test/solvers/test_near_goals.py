"""Goals near the tip are met near q0: the default bias, and restarts around q0."""

import numpy as np
import pytest

import robots
from ik_node import Goal, make_solver

NEAR = 0.1  # rad or m, by which each joint is moved at most from q0 to the goal
FAR = 1.05 * NEAR


def near_goals(chain, rng, count, configurations=robots.random_q):
    """Yield initial guesses, and goals that each joint reaches by at most NEAR from there."""
    for _ in range(count):
        q0 = configurations(chain, rng)
        yield q0, chain.forward(np.clip(q0 + rng.uniform(-NEAR, NEAR, len(q0)),
                                        chain.lower, chain.upper))


def structured(chain, rng):
    """Return joint values (n,) of right angles and limits: often singular."""
    q = rng.choice([0.0, np.pi / 2, -np.pi / 2, np.pi, -np.pi], chain.n_joints)
    ends = np.where(rng.random(chain.n_joints) < 0.5, chain.lower, chain.upper)
    q = np.where((rng.random(chain.n_joints) < 0.2) & np.isfinite(ends), ends, q)
    return np.clip(q, chain.lower, chain.upper)


def moves(solver, goals):
    """Return the largest change of a joint (m,) in each solution, rad or m; inf where none."""
    found = ((q0, solver.solve(goal, q0)) for q0, goal in goals)
    return np.array([np.abs(one.q - q0).max() if one.success else np.inf for q0, one in found])


@pytest.mark.parametrize('solver', ['dls', 'auto'])
@pytest.mark.parametrize('name', ['panda', 'iiwa14', 'baxter'])
def test_the_default_bias_hardly_moves_an_arm_farther_than_no_bias(name, solver):
    chain = robots.chain(name)
    goals = list(near_goals(chain, np.random.default_rng(1), robots.samples(5000)))
    biased = moves(make_solver(solver, chain), goals)
    unbiased = moves(make_solver('dls', chain, bias_gain=0.0), goals)
    assert np.mean(biased > FAR) <= np.mean(unbiased > FAR) + 0.05
    assert biased.max() < 0.5


@pytest.mark.parametrize('weighted', [False, True])
def test_in_one_step_the_bias_moves_no_joint_farther_than_the_step_without_it(weighted):
    chain = robots.tree('pr2').chain('base_link', 'r_gripper_tool_frame')  # with a prismatic joint
    weights = np.linspace(1.0, 4.0, chain.n_joints) if weighted else np.ones(chain.n_joints)
    options = {'max_iterations': 1, 'max_restarts': 0, 'joint_weights': weights,
               'position_tolerance': 1e-12, 'orientation_tolerance': 1e-12}
    biased = make_solver('dls', chain, **options)
    unbiased = make_solver('dls', chain, bias_gain=0.0, **options)
    unit = np.where(chain.prismatic, biased.settings.length, 1.0) / np.sqrt(weights)
    differ = 0
    for q0, goal in near_goals(chain, np.random.default_rng(2), 50):
        own = np.abs(unbiased.solve(goal, q0).q - q0) / unit
        moved = np.abs(biased.solve(goal, q0).q - q0) / unit
        if (moved > own.max() + 1e-9).any():  # where a limit has held a joint
            q = unbiased.solve(goal, q0).q
            assert np.minimum(q - chain.lower, chain.upper - q).min() < 1e-9
        differ += np.abs(moved - own).max() > 1e-3
    assert differ > 25


@pytest.mark.parametrize('name', ['panda', 'iiwa14'])
def test_a_stream_of_goals_leads_away_from_limits(name):
    chain = robots.chain(name)
    rng = np.random.default_rng(3)
    q0 = chain.lower + 0.5 * (chain.upper - chain.lower)
    q0[2] = chain.upper[2] - 0.02 * (chain.upper[2] - chain.lower[2])
    poses = [chain.forward(np.clip(q0 + rng.uniform(-0.05, 0.05, len(q0)), chain.lower,
                                   chain.upper)) for _ in range(200)]
    room = {}
    for gain in (None, 0.0):
        solver, q = make_solver('dls', chain, bias_gain=gain), q0
        for pose in poses:
            q = solver.solve(pose, q).q
        room[gain] = (np.minimum(q - chain.lower, chain.upper - q)
                      / (chain.upper - chain.lower)).min()
    assert room[None] > room[0.0] + 0.1


@pytest.mark.parametrize(('name', 'options', 'is_bad', 'count'), [
    *((name, {}, np.isinf, 2000) for name in ('ur5', 'panda', 'iiwa14', 'pr2', 'baxter')),
    ('baxter', {'bias_gain': 0.0}, lambda moved: (moved > 0.7) & (moved < np.inf), 4000)])
def test_restarts_begin_around_q0_where_the_goal_is_near_and_missed_or_met_far_away(
        name, options, is_bad, count):
    chain = robots.chain(name)
    goals = list(near_goals(chain, np.random.default_rng(4), count, structured))
    once = is_bad(moves(make_solver('dls', chain, max_restarts=0, **options), goals))
    again = [goal for goal, bad in zip(goals, once) if bad]
    assert len(again) >= 3
    moved = moves(make_solver('dls', chain, **options), again)
    assert np.mean(moved > 0.3) < 0.2 if not options else np.median(moved) < 2.0 * NEAR


def test_a_goal_that_leaves_axes_free_is_met_nearby():
    chain = robots.chain('ur5')
    goals = [(q0, Goal(position=pose[:3, 3])) for q0, pose in near_goals(
        chain, np.random.default_rng(5), 300)]
    assert np.mean(moves(make_solver('dls', chain), goals) > FAR) < 0.1
