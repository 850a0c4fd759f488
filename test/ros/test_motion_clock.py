"""The time that motions run by, whatever happens to the clock behind it."""

from types import SimpleNamespace

import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed (make test brings it from PyPI)')

from ik_node.ros.motion_clock import MotionClock


class Node:
    """What a node has of a clock that is simulated, or not."""

    def __init__(self, seconds, simulated=True):
        self.seconds, self.ros_time_is_active = seconds, simulated

    def get_clock(self):
        return self

    def now(self):
        return SimpleNamespace(nanoseconds=round(self.seconds * 1e9))


def test_simulated_time_is_followed():
    node = Node(100.0)
    clock = MotionClock(node)
    node.seconds = 100.2
    assert clock.now() == pytest.approx(0.2)
    node.seconds = 100.5
    assert clock.now() == pytest.approx(0.5)


def test_a_clock_that_is_set_back_stands_for_that_moment():
    node = Node(100.0)
    clock = MotionClock(node)
    node.seconds = 100.4
    assert clock.now() == pytest.approx(0.4)
    node.seconds = 3.0
    assert clock.now() == pytest.approx(0.4)
    node.seconds = 3.1
    assert clock.now() == pytest.approx(0.5)


def test_a_leap_forward_counts_for_half_a_second_at_most():
    node = Node(100.0)
    clock = MotionClock(node)
    node.seconds = 1e6
    assert clock.now() == pytest.approx(0.5)


def test_real_time_takes_no_notice_of_the_clock_of_the_machine():
    node = Node(100.0, simulated=False)
    clock = MotionClock(node)
    node.seconds = 1e6
    assert 0.0 <= clock.now() < 0.4


def test_a_change_between_the_two_is_no_leap():
    node = Node(100.0, simulated=False)
    clock = MotionClock(node)
    before = clock.now()
    node.ros_time_is_active = True
    assert clock.now() == before
    node.seconds = 100.1
    assert clock.now() == pytest.approx(before + 0.1)
