"""Progress reports of a long computation."""

import time
from collections.abc import Callable

Report = Callable[[float, str], None]  # part of the whole, 0 to 1; name of the stage
Progress = Callable[[float], None]         # part of a stage that is done, 0 to 1

_PAUSE = 0.1  # s between two reports


class Stages:
    """Combines the progress of several stages into the progress of the whole."""

    def __init__(self, report: Report | None, shares: dict[str, float]) -> None:
        """Call `report` with 0 to 1 and the stage's name; shares: relative times of the stages."""
        self._report = report
        total = sum(shares.values())
        self._share = {stage: share / total for stage, share in shares.items()}
        self._last, self._done = -_PAUSE, 0.0

    def stage(self, name: str) -> Progress:
        """Return the function that a stage calls with its own progress, 0 to 1, at any time.

        The reported progress never decreases.
        """
        names = list(self._share)
        before = sum(self._share[other] for other in names[:names.index(name)])

        def progress(done: float) -> None:
            self._done = min(max(self._done, before + self._share[name] * done), 1.0)
            now = time.monotonic()
            if self._report is not None and (now - self._last >= _PAUSE or done >= 1.0):
                self._last = now
                self._report(self._done, name)
        return progress
