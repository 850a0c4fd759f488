"""The clock of motions, which never goes back nor jumps, and is read together with its stamp."""

import time
from typing import Any, NamedTuple, cast

from rclpy.clock import Clock, JumpThreshold
from rclpy.node import Node

_LONGEST = 500_000_000  # ns: largest advance by one reading
_APART = 10_000_000     # ns: tolerance between readings of the ROS clock and the monotonic clock
_FAR = 50_000_000       # ns from the clock beyond which samples leave out time, or repeat it
_FOLLOWED = 2e-3        # part of a smaller difference that is followed at each sample
_CHANGE = JumpThreshold(min_forward=None, min_backward=None, on_clock_change=True)


class Instant(NamedTuple):
    """Motion time since the clock was made, s, and ROS time at the same moment, ns."""

    seconds: float
    stamp: int


def next_sample(before: int, step: int, now: int) -> int:
    """Return the time of the sample that follows another at a fixed rate, ns.

    It is a step later, but for a small part of the difference from the clock, which is read at an
    uncertain moment, and the clock's time where it was set meanwhile. step, now: ns.
    """
    error = now - before - step
    return now if abs(error) > _FAR else before + step + round(_FOLLOWED * error)


class MotionClock:
    """Motion time, which follows the ROS clock of a node, simulated or real.

    Between two readings motion time never passes faster than their stamps do. So positions sampled
    at `seconds` and published with `stamp` have the velocities of their motion. Where the ROS clock
    is set back, motions pause; where it jumps forward, or is not read for long, they advance by at
    most half a second. Real time is compared with a monotonic clock, which is never set.

    - `simulated`: the clock of ROS where time is simulated, else None; `steady`: the monotonic one.
    """

    def __init__(self, node: Node, steady: Clock) -> None:
        self._clock = cast(Any, node.get_clock())
        self.steady = steady
        self._jumps = self._clock.create_jump_callback(_CHANGE, post_callback=self._on_change)
        self._on_change()
        self._changed = False
        self._last = 0, self.stamp(), steady.now().nanoseconds  # motion time, and both clocks

    def destroy(self) -> None:
        """Stop watching the ROS clock."""
        self._jumps.unregister()

    def _on_change(self, _: object = None) -> None:
        """Note whether ROS time is simulated: to ask rclpy takes longer than to read the time."""
        self.simulated = self._clock if self._clock.ros_time_is_active else None
        self._changed = True

    def stamp(self) -> int:
        """Return ROS time alone, ns."""
        return time.time_ns() if self.simulated is None else int(self.simulated.now().nanoseconds)

    def read(self) -> Instant:
        """Return motion time and its stamp."""
        self._last, self._changed = self._now(), False
        return Instant(1e-9 * self._last[0], self._last[1])

    def peek(self) -> int:
        """Return what `read` would as motion time, ns; in any thread."""
        return self._now()[0]

    def _now(self) -> tuple[int, int, int]:
        now, stamp_then, steady_then = self._last
        stamp, steady = self.stamp(), self.steady.now().nanoseconds
        if not self._changed:
            passed = stamp - stamp_then
            if self.simulated is None:
                passed = min(passed, steady - steady_then + _APART)
            now += min(max(passed, 0), _LONGEST)
        return now, stamp, steady
