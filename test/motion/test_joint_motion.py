"""Motion in joint space: known durations, no limit exceeded, blends without a step."""

import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip('ruckig', reason='ruckig is not installed (make test brings it from PyPI)')

import robots
from ik_node.motion import joint_motion as joint_motion_module
from ik_node.motion.joint_motion import joint_motion, joint_motion_through, stopping
from ik_node.motion.limits import motion_limits
from ik_node.motion.ruckig_profile import reach_state, stop
from ik_node.motion.trajectory import Rest, Series, State, left_of
from ik_node.support.clock import Cancellation
from ik_node.support.exceptions import InputError, MotionError

V, A, J = 1.0, 2.0, 10.0
STEP = 0.01  # s
ROUNDING = 1e-9


def one_joint(limit=10.0):
    chain = robots.planar(1.0, limit=limit)
    return chain, motion_limits(chain, V, A, J)


def seven_segments(path):
    """Return the duration from rest to rest by the formulas of the double S [Biagiotti 3.4]."""
    if path >= V * (V / A + A / J):          # full speed is reached
        return path / V + V / A + A / J
    if path >= 2.0 * A ** 3 / J ** 2:        # full acceleration is
        return A / J + np.sqrt((A / J) ** 2 + 4.0 * path / A)
    return 4.0 * np.cbrt(path / (2.0 * J))   # neither


def assert_kept(limits, motion, until=None):
    """Check every sample of a motion, and its differences, against the limits."""
    times = np.arange(0.0, motion.duration if until is None else until, STEP)
    q, v, a = motion.sample(times)
    over = 1.0 + ROUNDING
    assert robots.inside(limits, q)
    assert (np.abs(v) <= limits.velocity * over).all()
    assert (np.abs(a) <= limits.acceleration * over).all()
    # The mean of a derivative is never larger than its largest value.
    assert (np.abs(np.diff(q, axis=0)) <= STEP * limits.velocity * over + ROUNDING).all()
    assert (np.abs(np.diff(v, axis=0)) <= STEP * limits.acceleration * over + ROUNDING).all()
    assert (np.abs(np.diff(a, axis=0)) <= STEP * limits.jerk * over + ROUNDING).all()
    # Velocity is the derivative of the position, to second order.
    assert np.diff(q, axis=0) == pytest.approx(
        0.5 * STEP * (v[1:] + v[:-1]), abs=STEP ** 3 * limits.jerk.max() + ROUNDING)


@pytest.mark.parametrize('path', [0.01, 0.1, 0.159, 0.161, 0.5, 0.699, 0.701, 3.0, -3.0])
def test_one_joint_takes_the_time_of_the_textbook(path):
    chain, limits = one_joint()
    motion = joint_motion(chain, limits, Rest(np.zeros(1)), [path])
    assert motion.duration == pytest.approx(seven_segments(abs(path)), abs=1e-9)
    assert motion.at(motion.duration).position.tolist() == [path]
    assert not motion.at(motion.duration).moves
    assert motion.at(0.0).position.tolist() == [0.0]
    assert motion.at(0.5 * motion.duration).position == pytest.approx([0.5 * path])
    assert_kept(limits, motion)


def test_joints_arrive_together_and_the_slowest_sets_the_time():
    chain = robots.planar(1.0, 1.0, 1.0, limit=3.0)
    limits = motion_limits(chain, V, A, J)
    motion = joint_motion(chain, limits, Rest(np.zeros(3)), [0.5, -2.0, 0.1])
    assert motion.duration == pytest.approx(seven_segments(2.0))
    almost = motion.at(motion.duration - 0.05)
    assert (np.abs(almost.velocity) > 1e-6).all()


