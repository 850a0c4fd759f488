"""Draws paths and sends them to the nodes."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import viser

from ik_node.ros.clients.client import Report
from ik_node.ros.clients.connection import SilentError
from ik_node.viewer.poses import position_wxyz
from ik_node.viewer.robot_view import RobotView
from ik_node.viewer.scene_names import new_name

_MIN_STEP = 0.02  # of the reach, between waypoints that are drawn
_FRAME = 0.06     # of the reach: the axes at a waypoint
_DRAWN, _MET, _MISSED = (120, 60, 180), (40, 160, 60), (210, 40, 40)
_PLACE = re.compile(r'waypoint (\d+) of (\d+)')


class PathPanel:
    """Waypoints, added one by one or drawn by dragging, and sent as a path.

    Where the first node meets a waypoint it turns green; one that it misses, red.
    """

    def __init__(self, server: viser.ViserServer, robot_views: list[RobotView],
                 where: Callable[[], np.ndarray], notify: Callable[[str], None]) -> None:
        """Make the widgets.

        where: returns the pose (4, 4), m, of the goal now. notify: called with the reason where a
        node refuses a speed.
        """
        self._server, self._robot_views = server, robot_views
        self._where, self._notify = where, notify
        self._waypoints: list[np.ndarray] = []
        self._shown: list[Any] = []
        self._frames: list[Any] = []  # of the waypoints
        self._shown_speed = 1.0
        self._count = 0  # of the node's reports that have been looked at
        gui = server.gui
        self._draws = gui.add_checkbox('draw while dragging', False,
                                       hint='add waypoints instead of sending goals')
        gui.add_button('Set a waypoint').on_click(lambda _: self.add(self._where()))
        gui.add_button('Follow the path').on_click(lambda _: self.follow())
        gui.add_button('Clear').on_click(lambda _: self.clear())
        self._speed: Any = gui.add_slider('speed', 0.05, 1.0, 0.05, 1.0, hint='factor of the speed '
                                          'of motions; where joints jump there is none')
        self._speed.on_update(self._set_speed)

    def update(self) -> None:
        """Mark the waypoints that the node has met and missed, and show its speed."""
        robot_view = self._robot_views[0]
        new = robot_view.count - self._count
        self._count = robot_view.count
        for report in list(robot_view.reports)[-new:] if new > 0 else ():
            self._mark(report)
        speed = robot_view.parameters.option('speed')
        if speed is not None and speed != self._shown_speed:
            self._shown_speed = self._speed.value = speed

    def _mark(self, report: Report) -> None:
        found = _PLACE.search(report.message)
        if found is not None and int(found[2]) == len(self._frames) >= int(found[1]):
            frame = self._frames[int(found[1]) - 1]
            frame.origin_color = _MET if report.level == 0 else _MISSED
            frame.origin_radius = (0.1 if report.level == 0 else 0.25) * frame.axes_length

    def _set_speed(self, event: Any) -> None:
        if event.client is None:
            return  # set by `update`, not by the user
        self._shown_speed = float(self._speed.value)
        try:
            for robot_view in self._robot_views:
                robot_view.set_parameter(robot_view.parameters.option_name('speed'),
                                         self._shown_speed)
        except SilentError as error:
            self._notify(f'speed: {error}')

    @property
    def draws(self) -> bool:
        """Whether drags add waypoints."""
        return bool(self._draws.value) and self._robot_views[0].follows_paths

    def draw(self, T_world_goal: np.ndarray) -> None:
        """Add a waypoint, if it is far enough from the last."""
        least = _MIN_STEP * self._robot_views[0].reach
        if not self._waypoints or np.linalg.norm(
                T_world_goal[:3, 3] - self._waypoints[-1][:3, 3]) > least:
            self.add(T_world_goal)

    def add(self, T_world_goal: np.ndarray) -> None:
        """Add a waypoint (4, 4), m."""
        self._waypoints.append(T_world_goal)
        scene, number = self._server.scene, len(self._waypoints)
        position, wxyz = position_wxyz(T_world_goal)
        size = _FRAME * self._robot_views[0].reach
        self._frames.append(scene.add_frame(
            new_name(self._server, f'/path/{number}'), axes_length=size, axes_radius=0.04 * size,
            origin_radius=0.1 * size, origin_color=_DRAWN, position=position, wxyz=wxyz))
        if number > 1:
            ends = np.array([[T[:3, 3] for T in self._waypoints[-2:]]])
            self._shown.append(scene.add_line_segments(
                new_name(self._server, f'/path/to_{number}'), ends,
                np.array(_DRAWN, dtype=np.uint8), thickness=2.0, thickness_units='screen'))

    def follow(self) -> None:
        """Send the path to every node."""
        if self._waypoints:
            for frame in self._frames:
                frame.origin_color, frame.origin_radius = _DRAWN, 0.1 * frame.axes_length
            for robot_view in self._robot_views:
                robot_view.send_path(self._waypoints)

    def clear(self) -> None:
        """Remove all waypoints."""
        self._waypoints.clear()
        for handle in (*self._shown, *self._frames):
            handle.remove()
        self._shown.clear()
        self._frames.clear()
