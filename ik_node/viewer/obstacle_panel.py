"""Obstacles that the robots keep away from: made, sized, dragged and deleted on the page."""

import threading
from collections.abc import Mapping
from typing import Any

import numpy as np
from visualization_msgs.msg import Marker

from ik_node.support.bounds import MAX_NUMBER
from ik_node.support.exceptions import InputError
from ik_node.viewer.draft import LENGTHS, number
from ik_node.viewer.latest_value import errors_shown
from ik_node.viewer.panel import Page, Panel
from ik_node.viewer.robot_view import RobotView
from ik_node.viewer.saved_scene import SIZES, MadeObstacle
from ik_node.viewer.scene_nodes import matrix, new_name, position_wxyz

_HANDLE = 0.16           # of the reach
_AT = 0.5, 0.0           # of the reach: where new ones are on the floor
_SNAPS = 0.03            # of the reach: from the floor, where one that is dragged is put on it
_APART = 0.35            # of the reach: from one to the next
_SIZE = 0.12             # of the reach: their sizes
_NONE = '-'
_PLACE = 'x', 'y', 'z'   # of its middle, beside its sizes
_NEAR = 1e-6             # m: it is on the floor
Obstacles = Mapping[int, MadeObstacle]


class ObstaclePanel(Panel):
    """The obstacles of this page; the nodes get them by ~/obstacles, and draw them as markers."""

    needs = 'node'

    def __init__(self, page: Page) -> None:
        super().__init__(page, 'Obstacles', is_expanded=True)
        self._lock = threading.RLock()
        self.obstacles: Obstacles = {}  # by number
        page.placed.append(lambda: [one.corners() for one in self.obstacles.values()])
        self._last = 0  # number
        self._handles: dict[int, Any] = {}
        self._grabbed: Obstacles | None = None  # those before a drag
        self._sent: dict[RobotView, tuple[int, Obstacles]] = {}  # with the restarts before
        gui = self._gui
        with self._folder:
            self._parameter(gui.add_checkbox(
                'avoid collisions', False, hint='whether solutions keep away from the robot itself '
                'and from obstacles: the option avoid_collisions of the solver'),
                lambda robot_view: f'{robot_view.parameters.option("solver")}.avoid_collisions')
            kinds: Any = gui.add_button_group('add', tuple(SIZES))
            kinds.on_click(lambda _: self._add(kinds.value))
            self._chosen: Any = gui.add_dropdown('obstacle', (_NONE,))
            self._chosen.on_update(lambda _: self._show_numbers())
            with self._draft_of(self._on_typed).container:
                self._fields = [self._draft.add(str(k), '', '', 'also 120 mm, 12 cm')
                                for k in range(6)]
            buttons: Any = gui.add_button_group('delete', ('this one', 'all'))
            buttons.on_click(lambda _: self._delete(buttons.value))
        self._show_numbers()

    def _refresh(self, visible: bool) -> None:
        if any(self._sent.get(view, (0, {}))[0] != view.restarts
               for view in self._page.robot_views) and not self.busy:
            self._work.give(self._send)

    @property
    def busy(self) -> bool:
        """Whether obstacles are still to be sent."""
        return self._work.busy

    def set_obstacles(self, obstacles: Obstacles) -> None:
        """Have these obstacles in place of those there are."""
        with self._lock:
            self.obstacles = dict(obstacles)
            for gone in self._handles.keys() - obstacles.keys():
                self._handles.pop(gone).remove()
            for key, one in obstacles.items():
                if key not in self._handles:
                    self._handles[key] = self._handle(key, one)
                handle = self._handles[key]
                if not np.array_equal(matrix(handle.position, handle.wxyz), one.T):
                    handle.position, handle.wxyz = position_wxyz(one.T)
            self._last = max([self._last, *obstacles])
            names = tuple(map(self._name, obstacles)) or (_NONE,)
            if tuple(self._chosen.options) != names:
                self._chosen.options = names
            self._show_numbers()
        self._work.give(self._send)

    def _change(self, obstacles: Obstacles, before: Obstacles | None = None) -> None:
        """Have other obstacles, as a step of the user's."""
        before = self.obstacles if before is None else before
        self._page.history.make(self.set_obstacles, (before,), (obstacles,))

    def _name(self, key: int) -> str:
        return f'{self.obstacles[key].kind} {key}'

    def _add(self, kind: str) -> None:
        reach, T = self._robot_view.reach, np.eye(4)
        if kind != 'ground':  # beside those that were made before
            count = len(self.obstacles)
            T[:2, 3] = reach * np.array(_AT)
            T[1, 3] += reach * _APART * (count + 1 >> 1) * (-1) ** count
        sizes = tuple(float(f'{_SIZE * reach:.2g}') for _ in SIZES[kind])
        one = MadeObstacle(kind, sizes, T)
        with self._lock:
            key = self._last + 1
            self._change({**self.obstacles, key: self._lowered(one, self._height(one))})
            self._chosen.value = self._name(key)

    def _delete(self, what: str) -> None:
        key = self._key
        if what == 'all':
            for view in self._page.robot_views:  # those of other clients, and earlier pages, too
                with errors_shown(self._notify):
                    view.connection.send_obstacles([Marker(action=Marker.DELETEALL)])
            self._change({})
        elif key is not None:
            self._change({other: one for other, one in self.obstacles.items() if other != key})

    @property
    def _key(self) -> int | None:
        return next((key for key in self.obstacles if self._name(key) == self._chosen.value), None)

    def _height(self, one: MadeObstacle) -> float:
        """Return how far an obstacle is above the floor, m."""
        return float(one.corners()[:, 2].min()) - self._page.ground_height

    @staticmethod
    def _lowered(one: MadeObstacle, by: float) -> MadeObstacle:
        T = one.T.copy()
        T[2, 3] -= by
        return one._replace(T=T)

    def _show_numbers(self) -> None:
        key = self._key
        one = None if key is None else self.obstacles[key]
        names = () if one is None else (*SIZES[one.kind], *_PLACE)
        values = () if one is None else (*one.sizes, *one.T[:3, 3])
        for k, field in enumerate(self._fields):
            field.visible = k < len(names)
            if field.visible:
                field.label = f'{names[k]}, m'
                self._draft.show(str(k), f'{round(values[k], 5) + 0.0:g}')

    def _on_typed(self, typed: Mapping[str, str]) -> None:
        key = self._key
        if key is None:
            return
        one = self.obstacles[key]
        names, count, T = (*SIZES[one.kind], *_PLACE), len(one.sizes), one.T.copy()
        values = [*one.sizes, *T[:3, 3].tolist()]
        for k, text in sorted((int(field), text) for field, text in typed.items()):
            values[k], least = number(names[k], text, LENGTHS), 0.0 if k < count else -MAX_NUMBER
            if not least < values[k] <= MAX_NUMBER:
                raise InputError(f'{names[k]} must be above {least:g} m and at most '
                                 f'{MAX_NUMBER:g} m, not {values[k]:g}')
        T[:3, 3] = values[count:]
        resized = one._replace(sizes=tuple(values[:count]), T=T)
        if count and 'z' not in [names[int(k)] for k in typed] and (
                abs(height := self._height(one)) < _NEAR):  # it stays on the floor
            resized = self._lowered(resized, self._height(resized) - height)
        self._change({**self.obstacles, key: resized})

    def _handle(self, key: int, one: MadeObstacle) -> Any:
        position, wxyz = position_wxyz(one.T)
        scale = _HANDLE * self._robot_view.reach
        name = new_name(self._server, f'{self._robot_view.frame.name}/obstacles/{key}')
        handle = self._server.scene.add_transform_controls(
            name, scale=scale, position=position, wxyz=wxyz, depth_test=False)
        self._server.scene.add_label(f'{handle.name}/label', self._name(key), anchor='top-center',
                                     position=(0.0, 0.0, -0.2 * scale), font_screen_scale=0.9)

        async def on_update(event: Any) -> None:
            self._on_drag(key, matrix(handle.position, handle.wxyz), event.phase == 'end')
        handle.on_update(on_update)
        return handle

    def _on_drag(self, key: int, T: np.ndarray, ends: bool) -> None:
        with self._lock:
            if key not in self.obstacles:  # deleted in another browser
                return
            if self._grabbed is None:
                self._grabbed = self.obstacles
                self._chosen.value = self._name(key)
            one = self.obstacles[key]._replace(T=T)
            if ends and abs(height := self._height(one)) < _SNAPS * self._robot_view.reach:
                one = self._lowered(one, height)
            self.obstacles = {**self.obstacles, key: one}
            if ends:
                before, self._grabbed = self._grabbed, None
                self._change(self.obstacles, before)
        self._work.give(self._send)

    def _send(self) -> None:
        """Send the nodes what has changed, all where one has restarted."""
        for view in self._page.robot_views:
            restarts, now = view.restarts, self.obstacles
            restarts_before, before = self._sent.get(view, (restarts, {}))
            before = before if restarts == restarts_before else {}
            markers = [one.marker(key) for key, one in now.items() if before.get(key) is not one]
            markers += [one.marker(key, Marker.DELETE) for key, one in before.items()
                        if key not in now]
            if markers:
                view.connection.send_obstacles(markers)
                self._page.obstacle_changes += 1
            self._sent[view] = restarts, now
