"""Reasons of failures, and warnings in the log at a bounded rate."""

import traceback
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from rclpy.clock import Clock

from ik_node.control.worker import CancelledError
from ik_node.ros.conversions import clock_seconds
from ik_node.support.exceptions import IkError

_REMEMBERED = 32  # different lines
_LONGEST = 200    # characters of a reason


def reason_of(error: BaseException, log: Callable[[str], object]) -> str:
    """Return why something failed, in one line; log: called with the traceback of a defect."""
    if isinstance(error, (IkError, CancelledError)):
        return str(error)
    log(f'internal error:\n{"".join(traceback.format_exception(error))}')
    line = ' '.join(str(error).split())
    text = f'{type(error).__name__}: {line}' if line else type(error).__name__
    return f'internal error: {text[:_LONGEST]}'


class ThrottledLog:
    """Writes a warning at most once per period, and few warnings in all."""

    def __init__(self, logger: Any, steady: Clock, period: float = 1.0, most: int = 10) -> None:
        """Set the period, s of a monotonic clock, and how many different lines it may have."""
        self._logger, self._steady, self._period, self._most = logger, steady, period, most
        self._last: OrderedDict[str, float] = OrderedDict()

    def warn(self, line: str) -> None:
        """Write a warning, unless it or too many others were written within the period."""
        now = clock_seconds(self._steady)
        if now - self._last.get(line, -self._period) < self._period or sum(
                now - last < self._period for last in self._last.values()) >= self._most:
            return
        self._last[line] = now
        self._last.move_to_end(line)
        if len(self._last) > _REMEMBERED:
            self._last.popitem(last=False)
        self._logger.warning(line)
