"""Publishes motions for controllers: as trajectories, or as commands of positions at a rate."""

import threading
from array import array
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

import numpy as np
from builtin_interfaces.msg import Duration
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from ik_node.control.controller import Controller
from ik_node.control.group import Group
from ik_node.control.options import ACTION, POSITIONS, TRAJECTORY
from ik_node.control.robot import Robot
from ik_node.control.worker import NEWER, START, Job, LongSearch, Search, Worker
from ik_node.motion.trajectory import State, Trajectory
from ik_node.ros.conversions import stamp_of
from ik_node.ros.execution.motion_clock import MotionClock, next_sample
from ik_node.ros.execution.rate_thread import Phase, RateThread
from ik_node.ros.topics import ParameterTopics
from ik_node.support.exceptions import InputError
from ik_node.support.processes import Notify

_MOST_BYTES = 400_000    # of a message: Fast DDS may lose those above its buffer of 512 KiB
_SECOND = 1_000_000_000  # ns
_LEAST = 100_000_000     # ns from now to the last point
_TRANSFER = 0.01  # s from a message to the next cycle of the controller
_POINT = 2e-5     # s, besides, for each point of it
_HANDOVER = 0.02  # s, at least
_LONGEST = 3.0    # s, of braking before the node ends


class CommandOutputs:
    """Publishes what the parameters `output` say on the topics of `output_topic`.

    Trajectories are made by the worker, of which only the newest on a topic is published; positions
    are sampled by a thread of their own while arms move.

    - `phase`: of the controllers of positions.
    """

    def __init__(self, topics: ParameterTopics, clock: MotionClock, worker: Worker,
                 warn: Notify = print) -> None:
        self._topics, self._clock, self._worker, self._warn = topics, clock, worker, warn
        self._period, self._priority = 1.0, 0  # s, from one point to the next
        self._publishers: dict[tuple[str, str], Any] = {}  # by kind of output and topic
        self._robot: Robot | None = None
        # Motions whose positions are commanded, by the name of the group, and when they began, s.
        self._motions: dict[str, tuple[Group, Trajectory, float]] = {}
        self._thread: RateThread | None = None
        self._sampled = 0  # motion time of the last sample, ns
        self.phase = Phase()
        self._lock = threading.Lock()

    def update(self, robot: Robot, period: float, priority: int = 0) -> None:
        """Publish on the topics of a robot's groups from now on.

        period: from one point to the next, s. priority: of the thread that commands positions.
        """
        self._robot, self._period, self._priority = robot, period, priority
        self._publishers = {output: self._topics.publisher(*output) for output in {
            group.output for group in robot.groups.values()} if output[1]}

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

    def look(self, controllers: Iterable[Controller]) -> None:
        """End goals of actions whose controllers are gone, and commands of abandoned motions."""
        for controller in controllers:
            with suppress(InputError):
                self.check(controller.group)
            _, motion, began = self._motions.get(controller.group.name, (None, None, 0.0))
            if motion is not None and controller.motion is None and (
                    1e-9 * self._clock.peek() < began + motion.duration):
                self.end(controller.group)

    def end(self, group: Group) -> None:
        """Command no more positions of a group's motion."""
        with self._lock:
            self._motions.pop(group.name, None)

    def _stream(self, group: Group, motion: Trajectory, began: float) -> None:
        """Command the positions of a motion from now on."""
        with self._lock:
            self._motions[group.name] = group, motion, began
            if self._thread is None or not self._thread.runs:  # it may have ended by a defect
                self._sampled = 0
                self._thread = RateThread(self._period, self._cycle, self._priority,
                                          warn=self._warn, name='position commands',
                                          phase=self.phase)

    def _cycle(self, cycles: int, late: float) -> bool:
        """Publish the positions of all motions; return whether some of them go on."""
        robot, read = self._robot, self._clock.peek() - round(_SECOND * late)
        assert robot is not None
        self._sampled = read if self._clock.simulated else next_sample(  # which may be slower
            self._sampled, round(_SECOND * cycles * self._period), read)
        now = self._sampled / _SECOND
        for name, moving in list(self._motions.items()):
            group, motion, began = moving
            state, present = motion.at(min(now - began, motion.duration)), robot.present
            self.positions(group, {**present, **dict(zip(
                group.space.joint_names, state.position.tolist()))})
            with self._lock:
                if now - began >= motion.duration and self._motions.get(name) is moving:
                    del self._motions[name]
        with self._lock:
            if not self._motions:
                self._thread = None
            return bool(self._motions)

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
            if controller.motion is not None and controller.group.output[0] == POSITIONS:
                controller.freeze()
        thread = self._thread
        if thread is not None and not thread.end(_LONGEST):
            self._warn(f'an arm has not come to rest within {_LONGEST:g} s: it stops at once')

    def publish(self, group: Group, motion: Trajectory, began: float,
                at_once: bool = False) -> None:
        """Publish a motion that begins at a motion time, s, with the ROS time of that moment.

        It has all the points between which a quintic in time is the motion itself, and one in every
        period at least. The last is not over yet when a controller receives it.
        """
        if group.output[0] == POSITIONS:
            self._stream(group, motion, began)
            return
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
    names = group.space.joint_names
    own = [names.index(name) for name in group.command_joints if name in names]
    message = JointTrajectory(
        joint_names=[names[k] for k in own],
        points=[JointTrajectoryPoint(
            positions=q, velocities=v, accelerations=a,
            time_from_start=Duration(sec=t // _SECOND, nanosec=t % _SECOND))
            for t, q, v, a in zip(times.tolist(), *(
                values[:, own].tolist() for values in states))])
    message.header.stamp = stamp_of(stamp)
    return message
