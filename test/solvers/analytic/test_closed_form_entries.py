"""Entries of the closed forms: branches of nominal arms, and the selection of solutions."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import robots
from branches import of_rows
from ik_node import Goal, make_solver
from ik_node.solvers.analytic.recognition import recognise
from ik_node.solvers.analytic.recognition.nominal import PLANAR_FREE
from ik_node.solvers.codes import NONE
from ik_node.solvers.goal import ALL_AXES

RIGHT = np.pi / 2
WRISTED = [(0, -RIGHT, .3), (.4, 0, .1), (.1, -RIGHT, 0), (0, RIGHT, .4), (0, -RIGHT, 0),
           (0, 0, .1)]
TRIPLE = [(0, RIGHT, .1), (-.4, 0, 0), (-.4, 0, 0), (0, RIGHT, .1), (0, -RIGHT, .1), (0, 0, .1)]


def off(chain, found, q):
    """Return the largest differences of joint values (k,), whole turns aside."""
    by = found - q
    by -= np.where(chain.arrays.turns, 2 * np.pi * np.round(by / (2 * np.pi)), 0.0)
    return np.abs(by).max(axis=1)


def test_a_free_angle_of_the_tip_is_the_parameter_of_a_planar_arm():
    chain = robots.planar(1.0, 0.8, 0.5)
    structure = make_solver('analytic', chain)._whole.structure
    arm, q = structure._replace(family=PLANAR_FREE).closed_form(), np.array([0.3, -0.8, 1.1])
    pose = chain.forward(np.array([0.3, -0.8, 2.0]))  # of another angle
    pose[:3, 3] = chain.forward(q)[:3, 3]
    found = arm.branches(pose[None], np.array([q.sum()]), q)
    assert len(found) == 2
    assert off(chain, found, q).min() < 1e-12
    for branch in found:
        assert branch.sum() == pytest.approx(q.sum(), abs=1e-12)
        assert chain.forward(branch)[:3, 3] == pytest.approx(pose[:3, 3], abs=1e-12)


@pytest.mark.parametrize(('q', 'reference', 'others'), [
    ([-0.4, -0.2, -0.2, -0.6, 0.0, 0.0], 2.9, 0), ([1.0, 0.8, -0.3, 0.0, 0.0, 0.1], -1.6, 2)])
def test_a_joint_beside_a_parallel_triple_turns_into_reach_where_it_is_free(q, reference, others):
    # Axis 6 is parallel to the triple: it may stand anywhere, but must bring the wrist into reach.
    chain = of_rows(TRIPLE)
    structure = make_solver('analytic', chain)._whole.structure
    pose = chain.forward(np.array(q))
    found = structure.closed_form().branches(pose[None], np.zeros(0), np.full(6, reference))
    aligned = [branch for branch in found if abs(branch[4]) < 1e-6]
    assert aligned
    assert len(found) == len(aligned) + others
    for branch in aligned:
        assert chain.forward(branch) == pytest.approx(pose, abs=1e-6)


def test_poses_follow_one_another_and_lengths_must_fit():
    chain = of_rows(WRISTED)
    arm = make_solver('analytic', chain)._whole.structure.closed_form()
    poses = np.array([chain.forward(q) for q in np.random.default_rng(2).uniform(-1, 1, (3, 6))])
    found = arm.branches(poses, np.zeros(0), np.zeros(6))
    each = [arm.branches(pose[None], np.zeros(0), np.zeros(6)) for pose in poses]
    assert (found == np.concatenate(each)).all()
    for wrong in ((poses[:, :3].copy(), np.zeros(0), np.zeros(6)),
                  (poses, np.zeros(1), np.zeros(6)), (poses, np.zeros(0), np.zeros(5))):
        with pytest.raises(ValueError, match='lengths'):
            arm.branches(*wrong)


def test_a_closed_form_that_does_not_recover_configurations_is_refused():
    chain = robots.chain('ur5')
    structure, T = recognise.recognise(chain).structure, chain.forward(np.zeros(6))
    for place in range(4):  # of the first joint of the triple
        proved = recognise._proves_right(structure._replace(place=place), T, has_filler=False)
        assert proved == (place == structure.place)


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
