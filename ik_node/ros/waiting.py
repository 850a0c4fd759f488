"""Goals that wait for a frame: few, for a bounded time, looked after from a timer."""

import time
from collections.abc import Callable
from typing import NamedTuple

from rclpy.clock import Clock, ClockType
from rclpy.node import Node

from ik_node.exceptions import InputError

_PERIOD = 0.01  # s, between two looks whether what is waited for has come
_MOST = 16      # goals of an arm that wait at a time


class NotYetError(InputError):
    """What cannot be handled now, and may be soon.

    `come`: tells whether it is worth another try.
    """

    def __init__(self, message: str, come: Callable[[], bool]) -> None:
        """Keep the question beside the message."""
        super().__init__(message)
        self.come = come


class _Late(NamedTuple):
    """A goal that waits until a time, s, of the clock."""

    come: Callable[[], bool]
    handle: Callable[[], None]
    deadline: float


class Waiting:
    """Has goals handled again as soon as it is worth it, and a last time when their time is over.

    The newest that can be handled drops those before it. Newer ones go on waiting: if only the
    newest did, a stream whose frame is always a little late would never be answered.

    Nothing sleeps: between two looks the executor does what there is to do. The time is that of a
    monotonic clock, so that goals do not wait for ever where simulated time stands still.
    """

    def __init__(self, node: Node, clock: Callable[[], float] = time.monotonic) -> None:
        """Wait for nothing yet. clock: returns the time, s."""
        self._node, self._clock = node, clock
        self._late: dict[str, list[_Late]] = {}  # by arm, the oldest first
        self._deadline: float | None = None      # of the goal that is being handled again
        self._timer = node.create_timer(_PERIOD, self.look,
                                        clock=Clock(clock_type=ClockType.STEADY_TIME))
        self._timer.cancel()

    def destroy(self) -> None:
        """Forget everything, and take the timer down."""
        self._late.clear()
        self._node.destroy_timer(self._timer)

    def wait(self, name: str, come: Callable[[], bool], handle: Callable[[], None],
             timeout: float) -> bool:
        """Let a goal of an arm wait; tell whether it may.

        It may not where its time is over: timeout, s, after it was to wait first. Where too many
        wait already, it takes the place of the one before it.
        """
        now = self._clock()
        deadline = now + timeout if self._deadline is None else self._deadline
        if now >= deadline:
            return False
        late = self._late.setdefault(name, [])
        late.append(_Late(come, handle, deadline))
        late.sort(key=lambda one: one.deadline)
        del late[_MOST - 1:-1]
        if self._timer.is_canceled():
            self._timer.reset()
        return True

    def overtaken(self, name: str) -> None:
        """Drop what waits for an arm: a newer goal is handled. Not where that one has waited."""
        if self._deadline is None:
            self._late.pop(name, None)

    def stop(self) -> None:
        """Drop every goal."""
        self._late.clear()

    def look(self) -> None:
        """Have those goals handled again for which it is worth it, or whose time is over."""
        for name in list(self._late):
            late = self._late.pop(name, [])
            ready = next((k for k in reversed(range(len(late))) if late[k].come()), None)
            if ready is not None:
                due, rest = [late[ready]], late[ready + 1:]
            else:
                now = self._clock()
                due = [one for one in late if now >= one.deadline]
                rest = late[len(due):]
            if rest:
                self._late[name] = rest
            for one in due:
                self._handle(one)
        if not self._late:
            self._timer.cancel()

    def _handle(self, late: _Late) -> None:
        self._deadline = late.deadline
        try:
            late.handle()
        finally:
            self._deadline = None
