"""Goals as generators, whose searches a worker runs in threads of their own."""

import contextlib
import math
import threading

import pytest

from harness.goal_runs import run
from ik_node.control import worker as worker_module
from ik_node.control.worker import NEWER, START, CancelledError, Worker
from ik_node.support import clock
from ik_node.support.exceptions import InputError


class Rig:
    """A worker, and the outcomes of goals, or what they raise, in their order."""

    def __init__(self):
        self.woken, self.outcomes = threading.Semaphore(0), []
        self.worker = Worker(self.woken.release)

    def begin(self, group, goal, **how):
        self.worker.begin(group, self.told(goal), **how)

    def told(self, goal):
        try:
            yield START
            self.outcomes.append((yield from goal))
        except (Exception, CancelledError) as error:
            self.outcomes.append(error)
        finally:
            goal.close()

    def wait(self, count=1):
        """Go on until there are so many outcomes."""
        while len(self.outcomes) < count:
            assert self.woken.acquire(timeout=30.0)
            self.worker.resume()

    def reasons(self):
        return [str(error) for error in self.outcomes if isinstance(error, CancelledError)]


@pytest.fixture
def quick():
    """A rig that tries searches in the calling thread first."""
    made = Rig()
    yield made
    made.worker.close('the test is over')


@pytest.fixture
def rig(quick, monkeypatch):
    """A rig whose searches all run in other threads."""
    monkeypatch.setattr(worker_module, 'LongSearch', object)
    monkeypatch.setattr(worker_module, '_SHORT_TURN', 0.0)
    return quick


@pytest.fixture
def patient(monkeypatch):
    monkeypatch.setattr(worker_module, '_LONG_TURN', 60.0)


def twice(value):
    return (yield lambda: 2 * value)


def failing():
    def fail():
        raise InputError('no')
    return (yield fail)


def endless(began=None):
    """Return a search that ends by its cancellation only."""
    def work():
        if began is not None:
            began.set()
        while not clock.is_over(math.inf):
            pass
        return 'given up'
    return work


def goal(work, ended=None):
    try:
        return (yield work)
    finally:
        if ended is not None:
            ended.append(threading.current_thread())


def test_in_the_calling_thread_searches_return_and_raise():
    def both():
        yield START
        with contextlib.suppress(InputError):
            yield from failing()
        return (yield from twice(1)) + (yield from twice(2))
    assert run(both()) == 6
    with pytest.raises(InputError, match='no'):
        run(failing())


def test_a_search_runs_in_another_thread_and_the_rest_in_the_callers(rig):
    threads, ended = [], []
    rig.begin('', goal(lambda: threads.append(threading.current_thread()), ended))
    rig.wait()
    assert rig.outcomes == [None]
    assert threads != [threading.current_thread()] == ended


def test_what_a_search_raises_is_raised_in_the_goal(rig):
    rig.begin('', failing())
    rig.wait()
    assert str(rig.outcomes[0]) == 'no'


def test_a_goal_without_a_search_ends_at_once(rig):
    def nothing():
        yield from ()
        return 3
    rig.begin('', nothing())
    assert rig.outcomes == [3]


def noted(threads, search):
    """Return a search that notes the thread it runs in."""
    def work():
        threads.append(threading.current_thread() is threading.main_thread())
        return search()
    return work


def test_a_short_search_runs_in_the_calling_thread(quick, monkeypatch):
    monkeypatch.setattr(worker_module, 'QUICK', 60.0)
    threads = []
    quick.begin('', goal(noted(threads, lambda: 1)))
    assert quick.outcomes == [1]
    assert threads == [True]


def test_a_search_that_is_said_to_take_long_begins_in_another_thread(quick):
    threads = []
    quick.begin('', goal(worker_module.LongSearch(noted(threads, lambda: 1))))
    quick.wait(1)
    assert (quick.outcomes, threads) == ([1], [False])


def test_a_search_that_is_not_short_begins_anew_in_another_thread(quick, monkeypatch):
    monkeypatch.setattr(worker_module, 'QUICK', -1.0)
    threads = []
    quick.begin('', goal(noted(threads, lambda: clock.is_over(math.inf))))
    quick.wait()
    assert quick.outcomes == [False]
    assert threads == [True, True, False]
    quick.begin('', goal(noted(threads, lambda: clock.is_over(math.inf))))
    quick.wait(2)
    assert threads[3:] == [True, False]  # the one before was not short either


def test_a_search_that_the_machine_interrupts_is_tried_again(quick, monkeypatch):
    monkeypatch.setattr(worker_module, 'QUICK', -1.0)
    threads = []

    def interrupted():
        monkeypatch.setattr(worker_module, 'QUICK', 60.0)
        return not (len(threads) == 1 and clock.is_over(math.inf))
    quick.begin('', goal(noted(threads, interrupted)))
    assert quick.outcomes == [True]
    assert threads == [True, True]


@pytest.mark.parametrize(('overrun', 'here'), [((-1.0, 60.0), 2), ((60.0, -1.0), 1)])
def test_after_searches_that_do_not_ask_others_run_in_another_thread(
        quick, monkeypatch, overrun, here):
    monkeypatch.setattr(worker_module, '_OVERRUN', overrun)
    threads = []
    for k in range(here + 1):
        quick.begin('', goal(noted(threads, lambda: 1)))
        quick.wait(k + 1)
    assert threads == [True] * here + [False]


def test_after_a_short_search_in_another_thread_others_run_here(quick, monkeypatch):
    monkeypatch.setattr(worker_module, '_OVERRUN', (60.0, -1.0))
    threads = []
    for k in range(4):
        quick.begin('', goal(noted(threads, lambda: 1)))
        quick.wait(k + 1)
        monkeypatch.setattr(worker_module, '_OVERRUN', (60.0, 60.0))
    assert threads == [True, False, True, True]


