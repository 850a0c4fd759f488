"""The velocities that consecutive joint states imply, whatever the node says of its motion."""

import numpy as np


class ApparentVelocity:
    """Compares (position, stamp) of consecutive joint states with the velocity limits.

    - `worst`: the largest velocity seen, as a ratio to its limit; `pair`: the two states of it.
    - `moving`: pairs in which a joint has moved; `backward`: those whose stamps go back.
    """

    def __init__(self, limits):
        """limits: {joint: rad/s or m/s}."""
        self.limits = limits
        self.worst, self.pair, self.moving, self.backward = 0.0, None, 0, 0
        self._last = None

    def add(self, message):
        """Take the next joint state."""
        stamp = message.header.stamp.sec * 10 ** 9 + message.header.stamp.nanosec
        state = dict(zip(message.name, message.position))
        last, self._last = self._last, (stamp, state)
        if last is None or last[1].keys() != state.keys():
            return
        passed = 1e-9 * (stamp - last[0])
        moved = np.array([abs(state[name] - last[1][name]) for name in self.limits])
        if not moved.any():
            return
        self.moving += 1
        if passed < 0.0:  # the clock was set back
            self.backward += 1
            return
        # Stamps are whole nanoseconds.
        ratio = float((moved / np.array(list(self.limits.values()))).max() / (passed + 2e-9))
        if ratio > self.worst:
            self.worst, self.pair = ratio, (last, self._last)