def test_half_the_speed_takes_twice_as_long_on_the_same_path():
    chain = robots.chain('ur5')
    ends = robots.random_q(chain, np.random.default_rng(0)), robots.random_q(
        chain, np.random.default_rng(1))
    whole, half = (joint_motion(chain, motion_limits(chain, speed=speed), Rest(ends[0]), ends[1])
                   for speed in (1.0, 0.5))
    assert half.duration == pytest.approx(2.0 * whole.duration)
    for t in np.linspace(0.0, whole.duration, 7):
        assert half.at(2.0 * t).position == pytest.approx(whole.at(t).position)


@pytest.mark.parametrize('name', ['panda', 'ur5', 'iiwa14', 'so101'])
def test_random_moves_and_blends_exceed_no_limit_at_any_sample(name):
    chain, rng = robots.chain(name), np.random.default_rng(5)
    limits = motion_limits(chain)
    present = Rest(robots.random_q(chain, rng))
    for _ in range(robots.samples(80)):
        motion = joint_motion(chain, limits, present, robots.random_q(chain, rng))
        begin, before = motion.at(0.0), present.at(0.0)
        for new, old in zip(begin, before):
            assert new == pytest.approx(old, abs=1e-9)
        # Most are interrupted somewhere, some have come to their end.
        until = motion.duration * min(rng.uniform(0.0, 1.2), 1.0)
        assert_kept(limits, motion, until)
        present = left_of(motion, until)


def test_a_blend_does_not_stop():
    chain, limits = one_joint()
    present = left_of(joint_motion(chain, limits, Rest(np.zeros(1)), [2.0]), 1.0)
    motion = joint_motion(chain, limits, present, [3.0])
    assert min(abs(motion.at(t).velocity[0]) for t in np.linspace(0.0, 1.0, 50)) > 0.5
    assert motion.duration < seven_segments(3.0 - present.at(0.0).position[0])


def test_a_continuous_joint_turns_in_the_shorter_direction():
    chain = robots.planar(1.0)
    motion = joint_motion(chain, motion_limits(chain), Rest(np.array([3.0])), [-3.0])
    assert motion.end == pytest.approx([2.0 * np.pi - 3.0])


def test_a_body_turns_in_the_shorter_direction_as_its_chain_does_inside_the_limits():
    chain = robots.planar(1.0, limit=2.0 * np.pi)
    for space in (chain, chain.tree.body()):
        motion = joint_motion(space, motion_limits(space), Rest(np.array([6.0])), [-0.2])
        assert motion.end == pytest.approx([2.0 * np.pi - 0.2])


def test_extrema_are_those_of_a_dense_sampling():
    rng = np.random.default_rng(7)
    chain = robots.planar(1.0, 1.0, 1.0)
    limits = motion_limits(chain, [3.0, 1.0, 0.5], [4.0, 2.0, 1.0], [40.0, 10.0, 5.0])
    for k in range(60):
        state = State(rng.uniform(-1, 1, 3), rng.uniform(-1, 1, 3) * limits.velocity,
                      rng.uniform(-1, 1, 3) * limits.acceleration)
        profile = reach_state(limits, state, rng.uniform(-1, 1, 3)) if k % 2 else stop(
            limits, state)
        q, v, _ = profile.sample(np.linspace(0.0, profile.duration, 500))
        assert profile.highest == pytest.approx(q.max(axis=0), abs=1e-4)
        assert profile.lowest == pytest.approx(q.min(axis=0), abs=1e-4)
        assert profile.fastest == pytest.approx(np.abs(v).max(axis=0), abs=1e-2)
        assert (profile.highest >= q.max(axis=0) - 1e-12).all()


def test_an_arm_brakes_first_where_a_synchronised_blend_would_leave_the_limits():
    chain = robots.planar(1.0, 1.0, 1.0, limit=1.0)
    limits = motion_limits(chain, [3.0, 0.3, 1.0], [4.0, 1.0, 9.0], [40.0, 0.8, 500.0])
    state = State(np.array([-0.09911997, -0.74739238, 0.8139139]),
                  np.array([1.73101804, -0.04309831, 0.1224946]),
                  np.array([2.67999249, -0.55626808, 0.4021165]))
    goal = np.array([1.0, -1.0, -1.0])
    assert reach_state(limits, state, goal).excess > 5e-4
    motion = joint_motion(chain, limits, state, goal)
    assert_kept(limits, motion)
    assert not motion.at(stop(limits, state).duration).moves
    assert motion.end.tolist() == goal.tolist()


