"""Joint values and paths from messages, and the motions that they ask for."""

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import Path
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState
from std_msgs.msg import Header

from ik_node.control.controller import Controller, Outcome, Waypoint
from ik_node.control.group import Group
from ik_node.control.options import JUMP
from ik_node.control.robot import Robot
from ik_node.control.worker import NEWER, CancelledError, Job, LongSearch
from ik_node.model.joint_space import check_inside
from ik_node.ros.conversions import checked_positions
from ik_node.ros.intake.frames import Frames
from ik_node.ros.intake.waiting import NotYetError
from ik_node.support.bounds import MAX_POSES
from ik_node.support.exceptions import IkError, InputError, unknown

_AT_ONCE = 20  # poses that are converted at a time


def named_groups(robot: Robot, group: Group, joints: Sequence[str]) -> list[Group]:
    """Return which of a group and the joints of no arm are named; the group by default."""
    side = robot.side
    beside = () if side is None else side.space.joint_names
    is_side = [joint in beside for joint in joints]
    named = [] if is_side and all(is_side) else [group]
    return [*named, side] if side is not None and any(is_side) else named


def configurations_of(robot: Robot, groups: Sequence[Group], name: str,
                      message: JointState) -> dict[Group, np.ndarray]:
    """Return q (n,) of groups, rad or m: the values of a message, the present ones of others.

    name: of the arm or task, whose joints the message may name. Raises InputError.
    """
    values, found = checked_positions(message), dict[Group, np.ndarray]()
    if not values:
        raise InputError('joint values need names and positions; the message has none')
    for group in reversed(groups):  # the arm gets what is left
        space, allowed = group.space, group.joints_of(name)
        q = np.clip(robot.joint_configuration(group), space.lower, space.upper)
        for joint in [joint for joint in values if joint in allowed]:
            q[space.joint_names.index(joint)] = values.pop(joint)
        for joint in values if group is groups[0] else ():
            whole = 'arm' if name in group.tips else 'body'
            raise InputError(_foreign(robot, whole, joint, allowed))
        found[group] = check_inside(space, q[None], lambda _: 'joint values')[0]
    return found


def _foreign(robot: Robot, whole: str, name: str, allowed: Sequence[str]) -> str:
    """Return why a joint cannot be set. whole: what has the allowed joints."""
    joint = robot.tree.joints.get(name)
    if joint is not None and joint.mimic is not None:
        return f'joint {name!r} follows joint {joint.mimic.joint!r}; give the value of that one'
    return unknown(f'joint of the {whole} named', name, allowed)


class LongPath(NamedTuple):
    """A serialized path of a type, with too many poses to convert all at once."""

    header: Header
    n_poses: int
    kind: Any
    data: bytes

    def check(self) -> None:
        """Raise InputError for too many poses."""
        if self.n_poses > MAX_POSES:
            raise InputError(f'a path must have at most {MAX_POSES} poses, not {self.n_poses}')

    def read(self) -> Path:
        """Return the path; in any thread."""
        message = deserialize_message(self.data, self.kind)
        return message if self.kind is Path else Path(header=message.header, poses=[
            PoseStamped(header=message.header, pose=pose) for pose in message.poses])


def read_path(kind: Any, data: bytes) -> Path | LongPath:
    """Return a serialized path, as Path where it is short.

    In CDR the stamp of the header comes first, then its frame with its length, then the number of
    poses.
    """
    order: Any = 'little' if data[1] & 1 else 'big'
    at = 4 + (12 + int.from_bytes(data[12:16], order) + 3) // 4 * 4
    head = deserialize_message(data[:at] + bytes(4), kind).header
    path = LongPath(head, int.from_bytes(data[at:at + 4], order), kind, data)
    return path.read() if path.n_poses <= _AT_ONCE else path


def waypoints_of(frames: Frames, robot: Robot, group: Group, name: str,
                 path: Path) -> Iterator[Waypoint]:
    """Yield the waypoints of a path for the arm of this name. Raises InputError, naming one."""
    _, task = robot.tasks.get(name, (group, name))
    for i, pose in enumerate(path.poses):
        place = f'waypoint {i + 1} of {len(path.poses)}'
        if not pose.header.frame_id:
            pose.header.frame_id = path.header.frame_id
            if pose.header.stamp == Time():
                pose.header.stamp = path.header.stamp
        try:
            goal = frames.to_goal(robot, group, task, pose)
        except NotYetError as error:
            raise NotYetError(f'{place}: {error}', error.come) from error
        except IkError as error:
            raise InputError(f'{place}: {error}') from error
        yield Waypoint(goal, place)


def read_waypoints(path: LongPath, frames: Frames, controller: Controller,
                   name: str) -> Job[list[Waypoint]]:
    """Return the waypoints of a path for the arm of this name; a few are converted at a time."""
    waypoints = list[Waypoint]()
    message = yield LongSearch(path.read)
    for waypoint in waypoints_of(frames, controller.robot, controller.group, name, message):
        waypoints.append(waypoint)
        if len(waypoints) % _AT_ONCE == 0:
            yield LongSearch(int)  # other callbacks come in between
    return waypoints


def move_through(waypoints: Sequence[Waypoint], controller: Controller) -> Job[Outcome | None]:
    """Move through waypoints, or begin to go from one to the next where joints jump."""
    if controller.group.motion == JUMP:
        controller.waypoints = deque((yield from controller.with_guesses(waypoints)))
        return None
    if waypoints:
        return (yield from controller.go_through(waypoints))
    yield from controller.halt()
    return None


def follow(waypoint: Waypoint, controller: Controller) -> Job[Outcome]:
    """Go to a waypoint; where it is not met, drop the rest of the path."""
    goes_on = False
    try:
        outcome = yield from controller.go([waypoint.goal], waypoint)
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
