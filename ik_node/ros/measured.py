"""Where the real robot is, as its joint states tell: what goals start from."""

import math
import time
from typing import Any

from rclpy.lifecycle import LifecycleNode
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import JointState

from ik_node.bounds import MAX_ENTRIES, MAX_NAME
from ik_node.exceptions import InputError, names
from ik_node.model.joints import Joint
from ik_node.ros.health import Health
from ik_node.ros.robot import Arm, Robot

_SILENT = 1.0        # s, after which a state that came is an old one
_ABOUT = 'state_topic'


class Measured:
    """Joint values from the parameter `state_topic`, matched by name, in any order.

    Messages may be partial, and may tell of joints of others. Without a topic it knows nothing,
    and goals start from where the robot was sent.
    """

    def __init__(self, node: LifecycleNode, health: Health) -> None:
        """Listen to nothing yet."""
        self._node, self._health = node, health
        self._topic = ''
        self._subscription: Any = None
        self._joints: dict[str, Joint] = {}
        self._values: dict[str, float] = {}
        self._foreign: set[str] = set()
        self._heard = -math.inf  # when, s of a monotonic clock

    def destroy(self) -> None:
        """Stop listening."""
        if self._subscription is not None:
            self._node.destroy_subscription(self._subscription)
            self._subscription = None

    def listen(self, topic: str, robot: Robot) -> None:
        """Listen to a topic, '' for none, for a robot's joints from now on.

        What was heard on another topic is forgotten.
        """
        self._joints = {joint.name: joint for joint in robot.tree.joints.values()
                        if joint.moves and joint.mimic is None}
        self._values = {name: value for name, value in self._values.items() if name in self._joints}
        self._foreign.clear()
        if topic != self._topic:
            self.destroy()
            self._topic, self._values = topic, {}
            self._health.warn(_ABOUT, '')
            if topic:
                # Best effort hears publishers of either kind.
                self._subscription = self._node.create_subscription(
                    JointState, topic, self._on_state, qos_profile_sensor_data)

    def take_up(self, robot: Robot, arm: Arm) -> None:
        """Let an arm that stands stand where it was measured, or at the limit it is beyond."""
        if self._topic:
            q = robot.posture(arm)
            for k, name in enumerate(arm.chain.joint_names):
                if name in self._values:
                    q[k] = min(max(self._values[name], arm.chain.lower[k]), arm.chain.upper[k])
            robot.move(arm, q)

    def look_after(self, arm: Arm) -> None:
        """Warn where a goal for an arm would start from what nobody has told, or not lately."""
        if not self._topic:
            return
        missing = [name for name in arm.chain.joint_names if name not in self._values]
        if missing:
            self._warn(f'{self._topic} has not told of {", ".join(missing)}: goals start from '
                       'where they were sent')
        elif time.monotonic() - self._heard > _SILENT:
            self._warn(f'{self._topic} is silent: goals start from what it said last')
        else:
            self._warn('')

    def _warn(self, warning: str) -> None:
        if self._health.warn(_ABOUT, warning):
            self._node.get_logger().warning(warning)

    def _on_state(self, message: JointState) -> None:
        try:
            told = _read(message)
        except InputError as error:
            self._warn(f'{self._topic}: joint states refused: {error}')
            return
        self._heard = time.monotonic()
        self._values.update({name: told[name] for name in told.keys() & self._joints.keys()})
        foreign = told.keys() - self._joints.keys()
        if foreign - self._foreign and not self._foreign:  # of mimics, wheels, other robots: once
            self._foreign.update(foreign)
            self._node.get_logger().info(
                f'{self._topic} tells of joints that no goal moves, which are ignored: '
                f'{names(sorted(foreign))}')


def _read(message: JointState) -> dict[str, float]:
    """Return the joint values of a message, rad or m. Raises InputError for what makes no sense."""
    joints, positions = message.name, message.position
    if len(joints) != len(positions) or len(joints) > MAX_ENTRIES:
        raise InputError(f'{len(joints)} names and {len(positions)} positions; there must be as '
                         f'many of either, {MAX_ENTRIES} at the most')
    for name, position in zip(joints, positions):
        if not math.isfinite(position):
            raise InputError(f'the position of {name[:MAX_NAME]!r} is {position}, no finite number')
    return dict(zip(joints, positions))
