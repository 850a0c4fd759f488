"""The clock that kernels read."""

import time

from ik_node._jit.kernel import njit


@njit
def clock() -> float:
    """Return the time that `time.perf_counter` returns, s."""
    return time.perf_counter()
