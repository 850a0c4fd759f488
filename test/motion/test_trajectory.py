"""Trajectories: parts and series nested at random, and splines whose excess is exact."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import robots
from harness.followed import Followed
from ik_node.motion.limits import motion_limits
from ik_node.motion.trajectory import (
    Part,
    Rest,
    Series,
    SplineTrajectory,
    State,
    Trajectory,
    left_of,
)

chain = robots.planar(1.0, 1.0, limit=9.0)
limits = motion_limits(chain, 1.0, 2.0, 20.0)


def reference(curves, t):
    """Return the state at a time; curves: (trajectory, begin, end) one after the other."""
    for whole, begin, end in curves:
        if t < end - begin:
            return whole.at(begin + t)
        t -= end - begin
    whole, _, end = curves[-1]
    return State.at_rest(whole.end if end >= whole.duration else whole.at(end).position)


def cut(curves, start, duration):
    """Return the curves from a start on, for a duration."""
    found = []
    for whole, begin, end in curves:
        length = end - begin
        a, b = max(start, 0.0), min(length, start + duration)
        if b > a:
            found.append((whole, begin + a, begin + b))
        start -= length
    return found


def spline(rng, start):
    times = np.concatenate([[0.0], np.cumsum(rng.uniform(0.05, 0.4, rng.integers(2, 6)))])
    q = np.vstack([start, start + rng.uniform(-1.0, 1.0, (len(times) - 1, 2))])
    return SplineTrajectory(times, q, limits)


def ruckig(rng, start):
    pytest.importorskip('ruckig', reason='ruckig is not installed')
    from ik_node.motion.joint_motion import joint_motion
    return joint_motion(chain, limits, Rest(start), rng.uniform(-1.0, 1.0, 2))


@st.composite
def trajectories(draw):
    """Return a trajectory that is built at random, and the curves that it should be."""
    rng = np.random.default_rng(draw(st.integers(0, 2 ** 32)))
    kinds = draw(st.lists(st.sampled_from([spline, ruckig]), min_size=1, max_size=3))
    parts, q = [], np.zeros(2)
    for kind in kinds:
        parts.append(kind(rng, q))
        q = parts[-1].end
    curves = [(part, 0.0, part.duration) for part in parts]
    found = parts[0] if len(parts) == 1 else Series(parts)
    for step in draw(st.lists(st.sampled_from(['left', 'part', 'rest', 'blend', 'on']),
                              max_size=6)):
        start = float(rng.choice([0.0, rng.uniform(0.0, 0.6), 0.6])) * found.duration
        length = float(rng.uniform(0.1, 1.0)) * (found.duration - start)
        if step == 'left':
            found, curves = left_of(found, start), cut(curves, start, np.inf)
        elif step == 'part':
            found, curves = Part(found, start, length), cut(curves, start, length)
        elif step == 'rest':
            found = Part(found, start)
            curves = cut(curves, start, np.inf)
        elif step == 'blend':  # as while the next motion is planned
            found = Series([Part(found, start, length), left_of(found, start + length)])
            curves = cut(curves, start, np.inf)
        else:
            more = spline(rng, found.end)
            found = Series([found, more])
            curves = [*curves, (more, 0.0, more.duration)]
    return found, curves


@given(trajectories())
@settings(max_examples=robots.samples(400), deadline=None, derandomize=True)
def test_parts_and_series_are_the_curves_that_they_are_made_of(both):
    found, curves = both
    duration = sum(end - begin for _, begin, end in curves)
    assert found.duration == pytest.approx(duration, abs=1e-9)
    # Not beside the joints of two curves, where rounding decides which of them it is.
    ends = np.cumsum([end - begin for _, begin, end in curves])
    times = np.linspace(-0.1, duration + 0.1, 60)
    times = times[np.abs(times[:, None] - ends).min(axis=1) > 1e-9]
    for one, t in zip(zip(*found.sample(times)), times.tolist()):
        expected = reference(curves, max(t, 0.0))
        for values, at, exact in zip(one, found.at(t), expected):
            assert values == pytest.approx(exact, abs=1e-6)
            assert at == pytest.approx(values, abs=1e-12)
    # Just before its end a part in motion moves.
    whole, _, end = curves[-1]
    assert found.rests == (end >= whole.duration - 1e-12)
    assert found.knots[[0, -1]] == pytest.approx([0.0, found.duration])
    assert (np.diff(found.knots) >= 0.0).all()


@given(trajectories())
@settings(max_examples=robots.samples(200), deadline=None, derandomize=True)
def test_a_quintic_between_its_points_is_the_trajectory(both):
    found, curves = both
    times = found.point_times(0.05, 1000)
    assert times[0] == 0.0
    assert (np.diff(times) > 0.0).all()
    assert np.diff(times).max(initial=0.0) <= 0.05 + 1e-6
    points = found.raw(times)
    followed = Followed(0.0, times, points)
    # The splines above do not begin and end with the same acceleration.
    joints = np.cumsum([end - begin for _, begin, end in curves])
    last = times[np.clip(np.searchsorted(times, followed.dense(), side='right'), 0, len(times) - 1)]
    t = followed.dense()[np.abs(last[:, None] - joints).min(axis=1) > 1e-5]
    for values, planned, tolerance in zip(followed.at(t), found.sample(t), (1e-9, 1e-6, 1e-3)):
        assert values == pytest.approx(planned, abs=tolerance)


def test_goals_in_quick_succession_nest_no_trajectories():
    motion = spline(np.random.default_rng(0), np.zeros(2))
    present = motion
    for _ in range(2000):
        present = left_of(Series([Part(present, 0.0, 1e-4), left_of(present, 1e-4)]), 5e-5)
    assert len(present.parts) < 5
    assert present.at(0.0).position == pytest.approx(motion.at(0.1).position, abs=1e-9)


def test_what_is_left_of_a_series_has_its_parts_and_makes_none_of_its_own():
    rng, parts = np.random.default_rng(0), []
    for _ in range(50):
        parts.append(spline(rng, parts[-1].end if parts else np.zeros(2)))
    motion = Series(parts)
    left = left_of(motion, motion.duration - sum(part.duration for part in parts[20:]) - 0.01)
    assert left.parts[1:] == parts[20:]
    joined = Series([Part(left, 0.0, 0.005), left_of(left, 0.005)])
    assert joined.parts[2:] == parts[20:]
    ends = np.cumsum([part.duration for part in joined.parts])
    assert set(ends[:-1].tolist()) <= set(joined.knots.tolist())


def test_the_peaks_of_a_profile_and_of_a_series_are_those_of_their_samples():
    rng = np.random.default_rng(1)
    first = ruckig(rng, np.zeros(2))
    for motion in (first, Series([first, ruckig(rng, first.end), spline(rng, first.end)])):
        *peaks, jerk = motion.peaks()
        *sampled, between = Trajectory.peaks(motion)
        assert np.array(peaks) == pytest.approx(np.array(sampled), rel=1e-5)
        assert (jerk <= between * (1.0 + 1e-5)).all()  # which counts jumps from part to part


def swing(start, end, duration=1.0):
    """Return a smooth motion between two values of both joints."""
    times = np.linspace(0.0, duration, 41)
    s = times / duration
    ease = (s ** 3 * (10.0 - s * (15.0 - 6.0 * s)))[:, None]
    return SplineTrajectory(times, start + ease * np.array([1.0, 0.5]) * (end - start), limits)


def test_before_its_beginning_and_after_its_end_it_stands():
    motion = swing(0.0, 1.0)
    assert motion.at(-1.0).position == pytest.approx([0.0, 0.0])
    assert motion.at(5.0).position == pytest.approx([1.0, 0.5])
    assert not motion.at(5.0).moves
    assert motion.at(0.5).moves
    assert motion.sample(np.array([0.5, 2.0])).velocity[1].tolist() == [0.0, 0.0]


def test_the_excess_of_a_spline_is_exact():
    rng = np.random.default_rng(1)
    motion = SplineTrajectory(np.linspace(0.0, 2.0, 9), rng.uniform(-1.0, 1.0, (9, 2)), limits)
    _, v, a = motion.sample(np.linspace(0.0, 2.0 - 1e-9, 20001))
    excess = motion.excess()
    assert excess.velocity == pytest.approx((np.abs(v) / limits.velocity).max(), rel=1e-6)
    assert excess.acceleration == pytest.approx((np.abs(a) / limits.acceleration).max(), rel=1e-3)
    assert excess.jerk == pytest.approx(
        (np.abs(np.diff(a, axis=0)) / 1e-4 / limits.jerk).max(), rel=1e-3)
    assert excess.position < 0.0


def test_a_motion_that_takes_as_much_longer_as_it_must_keeps_the_limits():
    times = np.linspace(0.0, 2.0, 9)
    configurations = np.random.default_rng(2).uniform(-1.0, 1.0, (9, 2))
    slower = SplineTrajectory(times, configurations, limits).excess().slower
    excess = SplineTrajectory(times * slower, configurations, limits).excess()
    assert slower > 1.0
    assert max(excess[:3]) == pytest.approx(1.0, abs=1e-5)
    assert max(excess[:3]) <= 1.0
