"""7R arms by the swivel angle: every configuration, the elbow, and what the limits allow."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import robots
from swivel_arms import (
    ARMS,
    apart,
    each_arm,
    elbow_point,
    human,
    iiwa,
    meets,
    own_7r,
    skewed,
    wrist_place,
)


def assert_right(arm, configurations, T, psi):
    for configuration in configurations:
        assert meets(arm, configuration, T)
        assert apart(arm.swivel(configuration), psi) < 1e-8


@each_arm
def test_a_configuration_is_found_again_by_its_pose_and_its_swivel_angle(make):
    arm, rng = make(), np.random.default_rng(700)
    for _ in range(robots.samples(600)):
        q = robots.random_q(arm.chain, rng)
        T, psi = arm.chain.forward(q), arm.swivel(q)
        found = arm.configurations(T, psi)
        assert covers(arm.intervals(T), arm.branch(q), psi)
        assert apart(found, q).max(axis=1).min() < 1e-8
        assert_right(arm, found, T, psi)


@each_arm
def test_configurations_of_any_swivel_angle_are_all_different_and_one_for_each_branch(make):
    arm, rng = make(), np.random.default_rng(701)
    for _ in range(robots.samples(200)):
        T = arm.chain.forward(robots.random_q(arm.chain, rng))
        psi = rng.uniform(-np.pi, np.pi)
        found = arm.configurations(T, psi)
        if make is not skewed:
            assert len(found) == 8
        branches = [arm.branch(q) for q in found]
        assert branches == sorted(set(branches), reverse=True)
        assert_right(arm, found, T, psi)


@each_arm
def test_the_swivel_angle_is_the_elbows_from_the_side_of_axis_1(make):
    arm, rng = make(), np.random.default_rng(702)
    for _ in range(robots.samples(200)):
        q = robots.random_q(arm.chain, rng)
        s, psi = arm.points[0], arm.swivel(q)
        line = wrist_place(arm, arm.chain.forward(q)) - s
        line /= np.linalg.norm(line)
        sides = [v - line * (line @ v) for v in (arm.axes[0], elbow_point(arm, q) - s)]
        up, out = (v / np.linalg.norm(v) for v in sides)
        assert Rotation.from_rotvec(psi * line).apply(up) == pytest.approx(out, abs=1e-9)


SINGULAR = {
    'wrist': [0.3, 0.7, -0.4, 1.1, 0.5, 0.0, -0.6],
    'shoulder': [0.3, 0.0, -0.4, 1.1, 0.5, 0.8, -0.6],
    'both': [0.3, 0.0, -0.4, 1.1, 0.5, 0.0, -0.6],
    'elbow': [0.3, 0.7, -0.4, 0.0, 0.5, 0.8, -0.6],
    'elbow and wrist': [0.3, 0.7, -0.4, 0.0, 0.5, 0.0, -0.6],
    'elbow and shoulder': [0.3, 0.0, -0.4, 0.0, 0.5, 0.8, -0.6],
    'all': [0.3, 0.0, -0.4, 0.0, 0.5, 0.0, -0.6],
    'wrist above the shoulder': [0.3, -0.5, 0.0, 1.0, 0.5, 0.8, -0.6],
    'zero': [0.0] * 7,
}


@pytest.mark.parametrize('q', SINGULAR.values(), ids=SINGULAR.keys())
@pytest.mark.parametrize('make', [own_7r, human], ids=['arm_7r', 'human'])
def test_singular_poses_have_finite_configurations_that_meet_them(make, q):
    arm = make()
    T = arm.chain.forward(q)
    found = arm.configurations(T, arm.swivel(q), q)
    assert len(found) > 0
    for psi in (arm.swivel(q), 0.0, 1.0, -2.0, np.pi):
        found = arm.configurations(T, psi, q)
        assert len(found) > 0
        for configuration in found:  # to half of the digits: near a double root
            assert meets(arm, configuration, T, 1e-7)
    assert np.isfinite(arm.intervals(T)).all()


@pytest.mark.parametrize('q', [SINGULAR['wrist'], SINGULAR['shoulder'], SINGULAR['both']],
                         ids=['wrist', 'shoulder', 'both'])
def test_where_axes_fall_together_the_start_is_kept(q):
    arm = own_7r()
    found = arm.configurations(arm.chain.forward(q), arm.swivel(q), q)
    assert apart(found, q).max(axis=1).min() < 1e-6


def test_a_stretched_elbow_has_the_swivel_angle_that_a_slightly_bent_one_has():
    arm, bent = own_7r(), np.array([0.3, 0.7, -0.4, 1e-3, 0.5, 0.8, -0.6])
    assert apart(arm.swivel(bent), arm.swivel(SINGULAR['elbow'])) < 1e-3


def wrist_beside_the_shoulder(arm, aside):
    T = arm.chain.forward(np.zeros(7))
    T[:3, 3] += arm.points[0] - arm.points[4] + [aside, 0.0, 0.0]
    return T


def test_a_wrist_nearer_than_an_arm_folds_up_has_none():
    assert len(human().configurations(wrist_beside_the_shoulder(human(), 0.05), 0.3)) == 0


def test_links_of_one_length_fold_up_until_the_wrist_is_on_the_shoulder():
    arm = own_7r()
    T = wrist_beside_the_shoulder(arm, 1e-3)
    found = arm.configurations(T, 0.3)
    assert len(found) == 8
    for configuration in found:
        assert meets(arm, configuration, T)
    assert len(arm.configurations(wrist_beside_the_shoulder(arm, 0.0), 0.3)) == 0


def test_an_elbow_axis_through_the_shoulder_or_the_wrist_gives_none():
    arm = own_7r()
    T = arm.chain.forward([0.3, 0.8, 0.2, 1.0, 0.4, 0.5, 0.2])
    for place in (arm.points[0], arm.points[4]):
        other = arm._replace(points=np.vstack([arm.points[:3], [place], arm.points[4:]]))
        assert len(other.configurations(T, 0.3)) == 0
        assert len(other.intervals(T)) == 0


def inside(q, lower, upper):
    """Tell whether some whole turns bring every joint inside its limits."""
    some = np.isfinite(upper)
    return bool((np.remainder((q - lower)[some], 2 * np.pi) <= (upper - lower)[some]).all())


def covers(rows, branch, psi):
    return any((r[:3] == branch).all() and np.remainder(psi - r[3], 2 * np.pi) <= r[4] - r[3]
               for r in rows)


@pytest.mark.parametrize('make', [*ARMS.values(), own_7r], ids=[*ARMS.keys(), 'arm_7r'])
def test_intervals_are_what_trying_many_swivel_angles_shows(make):
    arm, rng = make(), np.random.default_rng(704)
    signs = [(a, b, c) for a in (1, -1) for b in (1, -1) for c in (1, -1)]
    shown = 0
    for _ in range(robots.samples(6)):
        T = arm.chain.forward(robots.random_q(arm.chain, rng))
        rows = arm.intervals(T)
        assert (np.abs(rows[:, 3]) <= np.pi).all()
        assert (rows[:, 3] < rows[:, 4]).all()
        assert (rows[:, 4] <= rows[:, 3] + 2 * np.pi + 1e-15).all()
        for psi in rng.uniform(-np.pi, np.pi, robots.samples(300)):
            allowed = {arm.branch(q) for q in arm.configurations(T, psi)
                       if inside(q, arm.chain.lower, arm.chain.upper)}
            assert allowed == {branch for branch in signs if covers(rows, branch, psi)}
            shown += len(allowed)
    assert shown > 0


@each_arm
def test_at_the_ends_of_an_interval_a_joint_stands_at_a_limit_or_the_branch_ends(make):
    arm, rng = make(), np.random.default_rng(706)
    some = np.isfinite(arm.chain.upper)
    lower, upper = (np.where(some, limit, 0.0) for limit in (arm.chain.lower, arm.chain.upper))
    seen = 0
    for _ in range(robots.samples(40)):
        T = arm.chain.forward(robots.random_q(arm.chain, rng))
        for row in arm.intervals(T):
            if row[4] - row[3] > 2 * np.pi - 1e-9:
                continue
            for psi, inwards in ((row[3], 1e-10), (row[4], -1e-10)):
                near = [q for q in arm.configurations(T, psi + inwards)
                        if arm.branch(q) == tuple(row[:3])]
                assert len(near) == 1
                off = min(apart(near[0], limit)[some].min() for limit in (lower, upper))
                ends = len(arm.configurations(T, psi - 1e4 * inwards)) != len(
                    arm.configurations(T, psi + 1e4 * inwards))
                assert off < 1e-7 or ends
                seen += 1
    assert seen > 0


def test_limits_mean_the_same_whole_turns_on_and_none_leave_every_branch_whole():
    arm, rng = iiwa(), np.random.default_rng(707)
    for _ in range(robots.samples(40)):
        T = arm.chain.forward(robots.random_q(arm.chain, rng))
        turns = 2 * np.pi * rng.integers(-2, 3, 7)
        rows = arm.intervals(T)
        assert arm.intervals(T, arm.chain.lower + turns,
                             arm.chain.upper + turns) == pytest.approx(rows, abs=1e-9)
        for limit in (np.inf, np.pi, 4.0):
            free = arm.intervals(T, np.full(7, -limit), np.full(7, limit))
            assert free[:, :3].tolist() == [[a, b, c] for a in (1, -1) for b in (1, -1)
                                            for c in (1, -1)]
            assert (free[:, 3:] == [-np.pi, np.pi]).all()


def test_an_arm_straight_up_shares_the_swivel_angle_between_joints_1_and_3():
    # Bent towards +x by axis 4 = +y, the elbow stays behind, at −x: ψ = π + θ1 + θ3 from x.
    arm = own_7r()
    free = [np.inf] * 4
    limits = np.array([0.5, 1.0, 0.3, *free])
    rows = arm.intervals(arm.chain.forward([0.1, 0, 0.1, 0, 0.2, 0, 0]), -limits, limits)
    assert rows[0, 3:] == pytest.approx([np.pi - 0.8, np.pi + 0.8], abs=1e-7)
