"""Bare steps of random planar and spatial arms, against the text's formulas in plain NumPy."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import robots
from ik_node import Goal, KinematicTree, make_solver

SEEDS = range(6)


def planar(rng):
    """Return (chain, q, goal, J (2, n), e (2,), J at the goal) of an arm in the plane; 5.17."""
    lengths = rng.uniform(0.2, 1.5, rng.integers(3, 7))
    chain = robots.planar(*lengths)
    q = rng.uniform(-1.2, 1.2, len(lengths))
    angles = np.cumsum(q)
    joints = np.cumsum([[0.0, 0.0], *(lengths * [np.cos(angles), np.sin(angles)]).T], axis=0)
    tip = joints[-1]
    goal = tip + rng.uniform(-0.5, 0.5, 2)
    return chain, q, Goal(position=[*goal, 0.0]), about(joints[:-1], tip), goal - tip, about(
        joints[:-1], goal)


def about(joints, point):
    """Return the columns z × (point − joint) in the plane."""
    return np.array([[-(point - joint)[1], (point - joint)[0]] for joint in joints]).T


def spatial(rng):
    """Return the same, six rows each, of an arm of 5 to 7 turns and a slide, any way round."""
    n = int(rng.integers(6, 9))
    parts, parent = [], 'base'
    kinds = rng.permutation(['prismatic'] + ['continuous'] * (n - 1))
    places, axes = rng.uniform(-0.5, 0.5, (n + 1, 3)), rng.normal(size=(n, 3))
    axes /= np.linalg.norm(axes, axis=1)[:, None]
    turns = Rotation.random(n, rng)

    def text(v):
        return ' '.join(f'{x!r}' for x in map(float, v))

    for i, kind in enumerate(kinds):
        limit = 'lower="-2" upper="2" effort="1" velocity="1"' if kind == 'prismatic' else ''
        parts.append(robots.joint(
            f'j{i}', kind, parent, f'l{i}', xyz=text(places[i]), limit=limit,
            rpy=text(turns[i].as_euler('xyz')), axis=text(axes[i])))
        parent = f'l{i}'
    parts.append(robots.joint('t', 'fixed', parent, 'tip', xyz=text(places[n])))
    chain = KinematicTree.from_urdf(robots.robot(*parts)).chain()
    q = rng.uniform(-1.0, 1.0, n)
    R, p, frames = Rotation.identity(), np.zeros(3), []
    for place, turn, axis, kind, value in zip(places, turns, axes, kinds, q):
        p, R = p + R.apply(place), R * turn
        frames.append((p, R.apply(axis), kind))
        if kind == 'prismatic':
            p = p + R.apply(axis * value)
        else:
            R = R * Rotation.from_rotvec(axis * value)
    tip = p + R.apply(places[n])
    e = rng.uniform(-0.3, 0.3, 6)
    pose = np.eye(4)
    pose[:3, 3] = tip + e[:3]
    pose[:3, :3] = (Rotation.from_rotvec(e[3:]) * R).as_matrix()

    def jacobian(point):
        return np.array([[*a, 0.0, 0.0, 0.0] if kind == 'prismatic' else [*np.cross(a, point - r),
                                                                          *a]
                         for r, a, kind in frames]).T

    return chain, q, Goal.from_pose(pose), jacobian(tip), e, jacobian(pose[:3, 3])


CASES = [(make, seed) for make in (planar, spatial) for seed in SEEDS]


@pytest.fixture(params=[pytest.param(case, marks=pytest.mark.slow if case[1] > 1 else ())
                        for case in CASES], ids=lambda param: f'{param[0].__name__}-{param[1]}')
def arm(request):
    make, seed = request.param
    return make(np.random.default_rng(seed))


def equals(step, expected):
    assert step == pytest.approx(expected, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize('how', ['auto', 'lu', 'svd'])
def test_the_pseudoinverse(arm, how):  # 5.20–5.23
    chain, q, goal, J, e, _ = arm
    equals(make_solver('pseudoinverse', chain, factorization=how).step(goal, q),
           np.linalg.pinv(J) @ e)


@pytest.mark.parametrize('damping', [0.01, 0.3, 5.0])
def test_damped_least_squares(arm, damping):  # 5.24
    chain, q, goal, J, e, _ = arm
    equals(make_solver('dls', chain, damping=damping).step(goal, q),
           J.T @ np.linalg.solve(J @ J.T + damping ** 2 * np.eye(len(e)), e))


def test_the_transpose_with_a_step_of_ones_own_and_with_busss(arm):
    chain, q, goal, J, e, _ = arm
    equals(make_solver('transpose', chain, alpha=0.02).step(goal, q), 0.02 * J.T @ e)
    along = J @ J.T @ e
    equals(make_solver('transpose', chain).step(goal, q), (e @ along) / (along @ along) * J.T @ e)


def test_the_alternate_jacobian_is_taken_at_the_goal(arm):
    chain, q, goal, _, e, J_goal = arm
    equals(make_solver('pseudoinverse', chain, jacobian='goal').step(goal, q),
           np.linalg.pinv(J_goal) @ e)
    equals(make_solver('dls', chain, jacobian='goal', damping=0.2).step(goal, q),
           J_goal.T @ np.linalg.solve(J_goal @ J_goal.T + 0.04 * np.eye(len(e)), e))
    equals(make_solver('transpose', chain, jacobian='goal', alpha=0.02).step(goal, q),
           0.02 * J_goal.T @ e)


@pytest.mark.parametrize('how', ['auto', 'lu', 'svd'])
@pytest.mark.parametrize('exponent', [1.0 + 1e-9, 1.5, 2.0, 2.7, 3.0, 4.0])
def test_the_control_term(arm, exponent, how):  # 5.25–5.31
    chain, q, goal, J, e, _ = arm
    rng = np.random.default_rng(len(q))
    targets, gains = rng.uniform(-2.0, 2.0, len(q)), rng.uniform(0.0, 0.5, len(q))
    d = q - targets
    assert (d < 0.0).any()
    assert (d > 0.0).any()
    z = exponent * gains * np.abs(d) ** (exponent - 1.0) * np.sign(d)
    step = make_solver('pseudoinverse', chain, factorization=how, bias_target=targets,
                       bias_gain=gains, bias_exponent=exponent).step(goal, q)
    if np.linalg.matrix_rank(J) == len(e):
        beta = np.linalg.solve(J @ J.T, e + J @ z)  # 5.31
        equals(step, J.T @ beta - z)                # 5.30
    pinv = np.linalg.pinv(J)
    equals(step, pinv @ e + (pinv @ J - np.eye(len(q))) @ z)


@pytest.mark.parametrize('name', ['dls', 'transpose'])
def test_the_control_term_joins_every_method_as_the_same_projection(arm, name):
    chain, q, goal, J, _, _ = arm
    options = {'damping': 0.3} if name == 'dls' else {'alpha': 0.02}
    plain = make_solver(name, chain, bias_gain=0.0, **options).step(goal, q)
    biased = make_solver(name, chain, bias_target=0.4, bias_gain=0.2, **options).step(goal, q)
    pinv = np.linalg.pinv(J)
    equals(biased - plain, (pinv @ J - np.eye(len(q))) @ (0.4 * (q - 0.4)))


def test_without_a_target_each_limited_joint_has_its_middle_and_the_others_none():
    limit = 'lower="-1" upper="2" effort="1" velocity="1"'
    chain = KinematicTree.from_urdf(robots.robot(
        robots.joint('a', 'revolute', 'base', 'la', limit=limit),
        robots.joint('b', 'continuous', 'la', 'lb', xyz='1 0 0'),
        robots.joint('c', 'prismatic', 'lb', 'lc', xyz='1 0 0', axis='1 0 0', limit=limit),
        robots.joint('d', 'continuous', 'lc', 'ld', xyz='1 0 0'),
        robots.joint('t', 'fixed', 'ld', 'tip', xyz='1 0 0'))).chain()
    q = np.array([0.9, 0.8, -0.3, 1.1])
    J = chain.jacobian(q)[:2]
    z = 2.0 * 0.1 * (q - 0.5) * [1.0, 0.0, 1.0, 0.0]
    step = make_solver('pseudoinverse', chain, bias_gain=0.1).step(
        Goal(position=chain.forward(q)[:3, 3]), q)
    equals(step, (np.linalg.pinv(J) @ J - np.eye(4)) @ z)


def test_a_scale_lengthens_or_shortens_busss_step():
    chain = robots.planar(15.0, 10.0, 5.0)
    q, goal = [0.4, 0.8, 0.8], Goal([-3.0, 12.0, 0.0], weights=[1, 1, 0, 0, 0, 0])
    steps = {scale: make_solver('transpose', chain, alpha_scale=scale).step(goal, q)
             for scale in (0.5, 1.0, 1.5)}
    for scale in (0.5, 1.5):
        assert steps[scale] == pytest.approx(scale * steps[1.0], rel=1e-12)
