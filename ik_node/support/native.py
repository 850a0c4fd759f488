"""What kernels have from C: the time, and a flag of each thread."""

import threading
import time

from ik_node.support.arrays import Integers


class _Thread(threading.local):
    def __init__(self) -> None:
        self.flag: Integers = [0]


_thread = _Thread()


def now() -> float:
    """Return the time that `time.perf_counter` returns, s."""
    return time.perf_counter()


def is_set() -> bool:
    """Tell whether the flag of the calling thread is set."""
    return _thread.flag[0] != 0


def use_flag(flag: Integers) -> None:
    """Use a flag (1,) for the calling thread."""
    _thread.flag = flag


def use_none() -> None:
    """Use no flag for the calling thread."""
    _thread.flag = [0]
