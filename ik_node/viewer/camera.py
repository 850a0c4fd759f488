"""The camera of each browser: robots, handles and workspace fill the area beside the panel."""

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import viser

from ik_node.commands.pictures import nearest_camera
from ik_node.viewer.robot_view import RobotView

_ASIDE = np.array([1.0, 0.5, 0.45])    # from one robot to the camera
_FIGURE = np.array([0.6, 1.0, 0.45])   # from a figure, which looks ahead, along x
_AHEAD = np.array([1.0, 0.0, 0.3])     # from a row of robots
_HANDLE = 0.35   # of the reach: the arrows of a handle
_BALL = 0.8      # of the reach: the part of the workspace that has to be seen
_ROW = 1.0       # … of the arms of a row, which may all be at its edge together
_AROUND = 1.15   # of a figure without the shapes of its links
_SAME_SHAPE = 0.03   # of the ratio of width and height
_NARROW = 600    # pixels: on narrower pages the panel covers the picture, all but …
_FREE = 0.4      # … this part of it, at the top
_MOVED = 1e-3    # of the distance: a camera further from where it was set was moved by the user
_DIAGONALS = np.sqrt(0.5) * np.array([
    (x, y, 0.0) for x in (-1.0, 1.0) for y in (-1.0, 1.0)])  # between the axes x and y


def points_to_show(robot_view: RobotView, ball: float = _BALL) -> np.ndarray:
    """Return points (k, 3), m, around a robot, its handles and the workspace of its arm.

    ball: the part of the reach that has to be seen.
    """
    points = [T[:3, 3] for T in robot_view.poses().values()]
    around = np.concatenate([np.eye(3), -np.eye(3)])
    for target in robot_view.targets:
        T = robot_view.target_pose(target)
        if T is not None:
            points += list(T[:3, 3] + _HANDLE * robot_view.reach * around
                           if not target.name else T[None, :3, 3])
    chain = robot_view.chain
    if chain is None:  # a figure: its links reach beyond their origins
        middle = np.mean(points, axis=0)
        points += list(middle + _AROUND * (np.array(points) - middle))
    else:
        base = robot_view.pose(chain.base_link)[:3, 3]
        points += list(base + ball * robot_view.reach * np.concatenate([
            around[[0, 1, 2, 3, 4]], _DIAGONALS]))
    return np.array(points)


class Camera:
    """Frames the robots once for each browser, and again when its picture changes its size.

    A camera that the user has moved stays where it is until the robot changes.
    """

    def __init__(self, server: viser.ViserServer, robot_views: Sequence[RobotView]) -> None:
        self._server, self._robot_views = server, robot_views
        self._shown: Any = None
        self._points = np.zeros((0, 3))
        self._turning = threading.Lock()
        # By client: the size of the picture, pixels, and where the camera was set.
        self._set: dict[int, tuple[tuple[int, int], np.ndarray]] = {}

    def place(self, client: viser.ClientHandle, position: np.ndarray,
              look_at: np.ndarray) -> None:
        """Set the camera of a client, (3,) each, m; it stays there as if the user had moved it."""
        self.update()  # first to the robot, if that is new
        with self._turning, client.atomic():
            client.camera.position, client.camera.look_at = position, look_at

    def show(self, points: np.ndarray, direction: np.ndarray) -> None:
        """Show points (k, 3), m, of the scene in every browser, seen from a direction (3,)."""
        for client in self._server.get_clients().values():
            size = _size(client)
            if size is not None:
                self.place(client, *nearest_camera(points, direction, client.camera.fov,
                                                   *_shape(size)))

    def fit(self, client: viser.ClientHandle, points: Sequence[np.ndarray] = ()) -> None:
        """Show a browser what is drawn now, from the direction that its camera has.

        points: (3,) each, m, that are to be seen as well.
        """
        size = _size(client)
        if size is not None and all(robot_view.is_placed for robot_view in self._robot_views):
            seen = np.concatenate([*(
                points_to_show(robot_view, 0.0) + robot_view.frame.position
                for robot_view in self._robot_views), np.reshape(points, (-1, 3))])
            away = np.asarray(client.camera.position) - client.camera.look_at
            away += [1e-3 * np.linalg.norm(away), 0.0, 0.0]  # not straight from above
            self.place(client, *nearest_camera(seen, away, client.camera.fov, *_shape(size)))

    def update(self) -> None:
        """Turn the cameras to another robot, and to the robot where one has not been yet."""
        if all(robot_view.is_placed for robot_view in self._robot_views):
            with self._turning:
                self._update(self._robot_views)

    def _update(self, robot_views: Sequence[RobotView]) -> None:
        shown = [(robot_view.tree, robot_view.chain, robot_view.tasks, robot_view.is_placed)
                 for robot_view in robot_views]
        if shown != self._shown:
            self._shown = shown
            ball = _BALL if len(shown) == 1 else _ROW
            self._points = np.concatenate([
                points_to_show(robot_view, ball) + robot_view.frame.position
                for robot_view in robot_views])
            self._set.clear()
            self._turn(self._server.initial_camera, 4.0 / 3.0)
        clients = self._server.get_clients()
        self._set = {number: one for number, one in self._set.items() if number in clients}
        for number, client in clients.items():
            size = _size(client)
            if size is not None and not self._is_set(number, client, size):
                with client.atomic():
                    self._turn(client.camera, *_shape(size))
                self._set[number] = size, np.array(client.camera.position)

    def _turn(self, camera: Any, aspect: float, free: float = 1.0) -> None:
        direction = (_AHEAD if len(self._robot_views) > 1 else
                     _FIGURE if self._robot_views[0].tasks else _ASIDE)
        camera.position, camera.look_at = map(
            tuple, nearest_camera(self._points, direction, camera.fov, aspect, free))

    def _is_set(self, number: int, client: viser.ClientHandle, size: tuple[int, int]) -> bool:
        """Return whether the camera of a client shows the robot, or the user has moved it.

        Sizes are in the pixels that are drawn: a page that is slow draws fewer.
        """
        if number not in self._set:
            return False
        (width, height), last = self._set[number]
        if abs(size[0] * height - width * size[1]) < _SAME_SHAPE * size[0] * height:
            return True
        camera = client.camera
        return bool(np.linalg.norm(camera.position - last)
                    > _MOVED * np.linalg.norm(last - camera.look_at))


def _size(client: viser.ClientHandle) -> tuple[int, int] | None:
    """Return the size of a browser's picture, pixels; None as long as it has not told that."""
    try:
        size = client.camera.image_width, client.camera.image_height
    except AssertionError:
        return None
    return size if all(size) else None


def _shape(size: tuple[int, int]) -> tuple[float, float]:
    """Return width by height of a picture, and the upper part of it that no panel covers."""
    return size[0] / size[1], _FREE if size[0] < _NARROW else 1.0
