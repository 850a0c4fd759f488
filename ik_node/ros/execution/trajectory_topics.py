"""Publishes motions for controllers such as ros2_control's joint_trajectory_controller."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from rclpy.duration import Duration
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from ik_node.control.group import Group
from ik_node.motion.trajectory import State, Trajectory
from ik_node.ros.topics import TRAJECTORY, ParameterTopics

_MOST_POINTS = 2000


class TrajectoryTopics:
    """Publishes on the topics of the parameters trajectory_topic; on none by default."""

    def __init__(self, topics: ParameterTopics) -> None:
        self._topics = topics
        self._period = 1.0  # s, from one point to the next
        self._publishers: dict[str, Any] = {}

    def update(self, groups: Iterable[Group], period: float) -> None:
        """Publish on the topics of these groups from now on.

        period: from one point to the next, s.
        """
        self._period = period
        self._publishers = {topic: self._topics.publisher(TRAJECTORY, topic) for topic in {
            group.options.trajectory_topic for group in groups} - {''}}
        for publisher in self._publishers.values():
            # In an active node a new one has missed the transition that enables it; an inactive
            # node begins no motion.
            publisher.on_activate(None)

    def publish(self, group: Group, motion: Trajectory) -> None:
        """Publish a motion from now on, a point in every period, and its end.

        The first point is a period ahead, so that a controller can reach it in time.
        """
        if group.options.trajectory_topic not in self._publishers:
            return
        step = max(self._period, motion.duration / _MOST_POINTS)
        times = np.append(np.arange(step, motion.duration - 0.5 * step, step),
                          max(motion.duration, step))
        self._send(group, motion.sample(times), times)

    def hold(self, group: Group, q: np.ndarray) -> None:
        """Publish a point at rest at q (n,), rad or m."""
        self._send(group, State.at_rest(q[None]), np.array([self._period]))

    def _send(self, group: Group, state: State, times: np.ndarray) -> None:
        publisher = self._publishers.get(group.options.trajectory_topic)
        if publisher is not None:
            joints = group.space.tree.joints
            own = [k for k, name in enumerate(group.space.joint_names) if name in joints]
            # A stamp of zero lets controllers begin at once; the entries of a root are no joints.
            publisher.publish(JointTrajectory(
                joint_names=[group.space.joint_names[k] for k in own],
                points=[JointTrajectoryPoint(
                    positions=q[own].tolist(), velocities=v[own].tolist(),
                    accelerations=a[own].tolist(),
                    time_from_start=Duration(nanoseconds=round(1e9 * t)).to_msg())
                    for t, q, v, a in zip(times.tolist(), *state)]))
