"""Leads the tip of a running ik_node round a circle, again and again, by a stream of goal poses.

ros2 run ik_node ik_node --ros-args -p model_path:=arm.urdf
python examples/follow_circle.py --centre 0.4 0.0 0.5 --radius 0.1

The node solves every goal from the answer before, so that the joints follow without a jump.
"""

import argparse
import math
import sys

import rclpy
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseStamped
from rclpy.node import Node
from rclpy.qos import QoSProfile

RATE = 50.0  # goals a second


class FollowCircle(Node):
    """Publishes the next pose of a circle at a steady rate, and counts what became of them."""

    def __init__(self, options: argparse.Namespace) -> None:
        """Begin at once; the circle stands upright, in a plane x = const of the arm's base."""
        super().__init__('follow_circle')
        self.options = options
        self.sent = self.answered = self.met = 0
        # Depth 1, as the node's own: of goals that are late only the newest counts.
        self.goals = self.create_publisher(PoseStamped, 'goal_pose', QoSProfile(depth=1))
        self.create_subscription(DiagnosticStatus, 'ik_node/status', self._on_status, 100)
        self.timer = self.create_timer(1.0 / RATE, self._on_time)

    def _on_time(self) -> None:
        if self.goals.get_subscription_count() == 0:
            return
        angle = 2.0 * math.pi * self.sent / (RATE * self.options.period)
        x, y, z = self.options.centre
        goal = PoseStamped()
        goal.header.stamp = self.get_clock().now().to_msg()
        goal.pose.position.x = x
        goal.pose.position.y = y + self.options.radius * math.cos(angle)
        goal.pose.position.z = z + self.options.radius * math.sin(angle)
        goal.pose.orientation.x, goal.pose.orientation.w = 1.0, 0.0  # the tip's z points down
        self.goals.publish(goal)
        self.sent += 1

    def _on_status(self, message: DiagnosticStatus) -> None:
        self.answered += 1
        self.met += message.level == DiagnosticStatus.OK


def main() -> int:
    """Go round until Ctrl-C, or as often as asked for; return 0 where goals were met."""
    parser = argparse.ArgumentParser(description='Lead the tip of an ik_node round a circle.')
    parser.add_argument('--centre', type=float, nargs=3, default=[0.4, 0.0, 0.5], help='m')
    parser.add_argument('--radius', type=float, default=0.1, help='m')
    parser.add_argument('--period', type=float, default=5.0, help='of one round, s')
    parser.add_argument('--rounds', type=float, default=math.inf)
    options = parser.parse_args()
    rclpy.init()
    node = FollowCircle(options)
    try:
        while node.sent < options.rounds * options.period * RATE:
            rclpy.spin_once(node, timeout_sec=1.0)
        node.timer.cancel()
        for _ in range(20):  # the last answers
            rclpy.spin_once(node, timeout_sec=0.05)
    except KeyboardInterrupt:
        pass
    finally:
        print(f'{node.sent} goals sent, {node.answered} answered, {node.met} of them met')
        node.destroy_node()
        rclpy.try_shutdown()
    return 0 if node.met > 0 and node.met == node.answered else 1


if __name__ == '__main__':
    sys.exit(main())
