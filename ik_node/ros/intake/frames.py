"""Goals in the frame of their target, from links of the robot, the world or frames of tf2."""

from typing import Any

import numpy as np
from rclpy.clock import JumpThreshold
from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.time import Time
from std_msgs.msg import Header

from ik_node.control.group import Group, TaskGoal
from ik_node.control.robot import Robot
from ik_node.ros.configuration import Configuration
from ik_node.ros.conversions import point_to_array, pose_to_matrix, time_of
from ik_node.ros.execution.execution import Execution
from ik_node.ros.intake.waiting import NotYetError
from ik_node.spatial import inverse, pose_from_quaternion
from ik_node.support.bounds import MAX_NAME
from ik_node.support.exceptions import InputError, names, shown
from ik_node.tasks import checks

_NEVER = -1  # ns, of a transform that tf2 does not have
BASE = np.eye(4)
BASE.flags.writeable = False
# As tf2 in C++: transforms from before a backward jump of the clock are invalid.
_SET_BACK = JumpThreshold(min_forward=None, min_backward=Duration(seconds=-1),
                          on_clock_change=True)


class Frames:
    """Finds T_base_frame without waiting; errors tell where waiting may help."""

    def __init__(self, node: Node, execution: Execution, configuration: Configuration) -> None:
        self._execution, self._configuration = execution, configuration
        self.missing = ''
        self._buffer: Any = None
        try:
            import tf2_ros
        except ImportError as error:
            self.missing = f'tf2 is not installed ({error})'
            return
        self._buffer = tf2_ros.Buffer()
        self._listener = tf2_ros.TransformListener(self._buffer, node)
        self._jumps = node.get_clock().create_jump_callback(
            _SET_BACK, post_callback=lambda _: self._buffer.clear())

    def destroy(self) -> None:
        """Unsubscribe from tf2."""
        if self._buffer is not None:
            self._listener.unregister()
            self._jumps.unregister()

    def to_goal(self, robot: Robot, group: Group, task: str, message: Any) -> TaskGoal:
        """Return a PoseStamped or a PointStamped as a goal of a task of a group.

        Raises InputError, and NotYetError for a frame that may still come.
        """
        if task not in group.tasks:
            raise InputError('with tasks, goals are those of a task: publish to <task>/goal_pose '
                             f'or <task>/goal_point; the tasks are {names(group.tasks)}')
        header, is_point = message.header, not hasattr(message, 'pose')
        if is_point:
            T_frame_goal = np.eye(4)
            T_frame_goal[:3, 3] = point_to_array(message.point)
        else:
            T_frame_goal = pose_to_matrix(message.pose)
        if header.frame_id or (group.target_links[task] is None and task in group.tips):
            self._execution.follow(robot)
            T_target_frame = self.in_target(robot, group, task, header)
            if T_target_frame is not BASE:
                T_frame_goal = placed(T_target_frame, T_frame_goal)
        return group.make_goal(task, T_frame_goal, is_point, header)

    def in_target(self, robot: Robot, group: Group, task: str, header: Header) -> np.ndarray:
        """Return the pose (4, 4), m, of a message's frame in that of the target of a task.

        An empty frame is the latter, and for the goal of a tip the base link. Raises as `in_link`.
        """
        link = group.target_links[task]
        if link is not None:
            return self.in_link(robot, link, header) if header.frame_id else BASE
        if header.frame_id.strip('/'):
            return robot.T_world_root @ self.in_link(robot, robot.tree.root, header)
        base = group.tips[task].base_link if task in group.tips else ''
        return robot.T_world_root @ robot.in_link(robot.tree.root, base) if base else BASE

    def in_link(self, robot: Robot, base_link: str, header: Header) -> np.ndarray:
        """Return T_base_frame (4, 4), m, of a message's frame in a link, such as an arm's base.

        An empty frame is the base link, for which BASE is returned. Links have their pose at the
        stamp, other frames that of tf2; a zero stamp means the latest. Raises InputError for a
        frame that is neither a link, nor the world, nor known to tf2: NotYetError where it may be.
        """
        options = self._configuration.options
        prefix = options.frame_prefix.lstrip('/')
        if len(header.frame_id) > MAX_NAME:
            raise InputError(f'the frame {shown(header.frame_id)} has {len(header.frame_id)} '
                             f'characters; at most {MAX_NAME} are allowed')
        frame = header.frame_id.lstrip('/')
        if not frame:
            return BASE
        link = frame.removeprefix(prefix)
        if frame.startswith(prefix) and link in robot.tree.links:
            return self._link_in(robot, base_link, link, header)
        if frame == (options.world if robot.moves_root else options.world_frame):
            T_world_root = robot.T_world_root if robot.moves_root else options.T_world_root
            return robot.in_link(base_link, robot.tree.root) @ inverse(T_world_root)
        return self._from_tf(robot, base_link, header, frame, prefix)

    def place(self, robot: Robot, header: Header,
              in_world: bool = False) -> tuple[str | None, np.ndarray]:
        """Return the link that a message's frame moves with, None for none, and its pose there.

        The pose (4, 4), m, without a link, or where it is wanted so, is in the frame of the root
        link, or in the world where the root moves. An empty frame is that. Raises as `in_link`.
        """
        prefix = self._configuration.options.frame_prefix.lstrip('/')
        frame = header.frame_id.lstrip('/')
        link = frame.removeprefix(prefix)
        if not in_world and frame.startswith(prefix) and link in robot.tree.links and not (
                _is_static(robot, link)):
            return link, BASE
        if not frame:
            return None, BASE
        self._execution.follow(robot)
        T_world_root = robot.T_world_root
        return None, placed(T_world_root, self.in_link(robot, robot.tree.root, header))

    def _link_in(self, robot: Robot, base_link: str, link: str, header: Header) -> np.ndarray:
        """Return T_base_link (4, 4), m, of a link at a stamp in the present base."""
        stamp = time_of(header).nanoseconds
        history = self._execution.history
        if not history.is_past(robot, stamp) or _is_static(robot, link):
            return BASE if link == base_link else robot.in_link(base_link, link)
        past, root = history.at(robot, stamp), robot.tree.root
        T_root_then = inverse(robot.T_world_root) @ past.T_world_root
        return robot.in_link(base_link, root) @ T_root_then @ past.in_link(root, link)

    def _from_tf(self, robot: Robot, base_link: str, header: Header, frame: str,
                 prefix: str) -> np.ndarray:
        if self._buffer is None:
            raise InputError(f'unknown frame {frame!r}: it is not a link of the robot, whose links '
                             f'are {names(prefix + link for link in robot.tree.links)}, and '
                             f'{self.missing}')
        stamp = time_of(header)
        # The root is fixed; an arm's base may have moved since the stamp.
        links = tuple(dict.fromkeys((robot.tree.root, base_link)))
        reasons = []
        for link in links:
            try:
                found = self._buffer.lookup_transform(prefix + link, frame, stamp)
            except Exception as error:  # tf2 has several exception classes
                reasons.append(error)
            else:
                t, q = found.transform.translation, found.transform.rotation
                return robot.in_link(base_link, link) @ pose_from_quaternion(
                    (t.x, t.y, t.z), (q.x, q.y, q.z, q.w))
        newest = [self._newest(prefix + link, frame) for link in links]
        what = f'unknown frame {frame!r}: it is not a link of the robot, and'
        if max(newest) > _NEVER:
            what = (f'the frame {frame!r} is known, but not at the stamp '
                    f'{1e-9 * stamp.nanoseconds:.3f} s:')
        message = f'{what} tf2 has no transform to {prefix + links[0]!r}: {reasons[0]}'
        # One of the past does not come any more.
        if stamp.nanoseconds == 0 or stamp.nanoseconds > newest[0]:
            raise NotYetError(message, lambda: any(self._has(prefix + link, frame, stamp)
                                                   for link in links)) from reasons[0]
        raise InputError(message) from reasons[0]

    def _has(self, base: str, frame: str, stamp: Time) -> bool:
        try:
            return bool(self._buffer.can_transform(base, frame, stamp))
        except Exception:  # an invalid name, for example
            return False

    def _newest(self, base: str, frame: str) -> int:
        try:
            return int(self._buffer.get_latest_common_time(base, frame).nanoseconds)
        except Exception:  # an unknown frame, or no connection yet
            return _NEVER


def placed(T_target_frame: np.ndarray, T_frame_goal: np.ndarray) -> np.ndarray:
    """Return T_target_goal (4, 4), m. Raises InputError where a frame of tf2 makes it no pose."""
    return checks.pose(T_target_frame @ T_frame_goal, 'a goal in a frame')


def _is_static(robot: Robot, link: str) -> bool:
    """Return whether a link never moves in the world, like those on /tf_static."""
    tree = robot.tree
    return not robot.moves_root and not any(
        joint.moves for joint in tree.path(tree.root, link))
