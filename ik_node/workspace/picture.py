"""Pictures and colours of a workspace: one view of a planar arm, sections of any other."""

import math
from collections.abc import Mapping
from os import PathLike
from textwrap import wrap
from typing import Any

import numpy as np

from ik_node.model.chain import Chain
from ik_node.spatial import inverse
from ik_node.workspace.analysis import Workspace

NAMES = 'xyz'
TITLES = {'reachable': 'reachable workspace', 'manipulability': 'best manipulability √det(J Jᵀ)',
          'conditioning': 'best conditioning σmin/σmax', 'dexterity': 'dexterity'}

_WHOLE, _PARTLY, _SHADOW, _INK = '#2f6fb0', '#a9c9e8', '#ececec', '#333333'
# viridis at 0, 1/8 … 1 (Smith & van der Walt, matplotlib), interpolated linearly.
_VIRIDIS = np.array([
    (0.267, 0.005, 0.329), (0.283, 0.141, 0.458), (0.230, 0.322, 0.546), (0.173, 0.449, 0.558),
    (0.128, 0.567, 0.551), (0.158, 0.684, 0.502), (0.369, 0.789, 0.383), (0.678, 0.864, 0.190),
    (0.993, 0.906, 0.144)])
PARTLY_REACHABLE, REACHABLE = (0.66, 0.79, 0.91), (0.18, 0.44, 0.69)
"""The colours of voxels in "reachable"."""
_MARGIN = 0.06                # of the size, around what is drawn
_TEXT_WIDTH = 76              # characters, of a view


def draw_workspace(workspace: Workspace, figure: str, file: str | PathLike[str],
                   heights: int = 0) -> None:
    """Save a picture of one of `FIGURES` as PNG.

    The arm is drawn at its neutral configuration. A section is the layer of voxels that holds the
    centre of the reach; reachable voxels before or behind it are grey. heights: how many sections
    at different z are drawn in place of those across each axis. Raises InputError as
    `Workspace.values`, ImportError where matplotlib is missing, and OSError where the file cannot
    be written.
    """
    from matplotlib.figure import Figure

    values, voxels = workspace.grid(figure), workspace.voxels
    centre = (workspace.reach_centre - voxels.origin) / voxels.edge
    middle = np.clip(centre, 0, np.array(voxels.shape) - 1).astype(int)
    views = [(axis, int(middle[axis])) for axis in (1, 0, 2)]
    if voxels.dimension < 3:
        views = [(int(np.flatnonzero(voxels.fixed_axes)[-1]), 0)]
    elif heights:
        z = np.flatnonzero(np.isfinite(values).any(axis=(0, 1))) if len(workspace.numbers) else [0]
        views = [(2, int(layer)) for layer in np.linspace(z[0], z[-1], heights + 2)[1:-1]]
    columns = min(len(views), 3)
    rows = math.ceil(len(views) / columns)
    sheet = Figure(figsize=(3.0 + 5.2 * columns, (7.6 - 0.6 * columns) * rows + 1.0), dpi=130,
                   layout='constrained')
    panels = sheet.subplots(rows, columns, squeeze=False)
    for panel, (across, layer) in zip(panels.flat, views):
        drawn = _draw_section(panel, workspace, values, across, layer, figure)
    sheet.suptitle('\n'.join([f'{workspace.chain.tree.name}: {TITLES[figure]}', *(
        part for line in workspace.describe().splitlines()
        for part in wrap(line, _TEXT_WIDTH * columns))]), color=_INK)
    sheet.legend(handles=_legend(workspace, figure), loc='outside lower center', ncols=2,
                 frameon=False)
    if figure != 'reachable':
        sheet.colorbar(drawn, ax=panels, shrink=0.85, label=_label(workspace, figure))
    sheet.savefig(file, format='png')


