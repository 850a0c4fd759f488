"""Subscriptions of paths, checked as a whole, then followed."""

import time
from collections import deque
from collections.abc import Sequence
from functools import partial
from typing import Any

from builtin_interfaces.msg import Time
from geometry_msgs.msg import PoseArray, PoseStamped
from nav_msgs.msg import Path
from rclpy.lifecycle import LifecycleNode

from ik_node.control.controller import Controller, Outcome, Waypoint
from ik_node.control.group import Group
from ik_node.control.options import JUMP
from ik_node.control.robot import Robot
from ik_node.control.worker import NEWER, CancelledError
from ik_node.ros.execution.execution import Execution
from ik_node.ros.intake.dispatcher import Dispatcher
from ik_node.ros.intake.frames import Frames
from ik_node.ros.intake.waiting import NotYetError
from ik_node.ros.publishing.status import Arrival
from ik_node.ros.topics import LATEST, goal_topic
from ik_node.support.bounds import MAX_POSES
from ik_node.support.exceptions import IkError, InputError


class Paths:
    """The paths of a configured node, for each arm."""

    def __init__(self, node: LifecycleNode, arm_names: Sequence[str], dispatcher: Dispatcher,
                 execution: Execution, frames: Frames) -> None:
        self._dispatcher, self._execution, self._frames = dispatcher, execution, frames
        for arm in arm_names:
            for kind, callback in ((Path, self.take), (PoseArray, self._take_poses)):
                node.create_subscription(kind, goal_topic(kind, arm), partial(callback, arm),
                                         LATEST)

    def follow(self, robot: Robot) -> None:
        """Go to the next waypoint of every path whose group is not on its way to another goal."""
        for controller in self._execution.controllers.values():
            if controller.waypoints and not self._dispatcher.is_busy(controller):
                waypoint = controller.waypoints.popleft()
                arrival = Arrival(waypoint.aim.task, waypoint.aim.header, time.perf_counter(),
                                  waypoint.place)
                self._execution.follow(robot)
                self._dispatcher.execute(controller, arrival, _follow(waypoint, controller), False)

    def take(self, name: str, message: Path) -> None:
        """Move the arm of this name through the poses of a path; without poses it stops."""
        received = self._dispatcher.receive(name, message, self._convert, self.take,
                                            'all waypoints')
        if received is not None:
            self._dispatcher.replace(received, _move(received.content, received.controller))

    def _take_poses(self, name: str, message: PoseArray) -> None:
        self.take(name, Path(header=message.header, poses=[
            PoseStamped(header=message.header, pose=pose) for pose in message.poses]))

    def _convert(self, robot: Robot, group: Group, name: str, message: Any) -> list[Waypoint]:
        """Return the waypoints of a path. Raises InputError, naming the waypoint."""
        if len(message.poses) > MAX_POSES:
            raise InputError(f'a path must have at most {MAX_POSES} poses, not '
                             f'{len(message.poses)}')
        waypoints: list[Waypoint] = []
        _, task = robot.tasks.get(name, (group, name))
        for i, pose in enumerate(message.poses):
            place = f'waypoint {i + 1} of {len(message.poses)}'
            if not pose.header.frame_id:
                pose.header.frame_id = message.header.frame_id
                if pose.header.stamp == Time():
                    pose.header.stamp = message.header.stamp
            try:
                aim = self._frames.to_aim(robot, group, task, pose)
            except NotYetError as error:
                raise NotYetError(f'{place}: {error}', error.come) from error
            except IkError as error:
                raise InputError(f'{place}: {error}') from error
            waypoints.append(Waypoint(aim, place))
        return waypoints


async def _move(waypoints: Sequence[Waypoint], controller: Controller) -> Outcome | None:
    """Move through waypoints, or begin to go from one to the next where joints jump."""
    if controller.group.motion == JUMP:
        controller.waypoints = deque(await controller.with_guesses(waypoints))
        return None
    if waypoints:
        return await controller.go_through(waypoints)
    await controller.halt()
    return None


async def _follow(waypoint: Waypoint, controller: Controller) -> Outcome:
    """Go to a waypoint; where it is not met, drop the rest of the path."""
    goes_on = False
    try:
        outcome = await controller.go([waypoint.aim], waypoint)
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
