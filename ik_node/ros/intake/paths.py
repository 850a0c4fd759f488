"""Subscriptions of paths, checked as a whole, then followed."""

import time
from collections import deque
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from builtin_interfaces.msg import Time
from geometry_msgs.msg import PoseArray, PoseStamped
from nav_msgs.msg import Path
from rclpy.lifecycle import LifecycleNode
from rclpy.serialization import deserialize_message

from ik_node.control.controller import Controller, Outcome, Waypoint
from ik_node.control.group import Group
from ik_node.control.options import JUMP
from ik_node.control.robot import Robot
from ik_node.control.worker import NEWER, CancelledError, LongSearch, search, turn
from ik_node.ros.execution.execution import Execution
from ik_node.ros.intake.dispatcher import Dispatcher, Received
from ik_node.ros.intake.frames import Frames
from ik_node.ros.intake.waiting import NotYetError
from ik_node.ros.publishing.status import Arrival
from ik_node.ros.topics import LATEST, goal_topic
from ik_node.support.bounds import MAX_POSES
from ik_node.support.exceptions import IkError, InputError

_AT_ONCE = 20  # poses that are converted at a time
_PLACE = 'all waypoints'


class Paths:
    """The paths of a configured node, for each arm."""

    def __init__(self, node: LifecycleNode, arm_names: Sequence[str], dispatcher: Dispatcher,
                 execution: Execution, frames: Frames) -> None:
        self._dispatcher, self._execution, self._frames = dispatcher, execution, frames
        for arm in arm_names:
            for kind in (Path, PoseArray):
                node.create_subscription(kind, goal_topic(kind, arm),
                                         partial(self._take, kind, arm), LATEST, raw=True)

    def follow(self, robot: Robot) -> None:
        """Go to the next waypoint of every path whose group is not on its way to another goal."""
        for controller in self._execution.controllers.values():
            if controller.waypoints and not self._dispatcher.is_busy(controller):
                waypoint = controller.waypoints.popleft()
                arrival = Arrival(waypoint.goal.task, waypoint.goal.header, time.perf_counter(),
                                  waypoint.place)
                self._execution.follow(robot)
                self._dispatcher.execute(controller, arrival, _follow(waypoint, controller), False)

    def take(self, name: str, message: Path) -> None:
        """Move the arm of this name through the poses of a path; without poses it stops."""
        received = self._dispatcher.receive(name, message, lambda *arguments: [
            *self._waypoints(*arguments)], self.take, _PLACE)
        if received is not None:
            self._dispatcher.replace(received, _move(received.content, received.controller))

    def _take(self, kind: Any, name: str, data: bytes) -> None:
        """Take a serialized path; a long one is converted beside other callbacks."""
        count, head = _head(kind, data)
        if count <= _AT_ONCE:
            self.take(name, _path(kind, data))
            return

        def check(*arguments: Any) -> Any:
            if count > MAX_POSES:
                raise InputError(f'a path must have at most {MAX_POSES} poses, not {count}')
            return arguments
        received = self._dispatcher.receive(
            name, head, check, lambda *_: self._take(kind, name, data), _PLACE)
        if received is not None:
            self._dispatcher.worker.begin(('paths', received.controller.group.name),
                                          self._convert(received, kind, data))

    async def _convert(self, received: Received, kind: Any, data: bytes) -> None:
        """Convert a path, a few poses at a time, then follow it."""
        (robot, group, name, _), waypoints = received.content, list[Waypoint]()
        try:
            await turn()
            path = await search(LongSearch(_path, kind, data))
            for waypoint in self._waypoints(robot, group, name, path):
                waypoints.append(waypoint)
                if len(waypoints) % _AT_ONCE == 0:
                    await search(LongSearch(int))  # other callbacks come in between
            if self._dispatcher.newest[group.name] is not received.arrival:
                raise CancelledError(NEWER)
        except NotYetError as error:
            self._dispatcher.wait(received.arrival, error, partial(self._take, kind, name, data))
        except (Exception, CancelledError) as error:
            self._dispatcher.refuse(received.arrival, error)
        else:
            self._dispatcher.replace(received, _move(waypoints, received.controller))

    def _waypoints(self, robot: Robot, group: Group, name: str, message: Any) -> Iterator[Waypoint]:
        """Yield the waypoints of a path. Raises InputError, naming the waypoint."""
        _, task = robot.tasks.get(name, (group, name))
        for i, pose in enumerate(message.poses):
            place = f'waypoint {i + 1} of {len(message.poses)}'
            if not pose.header.frame_id:
                pose.header.frame_id = message.header.frame_id
                if pose.header.stamp == Time():
                    pose.header.stamp = message.header.stamp
            try:
                goal = self._frames.to_goal(robot, group, task, pose)
            except NotYetError as error:
                raise NotYetError(f'{place}: {error}', error.come) from error
            except IkError as error:
                raise InputError(f'{place}: {error}') from error
            yield Waypoint(goal, place)


def _head(kind: Any, data: bytes) -> tuple[int, Any]:
    """Return the number of poses of a serialized path, and the path without them.

    In CDR the stamp of the header comes first, then its frame with its length, then the number.
    """
    order: Any = 'little' if data[1] & 1 else 'big'
    at = 4 + (12 + int.from_bytes(data[12:16], order) + 3) // 4 * 4
    return int.from_bytes(data[at:at + 4], order), deserialize_message(data[:at] + bytes(4), kind)


def _path(kind: Any, data: bytes) -> Any:
    """Return a serialized path as Path."""
    message = deserialize_message(data, kind)
    return message if kind is Path else Path(header=message.header, poses=[
        PoseStamped(header=message.header, pose=pose) for pose in message.poses])


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
        outcome = await controller.go([waypoint.goal], waypoint)
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
