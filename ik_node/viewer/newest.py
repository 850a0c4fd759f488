"""Work outside the page's callbacks, where only the newest of several values counts."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

_Value = TypeVar('_Value')


class Newest(Generic[_Value]):
    """A thread that handles one value after the other and skips all but the newest."""

    def __init__(self, handle: Callable[[_Value], None]) -> None:
        """Wait for values. handle: called with each, in the thread."""
        self._handle = handle
        self._changed = threading.Condition()
        self._waiting: list[_Value] = []  # one at most
        self._works = self._closed = False
        threading.Thread(target=self._run, name='newest', daemon=True).start()

    def give(self, value: _Value) -> None:
        """Queue a value, in place of one that still waits."""
        with self._changed:
            self._waiting = [value]
            self._changed.notify()

    def drop(self) -> None:
        """Forget the value that waits, if any."""
        with self._changed:
            self._waiting.clear()

    @property
    def busy(self) -> bool:
        """Whether a value is being handled or waits."""
        with self._changed:
            return self._works or bool(self._waiting)

    def close(self) -> None:
        """End the thread."""
        with self._changed:
            self._closed = True
            self._changed.notify()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._works = False
                self._changed.wait_for(lambda: self._waiting or self._closed)
                if self._closed:
                    return
                value, self._works = self._waiting.pop(), True
            self._handle(value)
