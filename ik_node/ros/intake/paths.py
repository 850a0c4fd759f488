"""Subscriptions of the paths of arms: checked as a whole, then followed."""

import functools
from collections import deque
from collections.abc import Sequence

from builtin_interfaces.msg import Time
from geometry_msgs.msg import PoseArray, PoseStamped
from nav_msgs.msg import Path
from rclpy.lifecycle import LifecycleNode

from ik_node.control.controller import Controller, Outcome, Waypoint
from ik_node.control.figure import GOAL
from ik_node.control.options import JUMP
from ik_node.control.robot import Robot
from ik_node.control.searches import NEWER, CancelledError, Goal
from ik_node.ros.execution.execution import Execution
from ik_node.ros.intake.goals import LATEST
from ik_node.ros.intake.handling import Handling
from ik_node.ros.intake.targets import Targets
from ik_node.ros.intake.waiting import NotYetError
from ik_node.support.bounds import MAX_POSES
from ik_node.support.exceptions import IkError, InputError, names


class Paths:
    """The paths of a configured node, for each arm."""

    def __init__(self, node: LifecycleNode, arm_names: Sequence[str], handling: Handling,
                 execution: Execution, targets: Targets) -> None:
        """Subscribe to the paths of every arm."""
        self._node, self._handling = node, handling
        self._execution, self._targets = execution, targets
        self._subscriptions = [
            node.create_subscription(kind, f'{arm}/{topic}' if arm else topic,
                                     functools.partial(callback, arm), LATEST)
            for arm in arm_names for kind, topic, callback in (
                (Path, 'goal_path', self.take), (PoseArray, 'goal_poses', self._take_poses))]

    def destroy(self) -> None:
        """Destroy the subscriptions."""
        for subscription in self._subscriptions:
            self._node.destroy_subscription(subscription)

    def follow(self) -> None:
        """Go to the next waypoint of every path whose arm is not on its way to another goal."""
        for name, controller in self._execution.controllers.items():
            if controller.waypoints and not self._handling.is_busy(controller):
                waypoint = controller.waypoints.popleft()
                self._handling.handle(name, waypoint.aim.header, self._controller,
                                      functools.partial(_follow, waypoint), waypoint.place,
                                      arrives=False)

    def take(self, name: str, message: Path) -> None:
        """Move the arm of this name through the poses of a path."""
        self._handling.handle(name, message.header, self._controller,
                              functools.partial(self._begin, name, message), 'all waypoints')

    def _take_poses(self, name: str, message: PoseArray) -> None:
        self.take(name, Path(header=message.header, poses=[
            PoseStamped(header=message.header, pose=pose) for pose in message.poses]))

    def _controller(self, robot: Robot, name: str) -> Controller:
        """Return the controller of an arm. Raises InputError where it is solved with others."""
        if name in robot.arms:
            return self._execution.controllers[name]
        tasks = () if robot.figure is None else robot.figure.tasks
        if GOAL in tasks:
            raise InputError('paths need a solver of one arm')
        if name:
            raise InputError(f'paths need an arm that shares no joints: {name!r} is solved '
                             f'together with {names(other for other in tasks if other != name)}')
        raise InputError(f'with tasks, goals are those of a task: publish to <task>/goal_pose or '
                         f'<task>/goal_point; the tasks are {names(tasks)}')

    def _begin(self, name: str, message: Path, robot: Robot,
               controller: Controller) -> Goal[Outcome | None]:
        """Check the whole path before its first step; a path without poses stops the arm."""
        if len(message.poses) > MAX_POSES:
            raise InputError(f'a path must have at most {MAX_POSES} poses, not '
                             f'{len(message.poses)}')
        waypoints: list[Waypoint] = []
        for i, pose in enumerate(message.poses):
            place = f'waypoint {i + 1} of {len(message.poses)}'
            if not pose.header.frame_id:
                pose.header.frame_id = message.header.frame_id
                if pose.header.stamp == Time():
                    pose.header.stamp = message.header.stamp
            try:
                waypoints.append(Waypoint(self._targets.aim(
                    robot, controller.group, name, pose, self._handling.options), place))
            except NotYetError as error:
                raise NotYetError(f'{place}: {error}', error.come) from error
            except IkError as error:
                raise InputError(f'{place}: {error}') from error
        return _move(waypoints, robot, controller)


async def _move(waypoints: Sequence[Waypoint], robot: Robot,
                controller: Controller) -> Outcome | None:
    """Move through waypoints, or begin to go from one to the next where joints jump."""
    if controller.group.motion == JUMP:
        controller.waypoints = deque(await controller.with_guesses(robot, waypoints))
        return None
    if waypoints:
        return await controller.go_through(robot, waypoints)
    controller.halt(robot)
    return None


async def _follow(waypoint: Waypoint, robot: Robot, controller: Controller) -> Outcome:
    """Go to a waypoint; where it is not met, drop the rest of the path."""
    goes_on = False
    try:
        outcome = await controller.follow(robot, waypoint)
        goes_on = outcome.accepted
    except CancelledError as error:
        goes_on = str(error) == NEWER  # which ends the path if it is met
        if goes_on:
            controller.waypoints.appendleft(waypoint)
        raise
    finally:
        if not goes_on:
            controller.waypoints.clear()
    return outcome
