"""The description of the robot by topic, where no parameter gives it."""

from collections.abc import Callable

from rclpy.lifecycle import LifecycleNode
from std_msgs.msg import String

from ik_node.ros.configuration import Configuration
from ik_node.ros.log import internal_error
from ik_node.ros.publishing.health import Health
from ik_node.ros.publishing.outputs import LATCHED
from ik_node.support.exceptions import IkError


class Description:
    """Subscribes to robot_description; an identical text is ignored."""

    def __init__(self, node: LifecycleNode, configuration: Configuration, health: Health,
                 on_change: Callable[[], None]) -> None:
        """Subscribe. on_change: called when a text has changed the robot."""
        self._node, self._configuration = node, configuration
        self._health, self._on_change = health, on_change
        node.create_subscription(
            String, 'robot_description', self._on_description, LATCHED)
        node.get_logger().info('waiting for a robot_description by topic')

    def _on_description(self, message: String) -> None:
        try:
            if self._configuration.take_description(message.data):
                self._on_change()
            self._health.trouble = ''
        except IkError as error:
            self._refuse(str(error))
        except Exception as error:  # a defect must not stop the node
            self._refuse(internal_error(error, self._node.get_logger().error))

    def _refuse(self, reason: str) -> None:
        self._health.trouble = f'robot_description refused: {reason}'
        self._node.get_logger().error(self._health.trouble)
