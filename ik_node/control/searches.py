"""Searches as steps of coroutines, in the calling thread or in one of a worker's."""

import queue
import types
from collections import deque
from collections.abc import Callable, Coroutine, Generator, Hashable
from typing import Any, NamedTuple, TypeAlias, TypeVar

from ik_node.exceptions import IkError
from ik_node.support.clock import Cancellation
from ik_node.threads import start_thread

T = TypeVar('T')
Search: TypeAlias = Callable[[], Any]
Goal: TypeAlias = Coroutine[Search, Any, T]
"""Carries out a goal: what it yields are searches, what it returns is the outcome."""


class CancelledError(IkError):
    """A goal that was given up during a search, with the reason."""


@types.coroutine
def search(work: Callable[[], T]) -> Generator[Search, Any, T]:
    """Return what a search returns, in whichever thread it runs; to be awaited."""
    found: T = yield work
    return found


def run(goal: Goal[T]) -> T:
    """Carry out a goal to its end, its searches in the calling thread; return its outcome."""
    end = _End(None, None)
    try:
        while True:
            end = _ended(_resumed(goal, end))
    except StopIteration as ended:
        outcome: T = ended.value
        return outcome


class _End(NamedTuple):
    """What a search returned, or raised."""

    result: Any
    error: BaseException | None


def _ended(work: Search) -> _End:
    try:
        return _End(work(), None)
    except BaseException as error:  # handed on to the goal
        return _End(None, error)


def _resumed(goal: Goal[Any], end: _End) -> Search:
    """Resume a goal after a search; return its next one. Raises StopIteration at its end."""
    return goal.send(end.result) if end.error is None else goal.throw(end.error)


class _Step(NamedTuple):
    """A search of a goal, and what is called with the outcome of the goal, or its error."""

    group: Hashable
    goal: Goal[Any]
    done: Callable[[Any, Exception | None], None]
    work: Search
    cancellation: Cancellation


class Worker:
    """Carries out goals: their searches in a thread for each group, all else in the caller's.

    One goal of a group is searched for at a time: a newer one cancels it. A cancelled goal ends at
    once, with a CancelledError. Its search ends soon after, or by itself where it is Python that
    does not look at the clock; the next of the group begins then.
    All methods are for one thread, which calls `resume` after each call of `wake`.
    """

    def __init__(self, wake: Callable[[], None]) -> None:
        """Begin without goals. wake: called in another thread when a search has ended."""
        self._wake = wake
        self._steps: dict[Hashable, _Step] = {}  # by group
        self._queues: dict[Hashable, queue.SimpleQueue[_Step | None]] = {}
        self._ended: deque[tuple[_Step, _End]] = deque()

    def begin(self, group: Hashable, goal: Goal[T],
              done: Callable[[T | None, Exception | None], None]) -> None:
        """Carry out a goal up to its first search; the older goal of its group is cancelled.

        done: called with the outcome, or the error, once.
        """
        self.cancel('a newer goal has arrived', group)
        self._go_on(group, goal, done, _End(None, None))

    def cancel(self, reason: str, *groups: Hashable) -> None:
        """End the goals of these groups, by default all, that wait for a search."""
        for group in groups or tuple(self._steps):
            step = self._steps.pop(group, None)
            if step is not None:
                step.cancellation.cancel()
                self._go_on(group, step.goal, step.done, _End(None, CancelledError(reason)))

    def resume(self) -> None:
        """Go on with the goals whose searches have ended."""
        while self._ended:
            step, end = self._ended.popleft()
            if self._steps.get(step.group) is step:
                del self._steps[step.group]
                self._go_on(step.group, step.goal, step.done, end)

    def close(self, reason: str) -> None:
        """Cancel all goals, and end the threads; one that does not look at the clock is left."""
        self.cancel(reason)
        for waiting in self._queues.values():
            waiting.put(None)
        self._queues.clear()

    def _go_on(self, group: Hashable, goal: Goal[Any],
               done: Callable[[Any, Exception | None], None], end: _End) -> None:
        """Resume a goal; begin its next search."""
        try:
            work = _resumed(goal, end)
        except StopIteration as ended:
            done(ended.value, None)
        except Exception as error:
            done(None, error)
        else:
            step = self._steps[group] = _Step(group, goal, done, work, Cancellation())
            self._queue(group).put(step)

    def _queue(self, group: Hashable) -> 'queue.SimpleQueue[_Step | None]':
        """Return the searches of a group, whose thread is started with the first."""
        if group not in self._queues:
            waiting: queue.SimpleQueue[_Step | None] = queue.SimpleQueue()
            self._queues[group] = waiting
            start_thread(lambda: self._search(waiting), f'search {group}')
        return self._queues[group]

    def _search(self, waiting: 'queue.SimpleQueue[_Step | None]') -> None:
        """Run searches until there is None; in a thread of its own."""
        while (step := waiting.get()) is not None:
            if not step.cancellation.is_cancelled():
                with step.cancellation:
                    end = _ended(step.work)
                self._ended.append((step, end))
                self._wake()
