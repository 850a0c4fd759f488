"""Teleoperation: a gamepad, the keyboard of a terminal or a phone commands the servo of a node."""

from ik_node.support.signals import end_quietly

if __name__ == '__main__':
    end_quietly()  # before the imports that take long

import math
import sys
import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseStamped, TwistStamped
from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import Joy
from std_msgs.msg import Header

from ik_node.control.options import JOINTS, JOY, KEYBOARD, PHONE, POSE, TWIST, TeleopOptions
from ik_node.ros.clients.keyboard import JOINT, KEYS, REVERSE, SPEEDS, STOP, Keyboard
from ik_node.ros.clients.phone import Clutch, PhonePage, Touch
from ik_node.ros.conversions import matrix_to_pose, pose_to_matrix
from ik_node.ros.parameters import declare
from ik_node.ros.run import run, show_help
from ik_node.ros.topics import LATEST, TIP, command_topic
from ik_node.support.command_line import reporting
from ik_node.support.exceptions import InputError

_SLOWEST = 0.05
_SILENT = 1.0  # s, after which it is unknown where the tip is


class Teleop(Node):
    """Commands the servo of an ik_node, by a gamepad, the keyboard of a terminal, or a phone.

    Each message of the gamepad or the phone, and each event of a key, is a command; without them
    the arm brakes when servo's incoming_command_timeout has passed. Keys: docs/teleop.md.
    """

    def __init__(self, **arguments: Any) -> None:
        super().__init__('ik_teleop', **arguments)
        self.options = TeleopOptions.read(
            declare(self, TeleopOptions.specs(), TeleopOptions.defaults(), read_only=True))
        self._speed, self._direction, self._error = self.options.speed, 1.0, ''
        self._moved: set[str] = set()  # kinds of commands that are to be ended
        self._keyboard: Keyboard | None = None
        self._phone: PhonePage | None = None
        prefix = f'{self.options.target}/'
        topics = {kind: command_topic(kind, self.options.arm).replace('~/', prefix)
                  for kind in (TWIST, JOINTS, POSE, TIP)}
        self._outputs: dict[str, Any] = {
            TWIST: self.create_publisher(TwistStamped, topics[TWIST], LATEST)}
        if self.options.gripper_joints or self.options.joints:
            try:
                from control_msgs.msg import JointJog
                self._outputs[JOINTS] = self.create_publisher(JointJog, topics[JOINTS], LATEST)
            except ImportError as error:
                self.get_logger().error('gripper_joints and joints are not commanded: '
                                        f'control_msgs is not installed ({error})')
        if self.options.input == JOY:
            self.create_subscription(Joy, 'joy', self._on_joy, qos_profile_sensor_data)
            self.get_logger().info(f'hold button {self.options.dead_man_button} of the gamepad')
        elif self.options.input == PHONE:
            self._outputs[POSE] = self.create_publisher(PoseStamped, topics[POSE], LATEST)
            self._clutch, self._tip = Clutch(self.options.reach), PoseStamped()
            self._seen = -math.inf  # when the tip was, s
            self._text = ''
            self.create_subscription(PoseStamped, topics[TIP], self._on_tip, LATEST)
            self.create_subscription(
                DiagnosticStatus, f'{prefix}status', self._on_status, 10)

    def start(self) -> None:
        """Read the keyboard, or serve the page, where it commands.

        Raises InputError without a terminal, and IkError where the page cannot be served.
        """
        options = self.options
        if options.input == KEYBOARD:
            self._keyboard = Keyboard(sys.stdin, lambda key: self.executor and (
                self.executor.create_task(partial(self.press, key))))
        elif options.input == PHONE:
            self._phone = PhonePage(
                options.host, options.port, options.certificate, options.private_key,
                lambda *touch: self.executor and self.executor.create_task(
                    partial(self.touch, *touch)))
            self.get_logger().info(f'open on the phone: {self._phone.address}')

    def destroy_node(self) -> None:
        """Let the terminal be as it was before, and close the page."""
        for source in (self._keyboard, self._phone):
            if source is not None:
                source.close()
        super().destroy_node()

    def press(self, key: str) -> None:
        """Send the command of a key."""
        header = Header(stamp=self.get_clock().now().to_msg(), frame_id=self.options.frame)
        gripper, joints = self.options.gripper_joints or (), self.options.joints or ()
        if key in KEYS:
            axis, sign = KEYS[key]
            self._twist(header, [sign * self._speed * (k == axis) for k in range(6)])
        elif key in JOINT and JOINT[key] < len(joints):
            self._jog(header, {joints[JOINT[key]]: self._direction * self._speed})
        elif key in '[]' and gripper:
            self._jog(header, dict.fromkeys(gripper, self._speed * (1 if key == ']' else -1)))
        elif key in SPEEDS:
            self._speed = min(max(self._speed * SPEEDS[key], _SLOWEST), 1.0)
            self.get_logger().info(f'speed {self._speed:.2f}')
        elif key == REVERSE:
            self._direction = -self._direction
        elif key == STOP:
            self._end(header)

    def touch(self, touch: Touch, is_first: bool = False) -> None:
        """Send the commands of a phone; is_first: since it is connected."""
        if is_first:
            self._clutch = Clutch(self.options.reach)
        age = Duration(seconds=self._clutch.age(touch, time.monotonic()))
        header = Header(stamp=(self.get_clock().now() - age).to_msg())
        if touch.grip and self.options.gripper_joints:
            self._jog(header, dict.fromkeys(
                self.options.gripper_joints, touch.grip * self.options.speed))
        else:
            self._end(header)
        is_seen = time.monotonic() - self._seen < _SILENT
        if self._phone is not None:
            self._phone.text = self._text if is_seen else (
                f'{self.options.target} does not say where its tip is: is its motion servo?')
        if touch.held and is_seen:
            header.frame_id = self._tip.header.frame_id
            T = self._clutch.pose(touch, pose_to_matrix(self._tip.pose))
            self._outputs[POSE].publish(PoseStamped(header=header, pose=matrix_to_pose(T)))

    def _on_tip(self, message: PoseStamped) -> None:
        self._tip, self._seen = message, time.monotonic()

    def _on_status(self, message: DiagnosticStatus) -> None:
        self._text = message.message

    def _on_joy(self, message: Joy) -> None:
        """Send the commands of the present state of a gamepad."""
        options, header = self.options, Header(
            stamp=message.header.stamp, frame_id=self.options.frame)
        try:
            held = _button(message.buttons, options.dead_man_button)
            twist = [options.speed * sign * self._deflection(message.axes, int(axis))
                     for axis, sign in zip(options.axes, options.signs)]
            grip = (_button(message.buttons, options.open_button)
                    - _button(message.buttons, options.close_button)
                    if options.gripper_joints else 0)
        except InputError as error:
            held = 0
            if str(error) != self._error:
                self._error = str(error)
                self.get_logger().error(self._error)
        if not held:
            self._end(header)
            return
        self._error = ''
        self._twist(header, twist)
        if grip:
            self._jog(header, dict.fromkeys(options.gripper_joints, grip * options.speed))
        elif JOINTS in self._moved:
            self._jog(header, dict.fromkeys(options.gripper_joints, 0.0))
            self._moved.discard(JOINTS)

    def _deflection(self, axes: Sequence[float], axis: int) -> float:
        """Return the deflection of an axis, −1 to 1, from 0 at the edge of the dead zone."""
        if axis < 0:
            return 0.0
        if axis >= len(axes):
            raise InputError(f'axes must be of the gamepad, which has {len(axes)}, not {axis}')
        value, zone = axes[axis], self.options.dead_zone
        if not abs(value) <= 1.0:
            raise InputError(f'axis {axis} of the gamepad is at {value}, not from -1 to 1')
        return max(abs(value) - zone, 0.0) / (1.0 - zone) * (1.0 if value > 0.0 else -1.0)

    def _twist(self, header: Header, values: Sequence[float]) -> None:
        message = TwistStamped(header=header)
        twist = message.twist
        for part, three in ((twist.linear, values[:3]), (twist.angular, values[3:])):
            part.x, part.y, part.z = map(float, three)
        self._send(TWIST, message)

    def _jog(self, header: Header, velocities: Mapping[str, float]) -> None:
        if JOINTS in self._outputs:
            from control_msgs.msg import JointJog
            message = JointJog(header=header)
            message.joint_names, message.velocities = list(velocities), list(velocities.values())
            self._last = message
            self._send(JOINTS, message)

    def _send(self, kind: str, message: Any) -> None:
        self._moved.add(kind)
        self._outputs[kind].publish(message)

    def _end(self, header: Header) -> None:
        """Brake at once what has been commanded; after that nothing is sent."""
        if TWIST in self._moved:
            self._twist(header, (0.0,) * 6)
        if JOINTS in self._moved:
            self._jog(header, dict.fromkeys(self._last.joint_names, 0.0))
        self._moved.clear()


def _button(buttons: Sequence[int], number: int) -> int:
    if number >= len(buttons):
        raise InputError(f'buttons must be of the gamepad, which has {len(buttons)}, not {number}')
    return buttons[number]


@reporting('ik_teleop')
def main(arguments: list[str] | None = None) -> int:
    """Run until SIGINT or SIGTERM."""
    show_help('ik_teleop', Teleop.__doc__ or '', arguments)
    return run(Teleop, arguments, Teleop.start)


if __name__ == '__main__':
    sys.exit(main())
