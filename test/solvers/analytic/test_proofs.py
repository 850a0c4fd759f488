"""A goal made from joint values inside the limits is never proved to be infeasible.

Most are singular configurations, where a closed form divides by what vanishes, and roots coincide.
"""

import functools
import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import robots
from branches import of_rows
from ik_node import Goal, KinematicTree, StopReason, make_solver
from ik_node.plugins import nearest_turn
from ik_node.spatial import rotation_exp
from swivel_arms import arm_of

PI, HALF = math.pi, 0.5 * math.pi

# a, alpha, d, theta of the rows: three parallel axes at different places, among other right angles
PARALLEL_FIRST = [(0.21, 0, 0, 0), (0.39, 0, 0.32, 0), (-0.22, -HALF, -0.31, HALF),
                  (-0.18, HALF, 0.16, HALF), (0.25, HALF, 0, HALF), (-0.24, HALF, -0.24, -HALF)]
PARALLEL_MIDDLE = [(-0.21, HALF, 0, HALF), (0, HALF, 0.24, -HALF), (0.35, 0, -0.14, 0),
                   (0.3, 0, 0.42, HALF), (0.39, HALF, 0, 0), (-0.29, 2.26, 0, 0)]
PARALLEL_LAST = [(-0.5, 1.5708, 0, -1.5708), (0, 1.5708, 0, -1.5708), (0, -1.5708, 0.43, 1.5708),
                 (0.32, 0, 0, 0), (0.23, 0, 0, 1.5708), (0.05, -0.54, 0, -1.5708)]


@functools.lru_cache
def solvers(chain):
    return make_solver('auto', chain), make_solver('analytic', chain)


def check(chain, q, goal=None):
    """Check that a goal, by default the pose of q (n,), is met, listed, and not refuted."""
    goal = chain.forward(q) if goal is None else goal
    auto, solver = solvers(chain)
    assert auto.solve(goal).success
    result = solver.solve(goal)
    assert result.success, (result.reason, q)
    found = solver.solve_all(goal)
    assert len(found)
    assert ((found >= chain.lower) & (found <= chain.upper)).all()


@pytest.mark.parametrize('off', [0.0, 1e-10, 1e-8, 1e-7, 1e-6])
def test_the_upright_home_pose_of_three_parallel_axes_is_met(off):
    chain = robots.chain('ur5')
    rng = np.random.default_rng(1)
    for _ in range(robots.samples(40)):
        q = np.array([*rng.uniform(-3.0, 3.0, 2), 0.0, -HALF, 0.0, rng.uniform(-3.0, 3.0)])
        check(chain, q + off * rng.normal(size=6))


@pytest.mark.parametrize('rows', [PARALLEL_FIRST, PARALLEL_MIDDLE, PARALLEL_LAST],
                         ids=['first', 'middle', 'last'])
def test_right_angles_of_an_arm_with_three_parallel_axes_are_met_wherever_they_stand(rows):
    chain = of_rows(rows, 1.25 * PI)
    rng = np.random.default_rng(3)
    for k in range(robots.samples(100)):
        q = rng.choice([0.0, HALF, -HALF, PI, -1.25 * PI, 1.25 * PI], 6)
        off = 0.0 if k % 2 else 10.0 ** rng.uniform(-12.0, -3.0)
        check(chain, np.clip(q + off * rng.uniform(-1.0, 1.0, 6), chain.lower, chain.upper))


def test_a_joint_at_a_limit_beyond_half_a_turn_is_set_to_it():
    chain = KinematicTree.from_dh(robots.OWN.parent / 'config/dh/puma560.yaml').chain()
    rng = np.random.default_rng(0)
    for _ in range(robots.samples(100)):
        q = rng.uniform(chain.lower, chain.upper)
        q[1] = chain.upper[1]
        check(chain, q)


@pytest.mark.parametrize('q', [PI + 4e-16, -PI - 4e-16, 1.25 * PI + 4e-16, -0.75 * PI + 9e-16,
                               -0.75 * PI])
def test_whole_turns_lead_to_a_limit_that_rounding_just_misses(q):
    chain = of_rows(PARALLEL_FIRST, 1.25 * PI).with_limits([-0.25 * PI] * 6, [1.25 * PI] * 6)
    turned = nearest_turn(chain, np.full(6, 1.0), np.full(6, q))
    assert ((turned >= chain.lower) & (turned <= chain.upper)).all()
    assert np.cos(turned - q) == pytest.approx(1.0, abs=1e-15)
    start = make_solver('dls', chain).solve(chain.forward(turned), np.full(6, q))
    assert np.cos(start.q - q) == pytest.approx(1.0, abs=1e-15)


