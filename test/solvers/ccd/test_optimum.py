"""The closed form for one joint, against looking at every angle."""

import numpy as np
import pytest

import robots
from ik_node import Goal, KinematicTree, make_solver
from ik_node.spatial import rotation_log


def score(chain, goal, solver, q, q0=None):
    """Return what ccd maximises at q [Welman 1993]: −w_p/2 |Δp|² + w_o Σ u_d·u_c, weights in.

    For a heading one axis counts: towards the goal's heading with the tilt that it has at q0.
    """
    T, G = chain.forward(q), goal.pose
    w = np.square(goal.weights)
    origin = np.zeros(3)  # the joint of the robots below
    p_c, p_d = T[:3, 3] - origin, G[:3, 3] - origin
    nearness = min(np.linalg.norm(p_c), np.linalg.norm(p_d)) / max(
        np.linalg.norm(p_c), np.linalg.norm(p_d))
    w_p = (1.0 + nearness) / solver.settings.length ** 2
    d = G[:3, :3].T @ (p_d - p_c) if goal.orientation is not None else p_d - p_c
    if (w[3:] > 0.0).sum() == 1:
        i = int(np.flatnonzero(w[3:])[0])
        j = (i + 1) % 3
        a = G[:3, i] @ chain.forward(q0)[:3, j]
        across = np.sqrt(1.0 - a * a)
        return (-0.5 * w_p * (w[:3] * d * d).sum() + 2.0 * w[3 + i] / across ** 2
                * T[:3, j] @ (a * G[:3, i] + across * G[:3, j]))
    axes = [w[4] + w[5] - w[3], w[3] + w[5] - w[4], w[3] + w[4] - w[5]]
    return (-0.5 * w_p * (w[:3] * d * d).sum()
            + sum(a * (T[:3, j] @ G[:3, j]) for j, a in enumerate(axes)))


def one_joint(axis, limit=None):
    kind, limits = ('continuous', '') if limit is None else (
        'revolute', f'lower="{limit[0]}" upper="{limit[1]}" effort="1" velocity="1"')
    return KinematicTree.from_urdf(robots.robot(
        robots.joint('j', kind, 'base', 'l', axis=axis, limit=limits),
        robots.joint('t', 'fixed', 'l', 'tip', xyz='0.6 0.2 0.3', rpy='0.4 -0.2 0.9'))).chain()


@pytest.mark.parametrize('weights', [
    (1, 1, 1, 1, 1, 1), (1, 1, 1, 0, 0, 0), (0, 0, 0, 1, 1, 1), (1, 1, 1, 1, 1, 0),
    (1, 0, 2, 0, 0, 0), (1, 0, 0, 0, 1, 0), (2, 1, 0.3, 0.2, 1, 3)])
def test_a_joint_is_set_to_its_best_angle(weights):
    rng = np.random.default_rng(60)
    for axis in ('0 0 1', '1 -2 0.5'):
        chain = one_joint(axis)
        solver = make_solver('ccd', chain)
        for _ in range(robots.samples(10)):
            pose = chain.forward(rng.uniform(-3, 3, 1))
            pose[:3, 3] += 0.3 * rng.normal(size=3)
            goal = Goal.from_pose(pose, weights)
            q = rng.uniform(-3, 3, 1)
            best = score(chain, goal, solver, q + solver.step(goal, q), q)
            angles = np.linspace(-np.pi, np.pi, 361)
            assert best >= max(score(chain, goal, solver, [one], q) for one in angles) - 1e-9


def test_limits_hold_and_the_better_end_is_taken():
    chain = one_joint('0 0 1', limit=(-1.0, 0.5))
    tip = one_joint('0 0 1')
    for angle, end in ((0.9, 0.5), (-1.5, -1.0), (2.6, 0.5), (-2.0, -1.0)):
        goal = Goal(position=tip.forward([angle])[:3, 3])
        result = make_solver('ccd', chain, max_restarts=0).solve(goal, [0.0])
        assert result.q == pytest.approx([end])


def test_a_prismatic_joint_moves_to_the_nearest_point():
    chain = KinematicTree.from_urdf(robots.robot(robots.joint(
        'j', 'prismatic', 'base', 'tip', axis='0 0.6 0.8',
        limit='lower="-5" upper="5" effort="1" velocity="1"'))).chain()
    goal = Goal(position=[1.0, 2.0, 3.0])
    step = make_solver('ccd', chain).step(goal, [0.4])
    assert step == pytest.approx([0.6 * 2.0 + 0.8 * 3.0 - 0.4])


def test_no_sweep_makes_it_worse():
    chain = robots.chain('panda')
    rng = np.random.default_rng(61)
    for order in ('inward', 'outward', 'ranked'):
        solver = make_solver('ccd', chain, order=order)
        for _ in range(10):
            q = robots.random_q(chain, rng)
            goal = Goal(position=chain.forward(robots.random_q(chain, rng))[:3, 3])
            before = np.linalg.norm(goal.position - chain.forward(q)[:3, 3])
            after = np.linalg.norm(goal.position - chain.forward(q + solver.step(goal, q))[:3, 3])
            assert after <= before + 1e-12


@pytest.mark.parametrize('order', ['inward', 'outward', 'ranked'])
def test_poses_are_met_in_every_order(order):
    chain = robots.chain('irb140')
    rng = np.random.default_rng(62)
    solver = make_solver('ccd', chain, order=order, position_tolerance=1e-3,
                         orientation_tolerance=1e-3)
    met = 0
    for _ in range(count := robots.samples(20)):
        pose = chain.forward(robots.random_q(chain, rng, inside=0.7))
        result = solver.solve(pose)
        T = chain.forward(result.q)
        if result.success:
            met += 1
            assert np.linalg.norm(T[:3, 3] - pose[:3, 3]) <= 1e-3
            assert np.linalg.norm(rotation_log(np.ascontiguousarray(
                T[:3, :3] @ pose[:3, :3].T))) <= 1e-3
    assert met >= 0.9 * count


@pytest.mark.parametrize('axes', ['z x x z x z', 'z x x x z x', 'z x z x z x z y'])
def test_near_goals_are_met_nearby_where_axes_are_aligned(axes):
    lengths = [0.0, 0.9, 1.2, 1.4, 0.0, 0.4, 0.1, 0.1]
    parts = [robots.joint(
        f'j{k}', 'continuous', f'l{k}' if k else 'base', f'l{k + 1}',
        xyz=f'{(0.0, 0.0, 0.0, 0.4)[k % 4]} 0 {lengths[k]}',
        axis=' '.join(str(int(axis == name)) for name in 'xyz'))
        for k, axis in enumerate(axes.split())]
    chain = KinematicTree.from_urdf(robots.robot(*parts, robots.joint(
        't', 'fixed', f'l{len(parts)}', 'tip', xyz='0 0 0.4'))).chain()
    rng, solver, met = np.random.default_rng(3), make_solver('ccd', chain), 0
    for _ in range(40):
        q = rng.uniform(-np.pi, np.pi, chain.n_joints)
        q0 = q + rng.uniform(-0.1, 0.1, chain.n_joints)
        result = solver.solve(chain.forward(q), q0)
        met += result.success and np.abs(result.q - q0).max() < 0.5
    assert met >= 38
