"""The option consistency_limits: solutions farther than that from q0 are none."""

import numpy as np
import pytest

import robots
from ik_node import (
    Goal,
    StopReason,
    body_solver_names,
    make_body_solver,
    make_solver,
    plugins,
    solver_names,
)
from ik_node.collision import Obstacle, Sphere
from ik_node.tasks import Pose, Position

NEAR, LIMIT = 0.1, 0.12  # rad: how far goals are from q0, and how far solutions may be
UNPROVEN = (StopReason.SINGULAR, StopReason.STALLED, StopReason.ITERATIONS)
EVERY = pytest.mark.parametrize('name', solver_names())


def solver_of(name, chain, **options):
    return make_solver(name, chain, **robots.needed(name, chain), **options)


def near(chain, rng, count):
    """Return initial guesses (m, n), and as many configurations whose joints are within NEAR."""
    q0 = np.array([robots.random_q(chain, rng, inside=0.9) for _ in range(count)])
    return q0, np.clip(q0 + rng.uniform(-NEAR, NEAR, q0.shape), chain.lower, chain.upper)


def away(chain, q, q0):
    """Return the largest distance of a joint of q (…, n) from q0."""
    return np.abs(q - q0).max(axis=-1)


@EVERY
@pytest.mark.parametrize('arm', ['panda', 'ur5', 'so101'])
def test_solutions_are_within_the_limits_about_q0_and_are_found_there(name, arm):
    chain = robots.chain(arm)
    solver = solver_of(name, chain, consistency_limits=LIMIT)
    q0, q = near(chain, np.random.default_rng(1), 10)
    results = [solver.solve(chain.forward(there), start) for start, there in zip(q0, q)]
    assert sum(result.success for result in results) >= 8
    for result, start in zip(results, q0):
        assert away(chain, result.q, start) <= LIMIT + 1e-12


@EVERY
@pytest.mark.parametrize('arm', ['panda', 'ur5'])
def test_what_is_farther_is_no_success_and_nothing_is_proved(name, arm):
    chain, rng = robots.chain(arm), np.random.default_rng(2)
    solver = solver_of(name, chain, consistency_limits=LIMIT, max_restarts=3)
    free = solver_of(name, chain)
    met = 0
    for _ in range(4):
        q0 = robots.random_q(chain, rng, inside=0.8)
        goal = chain.forward(q0 + np.where(np.arange(len(q0)) == 1, 0.6, 0.3))
        result = solver.solve(goal, q0)
        assert not result.success
        assert result.reason in UNPROVEN
        met += free.solve(goal, q0).success
    assert met >= 2


@EVERY
def test_a_batch_has_the_results_of_single_solves(name):
    chain, rng = robots.chain('panda'), np.random.default_rng(4)
    solver = solver_of(name, chain, consistency_limits=LIMIT, max_restarts=2)
    q0, q = near(chain, rng, 6)
    q[3:] = [robots.random_q(chain, rng, inside=0.8) for _ in range(3)]
    poses = np.array([chain.forward(there) for there in q])
    batch = solver.solve_batch(poses, q0)
    assert not batch.success[3:].any()
    assert batch.success[:3].any()
    for k in range(6):
        assert solver.solve(poses[k], q0[k]).success == batch.success[k]
        assert away(chain, batch.q[k], q0[k]) <= LIMIT + 1e-12 or not batch.success[k]


@pytest.mark.parametrize('name', ['analytic', 'auto', 'dls', 'ccd', 'optimization'])
@pytest.mark.parametrize('arm', ['panda', 'ur5'])
def test_the_closest_configuration_is_within_the_limits(name, arm):
    chain, rng = robots.chain(arm), np.random.default_rng(5)
    solver = solver_of(name, chain, consistency_limits=LIMIT, max_restarts=2)
    for _ in range(3):
        q0 = robots.random_q(chain, rng, inside=0.8)
        goal = chain.forward(robots.random_q(chain, rng, inside=0.8))
        result = solver.closest(goal, q0)
        assert not result.success
        assert away(chain, result.q, q0) <= LIMIT + 1e-12
        assert solver_of(name, chain).closest(goal, q0).success


