"""Gradients of solutions, beside central differences of the solution nearest to each."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import robots
from ik_node import Goal, KinematicTree, Result, make_solver
from ik_node.kinematics.reach import extent
from ik_node.solvers.arm.gradient import SINGULAR
from ik_node.support.exceptions import InputError

ALL = (1, 1, 1, 1, 1, 1)
POSITION = (1, 1, 1, 0, 0, 0)
ARMS = ['panda', 'ur5', 'iiwa14', 'puma560', 'irb140', 'pr2', 'baxter', 'so101', 'arm_6r', 'arm_7r']
EXACT = {'position_tolerance': 1e-12, 'orientation_tolerance': 1e-12}
STEP = 2e-5  # m and rad, of the differences


def moved(T, change):
    """Return a pose moved by (6,): δp, and a rotation vector about the base's axes."""
    other = T.copy()
    other[:3, 3] += change[:3]
    other[:3, :3] = Rotation.from_rotvec(change[3:]).as_matrix() @ T[:3, :3]
    return other


def residual(chain, T_goal, counted, q):
    T = chain.forward(q)
    R = T_goal[:3, :3]
    return np.concatenate([R.T @ (T_goal[:3, 3] - T[:3, 3]),
                           Rotation.from_matrix(T[:3, :3].T @ R).as_rotvec()])[counted]


def nearest(chain, T_goal, weights, q0, free=None, joint_weights=1.0):
    """Return the configuration nearest to q0 (n,) that meets a goal, or minimises its error.

    By q = q0 + J⁺ (r + J (q − q0)), with J from differences; free: the joints that move.
    """
    counted = np.array(weights, dtype=float) > 0.0
    row = np.array(weights, dtype=float)[counted][:, None]
    free = np.ones(len(q0), dtype=bool) if free is None else free
    scale = np.broadcast_to(joint_weights, q0.shape)[free] ** -0.5
    q = q0.copy()
    for _ in range(12):
        J = np.array([residual(chain, T_goal, counted, q - d) - residual(
            chain, T_goal, counted, q + d) for d in 1e-6 * np.eye(len(q0))[free]]).T / 2e-6
        e = residual(chain, T_goal, counted, q) + J @ (q - q0)[free]
        q = q0.copy()
        q[free] += scale * (np.linalg.pinv(row * J * scale, rcond=1e-7) @ (row[:, 0] * e))
    return q


def differences(chain, goal, q, **options):
    columns = []
    for d in STEP * np.eye(6):
        ahead, behind = (nearest(chain, moved(goal.pose, s * d), goal.weights, q, **options)
                         for s in (1.0, -1.0))
        columns.append((ahead - behind) / (2.0 * STEP))
    return np.array(columns).T


def solution(chain, rng, weights=ALL, name='dls', turned=False, **options):
    """Return a solver and a result, away from limits and singularities.

    turned: whether the tip differs from the goal along the axes that are free.
    """
    solver = make_solver(name, chain, **EXACT, **options)
    low, high = np.maximum(chain.lower, -2.5), np.minimum(chain.upper, 2.5)
    for _ in range(300):
        q = rng.uniform(low + 0.1 * (high - low), high - 0.1 * (high - low))
        T = chain.forward(q)
        if turned:
            away = np.r_[rng.uniform(-0.1, 0.1, 3), rng.uniform(-0.8, 0.8, 3)]
            away *= np.array(weights) == 0
            T[:3, 3] += T[:3, :3] @ away[:3]
            T[:3, :3] = T[:3, :3] @ Rotation.from_rotvec(away[3:]).as_matrix()
        result = solver.solve(Goal.from_pose(T, weights), q)
        inside = ((chain.lower + 1e-3 < result.q) & (result.q < chain.upper - 1e-3)).all()
        if result.success and inside and result.smallest_singular_value > 0.1 * min(
                1.0, extent(chain.arrays).length_scale):
            return solver, result
    raise AssertionError('no configuration is away from singularities')


@pytest.mark.parametrize('name', ARMS)
def test_it_is_the_difference_of_the_nearest_solutions(name):
    chain, rng = robots.chain(name), np.random.default_rng(3)
    weights = POSITION if chain.n_joints < 6 else ALL
    for _ in range(robots.samples(10)):
        solver, result = solution(chain, rng, weights)
        gradient = solver.gradient(result)
        assert gradient.shape == (chain.n_joints, 6)
        assert gradient == pytest.approx(
            differences(chain, result.goals[0], result.q), abs=1e-6, rel=1e-6)


@pytest.mark.parametrize('weights', [
    (1, 1, 1, 0, 0, 0), (0, 0, 0, 1, 1, 1), (1, 1, 0, 0, 0, 0), (1, 0, 0, 1, 1, 1),
    (1, 1, 1, 1, 1, 0), (1, 1, 1, 0, 1, 1), (0, 1, 1, 1, 0, 1), (3, 1, 2, 0.5, 1, 0)])
