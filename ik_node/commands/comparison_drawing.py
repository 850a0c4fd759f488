"""Draws the joint values of compared methods along the path of the tip."""

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ik_node.commands.comparison import Problem, Row

_COLUMNS = 4
_WIDTH, _HEIGHT = 2.9, 2.1   # inches: of a panel
_INK = '#333333'
_DPI, _COLOURS = 110, 96


def draw(measured: Mapping[str, tuple[Problem, Sequence[Row]]], file: Path) -> None:
    """Save a PNG with a panel for each method and arm: all joints over the frames of the path.

    Raises ImportError where matplotlib is missing and OSError where the file cannot be written.
    """
    from matplotlib.figure import Figure
    from PIL import Image
    rows = {name: -(-len(found) // _COLUMNS) for name, (_, found) in measured.items()}
    sheet = Figure(figsize=(_COLUMNS * _WIDTH, sum(rows.values()) * _HEIGHT + 0.5 * len(rows)),
                   dpi=_DPI, layout='constrained')
    parts = sheet.subfigures(len(rows), 1, squeeze=False, height_ratios=list(rows.values()))
    for part, (name, (_, found)) in zip(parts[:, 0], measured.items()):
        part.suptitle(f'{name}: joint values along the path, rad', color=_INK, fontsize=12)
        panels = part.subplots(rows[name], _COLUMNS, sharex=True, sharey=True,
                               squeeze=False).ravel()
        for panel, row in zip(panels, found):
            _draw_joints(panel, row)
        for panel in panels[len(found):]:
            panel.axis('off')
    drawn = io.BytesIO()
    sheet.savefig(drawn, format='png')
    Image.open(drawn).convert('RGB').quantize(_COLOURS).save(file, format='PNG', optimize=True)


def _draw_joints(panel: Any, row: Row) -> None:
    panel.plot(row.followed.q, lw=1.2, marker='o', ms=2.0)
    panel.set_title(row.method.label, fontsize=9, color=_INK, loc='left')
    panel.grid(visible=True, alpha=0.25, lw=0.6)
    panel.spines[['top', 'right']].set_visible(False)
