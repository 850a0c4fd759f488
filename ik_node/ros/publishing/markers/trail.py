"""The trail of the tip."""

import math
from collections import deque
from itertools import pairwise

import numpy as np
from geometry_msgs.msg import Point, Vector3
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker

from ik_node.model.chain import Chain
from ik_node.ros.conversions import array_to_point
from ik_node.ros.publishing.markers.shapes import marker

_COLOR = ColorRGBA(r=0.3, g=0.55, b=0.95, a=0.8)
_LENGTH = 500   # points
# Of the arm's size.
_STEP = 1e-3    # between two points
_JUMP = 0.15    # between two points that no line joins
_WIDTH = 0.006


class Trail:
    """Past positions of the tip, computed from configurations when the markers are needed."""

    def __init__(self, chain: Chain, size: float) -> None:
        """Begin without points; size: of the arm, m."""
        self._chain, self._size = chain, size
        # not converted to points yet
        self._configurations: deque[np.ndarray] = deque(maxlen=_LENGTH)
        # each with whether a line joins it to the one before
        self._points: deque[tuple[Point, bool]] = deque(maxlen=_LENGTH)
        self._last = np.full(3, np.inf)

    def add(self, q: np.ndarray) -> None:
        """Add the position of the tip at q (n,)."""
        self._configurations.append(q)

    def markers(self, frame: str, namespace: str) -> list[Marker]:
        """Return the lines between the positions; a jump of the tip is left open."""
        while self._configurations:
            p = self._chain.forward(self._configurations.popleft())[:3, 3]
            distance = math.dist(self._last, p)
            if distance > _STEP * self._size:
                self._points.append((array_to_point(p), distance <= _JUMP * self._size))
                self._last = p
        ends: list[Point] = []
        for (a, _), (b, joined) in pairwise(self._points):
            if joined:
                ends += [a, b]
        if not ends:
            return []
        return [marker(frame, namespace, 0, Marker.LINE_LIST, color=_COLOR,
                       scale=Vector3(x=_WIDTH * self._size), points=ends)]
