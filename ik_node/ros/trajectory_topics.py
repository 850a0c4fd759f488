"""Motions as trajectories for a controller, as ros2_control's joint_trajectory_controller."""

from typing import Any

import numpy as np
from rclpy.lifecycle import LifecycleNode
from trajectory_msgs.msg import JointTrajectory

from ik_node.motion.trajectory import State, Trajectory
from ik_node.ros import conversions
from ik_node.ros.robot import Arm

_MOST_POINTS = 2000


class TrajectoryTopics:
    """Publishes where the parameter trajectory_topic of an arm says; nowhere by default."""

    def __init__(self, node: LifecycleNode) -> None:
        """Make no publisher before there is something to publish."""
        self._node = node
        self._publishers: dict[str, Any] = {}

    def destroy(self) -> None:
        """Take the publishers down."""
        self.keep(())

    def keep(self, arms: tuple[Arm, ...]) -> None:
        """Make a publisher for each topic that these arms name, and take others down."""
        wanted = {arm.options.trajectory_topic for arm in arms} - {''}
        for topic in [topic for topic in self._publishers if topic not in wanted]:
            self._node.destroy_lifecycle_publisher(self._publishers.pop(topic))
        for topic in wanted - set(self._publishers):
            self._publishers[topic] = self._node.create_lifecycle_publisher(
                JointTrajectory, topic, 10)

    def publish(self, arm: Arm, motion: Trajectory, period: float) -> None:
        """Publish a motion from now on, a point in every period, s, and its end.

        The first point is a period ahead: a controller that begins at once is there by then.
        """
        if arm.options.trajectory_topic not in self._publishers:
            return
        step = max(period, motion.duration / _MOST_POINTS)
        times = np.append(np.arange(step, motion.duration - 0.5 * step, step),
                          max(motion.duration, step))
        self._send(arm, motion.sample(times), times)

    def hold(self, arm: Arm, q: np.ndarray, period: float) -> None:
        """Publish that an arm is to stand at q (n,), rad or m."""
        self._send(arm, State.at_rest(q[None]), np.array([period]))

    def _send(self, arm: Arm, state: State, times: np.ndarray) -> None:
        publisher = self._publishers.get(arm.options.trajectory_topic)
        if publisher is not None:
            publisher.publish(conversions.trajectory_message(arm.chain.joint_names, state, times))
