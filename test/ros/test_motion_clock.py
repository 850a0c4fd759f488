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


@pytest.mark.parametrize('steps', [
    [(100.2, 0.2), (100.5, 0.5)], [(100.4, 0.4), (3.0, 0.4), (3.1, 0.5)], [(1e6, 0.5)]],
    ids=['followed', 'set back: stands for that moment', 'a leap: half a second at most'])
def test_simulated_time_runs_on(steps):
    node = Node(100.0)
    clock = MotionClock(node)
    for seconds, run in steps:
        node.seconds = seconds
        assert clock.now() == pytest.approx(run)


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
