"""Shows from where the arm reaches goals: its base is dragged, and each goal has a live score."""

import functools
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from ik_node.spatial import inverse
from ik_node.support.exceptions import InputError
from ik_node.viewer.latest_value import errors_shown
from ik_node.viewer.page_text import html_line
from ik_node.viewer.panel import Page, Panel
from ik_node.viewer.scene_nodes import BOX, add_solids, matrix, new_name, position_wxyz
from ik_node.viewer.workspace_panel import WorkspacePanel
from ik_node.workspace import ReachabilityMap, picture
from ik_node.workspace.goals import read_goals

_TURNS = 24          # of goals whose turn is free
_MOST = 5000         # goals
_SIZE, _HANDLE = 0.03, 0.4  # of the reach: a goal, and the handle of the base
_FAR, _STEP = 1.0, 0.15     # reaches: around the goals base poses are searched, in such steps,
_YAW_STEP = np.pi / 9       # rad: for some seconds, with a hundred poses
_MISSED = 194, 50, 27
_WAITS = 'the dexterity of the workspace is computed first: see Workspace'


class PlacementPanel(Panel):
    """A handle for the base of the arm, and the goals in the colours of their scores from there.

    The scores are those of the map of the workspace's dexterity. The robot does not move.
    """

    def __init__(self, page: Page) -> None:
        super().__init__(page, 'Base placement')
        self._workspace = next(one for one in page.panels if isinstance(one, WorkspacePanel))
        self._handle: Any = None
        self._goals_of_file: np.ndarray | None = None
        self._drawn_for: tuple[object, ...] = ()
        gui = self._gui
        with self._folder:
            self._shown: Any = gui.add_checkbox(
                'drag the base', False, hint='shows a handle for the base, and in colours which '
                'goals are reached from there, by the map of the workspace\'s dexterity')
            gui.add_upload_button(
                'Goals …', hint='a file of goals (.csv, .yaml, .pcd, .ply); without one, goals are '
                'the waypoints of the path').on_upload(lambda event: self._read(event.target.value))
            best = gui.add_button('Best base pose', hint='moves the handle to where most goals '
                                  'are reached, at its height, and shows it')
            self._text = gui.add_html('')
        page.placed.append(self._points)
        best.on_click(lambda event: self._work.give(functools.partial(self._search, event.client)))
        self._shown.on_update(lambda _: self._work.give(self._show))

    def _is_useful(self) -> bool:
        return self._robot_view.chain is not None

    def _refresh(self, visible: bool) -> None:
        state = self._workspace.map, self._page.waypoints, self._goals_of_file
        if self._handle is not None and any(
                one is not other for one, other in zip(state, self._drawn_for)):
            self._work.give(self._draw)

    def _show(self) -> None:
        """Show the handle, or remove it with the scores."""
        chain, handle = self._robot_view.chain, self._handle
        if not self._shown.value or chain is None:
            self._handle = None
            if handle is not None:
                handle.remove()
        elif handle is None:
            position, wxyz = position_wxyz(self._robot_view.pose(chain.base_link))
            self._handle = handle = self._server.scene.add_transform_controls(
                new_name(self._server, f'/{self._robot_view.name}/base'), depth_test=False,
                scale=_HANDLE * self._robot_view.reach, position=position, wxyz=wxyz,
                active_axes=(True, True, False))

            async def on_update(_: Any) -> None:
                self._work.give(self._draw)
            handle.on_update(on_update)
            if self._workspace.map is None:
                self._workspace.choose_dexterity()
        self._draw()

    def _read(self, file: Any) -> None:
        """Read the goals of a file that was uploaded."""
        with errors_shown(self._notify, file.name), tempfile.TemporaryDirectory() as folder:
            path = Path(folder, f'goals{Path(file.name).suffix}')
            path.write_bytes(file.content)
            goals = read_goals(path).turned(_TURNS)
            if len(goals) > _MOST:
                raise InputError(f'{len(goals)} goals, at most {_MOST} are shown')
            self._goals_of_file = goals

    def _scene(self) -> tuple[Any, ReachabilityMap | None, np.ndarray]:
        """Return the handle, the map, and the goals (k, t, 4, 4), m, with alternatives."""
        self._drawn_for = map, waypoints, goals = (
            self._workspace.map, self._page.waypoints, self._goals_of_file)
        return self._handle, map, np.reshape(waypoints, (-1, 1, 4, 4)) if goals is None else goals

    def _points(self) -> list[np.ndarray]:
        """Return the positions (k, 3), m, of the goals and the handle that are shown."""
        handles = [self._handle] if self._handle else []
        return [*(solids.batched_positions for solids in self._drawn),
                *(np.reshape(handle.position, (1, 3)) for handle in handles)]

    def _search(self, client: Any) -> None:
        """Move the handle to the best base pose at its height, and show it in a browser."""
        handle, map, goals = self._scene()
        if handle is None or map is None or not len(goals):
            raise InputError(_WAITS if handle is not None and map is None else
                             'drag the base first, with waypoints or a file of goals')
        points, reach = goals[:, 0, :2, 3], self._robot_view.reach
        (x, y), (u, v) = points.min(axis=0) - _FAR * reach, points.max(axis=0) + _FAR * reach
        self._text.content = html_line('searching base poses …')
        found = map.base_poses(goals, (x, u, y, v, handle.position[2]), _STEP * reach, _YAW_STEP,
                               limit=1)
        if found:
            handle.position, handle.wxyz = position_wxyz(found[0].T_world_base)
        self._draw()
        self._page.camera.fit(client)
        if not found:
            raise InputError('no goal is reached from any base pose at this height')

    def _draw(self) -> None:
        """Draw the goals in the colours of their scores."""
        handle, map, goals = self._scene()
        drawn, text = [], 'no goals yet' if map is not None else _WAITS
        if handle is not None and map is not None and len(goals):
            scores = map.score(inverse(matrix(handle.position, handle.wxyz)) @ goals).max(axis=1)
            met = scores > 0.0
            colors = (255 * picture.figure_colors(scores, 'dexterity')).astype(np.uint8)
            colors[~met] = _MISSED
            drawn = [add_solids(
                self._server, new_name(self._server, f'/{self._robot_view.name}/placement'), BOX,
                goals[:, 0, :3, 3], _SIZE * self._robot_view.reach, colors, cast_shadow=False)]
            text = (f'{int(met.sum())} of {len(met)} goals are reached, mean score '
                    f'{scores.mean():.3f}')
        self._remove_drawn()
        self._drawn, self._text.content = drawn, html_line(text if handle is not None else '')