def test_a_swivel_angle_that_exists_at_limits_only_is_found():
    limits = [3.106, 2.2689, 3.106, 2.356, 3.106, 2.234, 6.28]
    parts, parent = [], 'base'
    lengths = [0.2405, 0.0, 0.256, 0.0, 0.21, 0.0, 0.144]
    for k, (length, limit) in enumerate(zip(lengths, limits)):
        xyz = f'0 0 {length}' if k == 0 else f'0 {-length} 0'
        rpy = f'{0.0 if k == 0 else (-HALF if k % 2 else HALF)} 0 0'
        parts.append(robots.joint(f'j{k}', 'revolute', parent, f'l{k}', xyz=xyz, rpy=rpy,
                                  limit=f'lower="-{limit}" upper="{limit}" effort="1" '
                                        'velocity="1"'))
        parent = f'l{k}'
    chain = KinematicTree.from_urdf(robots.robot(*parts)).chain()
    assert make_solver('analytic', chain).is_complete()
    for q in ([0.0, 2.2689, -HALF, -HALF, -3.106, 2.234, 6.28],
              [3.106, 2.2689, 0.0, HALF, 0.0, -HALF, -6.28]):
        check(chain, np.array(q))


def test_a_locked_joint_at_its_limit_is_tried():
    check(robots.chain('panda'), np.array([0.0, 1.7628, -2.8973, -3.0718, 2.8973, 3.7525, 2.8973]))


def test_an_empty_list_is_complete_where_infeasibility_is_proved_and_nowhere_else():
    chain = robots.chain('ur5')
    solver = make_solver('analytic', chain)
    pose = chain.forward(np.array([0.4, -0.9, 1.2, 0.3, 0.8, -0.5]))
    assert solver.is_complete(pose)
    far = pose.copy()
    far[:3, 3] *= 1.7
    assert not len(solver.solve_all(far))
    assert solver.is_complete(far)
    assert solver.solve(far).reason is StopReason.UNREACHABLE
    tight = make_solver('analytic', chain, position_tolerance=1e-12, orientation_tolerance=1e-12)
    assert tight.is_complete(far) is False


def test_proofs_for_several_goals_at_a_time_are_those_of_one_after_the_other():
    chain = robots.chain('ur5')
    solver = make_solver('analytic', chain)
    poses = [chain.forward([0.5, 0.2, 0.0, -HALF, 0.0, 0.1 + 0.2 * k]) for k in range(4)]
    poses += [chain.forward([0.4, -0.9, 1.2, 0.3, 0.0, 0.2 * k]) for k in range(4)]
    expected = [solver.is_complete(pose) for pose in poses]
    assert set(expected) == {True, False}
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(solver.is_complete, poses)) == expected


def test_a_list_of_what_a_self_motion_connects_is_not_complete():
    chain = robots.chain('ur5')
    aligned = chain.forward([0.4, -0.9, 1.2, 0.3, 0.0, -0.5])
    solver = make_solver('analytic', chain)
    assert len(solver.solve_all(aligned))
    assert solver.is_complete(aligned) is False


def test_a_nearly_spherical_arm_is_searched_where_its_samples_find_nothing():
    chain = robots.chain('iiwa14')
    solver = make_solver('analytic', chain)
    rng = np.random.default_rng(5)
    for _ in range(robots.samples(20)):
        q = rng.choice([-0.999, 0.0, 0.999], 7) * chain.upper
        assert solver.is_complete(chain.forward(q)) is False
        check(chain, q)


@pytest.mark.parametrize(('joints', 'q'), [
    ([('R', '0.2 0.3 -0.25', (0, 0, 2)), ('P', '0 0 -0.25', (1, 1, 2)),
      ('R', '0 0.2 0.3', (-1, 0, 0)), ('R', '0.3 -0.25 0.2', (2, 1, 1))], [HALF, 0.4, HALF, 0.0]),
    ([('R', '0 0 -0.25', (0, 1, -1)), ('R', '0.3 -0.25 0', (1, -1, 1)), ('P', '0 0 0', (-1, 1, 2)),
      ('R', '0 -0.25 0', (0, 0, 1))], [1.25 * PI, HALF, -0.2, 0.0])], ids=['RPRR', 'RRPR'])
