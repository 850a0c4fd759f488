"""What the node publishes."""

from collections.abc import Callable
from typing import Any

import numpy as np
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.lifecycle import LifecycleNode
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import Header, String
from trajectory_msgs.msg import JointTrajectory
from visualization_msgs.msg import MarkerArray

from ik_node.ros import conversions
from ik_node.ros.frames import root_pose
from ik_node.ros.markers.ghosts import Found
from ik_node.ros.markers.scene import Scene
from ik_node.ros.options import NodeOptions
from ik_node.ros.robot import Arm, Robot

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class Outputs:
    """The publishers of one configured node; silent while the node is not active.

    - `scene`: what the markers show.
    """

    def __init__(self, node: LifecycleNode) -> None:
        """Make the publishers."""
        self._node = node
        make = node.create_lifecycle_publisher
        self._publishers: dict[str, Any] = {
            'joint_states': make(JointState, 'joint_states', 10),
            'status': make(DiagnosticStatus, '~/status', 10),
            'markers': make(MarkerArray, '~/markers', 1),
            'solutions': make(JointTrajectory, '~/solutions', 10)}
        self._joint_state = JointState()  # one for all: making them takes time before an answer
        self.scene = Scene()
        self._no_tf = False

    def destroy(self) -> None:
        """Take the publishers down."""
        for publisher in self._publishers.values():
            self._node.destroy_lifecycle_publisher(publisher)
        self._publishers.clear()

    def description(self, robot: Robot) -> None:
        """Publish the description for robot_state_publisher's and RViz's sake."""
        if 'description' not in self._publishers:
            # Made late, only where it is wanted: two publishers of a description confuse RViz.
            self._publishers['description'] = self._node.create_publisher(
                String, 'robot_description', LATCHED)
        self._publishers['description'].publish(String(data=robot.tree.description))

    def placement(self, robot: Robot, options: NodeOptions) -> None:
        """Tell tf where the root stands in the world frame, where there are both."""
        if not options.world_frame or self._no_tf:
            return
        try:
            from tf2_msgs.msg import TFMessage
        except ImportError as error:
            self._no_tf = True
            self._node.get_logger().info(f'{options.world_frame!r} is known to this node only: tf2 '
                                         f'is not installed ({error})')
            return
        if 'tf' not in self._publishers:
            # Not tf2_ros's broadcaster for static transforms: it keeps the first of each frame.
            self._publishers['tf'] = self._node.create_publisher(TFMessage, '/tf_static', LATCHED)
        self._publishers['tf'].publish(TFMessage(transforms=[conversions.transform(
            root_pose(options), Header(stamp=self._now(), frame_id=options.world_frame),
            options.frame_prefix + robot.tree.root)]))

    def joint_states(self, robot: Robot) -> Time:
        """Publish where every moving joint is; return the stamp of the message."""
        stamp = self._now()
        conversions.fill_joint_state(self._joint_state, stamp, robot.joint_values(),
                                     robot.joint_velocities())
        self._publishers['joint_states'].publish(self._joint_state)
        return stamp

    def has_listeners(self, name: str) -> bool:
        """Tell whether anybody hears one of the publishers: what nobody hears is not worth making.

        None of them keeps messages for those who come later.
        """
        return self._publishers[name].get_subscription_count() > 0

    def status(self, message: DiagnosticStatus) -> None:
        """Publish what became of a goal."""
        self._publishers['status'].publish(message)

    def solutions(self, arm: Arm, branches: np.ndarray, frame_prefix: str,
                  stamp: Time | None = None) -> None:
        """Publish branches (k, n), rad or m, of an arm; stamp: that of the answer, else now."""
        header = Header(stamp=stamp or self._now(), frame_id=frame_prefix + arm.chain.base_link)
        self._publishers['solutions'].publish(conversions.branches_to_trajectory(
            arm.chain.joint_names, branches, header))

    def markers(self, robot: Robot, frame_prefix: str,
                find: Callable[[Robot, Arm], Found] | None) -> None:
        """Publish what the scene shows, where somebody looks; find: as `Scene.message`."""
        if self.has_listeners('markers'):
            self._publishers['markers'].publish(self.scene.message(robot, frame_prefix, find))

    def no_markers(self) -> None:
        """Take the markers away."""
        self._publishers['markers'].publish(self.scene.clear())

    def _now(self) -> Time:
        return conversions.time_message(self._node.get_clock().now().nanoseconds)
