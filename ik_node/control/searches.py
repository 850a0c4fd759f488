"""Searches as steps of coroutines, in the calling thread or in one of a worker's."""

import contextlib
import math
import queue
import threading
import time
import types
from collections import defaultdict, deque
from collections.abc import Callable, Coroutine, Generator, Hashable
from typing import Any, NamedTuple, TypeAlias, TypeVar

from ik_node.support.clock import Cancellation
from ik_node.support.exceptions import IkError
from ik_node.support.threads import reported, start_thread

T = TypeVar('T')
Search: TypeAlias = Callable[[], Any]
Goal: TypeAlias = Coroutine[Search | None, Any, T]
"""Carries out a goal: yields searches, and None where it waits for its turn."""

NEWER = 'a newer goal has arrived'
# s that a search has in the calling thread: with 0.1 ms one in a hundred solves of a humanoid moves
# to another thread, which takes 0.5 to 2 ms there and back.
QUICK = 2.5e-4
_DEAF = 1e-3, 0.05  # s of the processor, and of all: a search that takes longer was not ended
_PATIENCE = 0.5  # s for a goal that has cancelled another, before the next may cancel it
_SHORTEST = 0.01  # s for any other goal
_MOST_OTHERS = 4  # cancelled searches of a group that may go on beside the current one
_GRACE = 0.02    # s for a cancelled search to end, before the next one begins beside it


class CancelledError(IkError):
    """A goal that was given up, with the reason."""


@types.coroutine
def search(work: Callable[[], T] | None = None) -> Generator[Search | None, Any, T]:
    """Return what a search returns, in whichever thread it runs; to be awaited.

    None: wait until the goals before this one have ended, which every goal does first.
    """
    found: T = yield work
    return found


def run(goal: Goal[T]) -> T:
    """Carry out a goal to its end, its searches in the calling thread; return its outcome."""
    end = NOTHING
    try:
        while True:
            work = goal.send(end.result) if end.error is None else goal.throw(end.error)
            end = NOTHING if work is None else ended(work)
    except StopIteration as stopped:
        outcome: T = stopped.value
        return outcome


class _End(NamedTuple):
    """What a search returned, or raised."""

    result: Any
    error: BaseException | None


NOTHING = _End(None, None)


def ended(work: Search) -> _End:
    """Search, and return the end."""
    try:
        return _End(work(), None)
    except BaseException as error:  # handed on to the goal
        return _End(None, error)


class _Step:
    """A search of a group's current goal, in a thread."""

    def __init__(self, group: '_Group', work: Search) -> None:
        self.group, self.work = group, work
        self.cancellation = Cancellation()
        self.end = NOTHING
        self.took = math.inf  # s

    def run(self) -> None:
        """Search, unless it is cancelled already."""
        if not self.cancellation.is_cancelled():
            began = time.perf_counter()
            with self.cancellation:
                self.end = ended(self.work)
            self.took = time.perf_counter() - began


class _Thread:
    """A thread that searches, one step after the other."""

    def __init__(self, ended: Callable[[_Step], None], before: '_Thread | None' = None) -> None:
        """Start. ended: called after each step, in the thread. before: one that is to end first."""
        self.steps: queue.SimpleQueue[_Step | None] = queue.SimpleQueue()
        self._ended, self._before = ended, before
        self._over = threading.Event()
        self._others = 0  # that may run beside it
        if before is not None and not before._over.is_set():
            self._others = before._others + 1
        start_thread(self._run, 'search')

    def _run(self) -> None:
        if self._before is not None:
            self._before._over.wait(_GRACE if self._others < _MOST_OTHERS else None)
            self._before = None
        while (step := self.steps.get()) is not None:
            step.run()
            with reported('search'):
                self._ended(step)
        self._over.set()


class _Group:
    """The goals of one group: the current one, and those that wait for their turn."""

    def __init__(self) -> None:
        self.goal: Goal[None] | None = None
        self.waiting: deque[Goal[None]] = deque()
        self.step: _Step | None = None
        """The current goal's search in a thread."""
        self.thread: _Thread | None = None
        self.is_deaf = False
        """Whether a search in the calling thread has not ended when it was to."""
        self.is_stream = False
        """Whether newer goals cancel older ones."""
        self.has_cancelled = False
        """Whether the next goal has cancelled another."""
        self.patient_until = -math.inf
        """When a newer goal may cancel the current one, s."""


