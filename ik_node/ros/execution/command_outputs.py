"""Publishes motions for controllers: as trajectories, or as commands of positions at a rate."""

import time
from array import array
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from typing import Any

import numpy as np
from builtin_interfaces.msg import Duration
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from ik_node.control.controller import Controller
from ik_node.control.group import Group
from ik_node.control.options import ACTION, POSITIONS, TRAJECTORY
from ik_node.control.worker import NEWER, START, Job, LongSearch, Search, Worker
from ik_node.motion.trajectory import State, Trajectory
from ik_node.ros.conversions import stamp_of
from ik_node.ros.execution.motion_clock import MotionClock
from ik_node.ros.topics import ParameterTopics
from ik_node.support.exceptions import InputError

_MOST_BYTES = 400_000    # of a message: Fast DDS may lose those above its buffer of 512 KiB
_SECOND = 1_000_000_000  # ns
_LEAST = 100_000_000     # ns from now to the last point
_TRANSFER = 0.01  # s from a message to the next cycle of the controller
_POINT = 2e-5     # s, besides, for each point of it
_HANDOVER = 0.02  # s, at least


class CommandOutputs:
    """Publishes what the parameters `output` say on the topics of `output_topic`.

    Trajectories are made by the worker, of which only the newest on a topic is published.
    """

    def __init__(self, topics: ParameterTopics, clock: MotionClock, worker: Worker) -> None:
        self._topics, self._clock, self._worker = topics, clock, worker
        self._period = 1.0  # s, from one point to the next
        self._publishers: dict[tuple[str, str], Any] = {}  # by kind of output and topic
        self._moving: set[str] = set()  # names of groups whose positions are commanded

    def update(self, groups: Iterable[Group], period: float) -> None:
        """Publish on the topics of these groups from now on.

        period: from one point to the next, s.
        """
        self._period = period
        self._publishers = {output: self._topics.publisher(*output) for output in {
            group.output for group in groups} if output[1]}

    @property
    def keys(self) -> list[tuple[str, str]]:
        """The keys of what the worker makes."""
        return list(self._publishers)

    def check(self, group: Group) -> None:
        """Raise InputError where a group's motions would go to an action that nobody serves."""
        if group.output[0] == ACTION:
            self._publishers[group.output].check_server()

    def handover(self, motion: Trajectory) -> float:
        """Return in which time a controller has received a motion, s."""
        points = min(len(motion.knots) + motion.duration / self._period, _most_points(motion))
        return max(_TRANSFER + _POINT * points, _HANDOVER)

    def command(self, controllers: Collection[Controller]) -> None:
        """Publish the positions of arms in motion, and once of those that have come to rest.

        Goals of actions end where their controllers are gone.
        """
        for controller in controllers:
            with suppress(InputError):
                self.check(controller.group)
        for controller in controllers:
            group, robot = controller.group, controller.robot
            if group.output[0] == POSITIONS and controller.servo is None:
                name, moves = group.name, controller.motion is not None
                if moves or name in self._moving:
                    self.positions(group, robot.present)
                (self._moving.add if moves else self._moving.discard)(name)

    def positions(self, group: Group, values: Mapping[str, float]) -> None:
        """Publish the commands of a group at joint values, rad or m; in any thread."""
        self._publishers[group.output].publish(Float64MultiArray(
            data=array('d', map(values.__getitem__, group.command_joints))))

    def window(self, group: Group, stamps: np.ndarray, states: State) -> None:
        """Publish states (k, n) of a group at ROS times (k,), ns, the last at rest; any thread."""
        self._publishers[group.output].publish(
            _message(group, states, stamps - stamps[0], int(stamps[0])))

    def brake(self, controllers: Iterable[Controller]) -> None:
        """Let arms whose positions are commanded come to rest, and wait for that."""
        for controller in controllers:
            motion, group = controller.motion, controller.group
            if motion is not None and group.output[0] == POSITIONS:
                controller.freeze()
                present = controller.remaining()
                for t in np.arange(0.0, present.duration + self._period, self._period).tolist():
                    self.positions(group, {**controller.robot.present, **dict(zip(
                        group.space.joint_names, present.at(t).position.tolist()))})
                    time.sleep(self._period)

    def publish(self, group: Group, motion: Trajectory, began: float,
                at_once: bool = False) -> None:
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
        # A stop is short; left to a thread, it would be cancelled with all goals of the node.
        self._send(group, message if at_once else LongSearch(message))

    def _send(self, group: Group, make: Search) -> None:
        """Publish the message that a search makes, unless there is a newer one by then."""
        if group.output[0] not in (TRAJECTORY, ACTION):
            return
        key, publisher = group.output, self._publishers[group.output]

        def send() -> Job[None]:
            yield START
            message = yield make
            if key[0] == ACTION:
                publisher.send(message, group.options)
            else:
                publisher.publish(message)
        self._worker.cancel(NEWER, key)
        self._worker.begin(key, send())


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
    message.header.stamp = stamp_of(stamp)
    return message
