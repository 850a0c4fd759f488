"""Every family: the configuration of a pose is among its branches, and each one is right."""

import itertools

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import robots
from branches import arm, calibrated, check, configurations, directions, related
from ik_node import Goal, IkError, KinematicTree, make_solver
from ik_node.support.exceptions import UnsupportedError


@pytest.mark.parametrize(('name', 'count'), [
    ('arm_6r', 200), ('arm_7r', 200), ('planar_3r', 200), ('scara', 200), ('torso', 100)])
def test_our_own_arms_have_every_branch(name, count):
    check(robots.chain(name), 80, count)


@pytest.mark.parametrize(('name', 'wanted'), [
    ('puma560', 'spherical wrist'), ('ur5', 'axes 2, 3, 4 parallel'), ('irb140', 'general'),
    ('iiwa14', "'joint_a3' given"), ('panda', "'panda_joint7' given"), ('so101', '5R'),
    ('pr2', 'spherical wrist')])
def test_real_arms_have_every_branch(name, wanted):
    check(robots.chain(name), 81, 200, wanted)


@pytest.mark.parametrize(('name', 'words'), [
    ('so101', '5R, axes 2, 3, 4 parallel'),
    ('allegro', '4R, axes 2, 3, 4 parallel'),
    ('arm_7r', '7R, spherical shoulder and wrist (axes 1, 2, 3 and 5, 6, 7 meet), swivel angle'),
    ('puma560', '6R, spherical wrist (axes 4, 5, 6 meet); to within 5.0e-11 m'),
    ('irb140', '6R, general (axes 4, 5, 6 miss a common point by 0.02 m)'),
    ('iiwa14', "7R with 'joint_a3' given, spherical wrist (axes 5, 6, 7 meet); no swivel angle: "
               'shoulder and wrist are 4.4e-04 m off spherical'),
    ('torso', "PRRRRRRRR with 'lift_joint', 'left_joint_6', 'left_joint_7' given, axes 5, 6, 7 "
              'meet')])
def test_an_arm_is_described_in_plain_words(name, words):
    assert make_solver('analytic', robots.chain(name)).family == words


def test_few_joints_are_described_by_their_parallel_neighbours():
    rng = np.random.default_rng(79)
    axes, points = directions(rng, 4), rng.normal(size=(4, 3))
    plain = make_solver('analytic', arm('RRRR', axes, points)).family
    assert plain == '4R, no neighbouring axes parallel'
    axes[1], axes[3] = -axes[0], axes[2]
    assert make_solver('analytic', arm('RRRR', axes, points)).family == (
        '4R, axes 1, 2 parallel, axes 3, 4 parallel')
    assert make_solver('analytic', arm('R', axes[:1], points[:1])).family == '1R'


@pytest.mark.parametrize(('relation', 'kinds', 'place'), [
    *((relation, 'RRRRRR', place) for relation in ('meet', 'parallel') for place in range(4)),
    ('parallel', 'PRRRRR', 1)])
def test_three_axes_may_meet_or_be_parallel_anywhere_in_the_chain(relation, kinds, place):
    check(related(np.random.default_rng(82 + place), kinds, relation, place), 83, 50, relation)


@pytest.mark.parametrize('kinds', [''.join(k) for k in itertools.product('RP', repeat=3)
                                   if k != ('R', 'R', 'R')])
@pytest.mark.parametrize('wrist_last', [True, False])
def test_prismatic_joints_may_stand_before_or_behind_the_three_that_meet(kinds, wrist_last):
    rng = np.random.default_rng(95)
    points = rng.normal(size=(6, 3))
    place = 3 if wrist_last else 0
    points[place:place + 3] = points[place]
    check(arm(kinds + 'RRR' if wrist_last else 'RRR' + kinds, directions(rng, 6), points), 96, 30)


@pytest.mark.parametrize('kinds', ['RRRP', 'RRPR', 'RPRR', 'PRRR'])
def test_a_scara_may_have_its_prismatic_joint_anywhere(kinds):
    rng = np.random.default_rng(97)
    axis = directions(rng, 1)[0]
    chain = arm(kinds, [axis, -axis, axis, -axis], rng.normal(size=(4, 3)))
    check(chain, 98, 30, 'SCARA')


@pytest.mark.parametrize('count', [1, 2, 3, 4, 5])
def test_fewer_than_six_joints_have_a_closed_form_too(count):
    rng = np.random.default_rng(99 + count)
    check(arm('R' * count, directions(rng, count), rng.normal(size=(count, 3))), 100, 30)


def test_a_general_arm_has_no_property_at_all():
    rng = np.random.default_rng(110)
    check(arm('RRRRRR', directions(rng, 6), rng.normal(size=(6, 3))), 111, 50, '6R, general')


