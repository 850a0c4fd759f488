"""Trajectories: cut, joined, and as splines whose excess over the limits is exact."""

import numpy as np
import pytest

import robots
from ik_node.motion.limits import motion_limits
from ik_node.motion.trajectory import Part, Rest, Series, SplineTrajectory, left_of

chain = robots.planar(1.0, 1.0, limit=3.0)
limits = motion_limits(chain, 1.0, 2.0, 20.0)


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


def test_a_part_is_what_the_whole_does_then():
    motion = swing(0.0, 1.0)
    part = Part(Part(motion, 0.2), 0.3)
    assert part.whole is motion
    assert part.duration == pytest.approx(0.5)
    assert part.at(0.1).position == pytest.approx(motion.at(0.6).position)
    cut = Part(motion, 0.2, 0.4)
    assert cut.duration == pytest.approx(0.4)
    assert cut.end == pytest.approx(motion.at(0.6).position)
    assert cut.sample(np.array([0.1, 9.0])).position[1] == pytest.approx(cut.end)


def test_a_series_is_one_after_the_other_and_lies_flat():
    there, back = swing(0.0, 1.0), swing(1.0, 0.0, 2.0)
    series = Series([Rest(np.zeros(2)), Series([there]), back])
    assert series.parts == [there, back]
    assert series.duration == pytest.approx(3.0)
    assert series.at(0.4).position == pytest.approx(there.at(0.4).position)
    assert series.at(1.4).velocity == pytest.approx(back.at(0.4).velocity)
    assert series.end == pytest.approx(back.end)
    assert series.to_rest().duration == pytest.approx(1.0)


def test_what_is_left_goes_on_as_the_whole_did():
    there, back = swing(0.0, 1.0), swing(1.0, 0.0, 2.0)
    series = Series([there, back])
    for t in (0.3, 1.3):
        left = left_of(series, t)
        assert left.duration == pytest.approx(3.0 - t)
        for later in (0.0, 0.5, 1.2):
            for new, old in zip(left.at(later), series.at(t + later)):
                assert new == pytest.approx(old)
    assert left_of(series, 4.0).duration == 0.0
    assert left_of(series, 4.0).end == pytest.approx(series.end)


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
