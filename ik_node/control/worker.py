"""A worker that executes goals: generators, whose searches run here or in threads."""

import contextlib
import functools
import math
import queue
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable, Container, Generator, Hashable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias, TypeVar

from ik_node.support.clock import Cancellation
from ik_node.support.processes import reported, start_thread

T = TypeVar('T')
Search: TypeAlias = Callable[[], Any]
Job: TypeAlias = Generator[Search | None, Any, T]
"""Executes a goal: yields `START`, then searches, for which it is sent their results."""
START = None  # waits until the goals before this one have ended

NEWER = 'a newer goal has arrived'
# s that a search has in the calling thread: with 0.1 ms one in a hundred solves of a humanoid moves
# to another thread, which takes 0.5 to 2 ms there and back.
QUICK = 2.5e-4
# s after which a search ignores deadlines: twice in a row, and once. The time of the processor
# tells more, but may take longer to be read than a solve.
_OVERRUN = 1e-3, 0.05
_LONG_TURN = 0.5    # s for a goal that has cancelled another, before the next may cancel it
_SHORT_TURN = 0.01  # s for any other goal
_MOST_OTHERS = 4    # cancelled searches of a group that may go on beside the current one
_GRACE = 0.02       # s for a cancelled search to end, before the next one begins beside it


class LongSearch(functools.partial[Any]):
    """A search that does not look at the clock and may take long: it begins in the thread."""


class CancelledError(BaseException):
    """A goal was given up, with the reason; it need not be handled, and ends the goal."""


class _End(NamedTuple):
    """What a search returned, or raised."""

    result: Any = None
    error: BaseException | None = None


NOTHING = _End()


def ended(work: Search) -> _End:
    """Search, and return the end."""
    try:
        return _End(work())
    except BaseException as error:  # handed on to the goal
        return _End(error=error)


@dataclass(eq=False)
class _ThreadedSearch:
    """A search of a group's current goal, in the group's thread."""

    group: '_GroupGoals'
    work: Search
    cancellation: Cancellation = field(default_factory=Cancellation)
    end: _End = NOTHING
    took: float = math.inf  # s


class _SearchThread:
    """A thread that runs one search after the other."""

    def __init__(self, on_end: Callable[[_ThreadedSearch], None],
                 before: '_SearchThread | None' = None) -> None:
        """Start. on_end: called after each search. before: a thread that should end first."""
        self.searches: queue.SimpleQueue[_ThreadedSearch | None] = queue.SimpleQueue()
        self._on_end, self._before, self._over = on_end, before, threading.Event()
        self._others: int = 0  # cancelled searches that may run beside it
        if before is not None and not before._over.is_set():
            self._others = before._others + 1
        start_thread(self._run, 'search')

    def _run(self) -> None:
        if self._before is not None:
            self._before._over.wait(_GRACE if self._others < _MOST_OTHERS else None)
            self._before = None
        while (own := self.searches.get()) is not None:
            if not own.cancellation.is_cancelled():
                began = time.perf_counter()
                with own.cancellation:
                    own.end = ended(own.work)
                own.took = time.perf_counter() - began
            with reported('search'):
                self._on_end(own)
        self._over.set()


@dataclass(eq=False)
class _GroupGoals:
    """The goals of one group: the current one, and those that wait for their turn."""

    goal: Job | None = None
    waiting: deque[Job] = field(default_factory=deque)
    search: _ThreadedSearch | None = None  # that of the current goal, in the thread
    thread: _SearchThread | None = None
    is_long: bool = False  # whether the last search was not short enough for the calling thread
    overran: bool = False
    """Whether the last search in the calling thread may have ignored its deadline."""
    ignores_deadlines: bool = False  # whether searches in the calling thread do not end in time
    newest_only: bool = False  # whether newer goals cancel older ones
    has_cancelled: bool = False  # whether the next goal has cancelled another
    turn_end: float = -math.inf  # when a newer goal may cancel the current one, s


