"""Progress of a command on the terminal."""

import time
from typing import TextIO

_WIDTH = 30        # characters of the bar
_PAUSE = 10.0      # s between two lines where there is no terminal


class ProgressBar:
    """Shows the progress: as a bar on a terminal, else as a line from time to time."""

    def __init__(self, stream: TextIO) -> None:
        self._stream, self._live = stream, stream.isatty()
        self._started = self._last = time.monotonic()
        self._width = 0

    def __call__(self, done: float, what: str) -> None:
        """Show the part of the whole that is done, 0 to 1, and the stage."""
        now = time.monotonic()
        text = f'{100.0 * done:3.0f} %  {what}, {now - self._started:.0f} s'
        if self._live:
            filled = round(_WIDTH * done)
            text = f'[{"#" * filled}{"." * (_WIDTH - filled)}] {text}'
            self._stream.write(f'\r{text.ljust(self._width)}')
            self._width = len(text)
        elif now - self._last >= _PAUSE:
            self._last = now
            self._stream.write(f'{text}\n')
        self._stream.flush()

    def close(self) -> None:
        """Clear the bar."""
        if self._live and self._width:
            self._stream.write(f'\r{" " * self._width}\r')
            self._stream.flush()
