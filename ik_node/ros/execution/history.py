"""The joint values of the last seconds, for goals in the frames of links with a stamp."""

from bisect import bisect_right
from collections import deque
from typing import NamedTuple

from ik_node.control.robot import Robot
from ik_node.support.exceptions import InputError

_SPAN = 10_000_000_000  # ns, as long as tf2 remembers transforms
_MOST = 20_000          # known states


class _Sample(NamedTuple):
    """The joint values, rad or m, with those of a moving root, at a ROS time, ns."""

    stamp: int
    values: dict[str, float]


class History:
    """Joint values of the node's robot by ROS time.

    Those of another tree are forgotten, and so are all where the clock is set back.
    """

    def __init__(self) -> None:
        self._samples: deque[_Sample] = deque(maxlen=_MOST)
        self._robot: Robot | None = None

    def add(self, robot: Robot, stamp: int) -> None:
        """Store the present joint values of the node's robot; stamp: ROS time, ns."""
        samples = self._samples
        if samples and (stamp < samples[-1].stamp or self._robot is None
                        or robot.tree is not self._robot.tree):
            samples.clear()
        self._robot = robot
        if samples and stamp == samples[-1].stamp:
            samples.pop()
        samples.append(_Sample(stamp, dict(robot.values)))
        # The last one before the span began is valid at its beginning.
        while len(samples) > 1 and samples[1].stamp <= stamp - _SPAN:
            samples.popleft()

    def is_past(self, robot: Robot, stamp: int) -> bool:
        """Return whether the joint values of a robot at a time, ns, may differ from the present.

        They do not for zero, after the last known state, and for another robot than the node's.
        """
        return bool(stamp and robot is self._robot and stamp < self._samples[-1].stamp)

    def at(self, robot: Robot, stamp: int) -> Robot:
        """Return the robot with the joint values of a past time, ns.

        Between two known states joints in motion have values in proportion to time, and those that
        jump have the earlier ones. Raises InputError for a time before the first known state.
        """
        samples = self._samples
        if stamp < samples[0].stamp:
            raise InputError(
                f'the joint values at {1e-9 * stamp:.3f} s are not known any more: the stamp must '
                f'be at least {1e-9 * samples[0].stamp:.3f} s, or zero for the present ones')
        k = bisect_right(samples, stamp, key=lambda one: one.stamp)
        before, after = samples[k - 1], samples[k]
        if not robot.has_velocities:
            return robot.with_values(before.values)
        part = (stamp - before.stamp) / (after.stamp - before.stamp)
        return robot.with_values({
            name: value + part * (after.values.get(name, value) - value)
            for name, value in before.values.items()})
