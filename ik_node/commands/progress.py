"""Progress of a command on the terminal."""

import sys
import time

_WIDTH = 30  # characters of the bar


class ProgressBar:
    """A context that shows the progress as a bar, where stderr is a terminal."""

    def __init__(self) -> None:
        self._stream, self._started, self._width = sys.stderr, time.monotonic(), 0

    def __enter__(self) -> 'ProgressBar':
        return self

    def __call__(self, done: float, what: str) -> None:
        """Show the part of the whole that is done, 0 to 1, and the stage."""
        if self._stream.isatty():
            filled = round(_WIDTH * done)
            text = (f'[{"#" * filled}{"." * (_WIDTH - filled)}] {100.0 * done:3.0f} %  {what}, '
                    f'{time.monotonic() - self._started:.0f} s')
            self._stream.write(f'\r{text.ljust(self._width)}')
            self._stream.flush()
            self._width = len(text)

    def __exit__(self, *error: object) -> None:
        """Clear the bar."""
        if self._width:
            self._stream.write(f'\r{" " * self._width}\r')
            self._stream.flush()
