"""SIGINT, SIGTERM and the output of commands, which end quietly from their first moment on.

Importing numpy and ROS takes half a second or more, in which Python's own handler of SIGINT would
raise KeyboardInterrupt in the middle of an import. So a command calls `end_quietly` first, and this
module imports next to nothing itself.
"""

import contextlib
import errno
import io
import os
import signal
import sys
from queue import SimpleQueue

TYPE_CHECKING = False  # typing takes longer to import than all of this
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

SIGNALS = (signal.SIGINT, signal.SIGTERM)
INTERRUPTED = 128 + signal.SIGINT  # exit status, as a shell reports a process that SIGINT ended


def end_quietly() -> None:
    """Let SIGINT end this process at once, as SIGTERM does, instead of a KeyboardInterrupt.

    The exit status is that of the signal, 130 in a shell. A SIGINT that is ignored stays so. Output
    that stdout cannot encode is replaced; see `_Output` for that which it cannot take.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    if (stdout := sys.__stdout__) is not None and sys.stdout is stdout:
        sys.stdout = _Output(stdout.buffer, stdout.encoding, 'replace', line_buffering=True)


class _Output(io.TextIOWrapper):
    """The output of a command, line by line.

    What nobody reads any more, as after `head`, is dropped. Where it cannot be written, as to a
    full disk, the command ends with the reason.
    """

    def write(self, text: str) -> int:
        """Write a text; return its length."""
        try:
            return super().write(text)
        except OSError as error:
            self._give_up(error)
        return len(text)

    def flush(self) -> None:
        """Write what is buffered."""
        try:
            super().flush()
        except OSError as error:
            self._give_up(error)

    def close(self) -> None:
        """Write what is buffered; the file stays open, as it is not of this object alone."""
        self.flush()

    def _give_up(self, error: OSError) -> None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())
        if error.errno != errno.EPIPE:
            print(f'cannot write the output: {error}', file=sys.stderr)
            raise SystemExit(2) from None


@contextlib.contextmanager
def keyboard_interrupts() -> 'Iterator[None]':
    """Have SIGINT raise KeyboardInterrupt, for a command that catches it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:  # as of a node that has ended
            signal.signal(signal.SIGINT, before)


class Stop:
    """A context in which SIGINT and SIGTERM interrupt nothing, but are remembered.

    - `number`: of the first signal that has come, 0 for none.
    """

    def __init__(self) -> None:
        self.number = 0
        self._signals: SimpleQueue[int] = SimpleQueue()  # may be used in a handler, unlike events
        self._before: dict[int, Any] = {}

    def __bool__(self) -> bool:
        return self.number != 0

    @property
    def status(self) -> int:
        """The exit status of a command that the signal has ended, as a shell reports it."""
        return 128 + self.number if self.number else 0

    def __enter__(self) -> 'Stop':
        self._before = {number: signal.signal(number, self._take) for number in SIGNALS}
        return self

    def __exit__(self, *error: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def wait(self) -> None:
        """Return when a signal has come."""
        if not self.number:
            self._signals.get()

    def _take(self, number: int, frame: object) -> None:
        self.number = self.number or number
        self._signals.put(number)