def test_axes_of_weight_zero_are_free_and_turn_with_the_goal(weights):
    chain, rng = robots.chain('arm_7r'), np.random.default_rng(5)
    for _ in range(robots.samples(10)):
        solver, result = solution(chain, rng, weights, turned=True)
        assert solver.gradient(result) == pytest.approx(
            differences(chain, result.goals[0], result.q), abs=1e-6, rel=1e-6)


@pytest.mark.parametrize('weights', [(1, 1, 1, 0, 0, 1), (0, 0, 0, 0, 1, 0), (1, 1, 1, 1, 0, 0)])
def test_a_goal_for_one_heading_has_the_derivatives_of_the_heading(weights):
    chain, rng = robots.chain('arm_7r'), np.random.default_rng(6)
    solver, result = solution(chain, rng, weights, turned=True)
    gradient = solver.gradient(result)
    for d in STEP * np.eye(6):
        ahead, behind = (solver.solve(Goal.from_pose(
            moved(result.goals[0].pose, s * d), weights), result.q + s * (gradient @ d))
            for s in (1.0, -1.0))
        assert ahead.success
        assert behind.success
        assert (ahead.q - behind.q) / (2.0 * STEP) == pytest.approx(
            gradient @ d / STEP, abs=1e-5, rel=1e-5)


def test_a_goal_without_an_orientation_does_not_depend_on_one():
    chain, rng = robots.chain('arm_6r'), np.random.default_rng(7)
    q = rng.uniform(-1.0, 1.0, 6)
    solver = make_solver('dls', chain)
    for weights in ((1, 1, 1, 0, 0, 0), (1, 1, 0, 0, 0, 0)):
        T = chain.forward(q)
        T[2, 3] += 0.3 * (weights[2] == 0)
        gradient = solver.gradient(solver.solve(Goal(T[:3, 3], weights=weights), q))
        assert not gradient[:, 3:].any()
        assert not gradient[:, np.flatnonzero(np.array(weights[:3]) == 0)].any()
        assert gradient[:, 0].any()
    turned = solver.gradient(solver.solve(Goal(orientation=chain.forward(q)[:3, :3]), q))
    assert not turned[:, :3].any()
    assert turned[:, 3:].any()


@pytest.mark.parametrize('chain', [
    robots.scara(), robots.mimicking(), robots.planar(0.5, 0.4, 0.3), robots.planar(5e-4, 4e-4)],
    ids=['prismatic', 'mimic', 'redundant in a plane', 'half a millimetre'])
def test_prismatic_mimicking_and_planar_arms(chain):
    weights = (1, 1, 1, 0, 0, 1) if chain.prismatic.any() else (1, 1, 0, 0, 0, 0)
    rng = np.random.default_rng(8)
    for _ in range(robots.samples(10)):
        q = rng.uniform(0.3, 0.9, chain.n_joints) * np.where(chain.prismatic, 0.1, 1.0)
        T = chain.forward(q)
        solver = make_solver('dls', chain, **EXACT)
        gradient = solver.gradient(solver.solve(Goal.from_pose(T, weights), q))
        J = chain.jacobian(q)[np.array(weights) > 0]  # free axes are at the goal's: only T's turn
        expected = np.linalg.pinv(J) @ np.diag(np.ones(6))[np.array(weights) > 0]
        assert gradient == pytest.approx(
            expected if not chain.prismatic.any() else differences(
                chain, Goal.from_pose(T, (1, 1, 1, 0, 0, 1)), q), rel=1e-6, abs=1e-6)


def test_a_ball_joint_by_exponential_map_is_differentiated_in_its_three_values():
    parts = [robots.joint('ball', 'floating', 'base', 'upper'),
             robots.joint('elbow', 'continuous', 'upper', 'lower', xyz='0 0 0.5', axis='0 1 0'),
             robots.joint('end', 'fixed', 'lower', 'tip', xyz='0.1 0 0.4')]
    chain = KinematicTree.from_urdf(robots.robot(*parts), rotation='exponential').chain()
    q = np.array([0.1, -0.2, 0.3, 0.4, -0.5, 0.3, 0.8])
    solver = make_solver('dls', chain, **EXACT)
    result = solver.solve(chain.forward(q), q)
    assert solver.gradient(result) == pytest.approx(
        differences(chain, result.goals[0], result.q), abs=1e-6)


def test_the_norm_is_that_of_the_joint_weights():
    chain, rng = robots.chain('arm_7r'), np.random.default_rng(9)
    weights = np.array([1.0, 5.0, 1.0, 2.0, 0.2, 1.0, 1.0])
    solver, result = solution(chain, rng, joint_weights=weights)
    gradient = solver.gradient(result)
    assert gradient == pytest.approx(differences(
        chain, result.goals[0], result.q, joint_weights=weights), abs=1e-6)
    assert gradient != pytest.approx(make_solver('dls', chain).gradient(result), abs=1e-3)


