"""The goal and the joint values in numbers: to read, type and drag, and as a command."""

import functools
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import viser

from ik_node import spatial
from ik_node.model.joint_space import JointSpace
from ik_node.model.pose_library import read_poses
from ik_node.support.exceptions import InputError
from ik_node.viewer.draft import ANGLES, LENGTHS, number
from ik_node.viewer.latest_value import errors_shown
from ik_node.viewer.page_text import environment_text, html_command
from ik_node.viewer.panel import Page, Panel

_SHOWN = 1e-5    # m and entries of a rotation matrix: less is not sent to the page
_LENGTHS, _ANGLES, _TURNS = 4, 2, 6  # decimals of m, degrees and entries of quaternions
_LEAST = 1e-4    # m and rad: less is what texts are rounded by
_XYZ, _RPY = ('x', 'y', 'z'), ('roll', 'pitch', 'yaw')
_FREE = 2.0 * np.pi   # rad, or m, to either side for a joint without limits
_SHOWN_VALUE = 1e-5   # rad or m: less is not sent to the page
_ENDS = 3             # decimals of the ends of sliders
_TYPED = 2            # decimals of numbers beside sliders more than of their steps
_ARRIVAL = 2.0        # s that joint values may take from a slider to the robot


class GoalPanel(Panel):
    """Position and angles of the arm's goal in the frame of its base; a command that sends it.

    The angles are roll, pitch and yaw: about the fixed axes x, then y, then z.
    """

    needs = 'node'

    def __init__(self, page: Page, home: Callable[[], None]) -> None:
        """Make the widgets. home: sends the robots to their start poses."""
        super().__init__(page, 'Goal', is_expanded=True)
        self._T = np.full((4, 4), np.inf)  # in the frame of the base, as it is shown
        gui = self._gui
        with self._folder:
            self._only = self._node_widget(
                'position only', gui.add_checkbox('position only', False),
                lambda: page.position_only, page.restrict)
            gui.add_button('Home', hint='go to the start pose',
                           icon=viser.Icon.HOME).on_click(lambda _: home())
            with self._draft_of(self._on_typed).container:
                for name in _XYZ:
                    self._draft.add(name, f'{name}, m', '', 'of the goal, along '
                                    f'{name} of the base link; also 120 mm, 12 cm')
                for name, axis in zip(_RPY, _XYZ):
                    self._draft.add(name, f'{name}, °', '', f'about the fixed {axis} of the '
                                    'base link, in this order; also 0.5 rad')
                self._draft.add_button('Go', 'sends the goal that is typed, as Enter does')
            self._to_tip = gui.add_button('Handle to tip', hint='the goal follows the tip again, '
                                          'until it is dragged', icon=viser.Icon.TARGET)
            self._command: Any = gui.add_html('')
        self._to_tip.on_click(lambda _: page.handles.release())
        page.handles.on_grab = self._draft.discard

    def _refresh(self, visible: bool) -> None:
        T_scene_goal, shown = self._page.handle_pose, self._robot_view.chain is not None
        for widget in (self._only, self._draft.container, self._to_tip, self._command):
            widget.visible = shown
        if T_scene_goal is None or not shown:
            return
        T = spatial.inverse(self._robot_view.target_frame()) @ T_scene_goal
        if np.abs(T - self._T).max() > _SHOWN:
            self._show(T)
        else:  # at rest
            self._command.content = html_command(
                'This command sends the goal from a terminal:', self._command_text(self._T))

    def _show(self, T: np.ndarray) -> None:
        """Show a goal (4, 4), m, in the frame of the base."""
        self._T = T
        angles = np.degrees(spatial.rpy_from_matrix(T[:3, :3]))
        for names, values, digits in ((_XYZ, T[:3, 3], _LENGTHS), (_RPY, angles, _ANGLES)):
            for name, value in zip(names, values):
                self._draft.show(name, _rounded(value, digits))

    def _on_typed(self, typed: Mapping[str, str]) -> None:
        """Send the goal with the numbers that were typed.

        Raises InputError for what is none, and for a part of the pose that the arm does not serve.
        """
        T = self._T.copy()
        if not (np.isfinite(T).all() and self._robot_view.targets):
            return
        T[:3, 3] = [number(name, typed[name], LENGTHS) if name in typed else value
                    for name, value in zip(_XYZ, T[:3, 3])]
        if typed.keys() & set(_RPY):
            T[:3, :3] = spatial.matrix_from_rpy(*(
                number(name, typed[name], ANGLES) if name in typed else float(value)
                for name, value in zip(_RPY, spatial.rpy_from_matrix(T[:3, :3]))))
        R, served = T[:3, :3], self._robot_view.served_axes
        served[3:] |= served[3:].sum() > 1  # it turns a direction: what is left free is its own
        served[3:] &= not self._page.position_only
        left = ~served * np.r_[R.T @ (T - self._T)[:3, 3],
                               spatial.rotation_log(self._T[:3, :3].T @ R)]
        off = *np.abs(R @ left[:3]), *[np.abs(left[3:]).max()] * 3
        wrong = [name for name, one in zip((*_XYZ, *_RPY), off) if one > _LEAST and name in typed]
        if wrong:
            raise InputError(
                f'{", ".join(wrong)} of the goal cannot be set so: the arm does not serve it, or '
                'position only or task_weights leave it free')
        self._show(T)
        T_scene_goal = self._robot_view.target_frame() @ T
        self._page.step(functools.partial(self._page.handles.drag_to, T_scene_goal))

    def _command_text(self, T: np.ndarray) -> str:
        """Return the command that sends a goal (4, 4), m, in the frame of the base."""
        view, only = self._robot_view, self._page.position_only
        x, y, z = (_rounded(value, _LENGTHS) for value in T[:3, 3])
        qx, qy, qz, qw = (_rounded(value, _TURNS)
                          for value in spatial.quaternion_from_matrix(T[:3, :3]))
        point = f'{{x: {x}, y: {y}, z: {z}}}'
        kind, content = ('PointStamped', f'{{point: {point}}}') if only else (
            'PoseStamped', f'{{pose: {{position: {point}, '
            f'orientation: {{x: {qx}, y: {qy}, z: {qz}, w: {qw}}}}}}}')
        return (f'{environment_text()} ros2 topic pub --once '
                f'{view.connection.goal_topic(view.arm, only)} geometry_msgs/{kind} '
                f"'{content}'").strip()