@pytest.mark.parametrize(('name', 'angle', 'length'), [
    ('puma560', 0.0, 1e-6), ('puma560', 3.7e-6, 0.0), ('puma560', 1e-3, 1e-3),
    ('ur5', 0.0, 1e-6), ('ur5', 3.7e-6, 0.0), ('ur5', 1e-3, 1e-3), ('panda', 1e-3, 1e-3)])
def test_calibrated_arms_are_solved_as_they_are(name, angle, length):
    rng = np.random.default_rng(112)
    nominal = robots.chain(name)
    chain = calibrated(nominal, rng, angle, length)
    solver = make_solver('analytic', chain)
    assert 'to within' in solver.family
    for _ in range(robots.samples(200)):
        pose = chain.forward(configurations(nominal, rng))
        result = solver.solve(pose)
        assert result.success
        assert chain.forward(result.q) == pytest.approx(pose, abs=1e-9)


@pytest.mark.parametrize('name', ['puma560', 'ur5', 'arm_6r', 'panda', 'arm_7r', 'irb140'])
def test_singular_poses_have_a_valid_representative(name):
    chain = robots.chain(name)
    solver = make_solver('analytic', chain)
    rng = np.random.default_rng(113)
    met = listed = 0
    for _ in range(count := robots.samples(150)):
        q = configurations(chain, rng)
        aligned = rng.integers(0, 2, chain.n_joints).astype(bool)
        q[aligned] = np.clip(0.5 * np.pi * rng.integers(-2, 3, aligned.sum()),
                             chain.lower[aligned], chain.upper[aligned])
        pose = chain.forward(q)
        result = solver.solve(pose, q)
        assert np.isfinite(result.q).all()
        met += result.success
        if result.success:
            assert chain.forward(result.q) == pytest.approx(pose, abs=3e-6)
        for branch in solver.solve_all(pose, redundancy=float(solver.redundancy_of(q)[0])
                                       if len(solver.redundancy_of(q)) == 1 else None):
            assert chain.forward(branch) == pytest.approx(pose, abs=3e-6)
            listed += 1
    assert met >= 0.9 * count
    assert listed >= 0.9 * count


@pytest.mark.parametrize(('name', 'near'), [('puma560', 1e-8), ('ur5', 1e-7)])
def test_an_aligned_wrist_is_turned_to_where_limits_and_the_elbow_let_it_whatever_the_start(
        name, near):
    chain = robots.chain(name)
    solver = make_solver('analytic', chain)
    rng = np.random.default_rng(115)
    for _ in range(robots.samples(200)):
        q = configurations(chain, rng)
        if name == 'ur5':  # its axes 2, 3, 4 and 6 are parallel
            q[2], q[4] = rng.choice([0.0, 0.01]), rng.choice([0.0, np.pi])
        else:
            q[3:] = rng.choice([chain.lower[3], 0.9 * chain.upper[3]]), 0.0, rng.uniform(-1.5, 1.5)
        pose = chain.forward(q)
        result = solver.solve(pose, configurations(chain, rng))
        assert result.success
        assert chain.forward(result.q) == pytest.approx(pose, abs=near)
        assert name == 'ur5' or any(chain.forward(branch) == pytest.approx(pose, abs=near)
                                    for branch in solver.solve_all(pose))


def test_an_aligned_wrist_stays_where_it_was():
    chain = robots.chain('arm_6r')
    q = np.array([0.4, -0.5, 0.7, 0.9, 0.0, -0.3])
    result = make_solver('analytic', chain).solve(chain.forward(q), q)
    assert result.success
    assert result.q == pytest.approx(q, abs=1e-6)


def test_a_goal_just_out_of_reach_says_by_how_much():
    chain = robots.planar(1.0, 0.8, 0.3)
    pose = chain.forward([0.3, 0.0, 0.0])
    pose[:3, 3] *= 2.101 / 2.1
    result = make_solver('analytic', chain).solve(pose)
    assert not result.success
    assert result.position_error == pytest.approx(1e-3, rel=0.05)


def test_an_axis_left_free_is_used_as_one_more_joint():
    chain = robots.chain('so101')
    pose = chain.forward([0.3, -0.4, 0.5, 0.2, 0.1])
    turned = pose.copy()
    turned[:3, :3] = pose[:3, :3] @ Rotation.from_rotvec([0, 0, 0.7]).as_matrix()
    solver = make_solver('analytic', chain)
    assert not solver.solve(turned).success
    assert solver.solve(Goal.from_pose(turned, (1, 1, 1, 1, 1, 0))).success


def test_lists_of_a_batch_are_those_of_single_calls():
    chain = robots.chain('puma560')
    solver = make_solver('analytic', chain)
    rng = np.random.default_rng(115)
    poses = np.array([chain.forward(configurations(chain, rng)) for _ in range(30)])
    branches, counts = solver.solve_all_batch(poses, within_limits=False)
    for pose, rows, count in zip(poses, branches, counts):
        assert rows[:count] == pytest.approx(solver.solve_all(pose, within_limits=False), abs=1e-9)
        assert np.isnan(rows[count:]).all()
    with pytest.raises(IkError, match=r'goals\[1\]'):
        solver.solve_all_batch([np.eye(4), np.zeros((4, 4))])


