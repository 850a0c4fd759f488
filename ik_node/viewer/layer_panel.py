"""Chooses the layers of markers that the page shows, and how fine its meshes are."""

from collections.abc import Sequence
from typing import Any

import viser

from ik_node.viewer.robot_view import RobotView

# By layer, see `marker_scene.layer_of`: its name on the page, whether it is shown at first, a text.
_LAYERS = {
    'trail': ('trail', True, 'where the tip has been'),
    'labels': ('labels', True, 'the outcome of a goal beside it'),
    'branches': ('branches', True, 'every branch of the last goal, after ~/solve_all'),
    'manipulability': ('ellipsoid', False, 'velocities of the tip for joint velocities of norm 1'),
    'limits': ('limits', False, 'each joint between its limits, beside the robot')}


class LayerPanel:
    """A checkbox for each layer, and one for all triangles of the meshes."""

    def __init__(self, server: viser.ViserServer, robot_views: Sequence[RobotView]) -> None:
        """Make the widgets."""
        self._robot_views = robot_views
        self._shown = {}
        for layer, (name, shown, text) in _LAYERS.items():
            self._shown[layer] = server.gui.add_checkbox(name, shown, hint=text)
            self._shown[layer].on_update(lambda _: self._apply())
        self._fine: Any = server.gui.add_checkbox(
            'fine meshes', False, hint='all of their triangles, which are slow to draw without a '
            'graphics card')
        self._fine.on_update(lambda _: self._refine())
        self._apply()

    def _refine(self) -> None:
        for robot_view in self._robot_views:
            robot_view.refine(self._fine.value)

    def _apply(self) -> None:
        hidden = {layer for layer, widget in self._shown.items() if not widget.value}
        for robot_view in self._robot_views:
            robot_view.hide_layers(hidden)
