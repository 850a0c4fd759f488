"""Ways to draw and follow, the workspace, and pictures of the page."""

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import viser

from ik_node.exceptions import IkError
from ik_node.viewer.poses import position_wxyz
from ik_node.viewer.station import Station
from ik_node.workspace.colors import figure_colors
from ik_node.workspace.survey import survey

_HIDDEN = 'not shown'
_FIGURES = (_HIDDEN, 'reachable', 'manipulability', 'conditioning')
_PICTURE = 1200, 1600  # pixels, height and width
_MIN_STEP = 0.02       # of the reach, between waypoints that are drawn


class PathPanel:
    """Waypoints, set down one by one or drawn by dragging, and sent as a path."""

    def __init__(self, server: viser.ViserServer, stations: list[Station],
                 where: Callable[[], np.ndarray]) -> None:
        """Make the widgets. where: returns T_root_goal (4, 4), m, of the goal now."""
        self._server, self._stations, self._where = server, stations, where
        self._waypoints: list[np.ndarray] = []
        self._shown: list[Any] = []
        gui = server.gui
        self._draws = gui.add_checkbox('draw while dragging', False,
                                       hint='set waypoints down instead of sending goals')
        gui.add_button('Set a waypoint').on_click(lambda _: self.add(self._where()))
        gui.add_button('Follow the path').on_click(lambda _: self.follow())
        gui.add_button('Clear').on_click(lambda _: self.clear())

    @property
    def draws(self) -> bool:
        """Whether drags set down waypoints."""
        return bool(self._draws.value)

    def draw(self, T_root_goal: np.ndarray) -> None:
        """Add a waypoint, if it is a step away from the last."""
        least = _MIN_STEP * self._stations[0].reach
        if not self._waypoints or np.linalg.norm(
                T_root_goal[:3, 3] - self._waypoints[-1][:3, 3]) > least:
            self.add(T_root_goal)

    def add(self, T_root_goal: np.ndarray) -> None:
        """Add a waypoint (4, 4), m."""
        self._waypoints.append(T_root_goal)
        scene, number = self._server.scene, len(self._waypoints)
        position, wxyz = position_wxyz(T_root_goal)
        size = 0.06 * self._stations[0].reach
        self._shown.append(scene.add_frame(
            f'/path/{number}', axes_length=size, axes_radius=0.04 * size,
            origin_radius=0.1 * size, position=position, wxyz=wxyz))
        if number > 1:
            ends = np.array([[T[:3, 3] for T in self._waypoints[-2:]]])
            self._shown.append(scene.add_line_segments(
                f'/path/to_{number}', ends, np.array((120, 60, 180), dtype=np.uint8),
                thickness=2.0, thickness_units='screen'))

    def follow(self) -> None:
        """Send the path to every node."""
        if self._waypoints:
            for station in self._stations:
                station.send_path(self._waypoints)

    def clear(self) -> None:
        """Forget the path."""
        self._waypoints.clear()
        for handle in self._shown:
            handle.remove()
        self._shown.clear()


class WorkspacePanel:
    """Where the arm can get, as a cloud of points in the colours of a figure."""

    def __init__(self, server: viser.ViserServer, station: Station,
                 tell: Callable[[str], None]) -> None:
        """Make the widget. tell: where a line goes where there is none to show."""
        self._server, self._station, self._tell = server, station, tell
        self._cloud: Any = None
        self._choice = server.gui.add_dropdown('workspace', _FIGURES)
        self._choice.on_update(lambda event: threading.Thread(
            target=self._show, args=(self._choice.value,), daemon=True).start())

    def close(self) -> None:
        """Take the cloud away."""
        if self._cloud is not None:
            self._cloud.remove()
            self._cloud = None

    def _show(self, figure: str) -> None:
        station, chain = self._station, self._station.chain
        self.close()
        if figure == _HIDDEN or chain is None:
            return
        self._tell('The workspace is being looked for …')
        try:
            workspace = survey(chain)
            colors = figure_colors(workspace.values(figure), figure)
        except IkError as error:
            self._tell(str(error))
            return
        if self._choice.value != figure or station.chain is not chain:
            return  # another one is wanted by now
        T = station.T_root_base
        points = workspace.centres @ T[:3, :3].T + T[:3, 3]
        self._cloud = self._server.scene.add_point_cloud(
            f'/{station.name}/workspace', points, (255 * colors).astype(np.uint8),
            point_size=0.25 * workspace.voxels.edge, point_shape='circle')


def add_screenshot_button(server: viser.ViserServer) -> None:
    """Let the page save what it shows."""
    def save(event: viser.GuiEvent) -> None:
        client = event.client
        if client is not None:
            import imageio.v3 as iio
            picture = client.get_render(*_PICTURE)
            client.send_file_download('ik_view.png', iio.imwrite(
                '<bytes>', picture, extension='.png'), save_immediately=True)
    server.gui.add_button('Save a picture').on_click(save)


