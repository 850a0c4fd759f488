"""Which frame a goal is in: the base, a link of the robot, the world, or one that tf2 knows."""

from typing import Any

import numpy as np
from rclpy.node import Node
from rclpy.time import Time
from std_msgs.msg import Header

from ik_node.bounds import MAX_NAME
from ik_node.exceptions import InputError, names, shown
from ik_node.ros.options import NodeOptions
from ik_node.ros.robot import Arm, Robot
from ik_node.spatial import inverse, matrix_from_quaternion, pose_from_rpy

BASE = np.eye(4)
BASE.flags.writeable = False


def root_pose(options: NodeOptions) -> np.ndarray:
    """Return T_world_root (4, 4), m: where the parameter root_pose places the robot."""
    return pose_from_rpy(options.root_pose[:3], options.root_pose[3:])


class Frames:
    """Finds T_base_frame; it never waits."""

    def __init__(self, node: Node) -> None:
        """Listen to tf2, where it is installed."""
        self.missing = ''
        self._buffer: Any = None
        try:
            import tf2_ros
        except ImportError as error:
            self.missing = f'tf2 is not installed ({error})'
            return
        self._buffer = tf2_ros.Buffer()
        self._listener = tf2_ros.TransformListener(self._buffer, node)

    def destroy(self) -> None:
        """Stop listening to tf2."""
        if self._buffer is not None:
            self._listener.unregister()

    def in_base(self, robot: Robot, arm: Arm, header: Header, options: NodeOptions) -> np.ndarray:
        """Return T_base_frame (4, 4), m, of a message's frame, seen from an arm's base.

        An empty frame is the base itself, and then it is the very array BASE. Raises InputError
        for a frame that is neither a link, nor the world, nor known to tf2.
        """
        prefix = options.frame_prefix
        if len(header.frame_id) > MAX_NAME:
            raise InputError(f'the frame {shown(header.frame_id)} has {len(header.frame_id)} '
                             f'characters; at most {MAX_NAME} are allowed')
        frame = header.frame_id.lstrip('/')
        link = frame.removeprefix(prefix)
        if not frame or link == arm.chain.base_link:
            return BASE
        if link in robot.tree.links:
            return robot.in_base(arm, link)
        if frame == options.world_frame:
            return robot.in_base(arm, robot.tree.root) @ inverse(root_pose(options))
        return self._from_tf(prefix + arm.chain.base_link, frame, header, robot)

    def _from_tf(self, base: str, frame: str, header: Header, robot: Robot) -> np.ndarray:
        if self._buffer is None:
            raise InputError(f'unknown frame {frame!r}: it is no link of the robot, whose links '
                             f'are {names(robot.tree.links)}, and {self.missing}')
        try:
            found = self._buffer.lookup_transform(base, frame, Time.from_msg(header.stamp))
        except Exception as error:  # tf2 has one class for each way to fail
            raise InputError(f'unknown frame {frame!r}: it is no link of the robot, and tf2 has no '
                             f'transform to {base!r}: {error}') from error
        t, q = found.transform.translation, found.transform.rotation
        T = np.eye(4)
        T[:3, :3] = matrix_from_quaternion(np.array([q.x, q.y, q.z, q.w]))
        T[:3, 3] = t.x, t.y, t.z
        return T