def test_a_single_search_that_takes_long_is_a_matter_of_the_machine(quick, monkeypatch):
    threads = []
    for k, overrun in enumerate([-1.0, 60.0, -1.0, 60.0]):
        monkeypatch.setattr(worker_module, '_OVERRUN', (overrun, 60.0))
        quick.begin('', goal(noted(threads, lambda: 1)))
        quick.wait(k + 1)
    assert threads == [True] * 4


def test_a_newer_goal_of_the_group_cancels_the_older_and_is_carried_out(rig):
    ended = []
    rig.begin('', goal(endless(), ended))
    assert rig.worker.is_busy('')
    rig.begin('', twice(4))
    assert rig.reasons() == [NEWER]
    assert ended == [threading.current_thread()]
    rig.wait(2)
    assert rig.outcomes[1] == 8


def test_of_a_stream_of_goals_every_second_has_time_and_the_latest_is_carried_out(rig, patient):
    began, free, searched = threading.Event(), threading.Event(), []
    rig.begin('', goal(endless()))

    def slow():
        began.set()
        return free.wait(30.0)
    rig.begin('', goal(slow))  # cancels the first, and is not cancelled by those that come
    assert began.wait(30.0)
    for k in range(3):
        rig.begin('', goal(lambda k=k: searched.append(k)))
    assert rig.reasons() == [NEWER] * 3
    free.set()
    rig.wait(5)
    assert rig.outcomes[3:] == [True, None]
    assert searched == [2]


def test_a_goal_has_a_moment_before_the_next_may_cancel_it(rig, monkeypatch):
    monkeypatch.setattr(worker_module, '_SHORT_TURN', 60.0)
    rig.begin('', goal(lambda: 1))
    rig.begin('', goal(lambda: 2))
    rig.wait(2)
    assert rig.outcomes == [1, 2]


@pytest.mark.parametrize('patience', [1e-9, 0.05])  # over when the next comes, and while it waits
def test_its_time_is_bounded(rig, monkeypatch, patience):
    monkeypatch.setattr(worker_module, '_LONG_TURN', patience)
    rig.begin('', goal(endless()))
    rig.begin('', goal(endless()))
    rig.begin('', twice(5))
    rig.wait(3)
    assert rig.reasons() == [NEWER] * 2
    assert rig.outcomes[2] == 10


def test_another_group_does_not_wait(rig):
    rig.begin('left', goal(endless()))
    rig.begin('right', twice(5))
    rig.wait()
    assert rig.outcomes == [10]
    rig.worker.cancel('disabled', 'left')
    assert rig.reasons() == ['disabled']


def test_goals_in_a_queue_are_all_carried_out_in_their_order(rig):
    for k in range(5):
        rig.begin('', twice(k), queued=True)
    rig.wait(5)
    assert rig.outcomes == [0, 2, 4, 6, 8]


def test_cancelling_ends_every_goal_at_once_and_new_ones_are_taken(rig):
    rig.begin('left', goal(endless()))
    rig.begin('right', goal(endless()))
    rig.begin('right', goal(endless()), queued=True)
    rig.worker.cancel_all('the node is disabled')
    assert rig.reasons() == ['the node is disabled'] * 3
    rig.begin('left', twice(6))
    rig.wait(4)
    assert rig.outcomes[3] == 12


def test_a_search_that_does_not_look_at_the_clock_holds_up_nothing(rig):
    began, free = threading.Event(), threading.Event()

    def deaf():
        began.set()
        return free.wait(30.0)
    rig.begin('', goal(deaf))
    assert began.wait(30.0)
    rig.begin('', twice(7))
    rig.wait(2)
    assert rig.reasons() == [NEWER]
    assert rig.outcomes[1] == 14
    free.set()


def test_after_closing_no_callback_is_called(rig):
    rig.begin('', goal(endless()))
    rig.worker.close('the node shuts down')
    assert rig.reasons() == ['the node shuts down']
    assert not rig.woken.acquire(blocking=False)


def test_goals_in_a_queue_have_all_their_searches(rig):
    def two():
        return (yield lambda: 1) + (yield lambda: 2)
    for _ in range(4):
        rig.begin('', two(), queued=True)
    assert rig.worker.count('') == 4
    rig.wait(4)
    assert rig.outcomes == [3] * 4
    assert rig.worker.count('') == 0


def test_a_goal_that_raises_does_not_hold_up_the_next(rig):
    def broken():
        yield START
        yield lambda: None
        raise ZeroDivisionError
    rig.worker.begin('', broken())
    rig.begin('', twice(2), queued=True)
    assert rig.woken.acquire(timeout=30.0)
    with pytest.raises(ZeroDivisionError):
        rig.worker.resume()
    rig.wait()
    assert rig.outcomes == [4]


def test_a_closed_worker_refuses(rig):
    rig.worker.close('the node shuts down')
    rig.begin('', twice(1))
    assert rig.reasons() == ['the node shuts down']


def test_cancelled_searches_that_go_on_are_few(rig):
    free, begun = threading.Event(), threading.Semaphore(0)

    def deaf():
        begun.release()
        return free.wait(30.0)
    for _ in range(worker_module._MOST_OTHERS):
        rig.begin('', goal(deaf))
        assert begun.acquire(timeout=30.0)
        rig.worker.cancel('', '')
    rig.begin('', goal(deaf))
    assert not begun.acquire(blocking=False)  # it waits for those before
    free.set()
    rig.wait(worker_module._MOST_OTHERS + 1)
    assert rig.outcomes[-1] is True
