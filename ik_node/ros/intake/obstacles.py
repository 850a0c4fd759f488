"""Obstacles by topic, which change while goals arrive: markers, points, objects of MoveIt."""

import itertools
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from rclpy.lifecycle import LifecycleNode
from rclpy.qos import qos_profile_sensor_data
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import PointCloud2
from visualization_msgs.msg import Marker, MarkerArray

from ik_node.collision.shapes import Shapes
from ik_node.control.collision_world import CollisionWorld
from ik_node.control.robot import Robot
from ik_node.control.worker import START, Job, LongSearch, Worker
from ik_node.ros.configuration import Configuration
from ik_node.ros.conversions import time_of
from ik_node.ros.execution.execution import Execution
from ik_node.ros.intake import planning_scene
from ik_node.ros.intake.frames import Frames
from ik_node.ros.intake.obstacle_messages import Contents, Key, ObstacleEntry, Place, frame_key
from ik_node.ros.intake.planning_scene import MeshFiles, SceneChange, apply_change, change_of
from ik_node.ros.intake.waiting import NotYetError
from ik_node.ros.log import ThrottledLog, reason_of
from ik_node.ros.publishing.health import Health
from ik_node.ros.topics import overridable
from ik_node.support.exceptions import IkError, InputError, unknown

_MOST_WAITING = 100  # messages
_MOST_FRAMES = 100   # of a message
_TAKING = 5e-3       # s
_QUICK = 10          # obstacles that the calling thread converts
_SHORT = 3000        # bytes of a message that the calling thread converts
_ABOUT = 'obstacles'


@dataclass(eq=False)
class _Message:
    """A message that waits to be applied, at first as it comes off the wire, unless it is short."""

    kind: Any
    message: Any
    received: int  # ROS time, ns
    headers: Mapping[Any, tuple[Any, str | None]] = field(default_factory=dict)
    """The headers of its parts by the keys of their places, with the link wanted."""
    size: int = 0  # how much there is to convert
    change: SceneChange | None = None  # what a message of MoveIt changes among objects
    places: Mapping[Any, Place | IkError] = field(default_factory=dict)
    """Its frames by the keys of `headers`, when all of them have been found, or are unknown."""
    stamp: int = 0  # ROS time, ns, then

    def read(self) -> None:
        """Convert it, and find out what it is made of; in any thread."""
        if isinstance(self.message, bytes):
            self.message = deserialize_message(self.message, self.kind)
        message = self.message
        if isinstance(message, PointCloud2):
            self.size = int(message.width * message.height)
            self.headers = {frame_key(message.header): (message.header, None)}
        elif isinstance(message, MarkerArray):
            self.size = sum(1 + len(marker.points) for marker in message.markers)
            self.headers = {frame_key(one.header): (one.header, None)
                            for one in message.markers if one.action == Marker.ADD}
        else:
            self.change = change_of(message)
            self.size = sum(part.size for part in self.change.parts)
            self.headers = {part.place_key: (part.message.header, part.link)
                            for part in self.change.parts}


