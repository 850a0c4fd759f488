"""Conversions between messages and arrays."""

from collections import Counter
from collections.abc import Iterable

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point, Pose, Quaternion, TransformStamped, Vector3
from rclpy.clock import Clock
from rclpy.time import Time as RosTime
from sensor_msgs.msg import JointState
from std_msgs.msg import Header

from ik_node.spatial import quaternion_from_matrix
from ik_node.spatial.conversions import point_to_array as point_to_array
from ik_node.spatial.conversions import pose_to_matrix as pose_to_matrix
from ik_node.support.bounds import MAX_ENTRIES, MAX_NAME, MAX_NUMBER
from ik_node.support.exceptions import InputError


def transform(T: np.ndarray, header: Header, child: str) -> TransformStamped:
    """Return T_frame_child (4, 4), m, as a message for tf."""
    pose = matrix_to_pose(T)
    message = TransformStamped(header=header, child_frame_id=child)
    message.transform.translation = Vector3(
        x=pose.position.x, y=pose.position.y, z=pose.position.z)
    message.transform.rotation = pose.orientation
    return message


def array_to_point(p: Iterable[float]) -> Point:
    """Return p (3,), m, as a message."""
    x, y, z = p
    return Point(x=float(x), y=float(y), z=float(z))


def matrix_to_pose(T: np.ndarray) -> Pose:
    """Return a pose (4, 4), m, as a message."""
    x, y, z, w = quaternion_from_matrix(T[:3, :3])
    return Pose(position=Point(x=float(T[0, 3]), y=float(T[1, 3]), z=float(T[2, 3])),
                orientation=Quaternion(x=float(x), y=float(y), z=float(z), w=float(w)))


def joint_positions(message: JointState) -> tuple[dict[str, float], str]:
    """Return the usable joint values of a message, rad or m, and why others are not, or ''.

    Raises InputError where names and positions do not fit together.
    """
    joints, positions = message.name, message.position
    if len(joints) != len(positions) or len(joints) > MAX_ENTRIES:
        raise InputError(f'{len(joints)} names and {len(positions)} positions; there must be '
                         f'equally many, at most {MAX_ENTRIES}')
    wrong, values = '', {}
    for name, position in zip(joints, positions):
        if abs(position) <= MAX_NUMBER:  # not for NaN
            values[name] = position
        else:
            wrong = wrong or (f'the position of {name[:MAX_NAME]!r} is {position}, not a finite '
                              f'number of at most {MAX_NUMBER:g} in size')
    return values, wrong


def checked_positions(message: JointState) -> dict[str, float]:
    """Return the joint values of a goal or a start, which has one for each joint that it names.

    Raises InputError as `joint_positions`, for a joint named twice, and for unusable values.
    """
    values, wrong = joint_positions(message)
    if wrong:
        raise InputError(wrong)
    if len(values) < len(message.name):
        (repeated, _), = Counter(message.name).most_common(1)
        raise InputError(f'joint {repeated!r:.80} is named more than once')
    return values


def clock_seconds(clock: Clock) -> float:
    """Return the time of a clock, s."""
    return 1e-9 * float(clock.now().nanoseconds)


def stamp_of(nanoseconds: int) -> Time:
    """Return a ROS time, ns, as a message; one before zero as zero."""
    seconds, rest = divmod(max(nanoseconds, 0), 10 ** 9)
    return Time(sec=seconds, nanosec=rest)


def time_of(header: Header) -> RosTime:
    """Return the stamp of a header. Raises InputError for one that is not a time."""
    try:
        return RosTime.from_msg(header.stamp)
    except ValueError as error:
        raise InputError(f'the stamp {header.stamp.sec} s, {header.stamp.nanosec} ns is not '
                         f'a time: {error}') from error
