"""Pictures and pages: their needs, checked before a computation, panels, small files, a camera."""

import io
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from os import PathLike
from pathlib import Path
from textwrap import wrap
from typing import Any

import numpy as np

from ik_node.support.exceptions import UnsupportedError

INK = '#333333'
_HEAD = 9  # characters of a column, at least, where the head is longer
_DEPTH = 0.5  # of what is seen: distance of the camera from it, at least


def check_matplotlib(needed: str) -> None:
    """Raise UnsupportedError where matplotlib is missing; needed: "the picture needs"."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError as error:
        raise UnsupportedError(f'{needed} matplotlib ({error}): pip install matplotlib') from error


def check_folder(file: Path | None) -> None:
    """Raise OSError where a file is a folder, or its folder does not exist."""
    if file is not None and file.is_dir():
        raise IsADirectoryError(f'{file} is a folder, not a file to save in')
    if file is not None and not file.absolute().parent.is_dir():
        raise FileNotFoundError(f'there is no folder {file.absolute().parent} to save {file.name} '
                                'in')


def dress(panel: Any, title: str, size: float) -> None:
    """Give a panel of matplotlib a title of a size, points, and a grid in place of a frame."""
    panel.set_title(title, fontsize=size, color=INK, loc='left')
    panel.grid(visible=True, alpha=0.25, lw=0.6)
    panel.spines[['top', 'right']].set_visible(False)


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table as Markdown."""
    return '\n'.join([f'| {" | ".join(head)} |', '|---' * len(head) + '|',
                      *(f'| {" | ".join(row)} |' for row in rows)])


def text_table(head: Sequence[str], rows: Sequence[Sequence[str]], widest: int = 34) -> str:
    """Return a table for a terminal: cells are folded at a width, heads to that of their column."""
    cells = [[wrap(cell, widest) for cell in row] for row in rows]
    widths = [max(len(line) for cell in [*column, name.split(), [name[:_HEAD]]] for line in cell)
              for name, *column in zip(head, *cells)]
    align = [str.ljust if k == 0 or cell[:1].isalpha() else str.rjust
             for k, cell in enumerate(rows[0])]
    cells.insert(0, [wrap(name, width) for name, width in zip(head, widths)])
    return '\n'.join('  '.join(put(text, width) for put, text, width in zip(
        align, line, widths)).rstrip() for row in cells for line in zip_longest(*row, fillvalue=''))


def save_png(sheet: Any, file: str | PathLike[str], colors: int) -> None:
    """Save a figure of matplotlib in a palette of colours, which keeps the file small."""
    from PIL import Image
    drawn = io.BytesIO()
    sheet.savefig(drawn, format='png')
    Image.open(drawn).convert('RGB').quantize(colors).save(file, format='PNG', optimize=True)


def nearest_camera(points: np.ndarray, direction: np.ndarray, fov: float, aspect: float,
                   margin: float = 0.9) -> tuple[np.ndarray, np.ndarray]:
    """Return the position of the camera and the point that it looks at, (3,) m each.

    points (k, 3), m. direction (3,): to the camera, not vertical. fov: the vertical angle of view,
    rad. aspect: width by height. margin: the part of the picture that is used. What is deep is
    seen from further away, half of its depth.

    A point at (x, y, z) along the camera's right, its up and `direction` is seen from (u, v, d)
    where a (d − z) ≤ y − v ≤ b (d − z), a and b being the slopes of the rays at the lower and the
    upper edge, and x likewise: linear bounds of u, v and d.
    """
    back = direction / np.linalg.norm(direction)
    right = np.cross((0.0, 0.0, 1.0), back)
    right /= np.linalg.norm(right)
    up = np.cross(back, right)
    z, slope = points @ back, np.tan(0.5 * fov)
    edges = [(points @ right, -margin * aspect * slope, margin * aspect * slope),
             (points @ up, -margin * slope, margin * slope)]
    away = max(((values + b * z).max() - (values + a * z).min()) / (b - a)
               for values, a, b in edges)
    away = max(away, z.max() + _DEPTH * np.ptp(z))
    u, v = (0.5 * ((values + b * z).max() + (values + a * z).min() - (a + b) * away)
            for values, a, b in edges)
    position = u * right + v * up + away * back
    return position, position - (away - 0.5 * (z.min() + z.max())) * back
