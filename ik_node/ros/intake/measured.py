"""Joint values of the real robot, from which goals start."""

import math

import numpy as np
from rclpy.clock import Clock
from rclpy.lifecycle import LifecycleNode
from sensor_msgs.msg import JointState

from ik_node.control.controller import Controller
from ik_node.control.group import Group
from ik_node.control.options import POSITIONS
from ik_node.control.robot import Robot
from ik_node.ros.conversions import clock_seconds, joint_positions
from ik_node.ros.execution.execution import SPAN, Execution
from ik_node.ros.intake.waiting import NotYetError
from ik_node.ros.log import ThrottledLog
from ik_node.ros.publishing.health import Health
from ik_node.ros.topics import ParameterTopics
from ik_node.support.exceptions import InputError, names

_SILENT = 1.0  # s, after which a joint value is outdated
_LAG = 0.1     # s, by which drives in motion may lag behind
_ABOUT, _POSITIONS = 'state_topic', 'positions of state_topic'  # subjects of warnings


class Measured:
    """Joint values from the parameter `state_topic`, matched by name, in any order.

    All joints with a value of their own count, also those that no goal moves. Messages may be
    partial, and may contain joints of other robots.

    - `topic`: '' for none; goals then start from the last joint values of the node.
    """

    def __init__(self, node: LifecycleNode, topics: ParameterTopics, execution: Execution,
                 health: Health, steady: Clock, log: ThrottledLog) -> None:
        self._node, self._execution, self._health = node, execution, health
        self._steady, self._log = steady, log
        self.topic = ''
        self._robot: Robot | None = None
        self._values: dict[str, float] = {}
        self._received: dict[str, float] = {}  # when, s of the monotonic clock
        self._has_foreign = False  # joints that are ignored
        self._commanded: set[str] = set()  # joints whose positions are commanded
        topics.on_state = self._on_state

    def listen(self, topic: str, robot: Robot) -> None:
        """Read a topic, '' for none, for a robot's joints; drop values of another topic."""
        if topic != self.topic:
            self.topic, self._values = topic, {}
            for about in (_ABOUT, _POSITIONS):
                self._health.warn(about, '')
        self._robot, self._has_foreign = robot, False
        self._values = {name: self._values[name] for name in robot.tree.independent_joints
                        if name in self._values}
        self._received = {name: self._received[name] for name in self._values}
        self._commanded = {name for group in robot.groups.values()
                           if group.output[0] == POSITIONS for name in group.command_joints}
        self._execution.measure(robot, self._values)

    def update(self, controller: Controller) -> None:
        """Set a group at rest to its measured joint values, clipped to the limits."""
        if not self.topic or controller.moves:
            return
        robot, group, space = controller.robot, controller.group, controller.group.space
        measured = {name: self._values[name] for name in space.joint_names if name in self._values}
        robot.move(group, np.clip([measured.get(name, robot.values[name])
                                   for name in space.joint_names], space.lower, space.upper))
        robot.measured.update(measured)
        controller.begin_at_present()

    def check_freshness(self, group: Group) -> None:
        """Warn where the measured values of a group, or of others, are missing or outdated.

        Raises NotYetError where motions of the group would not begin where the robot is: none of
        its joints is measured yet, or not all are and its motions are published for a controller.
        """
        joints = [name for name in group.space.joint_names if name in group.space.tree.joints]
        missing = [name for name in joints if name not in self._values]
        now = clock_seconds(self._steady)
        old = [name for name, received in self._received.items() if now - received > _SILENT]
        if missing:
            text = f'{self.topic} has no values of {", ".join(missing)}'
            if len(missing) == len(joints) or group.output[1]:
                self._warn(_ABOUT, f'{text}: goals wait for them')
                raise NotYetError(f'{text} yet: it is not known where motions begin', lambda: (
                    self._values.keys() >= set(joints)))
            self._warn(_ABOUT, f'{text}: goals start from the last commanded values')
        elif old and len(old) == len(self._received):
            self._warn(_ABOUT, f'{self.topic} is silent: goals start from its last values')
        elif old:
            self._warn(_ABOUT, f'{self.topic} has no values of {names(old)} any more: the last '
                       'ones count')
        else:
            self._warn(_ABOUT, '')

    def check_start(self, controller: Controller) -> None:
        """Raise InputError where a motion for a real robot would not begin where that is measured.

        In motion drives may lag behind; at rest joints may be outside their limits by the tolerance
        at most, since a motion begins inside.
        """
        group, space = controller.group, controller.group.space
        tolerance, state = group.options.start_tolerance, controller.remaining().at(0.0)
        if not (self.topic and group.output[1] and tolerance):
            return
        for k, name in enumerate(space.joint_names):
            if name not in self._values:
                continue
            q = self._values[name]
            begin = (state.position[k] if controller.moves else
                     min(max(q, space.lower[k]), space.upper[k]))
            error = q - begin
            if space.tree.joints[name].type == 'continuous':
                error = math.remainder(error, math.tau)
            if abs(error) > tolerance + _LAG * abs(state.velocity[k]):
                raise InputError(
                    f'joint {name!r} is measured at {q:.4g}, {abs(error):.4g} away from '
                    f'{"where its motion is" if controller.moves else "its limits"} '
                    f'({begin:.4g}): a motion must begin within start_tolerance, {tolerance:g}')

    def _warn(self, about: str, warning: str) -> None:
        if self._health.warn(about, warning):
            self._log.warn(warning)

    def _on_state(self, topic: str, message: JointState) -> None:
        if topic != self.topic or self._robot is None or not message.position:  # but efforts
            return
        try:
            values, wrong = joint_positions(message)
        except InputError as error:
            self._warn(_POSITIONS, f'{self.topic}: joint states refused: {error}')
            return
        self._warn(_POSITIONS, wrong and f'{self.topic}: {wrong}; its last one counts')
        own = {name: values[name] for name in self._robot.tree.independent_joints if name in values}
        self._values.update(own)
        self._received.update(dict.fromkeys(own, clock_seconds(self._steady)))
        self._execution.measure(self._robot, self._values)
        now, stamp = self._node.get_clock().now().nanoseconds, message.header.stamp
        at = 10 ** 9 * stamp.sec + stamp.nanosec
        is_recent = at > 0 and abs(at - now) < SPAN
        self._execution.history.measure(own, at if is_recent else now)
        if is_recent and not self._commanded.isdisjoint(own):
            self._execution.commands.phase.note(1e-9 * (now - at))
        foreign = values.keys() - own.keys()
        if foreign and not self._has_foreign:  # mimics, or other robots: once
            self._has_foreign = True
            self._node.get_logger().info(
                f'{self.topic} has joints that follow others, or that the robot does not have, '
                f'which are ignored: {names(sorted(foreign))}')
