"""Work outside the page's callbacks, where only the latest of several values counts."""

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

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
        self._handle, self._notify = handle, notify
        self._changed = threading.Condition()
        self._waiting: list[_Value] = []  # one at most
        self._works = self._closed = False
        self._handled = 0  # values so far
        start_thread(self._run, 'latest value', notify)

    def give(self, value: _Value) -> None:
        """Queue a value, in place of one that still waits."""
        with self._changed:
            self._waiting = [value]
            self._changed.notify_all()

    def drop(self) -> None:
        """Forget the value that waits, if any, and wait until the present one has been handled.

        The function that handles values must not call it.
        """
        with self._changed:
            self._waiting.clear()
            handled = self._handled + self._works
            self._changed.wait_for(lambda: self._handled >= handled)

    @property
    def busy(self) -> bool:
        """Whether a value is being handled or waits."""
        with self._changed:
            return self._works or bool(self._waiting)

    def close(self) -> None:
        """End the thread; a value that waits is forgotten."""
        with self._changed:
            self._closed = True
            self._waiting.clear()
            self._changed.notify_all()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._closed)
                if self._closed:
                    return
                value, self._works = self._waiting.pop(), True
            name = getattr(self._handle, '__qualname__', 'latest value')
            with reported(name, self._notify), errors_shown(self._notify):
                self._handle(value)
            with self._changed:
                self._works = False
                self._handled += 1
                self._changed.notify_all()
