"""7R arms by the swivel angle: which angles the limits allow."""

import numpy as np
import pytest

import robots
from swivel_arms import ARMS, apart, each_arm, iiwa, own_7r


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
        for psi in rng.uniform(-np.pi, np.pi, robots.samples(300)):
            allowed = {arm.branch(q) for q in arm.configurations(T, psi)
                       if inside(q, arm.chain.lower, arm.chain.upper)}
            assert allowed == {branch for branch in signs if covers(rows, branch, psi)}
            shown += len(allowed)
    assert shown > 0


@each_arm
def test_a_configuration_within_the_limits_is_within_an_interval_of_its_branch(make):
    arm, rng = make(), np.random.default_rng(705)
    for _ in range(robots.samples(300)):
        q = robots.random_q(arm.chain, rng)
        rows = arm.intervals(arm.chain.forward(q))
        assert covers(rows, arm.branch(q), arm.swivel(q))
        assert (rows[:, 3] >= -np.pi).all()
        assert (rows[:, 3] <= np.pi).all()
        assert (rows[:, 3] < rows[:, 4]).all()
        assert (rows[:, 4] <= rows[:, 3] + 2 * np.pi + 1e-15).all()


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
                off = min(apart(near[0], limit)[some].min()
                          for limit in (lower, upper))
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
