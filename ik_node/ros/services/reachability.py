"""Scores of poses by a reachability map: ~/reachability_query to ~/reachability."""

from typing import TYPE_CHECKING, Any

import numpy as np
from geometry_msgs.msg import PoseArray
from rclpy.lifecycle import LifecycleNode
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import PointCloud2, PointField
from std_msgs.msg import Header

from ik_node.control.worker import START, Job, LongSearch, Worker
from ik_node.ros.configuration import Configuration
from ik_node.ros.execution.execution import Execution
from ik_node.ros.intake.frames import Frames
from ik_node.ros.log import ThrottledLog, reason_of
from ik_node.ros.topics import overridable
from ik_node.support.bounds import MAX_NUMBER
from ik_node.support.exceptions import InputError

if TYPE_CHECKING:
    from ik_node.workspace import ReachabilityMap

QUERY, SCORES = '~/reachability_query', '~/reachability'

_MOST = 1_000_000   # poses of a query
_WAITING = 10       # queries


class Reachability:
    """Publishes a cloud for each array of poses: x, y, z and the score, in the poses' frame."""

    def __init__(self, node: LifecycleNode, configuration: Configuration, execution: Execution,
                 frames: Frames, worker: Worker, log: ThrottledLog) -> None:
        self._configuration, self._execution, self._frames = configuration, execution, frames
        self._worker, self._log = worker, log
        self._publisher = node.create_lifecycle_publisher(
            PointCloud2, SCORES, **overridable(10))
        node.create_subscription(PoseArray, QUERY, self._take, raw=True, **overridable(_WAITING))

    def _take(self, data: Any) -> None:
        if self._worker.count(QUERY) >= _WAITING:
            self._log.warn(f'{QUERY} refused: {_WAITING} queries wait already')
        elif self._publisher.is_activated:
            self._worker.begin(QUERY, self._answer(data), queued=True)

    def _answer(self, data: bytes) -> Job[None]:
        yield START
        try:
            robot = self._configuration.robot
            if robot is None or robot.reachability is None:
                raise InputError('the parameter reachability_map names no file')
            header, values = yield LongSearch(poses_of, data)
            self._execution.follow(robot)
            base_link = robot.reachability.base_link
            T_base_frame = self._frames.in_link(robot, base_link, header)
            cloud = yield LongSearch(scored, robot.reachability.map, T_base_frame, values)
            cloud.header = header
            if not header.frame_id:
                cloud.header.frame_id = self._configuration.options.frame_prefix + base_link
            self._publisher.publish(cloud)
        except Exception as error:  # a defect must not stop the node
            self._log.warn(f'{QUERY} refused: {reason_of(error, self._log.warn)}')


def poses_of(data: bytes) -> tuple[Header, np.ndarray]:
    """Return the header of a serialized PoseArray, and its poses (k, 7): x y z and xyzw.

    In CDR the stamp of the header comes first, then its frame with its length, then the number of
    poses, and these from the next multiple of eight bytes on. Raises InputError.
    """
    order = 'little' if data[1] & 1 else 'big'
    at = 4 + (12 + int.from_bytes(data[12:16], order) + 3) // 4 * 4  # type: ignore[arg-type]
    header = deserialize_message(data[:at] + bytes(4), PoseArray).header
    count = int.from_bytes(data[at:at + 4], order)  # type: ignore[arg-type]
    if count > _MOST:
        raise InputError(f'it has {count} poses, at most {_MOST} are allowed')
    values = np.frombuffer(data, '<f8' if order == 'little' else '>f8', 7 * count,
                           4 + (at + 7) // 8 * 8 if count else 0)
    return header, values.reshape(count, 7).astype(float)


def scored(map: 'ReachabilityMap', T_base_frame: np.ndarray, values: np.ndarray) -> PointCloud2:
    """Return poses (k, 7) in a frame with their scores as a cloud. Raises InputError."""
    from scipy.spatial.transform import Rotation

    length = np.linalg.norm(values[:, 3:], axis=1)
    bad = np.flatnonzero(~(np.isfinite(values).all(axis=1) & (length > 1e-9)
                           & (np.abs(values) < MAX_NUMBER).all(axis=1)))
    if len(bad):
        raise InputError(f'pose {bad[0]} is none: {values[bad[0]].tolist()}')
    T = np.tile(np.eye(4), (len(values), 1, 1))
    if len(values):
        T[:, :3, :3] = Rotation.from_quat(values[:, 3:]).as_matrix()
    T[:, :3, 3] = values[:, :3]
    found = np.column_stack([values[:, :3], map.score(T_base_frame @ T)]).astype('<f4')
    return PointCloud2(
        height=1, width=len(found), point_step=16, row_step=16 * len(found), is_dense=True,
        data=found.tobytes(), fields=[
            PointField(name=name, offset=4 * k, datatype=PointField.FLOAT32, count=1)
            for k, name in enumerate(('x', 'y', 'z', 'score'))])
