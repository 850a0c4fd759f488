"""What RViz shows of goals and the tip: axes at the goal, coloured by how it went, and a trail."""

from collections import deque
from typing import NamedTuple

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import Point, Vector3
from std_msgs.msg import ColorRGBA, Header
from visualization_msgs.msg import Marker, MarkerArray

from ik_node.ros.conversions import matrix_to_pose
from ik_node.ros.robot import Arm

_GOAL_COLORS = {
    DiagnosticStatus.OK: ColorRGBA(r=0.25, g=0.75, b=0.35, a=1.0),
    DiagnosticStatus.WARN: ColorRGBA(r=1.0, g=0.7, b=0.15, a=1.0),
    DiagnosticStatus.ERROR: ColorRGBA(r=0.9, g=0.25, b=0.2, a=1.0)}
_AXES = (ColorRGBA(r=0.9, g=0.2, b=0.2, a=1.0), ColorRGBA(r=0.2, g=0.7, b=0.2, a=1.0),
         ColorRGBA(r=0.2, g=0.4, b=0.95, a=1.0))
_TRAIL_COLOR = ColorRGBA(r=0.3, g=0.55, b=0.95, a=0.8)
_TRAIL_LENGTH = 500        # points
_TRAIL_STEP = 1e-3         # of the arm's reach, between two points


class _Shown(NamedTuple):
    T_base_goal: np.ndarray
    color: ColorRGBA
    text: str


class ArmMarkers:
    """The markers of one arm, in the frame of its base."""

    def __init__(self, arm: Arm, reach: float) -> None:
        """Size the markers by the arm's reach, m."""
        self._prefix = f'{arm.name}/' if arm.name else ''
        self._size = min(max(reach, 0.05), 1000.0)
        self._chain = arm.chain
        self._trail: deque[np.ndarray] = deque(maxlen=_TRAIL_LENGTH)
        self._postures: deque[np.ndarray] = deque(maxlen=_TRAIL_LENGTH)  # not yet in the trail
        self._goal: _Shown | None = None

    def show_goal(self, T_base_goal: np.ndarray, level: bytes, text: str) -> None:
        """Show a goal (4, 4), m, base frame: green, amber or red by the level of its status."""
        self._goal = _Shown(T_base_goal, _GOAL_COLORS[level], text)

    def show_tip(self, q: np.ndarray) -> None:
        """Add where the tip is at q (n,) to the trail, when somebody looks."""
        self._postures.append(q)

    def _lengthen_trail(self) -> None:
        while self._postures:
            p = self._chain.forward(self._postures.popleft())[:3, 3]
            if not self._trail or np.linalg.norm(p - self._trail[-1]) > _TRAIL_STEP * self._size:
                self._trail.append(p)

    def message(self, header: Header) -> MarkerArray:
        """Return what there is to show; header: its time and the frame of the base."""
        self._lengthen_trail()
        markers = []
        if self._goal is not None:
            T, color, text = self._goal
            namespace = self._prefix + 'goal'
            pose = matrix_to_pose(T)
            sphere = Marker(header=header, ns=namespace, id=0, type=Marker.SPHERE, pose=pose,
                            color=color, scale=_cube(0.03 * self._size))
            label = Marker(header=header, ns=namespace, id=4, type=Marker.TEXT_VIEW_FACING,
                           pose=pose, color=color, text=text,
                           scale=Vector3(z=0.04 * self._size))
            label.pose = matrix_to_pose(T)
            label.pose.position.z += 0.08 * self._size
            markers = [sphere, *self._axes(header, namespace, pose), label]
        if len(self._trail) > 1:
            trail = Marker(header=header, ns=self._prefix + 'trail', id=0, type=Marker.LINE_STRIP,
                           color=_TRAIL_COLOR, scale=Vector3(x=0.006 * self._size))
            trail.pose.orientation.w = 1.0
            trail.points = [Point(x=float(x), y=float(y), z=float(z)) for x, y, z in self._trail]
            markers.append(trail)
        return MarkerArray(markers=markers)

    def _axes(self, header: Header, namespace: str, pose: object) -> list[Marker]:
        length = 0.12 * self._size
        arrows = []
        for i, color in enumerate(_AXES):
            arrow = Marker(header=header, ns=namespace, id=1 + i, type=Marker.ARROW, pose=pose,
                           color=color)
            end = [0.0, 0.0, 0.0]
            end[i] = length
            arrow.points = [Point(), Point(x=end[0], y=end[1], z=end[2])]
            arrow.scale = Vector3(x=0.1 * length, y=0.2 * length, z=0.25 * length)
            arrows.append(arrow)
        return arrows


def _cube(size: float) -> Vector3:
    return Vector3(x=size, y=size, z=size)
