"""The controllers of all arms, and the clock of their motions."""

from builtin_interfaces.msg import Time
from rclpy.lifecycle import LifecycleNode

from ik_node.control.arm import Arm
from ik_node.control.controller import Controller
from ik_node.control.options import JUMP, NodeOptions
from ik_node.control.robot import Robot
from ik_node.ros.conversions import time_message
from ik_node.ros.execution.motion_clock import MotionClock
from ik_node.ros.execution.trajectory_topics import TrajectoryTopics
from ik_node.solvers.goal import Goal


class Execution:
    """Moves the joints of the robot by one controller for each arm.

    - `controllers`: by the names of their arms.
    """

    def __init__(self, node: LifecycleNode) -> None:
        """Begin without arms."""
        self.controllers: dict[str, Controller] = {}
        self._clock = MotionClock(node)
        self._topics = TrajectoryTopics(node)

    def destroy(self) -> None:
        """Destroy the publishers."""
        self._topics.destroy()

    def take_up(self, robot: Robot, options: NodeOptions) -> None:
        """Use a robot and options; paths and motions continue where the arms are unchanged."""
        robot.has_velocities = options.motion != JUMP
        self._topics.take_up(tuple(robot.arms.values()), 1.0 / (options.publish_rate or 1.0))
        for name, arm in robot.arms.items():
            if name not in self.controllers:
                self.controllers[name] = Controller(
                    arm, lambda: self._clock.read().seconds, self._topics)
            controller = self.controllers[name]
            controller.take_up(robot, arm)
            controller.accept_closest = options.on_failure == 'closest'
        self.advance(robot)

    def advance(self, robot: Robot) -> Time:
        """Set the joint values of the robot to those of its motions now; return the ROS time.

        Only this stamp may be published with the joint values.
        """
        now, stamp = self._clock.read()
        for controller in self.controllers.values():
            controller.advance(robot, now)
        return time_message(stamp)

    def follow(self, robot: Robot) -> None:
        """Set the joint values of the robot to those of its motions, if there are any."""
        if any(controller.motion is not None for controller in self.controllers.values()):
            self.advance(robot)

    def last_goal(self, arm: Arm) -> Goal | None:
        """Return the last goal of an arm, in the frame of its base."""
        controller = self.controllers.get(arm.name)
        return None if controller is None else controller.goal

    def drop_paths(self) -> None:
        """Drop the waypoints that are left; motions continue."""
        for controller in self.controllers.values():
            controller.waypoints.clear()

    def go_to_start(self, robot: Robot) -> float:
        """Begin motions to the start pose; return the longest duration, s."""
        return max((controller.go_to_start(robot) for controller in self.controllers.values()),
                   default=0.0)

    def freeze(self, robot: Robot) -> None:
        """Stop all motions at once."""
        self.advance(robot)
        for controller in self.controllers.values():
            controller.freeze(robot)
