"""When a search must end: at its deadline, or when it is cancelled."""

import math
import threading
from typing import Any

from ik_node.support import native
from ik_node.support.arrays import Memory


class _InUse(threading.local):
    """The cancellations that are in use in a thread, the innermost last, and when all must end."""

    def __init__(self) -> None:
        self.cancellations: list[Cancellation] = []
        self.deadline = math.inf


_in_use = _InUse()


class Cancellation:
    """Ends the searches of the threads that use it, `with cancellation:`, as if time were over.

    Several threads may use it, and any thread may cancel it. Of those in use in a thread, the
    innermost counts.
    """

    def __init__(self, deadline: float = math.inf) -> None:
        """Begin as not cancelled. deadline: when searches end by themselves, see `end_by`."""
        self.memory = Memory()
        self.limit = self.memory.vector([deadline, 0.0])

    def begin_anew(self, deadline: float) -> None:
        """Become as a new one."""
        self.limit[0], self.limit[1] = deadline, 0.0

    def cancel(self) -> None:
        """End the searches that run, and those that begin later."""
        self.limit[0] = -math.inf

    def end_by(self, deadline: float) -> None:
        """End searches at a time by `time.perf_counter`, s, however long they may take."""
        self.limit[0] = deadline

    def is_cancelled(self) -> bool:
        """Tell whether `cancel` has been called."""
        return self.limit[0] == -math.inf

    def has_ended_any(self) -> bool:
        """Tell whether a search has ended because of this, before its own deadline."""
        return self.limit[1] != 0.0

    def __enter__(self) -> 'Cancellation':
        _in_use.cancellations.append(self)
        native.use_limit(self.limit)
        return self

    def __exit__(self, *_: object) -> None:
        _in_use.cancellations.pop()
        former = present()
        if former is None:
            native.use_none()
        else:
            native.use_limit(former.limit)


class ends_by:  # noqa: N801 as a function; contextlib takes three times as long
    """Let solves inside end by a time of time.perf_counter, s, whatever their own timeouts."""

    __slots__ = ('_before', '_deadline')

    def __init__(self, deadline: float) -> None:
        self._deadline = deadline

    def __enter__(self) -> None:
        self._before = _in_use.deadline
        _in_use.deadline = min(self._deadline, self._before)

    def __exit__(self, *_: object) -> None:
        _in_use.deadline = self._before


def deadline_of(solver: Any) -> float:
    """Return when a solve that begins now must end, by time.perf_counter, s; may be inf."""
    latest, timeout = _in_use.deadline, solver.options.timeout
    return latest if timeout is None else min(latest, native.now() + timeout)


def present() -> Cancellation | None:
    """Return what the calling thread uses; None where nothing cancels its searches."""
    used = _in_use.cancellations
    return used[len(used) - 1] if used else None


def is_over(deadline: float) -> bool:
    """Tell whether a search of the calling thread must end.

    deadline: by `time.perf_counter`, s; may be infinite.
    """
    now, limit = native.now(), native.limit()
    if now >= native.of_limit(limit):
        limit[1] = 1.0
        return True
    return now >= deadline
