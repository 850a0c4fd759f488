"""A driver of an SO-101 without ros2_control: joint states from LeRobot's bus, positions to it.

python examples/so101_driver.py /dev/ttyACM0 my_arm
"""

import math
import sys
from typing import Any

import rclpy
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

ARM = ('shoulder_pan', 'shoulder_lift', 'elbow_flex', 'wrist_flex', 'wrist_roll')
GRIPPER = 'gripper'
CLOSED, OPEN = -0.174533, 1.74533  # rad, at 0 and at 100 of the motor


class Driver:
    """Publishes joint_states; what arm_commands and gripper_commands have is sent to the motors.

    node: of rclpy. robot: has LeRobot's get_observation and send_action, in degrees. rate: Hz.
    """

    def __init__(self, node: Node, robot: Any, rate: float = 50.0) -> None:
        self._node, self._robot = node, robot
        self._action: dict[str, float] = {}
        self._states = node.create_publisher(JointState, 'joint_states', 10)
        node.create_subscription(Float64MultiArray, 'arm_commands', self._move_arm, 1)
        node.create_subscription(Float64MultiArray, 'gripper_commands', self._move_gripper, 1)
        node.create_timer(1.0 / rate, self._cycle)

    def _move_arm(self, message: Float64MultiArray) -> None:
        self._action.update({f'{name}.pos': math.degrees(value)
                             for name, value in zip(ARM, message.data, strict=True)})

    def _move_gripper(self, message: Float64MultiArray) -> None:
        (value,) = message.data
        self._action[f'{GRIPPER}.pos'] = 100.0 * (value - CLOSED) / (OPEN - CLOSED)

    def _cycle(self) -> None:
        if self._action:  # the motors hold the last one
            self._robot.send_action(self._action)
            self._action = {}
        observed = self._robot.get_observation()
        positions = [math.radians(observed[f'{name}.pos']) for name in ARM]
        positions.append(CLOSED + observed[f'{GRIPPER}.pos'] / 100.0 * (OPEN - CLOSED))
        state = JointState(name=[*ARM, GRIPPER], position=positions)
        state.header.stamp = self._node.get_clock().now().to_msg()
        self._states.publish(state)


def main() -> None:
    """Connect to the arm on a port, with the calibration of a name, and run until SIGINT."""
    from lerobot.robots.so_follower import SO101Follower, SO101FollowerConfig
    port, name = sys.argv[1:3]
    robot = SO101Follower(SO101FollowerConfig(port=port, id=name, use_degrees=True))
    robot.connect()
    try:
        with rclpy.init():
            node = rclpy.create_node('so101_driver')
            Driver(node, robot)
            rclpy.spin(node)
    except KeyboardInterrupt:
        pass
    finally:
        robot.disconnect()


if __name__ == '__main__':
    main()
