import numpy as np
import pytest
from scipy.optimize import least_squares

import robots
from ik_node import Goal, KinematicTree, StopReason, make_solver
from ik_node.kinematics.reach import extent
from ik_node.model.joints import Joint
from ik_node.solvers.jacobian.solvers import DlsSolver
from ik_node.solvers.kernel.arm_kernel import closest_of
from ik_node.spatial import rotation_exp, rotation_log


def error(chain, T, q, weights=(1, 1, 1, 1, 1, 1)):
    """Return the weighted errors (6,) at q, along the base's axes, m and rad."""
    tip = chain.forward(q)
    return np.array(weights) * np.concatenate([
        T[:3, 3] - tip[:3, 3], rotation_log(T[:3, :3] @ tip[:3, :3].T)])


def best_of_scipy(chain, T, rng, starts=15):
    """Return the least Σ (wᵢ eᵢ)² that bounded least squares find from many starts."""
    lower = np.where(np.isfinite(chain.lower), chain.lower, -np.pi) - 1e-12
    upper = np.where(np.isfinite(chain.upper), chain.upper, np.pi) + 1e-12
    return min(2.0 * least_squares(lambda q: error(chain, T, q), rng.uniform(lower, upper),
                                   bounds=(lower, upper), max_nfev=60).cost
               for _ in range(starts))


@pytest.mark.parametrize('name', ['dls', 'auto', 'analytic'])
def test_a_batch_has_the_closest_configurations_too(name):
    chain, rng = robots.chain('arm_6r'), np.random.default_rng(0)
    poses = np.array([chain.forward(robots.random_q(chain, rng)) for _ in range(24)])
    poses[::2, :3, 3] += rng.normal(size=(12, 3))
    solver = make_solver(name, chain, closest=True)
    batch = solver.solve_batch(poses)
    assert 4 < batch.success.sum() < 20
    for q, pose in zip(batch.q, poses):
        assert q.tolist() == solver.solve(pose).q.tolist()


def test_after_the_deadline_it_is_the_local_minimum_from_the_result():
    chain = robots.planar(1.0, limit=2.8)
    goal = Goal.from_pose(robots.planar(1.0).forward([3.34]))  # 0.54 above, 0.14 below the limits
    q = np.array([2.0])
    closest_of(chain).find(goal.pose, goal.weights, q, q.copy(), 0.0)
    assert q == pytest.approx([2.8])
    closest_of(chain).find(goal.pose, goal.weights, q, q.copy(), np.inf)
    assert q == pytest.approx([-2.8])


def out_of_reach(chain, rng):
    T, (centre, radius, *_) = np.eye(4), extent(chain.arrays)
    direction = rng.normal(size=3)
    T[:3, 3] = centre + radius * rng.uniform(1.05, 1.4) * direction / np.linalg.norm(direction)
    T[:3, :3] = rotation_exp(rng.normal(size=3))
    return T


@pytest.mark.parametrize('name', ['dls', 'pseudoinverse', 'transpose', 'ccd'])
def test_a_failed_search_ends_at_a_local_minimum_of_the_weighted_error(name):
    chain, rng, weights = robots.chain('ur5'), np.random.default_rng(2), (1, 1, 1, 0.3, 0.3, 0.3)
    solver = make_solver(name, chain)
    lower, upper = chain.lower - 1e-12, chain.upper + 1e-12
    for _ in range(5):
        T = out_of_reach(chain, rng)
        q = solver.solve(Goal.from_pose(T, weights)).q
        least = 2.0 * least_squares(lambda q, T=T: error(chain, T, q, weights), q,
                                    bounds=(lower, upper)).cost
        assert np.sum(error(chain, T, q, weights)**2) < 1.01 * least


