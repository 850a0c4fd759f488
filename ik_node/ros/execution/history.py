"""The joint values of the last seconds, for goals in the frames of links with a stamp."""

import math
from bisect import bisect_right
from collections import deque
from collections.abc import Mapping
from typing import Any, NamedTuple

from ik_node.control.robot import Robot
from ik_node.support.exceptions import InputError

SPAN = 10_000_000_000  # ns, as long as tf2 remembers transforms
_MOST = 20_000          # known states
_APART = 2_000_000      # ns between two measured values that are kept


class _Sample(NamedTuple):
    """Joint values at a ROS time, ns: those of all joints and of a moving root, or one of them."""

    stamp: int
    values: Any  # rad or m


class History:
    """Joint values of the node's robot by ROS time, measured ones by the stamps of their messages.

    Those of another tree are forgotten, and so are all where the clock is set back.
    """

    def __init__(self) -> None:
        self._samples: deque[_Sample] = deque(maxlen=_MOST)
        self._measured: dict[str, deque[_Sample]] = {}
        self._robot: Robot | None = None
        self._newest = 0  # of all stamps

    def add(self, robot: Robot, stamp: int) -> None:
        """Store the present joint values of the node's robot; stamp: ROS time, ns."""
        samples = self._samples
        if samples and (stamp < samples[-1].stamp or self._robot is None
                        or robot.tree is not self._robot.tree):
            samples.clear()
            self._measured.clear()
            self._newest = 0
        self._robot, self._newest = robot, max(self._newest, stamp)
        if samples and stamp == samples[-1].stamp:
            samples.pop()
        samples.append(_Sample(stamp, {**robot.values, **robot.measured}))
        # The last one before the span began is valid at its beginning.
        while len(samples) > 1 and samples[1].stamp <= stamp - SPAN:
            samples.popleft()

    def measure(self, values: Mapping[str, float], stamp: int) -> None:
        """Store measured joint values, rad or m; stamp: ROS time, ns."""
        self._newest = max(self._newest, stamp)
        for name, value in values.items():
            series = self._measured.setdefault(name, deque())
            if series and stamp < series[-1].stamp:
                series.clear()
            if len(series) > 1 and series[-1].stamp < series[-2].stamp + _APART:
                series.pop()
            series.append(_Sample(stamp, value))
            while len(series) > 1 and series[1].stamp <= stamp - SPAN:
                series.popleft()

    def is_past(self, robot: Robot, stamp: int) -> bool:
        """Return whether the joint values of a robot at a time, ns, may differ from the present.

        They do not for zero, after the last known state, and for another robot than the node's.
        """
        return bool(stamp and robot is self._robot and stamp < self._newest)

    def at(self, robot: Robot, stamp: int) -> Robot:
        """Return the robot with the joint values of a past time, ns.

        Between two known states joints in motion, and measured ones, have values in proportion to
        time, and those that jump have the earlier ones. Before its first measured value, and after
        the last of one that has not been moved since, a joint has that value. Raises InputError for
        a time before the first known state.
        """
        samples = self._samples
        if stamp < samples[0].stamp:
            raise InputError(
                f'the joint values at {1e-9 * stamp:.3f} s are not known any more: the stamp must '
                f'be at least {1e-9 * samples[0].stamp:.3f} s, or zero for the present ones')
        before, after, part = _around(samples, stamp)
        part *= robot.has_velocities
        values = {name: value + part * (after.get(name, value) - value)
                  for name, value in before.items()}
        for name, series in self._measured.items():
            if name in robot.measured or stamp <= series[-1].stamp:
                first, second, part = _around(series, stamp)
                change = second - first
                if robot.tree.joints[name].type == 'continuous':
                    change = math.remainder(change, math.tau)
                values[name] = first + part * change
        return robot.with_values(values)


def _around(series: deque[_Sample], stamp: int) -> tuple[Any, Any, float]:
    """Return what is known before and after a time, ns, and the part of the time between them."""
    k = bisect_right(series, stamp, key=lambda one: one.stamp)
    before, after = series[max(k - 1, 0)], series[min(k, len(series) - 1)]
    return before.values, after.values, (stamp - before.stamp) / max(after.stamp - before.stamp, 1)
