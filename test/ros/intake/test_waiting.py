"""Goals that wait for a frame, with a clock and a timer that the test turns."""

from types import SimpleNamespace

import pytest

from ik_node.control.worker import NEWER
from ik_node.ros.intake.waiting import Waiting
from ik_node.ros.publishing.status import Arrival

TIMEOUT = 0.2


class Timer:
    """What rclpy's timer is to those who stop and start it."""

    canceled = False

    def cancel(self):
        self.canceled = True

    def reset(self):
        self.canceled = False

    def is_canceled(self):
        return self.canceled


class Node:
    def __init__(self):
        self.timer = Timer()

    def create_timer(self, period, callback, clock):
        assert 0.0 < period <= 0.02
        self.timer.callback = callback
        return self.timer

    def destroy_timer(self, timer):
        assert timer is self.timer
        self.timer = None


class Buffer:
    """Knows frames from a time on, as tf2 does."""

    def __init__(self):
        self.newest = -1.0
        self.has_come = self.knows  # whether another try is useful

    def knows(self, stamp):
        return stamp <= self.newest


class Desk:
    """Handles goals, numbers that are their stamps, as the node does."""

    def __init__(self):
        self.seconds, self.node, self.buffer = 100.0, Node(), Buffer()
        self.answered, self.refused, self.replaced, self.asked = [], [], [], 0
        self.waiting = Waiting(self.node, self, self.take, self.refuse)

    def now(self):
        return SimpleNamespace(nanoseconds=round(1e9 * self.seconds))

    def goal(self, stamp, arm='', timeout=TIMEOUT):
        self.take(arm, (stamp, timeout))

    def take(self, arm, message):
        self.asked += 1
        stamp, timeout = message
        if self.asked > 1 and stamp == 'broken':
            raise ValueError(stamp)
        if stamp != 'broken' and self.buffer.knows(stamp):
            self.answered.append((arm, stamp))
        elif self.waiting.wait(Arrival(arm, stamp, 0.0), message,
                               lambda: self.buffer.has_come(stamp), timeout):
            return
        else:
            self.refused.append((arm, stamp))
        self.waiting.refuse_older(arm)

    def refuse(self, arrival, reason):
        self.replaced.append((arrival.name, arrival.header, reason))

    def after(self, seconds):
        """Let time pass, with a look every hundredth of a second where there is one to come."""
        for _ in range(round(seconds / 0.01)):
            self.seconds += 0.01
            if not self.node.timer.canceled:
                self.node.timer.callback()


@pytest.fixture
def desk():
    return Desk()


def test_a_goal_is_handled_when_its_frame_has_come(desk):
    desk.goal(1.0)
    desk.after(0.1)
    assert (desk.answered, desk.refused) == ([], [])
    desk.buffer.newest = 1.0
    desk.after(0.01)
    assert desk.answered == [('', 1.0)]
    assert desk.asked == 2  # not handled in vain meanwhile
    desk.after(0.5)
    assert desk.refused == []


def test_it_is_refused_once_when_its_time_is_over_and_not_before(desk):
    desk.goal(1.0)
    desk.after(TIMEOUT - 0.02)
    assert desk.refused == []
    desk.after(0.04)
    assert desk.refused == [('', 1.0)]
    desk.after(1.0)
    assert desk.refused == [('', 1.0)]


def test_a_newer_goal_that_is_handled_replaces_those_that_wait(desk):
    desk.goal(5.0)
    desk.goal(-2.0)
    desk.buffer.newest = 9.0
    desk.after(1.0)
    assert desk.answered == [('', -2.0)]
    assert desk.refused == []
    assert desk.replaced == [('', 5.0, NEWER)]


def test_of_goals_whose_frames_come_together_only_the_latest_is_handled(desk):
    for stamp in (1.0, 2.0, 3.0):
        desk.goal(stamp)
    desk.buffer.newest = 2.5
    desk.after(0.01)
    assert desk.answered == [('', 2.0)]
    assert desk.replaced == [('', 1.0, NEWER)]
    desk.buffer.newest = 3.0
    desk.after(0.01)
    assert desk.answered == [('', 2.0), ('', 3.0)]
    assert len(desk.replaced) == 1


def test_a_stream_whose_frames_are_always_late_is_still_handled(desk):
    for _ in range(100):  # at 100 Hz, known 50 ms late
        desk.goal(desk.seconds)
        desk.buffer.newest = desk.seconds - 0.05
        desk.after(0.01)
    stamps = [stamp for _, stamp in desk.answered]
    assert len(stamps) > 80
    assert stamps == sorted(stamps)
    assert desk.refused == []


def test_a_flood_of_goals_in_an_unknown_frame_is_bounded_and_still_refused(desk):
    for k in range(2000):
        desk.goal(1.0 + k)
        if k % 10 == 9:
            desk.after(0.01)
    assert len(desk.waiting.goals['']) <= 16
    assert desk.refused
    desk.after(1.0)
    assert desk.refused[-1] == ('', 2000.0)  # the newest is kept
    assert len(desk.refused) + len(desk.replaced) == 2000


def test_arms_wait_each_for_itself(desk):
    desk.goal(1.0, 'left')
    desk.goal(2.0, 'right')
    desk.goal(-1.0, 'left')
    desk.buffer.newest = 2.0
    desk.after(0.01)
    assert desk.answered == [('left', -1.0), ('right', 2.0)]


def test_what_is_stopped_is_refused_with_the_reason_and_the_timer_rests(desk):
    desk.goal(1.0)
    assert not desk.node.timer.canceled
    desk.waiting.stop('the node rests')
    desk.buffer.newest = 1.0
    desk.after(0.5)
    assert (desk.answered, desk.refused) == ([], [])
    assert desk.replaced == [('', 1.0, 'the node rests')]
    assert desk.node.timer.canceled


def test_one_that_waits_for_a_second_frame_has_no_more_time_for_it(desk):
    start = desk.seconds
    desk.goal(1.0)
    desk.after(0.1)
    desk.buffer.has_come = lambda stamp: True  # it is worth it, and in vain each time
    for _ in range(30):
        if not desk.refused:
            desk.after(0.01)
    assert desk.refused == [('', 1.0)]
    assert desk.asked > 5
    assert desk.seconds == pytest.approx(start + TIMEOUT, abs=0.02)


def test_an_error_in_a_goal_does_not_lengthen_the_time_of_the_next(desk):
    desk.goal('broken')
    desk.buffer.has_come = lambda stamp: True
    with pytest.raises(ValueError, match='broken'):
        desk.after(0.01)
    desk.buffer.has_come = desk.buffer.knows
    desk.seconds += 10.0
    desk.goal(1.0)
    desk.after(TIMEOUT - 0.05)
    assert desk.refused == []
