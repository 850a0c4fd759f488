"""The status of servo: on ~/status where it changes, and on ~/servo_status as MoveIt Servo's."""

from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.lifecycle import LifecycleNode

from ik_node.control.group_servo import INVALID, NO_WARNING
from ik_node.ros.publishing.outputs import Outputs
from ik_node.ros.services.servo.servo_commands import ServoCommands
from ik_node.ros.services.servo.servo_loop import ServoLoop
from ik_node.ros.topics import overridable


class ServoStatus:
    """Publishes what servo does with the commands of each arm, and why."""

    def __init__(self, node: LifecycleNode, servo: ServoLoop, commands: ServoCommands,
                 outputs: Outputs) -> None:
        self._servo, self._commands, self._outputs = servo, commands, outputs
        self._last: dict[str, tuple[str, str]] = {}
        self._publisher: Any = None
        try:  # of MoveIt, which is not on PyPI
            from moveit_msgs.msg import ServoStatus as Message
        except ImportError:
            return
        self._message = Message()
        self._publisher = node.create_lifecycle_publisher(
            Message, '~/servo_status', **overridable(10))

    def publish(self) -> None:
        """Publish the status of each arm, on ~/status only one that has changed."""
        found = {name: (INVALID, self._commands.refused[name]) if name in self._commands.refused
                 else servo.reason() for name, servo in self._servo.servos.items()}
        if self._servo.waits_for:
            found[''] = NO_WARNING, f'servo waits: {self._servo.waits_for}'
        for name, (code, text) in found.items():
            if self._last.get(name) != (code, text):
                level = DiagnosticStatus.OK if code == NO_WARNING else DiagnosticStatus.ERROR if (
                    code == INVALID) else DiagnosticStatus.WARN
                self._outputs.status(level, text or 'servo follows its commands', {
                    'arm': name, 'solver': 'servo', 'reason': code,
                    'accepted': str(code != INVALID).lower()})
            if self._publisher is not None:
                self._message.code = getattr(type(self._message), code)
                self._message.message = f'{name}: {text}' if name else text
                self._publisher.publish(self._message)
        self._last = found
