"""The time that motions run by: it never goes back and never leaps."""

import time
from typing import Any

from rclpy.node import Node

_LONGEST = 0.5  # s: as far as one look at the clock moves it on


class MotionClock:
    """Seconds since it was made: of the ROS clock where time is simulated, else of a monotonic one.

    Where the clock is set back, motions stand for that moment; where it leaps forward, or nobody
    looked for long, they go on by at most half a second.
    """

    def __init__(self, node: Node) -> None:
        """Start at zero."""
        self._clock: Any = node.get_clock()
        self._now = 0.0
        self._simulated, self._last = self._look()

    def now(self) -> float:
        """Return the time, s."""
        simulated, at = self._look()
        if simulated == self._simulated:
            self._now += min(max(at - self._last, 0.0), _LONGEST)
        self._simulated, self._last = simulated, at
        return self._now

    def _look(self) -> tuple[bool, float]:
        """Return whether time is simulated, and what it is, s."""
        if self._clock.ros_time_is_active:
            return True, 1e-9 * self._clock.now().nanoseconds
        return False, time.monotonic()
