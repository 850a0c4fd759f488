"""The way the tip has come."""

from collections import deque

import numpy as np
from geometry_msgs.msg import Point, Vector3
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker

from ik_node.model.chain import Chain
from ik_node.ros.markers.shapes import marker, point

_COLOR = ColorRGBA(r=0.3, g=0.55, b=0.95, a=0.8)
_LENGTH = 500   # points
# Of the arm's size.
_STEP = 1e-3    # between two points
_WIDTH = 0.006


class Trail:
    """Where the tip was; postures come cheaply, places are found when somebody looks."""

    def __init__(self, chain: Chain, size: float) -> None:
        """Begin with no place at all; size: of the arm, m."""
        self._chain, self._size = chain, size
        self._postures: deque[np.ndarray] = deque(maxlen=_LENGTH)  # whose places are not yet known
        self._points: deque[Point] = deque(maxlen=_LENGTH)
        self._last = np.full(3, np.inf)

    def add(self, q: np.ndarray) -> None:
        """Add the place where the tip is at q (n,)."""
        self._postures.append(q)

    def markers(self, frame: str, namespace: str) -> list[Marker]:
        """Return a line, where the tip has moved at all."""
        while self._postures:
            p = self._chain.forward(self._postures.popleft())[:3, 3]
            if np.linalg.norm(p - self._last) > _STEP * self._size:
                self._points.append(point(p))
                self._last = p
        if len(self._points) < 2:
            return []
        return [marker(frame, namespace, 0, Marker.LINE_STRIP, color=_COLOR,
                       scale=Vector3(x=_WIDTH * self._size), points=list(self._points))]
