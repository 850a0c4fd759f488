"""How far a long run is, told as it goes."""

import time
from collections.abc import Callable

Report = Callable[[float, str], None]  # how much of the whole is done, 0 to 1, and what is at work
Tell = Callable[[float], None]         # how much of a stage is done, 0 to 1

_PAUSE = 0.1  # s between two reports


class Stages:
    """Turns the progress of several stages into the progress of the whole."""

    def __init__(self, report: Report | None, shares: dict[str, float]) -> None:
        """Tell `report`, 0 to 1 and the stage's name; shares: how long each stage takes."""
        self._report = report
        total = sum(shares.values())
        self._share = {stage: share / total for stage, share in shares.items()}
        self._last, self._done = -_PAUSE, 0.0

    def stage(self, name: str) -> Tell:
        """Return what a stage calls with its own progress, 0 to 1, as often as it likes.

        What is reported never goes back.
        """
        names = list(self._share)
        before = sum(self._share[other] for other in names[:names.index(name)])

        def tell(done: float) -> None:
            self._done = min(max(self._done, before + self._share[name] * done), 1.0)
            now = time.monotonic()
            if self._report is not None and (now - self._last >= _PAUSE or done >= 1.0):
                self._last = now
                self._report(self._done, name)
        return tell
