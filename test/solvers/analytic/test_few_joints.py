"""Arms of five joints and fewer: every branch of a pose they meet, and proofs for the others."""

import itertools

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import robots
from branches import arm, calibrated, check, directions, distances, related
from ik_node import Goal, KinematicTree, StopReason, make_solver

HALF = 0.5 * np.pi


def tabletop(half=HALF, pi=np.pi, offset=0.0):
    """Return a common desktop arm as its file has it: waist, three parallel axes, roll; m."""
    rows = [('0 0 0.1', '0 0 0', '0 0 1', pi), (f'{offset} {0.5 * offset} 0.04', f'{half} 0 0',
            '0 0 1', 1.9), ('0.06 0.2 0', f'0 {pi} 0', '0 0 1', 1.7), ('-0.2 0 0', '0 0 0',
            '0 0 1', 1.8), ('-0.07 0 0', f'0 {-half} 0', '0 0 1', pi)]
    parts = [robots.joint(f'j{k}', 'revolute', f'l{k}' if k else 'base', f'l{k + 1}', xyz=xyz,
                          rpy=rpy, axis=axis, limit=f'lower="-{limit}" upper="{limit}" effort="1" '
                          'velocity="1"') for k, (xyz, rpy, axis, limit) in enumerate(rows)]
    parts.append(robots.joint('t', 'fixed', 'l5', 'tip', xyz='0 0 0.06'))
    return KinematicTree.from_urdf(robots.robot(*parts)).chain()


def structured(chain, rng):
    """Return joint values of which many are multiples of a right angle, or limits, or nearly so."""
    q = rng.uniform(chain.lower, chain.upper)
    some = rng.random(len(q)) < 0.6
    values = np.array([rng.choice([0.0, HALF, -HALF]) if rng.random() < 0.5 else limit
                       for limit in rng.choice([chain.lower, chain.upper])])
    q[some] = values[some] + (10.0 ** rng.uniform(-12, -2) if rng.random() < 0.5 else 0.0)
    return np.clip(q, chain.lower, chain.upper)


def is_regular(chain, q):
    values = np.linalg.svd(chain.jacobian(q), compute_uv=False)
    return values[-1] > 1e-5 * values[0]


@pytest.mark.parametrize(('relation', 'kinds', 'place', 'count'), [
    *(('meet', kinds, place, 3) for kinds, places in (
        ('RRRRR', range(3)), ('PRRRR', (1, 2)), ('RRRRP', (0, 1)), ('PPRRR', (2,)), ('RRRPP', (0,)))
      for place in places),
    *(('parallel', kinds, place, 3) for kinds, places in (
        ('RRRRR', range(3)), ('PRRRR', (1, 2)), ('RRRRP', (0, 1))) for place in places),
    *((relation, 'RRRRR', place, 2) for relation in ('meet', 'parallel') for place in range(4)),
    *((relation, 'RRRR', place, 3) for relation in ('meet', 'parallel') for place in range(2))])
def test_neighbouring_axes_may_meet_or_be_parallel_anywhere(relation, kinds, place, count):
    chain = related(np.random.default_rng(120 + place), kinds, relation, place, count)
    check(chain, 121, 30, f'{place + count} {relation}')


@pytest.mark.parametrize('kinds', [''.join(kinds) for count in range(2, 5)
                                   for kinds in itertools.product('RP', repeat=count)
                                   if kinds != ('P',) * 4])
def test_up_to_four_joints_of_any_kind_and_in_any_order_have_a_closed_form(kinds):
    rng = np.random.default_rng(128)
    check(arm(kinds, directions(rng, len(kinds)), rng.normal(size=(len(kinds), 3))), 129, 10)


@pytest.mark.parametrize('kinds', ['RRRR', 'RRRP'])
@pytest.mark.parametrize('seed', [5, 11])
def test_right_angles_between_four_joints_leave_no_angle_open(kinds, seed):
    rng = np.random.default_rng(seed)
    chain = arm(kinds, np.eye(3)[rng.integers(0, 3, 4)], rng.normal(size=(4, 3)))
    solver = make_solver('analytic', chain)
    for _ in range(robots.samples(40)):
        q = np.where(chain.prismatic, rng.uniform(-0.9, 0.9, 4), HALF * rng.integers(-1, 3, 4))
        if is_regular(chain, q):
            assert distances(chain, solver.solve_all(chain.forward(q)), q).min() < 1e-6


