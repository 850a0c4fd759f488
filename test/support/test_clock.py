"""Cancellations: of a thread, nested, from another thread, compiled and not."""

import contextlib
import math
import threading
import time

import pytest

from ik_node.solvers.driver import share
from ik_node.support import arrays, clock
from plain_kernels import plain


@pytest.fixture(params=['compiled', 'plain'])
def module(request):
    return clock if request.param == 'compiled' else plain('support.clock')[0]


def test_a_search_is_over_at_its_deadline(module):
    assert module.is_over(time.perf_counter())
    assert not module.is_over(time.perf_counter() + 60.0)
    assert not module.is_over(math.inf)


def test_a_cancellation_counts_in_the_thread_that_uses_it(module):
    cancellation, other = module.Cancellation(), []
    with cancellation:
        assert not module.is_over(math.inf)
        cancellation.cancel()
        assert cancellation.is_cancelled()
        assert module.is_over(math.inf)
        thread = threading.Thread(target=lambda: other.append(module.is_over(math.inf)))
        thread.start()
        thread.join()
    assert other == [False]
    assert not module.is_over(math.inf)


def test_a_cancellation_may_have_a_deadline_of_its_own(module):
    cancellation = module.Cancellation(time.perf_counter() + 60.0)
    with cancellation:
        assert not module.is_over(math.inf)
        assert module.is_over(0.0)
        assert not cancellation.has_ended_any()
        cancellation.end_by(time.perf_counter())
        assert module.is_over(math.inf)
    assert cancellation.has_ended_any()
    assert not cancellation.is_cancelled()


def test_the_innermost_cancellation_counts_and_the_former_is_restored(module):
    outer, inner = module.Cancellation(), module.Cancellation()
    outer.cancel()
    with outer:
        with inner:
            assert module.present() is inner
            assert not module.is_over(math.inf)
        assert module.present() is outer
        assert module.is_over(math.inf)
    assert module.present() is None


def test_the_former_is_restored_after_an_exception(module):
    cancellation = module.Cancellation()
    cancellation.cancel()
    with contextlib.suppress(KeyError), cancellation:
        raise KeyError
    assert not module.is_over(math.inf)


def test_threads_of_a_batch_are_cancelled_with_their_caller():
    found = []
    with clock.Cancellation() as cancellation:
        cancellation.cancel()
        share(lambda part: found.append(clock.is_over(math.inf)), 4, size=1)
    share(lambda part: found.append(clock.is_over(math.inf)), 1)
    assert found == [True] * 4 + [False]


def test_scratch_is_taken_by_one_thread_also_where_another_was_faster():
    class Raced(list):
        """A list whose last item another thread takes between the look at it and its use."""

        def __len__(self):
            return 1

    idle = Raced()
    assert plain('support.arrays')[0].taken(idle, tuple, 'ab') == ('a', 'b')
    idle.append('c')
    assert arrays.taken(idle, tuple) == 'c'
    assert arrays.taken([], tuple) == ()