def near_the_limit():
    """Return a chain with limits ±1, slow limits, and a quick motion that just stops there."""
    chain = robots.planar(1.0, limit=1.0)
    quick = motion_limits(chain, 3.0, 20.0, 400.0)
    motion = joint_motion(chain, quick, Rest(np.array([-1.0])), [1.0])
    return chain, motion_limits(chain, 3.0, 4.0, 400.0), motion


def test_an_arm_that_cannot_stop_within_new_limits_brakes_as_hard_as_the_present_motion():
    chain, slow, present_motion = near_the_limit()
    t = 0.75 * present_motion.duration
    state = present_motion.at(t)
    assert reach_state(slow, state, np.array([-1.0])).highest[0] > 1.001
    assert stop(slow, state).highest[0] > 1.001
    present = left_of(present_motion, t)
    motion = joint_motion(chain, slow, present, [-1.0])
    braking, onward = motion.parts
    assert braking.highest[0] <= 1.0
    assert braking.duration <= present.duration
    assert braking.strongest[0] <= present.peaks()[1][0] * (1.0 + ROUNDING)
    assert_kept(slow, onward)
    assert motion.end.tolist() == [-1.0]


def test_where_no_other_motion_is_found_the_present_one_continues(monkeypatch):
    chain, slow, present_motion = near_the_limit()
    t = 0.75 * present_motion.duration

    def none(limits, state, *rest):
        if state.moves:
            raise MotionError('none')
        return reach_state(limits, state, *rest)
    monkeypatch.setattr('ik_node.motion.joint_motion.reach_state', none)
    monkeypatch.setattr('ik_node.motion.joint_motion.stop', none)
    motion = joint_motion(chain, slow, left_of(present_motion, t), [-1.0])
    assert motion.at(0.1).position == pytest.approx(present_motion.at(t + 0.1).position)
    assert motion.sample(np.arange(0.0, motion.duration, 0.001)).position.max() <= 1.0
    assert motion.end.tolist() == [-1.0]


@pytest.mark.parametrize('speed', [0.9, 0.5, 0.1, 0.05, 0.01, 0.001])
@pytest.mark.parametrize('name', ['panda', 'ur5'])
def test_slower_limits_in_the_middle_of_a_motion_are_kept_as_soon_as_possible(name, speed):
    chain, rng = robots.chain(name), np.random.default_rng(8)
    limits, slow = motion_limits(chain), motion_limits(chain, speed=speed)
    for _ in range(robots.samples(50)):
        q0, q1, q2 = (robots.random_q(chain, rng) for _ in range(3))
        first = joint_motion(chain, limits, Rest(q0), q1)
        present = left_of(first, rng.uniform(0.0, 1.0) * first.duration)
        motion = joint_motion(chain, slow, present, q2)
        for new, old in zip(motion.at(0.0), present.at(0.0)):
            assert new == pytest.approx(old, abs=1e-9)
        parts = motion.parts if isinstance(motion, Series) else [motion]
        if len(parts) > 1 and not parts[0].keeps_limits:
            assert parts[0].stays_inside
        q, v, a = motion.sample(np.linspace(0.0, motion.duration, 2000))
        assert robots.inside(chain, q)
        most_v, most_a, _ = present.peaks()
        assert (np.abs(v) <= np.maximum(most_v, slow.velocity) * (1.0 + 1e-6)).all()
        assert (np.abs(a) <= np.maximum(most_a, slow.acceleration) * (1.0 + 1e-6)).all()
        # What exceeds the new limits is over sooner than the motion under way would have been.
        over = motion.sample(np.linspace(present.duration, motion.duration, 500))
        assert (np.abs(over.velocity) <= slow.velocity * (1.0 + 1e-6)).all() or speed == 0.9
        assert motion.end == pytest.approx(q2)


