"""The publishers of the node."""

import contextlib
from array import array
from collections.abc import Mapping
from typing import Any

import numpy as np
from builtin_interfaces.msg import Duration, Time
from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from geometry_msgs.msg import PoseStamped
from rclpy.duration import Duration as RosDuration
from rclpy.lifecycle import LifecycleNode
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import Header, String
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint
from visualization_msgs.msg import MarkerArray

from ik_node.control.group import Group
from ik_node.control.options import NodeOptions
from ik_node.control.robot import Robot
from ik_node.ros import conversions
from ik_node.ros.execution.execution import Execution
from ik_node.ros.publishing.markers.group_markers import FindBranches, FindPairs, SceneMarkers
from ik_node.ros.publishing.status import KEYS
from ik_node.ros.topics import LATCHED, overridable

_ACKNOWLEDGED = RosDuration(seconds=0.2)
_NONE = array('d')


class Outputs:
    """The publishers of one configured node; silent while the node is not active.

    - `publisher`: that of joint states; None for none.
    """

    def __init__(self, node: LifecycleNode, execution: Execution) -> None:
        self._node, self._execution = node, execution
        make = node.create_lifecycle_publisher
        self._publishers: dict[str, Any] = {
            'status': make(DiagnosticStatus, '~/status', **overridable(10)),
            'markers': make(MarkerArray, '~/markers', **overridable(1)),
            'solutions': make(JointTrajectory, '~/solutions', **overridable(10))}
        self.publisher: Any = None
        # Reused: creating messages takes as long as a solve.
        self._joint_state = JointState()
        self._status = DiagnosticStatus(
            name='ik_node: goal', values=[KeyValue(key=key) for key in KEYS])
        self.scene = SceneMarkers()
        self._no_tf = False
        self._frame_prefix = self._world_frame = ''

    def description(self, robot: Robot) -> None:
        """Publish the description for robot_state_publisher and RViz."""
        if 'description' not in self._publishers:
            # Created on demand: two publishers of a description confuse RViz.
            self._publishers['description'] = self._node.create_publisher(
                String, 'robot_description', **overridable(LATCHED))
        self._publishers['description'].publish(String(data=robot.tree.description))

    def announce(self, robot: Robot, options: NodeOptions) -> None:
        """Publish where the robot is: its root in the world frame, to tf, and its joint states."""
        self._frame_prefix, self._world_frame = options.frame_prefix, options.world
        if options.world_frame and not robot.moves_root:
            # Not tf2_ros's broadcaster for static transforms: it keeps the first of each frame.
            self._publish_transform('/tf_static', LATCHED, options.T_world_root, Header(
                stamp=self._now(), frame_id=options.world_frame), robot)
        self.joint_states(robot)

    def _publish_transform(self, topic: str, qos: QoSProfile | int, T_world_root: np.ndarray,
                           header: Header, robot: Robot) -> None:
        """Publish the pose of the root (4, 4), m, in a header's frame, where tf2 is installed."""
        if self._no_tf:
            return
        try:
            from tf2_msgs.msg import TFMessage
        except ImportError as error:
            self._no_tf = True
            self._node.get_logger().info(f'{header.frame_id!r} is known to this node only: tf2 '
                                         f'is not installed ({error})')
            return
        if topic not in self._publishers:
            self._publishers[topic] = self._node.create_publisher(TFMessage, topic, qos)
        self._publishers[topic].publish(TFMessage(transforms=[conversions.transform(
            T_world_root, header, self._frame_prefix + robot.tree.root)]))

    def joint_states(self, robot: Robot) -> Time:
        """Publish the value of every moving joint at this moment; return its stamp.

        All joint states are published here, so that stamps and values belong together.
        """
        stamp, state = self._execution.advance(robot), self._joint_state
        if self.publisher is not None:
            state.header.stamp, state.name = stamp, robot.joint_names
            values = robot.joint_values() if robot.has_mimics else robot.values
            # Arrays are assigned directly; of a list rclpy checks every number.
            state.position = array('d', map(values.__getitem__, robot.joint_names))
            state.velocity = array('d', robot.joint_velocities().values()
                                   ) if robot.has_velocities else _NONE
            self.publisher.publish(state)
        self._execution.record(robot, stamp)
        if robot.moves_root:
            self._root_pose(robot, stamp)
        return stamp

    def _root_pose(self, robot: Robot, stamp: Time) -> None:
        """Publish the pose of a moving root, on tf too where that is installed."""
        if 'root_pose' not in self._publishers:
            self._publishers['root_pose'] = self._node.create_lifecycle_publisher(
                PoseStamped, '~/root_pose', **overridable(10))
            self._publishers['root_pose'].on_activate(None)
        is_heard = self.has_listeners('root_pose')
        if not is_heard and self._no_tf:
            return
        header = Header(stamp=stamp, frame_id=self._world_frame)
        T = robot.T_world_root
        if is_heard:
            self._publishers['root_pose'].publish(PoseStamped(
                header=header, pose=conversions.matrix_to_pose(T)))
        self._publish_transform('/tf', 10, T, header, robot)

    def has_listeners(self, name: str) -> bool:
        """Return whether a publisher has subscribers; for others no messages are built."""
        return self._publishers[name].get_subscription_count() > 0

    def status(self, level: bytes, text: str, values: Mapping[str, str]) -> None:
        """Publish the status of a goal; values: by those of `status.KEYS` that have one."""
        for key, entry in zip(KEYS, self._status.values):
            entry.value = values.get(key, '')
        self._status.level, self._status.message = level, text
        self._publishers['status'].publish(self._status)

    def flush(self) -> None:
        """Wait a moment until subscribers have the last status: its publisher will be destroyed."""
        with contextlib.suppress(Exception):  # some middleware has no acknowledgements
            self._publishers['status'].wait_for_all_acked(_ACKNOWLEDGED)

    def solutions(self, group: Group, branches: np.ndarray, frame_prefix: str,
                  stamp: Time | None = None) -> None:
        """Publish branches (k, n), rad or m, of a chain; stamp: of the result, by default now.

        They are no motion: the times, a second apart, only satisfy tools that play trajectories.
        """
        header = Header(stamp=stamp or self._now(),
                        frame_id=frame_prefix + group.tips[group.name].base_link)
        self._publishers['solutions'].publish(JointTrajectory(
            header=header, joint_names=list(group.space.joint_names),
            points=[JointTrajectoryPoint(positions=q.tolist(), time_from_start=Duration(sec=i))
                    for i, q in enumerate(branches)]))

    def markers(self, robot: Robot, options: NodeOptions, find: FindBranches | None,
                nearest: FindPairs) -> None:
        """Publish the markers, if there are subscribers; see `SceneMarkers.message`."""
        if self.has_listeners('markers'):
            self._publishers['markers'].publish(self.scene.message(robot, options, find, nearest))

    def no_markers(self) -> None:
        """Delete the markers."""
        self._publishers['markers'].publish(self.scene.clear())

    def _now(self) -> Time:
        return self._node.get_clock().now().to_msg()
