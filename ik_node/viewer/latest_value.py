"""Work outside the page's callbacks, where only the latest of several values counts."""

import contextlib
from collections.abc import Callable, Iterator
from queue import Empty, Queue
from typing import Any, Generic, TypeVar

from ik_node.support.exceptions import IkError
from ik_node.support.processes import Notify, reported, start_thread

_Value = TypeVar('_Value')


@contextlib.contextmanager
def errors_shown(notify: Notify, subject: str = '') -> Iterator[None]:
    """Show what the block is refused, in a line that names its subject; go on after the block."""
    try:
        yield
    except (IkError, OSError) as error:
        line = str(error)
        notify(line if subject in line else f'{subject}: {line}')


class LatestValue(Generic[_Value]):
    """A thread that handles one value after the other and skips all but the latest."""

    def __init__(self, handle: Callable[[_Value], object], notify: Notify) -> None:
        """Wait for values.

        handle: called with each, in the thread. notify: called with a line about an error in it,
        after which the next value is handled.
        """
        self._handle, self._notify, self._closed = handle, notify, False
        self._queue: Queue[Any] = Queue()
        start_thread(self._run, 'latest value', notify)

    def give(self, value: _Value) -> None:
        """Queue a value, in place of one that still waits."""
        if not self._closed:
            self._queue.put(value)

    def drop(self) -> None:
        """Forget the value that waits, if any, and wait until the present one has been handled.

        The function that handles values must not call it.
        """
        self._forget()
        self._queue.join()

    @property
    def busy(self) -> bool:
        """Whether a value is being handled or waits."""
        return self._queue.unfinished_tasks > 0

    def close(self) -> None:
        """End the thread; a value that waits is forgotten."""
        self._closed = True
        self._queue.put(None)  # what the thread may wait for

    def _run(self) -> None:
        name = getattr(self._handle, '__qualname__', 'latest value')
        while not self._closed:
            value = self._queue.get()
            if self._queue.empty() and not self._closed:  # else there is a later one
                with reported(name, self._notify), errors_shown(self._notify):
                    self._handle(value)
            self._queue.task_done()
        self._forget()

    def _forget(self) -> None:
        with contextlib.suppress(Empty):
            while True:
                self._queue.get_nowait()
                self._queue.task_done()
