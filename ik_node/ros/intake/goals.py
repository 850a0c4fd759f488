"""Subscriptions of goals: transforms them into the arm's base and has them executed."""

import functools
import time
import traceback
from collections import deque
from collections.abc import Callable, Sequence

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import PointStamped, PoseArray, PoseStamped
from nav_msgs.msg import Path
from rclpy.lifecycle import LifecycleNode
from rclpy.qos import QoSProfile
from rclpy.time import Time as RosTime
from std_msgs.msg import Header

from ik_node.bounds import MAX_POSES
from ik_node.control.arm import Arm
from ik_node.control.compilation import limited
from ik_node.control.controller import Controller, Outcome, Waypoint
from ik_node.control.options import JUMP, NodeOptions
from ik_node.control.robot import Robot
from ik_node.exceptions import IkError, InputError
from ik_node.ros import conversions
from ik_node.ros.execution.execution import Execution
from ik_node.ros.intake.frames import BASE, Frames
from ik_node.ros.intake.measured import Measured
from ik_node.ros.intake.waiting import NotYetError, Waiting
from ik_node.ros.publishing.outcomes import Outcomes
from ik_node.solvers.goal import Goal

LATEST = QoSProfile(depth=1)  # reliable, volatile: only the newest waiting goal counts

Execute = Callable[[Robot, Controller], Outcome | None]
"""Executes a goal; without an outcome there is nothing to publish."""