@pytest.mark.parametrize('name', ['panda', 'arm_7r'])
def test_an_arm_with_a_joint_to_spare_stays_near_its_start(name):
    chain = robots.chain(name)
    solver = make_solver('analytic', chain)
    rng = np.random.default_rng(116)
    for _ in range(robots.samples(50)):
        q = chain.lower + (chain.upper - chain.lower) * rng.uniform(0.25, 0.75, chain.n_joints)
        near = q + rng.normal(scale=0.02, size=chain.n_joints)
        result = solver.solve(chain.forward(q), near)
        assert result.success
        assert np.linalg.norm(result.q - near) < np.linalg.norm(q - near) + 1e-3


def test_what_has_no_closed_form_is_refused_with_what_was_found():
    mimic = KinematicTree.from_urdf(robots.robot(
        robots.joint('a', 'continuous', 'base', 'l1'),
        robots.joint('b', 'continuous', 'l1', 'tip', xyz='1 0 0', mimic='joint="a"'))).chain()
    with pytest.raises(IkError, match='mimics among them.*dls'):
        make_solver('analytic', mimic)
    slides = arm('PPPP', np.eye(3)[[0, 0, 0, 0]], np.zeros((4, 3)))
    with pytest.raises(IkError, match='no structure a closed form is known for'):
        make_solver('analytic', slides)
    with pytest.raises(IkError, match='no redundant joint'):
        make_solver('analytic', robots.chain('ur5')).solve_all(np.eye(4), redundancy=0.1)


def test_a_rounded_pose_is_projected_and_a_wrong_one_is_refused_with_the_reason():
    chain = robots.chain('ur5')
    solver, pose = make_solver('analytic', chain), chain.forward(np.full(6, 0.4))
    off = pose.copy()
    off[:3, :3] *= 1.0 + 1e-8
    np.testing.assert_allclose(solver.solve_all(off), solver.solve_all(pose), atol=1e-6)
    for row, column, value, words in ((0, 0, np.nan, 'nan'), (3, 3, 2.0, 'last row'),
                                      (0, 1, 5.0, 'scales')):
        wrong = pose.copy()
        wrong[row, column] = value
        with pytest.raises(IkError, match=words):
            solver.solve_all(wrong)
    for shape in ((3, 4), (4, 4, 1), (16,)):
        with pytest.raises(IkError, match='shape'):
            solver.solve_all(np.ones(shape))
    with pytest.raises(IkError, match='within_limits'):
        solver.solve_all(pose, within_limits='no')


X, Y, Z = np.eye(3)
A, B = np.zeros(3), np.array([0.4, 0.1, 0.2])


@pytest.mark.parametrize(('kinds', 'axes', 'points', 'ways'), [
    ('RRRRRR', [Z, Y, Z, Z, Y, Z], [A, A, A, B, B, B], 5),  # two spherical joints in series
    ('RRRRRR', [Z, Y, Y, X, Y, Y], [A, A, B, B + X, B + X, B + X], 5),  # coincident axes
    ('RRRRR', [Z, Z, Y, Y, X], [A, A, A, B, B], 4),
    ('PPRRRR', [X, X, Z, Z, Y, X], [A, A, A, B, B, B], 5),
    ('RRRRRR', list(np.random.default_rng(0).normal(size=(6, 3))), [A] * 6, 3)])
def test_an_arm_that_is_always_singular_is_refused_with_that_reason(kinds, axes, points, ways):
    chain = arm(kinds, [axis / np.linalg.norm(axis) for axis in axes], points)
    with pytest.raises(UnsupportedError, match=f'in every configuration.* in {ways} indep'):
        make_solver('analytic', chain)


@pytest.mark.parametrize('name', ['ur5', 'irb140', 'baxter', 'panda', 'pr2', 'so101'])
def test_goals_for_the_orientation_alone_have_a_closed_form(name):
    chain = robots.chain(name)
    solver, rng = make_solver('analytic', chain), np.random.default_rng(5)
    for _ in range(robots.samples(20)):
        R = chain.forward(robots.random_q(chain, rng))[:3, :3]
        result = solver.solve(Goal(orientation=R), robots.random_q(chain, rng))
        assert result.success
        assert chain.forward(result.q)[:3, :3] == pytest.approx(R, abs=2e-6)
    for q in solver.solve_all(Goal(orientation=R)):
        assert chain.forward(q)[:3, :3] == pytest.approx(R, abs=2e-6)


def test_what_kind_of_goal_has_no_closed_form_is_said():
    solver = make_solver('analytic', robots.chain('ur5'))
    with pytest.raises(UnsupportedError, match='for goals that leave x y free'):
        solver.solve(Goal.from_pose(np.eye(4), (0, 0, 1, 1, 1, 1)))
