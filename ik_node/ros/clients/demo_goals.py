"""Publishes goal poses for demonstrations until another node sends goals."""

from ik_node.commands import end_quietly

if __name__ == '__main__':
    end_quietly()  # before the imports that take long

import sys
from collections import deque

from geometry_msgs.msg import PointStamped, PoseStamped
from nav_msgs.msg import Path
from rclpy.node import Node
from rclpy.qos import QoSProfile
from std_msgs.msg import String
from visualization_msgs.msg import InteractiveMarkerFeedback

from ik_node.exceptions import IkError
from ik_node.model.readers import read_urdf_text
from ik_node.motion.closed_path import ClosedPath
from ik_node.ros.conversions import matrix_to_pose
from ik_node.ros.publishing.outputs import LATCHED
from ik_node.ros.run import run

_REMEMBERED = 100  # own goals that may still be received


class DemoGoals(Node):
    """Leads the tip of any robot along a closed path, until another node sends goals."""

    def __init__(self) -> None:
        """Wait for a robot description."""
        super().__init__('demo_goals')
        self._base: str = self.declare_parameter('base_link', '').value
        self._tip: str = self.declare_parameter('tip_link', '').value
        rate: float = self.declare_parameter('rate', 25.0).value
        self._step = 1.0 / (rate * self.declare_parameter('round', 20.0).value)
        self._path: ClosedPath | None = None
        self._phase = 0.0
        self._own: deque[tuple[int, int]] = deque(maxlen=_REMEMBERED)
        self._goal = self.create_publisher(PoseStamped, 'goal_pose', QoSProfile(depth=1))
        self._timer = self.create_timer(1.0 / rate, self._on_time)
        self.create_subscription(String, 'robot_description', self._on_description, LATCHED)
        for kind, topic in ((PoseStamped, 'goal_pose'), (PointStamped, 'goal_point'),
                            (Path, 'goal_path')):
            self.create_subscription(kind, topic, self._on_goal, 10)
        self.create_subscription(InteractiveMarkerFeedback, 'ik_node/feedback',
                                 lambda _: self._fall_silent(), 10)

    def _on_description(self, message: String) -> None:
        try:
            self._path = ClosedPath(read_urdf_text(message.data).chain(
                self._base or None, self._tip or None))
        except IkError as error:
            self.get_logger().error(f'no goals for this robot: {error}')

    def _on_time(self) -> None:
        if self._path is None:
            return
        self._phase = (self._phase + self._step) % 1.0
        goal = PoseStamped(pose=matrix_to_pose(self._path.pose(self._phase)))
        goal.header.stamp = self.get_clock().now().to_msg()
        self._own.append((goal.header.stamp.sec, goal.header.stamp.nanosec))
        self._goal.publish(goal)

    def _on_goal(self, message: PoseStamped | PointStamped | Path) -> None:
        stamp = message.header.stamp
        if (stamp.sec, stamp.nanosec) not in self._own:
            self._fall_silent()

    def _fall_silent(self) -> None:
        if not self._timer.is_canceled():
            self._timer.cancel()
            self.get_logger().info('another node sends goals: stopping')


def main(arguments: list[str] | None = None) -> int:
    """Run until SIGINT or SIGTERM."""
    return run(DemoGoals, arguments)


if __name__ == '__main__':
    sys.exit(main())
