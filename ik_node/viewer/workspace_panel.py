"""Shows the workspace of the arm in the scene: whole, or cut open."""

import functools
import threading
from typing import Any

import numpy as np

from ik_node.model.chain import Chain
from ik_node.support.exceptions import IkError
from ik_node.viewer.panel import Page, Panel
from ik_node.viewer.scene_nodes import (
    BOX,
    add_solids,
    box_corners,
    matrix,
    new_name,
    position_wxyz,
    rgb_bytes,
)
from ik_node.workspace import ReachabilityMap, picture
from ik_node.workspace.analysis import Workspace, analyse_workspace

_HIDDEN, _DEXTERITY = 'not shown', 'dexterity'
_FIGURES = (_HIDDEN, 'reachable', 'manipulability', 'conditioning', _DEXTERITY)
_UNITS = {'manipulability': ' (m, rad)', _DEXTERITY: ' of all orientations'}
_ORIENTATIONS = 24   # tried at each centre, for dexterity
_AXES = {'nothing': None, 'x': 0, 'y': 1, 'z': 2}
_FIRST_CUT = 'x'     # the camera is on the positive side of x
_STEPS = 200         # of the slider that cuts


class _CancelledError(Exception):
    """Another figure was chosen, or none, while one was computed."""


class WorkspacePanel(Panel):
    """The voxels that the tip reaches, in the colours of a figure, cut by a plane if wanted."""

    def __init__(self, page: Page) -> None:
        super().__init__(page, 'Workspace')
        self._chain: Chain | None = None
        self._workspace: Workspace | None = None
        self._drawing = threading.Lock()  # choices come in other threads than results
        gui = self._gui
        with self._folder:
            self._choice: Any = gui.add_dropdown('workspace', _FIGURES)
            self._stage = gui.add_markdown('', visible=False)
            self._progress: Any = gui.add_progress_bar(0.0, visible=False)
            self._cancel = gui.add_button('Cancel', visible=False)
            self._legend = gui.add_html('')
            self._cut: Any = gui.add_dropdown(
                'cut away', tuple(_AXES), initial_value=_FIRST_CUT, hint='hides what lies beyond a '
                'plane across this axis of the base frame')
            self._slice: Any = gui.add_checkbox('only a slice', False, hint='one layer of voxels')
            self._place: Any = gui.add_slider('beyond, m', -1.0, 1.0, 0.01, 0.0)
            self._opacity: Any = gui.add_slider('opacity', 0.1, 1.0, 0.05, 1.0)
        page.placed.append(self._corners)
        self._choice.on_update(lambda _: self._work.give(functools.partial(
            self._show, str(self._choice.value))))
        self._cancel.on_click(lambda _: self._hide())
        for widget in (self._cut, self._slice, self._place, self._opacity):
            widget.on_update(lambda _: self._draw())

    def _is_useful(self) -> bool:
        return self._robot_view.chain is not None

    def _refresh(self, visible: bool) -> None:
        chain = self._robot_view.chain
        if chain is not self._chain:
            with self._drawing:
                self._chain, self._workspace = chain, None
                self._remove_drawn()
            self._hide()

    @property
    def map(self) -> ReachabilityMap | None:
        """The map of the arm; None before the dexterity has been computed."""
        workspace = self._workspace
        return None if workspace is None else workspace.map

    def choose_dexterity(self) -> None:
        """Compute the dexterity, and show it."""
        self._choice.value = _DEXTERITY

    def close(self) -> None:
        """End the computation and its thread."""
        self._chain = None
        super().close()

    def _hide(self) -> None:
        """Show nothing, and end the computation."""
        self._choice.value = _HIDDEN

    def _show(self, figure: str) -> None:
        chain = self._chain
        if figure != _HIDDEN and not self._has(figure) and chain is not None:
            try:
                self._compute(chain, figure)
            except _CancelledError:
                return
            except IkError:
                self._hide()
                raise
        self._draw()

    def _has(self, figure: str) -> bool:
        return self._workspace is not None and (
            figure != _DEXTERITY or self._workspace.dexterity is not None)

    def _compute(self, chain: Chain, figure: str) -> None:
        def report(done: float, stage: str) -> None:
            if self._chain is not chain or self._choice.value != figure:
                raise _CancelledError
            self._progress.value = 100.0 * done
            self._stage.content = f'{stage}: {100.0 * done:.0f} %'
        self._show_progress(True)
        file = str(self._robot_view.parameters.get('reachability_map') or '')
        try:
            map = ReachabilityMap.load(file, chain) if file and figure == _DEXTERITY else None
            workspace = analyse_workspace(
                chain, dexterity=_ORIENTATIONS if figure == _DEXTERITY else 0, map=map,
                progress=report)
            report(1.0, '')
        finally:
            self._show_progress(False)
        self._workspace = workspace
        lower = workspace.voxels.origin
        upper = lower + workspace.voxels.edge * np.array(workspace.voxels.shape)
        self._place.min, self._place.max = float(lower.min()), float(upper.max())
        self._place.step = float((upper - lower).max() / _STEPS)
        if min(workspace.voxels.shape) == 1:  # a plane has no inside
            self._cut.value = 'nothing'

    def _show_progress(self, shown: bool) -> None:
        self._stage.visible = self._progress.visible = self._cancel.visible = shown

    def _draw(self) -> None:
        """Draw the voxels that can be seen: those inside are hidden by the others."""
        with self._drawing:
            figure, chain, workspace = str(self._choice.value), self._chain, self._workspace
            axis = _AXES[str(self._cut.value)]
            self._place.visible = self._slice.visible = axis is not None
            if figure == _HIDDEN or not (chain and workspace and self._has(figure)):
                self._remove_drawn()
                self._legend.content = ''
                return
            values, centres = workspace.values(figure), workspace.centres
            kept = np.ones(len(centres), bool) if axis is None else (
                centres[:, axis] <= float(self._place.value))
            if axis is not None and self._slice.value and kept.any():
                kept &= centres[:, axis] > centres[kept, axis].max() - 0.5 * workspace.voxels.edge
            kept[kept] = workspace.voxels.surface(workspace.numbers[kept])
            self._legend.content = _legend(workspace, figure)
            colors = (255 * picture.figure_colors(values, figure)[kept]).astype(np.uint8)
            position, wxyz = position_wxyz(self._robot_view.pose(chain.base_link))
            voxels = [add_solids(
                self._server, new_name(self._server, f'/{self._robot_view.name}/workspace'), BOX,
                centres[kept], workspace.voxels.edge, colors, opacity=float(self._opacity.value),
                cast_shadow=False, receive_shadow=False, position=position, wxyz=wxyz,
                )] if kept.any() else []
            self._remove_drawn()
            self._drawn = voxels

    def _corners(self) -> list[np.ndarray]:
        """Return the corners (8, 3), m, of a box around the voxels, if they are drawn."""
        return [box_corners(voxels.batched_positions.min(axis=0),
                            voxels.batched_positions.max(axis=0))
                @ (T := matrix(voxels.position, voxels.wxyz))[:3, :3].T + T[:3, 3]
                for voxels in list(self._drawn)]


def _legend(workspace: Workspace, figure: str) -> str:
    """Return the meaning of the colours, and the main figures of the workspace, as HTML."""
    main = workspace.describe().split('\n')[0]
    if figure == 'reachable':
        scale = ''.join(
            f'<span style="color:rgb{rgb_bytes(color)}">■</span> {text}&ensp;' for color, text in (
                (picture.REACHABLE, 'centre reachable'), (picture.PARTLY_REACHABLE, 'a part')))
    else:
        ramp = ', '.join(f'rgb{rgb_bytes(color)}' for color in picture.figure_colors(
            np.linspace(0.0, 1.0, 9), 'dexterity'))
        most = picture.largest(workspace.values(figure), figure)
        scale = (f'<div style="height:0.7em;background:linear-gradient(to right, {ramp})"></div>'
                 f'<div style="display:flex;justify-content:space-between"><span>0</span>'
                 f'<span>{figure}</span><span>{most:.3g}{_UNITS.get(figure, "")}</span></div>')
    return f'<div style="margin:0.3em 3%;font-size:0.8em">{scale}<div>{main}</div></div>'
