"""When a search must end: at its deadline, or when it is cancelled."""

import threading

from ik_node.support import native
from ik_node.support.arrays import Memory


class _Thread(threading.local):
    """The cancellations that are in use in a thread, the innermost last."""

    def __init__(self) -> None:
        self.used: list[Cancellation] = []


_thread = _Thread()


class Cancellation:
    """Ends the searches of the threads that use it, `with cancellation:`, as if time were over.

    Several threads may use it, and any thread may cancel it. Of those in use in a thread, the
    innermost counts.
    """

    def __init__(self) -> None:
        """Begin as not cancelled."""
        self.memory = Memory()
        self.flag = self.memory.integers([0])

    def cancel(self) -> None:
        """End the searches that run, and those that begin later."""
        self.flag[0] = 1

    def is_cancelled(self) -> bool:
        """Tell whether `cancel` has been called."""
        return self.flag[0] != 0

    def __enter__(self) -> 'Cancellation':
        """Use it for the searches of the calling thread."""
        _thread.used.append(self)
        native.use_flag(self.flag)
        return self

    def __exit__(self, *_: object) -> None:
        """Use the former one again."""
        _thread.used.pop()
        former = present()
        if former is None:
            native.use_none()
        else:
            native.use_flag(former.flag)


def present() -> Cancellation | None:
    """Return what the calling thread uses; None where nothing cancels its searches."""
    used = _thread.used
    return used[len(used) - 1] if used else None


def is_over(deadline: float) -> bool:
    """Tell whether a search of the calling thread must end.

    deadline: by `time.perf_counter`, s; may be infinite.
    """
    return native.is_set() or native.now() >= deadline
