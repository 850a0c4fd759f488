"""A panel beside the base: a bar for every joint with limits shows its position between them."""

import numpy as np
from geometry_msgs.msg import Vector3
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker

from ik_node.model.chain import Chain
from ik_node.ros.conversions import array_to_point
from ik_node.ros.publishing.markers.panel import LETTERS_A_LINE, LINES, PanelLayout
from ik_node.ros.publishing.markers.shapes import (
    GREEN,
    GREY,
    RED,
    marker,
    mixed,
    text,
    wrapped,
)

# Of the range between the limits: distances to a limit at which a bar is fully red and green.
_RED, _GREEN = 0.02, 0.15
_TRACK = 0.35  # opacity


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
        self._names = bounded_names(chain)
        self._layout = PanelLayout(self._names, number, size)

    def markers(self, frame: str, namespace: str, q: np.ndarray) -> list[Marker]:
        """Return the bars at q (n,), and the joints' names."""
        if not self._names:
            return []
        layout = self._layout
        _, places, near = nearness(self._chain, q)
        tracks = [array_to_point((0.0, layout.bars, z)) for z in layout.heights]
        knobs = [array_to_point((0.0, layout.bars + (place - 0.5) * layout.length, z))
                 for place, z in zip(places, layout.heights)]
        thick = 0.18 * layout.row
        return [
            marker(frame, namespace, 0, Marker.CUBE_LIST, points=tracks, color=GREY,
                   colors=[mixed(GREY, RED, part, _TRACK) for part in near],
                   scale=Vector3(x=thick, y=layout.length, z=thick)),
            marker(frame, namespace, 1, Marker.CUBE_LIST, points=knobs, color=GREEN,
                   colors=[mixed(GREEN, RED, part) for part in near],
                   scale=Vector3(x=3.0 * thick, y=2.0 * thick, z=3.5 * thick)),
            *(text(frame, namespace, 2 + i, name, np.array((0.0, layout.labels, z)),
                   layout.letters, GREY)
              for i, (name, z) in enumerate(zip(self._names, layout.heights)))]

    def words(self, frame: str, namespace: str, lines: list[str], color: ColorRGBA) -> list[Marker]:
        """Return lines of text above the bars, wrapped and limited in number."""
        shown = wrapped(lines, LETTERS_A_LINE, LINES)
        if not shown:
            return []
        layout = self._layout
        place = np.array((0.0, layout.text, layout.text_height(len(shown))))
        return [text(frame, namespace, 0, '\n'.join(shown), place, layout.letters, color)]


def bounded_names(chain: Chain) -> list[str]:
    """Return the names of the joints with two limits, from the base to the tip."""
    return [chain.joint_names[i] for i in nearness(chain, chain.neutral())[0]]