@pytest.mark.parametrize('name', robots.rest_slow(['panda', 'ur5', 'irb140'], 'ur5'))
def test_nothing_that_scipy_finds_is_closer(name):
    chain, rng = robots.chain(name), np.random.default_rng(1)
    solver = make_solver('dls', chain, closest=True)
    missed = 0
    for _ in range(robots.samples(4)):
        T = out_of_reach(chain, rng)
        result = solver.solve(T)
        assert not result.success
        assert robots.inside(chain, result.q)
        e = error(chain, T, result.q)
        assert result.position_error == pytest.approx(np.linalg.norm(e[:3]), rel=1e-9)
        assert result.orientation_error == pytest.approx(np.linalg.norm(e[3:]), rel=1e-6)
        missed += e @ e > 1.01 * best_of_scipy(chain, T, rng)
    assert missed <= 1


@pytest.mark.parametrize('name', ['dls', 'pseudoinverse', 'transpose', 'ccd', 'analytic', 'auto'])
def test_a_planar_arm_reaches_out_straight(name):
    chain = robots.planar(15.0, 10.0, 5.0)
    solver = make_solver(name, chain, closest=True)
    result = solver.solve(Goal([-35.0, 5.0, 0.0], weights=[1, 1, 0, 0, 0, 0]))
    assert result.reason is StopReason.UNREACHABLE
    tip = chain.forward(result.q)[:3, 3]
    assert tip == pytest.approx(30.0 * np.array([-35.0, 5.0, 0.0]) / np.hypot(35, 5), abs=1e-4)
    assert result.position_error == pytest.approx(np.hypot(35.0, 5.0) - 30.0, abs=1e-6)


def test_weights_say_what_close_is():
    chain, T = robots.chain('ur5'), np.eye(4)
    T[:3, 3] = [0.7, 0.9, 0.8]
    near = {heavy: make_solver('dls', chain).closest(
        Goal(T[:3, 3], T[:3, :3], [heavy] * 3 + [1] * 3)) for heavy in (0.1, 10.0)}
    assert near[10.0].position_error < near[0.1].position_error
    assert near[10.0].orientation_error > near[0.1].orientation_error


def test_without_it_the_best_met_in_the_search_is_returned():
    chain, rng = robots.chain('ur5'), np.random.default_rng(2)
    goals = [out_of_reach(chain, rng) for _ in range(robots.samples(20))]
    errors = {}
    for closest in (False, True):
        solver = make_solver('dls', chain, closest=closest)
        batch = solver.solve_batch(goals)
        errors[closest] = [np.sum(error(chain, T, q) ** 2) for T, q in zip(goals, batch.q)]
        assert [solver.solve(T).q.tolist() for T in goals] == batch.q.tolist()
    assert np.less_equal(errors[True], np.array(errors[False]) + 1e-9).all()
    assert np.mean(errors[True]) < 0.9 * np.mean(errors[False])


def rail(lower, upper):
    """Return a prismatic joint along x."""
    return KinematicTree(['base', 'tip'], [Joint('j', 'prismatic', 'base', 'tip', lower=lower,
                                                 upper=upper)]).chain()


@pytest.mark.parametrize('sign', [1.0, -1.0])
def test_a_limit_that_rounding_would_pass_is_kept(sign):
    rng = np.random.default_rng(0)
    passed = 0
    while passed < 8:
        q0, limit = rng.uniform(-1.0, 0.3), rng.uniform(0.3, 1.0)
        if not q0 + (limit - q0) > limit:
            continue
        passed += 1
        lower, upper = sorted((sign * limit, -2.0 * sign))
        result = make_solver('dls', rail(lower, upper)).closest(
            Goal(position=(sign * (limit + 0.01), 0.0, 0.0)), [sign * q0])
        assert result.q.tolist() == [sign * limit]


class Counting(DlsSolver):
    """Counts its searches."""

    searches = 0

    def _solve(self, goal, q0):
        self.searches += 1
        return super()._solve(goal, q0)


@pytest.mark.parametrize('option', [False, True])
def test_it_goes_on_from_the_one_search_that_failed(option):
    chain = robots.chain('ur5')
    solver = Counting(chain, closest=option, max_restarts=3)
    goal = out_of_reach(chain, np.random.default_rng(4))
    result = solver.solve(goal) if option else solver.closest(goal)
    assert solver.searches == 1
    assert result.reason is StopReason.UNREACHABLE
    assert result.iterations == DlsSolver(chain, max_restarts=3).solve(goal).iterations
