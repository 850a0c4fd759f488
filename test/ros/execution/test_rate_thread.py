"""The thread of servo: its cycles, delays that it makes up for, and what the system refuses."""

import ctypes
import math
import os
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest

from ik_node.ros.execution.rate_thread import Phase, RateThread


class Cycles(list):
    """Counts cycles until there are enough; `first`: what the first one does."""

    def __init__(self, enough, first=lambda: None):
        super().__init__()
        self._enough, self._first, self.over = enough, first, threading.Event()

    def __call__(self, cycles, late):
        if not self:
            self._first()
        self.append((cycles, late, time.monotonic()))
        if sum(one for one, _, _ in self) < self._enough:
            return True
        self.over.set()
        return False


def ended(cycles, **options):
    thread = RateThread(0.002, cycles, **options)
    assert cycles.over.wait(10.0)
    assert thread.end(10.0)
    return thread


def test_cycles_are_a_period_apart_in_the_long_run():
    cycles = Cycles(50)
    thread = ended(cycles)
    begun, over = cycles[0][2] - cycles[0][1], cycles[-1][2] - cycles[-1][1]
    count = sum(one for one, _, _ in cycles[1:])
    assert (over - begun) / count == pytest.approx(0.002, rel=1e-3) or max(
        thread.deviations) > 0.05  # a delay that is left out
    assert len(thread.deviations) == len(cycles)
    assert min(thread.deviations) >= 0.0


def test_missed_cycles_are_made_up_for():
    cycles = Cycles(20, lambda: time.sleep(0.021))
    ended(cycles)
    assert cycles[1][0] >= 10


def test_a_long_delay_is_left_out():
    cycles = Cycles(60, lambda: time.sleep(0.2))
    ended(cycles)
    assert cycles[1][0] == 26


def deadlines(cycles):
    return [time - late for _, late, time in cycles]


def test_all_cycles_come_early_in_the_cycles_of_a_controller():
    phase, cycles, now = Phase(), Cycles(20), time.monotonic()
    phase.note(0.0013)
    ended(cycles, phase=phase)
    for deadline in deadlines(cycles):
        assert math.remainder(deadline - now + 0.0013 - 0.0006, 0.002) == pytest.approx(
            0.0, abs=2e-4)


def test_cycles_follow_a_phase_that_changes_by_little_at_a_time():
    cycles = Cycles(40)
    ended(cycles, phase=SimpleNamespace(error=lambda *_: 1.0))
    times, counts = deadlines(cycles), [one for one, _, _ in cycles]
    steps = [times[k + 1] - times[k] for k in range(len(times) - 1)
             if counts[k] == counts[k + 1] == 1]  # missed ones are as long as they are
    # A time that another process delays is that of two steps alone.
    assert not steps or 1.003 < np.median(steps) / 0.002 < 1.006


def test_without_states_of_a_controller_there_is_no_phase():
    assert Phase().error(12.3, 0.002) == 0.0


def test_it_ends_where_the_function_never_does():
    begun = threading.Event()
    thread = RateThread(0.002, lambda *_: bool(begun.set() or True))
    assert begun.wait(10.0)
    assert not thread.end(0.01)


def test_an_exception_ends_it_with_a_warning():
    warnings, warned = [], threading.Event()

    def warn(text):
        warnings.append(text)
        warned.set()
    thread = RateThread(0.002, lambda *_: 1 // 0, warn=warn)
    assert warned.wait(10.0)
    assert thread.end(10.0)
    assert 'ZeroDivisionError' in warnings[0]


def refuses(*_):
    raise PermissionError(1, 'Operation not permitted')


@pytest.mark.parametrize(('options', 'text'), [
    ({'priority': 50}, 'thread_priority 50 is refused by the system ([Errno 1] Operation not '
     'permitted), which needs the capability CAP_SYS_NICE'),
    ({'lock_memory': True}, 'lock_memory is refused by the system (Operation not permitted), '
     'which needs the capability CAP_IPC_LOCK')])
def test_what_the_system_refuses_is_said_and_servo_runs_without_it(monkeypatch, options, text):
    monkeypatch.setattr(os, 'sched_setscheduler', refuses, raising=False)
    monkeypatch.setattr(ctypes, 'get_errno', lambda: 1)
    monkeypatch.setattr(ctypes, 'CDLL', lambda *_, **__: SimpleNamespace(mlockall=lambda _: -1))
    warnings = []
    ended(Cycles(3), warn=warnings.append, **options)
    assert len(warnings) == 1
    assert text in warnings[0]
    assert 'runs without it' in warnings[0]


def test_priority_and_memory_are_set_where_the_system_allows_it(monkeypatch):
    calls = []
    monkeypatch.setattr(os, 'sched_setscheduler', lambda *values: calls.append(values),
                        raising=False)
    monkeypatch.setattr(ctypes, 'CDLL', lambda *_, **__: SimpleNamespace(
        mlockall=lambda flags: calls.append(flags) or 0))
    ended(Cycles(3), priority=7, lock_memory=True)
    assert [calls[0][0], calls[0][1], calls[0][2].sched_priority, calls[1]] == [
        0, os.SCHED_FIFO, 7, 3]


def test_a_platform_without_the_calls_runs_without_them(monkeypatch):
    monkeypatch.delattr(os, 'sched_setscheduler', raising=False)
    warnings = []
    ended(Cycles(3), priority=7, warn=warnings.append)
    assert 'thread_priority 7 is refused' in warnings[0]
