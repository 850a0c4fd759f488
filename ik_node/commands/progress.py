"""Progress of a command on the terminal."""

import sys
import time

_WIDTH = 30  # characters of the bar
_CLEAR = '\r\033[K'  # the line of a terminal


class ProgressBar:
    """A context that shows the progress as a bar, where stderr is a terminal."""

    def __init__(self) -> None:
        self._stream, self._started = sys.stderr, time.monotonic()

    def __enter__(self) -> 'ProgressBar':
        return self

    def __call__(self, done: float, what: str) -> None:
        """Show the part of the whole that is done, 0 to 1, and the stage."""
        if self._stream.isatty():
            filled = round(_WIDTH * done)
            self._stream.write(
                f'{_CLEAR}[{"#" * filled}{"." * (_WIDTH - filled)}] {100.0 * done:3.0f} %  {what}, '
                f'{time.monotonic() - self._started:.0f} s')
            self._stream.flush()

    def __exit__(self, *error: object) -> None:
        """Clear the bar."""
        if self._stream.isatty():
            self._stream.write(_CLEAR)
            self._stream.flush()