@pytest.mark.parametrize('side', ['lower', 'upper'])
def test_a_joint_at_a_limit_stays_there_and_the_others_compensate(side):
    chain, rng = robots.chain('arm_7r'), np.random.default_rng(10)
    _, inner = solution(chain, rng)
    limits = {side: np.array(getattr(chain, side))}
    limits[side][2] = inner.q[2]
    solver = make_solver('dls', chain, **EXACT, **limits)
    result = solver.solve(inner.goals[0], inner.q)
    assert result.success
    assert result.q[2] == inner.q[2]
    gradient, free = solver.gradient(result), np.arange(7) != 2
    assert not gradient[2].any()
    assert gradient == pytest.approx(
        differences(chain, result.goals[0], result.q, free=free), abs=1e-6)
    assert chain.jacobian(result.q) @ gradient == pytest.approx(np.eye(6), abs=1e-9)


@pytest.mark.parametrize('weights', [ALL, (1, 1, 1, 0.01, 0.01, 0.01), (1, 1, 1, 1e-7, 0, 1e-6)])
def test_what_cannot_be_met_is_missed_by_the_least_weighted_error(weights):
    chain, rng = robots.chain('so101'), np.random.default_rng(11)
    for _ in range(robots.samples(5)):
        q = rng.uniform(0.7 * chain.lower, 0.7 * chain.upper)
        solver = make_solver('dls', chain, **EXACT)
        result = solver.solve(Goal.from_pose(chain.forward(q), weights), q)
        J, gradient = chain.jacobian(result.q), solver.gradient(result)
        R = result.goals[0].pose[:3, :3]
        along = np.kron(np.eye(2), R.T)
        W = np.diag(np.array(weights) ** 2.0)
        normal = (along @ J).T @ W @ along @ (np.eye(6) - J @ gradient)
        assert np.abs(normal).max() < 1e-9


def test_all_joints_at_limits_leave_no_change():
    chain = robots.planar(1.0, 1.0, limit=0.5)
    solver = make_solver('dls', chain)
    result = solver.solve(chain.forward([0.5, -0.5]), [0.5, -0.5])
    assert result.success
    assert not solver.gradient(result).any()


@pytest.mark.parametrize('bend', [0.0, 1e-12, 1e-9, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2])
def test_near_a_singularity_the_gradient_is_bounded(bend):
    chain = robots.planar(1.0, 1.0)
    weights = (1, 1, 0, 0, 0, 0)
    q = np.array([0.3, bend])
    solver = make_solver('dls', chain, position_tolerance=1e-9)
    result = solver.solve(Goal.from_pose(chain.forward(q), weights), q)._replace(q=q)
    gradient = solver.gradient(result)
    sigma = np.linalg.svd(chain.jacobian(q)[:2], compute_uv=False)
    assert np.linalg.norm(gradient, 2) <= (1.0 + 1e-9) / (SINGULAR * sigma[0])
    if sigma[1] > 1.01 * SINGULAR * sigma[0]:
        assert np.linalg.norm(gradient, 2) == pytest.approx(1.0 / sigma[1], rel=1e-6)
    elif sigma[1] < 0.99 * SINGULAR * sigma[0]:  # along the arm nothing moves
        assert np.linalg.norm(gradient, 2) == pytest.approx(1.0 / sigma[0], rel=1e-6)


@pytest.mark.parametrize('name', ['analytic', 'auto', 'ccd', 'genetic', 'optimization'])
def test_every_solver_has_it(name):
    chain = robots.chain('arm_6r')
    q = np.array([0.3, -0.2, 0.3, 0.1, -1.0, 0.0])
    solver = make_solver(name, chain, max_iterations=3000)
    gradient = solver.gradient(solver.solve(chain.forward(q), q))
    assert chain.jacobian(q) @ gradient == pytest.approx(np.eye(6), abs=1e-4)


def test_what_is_no_solution_of_one_goal_is_refused_with_the_reason():
    chain = robots.chain('arm_6r')
    solver, q = make_solver('dls', chain), np.array([0.3, -0.2, 0.3, 0.1, -1.0, 0.0])
    result = solver.solve(chain.forward(q), q)
    far = chain.forward(q)
    far[:3, 3] += 10.0
    with pytest.raises(InputError, match='has failed: the goal is out of reach'):
        solver.gradient(solver.solve(far, q))
    with pytest.raises(InputError, match=r'shape \(6,\), not \(2, 6\)'):
        solver.gradient(solver.solve_batch([chain.forward(q)] * 2, q))
    with pytest.raises(InputError, match=r'shape \(7,\), not \(6,\)'):
        make_solver('dls', robots.chain('arm_7r')).gradient(result)
    with pytest.raises(InputError, match='another arm'):
        make_solver('dls', robots.chain('ur5')).gradient(result)
    for wrong in (None, q, result.q.tolist(), tuple(result)):
        with pytest.raises(InputError, match='a gradient is of a Result'):
            solver.gradient(wrong)
    assert isinstance(result, Result)
