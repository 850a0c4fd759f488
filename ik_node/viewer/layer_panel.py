"""Chooses the layers of markers that the page shows, and how fine its meshes are."""

from ik_node.viewer.panel import Page, Panel

# By layer, see `marker_scene.layer_of`: its name on the page, whether it is shown at first, a text.
_LAYERS = {
    'trail': ('trail', True, 'where the tip has been'),
    'labels': ('labels', True, 'the outcome of a goal beside it'),
    'branches': ('branches', True, 'every branch of the last goal, after ~/solve_all'),
    'manipulability': ('ellipsoid', False, 'velocities of the tip for joint velocities of norm 1'),
    'limits': ('limits', False, 'each joint between its limits, beside the robot')}


class LayerPanel(Panel):
    """A checkbox for each layer, and one for all triangles of the meshes."""

    needs = 'page'

    def __init__(self, page: Page) -> None:
        """Make the widgets."""
        super().__init__(page, 'Layers')
        with self._folder:
            self._shown = {layer: self._gui.add_checkbox(name, shown, hint=text)
                           for layer, (name, shown, text) in _LAYERS.items()}
            self._fine = self._gui.add_checkbox(
                'fine meshes', False, hint='all of their triangles, which are slow to draw without '
                'a graphics card')
        for widget in (*self._shown.values(), self._fine):
            widget.on_update(lambda _: self._apply())
        self._apply()

    def _apply(self) -> None:
        hidden = {layer for layer, widget in self._shown.items() if not widget.value}
        for robot_view in self._page.robot_views:
            robot_view.markers.hidden = frozenset(hidden)
            robot_view.is_fine = bool(self._fine.value)
