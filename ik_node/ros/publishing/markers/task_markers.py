"""Markers of one task: of the shapes that show it."""

from collections.abc import Callable
from typing import Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import Point, Vector3
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker

from ik_node.model.body import BodyFrames
from ik_node.ros.conversions import array_to_point, matrix_to_pose
from ik_node.ros.publishing.markers import shapes
from ik_node.solvers.goal import Goal
from ik_node.spatial import turn_z_onto
from ik_node.tasks.base import Task
from ik_node.tasks.drawing import Arrow, Ball, Color, Disc, DrawnTarget, Plane, Polyline

COLORS = {DiagnosticStatus.OK: shapes.GREEN, DiagnosticStatus.WARN: shapes.AMBER,
          DiagnosticStatus.ERROR: shapes.RED, DiagnosticStatus.STALE: shapes.GREY}
"""By the level of a status; STALE where it is no longer valid."""

_AXES = (ColorRGBA(r=0.9, g=0.2, b=0.2, a=1.0), ColorRGBA(r=0.2, g=0.7, b=0.2, a=1.0),
         ColorRGBA(r=0.2, g=0.4, b=0.95, a=1.0))
_COLORS_OF = {Color.MASS: ColorRGBA(r=0.95, g=0.6, b=0.9, a=0.9),
              Color.FORCE: ColorRGBA(r=0.95, g=0.85, b=0.25, a=0.9), Color.GROUND: shapes.GREY}
_FAINT = 0.35      # opacity of planes
# Of the group's size.
_TARGET = 0.035    # ball
_AXIS = 0.12
_LETTERS = 0.04
_ABOVE = 0.23      # of the text: above the arrows of a handle at the target
_THICK = 0.006
_BALL = 0.03
_PLANE = 0.35
_ARROW = 0.15

OF_TARGET = 5     # numbers of markers that are those of a target

Made = list[Marker]


class TaskMarkers:
    """Builds the markers of one task."""

    def __init__(self, frame: str, namespace: str, size: float, level: bytes, text: str) -> None:
        """Begin. size: of the group, m. level: of the task's status; text: why it is not met."""
        self._frame, self._namespace, self._size = frame, namespace, size
        self._color, self._text = COLORS[level], text

    def goal(self, goal: Goal) -> Made:
        """Return a ball, the axes of a goal with an orientation, and the text above."""
        return self._target(DrawnTarget(goal.pose, goal.orientation is not None))

    def markers(self, task: Task, frames: BodyFrames) -> Made:
        """Return the markers of a task of a body at its present frames, in the world."""
        drawn = task.drawing(frames, self._size)
        made = [one for shape in drawn if isinstance(shape, DrawnTarget)
                for one in self._target(shape)]
        others = [shape for shape in drawn if not isinstance(shape, DrawnTarget)]
        return made + [_BUILDERS[type(shape)](self, number, shape)
                       for number, shape in enumerate(others, OF_TARGET)]

    def _target(self, target: DrawnTarget) -> Made:
        pose, length = matrix_to_pose(target.pose), _AXIS * self._size
        made = [self._marker(0, Marker.SPHERE, self._color, shapes.cube(_TARGET * self._size),
                             pose=pose)]
        if target.has_orientation:
            ends = (Point(x=length), Point(y=length), Point(z=length))
            made += [self._marker(1 + i, Marker.ARROW, color, shapes.arrow(length), pose=pose,
                                  points=[Point(), end])
                     for i, (color, end) in enumerate(zip(_AXES, ends))]
        if self._text:
            above = target.pose[:3, 3] + [0.0, 0.0, _ABOVE * self._size]
            made.append(shapes.text_marker(self._frame, self._namespace, 4, self._text, above,
                                           _LETTERS * self._size, self._color))
        return made

    def _ball(self, number: int, ball: Ball) -> Marker:
        made = self._marker(number, Marker.SPHERE, self._color_of(ball),
                            shapes.cube(_BALL * self._size))
        made.pose.position = array_to_point(ball.centre)
        return made

    def _line(self, number: int, line: Polyline) -> Marker:
        return self._marker(
            number, Marker.LINE_STRIP, self._color_of(line), Vector3(x=_THICK * self._size),
            points=[array_to_point(p) for p in line.points])

    def _arrow(self, number: int, shown: Arrow) -> Marker:
        length = _ARROW * self._size
        ends = shown.start, shown.start + length * shown.direction
        return self._marker(number, Marker.ARROW, self._color_of(shown), shapes.arrow(length),
                            points=[*map(array_to_point, ends)])

    def _plane(self, number: int, plane: Plane) -> Marker:
        T, side = np.eye(4), _PLANE * self._size
        T[:3, :3], T[:3, 3] = turn_z_onto(plane.normal), plane.centre
        color = shapes.mixed(self._color, self._color, 0.0, _FAINT)
        return self._marker(number, Marker.CUBE, color, Vector3(
            x=side, y=side, z=0.2 * _THICK * self._size), pose=matrix_to_pose(T))

    def _disc(self, number: int, disc: Disc) -> Marker:
        width = 1.5 * _BALL * self._size
        made = self._marker(number, Marker.CYLINDER, self._color,
                            Vector3(x=width, y=width, z=0.2 * _THICK * self._size))
        made.pose.position = array_to_point(disc.centre)
        return made

    def _color_of(self, shape: Ball | Polyline | Arrow) -> ColorRGBA:
        return _COLORS_OF.get(shape.color, self._color)

    def _marker(self, number: int, kind: int, color: ColorRGBA, scale: Vector3,
                **fields: Any) -> Marker:
        return shapes.marker(self._frame, self._namespace, number, kind, color=color, scale=scale,
                             **fields)


_BUILDERS: dict[type, Callable[..., Marker]] = {
    Ball: TaskMarkers._ball, Polyline: TaskMarkers._line,
    Arrow: TaskMarkers._arrow, Plane: TaskMarkers._plane, Disc: TaskMarkers._disc}
