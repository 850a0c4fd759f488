"""Shows the workspace of the arm in the scene."""

from collections.abc import Callable
from typing import Any

import numpy as np
import viser

from ik_node.exceptions import IkError
from ik_node.viewer.newest import Newest
from ik_node.viewer.robot_view import RobotView
from ik_node.viewer.scene_names import new_name
from ik_node.workspace.analysis import analyse_workspace
from ik_node.workspace.colors import figure_colors

_HIDDEN = 'not shown'
_FIGURES = (_HIDDEN, 'reachable', 'manipulability', 'conditioning')


class WorkspacePanel:
    """The workspace as a cloud of points in the colours of a figure."""

    def __init__(self, server: viser.ViserServer, robot_view: RobotView,
                 notify: Callable[[str], None]) -> None:
        """Make the widget. notify: called with messages."""
        self._server, self._robot_view, self._notify = server, robot_view, notify
        self._chain = robot_view.chain
        self._cloud: Any = None
        self._wanted: Newest[str] = Newest(self._show)
        self._choice = server.gui.add_dropdown('workspace', _FIGURES)
        self._choice.on_update(lambda _: self._wanted.give(str(self._choice.value)))

    @property
    def is_outdated(self) -> bool:
        """Whether the arm is another one now."""
        return self._robot_view.chain is not self._chain

    def close(self) -> None:
        """Remove the widget and the cloud."""
        self._wanted.close()
        self._choice.remove()
        self._clear()

    def _clear(self) -> None:
        if self._cloud is not None:
            self._cloud.remove()
            self._cloud = None

    def _show(self, figure: str) -> None:
        robot_view, chain = self._robot_view, self._chain
        self._clear()
        if figure == _HIDDEN or chain is None:
            return
        self._notify('Computing the workspace …')
        try:
            workspace = analyse_workspace(chain)
            colors = figure_colors(workspace.values(figure), figure)
        except IkError as error:
            self._notify(str(error))
            return
        if self._choice.value != figure or self.is_outdated:
            return  # another one has been chosen meanwhile
        T = robot_view.pose(chain.base_link)
        points = workspace.centres @ T[:3, :3].T + T[:3, 3]
        self._cloud = self._server.scene.add_point_cloud(
            new_name(self._server, f'/{robot_view.name}/workspace'), points,
            (255 * colors).astype(np.uint8), point_size=0.25 * workspace.voxels.edge,
            point_shape='circle')
