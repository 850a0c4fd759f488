"""Sends one goal pose to a running ik_node, and prints the joint states that come of it.

ros2 run ik_node ik_node --ros-args -p model_path:=arm.urdf
python examples/send_goal.py --xyz 0.4 0.2 0.6 --quaternion 1 0 0 0

It needs rclpy and messages only, nothing of ik_node.
"""

import argparse
import sys
import time
from collections.abc import Callable

import rclpy
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import Point, PoseStamped, Quaternion
from rclpy.node import Node
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState


class SendGoal(Node):
    """Publishes a goal; keeps joint states, and the status of its own goal."""

    def __init__(self) -> None:
        """Make the publisher and the subscriptions."""
        super().__init__('send_goal')
        self.goal = PoseStamped()
        self.joints: dict[str, JointState] = {}
        self.status: DiagnosticStatus | None = None
        self.values: dict[str, str] = {}
        self.goals = self.create_publisher(PoseStamped, 'goal_pose', QoSProfile(depth=1))
        self.create_subscription(JointState, 'joint_states', self._on_joints, 10)
        self.create_subscription(DiagnosticStatus, 'ik_node/status', self._on_status, 10)

    def send(self, xyz: list[float], quaternion: list[float], frame: str) -> None:
        """Publish the goal. Its stamp tells its status from those of other goals."""
        self.goal.header.stamp = self.get_clock().now().to_msg()
        self.goal.header.frame_id = frame  # empty: the arm's base link
        x, y, z = xyz
        self.goal.pose.position = Point(x=x, y=y, z=z)
        x, y, z, w = quaternion
        self.goal.pose.orientation = Quaternion(x=x, y=y, z=z, w=w)
        self.goals.publish(self.goal)

    def answered(self) -> bool:
        """Tell whether the status has come, and the joint states it speaks of."""
        return self.values.get('joint_stamp') in self.joints

    def wait_until(self, done: Callable[[], bool], otherwise: str, timeout: float = 20.0) -> None:
        """Let messages come in until a condition holds; end the program where that takes long."""
        deadline = time.monotonic() + timeout
        while not done():
            rclpy.spin_once(self, timeout_sec=0.1)
            if time.monotonic() > deadline:
                sys.exit(otherwise)

    def _on_joints(self, message: JointState) -> None:
        self.joints[_seconds(message.header.stamp)] = message

    def _on_status(self, message: DiagnosticStatus) -> None:
        values = {pair.key: pair.value for pair in message.values}
        if values['goal_stamp'] == _seconds(self.goal.header.stamp):
            self.status, self.values = message, values


def _seconds(stamp: Time) -> str:
    """Return a stamp as statuses write it."""
    return f'{stamp.sec}.{stamp.nanosec:09d}'


def main() -> int:
    """Send the goal of the command line; return 0 where it is met."""
    parser = argparse.ArgumentParser(description='Send one goal pose to a running ik_node.')
    parser.add_argument('--xyz', type=float, nargs=3, default=[0.4, 0.2, 0.6], help='m')
    parser.add_argument('--quaternion', type=float, nargs=4, default=[1.0, 0.0, 0.0, 0.0],
                        metavar=('X', 'Y', 'Z', 'W'))
    parser.add_argument('--frame', default='', help='what the pose is seen from')
    options = parser.parse_args()
    rclpy.init()
    node = SendGoal()
    try:
        node.wait_until(lambda: node.goals.get_subscription_count() > 0 and bool(node.joints),
                        'nobody listens: is ik_node running, in this ROS_DOMAIN_ID?')
        node.send(options.xyz, options.quaternion, options.frame)
        node.wait_until(node.answered, 'no answer')
    finally:
        node.destroy_node()
        rclpy.shutdown()
    values, joints = node.values, node.joints[node.values['joint_stamp']]
    off, turned = (float(values[f'{what}_error'] or 'nan') for what in ('position', 'orientation'))
    print(f'{values["solver"]}: {values["reason"]}, off by {off:.2g} m and {turned:.2g} rad')
    for name, position in zip(joints.name, joints.position):
        print(f'  {name:24s} {position:9.4f}')
    return 0 if node.status is not None and node.status.level == DiagnosticStatus.OK else 1


if __name__ == '__main__':
    sys.exit(main())
