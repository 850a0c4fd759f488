"""The time, and a limit of it for each thread, which kernels take from C."""

import math
import threading
import time

from ik_node.support.arrays import Vector


class _ThreadLimit(threading.local):
    def __init__(self) -> None:
        self.limit: Vector = [math.inf, 0.0]


_thread = _ThreadLimit()


def now() -> float:
    """Return the time that `time.perf_counter` returns, s."""
    return time.perf_counter()


def limit() -> Vector:
    """Return the limit (2,) of the calling thread: a time, s, and 1 where it has ended a search."""
    return _thread.limit


def of_limit(limit: Vector) -> float:
    """Return the time of a limit (2,), s, which another thread may have changed."""
    return limit[0]


def use_limit(limit: Vector) -> None:
    """Use a limit (2,) for the calling thread."""
    _thread.limit = limit


def use_none() -> None:
    """Use no limit for the calling thread."""
    _thread.limit = [math.inf, 0.0]