def test_a_motion_longer_than_ruckig_computes_is_refused_with_the_reason():
    chain = robots.planar(1.0, 1.0, limit=10.0)
    slow = motion_limits(chain, 1e-4)
    moving = left_of(joint_motion(chain, motion_limits(chain, V, A, J), Rest(np.zeros(2)),
                                  [1.0, 2.0]), 0.5)
    for start in (Rest(np.zeros(2)), moving, moving.at(0.0)):
        with pytest.raises(MotionError, match='it would last over 7,600 s'):
            joint_motion(chain, slow, start, [1.0, 4.5])


def test_a_state_alone_that_cannot_stop_in_time_leaves_the_limits_by_as_little_as_possible():
    chain, slow, present_motion = near_the_limit()
    state = present_motion.at(0.75 * present_motion.duration)
    motion = joint_motion(chain, slow, state, [-1.0])
    q = motion.sample(np.arange(0.0, motion.duration, 0.001)).position
    least = min(reach_state(slow, state, np.array([-1.0])).highest[0], stop(slow, state).highest[0])
    assert q.max() == pytest.approx(least, abs=1e-3)
    assert motion.end.tolist() == [-1.0]


def test_to_stop_takes_the_time_of_the_textbook_and_keeps_the_limits():
    chain, limits = one_joint()
    present = left_of(joint_motion(chain, limits, Rest(np.zeros(1)), [3.0]), 1.0)
    motion = stopping(present, limits)
    assert motion.duration == pytest.approx(V / A + A / J)
    assert motion.end[0] - present.at(0.0).position[0] == pytest.approx(0.5 * V * (V / A + A / J))
    assert_kept(limits, motion)
    chain, slow, present_motion = near_the_limit()
    present = left_of(present_motion, 0.75 * present_motion.duration)
    motion = stopping(present, slow)
    assert motion.end <= 1.0
    assert motion.duration <= present.duration


def test_waypoints_are_all_met_in_order_and_no_limit_is_exceeded():
    chain, rng = robots.chain('ur5'), np.random.default_rng(3)
    limits = motion_limits(chain)
    present = Rest(robots.random_q(chain, rng))
    for _ in range(20):
        configurations = np.array([robots.random_q(chain, rng) for _ in range(4)])
        motion = joint_motion_through(chain, limits, present, configurations)
        assert_kept(limits, motion)
        times = np.cumsum([part.duration for part in motion.parts])[-4:]
        for t, q in zip(times, configurations):
            assert motion.at(t).position == pytest.approx(q, abs=1e-8)
        present = left_of(motion, rng.uniform(0.0, 1.0) * motion.duration)


def test_waypoints_are_met_from_a_speed_that_new_limits_do_not_allow():
    chain, slow, present_motion = near_the_limit()
    present = left_of(present_motion, 0.75 * present_motion.duration)
    here = present.at(0.0).position
    motion = joint_motion_through(chain, slow, present, [here - 0.2, here - 0.4])
    last = motion.parts[-1]
    assert motion.at(motion.duration - last.duration).position == pytest.approx(
        here - 0.2, abs=1e-8)
    assert motion.end == pytest.approx(here - 0.4, abs=1e-8)
    assert_kept(slow, last)


def test_waypoints_on_a_line_are_passed_without_a_stop():
    chain, rng = robots.chain('panda'), np.random.default_rng(4)
    limits = motion_limits(chain)
    a, b = robots.random_q(chain, rng), robots.random_q(chain, rng)
    configurations = a + np.linspace(0.1, 1.0, 10)[:, None] * (b - a)
    motion = joint_motion_through(chain, limits, Rest(a), configurations)
    assert_kept(limits, motion)
    direct = joint_motion(chain, limits, Rest(a), b).duration
    stopping = sum(joint_motion(chain, limits, Rest(p), q).duration
                   for p, q in zip([a, *configurations], configurations))
    assert direct <= motion.duration < 1.5 * direct < stopping
    inner = motion.sample(np.linspace(0.3, 0.7, 50) * motion.duration).velocity
    assert (np.abs(inner).max(axis=1) > 0.2 * limits.velocity.min()).all()


