"""Each rule against its author's formula, computed by NumPy; metres in lengths of the arm."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import robots
from ik_node import make_solver
from plain_kernels import plain

formulas, = plain('solvers.jacobian.steps')

RULES = ('sugihara', 'chan', 'nakamura', 'selective')


def task(chain, pose, q, length):
    """Return (J, e) with metres counted in lengths of the arm."""
    T = chain.forward(q)
    e = np.concatenate([(pose[:3, 3] - T[:3, 3]) / length,
                        Rotation.from_matrix(pose[:3, :3] @ T[:3, :3].T).as_rotvec()])
    J = chain.jacobian(q)
    return np.concatenate([J[:3] / length, J[3:]]), e


def damped(J, e, square):
    return J.T @ np.linalg.solve(J @ J.T + square * np.eye(6), e)


def selectively_damped(J, e, most):
    """Return the step of Buss & Kim, by NumPy's SVD."""
    def clamped(step, bound):
        largest = np.abs(step).max()
        return step * bound / largest if largest > bound else step

    def far(columns):  # Σ over the effectors: the position, the orientation
        return np.linalg.norm(columns[:3], axis=0) + np.linalg.norm(columns[3:], axis=0)

    U, S, Vt = np.linalg.svd(J, full_matrices=False)
    total = np.zeros(J.shape[1])
    for u, sigma, v in zip(U.T, S, Vt):
        N, M = far(u), np.abs(v) @ far(J) / sigma
        total += clamped((u @ e) / sigma * v, most * min(1.0, N / M))
    return clamped(total, most)


def configurations(chain, seed, count=20):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        q = robots.random_q(chain, rng)
        yield q, chain.forward(q + rng.uniform(-0.4, 0.4, chain.n_joints))


@pytest.mark.parametrize('name', ['panda', 'ur5'])
@pytest.mark.parametrize(('rule', 'floor'), [('sugihara', formulas.FLOOR), ('chan', 0.0)])
def test_lambda_squared_is_a_share_of_the_errors_energy(name, rule, floor):
    chain = robots.chain(name)
    for share in (0.1, 1.0):
        solver = make_solver('dls', chain, damping_rule=rule, error_share=share, bias_gain=0.0)
        for q, pose in configurations(chain, 70):
            J, e = task(chain, pose, q, solver.settings.length)
            assert solver.step(pose, q) == pytest.approx(
                damped(J, e, 0.5 * share * e @ e + floor), rel=1e-6, abs=1e-9)


@pytest.mark.parametrize('name', ['panda', 'ur5', 'so101'])
def test_by_nakamura_lambda_grows_as_the_manipulability_falls(name):
    chain = robots.chain(name)
    solver = make_solver('dls', chain, damping_rule='nakamura', bias_gain=0.0)
    below = 0
    for q, pose in configurations(chain, 72, 100):
        J, e = task(chain, pose, q, solver.settings.length)
        w = np.sqrt(max(0.0, np.linalg.det(J @ J.T)))
        lack = max(0.0, 1.0 - w / formulas.LOW_MANIPULABILITY)
        below += lack > 0.0
        expected = damped(J, e, (formulas.LARGEST_DAMPING * lack) ** 2) if lack else (
            np.linalg.pinv(J) @ e)
        assert solver.step(pose, q) == pytest.approx(expected, rel=1e-5, abs=1e-7)
    assert below > 5


@pytest.mark.parametrize('name', ['panda', 'ur5', 'so101'])
@pytest.mark.parametrize('most', [np.pi / 4, 0.1])
def test_selective_damping_is_buss_and_kims(name, most):
    chain = robots.chain(name)
    solver = make_solver('dls', chain, damping_rule='selective', max_angle=most, bias_gain=0.0)
    for q, pose in configurations(chain, 73):
        J, e = task(chain, pose, q, solver.settings.length)
        step = solver.step(pose, q)
        assert step == pytest.approx(selectively_damped(J, e, most), rel=1e-6, abs=1e-9)
        assert np.abs(step).max() <= most + 1e-12


def test_selective_damping_bounds_the_change_of_weighted_joints_themselves():
    chain = robots.chain('panda')
    solver = make_solver('dls', chain, damping_rule='selective', max_angle=0.2, bias_gain=0.0,
                         joint_weights=[100.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0])
    largest = [np.abs(solver.step(pose, q)).max() for q, pose in configurations(chain, 74)]
    assert max(largest) == pytest.approx(0.2)


@pytest.mark.parametrize('rule', RULES)
def test_a_lambda_of_ones_own_takes_the_place_of_the_rule(rule):
    chain = robots.chain('panda')
    for q, pose in configurations(chain, 75, 3):
        own = make_solver('dls', chain, damping=0.3).step(pose, q)
        assert (make_solver('dls', chain, damping=0.3, damping_rule=rule).step(pose, q)
                == own).all()
        assert np.abs(make_solver('dls', chain, damping_rule=rule).step(pose, q) - own).max() > 1e-3


@pytest.mark.parametrize('name', ['panda', 'ur5'])
@pytest.mark.parametrize('rule', RULES)
def test_every_rule_meets_nearly_every_pose(name, rule):
    chain = robots.chain(name)
    solver = make_solver('dls', chain, damping_rule=rule, position_tolerance=1e-5,
                         orientation_tolerance=1e-5)
    rng = np.random.default_rng(76)
    poses = [chain.forward(robots.random_q(chain, rng)) for _ in range(robots.samples(200))]
    assert np.mean([solver.solve(pose).success for pose in poses]) > 0.97
