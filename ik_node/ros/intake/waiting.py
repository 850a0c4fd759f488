"""Goals that wait for a frame: a bounded number, for a bounded time, checked by a timer."""

from collections.abc import Callable
from typing import Any, NamedTuple

from rclpy.clock import Clock
from rclpy.node import Node

from ik_node.control.worker import NEWER
from ik_node.ros.conversions import clock_seconds
from ik_node.ros.publishing.status import Arrival
from ik_node.support.exceptions import InputError

_PERIOD = 0.01  # s, between two checks
_MOST = 16      # goals of an arm that wait at a time


class NotYetError(InputError):
    """An input that cannot be used yet; `come` returns whether another try is useful."""

    def __init__(self, message: str, come: Callable[[], bool]) -> None:
        super().__init__(message)
        self.come = come


class _Late(NamedTuple):
    """A goal that waits until a deadline, s, of the clock."""

    arrival: Arrival
    message: Any
    come: Callable[[], bool]
    deadline: float


class Waiting:
    """Takes waiting goals again when their condition holds, and a last time at their deadline.

    The newest goal that can be taken replaces older ones, which are refused. Newer ones continue
    to wait: otherwise a stream whose frame is always a little late would never be handled. The
    clock is monotonic, as simulated time may be stopped.

    - `goals`: those that wait, by arm or task, the oldest first.
    """

    def __init__(self, node: Node, steady: Clock, take: Callable[[str, Any], object],
                 refuse: Callable[[Arrival, str], object]) -> None:
        """Begin without goals. take, refuse: called with a goal, or why it is given up."""
        self._steady, self._take, self._refuse = steady, take, refuse
        self.goals: dict[str, list[_Late]] = {}
        self._deadline: float | None = None      # of the goal that is being taken again
        self._timer = node.create_timer(_PERIOD, self.take_due, clock=steady)
        self._timer.cancel()

    def wait(self, arrival: Arrival, message: Any, come: Callable[[], bool],
             timeout: float) -> bool:
        """Let a goal of an arm wait; return whether it may: timeout, s, after it began, it may not.

        Where too many wait already, it replaces the previous one.
        """
        now = clock_seconds(self._steady)
        deadline = now + timeout if self._deadline is None else self._deadline
        if now >= deadline:
            return False
        late = self.goals.setdefault(arrival.name, [])
        late.append(_Late(arrival, message, come, deadline))
        late.sort(key=lambda one: one.deadline)
        replaced = late[_MOST - 1:-1]
        del late[_MOST - 1:-1]
        self._refuse_all(replaced, NEWER)
        if self._timer.is_canceled():
            self._timer.reset()
        return True

    def refuse_older(self, name: str) -> None:
        """Refuse waiting goals of an arm when a newer goal is taken that has not waited."""
        if self._deadline is None:
            self._refuse_all(self.goals.pop(name, []), NEWER)

    def stop(self, reason: str) -> None:
        """Refuse every goal."""
        goals, self.goals = self.goals, {}
        for late in goals.values():
            self._refuse_all(late, reason)

    def take_due(self) -> None:
        """Take goals whose condition holds, or whose deadline has passed."""
        for name in list(self.goals):
            late = self.goals.pop(name, [])
            ready = next((k for k in reversed(range(len(late))) if late[k].come()), None)
            if ready is not None:
                self._refuse_all(late[:ready], NEWER)
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
                    self._take(name, one.message)
                finally:
                    self._deadline = None
        if not self.goals:
            self._timer.cancel()

    def _refuse_all(self, goals: list[_Late], reason: str) -> None:
        for goal in goals:
            self._refuse(goal.arrival, reason)