@pytest.mark.parametrize('chain', [tabletop(), tabletop(offset=0.03), tabletop(1.5708, 3.14159)],
                         ids=['exact', 'offset', 'rounded'])
@pytest.mark.parametrize('angle', [0.0, 1e-6, 1e-5])
def test_a_desktop_arm_has_every_branch_at_right_angles_and_limits_too(chain, angle):
    chain = chain if angle == 0.0 else calibrated(chain, np.random.default_rng(130), angle, 0.0)
    solver = make_solver('analytic', chain)
    assert 'axes 2, 3, 4 parallel' in solver.family
    rng = np.random.default_rng(131)
    for k in range(robots.samples(300)):
        q = structured(chain, rng) if k % 2 else rng.uniform(chain.lower, chain.upper)
        pose = chain.forward(q)
        found = solver.solve_all(pose)
        assert len(found)
        for branch in found:
            assert ((chain.lower <= branch) & (branch <= chain.upper)).all()
            assert chain.forward(branch) == pytest.approx(pose, abs=2e-6)
        if is_regular(chain, q):
            assert distances(chain, found, q).min() < 1e-6
        elif distances(chain, found, q).min() > 1e-2:
            assert not solver.is_complete(pose)


def test_a_desktop_arm_reaches_forward_and_backward_with_either_elbow():
    chain = tabletop()
    solver, rng = make_solver('analytic', chain), np.random.default_rng(132)
    for _ in range(robots.samples(50)):
        q = rng.uniform(chain.lower, chain.upper)
        found = solver.solve_all(chain.forward(q), within_limits=False)
        waist = np.round(np.remainder(found[:, 0] - q[0] + 1e-9, 2.0 * np.pi), 6)
        assert sorted(waist) == pytest.approx([0.0, 0.0, np.pi, np.pi], abs=1e-5)
    straight = chain.forward([0.4, 0.0, 0.0, 0.0, -0.3])
    straight[:3, :3] = Rotation.from_euler('z', 0.1).as_matrix() @ np.diag([1.0, -1.0, -1.0])
    straight[:3, 3] = 0.25 * np.cos(0.4), 0.25 * np.sin(0.4), 0.02
    assert len(solver.solve_all(straight, within_limits=False)) == 4  # pointing straight down


def test_a_tool_above_the_waist_is_turned_by_both_and_the_waist_stays():
    chain = tabletop()
    solver = make_solver('analytic', chain)
    down = np.diag([1.0, -1.0, -1.0, 1.0])
    down[2, 3] = 0.05
    for found in (solver.solve_all(down, within_limits=False), [solver.solve(down).q]):
        assert len(found)
        for q in found:
            assert chain.forward(q) == pytest.approx(down, abs=1e-9)
    assert not solver.is_complete(down)


@pytest.mark.parametrize('off', [0.1, 0.3])
def test_a_pose_that_five_joints_cannot_meet_is_proved_unreachable(off):
    chain = tabletop()
    solver, rng = make_solver('analytic', chain), np.random.default_rng(133)
    for _ in range(robots.samples(20)):
        pose = chain.forward(rng.uniform(0.8 * chain.lower, 0.8 * chain.upper))
        if np.hypot(*pose[:2, 3]) < 0.1:
            continue  # the waist alone turns it without moving it much
        tilt = np.cross(pose[:3, 2], [0.0, 0.0, 1.0])  # out of the plane of the arm
        sideways = off * np.cross(tilt, pose[:3, 2]) / np.linalg.norm(tilt)
        pose[:3, :3] = Rotation.from_rotvec(sideways).as_matrix() @ pose[:3, :3]
        assert len(solver.solve_all(pose)) == 0
        assert solver.is_complete(pose)
        assert solver.solve(pose).reason is StopReason.UNREACHABLE
        loose = make_solver('analytic', chain, orientation_tolerance=2.0 * off,
                            position_tolerance=off)
        result = loose.solve(pose)
        assert result.success
        assert 0.0 < result.orientation_error <= 2.0 * off
        free = Goal(pose[:3, 3], weights=[1, 1, 1, 0, 0, 0])
        assert solver.solve(free).success
