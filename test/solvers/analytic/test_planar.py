"""Planar 2R and 3R against the textbook's formulas, wherever the plane lies."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import robots
from ik_node import Goal, IkError, KinematicTree, StopReason, make_solver


def textbook_2r(x, y, L1, L2):
    """Return both elbows [Parent 5.14–5.15, put right; Bařinka & Berka eq. 5]."""
    cosine = (x * x + y * y - L1 * L1 - L2 * L2) / (2 * L1 * L2)
    return [(np.arctan2(y, x) - np.arctan2(L2 * np.sin(t), L1 + L2 * np.cos(t)), t)
            for t in (np.arccos(cosine), -np.arccos(cosine))]


def same(found, expected):
    """Tell whether two sets of joint values are one, whole turns and order aside."""
    found, expected = (sorted(np.round(np.exp(1j * np.asarray(q)), 8).tolist(), key=str)
                       for q in (found, expected))
    return np.allclose(found, expected, atol=1e-7)


def test_a_2r_arm_has_both_elbows_of_the_textbook():
    chain = robots.planar(1.0, 0.8)
    solver = make_solver('analytic', chain)
    assert solver.family == 'planar 2R (L1 = 1 m, L2 = 0.8 m)'
    rng = np.random.default_rng(70)
    for _ in range(50):
        x, y = chain.forward(rng.uniform(-3, 3, 2))[:2, 3]
        found = solver.solve_all(Goal(position=[x, y, 0.0]))
        assert same(found, textbook_2r(x, y, 1.0, 0.8))


def test_a_3r_arm_meets_position_and_angle_with_both_elbows():
    chain = robots.planar(15.0, 10.0, 5.0)
    solver = make_solver('analytic', chain)
    rng = np.random.default_rng(71)
    for _ in range(50):
        q = rng.uniform(-3, 3, 3)
        pose = chain.forward(q)
        found = solver.solve_all(pose)
        angle = q.sum()
        wrist = pose[:2, 3] - 5.0 * np.array([np.cos(angle), np.sin(angle)])
        expected = [(t1, t2, angle - t1 - t2) for t1, t2 in textbook_2r(*wrist, 15.0, 10.0)]
        assert same(found, expected)
        for branch in found:
            assert chain.forward(branch) == pytest.approx(pose, abs=1e-9)


TILTED = Rotation.from_rotvec([0.7, -1.1, 0.4])


def tilted_arm(skew=0.0, second_axis='0 0 1', digits=16):
    """Return a 2R arm in a plane of its own, its axes skew by an angle, its numbers rounded."""
    rpy = ' '.join(f'{a:.{digits}f}' for a in TILTED.as_euler('xyz'))
    return KinematicTree.from_urdf(robots.robot(
        robots.joint('a', 'continuous', 'base', 'l1', xyz='0.3 -0.2 0.5', rpy=rpy),
        robots.joint('b', 'continuous', 'l1', 'l2', xyz='0.7 0.1 0.2', rpy=f'{skew} 0 0',
                     axis=second_axis),
        robots.joint('t', 'fixed', 'l2', 'tip', xyz='0.4 -0.3 0.1', rpy='0.3 0 0'))).chain()


@pytest.mark.parametrize('chain', [
    tilted_arm(), tilted_arm(second_axis='0 0 -1'), tilted_arm(skew=3.7e-6), tilted_arm(skew=1e-4),
    tilted_arm(digits=4)], ids=['exact', 'against', 'as 1.5708 is', 'worse', 'rounded'])
def test_the_plane_may_lie_anywhere_and_the_files_numbers_need_not_be_exact(chain):
    solver = make_solver('analytic', chain)
    rng = np.random.default_rng(72)
    for _ in range(20):
        q = rng.uniform(-2.5, 2.5, 2)
        pose = chain.forward(q)
        found = solver.solve_all(pose)  # the whole pose: only its own elbow meets it
        assert same(found, [q])
        assert chain.forward(found[0]) == pytest.approx(pose, abs=1e-9)


def test_an_outstretched_arm_has_one_branch():
    solver = make_solver('analytic', robots.planar(1.0, 0.8))
    assert len(solver.solve_all(Goal(position=[0.0, 1.8, 0.0]))) == 1
    assert len(solver.solve_all(Goal(position=[0.0, 1.8 + 1e-3, 0.0]))) == 0
    folded = solver.solve_all(Goal(position=[0.2, 0.0, 0.0]))
    assert same(folded, [(0.0, np.pi)])


def test_branches_outside_the_limits_are_left_out_by_default():
    chain = robots.planar(1.0, 0.8, limit=1.2)
    solver = make_solver('analytic', chain)
    goal = Goal(position=chain.forward([-0.9, 1.1])[:3, 3])
    assert same(solver.solve_all(goal, within_limits=False),
                textbook_2r(*goal.position[:2], 1.0, 0.8))
    goal = Goal(position=chain.forward([-1.1, -1.0])[:3, 3])
    assert same(solver.solve_all(goal), [(-1.1, -1.0)])


def test_a_3r_arm_with_a_position_goal_keeps_its_tip_near_the_angle_it_has():
    chain = robots.planar(15.0, 10.0, 5.0)
    solver = make_solver('analytic', chain)
    start = np.array([0.3, 0.5, -0.2])
    goal = Goal(position=chain.forward(start + [0.02, -0.01, 0.03])[:3, 3])
    result = solver.solve(goal, start)
    assert result.success
    assert np.abs(result.q - start).max() < 0.1


def test_the_free_angle_of_a_3r_can_be_chosen():
    chain = robots.planar(15.0, 10.0, 5.0)
    goal = Goal(position=[10.0, 12.0, 0.0])
    found = make_solver('analytic', chain).solve_all(goal, redundancy=1.1)
    assert len(found) == 2
    for q in found:
        assert np.exp(1j * q.sum()) == pytest.approx(np.exp(1.1j))
        assert chain.forward(q)[:3, 3] == pytest.approx(goal.position, abs=1e-9)
    with pytest.raises(IkError, match='redundancy'):
        make_solver('analytic', chain).solve_all(goal, redundancy=float('nan'))


def test_a_goal_off_the_plane_is_unreachable_and_the_nearest_configuration_is_returned():
    result = make_solver('analytic', robots.planar(1.0, 0.8)).solve(Goal(position=[0.9, 0.5, 0.1]))
    assert result.reason is StopReason.UNREACHABLE
    assert result.position_error == pytest.approx(0.1)


def test_a_goal_that_leaves_the_position_free_has_no_closed_form():
    solver = make_solver('analytic', robots.planar(1.0, 0.8))
    with pytest.raises(IkError, match='leaves it free'):
        solver.solve_all(Goal([1.0, 0.5, 0.0], weights=[1, 0, 1, 0, 0, 0]))


@pytest.mark.parametrize('options', [{'limit_margin': 0.72}, {'prefer': 'limits'}])
def test_options_prefer_the_branch_farther_from_the_limits(options):
    chain = robots.planar(1.0, 0.8, 0.3, limit=2.5)
    goal = chain.forward([-0.1, 1.2, 1.0])
    near = [0.948, -1.2, 2.352]
    assert make_solver('analytic', chain).solve(goal, near).q == pytest.approx(near, abs=2e-3)
    assert make_solver('analytic', chain, **options).solve(goal, near).q == pytest.approx(
        [-0.1, 1.2, 1.0], abs=1e-9)
