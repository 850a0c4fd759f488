"""What controllers are sent of random motions: exactly what was planned, within the limits."""

import numpy as np
import pytest
from rclpy.serialization import serialize_message

import robots
from harness.controller_rig import START, TREE, moving
from harness.published_arm import MOST, PERIOD, PublishedArm, move
from ik_node.motion.trajectory import Part


@moving
@pytest.mark.parametrize('seed', [0, pytest.param(1, marks=pytest.mark.slow)])
def test_goals_in_quick_succession_are_published_as_planned_and_within_the_limits(motion, seed):
    rng = np.random.default_rng(seed)
    longest = 0.002 if motion == 'joint' else 0.08
    arm = PublishedArm(motion, TREE, START, lambda: rng.uniform(0.0, longest))
    move(arm, motion, START, max(robots.samples(100), 30), rng)
    worst = arm.worst()
    for name, most in MOST.items():
        assert worst[name] < most, name


def test_goals_while_the_next_motion_is_still_to_begin_do_not_make_the_arm_jump():
    arm = PublishedArm('cartesian', TREE, START, lambda: 0.02)
    T = arm.controller.group.chain.forward(START)
    for y in (0.1, 0.05, 0.12, 0.03):
        T[1, 3] += y
        arm.go(T)
        arm.elapse(0.06)
    assert any(isinstance(part, Part) for part in arm.controller.motion.parts)
    assert arm.worst()['velocity'] < 1.0001


@moving
def test_a_motion_has_not_begun_before_a_controller_has_it(motion):
    arm = PublishedArm(motion, TREE, START, lambda: 0.001, delay=0.009)
    arm.elapse(0.1)
    T = arm.controller.group.chain.forward(START)
    for _ in range(3):
        T[1, 3] -= 0.1
        arm.go(T)
        arm.elapse(5.0)
    worst = arm.worst()
    assert len(arm.received) == 3
    assert worst['commanded acceleration'] < 1.0001
    assert worst['rad from joint states'] < 1e-6


@moving
def test_motions_of_many_points_take_longer_to_reach_a_controller(motion):
    # As measured: 17 µs for each point.
    arm = PublishedArm(motion, TREE, START, lambda: 0.001, delay_of_point=1.7e-5, speed=0.05)
    T = arm.controller.group.chain.forward(START)
    for y in (0.1, -0.1, 0.15):
        T[1, 3] += y
        arm.go(T)
        arm.elapse(3.0)
    assert max(len(one.trajectory.times) for one in arm.received) > 1200
    worst = arm.worst()
    assert worst['rad from one to the next'] < 1e-9
    assert worst['commanded acceleration'] < 1.0001


@moving
def test_messages_of_long_motions_fit_into_the_buffers_of_dds(motion):
    arm = PublishedArm(motion, TREE, START, lambda: 0.001, speed=0.01)
    T = arm.controller.group.chain.forward(START)
    T[1, 3] += 0.3
    arm.go(T)
    (one,) = arm.received
    assert one.trajectory.times[-1] > 60.0
    assert len(serialize_message(arm._messages[0][1])) < 420_000


@moving
def test_uneven_cycles_make_no_command_that_a_controller_finds_out_of_limits(motion):
    arm = PublishedArm(motion, TREE, START, lambda: 0.001, velocity_limits=0.3)
    T = arm.controller.group.chain.forward(START)
    T[1, 3] -= 0.2
    arm.go(T)
    (one,) = arm.received
    cycles = PERIOD * np.random.default_rng(0).uniform(0.96, 1.04, round(
        one.trajectory.times[-1] / PERIOD))
    q = one.trajectory.at(one.trajectory.stamp + np.cumsum(cycles)).position
    part = (np.abs(np.diff(q, axis=0)) / (PERIOD * 0.3)).max()
    assert 0.93 < part < 1.0
