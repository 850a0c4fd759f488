"""Redundant arms: the list for a configuration's own redundancy parameter contains it."""

import numpy as np
import pytest

import robots
from ik_node import make_solver
from swivel_arms import apart, arm_of, human

AXES = [(0, 0, 1), (0, 1, 0), (0, 0, 1), (0, -1, 0), (0, 0, 1), (0, 1, 0), (0, 0, 1)]
LIMIT = 3.9  # rad, beyond half a turn


def nearly_spherical(shoulder, wrist, offset=0.0):
    """Return an arm whose axes miss its shoulder and its wrist by some lengths, m.

    offset: of the elbow, m.
    """
    points = [[0, 0, 0.3], [shoulder, 0, 0.3], [0, shoulder, 0.3], [offset, 0, 0.7], [0, 0, 1.1],
              [wrist, 0, 1.1], [0, 0, 1.1]]
    return arm_of(AXES, points, [0, 0, 1.2], [-3.1, -2.2, -3.1, -0.2, -3.1, -2.2, -3.1],
                  [3.1, 2.2, 3.1, LIMIT, 3.1, 2.2, 3.1]).chain


def from_its_own_redundancy(solver, q):
    """Return how far q is from the branches for its own redundancy parameter."""
    found = solver.solve_all(solver.chain.forward(q), redundancy=solver.redundancy_of(q))
    return apart(found, q).max(axis=1).min(initial=np.inf)


@pytest.mark.parametrize('off', [(3e-2, 3e-2), (5e-4, 3e-4), (6e-3, 2e-4), (6e-3, 0.0)])
def test_a_nearly_spherical_arm_lists_a_configuration_for_its_own_redundancy(off):
    solver, rng = make_solver('analytic', nearly_spherical(*off)), np.random.default_rng(1)
    for _ in range(robots.samples(100)):
        assert from_its_own_redundancy(solver, robots.random_q(solver.chain, rng)) < 1e-6


@pytest.mark.parametrize('off', [(5e-4, 3e-4), (3e-2, 3e-2)])
def test_solutions_of_a_nearly_spherical_arm_are_the_true_arms(off):
    chain, rng = nearly_spherical(*off), np.random.default_rng(4)
    solver = make_solver('analytic', chain)
    assert solver._whole.guide is not solver._whole
    for _ in range(robots.samples(30)):
        T = chain.forward(robots.random_q(chain, rng))
        found = solver.solve_all(T)
        assert len(found) > 20
        for branch in found:
            np.testing.assert_allclose(chain.forward(branch), T, atol=1e-8)
            assert robots.inside(chain, branch)


@pytest.mark.parametrize('off', [(5e-4, 3e-4), (3e-2, 3e-2)])
def test_the_solution_of_a_nearly_spherical_arm_is_near_the_initial_guess(off):
    chain, rng = nearly_spherical(*off), np.random.default_rng(5)
    solver = make_solver('analytic', chain)
    q = np.array([robots.random_q(chain, rng) for _ in range(robots.samples(100))])
    q0 = np.clip(q + rng.normal(scale=0.03, size=q.shape), chain.lower, chain.upper)
    goals = np.array([chain.forward(row) for row in q])
    alone = [solver.solve(T, start) for T, start in zip(goals, q0)]
    batch = solver.solve_batch(goals, q0)
    assert batch.success.all()
    np.testing.assert_allclose(batch.q, [result.q for result in alone], atol=1e-9)
    moved, others = (np.linalg.norm(rows - q0, axis=1) for rows in (batch.q, q))
    assert (moved < 1.1 * others).mean() > 0.9


def test_a_guide_is_that_of_an_arm_whose_branches_would_all_be_refined():
    # an exact wrist needs no refinement; of a wrist that is far off fewer branches converge
    for chain, guided in ((nearly_spherical(6e-3, 0.0), False),
                          (nearly_spherical(5e-7, 0.08, 0.08), False),
                          (nearly_spherical(6e-3, 2e-4), True)):
        plan = make_solver('analytic', chain)._whole
        assert (plan.guide is not plan) == guided


def test_the_elbow_of_a_nearly_spherical_arm_is_not_its_redundant_joint():
    # the pose all but determines it
    solver = make_solver('analytic', nearly_spherical(6e-3, 2e-4))
    assert len(solver.locked) == 1
    assert 'j3' not in solver.locked


@pytest.mark.parametrize(('arm', 'joints'), [
    # The elbow is nearly stretched: the nominal arm lacks up to all branches there.
    ((5e-4, 3e-4), {3: (0.02, 0.1)}),
    # A joint at its limit past half a turn: the nominal value is inside by no whole turn.
    ((5e-7, 5e-7, 0.08), {3: (LIMIT, LIMIT)}),
    # The twin across a singularity is outside the limits.
    ((5e-7, 0.08, 0.08), {1: (2.2, 2.2), 4: (-np.pi / 2 - 1e-3, -np.pi / 2 - 5e-3)})])
def test_an_inexact_arm_lists_a_configuration_that_its_nominal_arm_has_hardly(arm, joints):
    solver, rng = make_solver('analytic', nearly_spherical(*arm)), np.random.default_rng(6)
    for _ in range(robots.samples(200)):
        q = robots.random_q(solver.chain, rng)
        for k, ends in joints.items():
            q[k] = rng.uniform(*sorted(ends))
        assert from_its_own_redundancy(solver, q) < 1e-6


def test_a_solution_that_is_found_again_more_precisely_is_the_precise_one():
    # near a singular configuration, where the branch of the nominal arm is not refined so far
    solver = make_solver('analytic', nearly_spherical(5e-4, 3e-4))
    q = np.array([0.15193198, -1.23953782, 0.44438151, 0.07271505, 0.53771311, 0.51407424, 1.885])
    assert from_its_own_redundancy(solver, q) < 1e-6


@pytest.mark.parametrize('shoulder', [(2.6, -1.4), (2.2, -1.2)])
def test_joints_that_share_a_rotation_share_it_within_their_limits(shoulder):
    # axes 1 and 3 fall together; half of the sum each is outside the limits of the first
    chain = human().chain
    q = np.array([shoulder[0], -np.pi / 2, shoulder[1], 1.0, 0.3, 0.2, -0.4])
    solver, T = make_solver('analytic', chain), chain.forward(q)
    found = solver.solve_all(T, redundancy=solver.redundancy_of(q))
    assert len(found)
    for branch in found:
        assert robots.inside(chain, branch)
        np.testing.assert_allclose(chain.forward(branch), T, atol=1e-9)


def assert_some_solution(chain, q):
    solver, T = make_solver('analytic', chain), chain.forward(q)
    found = solver.solve_all(T)
    assert len(found)
    for branch in found:
        assert robots.inside(chain, branch)
        np.testing.assert_allclose(chain.forward(branch), T, atol=1e-6)


def test_a_pose_is_met_that_a_single_value_of_the_redundant_joint_allows():
    # five joints are at a limit: no sample of the redundant one has a branch inside
    assert_some_solution(robots.chain('panda'), np.array(
        [2.8973, 1.7628, 1e-6, -3.0718, -2.8973, 3.7525, 1.5707863]))


@pytest.mark.parametrize('q', [[-1.0, 0.0, -1.5, 1e-7, -1.399999, 0.6, -1e-6],
                               [0.0, -2.8, -1.5, 1e-9, -1.4, 0.6, 1.2],
                               [2.999999, -1e-3, 0.9, 1e-9, 1.399, -0.4, -1.2]])
def test_a_pose_with_a_straight_elbow_is_met_at_limits_of_the_shoulder(q):
    assert_some_solution(human().chain, np.array(q))