class Worker:
    """Carries out goals: short searches at once, long ones in a thread for each group.

    A goal is a coroutine that awaits `search()` first, and then any searches; it handles its errors
    itself. One goal of a group is carried out at a time. Cancelled, it gets a CancelledError where
    it awaits. Its search ends soon after; where it does not look at the clock, the next one begins
    beside it. A search gets `QUICK` seconds in the calling thread, and begins anew in another one
    where that was not enough; one that did not end by then is the last that is tried there.
    All methods are for one thread, which calls `resume` after each call of `wake`.
    """

    def __init__(self, wake: Callable[[], None]) -> None:
        """Begin without goals. wake: called in another thread when a search has ended."""
        self._wake = wake
        self._groups: defaultdict[Hashable, _Group] = defaultdict(_Group)
        self._ended: deque[_Step] = deque()
        self._closed = False

    def begin(self, group: Hashable, goal: Goal[None], queued: bool = False) -> None:
        """Carry out a goal; older goals of its group are cancelled.

        Each has 0.01 s first, and one that has itself cancelled another 0.5 s: otherwise a stream
        of goals that take longer to solve than they are apart would never be answered. queued:
        older goals are carried out first.
        """
        own = self._groups[group]
        if not queued:
            own.is_stream = True
            while own.waiting:
                _cancel(own.waiting.popleft(), NEWER)
            if own.goal is not None:
                self._replace(own)
        goal.send(None)
        if self._closed:
            _cancel(goal, 'the node shuts down')
            return
        own.waiting.append(goal)
        if own.goal is None:
            self._proceed(own, NOTHING)

    def _replace(self, group: _Group) -> None:
        """Give up the current goal, now or when it has had its time."""
        if time.perf_counter() >= group.patient_until:
            self._give_up(group, NEWER)
            group.has_cancelled = True
        elif group.step is not None:
            group.step.cancellation.end_by(group.patient_until)

    def is_busy(self, group: Hashable) -> bool:
        """Return whether a group has goals that have not ended."""
        return group in self._groups and self._groups[group].goal is not None

    def count(self, group: Hashable) -> int:
        """Return how many goals of a group have not ended."""
        own = self._groups.get(group)
        return 0 if own is None else len(own.waiting) + (own.goal is not None)

    def cancel(self, reason: str, *groups: Hashable) -> None:
        """End the goals of groups."""
        for own in [self._groups[group] for group in groups if group in self._groups]:
            while own.waiting:
                _cancel(own.waiting.popleft(), reason)
            self._give_up(own, reason)

    def cancel_all(self, reason: str) -> None:
        """End all goals."""
        self.cancel(reason, *self._groups)

    def resume(self) -> None:
        """Go on with the goals whose searches have ended."""
        while self._ended:
            step = self._ended.popleft()
            group = step.group
            if group.step is step:
                group.step, group.is_deaf = None, group.is_deaf and step.took >= _DEAF[0]
                end = step.end
                if step.cancellation.has_ended_any():
                    end, group.has_cancelled = _End(None, CancelledError(NEWER)), True
                self._proceed(group, end)

    def close(self, reason: str) -> None:
        """Cancel all goals, and end the threads; one that does not look at the clock is left."""
        self._closed = True
        self.cancel_all(reason)
        for group in self._groups.values():
            if group.thread is not None:
                group.thread.steps.put(None)
        self._groups.clear()

    def _proceed(self, group: _Group, end: _End) -> None:
        """Resume the current goal after a search, or the next one, up to a search that takes long.

        So until no goal is left.
        """
        while group.goal is not None or group.waiting:
            if group.goal is None:
                group.goal, end = group.waiting.popleft(), NOTHING
                group.patient_until = time.perf_counter() + (
                    _PATIENCE if group.has_cancelled else _SHORTEST)
                group.has_cancelled = False
            goal = group.goal
            try:
                work = goal.send(end.result) if end.error is None else goal.throw(end.error)
            except StopIteration:
                group.goal = None
                continue
            except BaseException:
                group.goal = None
                self._proceed(group, NOTHING)
                raise
            assert work is not None
            quick = None if group.is_deaf else self._quickly(group, work)
            if quick is None:
                self._search(group, work)
                return
            end = quick

    def _quickly(self, group: _Group, work: Search) -> _End | None:
        """Run a search in the calling thread for a short time; None where that was not enough."""
        began, used = time.perf_counter(), time.thread_time()
        with Cancellation(began + QUICK) as cancellation:
            try:
                end = _End(work(), None)
            except BaseException as error:  # handed on to the goal
                end = _End(None, error)
        # The machine may have done something else for a while.
        ended = cancellation.has_ended_any()
        group.is_deaf = not ended and (time.thread_time() - used > _DEAF[0]
                                       or time.perf_counter() - began > _DEAF[1])
        return None if ended else end

    def _search(self, group: _Group, work: Search) -> None:
        """Search in the group's thread."""
        if group.thread is None:
            group.thread = _Thread(self._on_end)
        group.step = _Step(group, work)
        if group.waiting and group.is_stream:
            group.step.cancellation.end_by(group.patient_until)
        group.thread.steps.put(group.step)

    def _on_end(self, step: _Step) -> None:
        """Hand a search that has ended over to the thread of the worker's user."""
        self._ended.append(step)
        if not self._closed:
            self._wake()

    def _give_up(self, group: _Group, reason: str) -> None:
        """Cancel the current goal and its search."""
        goal, step, thread = group.goal, group.step, group.thread
        group.goal = group.step = None
        if step is not None and thread is not None:
            step.cancellation.cancel()
            thread.steps.put(None)
            group.thread = _Thread(self._on_end, thread)
        if goal is not None:
            _cancel(goal, reason)


def _cancel(goal: Goal[None], reason: str) -> None:
    """End a goal where it waits."""
    with reported('cancelled goal'), contextlib.suppress(StopIteration):
        goal.throw(CancelledError(reason))
    goal.close()
