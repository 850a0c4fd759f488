"""The clock of motions, which never goes back nor jumps, and is read together with its stamp."""

from typing import Any, NamedTuple, cast

from rclpy.clock import Clock
from rclpy.node import Node

_LONGEST = 500_000_000  # ns: largest advance by one reading
_APART = 10_000_000     # ns: tolerance between readings of the ROS clock and the monotonic clock


class Instant(NamedTuple):
    """Motion time since the clock was made, s, and ROS time at the same moment, ns."""

    seconds: float
    stamp: int


class MotionClock:
    """Motion time, which follows the ROS clock of a node, simulated or real.

    Between two readings motion time never passes faster than their stamps do. So positions sampled
    at `seconds` and published with `stamp` have the velocities of their motion. Where the ROS clock
    is set back, motions pause; where it jumps forward, or is not read for long, they advance by at
    most half a second. Real time is compared with a monotonic clock, which is never set.
    """

    def __init__(self, node: Node, steady: Clock) -> None:
        """Start at zero. steady: a monotonic clock."""
        self._clock = clock = cast(Any, node.get_clock())
        self._steady_clock = steady
        self._now = 0
        self._simulated: bool = clock.ros_time_is_active
        self._stamp, self._steady = self._clock.now().nanoseconds, steady.now().nanoseconds

    def read(self) -> Instant:
        """Return motion time and its stamp."""
        simulated, stamp = self._clock.ros_time_is_active, self._clock.now().nanoseconds
        steady = self._steady_clock.now().nanoseconds
        if simulated == self._simulated:
            passed = stamp - self._stamp
            if not simulated:
                passed = min(passed, steady - self._steady + _APART)
            self._now += min(max(passed, 0), _LONGEST)
        self._simulated, self._stamp, self._steady = simulated, stamp, steady
        return Instant(1e-9 * self._now, stamp)
