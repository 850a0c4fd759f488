"""Layout of the panel of an arm: rows of labels and bars beside the base, text above them."""

from collections.abc import Sequence

import numpy as np

# Of the arm's size.
_ROW = 0.08              # from a row to the next,
_HIGHEST = 1.3           # but all rows are within this height
_LETTERS = 0.05          # height of letters,
_OF_A_ROW = 0.75         # but at most this part of a row
_NEAR = 1.35             # of the panel's near side from the base: the tip does not get there
_APART = 0.2             # of two panels on one side
_LENGTH = 0.5            # of the bars
_GAP = 0.05
_LINE = 1.6              # from a line of the text to the next, of its letters

_LETTER_WIDTH = 0.55     # of a letter's height, on average, in the font of RViz
# Texts face the camera, the panel does not: its length appears shorter, at yaw 0.5 by this.
_FORESHORTENED = 0.88

LETTERS_A_LINE, LINES = 32, 8
"""Bounds of the text above the rows."""


class PanelLayout:
    """Where the rows and texts of a panel are, m, in the plane x = 0 of the arm's base.

    Attributes:
    - `bars`: y of the middle of the bars, `length`: theirs. `labels`: y of the labels' middle.
    - `heights`: (k,) z of each row. `row`: height of one.
    - `letters`: height of the letters.
    - `text`: y of the middle of the text, which is that of the panel. `above`: its lowest z.
    """

    def __init__(self, names: Sequence[str], number: int, size: float) -> None:
        """Lay out a row for each name.

        number: of the arm; even ones have their panel right of the base, seen along −x, odd ones
        left. size: of the arm, m.
        """
        count = len(names)
        self.row = size * min(_ROW, _HIGHEST / max(count, 1))
        self.letters = min(_OF_A_ROW * self.row, _LETTERS * size)
        self.length = _LENGTH * size
        longest = max((len(name) for name in names), default=0)
        label = _LETTER_WIDTH * self.letters * longest / _FORESHORTENED
        line = _LETTER_WIDTH * self.letters * LETTERS_A_LINE / _FORESHORTENED
        self._width = max(self.length + _GAP * size + label, line)
        side = 1.0 if number % 2 else -1.0
        near = _NEAR * size + number // 2 * (self._width + _APART * size)
        self.bars = side * (near + 0.5 * self.length)
        self.labels = side * (near + self.length + _GAP * size + 0.5 * label)
        self.text = side * (near + 0.5 * self._width)
        # Joints from the base upwards.
        self.heights = self.row * (np.arange(count) + 1.0)
        self.above = self.row * (count + 1.0)

    def text_height(self, lines: int) -> float:
        """Return the z of the middle of a text of some lines, m."""
        return self.above + 0.5 * lines * _LINE * self.letters

    def corners(self, lines: int) -> np.ndarray:
        """Return the corners (4, 3), m, of the panel with a text of some lines, base frame."""
        half = 0.5 * self._width
        top = self.above + lines * _LINE * self.letters
        return np.array([(0.0, self.text + side * half, z)
                         for side in (-1.0, 1.0) for z in (0.0, top)])