def _draw_section(panel: Any, workspace: Workspace, values: np.ndarray, across: int,
                  layer: int, figure: str) -> Any:
    """Draw a layer, seen along the axis `across`."""
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Circle
    voxels, centre = workspace.voxels, workspace.reach_centre
    u, v = (axis for axis in range(3) if axis != across)
    lower = voxels.origin[[u, v]]
    upper = lower + voxels.edge * np.array(voxels.shape)[[u, v]]
    box = {'extent': (lower[0], upper[0], lower[1], upper[1]), 'origin': 'lower',
           'interpolation': 'nearest'}
    shadow = np.isfinite(values).any(axis=across)
    panel.imshow(np.where(shadow, 1.0, np.nan).T, cmap=ListedColormap([_SHADOW]), **box)
    if figure == 'reachable':
        scale = {'cmap': ListedColormap([_PARTLY, _WHOLE]), 'vmin': 0.5, 'vmax': 1.0}
    else:
        scale = {'cmap': 'viridis', 'vmin': 0.0, 'vmax': largest(workspace.values(figure), figure)}
    drawn = panel.imshow(values.take(layer, axis=across).T, **scale, **box)
    for radius in workspace.reach:
        panel.add_patch(Circle((centre[u], centre[v]), radius, fill=False, ls='--', lw=1.0,
                               color=_INK))
    chain = workspace.chain
    bones = link_origins(chain, dict(zip(chain.joint_names, chain.neutral())))
    panel.plot(*bones[:, [u, v]].T, color='tab:red', lw=2.4, marker='o', ms=4.5,
               mec='white', mew=0.7, solid_capstyle='round')
    ends = np.vstack([bones[:, [u, v]], *(lower + voxels.edge * (np.argwhere(shadow) + corner)
                                          for corner in (0, 1))])
    low, high = ends.min(axis=0), ends.max(axis=0)
    margin = _MARGIN * float((high - low).max())
    panel.set(xlim=(low[0] - margin, high[0] + margin), ylim=(low[1] - margin, high[1] + margin),
              xlabel=f'{NAMES[u]} [m]', ylabel=f'{NAMES[v]} [m]', aspect='equal')
    if not voxels.fixed_axes[across]:
        at = voxels.origin[across] + voxels.edge * (layer + 0.5)
        panel.set_title(f'section at {NAMES[across]} = {at + 0.0:.3g} m', fontsize=11, color=_INK)
    panel.grid(visible=True, alpha=0.25, lw=0.6)
    panel.set_axisbelow(False)
    return drawn


def _legend(workspace: Workspace, figure: str) -> list[Any]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch
    handles: list[Any] = []
    if figure == 'reachable':
        handles = [Patch(color=_WHOLE, label='centre of the voxel reachable'),
                   Patch(color=_PARTLY, label='a part of the voxel reachable')]
    if workspace.voxels.dimension == 3:
        handles.append(Patch(color=_SHADOW, label='reachable before or behind the section'))
    nearest, farthest = workspace.reach
    return [*handles,
            Line2D([], [], ls='--', lw=1.0, color=_INK,
                   label=f'reach: {nearest:.3f} m and {farthest:.3f} m'),
            Line2D([], [], color='tab:red', lw=2.4, marker='o', ms=4.5,
                   label='the arm at its neutral configuration')]


def _label(workspace: Workspace, figure: str) -> str:
    if figure == 'dexterity':
        return f'part of {workspace.orientations} orientations reachable (1: dexterous)'
    served = ', '.join(workspace.task.served)
    scale = f'; 1 rad = {workspace.length_scale:.4g} m' if figure == 'conditioning' else '; m, rad'
    return f'{TITLES[figure]} over {served}{scale}'


def link_origins(chain: Chain, values: Mapping[str, float]) -> np.ndarray:
    """Return the origins of the links from base to tip (k, 3), m, base frame.

    values: {joint: value} of the tree, rad or m.
    """
    T_root_link = chain.tree.forward(values)
    T_base_root = inverse(T_root_link[chain.base_link])
    return np.array([(T_base_root @ T_root_link[link])[:3, 3] for link in chain.links])


def figure_colors(values: np.ndarray, figure: str) -> np.ndarray:
    """Return colours (k, 3), 0 to 1, of the values (k,) of a figure.

    Manipulability and conditioning are coloured up to the best found, dexterity up to 1.
    """
    if figure == 'reachable':
        return np.where(values[:, None] == 1.0, REACHABLE, PARTLY_REACHABLE)
    most = largest(values, figure)
    places = np.linspace(0.0, 1.0, len(_VIRIDIS))
    return np.column_stack([np.interp(values / most, places, channel) for channel in _VIRIDIS.T])


def largest(values: np.ndarray, figure: str) -> float:
    """Return the value of a figure that has the last colour, given the values (k,)."""
    return 1.0 if figure == 'dexterity' else float(values.max(initial=0.0)) or 1.0