class Obstacles:
    """The obstacles of a configured node: those of parameters, and of topics.

    Messages are converted by the worker, in their order; of clouds that wait the newest counts.
    What is invalid in one is refused, and what it would change stands.
    """

    def __init__(self, node: LifecycleNode, configuration: Configuration, execution: Execution,
                 frames: Frames, worker: Worker, health: Health, log: ThrottledLog) -> None:
        self._node, self._configuration, self._frames = node, configuration, frames
        self._execution = execution
        self._worker, self._health, self._log = worker, health, log
        self._waiting: deque[_Message] = deque()
        self._entries: Mapping[Key, ObstacleEntry] = {}
        self._present = CollisionWorld()
        self._mesh_files = MeshFiles()
        self._shapes = Shapes()  # which reads each mesh once
        self._is_serving, self._served = False, 0  # and how many messages at present
        self._numbers = itertools.count(1)
        topics: dict[str, Any] = {'~/obstacles': MarkerArray, '~/obstacle_points': PointCloud2,
                                  **planning_scene.message_types(node)}
        self._subscriptions = {
            kind: node.create_subscription(
                kind, topic, partial(self._take, kind), raw=kind is not PointCloud2,
                **overridable(qos_profile_sensor_data if kind is PointCloud2 else _MOST_WAITING))
            for topic, kind in topics.items()}

    def apply_to(self, robot: Robot) -> None:
        """Let a new robot keep away from the present obstacles, those on its own links only."""
        self._present = _collision_world(robot, Contents(self._entries, 0), self._present.stamp,
                                      next(self._numbers))
        robot.set_world(self._present)

    def refresh(self) -> None:
        """Apply what waits, drop what has expired, and brake motions that are in danger."""
        if not self._is_serving and self._configuration.robot is not None and (
                self._waiting or self._has_expired()):
            self._is_serving = True
            self._worker.begin(_ABOUT, self._serve(self._configuration.robot), queued=True)
        if not self._worker.is_busy(_ABOUT) and any(
                controller.is_disturbed for controller in self._execution.controllers.values()):
            self._worker.begin(_ABOUT, self._keep_clear(), queued=True)

    def _take(self, kind: Any, message: Any) -> None:
        """Take a message, with those that have come after it: a late node catches up at once.

        For a moment only, since rclpy takes as long for each as it takes to apply them.
        """
        taken, end = [message], time.perf_counter() + _TAKING
        subscription: Any = self._subscriptions[kind]
        while len(taken) < _MOST_WAITING and time.perf_counter() < end:
            with subscription.handle:
                more = subscription.handle.take_message(kind, subscription.raw)
            if more is None:
                break
            taken.append(more[0])
        for one in taken:
            self._receive(kind, one)
        self.refresh()

    def _receive(self, kind: Any, message: Any) -> None:
        if kind is PointCloud2:
            self._waiting = deque(one for k, one in enumerate(self._waiting) if k < self._served
                                  or one.kind is not PointCloud2)
        if len(self._waiting) >= _MOST_WAITING:
            self._refuse(f'{_MOST_WAITING} messages wait already')
            return
        self._waiting.append(_Message(kind, message, self._now()))
        if not isinstance(message, bytes):
            self._waiting[-1].read()

    def _serve(self, robot: Robot) -> Job[None]:
        """Apply what waits until a frame has to be waited for."""
        try:
            yield START
            while True:
                yield from self._read()
                ready = self._ready(robot)
                if not (ready or self._has_expired()):
                    return
                self._served = len(ready)
                size = len(self._present.obstacles) + sum(one.size for one in ready)
                apply = (partial if size <= _QUICK else LongSearch)(
                    self._applied, robot, ready, next(self._numbers))
                try:
                    contents, present = yield apply
                except Exception as error:  # a defect, which must not stop the node
                    self._refuse(reason_of(error, self._log.warn))
                else:
                    self._entries, self._present = contents.entries, present
                    if ready:
                        self._refuse(_summary(contents.problems))
                for _ in ready:
                    self._waiting.popleft()
                self._served = 0
                yield from self._stop_what_is_blocked()
        finally:  # also cancelled, as where the robot has changed; what waits is kept
            self._is_serving, self._served = False, 0

    def _keep_clear(self) -> Job[None]:
        yield START
        yield from self._stop_what_is_blocked()

    def _read(self) -> Job[None]:
        while (k := next((k for k, one in enumerate(self._waiting)
                          if isinstance(one.message, bytes)), -1)) >= 0:
            self._served, one = k + 1, self._waiting[k]
            try:
                yield (partial if len(one.message) <= _SHORT else LongSearch)(one.read)
            except Exception as error:  # a defect, which must not stop the node
                self._refuse(reason_of(error, self._log.warn))
                del self._waiting[k]

    def _stop_what_is_blocked(self) -> Job[None]:
        for name, controller in list(self._execution.controllers.items()):
            try:
                reason = yield from controller.keep_clear()
            except Exception as error:  # a defect, which must not stop the node
                reason = reason_of(error, self._log.warn)
            if reason:
                self._log.warn(f'{name!r} {reason}')

    def _applied(self, robot: Robot, ready: list[_Message],
                 number: int) -> tuple[Contents, CollisionWorld]:
        """Return what there is after messages, which a robot keeps away from; in any thread."""
        contents = Contents(self._entries, self._now(), self._shapes)
        stamp = self._present.stamp
        radius = self._configuration.options.obstacle_points_radius
        for one in ready:
            stamp, message = one.stamp, one.message
            if isinstance(message, PointCloud2):
                contents.add_cloud(message, one.places[frame_key(message.header)], radius)
            elif isinstance(message, MarkerArray):
                contents.add_markers(message.markers, one.places)
            elif one.change is not None:
                apply_change(contents, one.change, one.places, self._mesh_files)
        present = _collision_world(robot, contents, stamp, number)
        robot.set_world(present)
        return contents, present

    def _ready(self, robot: Robot) -> list[_Message]:
        """Return the first messages that wait, as far as no frame of theirs may still come."""
        found = []
        for one in list(self._waiting):
            late = self._now() - one.received > 1e9 * self._configuration.options.tf_timeout
            try:
                stamps = [time_of(header).nanoseconds for header, _ in one.headers.values()][:1]
                one.places = self._places(robot, one, late)
            except NotYetError:
                break
            except IkError as error:
                stamps, one.places = [], dict.fromkeys(one.headers, error)
            one.stamp = max([0, *stamps]) or one.received
            found.append(one)
        return found

    def _places(self, robot: Robot, one: _Message, late: bool) -> dict[Any, Place | IkError]:
        """Return where the frames of a message are. Raises NotYetError unless it is late."""
        headers, in_world = one.headers, not isinstance(one.message, MarkerArray)
        if len(headers) > _MOST_FRAMES:
            raise InputError(f'it has {len(headers)} different frames and stamps; at most '
                             f'{_MOST_FRAMES} are allowed')
        found: dict[Any, Place | IkError] = {}
        for key, (header, link) in headers.items():
            try:
                if link is not None and link not in robot.tree.links:
                    raise InputError(unknown('link', link, robot.tree.links))
                found[key] = Place(*self._frames.place(robot, header, in_world)) if (
                    link is None) else Place(link, self._frames.in_link(robot, link, header))
            except NotYetError as error:
                if not late:
                    raise
                found[key] = error
            except IkError as error:
                found[key] = error
        if one.change is not None:
            held = {obstacle.link for entry in self._entries.values()
                    for obstacle in entry.obstacles[:1]}
            held.update(link for _, link in headers.values())
            for name in filter(held.__contains__, robot.tree.links):
                found['link', name] = Place(None, robot.T_world_root @ robot.in_link(
                    robot.tree.root, name))
        return found

    def _has_expired(self) -> bool:
        now = self._now()
        return any(entry.expires is not None and entry.expires <= now
                   for entry in self._entries.values())

    def _refuse(self, reason: str) -> None:
        """Warn of a refused message, or with '' of none."""
        text = f'obstacles refused: {reason}' if reason else ''
        self._health.warn(_ABOUT, text)
        if text:
            self._log.warn(text)

    def _now(self) -> int:
        return int(self._node.get_clock().now().nanoseconds)


def _collision_world(robot: Robot, contents: Contents, stamp: int, number: int) -> CollisionWorld:
    links = robot.tree.links
    return CollisionWorld((*robot.obstacles, *(
        one for one in contents.obstacles if one.link is None or one.link in links)), stamp, number)


def _summary(problems: list[str]) -> str:
    more = f', and {len(problems) - 1} more' if len(problems) > 1 else ''
    return f'{problems[0]}{more}' if problems else ''