class Goals:
    """The goal subscriptions of a configured node.

    Attributes:
    - `active`: whether the node is active; otherwise goals are ignored, which is logged once.
    - `enabled`: whether goals are solved; otherwise they are refused.
    """

    def __init__(self, node: LifecycleNode, arm_names: Sequence[str], options: NodeOptions,
                 execution: Execution, outcomes: Outcomes, measured: Measured,
                 frames: Frames) -> None:
        """Subscribe to the goals of every arm."""
        self.active, self.enabled, self._ignored = False, True, False
        self._node, self._options = node, options
        self._execution, self._outcomes = execution, outcomes
        self._measured, self._frames = measured, frames
        self._robot: Robot | None = None
        self._late = Waiting(node)
        self._subscriptions = []
        for arm in arm_names:
            for kind, topic, callback in ((PoseStamped, 'goal_pose', self.take_pose),
                                          (PointStamped, 'goal_point', self.take_point),
                                          (Path, 'goal_path', self._on_path),
                                          (PoseArray, 'goal_poses', self._on_poses)):
                self._subscriptions.append(node.create_subscription(
                    kind, f'{arm}/{topic}' if arm else topic, functools.partial(callback, arm),
                    LATEST))

    def destroy(self) -> None:
        """Destroy the subscriptions."""
        for subscription in self._subscriptions:
            self._node.destroy_subscription(subscription)
        self._late.destroy()

    def activate(self, active: bool) -> None:
        """Begin to handle goals, or stop."""
        self.active, self._ignored = active, False
        if not active:
            self.stop()

    def take_up(self, robot: Robot | None, options: NodeOptions) -> None:
        """Use a robot and options. Goals that wait for a frame are dropped with their tree."""
        if robot is None or self._robot is None or robot.tree is not self._robot.tree:
            self._late.stop()
        self._robot, self._options = robot, options

    def stop(self) -> None:
        """Drop the current paths and waiting goals."""
        self._execution.drop_paths()
        self._late.stop()

    def follow_paths(self) -> None:
        """Go to the next waypoint of every path; drop the rest of a path where it is not met."""
        for name, controller in self._execution.controllers.items():
            if controller.waypoints:
                outcome = self._step(name, controller.waypoints.popleft())
                if outcome is None or not outcome.accepted:
                    controller.waypoints.clear()

    def _step(self, name: str, waypoint: Waypoint) -> Outcome | None:
        return self._handle(
            name, waypoint.header, lambda robot, controller: controller.go(robot, waypoint.goal),
            waypoint.place, arrives=False)

    def take_pose(self, name: str, message: PoseStamped) -> None:
        """Execute a goal pose for the arm of this name."""
        self._handle(name, message.header, lambda robot, controller: controller.go(
            robot, self._pose_goal(robot, controller.arm, message)))

    def take_point(self, name: str, message: PointStamped) -> None:
        """Execute a goal position."""
        self._handle(name, message.header, lambda robot, controller: controller.go(
            robot, self._point_goal(robot, controller.arm, message)))

    def _on_path(self, name: str, message: Path) -> None:
        self._handle(name, message.header, lambda robot, controller: self._take_path(
            robot, controller, message), 'all waypoints')

    def _on_poses(self, name: str, message: PoseArray) -> None:
        self._on_path(name, Path(header=message.header, poses=[
            PoseStamped(header=message.header, pose=pose) for pose in message.poses]))

    def _handle(self, name: str, header: Header, execute: Execute, place: str = '',
                arrives: bool = True) -> Outcome | None:
        """Execute a goal and publish its outcome; errors are logged and reported in the status.

        place: which goal of several it is, in words. arrives: whether it is a new message, which
        ends the current path, not a step of that path.
        """
        received, robot = time.perf_counter(), self._robot
        if not self.active:
            self._ignore()
            return None
        try:
            if robot is None:
                raise InputError('there is no robot yet: no description has been received')
            controller = self._execution.controllers[name]
            if arrives:
                controller.waypoints.clear()
            if not self.enabled:
                raise InputError('the node is disabled: call ~/enable')
            if arrives:
                if self._options.max_goal_age > 0.0:
                    self._check_age(header)
                if self._measured.topic:
                    self._measured.look_after(controller.arm)
                    if controller.motion is None:
                        self._measured.take_up(robot, controller.arm)
            self._execution.follow(robot)
            with limited(robot):
                outcome = execute(robot, controller)
                if outcome is not None:
                    self._outcomes.publish(robot, controller.arm, outcome, header, place, received)
        except NotYetError as error:
            self._put_off(name, header, execute, place, error)
            return None
        except IkError as error:
            self._outcomes.refuse(robot, name, header, str(error))
            outcome = None
        except Exception:  # a defect must not stop the node
            self._outcomes.refuse(robot, name, header,
                                  f'internal error:\n{traceback.format_exc()}')
            outcome = None
        self._late.overtaken(name)
        return outcome

    def _ignore(self) -> None:
        """Log once that goals arrive while the node is inactive."""
        if not self._ignored:
            self._ignored = True
            self._node.get_logger().warning(
                'goals are ignored: the node is inactive; activate it first')

    def _put_off(self, name: str, header: Header, execute: Execute, place: str,
                 error: NotYetError) -> None:
        """Execute a goal as soon as its frame is known; refuse it after the timeout."""
        timeout = self._options.tf_timeout
        again = functools.partial(self._handle, name, header, execute, place)
        if not self._late.wait(name, error.come, again, timeout):
            waited = f'; waited {timeout:g} s for it' if timeout > 0.0 else ''
            self._outcomes.refuse(self._robot, name, header, f'{error}{waited}')

    def adopt_measured(self) -> None:
        """Set arms at rest that no goal has moved yet to their measured joint values."""
        if self._robot is not None and self._measured.topic:
            for controller in self._execution.controllers.values():
                if not controller.has_moved and controller.motion is None:
                    self._measured.take_up(self._robot, controller.arm)

    def _check_age(self, header: Header) -> None:
        """Raise InputError for a goal older than max_goal_age; without a stamp it has no age."""
        most = self._options.max_goal_age
        stamp = 1e-9 * RosTime.from_msg(header.stamp).nanoseconds
        if stamp > 0.0:
            age = 1e-9 * self._node.get_clock().now().nanoseconds - stamp
            if age > most:
                raise InputError(f'the goal is {age:.3f} s old, more than max_goal_age allows, '
                                 f'{most:g} s')

    def _pose_goal(self, robot: Robot, arm: Arm, message: PoseStamped) -> Goal:
        T_frame_goal = conversions.pose_to_matrix(message.pose)
        T_base_frame = self._frames.in_base(robot, arm, message.header, self._options)
        if T_base_frame is BASE and arm.weights is None:
            return Goal.from_pose(T_frame_goal)
        return Goal.from_pose(T_base_frame @ T_frame_goal, arm.weights)

    def _point_goal(self, robot: Robot, arm: Arm, message: PointStamped) -> Goal:
        p = np.array([*conversions.point_to_array(message.point), 1.0])
        position = (self._frames.in_base(robot, arm, message.header, self._options) @ p)[:3]
        weights = arm.task_weights
        return Goal(position=position, weights=weights if np.any(weights[:3]) else None)

    def _take_path(self, robot: Robot, controller: Controller, message: Path) -> Outcome | None:
        """Check the whole path before its first step; a path without poses stops the arm."""
        arm = controller.arm
        if len(message.poses) > MAX_POSES:
            raise InputError(f'a path must have at most {MAX_POSES} poses, not '
                             f'{len(message.poses)}')
        waypoints: deque[Waypoint] = deque()
        for i, pose in enumerate(message.poses):
            place = f'waypoint {i + 1} of {len(message.poses)}'
            if not pose.header.frame_id:
                pose.header.frame_id = message.header.frame_id
                if pose.header.stamp == Time():
                    pose.header.stamp = message.header.stamp
            try:
                waypoints.append(Waypoint(self._pose_goal(robot, arm, pose), place, pose.header))
            except NotYetError as error:
                raise NotYetError(f'{place}: {error}', error.come) from error
            except IkError as error:
                raise InputError(f'{place}: {error}') from error
        if arm.motion == JUMP:
            controller.waypoints = waypoints
            return None
        if waypoints:
            return controller.go_through(robot, waypoints)
        controller.halt(robot)
        return None
