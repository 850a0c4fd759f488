"""A panel beside the base: a bar for every joint with limits, and the status above them."""

import numpy as np
from geometry_msgs.msg import Vector3
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker

from ik_node.model.chain import Chain
from ik_node.ros.conversions import array_to_point
from ik_node.ros.publishing.markers import shapes

# Of the range between the limits: distances to a limit at which a bar is fully red and green.
_RED, _GREEN = 0.02, 0.15
_TRACK = ColorRGBA(r=0.36, g=0.38, b=0.42, a=1.0)  # opaque: a translucent ground may hide others

# Of the arm's size.
_ROW = 0.08              # from a row to the next,
_HIGHEST = 1.3           # but all rows are within this height
_LETTERS = 0.05          # height of letters,
_OF_A_ROW = 0.75         # but at most this part of a row
_NEAR = 1.25             # of the panel's near side from the base: the tip does not get there
_APART = 0.2             # of two panels on one side
_LENGTH = 0.4            # of the bars
_GAP = 0.05

# Of a letter's height: its width, on average, in the font of RViz. Texts face the camera, the panel
# does not: its length appears shorter, at yaw 0.5 by 0.88.
_WIDTH = 0.55 / 0.88
_BOUNDS = 28, 9  # of the text: letters of a line, and lines


def nearness(chain: Chain, q: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the joints with two limits, and their positions and nearness to a limit at q (n,).

    Three arrays (k,): indices; positions between the limits, 0 to 1; nearness, 0 far, 1 at it.
    """
    bounded = np.flatnonzero(np.isfinite(chain.lower) & np.isfinite(chain.upper))
    # Halved, since the difference of the largest numbers overflows.
    lower, upper, value = 0.5 * chain.lower[bounded], 0.5 * chain.upper[bounded], 0.5 * q[bounded]
    width = upper - lower
    place = np.where(width > 0.0, (value - lower) / np.where(width > 0.0, width, 1.0), 0.5)
    margin = np.where(width > 0.0, np.minimum(place, 1.0 - place), 0.0)
    return bounded, place, np.clip((_GREEN - margin) / (_GREEN - _RED), 0.0, 1.0)


class LimitPanel:
    """The panel of one chain, in the plane x = 0 of its base."""

    def __init__(self, chain: Chain, number: int, size: float) -> None:
        """Lay out a row for each joint with limits, from the base upwards, and the text above.

        number: even ones have their panel right of the base, seen along −x, odd ones left. size: of
        the arm, m.
        """
        self._chain = chain
        self._names = [chain.joint_names[i] for i in nearness(chain, chain.neutral())[0]]
        count = len(self._names)
        self._row = size * min(_ROW, _HIGHEST / max(count, 1))
        self._letters = min(_OF_A_ROW * self._row, _LETTERS * size)
        self._length = _LENGTH * size
        label = _WIDTH * self._letters * max(map(len, self._names), default=0)
        self._width = max(self._length + _GAP * size + label,
                          _WIDTH * self._letters * _BOUNDS[0])
        side = 1.0 if number % 2 else -1.0
        near = _NEAR * size + number // 2 * (self._width + _APART * size)
        # y of the middle of the bars, of the labels and of the text
        self._bars = side * (near + 0.5 * self._length)
        self._labels = side * (near + self._length + _GAP * size + 0.5 * label)
        self._middle = side * (near + 0.5 * self._width)
        self._heights = self._row * (np.arange(count) + 1.0)
        self._above = self._row * (count + 1.0)  # the lowest z of the text

    def bars(self, frame: str, namespace: str, q: np.ndarray) -> list[Marker]:
        """Return a bar for each joint, a knob at its value in q (n,), and its name."""
        if not self._names:
            return []
        _, places, near = nearness(self._chain, q)
        tracks = [array_to_point((0.0, self._bars, z)) for z in self._heights]
        knobs = [array_to_point((0.0, self._bars + (place - 0.5) * self._length, z))
                 for place, z in zip(places, self._heights)]
        thick = 0.18 * self._row
        return [
            shapes.marker(frame, namespace, 0, Marker.CUBE_LIST, points=tracks, color=shapes.GREY,
                          colors=[shapes.mixed(_TRACK, shapes.RED, part) for part in near],
                          scale=Vector3(x=thick, y=self._length, z=thick)),
            shapes.marker(frame, namespace, 1, Marker.CUBE_LIST, points=knobs, color=shapes.GREEN,
                          colors=[shapes.mixed(shapes.GREEN, shapes.RED, part) for part in near],
                          scale=Vector3(x=3.0 * thick, y=2.0 * thick, z=3.5 * thick)),
            *(shapes.text_marker(frame, namespace, 2 + i, name, np.array((0.0, self._labels, z)),
                                 self._letters, shapes.GREY)
              for i, (name, z) in enumerate(zip(self._names, self._heights)))]

    def status(self, frame: str, namespace: str, lines: list[str],
               color: ColorRGBA) -> list[Marker]:
        """Return lines of text above the bars."""
        return shapes.text_block(frame, namespace, lines, _BOUNDS,
                                 np.array((0.0, self._middle, self._above)), self._letters, color)

    def corners(self, lines: int) -> np.ndarray:
        """Return the corners (4, 3), m, of the panel with a text of some lines, base frame."""
        top = self._above + lines * shapes.LINE * self._letters
        return np.array([(0.0, self._middle + 0.5 * side * self._width, z)
                         for side in (-1.0, 1.0) for z in (0.0, top)])
