"""Joint values of the real robot, from which goals start."""

import math

from rclpy.clock import Clock
from rclpy.lifecycle import LifecycleNode
from sensor_msgs.msg import JointState

from ik_node.control.group import Group
from ik_node.control.robot import Robot
from ik_node.model.joints import Joint
from ik_node.ros.conversions import clock_seconds, joint_positions
from ik_node.ros.publishing.health import Health
from ik_node.ros.topics import ParameterTopics
from ik_node.support.exceptions import InputError, names

_SILENT = 1.0        # s, after which a joint state is outdated
_ABOUT = 'state_topic'


class Measured:
    """Joint values from the parameter `state_topic`, matched by name, in any order.

    Messages may be partial, and may contain joints of other robots.

    - `topic`: '' for none; goals then start from the last joint values of the node.
    """

    def __init__(self, node: LifecycleNode, topics: ParameterTopics, health: Health,
                 steady: Clock) -> None:
        self._node, self._health, self._steady = node, health, steady
        self.topic = ''
        self._joints: dict[str, Joint] = {}
        self._values: dict[str, float] = {}
        self._foreign: set[str] = set()
        self._received = -math.inf  # when, s of the monotonic clock
        topics.on_state = self._on_state

    def listen(self, topic: str, robot: Robot) -> None:
        """Read a topic, '' for none, for a robot's joints; drop values of another topic."""
        self._joints = {joint.name: joint for joint in robot.tree.joints.values()
                        if joint.moves and joint.mimic is None}
        self._values = {name: value for name, value in self._values.items() if name in self._joints}
        self._foreign.clear()
        if topic != self.topic:
            self.topic, self._values = topic, {}
            self._health.warn(_ABOUT, '')

    def update(self, robot: Robot, group: Group) -> None:
        """Set a group at rest to its measured joint values, clipped to the limits."""
        q, space = robot.joint_configuration(group), group.space
        for k, name in enumerate(space.joint_names):
            if name in self._values:
                q[k] = min(max(self._values[name], space.lower[k]), space.upper[k])
        robot.move(group, q)

    def check_freshness(self, group: Group) -> None:
        """Warn where the measured values of a group are missing or outdated."""
        missing = [name for name in group.space.joint_names
                   if name not in self._values and name in group.space.tree.joints]
        if missing:
            self._warn(f'{self.topic} has no values of {", ".join(missing)}: goals start from '
                       'the last commanded values')
        elif clock_seconds(self._steady) - self._received > _SILENT:
            self._warn(f'{self.topic} is silent: goals start from its last values')
        else:
            self._warn('')

    def _warn(self, warning: str) -> None:
        if self._health.warn(_ABOUT, warning):
            self._node.get_logger().warning(warning)

    def _on_state(self, topic: str, message: JointState) -> None:
        if topic != self.topic:
            return
        try:
            values = joint_positions(message)
        except InputError as error:
            self._warn(f'{self.topic}: joint states refused: {error}')
            return
        self._received = clock_seconds(self._steady)
        self._values.update({name: values[name] for name in values.keys() & self._joints.keys()})
        foreign = values.keys() - self._joints.keys()
        if foreign - self._foreign and not self._foreign:  # of mimics, wheels, other robots: once
            self._foreign.update(foreign)
            self._node.get_logger().info(
                f'{self.topic} has joints that no goal moves, which are ignored: '
                f'{names(sorted(foreign))}')
