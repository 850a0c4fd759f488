"""Keeps a log readable when the same trouble comes a thousand times a second."""

from collections import OrderedDict

_REMEMBERED = 32  # different lines


class Throttle:
    """Lets a line through at most once per period, and few lines in all."""

    def __init__(self, period: float = 1.0, most: int = 10) -> None:
        """Set the period, s, and how many different lines may pass within it."""
        self.period = period
        self.most = most
        self._last: OrderedDict[str, float] = OrderedDict()

    def allows(self, line: str, now: float) -> bool:
        """Tell whether a line may be written at the time now, s of a monotonic clock."""
        if now - self._last.get(line, -self.period) < self.period:
            return False
        if sum(now - last < self.period for last in self._last.values()) >= self.most:
            return False
        self._last[line] = now
        self._last.move_to_end(line)
        if len(self._last) > _REMEMBERED:
            self._last.popitem(last=False)
        return True
