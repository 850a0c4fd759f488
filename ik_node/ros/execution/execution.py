"""The controllers of all groups, the clock of their motions, and the joint values of the past."""

import math
import time
from bisect import bisect_right
from collections import deque
from collections.abc import Mapping
from typing import Any, NamedTuple

from builtin_interfaces.msg import Time
from rclpy.clock import Clock
from rclpy.lifecycle import LifecycleNode

from ik_node.control.controller import Controller
from ik_node.control.group import Group
from ik_node.control.options import JUMP, NodeOptions
from ik_node.control.robot import Robot
from ik_node.control.worker import Worker
from ik_node.ros.execution.command_outputs import CommandOutputs
from ik_node.ros.execution.motion_clock import MotionClock
from ik_node.ros.topics import ParameterTopics
from ik_node.solvers.goal import Goal
from ik_node.support.exceptions import InputError
from ik_node.support.processes import Notify

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


class Execution:
    """Moves the joints of the robot by `controllers`, by group, and keeps their `history`.

    - `commands`: what controllers get.
    """

    def __init__(self, node: LifecycleNode, steady: Clock, topics: ParameterTopics,
                 worker: Worker, warn: Notify) -> None:
        self.controllers: dict[str, Controller] = {}
        self.history = History()
        self._clock = MotionClock(node, steady)
        self.commands = CommandOutputs(topics, self._clock, worker, warn)

    def update(self, robot: Robot, options: NodeOptions, priority: int) -> None:
        """Use a robot and options; paths and motions continue where groups are unchanged.

        priority: of the thread that commands positions.
        """
        robot.has_velocities = options.motion != JUMP
        self.commands.update(robot, 1.0 / (options.publish_rate or 1.0), priority)
        before, self.controllers = self.controllers, {}
        for group in robot.groups.values():
            controller = before.get(group.name)
            if controller is None or type(controller.group) is not type(group):
                controller = Controller(
                    robot, group, lambda: self._clock.read().seconds, self.commands)
            self.controllers[group.name] = controller
            controller.update(robot, group)
            controller.accept_closest = options.on_failure == 'closest'
        self.record(robot, self.advance(robot))

    def advance(self, robot: Robot) -> Time:
        """Set the joint values of the robot to those of its motions now; return the ROS time.

        Only this stamp may be published, and recorded, with the joint values.
        """
        now = None
        for controller in self.controllers.values():
            if controller.motion is not None or controller.servo is not None:
                now = now or self._clock.read()
                controller.advance(now.seconds)
        if now is not None:
            stamp = now.stamp
        else:  # as `MotionClock.stamp`, at each goal
            clock = self._clock.simulated
            stamp = time.time_ns() if clock is None else clock.now().nanoseconds
        return Time(sec=stamp // 10 ** 9, nanosec=stamp % 10 ** 9)

    def stamp(self) -> int:
        """Return ROS time, ns."""
        return self._clock.stamp()

    def record(self, robot: Robot, stamp: Time) -> None:
        """Add the joint values of the robot at a time to the history."""
        self.history.add(robot, 10 ** 9 * stamp.sec + stamp.nanosec)

    def measure(self, robot: Robot, values: Mapping[str, float]) -> None:
        """Let joints, but those in motion, be where they are measured, rad or m."""
        moving = {name for controller in self.controllers.values()
                  if controller.moves for name in controller.group.space.joint_names}
        robot.measure({name: value for name, value in values.items() if name not in moving})

    def follow(self, robot: Robot) -> None:
        """Set the joint values of the robot to those of its motions, if there are any."""
        if any(controller.moves for controller in self.controllers.values()):
            self.record(robot, self.advance(robot))

    def destroy(self) -> None:
        """Let arms come to rest whose positions are commanded, and stop watching the clock."""
        self.commands.brake(self.controllers.values())
        self._clock.destroy()

    def last_goal(self, group: Group) -> Goal | None:
        """Return the last goal of a chain, in the frame of its base."""
        controller = self.controllers.get(group.name)
        return None if controller is None else controller.goal

    def freeze(self, robot: Robot) -> None:
        """Brake all motions as soon as the limits allow."""
        self.record(robot, self.advance(robot))
        for controller in self.controllers.values():
            controller.freeze()