def test_a_goal_with_a_free_rotation_that_a_self_motion_meets_is_met(joints, q):
    parts, parent = [], 'base'
    for k, (kind, xyz, rpy) in enumerate(joints):
        lower, upper = (-0.25 * PI, 1.25 * PI) if kind == 'R' else (-0.2, 0.4)
        parts.append(robots.joint(
            f'j{k}', 'revolute' if kind == 'R' else 'prismatic', parent, f'l{k}', xyz=xyz,
            rpy=' '.join(repr(HALF * angle) for angle in rpy),
            limit=f'lower="{lower!r}" upper="{upper!r}" effort="1" velocity="1"'))
        parent = f'l{k}'
    parts.append(robots.joint('end', 'fixed', parent, 'tip', xyz='0.1 0 0.15'))
    chain = KinematicTree.from_urdf(robots.robot(*parts)).chain()
    pose = chain.forward(q)
    check(chain, q, Goal(pose[:3, 3], pose[:3, :3], [1, 1, 1, 1, 1, 0]))


@pytest.mark.parametrize('solver', ['analytic', 'auto'])
@pytest.mark.parametrize('tolerance', [3e-2, 1e-2, 3e-3, 1e-4])
@pytest.mark.parametrize('name', ['so101', 'puma560', 'ur5'])
def test_nothing_is_proved_that_the_tolerances_allow(name, tolerance, solver):
    check_no_proof(solver, robots.chain(name), tolerance)


@pytest.mark.parametrize('solver', ['analytic', 'auto'])
def test_a_branch_outside_the_limits_proves_nothing_where_the_tolerances_bring_it_inside(solver):
    # errors of a micrometre move joints by ten microradians, singular values being small
    rows = [(0, .5 * np.pi, .1), (-.35, 0, 0), (.22, 0, 0), (.07, .5 * np.pi, 0),
            (0, -.5 * np.pi, .05), (0, 0, .1)]
    check_no_proof(solver, of_rows(rows, [2.6, 2.97, 0.0, 1.5, 1.3, 2.8],
                                   [-2.6, 0.0, -2.88, -1.5, -1.3, -2.8]), 1e-6)


def test_an_elbow_that_the_tolerances_bend_enough_proves_nothing():
    s, elbow, w = [0, 0, 0], [0, 0, -0.31], [0, 0, -0.56]
    arm = arm_of([(0, -1, 0), (1, 0, 0), (0, 0, 1), (0, -1, 0), (0, 0, 1), (1, 0, 0), (0, 1, 0)],
                 [s, s, s, elbow, w, w, w], w, [-2.0] * 3 + [0.05] + [-2.0] * 3, [2.0] * 7)
    goal = arm.chain.forward(np.array([0.3, -0.4, 0.2, 0.05, 0.3, 0.2, -0.1]))
    goal[:3, 3] *= 1 + 0.9e-4 / np.linalg.norm(goal[:3, 3])  # q₄ = 0.037 would be straight enough
    tight, loose = (make_solver('analytic', arm.chain, position_tolerance=tolerance)
                    for tolerance in (1e-6, 1e-4))
    assert not tight._elbow.intervals_nearby(goal)
    assert loose._elbow.intervals_nearby(goal)
    assert loose.solve(goal).reason is not StopReason.LIMITS


def check_no_proof(solver, chain, tolerance):
    """Check that nothing is proved for goals within the tolerances of configurations."""
    made = make_solver(solver, chain, position_tolerance=tolerance, orientation_tolerance=tolerance)
    rng = np.random.default_rng(0)
    for k in range(800):
        q = robots.random_q(chain, rng)
        if k % 2:  # some joints at their limits
            q = np.clip(q + 10.0 * rng.integers(-1, 2, len(q)), chain.lower, chain.upper)
        T, off = chain.forward(q), rng.normal(size=(2, 3))
        off *= 0.99 * tolerance * rng.random((2, 1)) / np.linalg.norm(off, axis=1)[:, None]
        T[:3, :3], T[:3, 3] = T[:3, :3] @ rotation_exp(off[0]), T[:3, 3] + off[1]
        assert made.solve(T).reason not in (StopReason.LIMITS, StopReason.UNREACHABLE)
