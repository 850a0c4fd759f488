"""Goals that wait for a frame: a bounded number, for a bounded time, checked by a timer."""

from collections.abc import Callable
from typing import NamedTuple

from rclpy.clock import Clock
from rclpy.node import Node

from ik_node.control.worker import NEWER
from ik_node.ros.conversions import clock_seconds
from ik_node.support.exceptions import InputError

_PERIOD = 0.01  # s, between two checks
_MOST = 16      # goals of an arm that wait at a time


class NotYetError(InputError):
    """An input that cannot be handled yet; `come` returns whether another try is useful."""

    def __init__(self, message: str, come: Callable[[], bool]) -> None:
        super().__init__(message)
        self.come = come


class _Late(NamedTuple):
    """A goal that waits until a deadline, s, of the clock."""

    come: Callable[[], bool]
    handle: Callable[[], object]
    refuse: Callable[[str], object]
    deadline: float


class Waiting:
    """Handles waiting goals again when their condition holds, and a last time at their deadline.

    The newest goal that can be handled replaces older ones, which are refused. Newer ones continue
    to wait: otherwise a stream whose frame is always a little late would never be handled. The
    clock is monotonic, as simulated time may be stopped.

    - `goals`: those that wait, by arm or task, the oldest first.
    """

    def __init__(self, node: Node, steady: Clock) -> None:
        self._steady = steady
        self.goals: dict[str, list[_Late]] = {}
        self._deadline: float | None = None      # of the goal that is being handled again
        self._timer = node.create_timer(_PERIOD, self.handle_due, clock=steady)
        self._timer.cancel()

    def wait(self, name: str, come: Callable[[], bool], handle: Callable[[], object],
             refuse: Callable[[str], object], timeout: float) -> bool:
        """Let a goal of an arm wait; return whether it may: timeout, s, after it began, it may not.

        Where too many wait already, it replaces the previous one. refuse: called with the reason
        where the goal is given up before that.
        """
        now = clock_seconds(self._steady)
        deadline = now + timeout if self._deadline is None else self._deadline
        if now >= deadline:
            return False
        late = self.goals.setdefault(name, [])
        late.append(_Late(come, handle, refuse, deadline))
        late.sort(key=lambda one: one.deadline)
        replaced = late[_MOST - 1:-1]
        del late[_MOST - 1:-1]
        _refuse(replaced, NEWER)
        if self._timer.is_canceled():
            self._timer.reset()
        return True

    def refuse_older(self, name: str) -> None:
        """Refuse waiting goals of an arm when a newer goal is handled that has not waited."""
        if self._deadline is None:
            _refuse(self.goals.pop(name, []), NEWER)

    def stop(self, reason: str) -> None:
        """Refuse every goal."""
        goals, self.goals = self.goals, {}
        for late in goals.values():
            _refuse(late, reason)

    def handle_due(self) -> None:
        """Handle goals whose condition holds, or whose deadline has passed."""
        for name in list(self.goals):
            late = self.goals.pop(name, [])
            ready = next((k for k in reversed(range(len(late))) if late[k].come()), None)
            if ready is not None:
                _refuse(late[:ready], NEWER)
                due, rest = [late[ready]], late[ready + 1:]
            else:
                now = clock_seconds(self._steady)
                due = [one for one in late if now >= one.deadline]
                rest = late[len(due):]
            if rest:
                self.goals[name] = rest
            for one in due:
                self._deadline = one.deadline
                try:
                    one.handle()
                finally:
                    self._deadline = None
        if not self.goals:
            self._timer.cancel()


def _refuse(goals: list[_Late], reason: str) -> None:
    for goal in goals:
        goal.refuse(reason)
