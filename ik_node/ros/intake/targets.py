"""Conversion of goals: for arms into the frame of the base, for tasks into the world."""

from typing import Any

import numpy as np

from ik_node.control.group import Aim, Group
from ik_node.control.robot import Robot
from ik_node.ros.conversions import point_to_array, pose_to_matrix
from ik_node.ros.intake.frames import BASE, Frames
from ik_node.support.exceptions import InputError, names


def to_aim(frames: Frames, robot: Robot, group: Group, task: str, message: Any) -> Aim:
    """Return a PoseStamped or a PointStamped as a goal of a task of a group.

    Raises InputError, and NotYetError for a frame that may still come.
    """
    if task not in group.tasks:
        raise InputError('with tasks, goals are those of a task: publish to <task>/goal_pose or '
                         f'<task>/goal_point; the tasks are {names(group.tasks)}')
    is_point = hasattr(message, 'point')
    if is_point:
        T_frame_goal = np.eye(4)
        T_frame_goal[:3, 3] = point_to_array(message.point)
    else:
        T_frame_goal = pose_to_matrix(message.pose)
    T_target_frame = frames.in_target(robot, group, task, message.header)
    return group.aim(task, T_frame_goal if T_target_frame is BASE
                     else T_target_frame @ T_frame_goal, is_point, message.header)
