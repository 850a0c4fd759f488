"""A panel beside the base: a bar for every joint with limits shows its position between them."""

from textwrap import wrap

import numpy as np
from geometry_msgs.msg import Vector3
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker

from ik_node.model.chain import Chain
from ik_node.ros.conversions import array_to_point
from ik_node.ros.publishing.markers.shapes import GREEN, GREY, RED, marker, mixed, text

# Of the range between the limits: distances to a limit at which a bar is fully red and green.
_RED, _GREEN = 0.02, 0.15
_TRACK = 0.35            # opacity
_LETTERS_A_LINE, _LINES = 44, 5
# Of the arm's size.
_ROW = 0.08              # from a bar to the next,
_HIGHEST = 0.8           # but all bars are within this height
_AWAY = 0.8              # of the panel's middle from the base
_LENGTH = 0.5
_LABEL = 0.4             # of a label's middle from the panel's


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


class LimitBars:
    """The panel of one arm: right of its base, seen along −x, for the first; left for the next."""

    def __init__(self, chain: Chain, number: int, size: float) -> None:
        """Lay out the panel. number: of the arm; size: of the arm, m."""
        self._chain = chain
        bounded = nearness(chain, chain.neutral())[0]
        self._names = [chain.joint_names[i] for i in bounded]
        self._row = size * min(_ROW, _HIGHEST / max(len(bounded), 1))
        self._letters = min(0.55 * self._row, 0.042 * size)
        self._length = _LENGTH * size
        side = 1.0 if number % 2 else -1.0
        self._middle = side * _AWAY * size * (1 + number // 2)
        self._labels = self._middle + side * _LABEL * size
        # Joints from the base upwards.
        self._heights = self._row * (np.arange(len(bounded)) + 1.0)
        self._above = self._row * (len(bounded) + 1.0) + 0.07 * size

    def markers(self, frame: str, namespace: str, q: np.ndarray) -> list[Marker]:
        """Return the bars at q (n,), and the joints' names."""
        if not self._names:
            return []
        _, places, near = nearness(self._chain, q)
        tracks = [array_to_point((0.0, self._middle, z)) for z in self._heights]
        knobs = [array_to_point((0.0, self._middle + (place - 0.5) * self._length, z))
                 for place, z in zip(places, self._heights)]
        thick = 0.18 * self._row
        return [
            marker(frame, namespace, 0, Marker.CUBE_LIST, points=tracks, color=GREY,
                   colors=[mixed(GREY, RED, part, _TRACK) for part in near],
                   scale=Vector3(x=thick, y=self._length, z=thick)),
            marker(frame, namespace, 1, Marker.CUBE_LIST, points=knobs, color=GREEN,
                   colors=[mixed(GREEN, RED, part) for part in near],
                   scale=Vector3(x=3.0 * thick, y=2.0 * thick, z=3.5 * thick)),
            *(text(frame, namespace, 2 + i, name, np.array((0.0, self._labels, z)), self._letters,
                   GREY) for i, (name, z) in enumerate(zip(self._names, self._heights)))]

    def words(self, frame: str, namespace: str, lines: list[str], color: ColorRGBA) -> list[Marker]:
        """Return lines of text above the bars, wrapped and limited in number."""
        wrapped = [part for line in lines for part in wrap(line, _LETTERS_A_LINE)]
        if len(wrapped) > _LINES:
            wrapped = [*wrapped[:_LINES - 1], '...']
        if not wrapped:
            return []
        height = self._above + 0.5 * len(wrapped) * self._row
        return [text(frame, namespace, 0, '\n'.join(wrapped),
                     np.array((0.0, self._middle, height)), 1.2 * self._letters, color)]
