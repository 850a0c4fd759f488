"""Draws paths and sends them to the nodes."""

from collections.abc import Callable
from typing import Any

import numpy as np
import viser

from ik_node.viewer.poses import position_wxyz
from ik_node.viewer.robot_view import RobotView
from ik_node.viewer.scene_names import new_name

_MIN_STEP = 0.02  # of the reach, between waypoints that are drawn


class PathPanel:
    """Waypoints, added one by one or drawn by dragging, and sent as a path."""

    def __init__(self, server: viser.ViserServer, robot_views: list[RobotView],
                 where: Callable[[], np.ndarray]) -> None:
        """Make the widgets. where: returns the pose (4, 4), m, of the goal now."""
        self._server, self._robot_views, self._where = server, robot_views, where
        self._waypoints: list[np.ndarray] = []
        self._shown: list[Any] = []
        gui = server.gui
        self._draws = gui.add_checkbox('draw while dragging', False,
                                       hint='add waypoints instead of sending goals')
        gui.add_button('Set a waypoint').on_click(lambda _: self.add(self._where()))
        gui.add_button('Follow the path').on_click(lambda _: self.follow())
        gui.add_button('Clear').on_click(lambda _: self.clear())

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
        size = 0.06 * self._robot_views[0].reach
        self._shown.append(scene.add_frame(
            new_name(self._server, f'/path/{number}'), axes_length=size, axes_radius=0.04 * size,
            origin_radius=0.1 * size, position=position, wxyz=wxyz))
        if number > 1:
            ends = np.array([[T[:3, 3] for T in self._waypoints[-2:]]])
            self._shown.append(scene.add_line_segments(
                new_name(self._server, f'/path/to_{number}'), ends,
                np.array((120, 60, 180), dtype=np.uint8), thickness=2.0, thickness_units='screen'))

    def follow(self) -> None:
        """Send the path to every node."""
        if self._waypoints:
            for robot_view in self._robot_views:
                robot_view.send_path(self._waypoints)

    def clear(self) -> None:
        """Remove all waypoints."""
        self._waypoints.clear()
        for handle in self._shown:
            handle.remove()
        self._shown.clear()
