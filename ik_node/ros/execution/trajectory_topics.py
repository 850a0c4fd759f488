"""Publishes motions for controllers such as ros2_control's joint_trajectory_controller."""

from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np
from builtin_interfaces.msg import Duration, Time
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from ik_node.control.group import Group
from ik_node.control.worker import NEWER, START, Job, LongSearch, Search, Worker
from ik_node.motion.trajectory import State, Trajectory
from ik_node.ros.execution.motion_clock import MotionClock
from ik_node.ros.topics import TRAJECTORY, ParameterTopics

_MOST_BYTES = 400_000    # of a message: Fast DDS may lose those above its buffer of 512 KiB
_SECOND = 1_000_000_000  # ns
_LEAST = 100_000_000     # ns from now to the last point
_HOLD = 5_000_000_000    # ns
_TRANSFER = 0.01  # s from a message to the next cycle of the controller
_POINT = 2e-5     # s, besides, for each point of it
_HANDOVER = 0.02  # s, at least


class TrajectoryTopics:
    """Publishes on the topics of the parameters trajectory_topic; on none by default.

    Messages of motions are made by the worker, of which only the newest on a topic is published.
    """

    def __init__(self, topics: ParameterTopics, clock: MotionClock, worker: Worker) -> None:
        self._topics, self._clock, self._worker = topics, clock, worker
        self._period = 1.0  # s, from one point to the next
        self._publishers: dict[str, Any] = {}

    def update(self, groups: Iterable[Group], period: float) -> None:
        """Publish on the topics of these groups from now on.

        period: from one point to the next, s.
        """
        self._period = period
        self._publishers = {topic: self._topics.publisher(TRAJECTORY, topic) for topic in {
            group.options.trajectory_topic for group in groups} - {''}}

    @property
    def keys(self) -> list[tuple[str, str]]:
        """The keys of what the worker makes."""
        return [('trajectory', topic) for topic in self._publishers]

    def handover(self, motion: Trajectory) -> float:
        """Return in which time a controller has received a motion, s."""
        points = min(len(motion.knots) + motion.duration / self._period, _most_points(motion))
        return max(_TRANSFER + _POINT * points, _HANDOVER)

    def publish(self, group: Group, motion: Trajectory, began: float) -> None:
        """Publish a motion that begins at a motion time, s, with the ROS time of that moment.

        It has all the points between which a quintic in time is the motion itself, and one in every
        period at least. The last is not over yet when a controller receives it.
        """
        now = self._clock.read()
        elapsed, period = round(_SECOND * (now.seconds - began)), self._period

        def message() -> JointTrajectory:
            times = np.ceil(_SECOND * motion.point_times(period, _most_points(motion))).astype(int)
            times[-1] += 1  # not before the end, whatever rounding does: it must be at rest
            if times[-1] < elapsed + _LEAST:
                times = np.append(times, elapsed + _LEAST)
            return _message(group, motion.sample(times / _SECOND), times, now.stamp - elapsed)
        self._send(group, LongSearch(message))

    def hold(self, group: Group, q: np.ndarray) -> None:
        """Publish rest at q (n,), rad or m, from a period ahead for a time.

        A controller refuses what is over, and would then go on moving, however late it gets this.
        """
        period = round(_SECOND * self._period)
        self._send(group, partial(_message, group, State.at_rest(np.stack([q, q])), np.array(
            [period, _HOLD + period]), self._clock.stamp()))

    def _send(self, group: Group, make: Search) -> None:
        """Publish the message that a search makes, unless there is a newer one by then."""
        topic = group.options.trajectory_topic
        if topic not in self._publishers:
            return
        publisher = self._publishers[topic]

        def send() -> Job[None]:
            yield START
            publisher.publish((yield make))
        self._worker.cancel(NEWER, ('trajectory', topic))
        self._worker.begin(('trajectory', topic), send())


def _most_points(motion: Trajectory) -> int:
    return max(_MOST_BYTES // (24 * len(motion.end) + 32), 2)


def _message(group: Group, states: State, times: np.ndarray, stamp: int) -> JointTrajectory:
    """Return the message of states (k, n) at times (k,) after a ROS time, ns; in any thread."""
    joints = group.space.tree.joints  # the entries of a root are no joints
    own = [k for k, name in enumerate(group.space.joint_names) if name in joints]
    message = JointTrajectory(
        joint_names=[group.space.joint_names[k] for k in own],
        points=[JointTrajectoryPoint(
            positions=q, velocities=v, accelerations=a,
            time_from_start=Duration(sec=t // _SECOND, nanosec=t % _SECOND))
            for t, q, v, a in zip(times.tolist(), *(
                values[:, own].tolist() for values in states))])
    stamp = max(stamp, 0)
    message.header.stamp = Time(sec=stamp // _SECOND, nanosec=stamp % _SECOND)
    return message
