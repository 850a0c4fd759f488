"""The controllers of all groups, and the clock of their motions."""

import time
from collections.abc import Mapping

from builtin_interfaces.msg import Time
from rclpy.clock import Clock
from rclpy.lifecycle import LifecycleNode

from ik_node.control.controller import Controller
from ik_node.control.group import Group
from ik_node.control.options import JUMP, NodeOptions
from ik_node.control.robot import Robot
from ik_node.control.worker import Worker
from ik_node.ros.execution.history import History
from ik_node.ros.execution.motion_clock import MotionClock
from ik_node.ros.execution.trajectory_topics import TrajectoryTopics
from ik_node.ros.topics import ParameterTopics
from ik_node.solvers.goal import Goal


class Execution:
    """Moves the joints of the robot by `controllers`, by group, and keeps their `history`.

    - `topics`: on which motions are published.
    """

    def __init__(self, node: LifecycleNode, steady: Clock, topics: ParameterTopics,
                 worker: Worker) -> None:
        self.controllers: dict[str, Controller] = {}
        self.history = History()
        self._clock = MotionClock(node, steady)
        self.topics = TrajectoryTopics(topics, self._clock, worker)

    def update(self, robot: Robot, options: NodeOptions) -> None:
        """Use a robot and options; paths and motions continue where groups are unchanged."""
        robot.has_velocities = options.motion != JUMP
        self.topics.update(robot.groups.values(), 1.0 / (options.publish_rate or 1.0))
        before, self.controllers = self.controllers, {}
        for group in robot.groups.values():
            controller = before.get(group.name)
            if controller is None or type(controller.group) is not type(group):
                controller = Controller(
                    robot, group, lambda: self._clock.read().seconds, self.topics)
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
            if controller.motion is not None:
                now = now or self._clock.read()
                controller.advance(now.seconds)
        if now is not None:
            stamp = now.stamp
        else:  # as `MotionClock.stamp`, at each goal
            clock = self._clock.simulated
            stamp = time.time_ns() if clock is None else clock.now().nanoseconds
        return Time(sec=stamp // 10 ** 9, nanosec=stamp % 10 ** 9)

    def record(self, robot: Robot, stamp: Time) -> None:
        """Add the joint values of the robot at a time to the history."""
        self.history.add(robot, 10 ** 9 * stamp.sec + stamp.nanosec)

    def measure(self, robot: Robot, values: Mapping[str, float]) -> None:
        """Let joints, but those in motion, be where they are measured, rad or m."""
        moving = {name for controller in self.controllers.values()
                  if controller.motion is not None for name in controller.group.space.joint_names}
        robot.measure({name: value for name, value in values.items() if name not in moving})

    def follow(self, robot: Robot) -> None:
        """Set the joint values of the robot to those of its motions, if there are any."""
        if any(controller.motion is not None for controller in self.controllers.values()):
            self.record(robot, self.advance(robot))

    def destroy(self) -> None:
        """Stop watching the clock."""
        self._clock.destroy()

    def last_goal(self, group: Group) -> Goal | None:
        """Return the last goal of a chain, in the frame of its base."""
        controller = self.controllers.get(group.name)
        return None if controller is None else controller.goal

    def freeze(self, robot: Robot) -> None:
        """Stop all motions at once."""
        self.record(robot, self.advance(robot))
        for controller in self.controllers.values():
            controller.freeze()
