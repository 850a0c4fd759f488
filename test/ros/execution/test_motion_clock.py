"""The time that motions run by, whatever happens to the clock behind it."""

import time
from types import SimpleNamespace

import numpy as np
import pytest
from rclpy.parameter import Parameter

from harness.node_here import NodeHere
from ik_node.ros.execution.motion_clock import MotionClock, next_sample


class Clock:
    """A clock of rclpy, simulated or not; `seconds`: what it shows."""

    def __init__(self, seconds, simulated=False):
        self.seconds, self.ros_time_is_active = seconds, simulated

    def now(self):
        return SimpleNamespace(nanoseconds=round(self.seconds * 1e9))


class Node(Clock):
    """A node is to a motion clock what has a clock."""

    def get_clock(self):
        return self

    def create_jump_callback(self, threshold, post_callback):
        assert threshold.on_clock_change
        self._on_change = post_callback

    def simulate(self):
        self.ros_time_is_active = True
        self._on_change(None)


@pytest.fixture
def real(monkeypatch):
    """Return a node with real time, that of the machine, which is at 100 s."""
    node = Node(100.0)
    monkeypatch.setattr(time, 'time_ns', lambda: node.now().nanoseconds)
    return node


@pytest.fixture
def steady():
    return Clock(50.0)


@pytest.mark.parametrize('steps', [
    [(100.2, 0.2), (100.5, 0.5)], [(100.4, 0.4), (3.0, 0.4), (3.1, 0.5)], [(1e6, 0.5)]],
    ids=['followed', 'set back: stands for that moment', 'a leap: half a second at most'])
def test_simulated_time_runs_on(steady, steps):
    node = Node(100.0, simulated=True)
    clock = MotionClock(node, steady)
    for seconds, run in steps:
        node.seconds = seconds
        assert clock.read() == (pytest.approx(run), round(seconds * 1e9))


def test_real_time_follows_the_clock_of_the_machine_whose_stamp_it_has(real, steady):
    clock = MotionClock(real, steady)
    real.seconds, steady.seconds = 100.125, 50.13  # read a little later
    assert clock.read() == (0.125, 100_125_000_000)


def test_real_time_does_not_leap_with_the_clock_of_the_machine(real, steady):
    clock = MotionClock(real, steady)
    real.seconds, steady.seconds = 1e6, 50.03
    assert clock.read().seconds == pytest.approx(0.03, abs=0.011)
    before = clock.read().seconds
    real.seconds, steady.seconds = 5.0, 50.06  # set back
    assert clock.read().seconds == before
    real.seconds, steady.seconds = 5.02, 50.08
    assert clock.read().seconds == pytest.approx(before + 0.02)


@pytest.mark.parametrize('simulated', [False, True])
def test_motion_time_never_passes_faster_than_the_stamps(real, steady, simulated):
    node, rng = Node(100.0, simulated=True) if simulated else real, np.random.default_rng(0)
    clock = MotionClock(node, steady)
    readings = [clock.read()]
    for _ in range(2000):
        node.seconds += rng.choice([1e-6, 1e-3, 0.03, 2.0, -1e-3, -50.0])
        steady.seconds += rng.choice([1e-6, 1e-3, 0.03, 2.0])
        readings.append(clock.read())
    passed = np.diff([reading.seconds for reading in readings])
    by_stamps = 1e-9 * np.diff([reading.stamp for reading in readings])
    assert (passed >= 0.0).all()
    assert (passed <= np.maximum(by_stamps, 0.0) + 1e-12).all()
    assert passed.max() == pytest.approx(0.5)


def test_a_change_between_the_two_is_no_leap(real, steady):
    clock = MotionClock(real, steady)
    before = clock.read().seconds
    real.simulate()
    assert clock.read().seconds == before
    real.seconds = 100.1
    assert clock.read().seconds == pytest.approx(before + 0.1)


def test_the_clock_of_a_node_shows_when_simulation_begins_and_ends(steady):
    with NodeHere(start=None) as here:
        clock, simulated = MotionClock(here.subject, steady), here.subject.get_clock().now()
        assert clock.stamp() == simulated.nanoseconds
        here.subject.set_parameters([Parameter('use_sim_time', value=False)])
        assert abs(clock.stamp() - time.time_ns()) < 10 ** 10
        here.subject.set_parameters([Parameter('use_sim_time', value=True)])
        assert clock.stamp() == simulated.nanoseconds
        clock.destroy()


def test_samples_are_a_step_apart_and_follow_the_clock_slowly():
    step, sample, clock = 5_000_000, 0, 2_000_000
    before = []
    for late in [0, 900_000, 0, 0] * 500:  # the clock is read late now and then
        clock += step
        before.append(sample)
        sample = next_sample(sample, step, clock + late)
        assert abs(sample - before[-1] - step) < 7_000
    assert abs(clock - sample) < 300_000


@pytest.mark.parametrize('jump', [10 ** 9, -10 ** 9])
def test_samples_go_on_at_the_time_of_a_clock_that_was_set(jump):
    assert next_sample(10 ** 10, 5_000_000, 10 ** 10 + jump) == 10 ** 10 + jump
