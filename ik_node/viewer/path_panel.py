"""Draws paths and sends them to the nodes."""

import re
from typing import Any

import numpy as np

from ik_node.ros.clients.client import Report
from ik_node.viewer.panel import NodeWidget, Page, Panel
from ik_node.viewer.scene_nodes import add_line, new_name, position_wxyz

_MIN_STEP = 0.02  # of the reach, between waypoints that are drawn
_FRAME = 0.06     # of the reach: the axes at a waypoint
_DRAWN, _MET, _MISSED = (120, 60, 180), (40, 160, 60), (210, 40, 40)
_PLACE = re.compile(r'waypoint (\d+) of (\d+)')


class PathPanel(Panel):
    """Waypoints, added one by one or drawn by dragging, and sent to all nodes as a path.

    Where the first node meets a waypoint it turns green; one that it misses, red.
    """

    def __init__(self, page: Page) -> None:
        super().__init__(page, 'Path')
        self._waypoints = page.waypoints
        self._frames: list[Any] = []  # of the waypoints
        self._count = 0  # of the node's reports that have been looked at
        gui = self._gui
        with self._folder:
            self._draws = gui.add_checkbox('draw while dragging', False,
                                           hint='add waypoints instead of sending goals')
            gui.add_button('Set a waypoint').on_click(lambda _: self._add())
            gui.add_button('Follow the path').on_click(lambda _: self._follow())
            gui.add_button('Clear').on_click(lambda _: self.clear())
            self._speed = NodeWidget(gui.add_slider(
                'speed', 0.05, 1.0, 0.05, 1.0,
                hint='factor of the speed of motions; where joints jump there is none'),
                lambda: self._robot_view.parameters.option('speed'), self._set_speed,
                self._notify, 'speed')

    def _refresh(self, visible: bool) -> None:
        """Mark the waypoints that the node has met and missed, and show its speed."""
        robot_view = self._robot_view
        new = robot_view.count - self._count
        self._count = robot_view.count
        for report in list(robot_view.reports)[-new:] if new > 0 else ():
            self._mark(report)
        self._speed.refresh()

    def _mark(self, report: Report) -> None:
        found = _PLACE.search(report.message)
        if found is not None and int(found[2]) == len(self._frames) >= int(found[1]):
            frame = self._frames[int(found[1]) - 1]
            frame.origin_color = _MET if report.level == 0 else _MISSED
            frame.origin_radius = (0.1 if report.level == 0 else 0.25) * frame.axes_length

    def _set_speed(self, speed: float) -> None:
        for robot_view in self._page.robot_views:
            robot_view.set_parameter(robot_view.parameters.option_name('speed'), float(speed))

    @property
    def draws(self) -> bool:
        """Whether drags add waypoints."""
        return bool(self._draws.value) and self._robot_view.follows_paths

    def draw(self) -> None:
        """Add a waypoint at the handle, if it is far enough from the last."""
        self._add(_MIN_STEP * self._robot_view.reach)

    def _add(self, least: float = 0.0) -> None:
        """Add the pose of the handle, if that is so far from the last waypoint, m."""
        T = self._page.handle_pose
        if T is None or (least and self._waypoints and np.linalg.norm(
                T[:3, 3] - self._waypoints[-1][:3, 3]) <= least):
            return
        self._waypoints.append(T)
        scene, number = self._server.scene, len(self._waypoints)
        name = f'{self._robot_view.frame.name}/path'
        position, wxyz = position_wxyz(T)
        size = _FRAME * self._robot_view.reach
        self._frames.append(scene.add_frame(
            new_name(self._server, f'{name}/{number}'), axes_length=size, axes_radius=0.04 * size,
            origin_radius=0.1 * size, origin_color=_DRAWN, position=position, wxyz=wxyz))
        if number > 1:
            self._drawn.append(add_line(
                self._server, f'{name}/to_{number}',
                np.array([T[:3, 3] for T in self._waypoints[-2:]]), _DRAWN, 2.0,
                thickness_units='screen'))

    def _follow(self) -> None:
        for frame in self._frames:
            frame.origin_color, frame.origin_radius = _DRAWN, 0.1 * frame.axes_length
        for robot_view in self._page.robot_views if self._waypoints else ():
            robot_view.send_path(self._waypoints)

    def clear(self) -> None:
        """Remove all waypoints."""
        self._waypoints.clear()
        self._drawn += self._frames
        self._frames = []
        self._remove_drawn()
