"""The clock that kernels read."""

import time


def clock() -> float:
    """Return the time that `time.perf_counter` returns, s."""
    return time.perf_counter()