@EVERY
def test_on_a_path_they_count_from_the_pose_before_and_first_from_q0(name):
    chain = robots.chain('ur5')
    q0 = np.array([0.2, -1.2, 1.4, -0.6, 0.7, 0.3])
    steps = np.array([0.02, 0.03, 0.02, 0.03, 0.3, 0.02])
    q = q0 + np.cumsum(steps)[:, None] * np.array([1.0, 0.5, -0.5, 0.2, 0.1, 0.3])
    poses = np.array([chain.forward(one) for one in q])
    solver = solver_of(name, chain, consistency_limits=0.05, max_restarts=5)
    met = solver.solve_path(poses, q0)
    assert met.success.tolist() == [True, True, True, True, False, True]
    assert met.reason[4] is StopReason.CONVERGED
    from_far = solver.solve_path(poses[:4], q0 + 0.2)
    assert from_far.success.tolist() == [False, True, True, True]
    assert solver.solve_path(poses[:4]).success.all()  # without q0 it begins anywhere
    per_joint = solver_of(name, chain, consistency_limits=[0.4, *[0.2] * 5], max_restarts=5)
    assert per_joint.solve_path(poses, q0).success.all()


def test_a_redundant_arm_keeps_them_along_a_path():
    chain = robots.chain('panda')
    q0 = np.array([0.1, 0.3, -0.2, -1.8, 0.2, 2.0, 0.5])
    q = q0 + np.linspace(0.0, 0.4, 9)[1:, None] * np.array([1.0, 0.6, -0.8, 0.5, 0.9, -0.4, 0.7])
    poses = np.array([chain.forward(one) for one in q])
    for name in ('auto', 'dls'):
        result = make_solver(name, chain, consistency_limits=0.07).solve_path(poses, q0)
        assert result.success.all()
        assert np.abs(np.diff(result.q, axis=0, prepend=q0[None])).max() <= 0.07 + 1e-9


@pytest.mark.parametrize('prefer', ['nearest', 'limits', 'manipulability'])
@pytest.mark.parametrize('arm', ['iiwa14', 'panda', 'ur5'])
def test_a_closed_form_chooses_among_the_branches_within_the_limits(arm, prefer):
    chain, rng = robots.chain(arm), np.random.default_rng(6)
    solver = make_solver('analytic', chain, consistency_limits=0.4, prefer=prefer)
    q0, q = near(chain, rng, 10)
    results = [solver.solve(chain.forward(there), start) for start, there in zip(q0, q)]
    assert all(result.success for result in results)
    assert max(away(chain, result.q, start) for result, start in zip(results, q0)) <= 0.4 + 1e-12


@pytest.mark.parametrize('name', ['analytic', 'auto'])
def test_a_proof_is_one_for_every_configuration(name):
    chain = robots.planar(1.0, 1.0, limit=2.0)
    solver = make_solver(name, chain, consistency_limits=LIMIT)
    q0 = np.array([0.1, 0.2])
    assert solver.solve(Goal(position=[3.0, 0.0, 0.0]), q0).reason is StopReason.UNREACHABLE
    behind = Goal(position=[-0.1, 0.0, 0.0])
    assert make_solver(name, chain).solve(behind, q0).reason is StopReason.LIMITS
    assert solver.solve(behind, q0).reason is StopReason.LIMITS
    elsewhere = Goal(position=chain.forward([1.0, 1.0])[:3, 3])
    assert solver.solve(elsewhere, q0).reason in UNPROVEN
    assert len(solver.solve_all(elsewhere)) == len(make_solver(name, chain).solve_all(elsewhere))
    assert solver.analytic.is_complete(elsewhere) if name == 'auto' else (
        solver.is_complete(elsewhere))


def test_they_are_about_q0_at_its_turn():
    chain = robots.planar(1.0, 1.0, 1.0)  # continuous joints
    q0 = np.array([9.0, -7.0, 3.0])
    goal = Goal.from_pose(chain.forward(q0 + 0.05))
    for name in ('dls', 'ccd', 'genetic'):
        result = make_solver(name, chain, consistency_limits=0.1).solve(goal, q0)
        assert result.success
        assert away(chain, result.q, q0) <= 0.1


def test_soft_limits_yield_to_them():
    chain = robots.planar(1.0, 1.0, limit=2.0)
    q0 = np.array([0.3, 1.95])
    solver = make_solver('dls', chain, limit_margin=0.3, consistency_limits=0.1)
    result = solver.solve(Goal(position=chain.forward(q0 + [0.05, -0.05])[:3, 3]), q0)
    assert result.success
    assert away(chain, result.q, q0) <= 0.1


