"""The trail of the tip."""

from collections import deque

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
_WIDTH = 0.006


class Trail:
    """Past positions of the tip, computed from configurations when the markers are needed."""

    def __init__(self, chain: Chain, size: float) -> None:
        """Begin without points; size: of the arm, m."""
        self._chain, self._size = chain, size
        # not converted to points yet
        self._configurations: deque[np.ndarray] = deque(maxlen=_LENGTH)
        self._points: deque[Point] = deque(maxlen=_LENGTH)
        self._last = np.full(3, np.inf)

    def add(self, q: np.ndarray) -> None:
        """Add the position of the tip at q (n,)."""
        self._configurations.append(q)

    def markers(self, frame: str, namespace: str) -> list[Marker]:
        """Return a line, if the tip has moved."""
        while self._configurations:
            p = self._chain.forward(self._configurations.popleft())[:3, 3]
            if np.linalg.norm(p - self._last) > _STEP * self._size:
                self._points.append(array_to_point(p))
                self._last = p
        if len(self._points) < 2:
            return []
        return [marker(frame, namespace, 0, Marker.LINE_STRIP, color=_COLOR,
                       scale=Vector3(x=_WIDTH * self._size), points=list(self._points))]
