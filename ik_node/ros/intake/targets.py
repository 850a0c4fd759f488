"""Converts messages into goals: of arms in the frame of the base, of tasks in the world."""

import numpy as np
from geometry_msgs.msg import PointStamped, PoseStamped
from std_msgs.msg import Header

from ik_node.control.arm import Arm
from ik_node.control.figure import Figure
from ik_node.control.group import Aim, Group
from ik_node.control.options import NodeOptions
from ik_node.control.robot import Robot
from ik_node.ros import conversions
from ik_node.ros.intake.frames import BASE, Frames
from ik_node.solvers.goal import Goal
from ik_node.support.exceptions import InputError, names
from ik_node.tasks import (
    CenterOfMass,
    LookAt,
    Orientation,
    Pose,
    Position,
    RelativePose,
    Task,
)

_POSES = (Pose, Orientation, RelativePose)
_POINTS = (Position, LookAt, CenterOfMass)


def takes_pose(task: Task) -> bool:
    """Return whether the target of a task is a pose, or an orientation."""
    return isinstance(task, _POSES)


def takes_point(task: Task) -> bool:
    """Return whether the target of a task is a point."""
    return isinstance(task, _POINTS) and (
        not isinstance(task, CenterOfMass) or task.target is not None)


class Targets:
    """Converts messages for the tasks of groups. Raises InputError, and NotYetError for frames."""

    def __init__(self, frames: Frames) -> None:
        """Take what finds the frames of messages."""
        self._frames = frames

    def aim(self, robot: Robot, group: Group, task: str, message: PoseStamped | PointStamped,
            options: NodeOptions) -> Aim:
        """Return a message as a goal of a task of a group."""
        if isinstance(group, Arm):
            return Aim(task, self._goal(robot, group, message, options), None, message.header)
        assert isinstance(group, Figure)
        return self._task_aim(robot, group, task, message, options)

    def _goal(self, robot: Robot, arm: Arm, message: PoseStamped | PointStamped,
              options: NodeOptions) -> Goal:
        base = arm.chain.base_link
        if isinstance(message, PointStamped):
            p = np.array([*conversions.point_to_array(message.point), 1.0])
            weights = arm.task_weights
            T_base_frame = self._frames.in_link(robot, base, message.header, options)
            return Goal(position=(T_base_frame @ p)[:3],
                        weights=weights if np.any(weights[:3]) else None)
        T_frame_goal = conversions.pose_to_matrix(message.pose)
        T_base_frame = self._frames.in_link(robot, base, message.header, options)
        if T_base_frame is BASE and arm.weights is None:
            return Goal.from_pose(T_frame_goal)
        return Goal.from_pose(T_base_frame @ T_frame_goal, arm.weights)

    def _task_aim(self, robot: Robot, figure: Figure, name: str,
                  message: PoseStamped | PointStamped, options: NodeOptions) -> Aim:
        task = figure.tasks.get(name)
        if task is None:
            raise InputError(f'there is no task {name!r} any more; the tasks are '
                             f'{names(figure.tasks)}')
        T_world_frame = self._T_world_frame(robot, figure, name, message.header, options)
        weights = None
        if isinstance(message, PointStamped):
            T = np.eye(4) if task.target is None or isinstance(
                task, _POINTS) else task.target.copy()
            T[:3, 3] = T_world_frame[:3, :3] @ conversions.point_to_array(
                message.point) + T_world_frame[:3, 3]
        else:
            T = T_world_frame @ conversions.pose_to_matrix(message.pose)
        if name in figure.tips:
            weights = figure.tips[name].weights.copy()
            if isinstance(message, PointStamped) and weights[:3].any():
                weights[3:] = 0.0
        return Aim(name, _as_target(task, T), weights, message.header)

    def _T_world_frame(self, robot: Robot, figure: Figure, name: str, header: Header,
                       options: NodeOptions) -> np.ndarray:
        """Return the pose (4, 4), m, of a message's frame in the frame of the task's target.

        That is the world, and the reference of a RelativePose. An empty frame is that frame itself,
        and the base link for the goal of a tip.
        """
        task, root = figure.tasks[name], robot.tree.root
        if isinstance(task, RelativePose):
            return self._frames.in_link(robot, task.reference, header, options)
        if header.frame_id.strip('/'):
            return robot.T_world_root @ self._frames.in_link(robot, root, header, options)
        base = figure.tips[name].base_link if name in figure.tips else ''
        return robot.T_world_root @ robot.in_link(root, base) if base else np.eye(4)


def _as_target(task: Task, T: np.ndarray) -> np.ndarray:
    """Return a pose (4, 4) as a task's target."""
    if isinstance(task, Orientation):
        return T[:3, :3]
    if isinstance(task, CenterOfMass) and task.target is not None:
        return np.where(np.isnan(task.target), np.nan, T[:3, 3])  # free axes stay free
    return T[:3, 3] if isinstance(task, _POINTS) else T
