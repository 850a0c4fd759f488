"""The next samples of a servo as a trajectory that always ends at rest, for a controller."""

from collections import deque

import numpy as np

from ik_node.motion.servo import Servo
from ik_node.motion.trajectory import State

LEAD = 0.05      # s from the computation of a sample to its time
_APART = 0.01    # s between two points, between which a controller interpolates
_BEHIND = 0.02   # s of points that are kept behind the present: a controller begins between two


class RollingWindow:
    """Samples of a servo whose times are still to come, and the stop from the last of them.

    A controller that gets no further window comes to rest within the limits.
    """

    def __init__(self, servo: Servo) -> None:
        """Begin with the state of a servo."""
        self._servo, self._every = servo, max(round(_APART / servo.period), 1)
        self._step, self._count, self._stamp = round(1e9 * self._every * servo.period), -1, 0
        most = round((LEAD + _BEHIND) / (self._every * servo.period)) + 2
        self._points: deque[tuple[int, State]] = deque(maxlen=most)

    def add(self, stamp: int) -> None:
        """Add the last sample of the servo; stamp: its time, ns.

        Accelerations are those of the step to a sample; at it they are between that and the next.
        """
        self._count, self._stamp, state = self._count + 1, stamp, self._servo.state()
        if self._points and (self._count - 1) % self._every == 0:
            before, point = self._points[-1]
            self._points[-1] = before, point._replace(
                acceleration=0.5 * (point.acceleration + state.acceleration))
        if self._count % self._every == 0:
            self._points.append((stamp, state))

    def trajectory(self) -> tuple[np.ndarray, State]:
        """Return times (k,), ns, and the states (k, n) at them, the last of which rests.

        Position, velocity and acceleration are those of the servo: a quintic between two of them
        leads to the samples between.
        """
        ramp, last = self._servo.ramp(self._every), self._stamp
        points = list(self._points)
        if points[-1][0] < last:
            points.append((last, self._servo.state()))
        stamps = [stamp for stamp, _ in points]
        stamps += [last + k * self._step for k in range(1, len(ramp) + 1)]
        states = np.concatenate([[np.array(state) for _, state in points], ramp])
        return np.array(stamps), State(*states.transpose(1, 0, 2))