def _rounded(value: float, digits: int) -> str:
    """Return a number with so many decimals, and no sign where it is zero."""
    return f'{round(float(value), digits) + 0.0:.{digits}f}'


class JointPanel(Panel):
    """A slider, with a number, for each joint of the arm or the body; the robot follows them."""

    needs = 'node'

    def __init__(self, page: Page) -> None:
        super().__init__(page, 'Joints')
        self._wanted = self._worker(self._go_to)
        self._sent: tuple[Mapping[str, float], float] = {}, 0.0  # joint values, and when, s
        self._slid: dict[str, float] = {}  # joint values of sliders, until they are sent
        self._sliders: dict[str, Any] = {}
        self._units: dict[str, float] = {}  # in which they are shown, rad or m
        self._others: list[Any] = []
        self._space: JointSpace | None = None

    def stop(self) -> None:
        """Forget the joint values that the user has set and the node was not sent yet."""
        self._wanted.drop()
        self._slid.clear()
        super().stop()

    def _make(self, space: JointSpace | None) -> None:
        for widget in (*self._others, *self._sliders.values()):
            widget.remove()
        self._space, self._sent, self._sliders, self._others = space, ({}, 0.0), {}, []
        if space is None:
            return
        poses = self._read_poses(space)
        self._units = {name: 1.0 if is_prismatic else ANGLES['°'] for name, is_prismatic in zip(
            space.joint_names, space.prismatic)}
        with self._folder:
            if poses:
                names = self._gui.add_dropdown('pose', list(poses))
                button = self._gui.add_button('Go to the pose')
                button.on_click(lambda _: self._wanted.give(poses[str(names.value)]))
                self._others = [names, button]
            for name, lower, upper in zip(space.joint_names, np.maximum(space.lower, -_FREE),
                                          np.minimum(space.upper, _FREE)):
                symbol, unit = 'm' if self._units[name] == 1.0 else '°', self._units[name]
                low, high = round(float(lower / unit), _ENDS), round(float(upper / unit), _ENDS)
                digits = int(np.floor(np.log10(max(high - low, 1e-6) / 1000.0)))
                slider = self._gui.add_slider(
                    f'{name}, {symbol}', low, high, 10.0 ** digits, float(np.clip(0.0, low, high)),
                    hint='drag it, or type a value beside it; also '
                    f'{"12 cm" if symbol == "m" else "0.5 rad"}')
                slider.precision = max(0, _TYPED - digits)
                self._follow(slider, name, space)
                self._sliders[name] = slider

    def _follow(self, slider: Any, name: str, space: JointSpace) -> None:
        async def on_update(event: Any) -> None:  # asynchronous: the value is read at once
            if event.client is not None:  # set by the user, not by `_refresh`
                self._slide(name, space, slider.value)
        slider.on_update(on_update)

    def _slide(self, name: str, space: JointSpace, value: float) -> None:
        """Move a joint to the value of its slider, inside its limits, with others under way."""
        k = space.joint_names.index(name)
        self._slid[name] = float(np.clip(value * self._units[name], space.lower[k], space.upper[k]))
        self._wanted.give(self._slid.copy())

    def _read_poses(self, space: JointSpace) -> dict[str, dict[str, float]]:
        """Return the named poses that have joints of the arm, or of the body."""
        file, tree = self._robot_view.parameters.get('poses'), self._robot_view.tree
        poses: Mapping[str, Mapping[str, float]] = {}
        with errors_shown(self._notify):
            poses = read_poses(file, tree) if file and tree is not None else {}
        own = {name: {joint: value for joint, value in pose.items() if joint in space.joint_names}
               for name, pose in poses.items()}
        return {name: pose for name, pose in own.items() if pose}

    def _refresh(self, visible: bool) -> None:
        space = self._robot_view.space
        if space is not self._space:
            self._make(space)
        if (space is None or self._wanted.busy or self._robot_view.parameters.switching
                or not self._has_arrived()):
            return
        for name, slider in self._sliders.items():
            value, unit = self._robot_view.values.get(name), self._units[name]
            if value is not None and abs(value - slider.value * unit) > _SHOWN_VALUE:
                slider.value = float(np.clip(value / unit, slider.min, slider.max))

    def _has_arrived(self) -> bool:
        """Return whether the robot is where sliders have sent it, or should be by now.

        Its values from before would set the sliders back under the user's hand.
        """
        wanted, since = self._sent
        if time.monotonic() > since + _ARRIVAL or all(
                abs(self._robot_view.values.get(name, np.inf) - value) <= _SHOWN_VALUE
                for name, value in wanted.items()):
            self._sent = {}, 0.0
        return not self._sent[0]

    def _go_to(self, values: Mapping[str, float]) -> None:
        for name, value in values.items():
            if self._slid.get(name) == value:  # not moved again meanwhile
                del self._slid[name]
        self._page.step(functools.partial(self._send, values), 'joints')

    def _send(self, values: Mapping[str, float]) -> None:
        self._page.release()
        self._robot_view.go_to(values)
        self._sent = values, time.monotonic()
