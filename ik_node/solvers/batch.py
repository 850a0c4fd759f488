"""Batches, distributed over the cores; kernels release the GIL."""

import contextlib
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from ik_node.support import clock

_SHARE = 128  # goals per task of a core, for searches


def share(work: Callable[[slice], object], count: int,
          progress: Callable[[float], None] = lambda done: None, size: int = _SHARE) -> None:
    """Call work for slices of range(count), of a size, on all cores; kernels release the GIL.

    What cancels searches of the calling thread cancels those of the others.
    """
    cancellation = clock.present()

    def cancellable(part: slice) -> None:
        with cancellation or contextlib.nullcontext():
            work(part)

    parts = [slice(first, first + size) for first in range(0, count, size)]
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for done, _ in enumerate(pool.map(cancellable, parts), start=1):
            progress(done / len(parts))