def test_the_fittest_individual_keeps_them():
    chain, q0 = robots.chain('panda'), np.array([0.1, 0.3, -0.2, -1.8, 0.2, 2.0, 0.5])
    solver = make_solver('genetic', chain, consistency_limits=LIMIT, fitness=lambda q: q[2])
    result = solver.solve(chain.forward(q0), q0)
    assert result.success
    assert result.q[2] < q0[2] - 0.5 * LIMIT
    assert away(chain, result.q, q0) <= LIMIT + 1e-12


def test_a_plugin_cannot_break_them():
    class Own(plugins.Solver):
        name = 'own'

        def _solve(self, goal, q0):
            return plugins.Found(self.found, True, StopReason.CONVERGED, 0.0, 0.0, 1, 0)
    chain = robots.planar(1.0, 1.0)
    solver = Own(chain, consistency_limits=[0.2, 0.1])
    solver.found = np.array([0.5, 0.5])
    goal = chain.forward(solver.found)
    assert solver.solve(goal, [0.35, 0.45]).success
    for q0 in ([0.25, 0.45], [0.35, 0.35]):
        refused = solver.solve(goal, q0)
        assert not refused.success
        assert refused.reason is StopReason.STALLED
        assert not solver.solve_batch([goal], q0).success.any()


@pytest.mark.parametrize('name', ['analytic', 'auto', 'dls', 'genetic', 'optimization', 'example'])
def test_a_free_solution_beyond_them_is_none(name):
    chain, q0 = robots.chain('panda'), np.array([0.1, 0.3, -0.2, -1.8, 0.2, 2.0, 0.5])
    T, goal = chain.tree.forward(dict(zip(chain.joint_names, q0)))['panda_link4'], chain.forward(q0)
    beside_elbow = [Obstacle(Sphere(0.1), T)]
    free, consistent = (solver_of(name, chain, avoid_collisions=True, obstacles=beside_elbow,
                                  max_restarts=30, consistency_limits=limit)
                        for limit in (None, LIMIT))
    result = free.solve(goal, q0)
    assert result.success
    assert away(chain, result.q, q0) > LIMIT
    refused = consistent.solve(goal, q0)
    assert not refused.success
    assert refused.reason is StopReason.COLLISION
    assert consistent.solve(chain.forward(q0 + 0.05), q0 + 0.05).reason is StopReason.COLLISION


@pytest.mark.parametrize('name', body_solver_names())
@pytest.mark.parametrize('root', ['fixed', 'floating'])
def test_bodies_keep_them(name, root):
    body = robots.tree('baxter').body(root=root)
    rng = np.random.default_rng(8)
    lower = np.where(np.isfinite(body.lower), 0.8 * body.lower, -0.5)
    upper = np.where(np.isfinite(body.upper), 0.8 * body.upper, 0.5)
    tasks = [Pose('left_gripper'), Position('right_gripper')]
    solver = make_body_solver(name, body, tasks, consistency_limits=LIMIT, max_restarts=2)
    for is_near in (True, False, True):
        q0 = rng.uniform(lower, upper)
        q = q0 + rng.uniform(-NEAR, NEAR, len(q0)) if is_near else rng.uniform(lower, upper)
        q[body.n_joints - 18:][:3] += 0.0 if is_near else 1.0
        F = body.forward(q)
        tasks[0].target, tasks[1].target = F['left_gripper'], F['right_gripper'][:3, 3]
        result = solver.solve(q0)
        assert result.success == is_near
        assert is_near or result.reason in UNPROVEN
        assert np.abs(result.q - q0).max() <= LIMIT + 1e-12
        assert np.abs(solver.closest(q0).q - q0).max() <= LIMIT + 1e-12
        assert solver.velocity(q0, 1e-3).shape == q0.shape
        wide = make_body_solver(name, body, tasks).solve(q)
        assert wide.success


def test_velocities_of_a_body_are_as_before_after_a_solve():
    body = robots.tree('baxter').body()
    tasks = [Position('left_gripper', [0.7, 0.5, 0.4])]
    q0 = body.neutral()
    narrow, wide = (make_body_solver('least_squares', body, tasks, consistency_limits=limits)
                    for limits in (1e-3, None))
    narrow.solve(q0)
    assert narrow.velocity(q0 + 0.1, 0.1) == pytest.approx(wide.velocity(q0 + 0.1, 0.1))