class Worker:
    """Executes goals: short searches at once, long ones in a thread for each group.

    A goal is a generator, see `Job`, which handles its errors itself. A group has one at a time.
    Cancelled, it gets a CancelledError where it yields, and its search ends soon after; one that
    does not look at the clock goes on beside the next. A search gets `QUICK` seconds in the calling
    thread, twice after a short one, then begins anew in the group's; after some that ignored their
    deadlines, searches begin there.
    All methods are for one thread, which calls `resume` after each call of `wake`.
    """

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._groups: defaultdict[Hashable, _GroupGoals] = defaultdict(_GroupGoals)
        self._ended: deque[_ThreadedSearch] = deque()
        self._quick = Cancellation()
        self._closed = False

    def begin(self, group: Hashable, goal: Job, queued: bool = False) -> None:
        """Execute a goal; queued: after older goals of its group, which are cancelled otherwise.

        Each has a turn of 0.01 s first, and one that has itself cancelled another 0.5 s: otherwise
        a stream of goals that take longer to solve than they are apart would never be answered.
        """
        own = self._groups[group]
        if not queued:
            own.newest_only = True
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

    def _replace(self, group: _GroupGoals) -> None:  # now, or at the end of its turn
        if time.perf_counter() >= group.turn_end:
            self._cancel_current(group, NEWER)
            group.has_cancelled = True
        elif group.search is not None:
            group.search.cancellation.end_by(group.turn_end)

    def is_busy(self, group: Hashable) -> bool:
        """Return whether a group has goals that have not ended."""
        return self.count(group) > 0

    def count(self, group: Hashable) -> int:
        """Return how many goals of a group have not ended."""
        own = self._groups.get(group)
        return 0 if own is None else len(own.waiting) + (own.goal is not None)

    def cancel(self, reason: str, *groups: Hashable) -> None:
        """End the goals of groups."""
        for own in [self._groups[group] for group in groups if group in self._groups]:
            while own.waiting:
                _cancel(own.waiting.popleft(), reason)
            self._cancel_current(own, reason)

    def cancel_all(self, reason: str, but: Container[Hashable] = ()) -> None:
        """End all goals, but those of some groups."""
        self.cancel(reason, *(group for group in self._groups if group not in but))

    def resume(self) -> None:
        """Go on with the goals whose searches have ended."""
        while self._ended:
            own = self._ended.popleft()
            group = own.group
            if group.search is own:
                group.search, end = None, own.end
                group.ignores_deadlines &= own.took >= _OVERRUN[0]
                if own.cancellation.has_ended_any():
                    end, group.has_cancelled = _End(error=CancelledError(NEWER)), True
                self._proceed(group, end)

    def close(self, reason: str) -> None:
        """Cancel all goals, and end the threads; one that does not look at the clock is left."""
        self._closed = True
        self.cancel_all(reason)
        for group in self._groups.values():
            if group.thread is not None:
                group.thread.searches.put(None)
        self._groups.clear()

    def _proceed(self, group: _GroupGoals, end: _End) -> None:
        """Resume the current goal after a search, then the next ones, up to a long search."""
        while group.goal is not None or group.waiting:
            if group.goal is None:
                group.goal, end = group.waiting.popleft(), NOTHING
                group.turn_end = time.perf_counter() + (
                    _LONG_TURN if group.has_cancelled else _SHORT_TURN)
                group.has_cancelled = False
            goal = group.goal
            try:
                work = goal.send(end.result) if end.error is None else goal.throw(end.error)
            except (StopIteration, CancelledError):
                group.goal = None
                continue
            except BaseException:
                group.goal = None
                self._proceed(group, NOTHING)
                raise
            assert work is not None
            # Here first; the machine may do something else meanwhile, but hardly twice in a row.
            tries = 1 if group.is_long else 2
            if group.ignores_deadlines or isinstance(work, LongSearch):
                tries = 0
            for _ in range(tries):
                began = time.perf_counter()
                self._quick.begin_anew(began + QUICK)
                try:
                    with self._quick:
                        end = _End(work())
                except BaseException as error:  # handed on to the goal
                    end = _End(error=error)
                if not self._quick.has_ended_any():
                    took, overran = time.perf_counter() - began, group.overran
                    group.is_long, group.overran = False, took > _OVERRUN[0]
                    group.ignores_deadlines = took > _OVERRUN[1] or (overran and group.overran)
                    break
            else:
                group.is_long |= tries > 0
                self._search_in_thread(group, work)
                return

    def _search_in_thread(self, group: _GroupGoals, work: Search) -> None:
        if group.thread is None:
            group.thread = _SearchThread(self._on_end)
        group.search = _ThreadedSearch(group, work)
        if group.waiting and group.newest_only:
            group.search.cancellation.end_by(group.turn_end)
        group.thread.searches.put(group.search)

    def _on_end(self, own: _ThreadedSearch) -> None:  # in the thread of the search
        self._ended.append(own)
        if not self._closed:
            self._wake()

    def _cancel_current(self, group: _GroupGoals, reason: str) -> None:
        goal, own, thread = group.goal, group.search, group.thread
        group.goal = group.search = None
        if own is not None and thread is not None:
            own.cancellation.cancel()
            thread.searches.put(None)
            group.thread = _SearchThread(self._on_end, thread)
        if goal is not None:
            _cancel(goal, reason)


def _cancel(goal: Job, reason: str) -> None:
    with reported('cancelled goal'), contextlib.suppress(StopIteration, CancelledError):
        goal.throw(CancelledError(reason))
    goal.close()