def winding(count):
    """Return an arm, its limits and configurations (count, n) on a smooth path."""
    chain = robots.chain('arm_6r')
    rng = np.random.default_rng(0)
    a, b = (robots.random_q(chain, rng, 0.5) for _ in range(2))
    part = np.linspace(0.0, 1.0, count)[:, None]
    return chain, motion_limits(chain), (
        a + part * (b - a) + 0.2 * np.sin(6.0 * part * rng.uniform(0.5, 1.0, 6)))


@pytest.mark.parametrize(('count', 'duration'), [(50, 5.571678), (200, 9.820657)])
def test_the_duration_through_waypoints_is_known(count, duration):
    chain, limits, path = winding(count)
    motion = joint_motion_through(chain, limits, Rest(path[0]), path)
    assert motion.duration == pytest.approx(duration, abs=1e-5)


def test_the_time_through_many_waypoints_is_proportional_to_their_number(monkeypatch):
    calls, reach_state = [], joint_motion_module.reach_state
    monkeypatch.setattr(joint_motion_module, 'reach_state', lambda *arguments: (
        calls.append(arguments), reach_state(*arguments))[1])
    chain, limits, path = winding(400)
    joint_motion_through(chain, limits, Rest(path[0]), path)
    assert 400 <= len(calls) <= 10 * 400


def test_planning_through_many_waypoints_can_be_cancelled():
    chain, limits, path = winding(400)
    cancelled = Cancellation()
    cancelled.cancel()
    with cancelled, pytest.raises(MotionError, match='cancelled'):
        joint_motion_through(chain, limits, Rest(path[0]), path)


def test_a_joint_that_turns_round_at_a_waypoint_does_not_overshoot_it():
    chain, limits = one_joint(limit=1.0)
    motion = joint_motion_through(chain, limits, Rest(np.zeros(1)), [[1.0], [0.5], [0.8]])
    assert_kept(limits, motion)
    t = motion.parts[0].duration
    assert motion.at(t).position == pytest.approx([1.0])
    assert motion.at(t).velocity == pytest.approx([0.0], abs=1e-9)


@pytest.mark.parametrize(('configuration', 'words'), [
    ([11.0], r'configuration 1: 11 is outside the limits -10 to 10 of joint .joint_1'),
    ([0.0, 1.0], r'configurations must have the shape \(1,\) or \(m, 1\), not \(1, 2\)'),
    ([np.nan], 'configurations must be finite')])
def test_a_configuration_that_is_none_is_refused(configuration, words):
    chain, limits = one_joint()
    with pytest.raises(InputError, match=words):
        joint_motion(chain, limits, Rest(np.zeros(1)), configuration)


def test_a_state_may_be_given_instead_of_a_motion():
    chain, limits = one_joint()
    state = State(np.array([0.2]), np.array([0.8]), np.array([-0.5]))
    motion = joint_motion(chain, limits, state, [-1.0])
    for new, old in zip(motion.at(0.0), state):
        assert new == pytest.approx(old)
    assert_kept(limits, motion)


def test_without_ruckig_it_is_said_what_to_install():
    code = ('import sys; sys.modules["ruckig"] = None\n'
            'from ik_node.support.exceptions import UnsupportedError\n'
            'from ik_node.motion.ruckig_profile import ruckig_module\n'
            'try: ruckig_module()\n'
            'except UnsupportedError as error: print(error)')
    said = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True)
    assert 'needs ruckig, which is not installed; install it with "pip install ruckig"' in (
        said.stdout)
