"""Goals as coroutines, whose searches a worker runs in threads of their own."""

import contextlib
import math
import threading

import pytest

from ik_node.control.searches import CancelledError, Worker, run, search
from ik_node.exceptions import InputError
from ik_node.support import clock


class Rig:
    """A worker, and the outcomes of goals in their order."""

    def __init__(self):
        self.woken, self.outcomes = threading.Semaphore(0), []
        self.worker = Worker(self.woken.release)

    def begin(self, group, goal):
        self.worker.begin(group, goal, lambda *outcome: self.outcomes.append(outcome))

    def wait(self):
        assert self.woken.acquire(timeout=30.0)
        self.worker.resume()

    def reasons(self):
        return [str(error) for _, error in self.outcomes]


@pytest.fixture
def rig():
    made = Rig()
    yield made
    made.worker.close('the test is over')


async def twice(value):
    return await search(lambda: 2 * value)


async def failing():
    def fail():
        raise InputError('no')
    return await search(fail)


def endless(began=None):
    """Return a search that ends by its cancellation only."""
    def work():
        if began is not None:
            began.set()
        while not clock.is_over(math.inf):
            pass
        return 'given up'
    return work


async def goal(work, ended):
    try:
        return await search(work)
    finally:
        ended.append(threading.current_thread())


def test_in_the_calling_thread_searches_return_and_raise():
    async def both():
        with contextlib.suppress(InputError):
            await failing()
        return await twice(1) + await twice(2)
    assert run(both()) == 6
    with pytest.raises(InputError, match='no'):
        run(failing())


def test_a_search_runs_in_another_thread_and_the_rest_in_the_callers(rig):
    threads, ended = [], []
    rig.begin('', goal(lambda: threads.append(threading.current_thread()), ended))
    rig.wait()
    assert rig.outcomes == [(None, None)]
    assert threads != [threading.current_thread()] == ended


def test_what_a_search_raises_is_the_error_of_the_goal(rig):
    rig.begin('', failing())
    rig.wait()
    assert rig.reasons() == ['no']


def test_a_goal_without_a_search_ends_at_once(rig):
    async def nothing():
        return 3
    rig.begin('', nothing())
    assert rig.outcomes == [(3, None)]


def test_a_newer_goal_of_the_group_cancels_the_older_and_is_carried_out(rig):
    ended = []
    rig.begin('', goal(endless(), ended))
    rig.begin('', twice(4))
    assert rig.reasons() == ['a newer goal has arrived']
    assert isinstance(rig.outcomes[0][1], CancelledError)
    assert ended == [threading.current_thread()]
    while len(rig.outcomes) < 2:
        rig.wait()
    assert rig.outcomes[1] == (8, None)


def test_of_goals_that_wait_for_a_search_only_the_newest_is_searched_for(rig):
    began, searched = threading.Event(), []
    rig.begin('', goal(endless(began), []))
    assert began.wait(30.0)
    for k in range(3):
        rig.begin('', goal(lambda k=k: searched.append(k), []))
    while len(rig.outcomes) < 4:
        rig.wait()
    assert rig.outcomes[-1] == (None, None)
    assert searched[-1] == 2
    assert len([error for _, error in rig.outcomes if error]) == 3


def test_another_group_does_not_wait(rig):
    rig.begin('left', goal(endless(), []))
    rig.begin('right', twice(5))
    rig.wait()
    assert rig.outcomes == [(10, None)]
    rig.worker.cancel('disabled', 'left')
    assert rig.reasons()[1:] == ['disabled']


def test_cancelling_ends_every_goal_at_once_and_new_ones_are_taken(rig):
    rig.begin('left', goal(endless(), []))
    rig.begin('right', goal(endless(), []))
    rig.worker.cancel('the node is disabled')
    assert rig.reasons() == ['the node is disabled'] * 2
    rig.begin('left', twice(6))
    while len(rig.outcomes) < 3:
        rig.wait()
    assert rig.outcomes[2] == (12, None)


def test_a_search_that_does_not_look_at_the_clock_holds_up_no_cancellation(rig):
    began, free = threading.Event(), threading.Event()

    def deaf():
        began.set()
        return free.wait(30.0)
    rig.begin('', goal(deaf, []))
    assert began.wait(30.0)
    rig.worker.cancel('the node is disabled')
    assert rig.reasons() == ['the node is disabled']
    free.set()
    rig.wait()
    assert len(rig.outcomes) == 1
