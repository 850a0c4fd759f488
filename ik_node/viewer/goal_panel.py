"""The goal in numbers: to read, to type and to send from a terminal."""

from collections.abc import Callable
from typing import Any

import numpy as np
import viser

from ik_node.spatial import inverse, matrix_from_rpy, quaternion_from_matrix, rpy_from_matrix
from ik_node.viewer.robot_view import RobotView
from ik_node.viewer.targets import Target

_SHOWN = 1e-5    # m and entries of a rotation matrix: less is not sent to the page
_LENGTHS, _ANGLES = 4, 6  # decimals of m and rad
_UNITS = {'degrees': np.degrees(1.0), 'radians': 1.0}


class GoalPanel:
    """Position and angles of the arm's goal in the frame of its base, and a command that sends it.

    The angles are roll, pitch and yaw: about the fixed axes x, then y, then z.
    """

    def __init__(self, server: viser.ViserServer, robot_view: RobotView,
                 where: Callable[[], np.ndarray | None], drag_to: Callable[[np.ndarray], object],
                 release: Callable[[], None]) -> None:
        """Make the widgets.

        where: returns the pose (4, 4), m, of the handle in the scene, None without one. drag_to:
        moves it there as if the user had dragged it. release: moves it to the tip.
        """
        self._robot_view, self._where, self._drag_to = robot_view, where, drag_to
        self._T = np.full((4, 4), np.inf)  # in the frame of the base, as it is shown
        gui = server.gui
        self._xyz: Any = gui.add_vector3('x, y, z (m)', (0.0, 0.0, 0.0), step=0.001,
                                         hint='position of the goal in the frame of the base link')
        self._rpy: Any = gui.add_vector3('roll, pitch, yaw', (0.0, 0.0, 0.0), step=0.001,
                                         hint='rotations about the fixed axes x, then y, then z')
        self._unit: Any = gui.add_dropdown('angles in', tuple(_UNITS))
        self._to_tip = gui.add_button('Handle to tip', hint='the goal follows the tip again, '
                                      'until it is dragged')
        self._command: Any = gui.add_text('command', '', multiline=True,
                                          hint='sends this goal from a terminal')
        self._xyz.on_update(self._typed)
        self._rpy.on_update(self._typed)
        self._unit.on_update(lambda _: self._show_angles())
        self._to_tip.on_click(lambda _: release())

    def update(self) -> None:
        """Show where the goal is."""
        T_scene_goal, shown = self._where(), self._robot_view.chain is not None
        for widget in (self._xyz, self._rpy, self._unit, self._to_tip, self._command):
            if widget.visible != shown:
                widget.visible = shown
        if T_scene_goal is None or not shown:
            return
        T = inverse(self._robot_view.target_frame(Target())) @ T_scene_goal
        if np.abs(T - self._T).max() > _SHOWN:
            self._T = T
            self._xyz.value = tuple(np.round(T[:3, 3], _LENGTHS) + 0.0)
            self._show_angles()
            self._command.value = self._command_text(T)

    def _show_angles(self) -> None:
        if np.isfinite(self._T).all():
            unit = _UNITS[self._unit.value]
            self._rpy.value = tuple(np.round(
                unit * np.array(rpy_from_matrix(self._T[:3, :3])), _LENGTHS) + 0.0)

    def _typed(self, event: Any) -> None:
        if event.client is None or not np.isfinite(self._T).all():
            return  # set by `update`, not by the user
        T, typed = self._T.copy(), np.array(self._xyz.value)
        # What was not typed keeps the decimals that are not shown.
        T[:3, 3] = np.where(typed == np.round(T[:3, 3], _LENGTHS), T[:3, 3], typed)
        if event.target is self._rpy:
            T[:3, :3] = matrix_from_rpy(*(np.array(self._rpy.value) / _UNITS[self._unit.value]))
        self._T = T
        self._command.value = self._command_text(T)
        self._drag_to(self._robot_view.target_frame(Target()) @ T)

    def _command_text(self, T: np.ndarray) -> str:
        """Return the command that sends a goal (4, 4), m, in the frame of the base."""
        x, y, z = (f'{value:.{_LENGTHS}f}' for value in T[:3, 3] + 0.0)
        qx, qy, qz, qw = (f'{value:.{_ANGLES}f}' for value in quaternion_from_matrix(T[:3, :3]))
        return (f'ros2 topic pub --once {self._robot_view.goal_topic} geometry_msgs/PoseStamped '
                f"'{{pose: {{position: {{x: {x}, y: {y}, z: {z}}}, "
                f"orientation: {{x: {qx}, y: {qy}, z: {qz}, w: {qw}}}}}}}'")
