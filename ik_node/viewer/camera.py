"""The camera of each browser: robots and handles fill the area beside the panel."""

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import viser

from ik_node.commands.pictures import nearest_camera
from ik_node.viewer.robot_view import RobotView

_ASIDE = np.array([1.0, 0.5, 0.45])    # from one robot to the camera
_FIGURE = np.array([0.6, 1.0, 0.45])   # from a figure, which looks ahead, along x
_ABOVE = np.array([0.0, -0.3, 0.3])    # beside the normal of the plane that a tip cannot leave,
                                       # reversed with a row of robots
_AHEAD = np.array([1.0, 0.0, 0.3])     # from a row of robots
_LENS = np.radians(40.0)  # vertical angle of view
# To the camera, from what is in view; that of the first view for none.
VIEWS = {'Fit view': None, 'Home view': None, 'Front': np.array([1.0, 0.0, 0.0]),
         'Side': np.array([0.0, -1.0, 0.0]), 'Top': np.array([0.0, -1e-3, 1.0])}
_ROOM = 0.7            # of the picture: what is drawn at first, so that it can be moved
_SETTLES = 2.0   # s after a robot is new in which it goes to its start pose
_SAME_SHAPE = 0.03   # of the ratio of width and height
_MOVED = 1e-3    # of the distance: a camera further from where it was set was moved by the user


def points_to_show(robot_view: RobotView) -> np.ndarray:
    """Return points (k, 3), m, around a robot as it is drawn and the targets of its handles."""
    poses = map(robot_view.target_pose, robot_view.targets)
    return np.concatenate([robot_view.corners(), *(T[None, :3, 3] for T in poses if T is not None)])


class Camera:
    """Frames the robots once for each browser, and again when its picture changes its size.

    A camera that the user has moved stays where it is until the robot changes. `subject`: points
    (k, 3), m, in place of the robots, and the direction (3,) to the camera.
    """

    def __init__(self, server: viser.ViserServer, robot_views: Sequence[RobotView],
                 others: Callable[[], np.ndarray]) -> None:
        """Show nothing yet; others: returns points (k, 3), m, to be seen with the robots."""
        self._server, self._robot_views, self._others = server, robot_views, others
        server.initial_camera.fov = _LENS
        self.subject: tuple[np.ndarray, np.ndarray] | None = None
        self._shown: Any = None
        self._settled = 0.0  # when the robot is at its start pose
        self._values: list[Any] = []  # joint values of the robots
        self._turning = threading.Lock()
        # By client: the size of the picture, pixels, and where the camera was set.
        self._set: dict[int, tuple[tuple[int, int], np.ndarray]] = {}

    def place(self, client: viser.ClientHandle, position: np.ndarray,
              look_at: np.ndarray) -> None:
        """Set the camera of a client, (3,) each, m; it stays there as if the user had moved it."""
        self.update()  # first to the robot, if that is new
        with self._turning, client.atomic():
            client.camera.position, client.camera.look_at = position, look_at

    def show(self, subject: tuple[np.ndarray, np.ndarray] | None) -> None:
        """Show points (k, 3), m, of the scene from a direction (3,), or the robots, with None."""
        self.subject, self._shown = subject, None
        self.update()

    def fit(self, client: viser.ClientHandle | None, view: str = 'Fit view') -> None:
        """Show a browser what is drawn now, in one of `VIEWS`: "Fit view" keeps the direction."""
        size = client and _size(client)
        if client and size and self._is_drawn:
            points, first = self._find_view()
            away = VIEWS[view]
            if away is None:
                away = np.subtract(client.camera.position, client.camera.look_at) if (
                    view == 'Fit view') else first
                length = np.linalg.norm(away)  # not straight from above, nor from below the floor
                away = np.array([away[0] + 1e-3 * length, away[1], max(away[2], 0.05 * length)])
            self.place(client, *nearest_camera(
                points, away, client.camera.fov, size[0] / size[1], _ROOM))

    def update(self) -> None:
        """Turn the cameras to another robot, and to the robot where one has not been yet."""
        if self._is_drawn:
            with self._turning:
                self._update()

    @property
    def _is_drawn(self) -> bool:
        return self.subject is not None or all(
            robot_view.is_placed for robot_view in self._robot_views)

    def _find_view(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the points (k, 3), m, to be seen, and the direction (3,) to the camera."""
        if self.subject is not None:
            return self.subject
        view, compared = self._robot_views[0], len(self._robot_views) > 1
        direction = (normal + (_ABOVE[::-1] if compared else _ABOVE)
                     if (normal := view.plane_normal) is not None else
                     _AHEAD if compared else _FIGURE if view.tasks else _ASIDE)
        return np.concatenate([
            *(points_to_show(robot_view) + robot_view.frame.position
              for robot_view in self._robot_views),
            self._others()]), direction

    def _update(self) -> None:
        shown = [(robot_view.tree, robot_view.chain, robot_view.tasks, robot_view.is_placed)
                 for robot_view in self._robot_views if self.subject is None]
        now, values = time.monotonic(), [view.values for view in self._robot_views]
        if shown != self._shown:
            self._shown, self._settled = shown, now + _SETTLES
            self._set.clear()
            self._turn(self._server.initial_camera, 4.0 / 3.0)
        settles = now < self._settled and values != self._values and not len(self._others())
        self._values = values
        clients = self._server.get_clients()
        self._set = {number: one for number, one in self._set.items() if number in clients
                     and not (settles and not _has_moved(clients[number].camera, one[1]))}
        for number, client in clients.items():
            size = _size(client)
            if size is not None and not self._is_set(number, client, size):
                with client.atomic():
                    self._turn(client.camera, size[0] / size[1])
                self._set[number] = size, np.array(client.camera.position)

    def _turn(self, camera: Any, aspect: float) -> None:
        points, direction = self._find_view()
        camera.position, camera.look_at = map(
            tuple, nearest_camera(points, direction, camera.fov, aspect, _ROOM))

    def _is_set(self, number: int, client: viser.ClientHandle, size: tuple[int, int]) -> bool:
        """Return whether the camera of a client shows the robot, or the user has moved it.

        Sizes are in the pixels that are drawn: a page that is slow draws fewer.
        """
        if number not in self._set:
            return False
        (width, height), last = self._set[number]
        first = np.asarray(self._server.initial_camera.position)
        if np.linalg.norm(client.camera.position - first) < _MOVED * np.linalg.norm(last - first):
            return False  # a browser that begins may take the first camera after its own
        if abs(size[0] * height - width * size[1]) < _SAME_SHAPE * size[0] * height:
            return True
        return _has_moved(client.camera, last)


def _has_moved(camera: Any, last: np.ndarray) -> bool:
    """Return whether a camera is no longer where it was set (3,), m."""
    return bool(np.linalg.norm(camera.position - last)
                > _MOVED * np.linalg.norm(last - camera.look_at))


def _size(client: viser.ClientHandle) -> tuple[int, int] | None:
    """Return the size of a browser's picture, pixels; None while it is unknown."""
    try:
        size = client.camera.image_width, client.camera.image_height
    except AssertionError:
        return None
    return size if all(size) else None
