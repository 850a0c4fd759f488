"""Makes paths, as a list of waypoints, and sends them to the nodes."""

import contextlib
import re
import threading
from typing import Any

import numpy as np
import viser

from ik_node.control.options import JOINT, JUMP
from ik_node.ros.clients.connection import SilentError
from ik_node.spatial import inverse
from ik_node.support.exceptions import InputError
from ik_node.viewer.latest_value import errors_shown
from ik_node.viewer.node_state import ALL_WAYPOINTS
from ik_node.viewer.panel import Page, Panel
from ik_node.viewer.scene_nodes import add_line, new_name, position_wxyz

_MIN_STEP = 0.02  # of the reach, between waypoints that are drawn
_FRAME = 0.06     # of the reach: the axes at a waypoint
_APART = 0.05     # of the reach, between numbers in the scene: nearer ones would overlap
_DRAWN, _MET, _MISSED = (120, 60, 180), (40, 160, 60), (210, 40, 40)
_PLACE = re.compile(r'waypoint (\d+) of (\d+)')
_MOVES = {'Up': -1, 'Down': 1}
_NONE, _REPLACE, _DELETE = '–', 'Replace', 'Delete'


class PathPanel(Panel):
    """A list of waypoints, set one by one or drawn by dragging, and sent to all nodes as a path.

    Where the first node meets a waypoint it turns green; one that it misses, red.
    """

    def __init__(self, page: Page) -> None:
        super().__init__(page, 'Path')
        self._changing = threading.RLock()
        self._frames: list[tuple[Any, Any]] = []  # of the waypoints, with their numbers
        self._count = 0  # of the node's reports that have been looked at
        gui = self._gui
        with self._folder:
            self._draws: Any = gui.add_checkbox(
                'draw while dragging', False, hint='add waypoints instead of sending goals')
            gui.add_button('Set a waypoint', icon=viser.Icon.MAP_PIN).on_click(
                lambda _: self._add())
            gui.add_button(
                'Follow the path', icon=viser.Icon.PLAYER_PLAY, hint='where joints jump, motion is '
                'set to joint first: then they move').on_click(lambda _: self._follow())
            self._chosen: Any = gui.add_dropdown(
                'waypoint', (_NONE,), hint='number and position in the frame of the base')
            self._edits: Any = gui.add_button_group(
                '', (*_MOVES, _REPLACE, _DELETE), hint='moves the waypoint above in the list, '
                'replaces it by the goal, or deletes it')
            self._edits.on_click(lambda _: self._edit(self._edits.value))
            gui.add_button('Clear', icon=viser.Icon.TRASH).on_click(lambda _: self.clear())
            self._parameter(gui.add_slider(
                'speed', 0.05, 1.0, 0.05, 1.0,
                hint='factor of the speed of motions; where joints jump there is none'),
                lambda robot_view: robot_view.parameters.option_name('speed'), 'speed')
        page.handles.sends_goals = lambda: not self.draws
        self.set_waypoints([])

    def _refresh(self, visible: bool) -> None:
        robot_view = self._robot_view
        new = robot_view.count - self._count
        self._count = robot_view.count
        for report in list(robot_view.reports)[-new:] if new > 0 else ():
            found, is_met = _PLACE.search(report.message), report.level == 0
            marked = slice(0, len(self._frames) if is_met and report.message.startswith(
                ALL_WAYPOINTS) else 0)
            if found is not None and int(found[2]) == len(self._frames):
                marked = slice(int(found[1]) - 1, int(found[1]))
            for frame, _ in self._frames[marked]:
                frame.origin_color = _MET if is_met else _MISSED
                frame.origin_radius = (0.1 if is_met else 0.25) * frame.axes_length

    @property
    def draws(self) -> bool:
        """Whether drags add waypoints."""
        return bool(self._draws.value) and self._robot_view.follows_paths

    def draw(self) -> None:
        """Add a waypoint at the handle, if it is far enough from the last."""
        self._add(_MIN_STEP * self._robot_view.reach, 'drawing')

    def _add(self, least: float = 0.0, key: str = '') -> None:
        """Add the pose of the handle, if that is so far from the last waypoint, m."""
        with self._changing:
            T, waypoints = self._page.handle_pose, self._page.waypoints
            if T is not None and not (least and waypoints and np.linalg.norm(
                    T[:3, 3] - waypoints[-1][:3, 3]) <= least):
                self._change([*waypoints, T], len(waypoints), key)

    def _edit(self, what: str) -> None:
        """Move the chosen waypoint in the list, put it at the handle, or delete it."""
        with self._changing:
            k, T, waypoints = self._number, self._page.handle_pose, list(self._page.waypoints)
            if not waypoints:  # another browser has deleted them
                return
            one = waypoints.pop(k)
            if what in _MOVES:
                k = min(max(k + _MOVES[what], 0), len(waypoints))
            if what != _DELETE:
                waypoints.insert(k, T if what == _REPLACE and T is not None else one)
            self._change(waypoints, k)

    def clear(self) -> None:
        """Remove all waypoints."""
        if self._page.waypoints:
            self._change([], 0)

    @property
    def _number(self) -> int:
        return tuple(self._chosen.options).index(self._chosen.value)

    def _change(self, waypoints: list[np.ndarray], number: int, key: str = '') -> None:
        """Have other waypoints, and one of them chosen, as a step of the user's."""
        with self._changing:
            self._page.history.make(
                self.set_waypoints, (self._page.waypoints, self._number), (waypoints, number), key)

    def set_waypoints(self, waypoints: list[np.ndarray], number: int = 0) -> None:
        """Have waypoints (4, 4), m, of the scene in place of those there are, with one chosen."""
        with self._changing, self._server.atomic():
            self._page.waypoints = waypoints
            for frame, _ in self._frames[len(waypoints):]:
                frame.remove()
            del self._frames[len(waypoints):]
            last, apart = np.full(3, np.inf), _APART * self._robot_view.reach
            for k, T in enumerate(waypoints):
                if k == len(self._frames):
                    self._frames.append(self._frame(k + 1))
                frame, label = self._frames[k]
                frame.position, frame.wxyz = position_wxyz(T)
                label.visible = bool(np.linalg.norm(T[:3, 3] - last) > apart)
                last = T[:3, 3] if label.visible else last
            self._unmark()
            self._remove_drawn()
            if len(waypoints) > 1:
                self._drawn = [add_line(
                    self._server, f'{self._robot_view.frame.name}/path/line',
                    np.array([T[:3, 3] for T in waypoints]), _DRAWN, 2.0, thickness_units='screen')]
            T_base_scene = inverse(self._robot_view.target_frame())
            places = [(T_base_scene @ T)[:3, 3].round(3) + 0.0 for T in waypoints]
            names = [f'{k}:  {x:.3f}, {y:.3f}, {z:.3f} m' for k, (x, y, z) in enumerate(places, 1)]
            self._chosen.options = names or (_NONE,)
            if names:
                self._chosen.value = names[min(number, len(names) - 1)]
            self._chosen.visible = self._edits.visible = bool(names)

    def restore(self, waypoints: list[np.ndarray]) -> None:
        """Have the waypoints (4, 4), m, of another scene, whose goals are sent."""
        self._draws.value = False
        self.set_waypoints(waypoints)

    def _frame(self, number: int) -> tuple[Any, Any]:
        size, scene = _FRAME * self._robot_view.reach, self._server.scene
        name = new_name(self._server, f'{self._robot_view.frame.name}/path/{number}')
        frame = scene.add_frame(name, axes_length=size, axes_radius=0.04 * size)
        return frame, scene.add_label(f'{frame.name}/number', str(number), anchor='bottom-left',
                                      font_screen_scale=0.9)

    def _unmark(self) -> None:
        for frame, _ in self._frames:
            frame.origin_color, frame.origin_radius = _DRAWN, 0.1 * frame.axes_length

    def _follow(self) -> None:
        self._unmark()
        with errors_shown(self._notify):
            if not self._page.waypoints:
                raise InputError('the path has no waypoints yet')
            self._robot_view.state.check_goals()
            for robot_view in self._page.robot_views:
                name = robot_view.parameters.option_name('motion')
                if robot_view.parameters.get(name) == JUMP:
                    with contextlib.suppress(SilentError):  # of a robot that can only jump
                        self._page.set_parameters(robot_view, {name: JOINT})
                robot_view.send_path(self._page.waypoints)
