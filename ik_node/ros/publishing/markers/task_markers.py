"""Markers of one task: its target, and the line, plane, polygon or spring that it is about."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import Point, Vector3
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker

from ik_node import tasks
from ik_node.model.body import BodyFrames
from ik_node.ros.conversions import array_to_point, matrix_to_pose
from ik_node.ros.publishing.markers.shapes import (
    AMBER,
    GREEN,
    GREY,
    RED,
    arrow,
    cube,
    marker,
    mixed,
    text_marker,
)
from ik_node.solvers.goal import Goal
from ik_node.spatial import turn_z_onto

COLORS = {DiagnosticStatus.OK: GREEN, DiagnosticStatus.WARN: AMBER, DiagnosticStatus.ERROR: RED,
          DiagnosticStatus.STALE: GREY}
"""By the level of a status; STALE where it is no longer valid."""

_AXES = (ColorRGBA(r=0.9, g=0.2, b=0.2, a=1.0), ColorRGBA(r=0.2, g=0.7, b=0.2, a=1.0),
         ColorRGBA(r=0.2, g=0.4, b=0.95, a=1.0))
_MASS = ColorRGBA(r=0.95, g=0.6, b=0.9, a=0.9)
_FORCE = ColorRGBA(r=0.95, g=0.85, b=0.25, a=0.9)
_FAINT = 0.35      # opacity of planes
# Of the group's size.
_TARGET = 0.035    # ball
_AXIS = 0.12
_LETTERS = 0.04
_ABOVE = 0.23      # of the text: above the arrows of a handle at the target
_THICK = 0.006
_BALL = 0.03
_PLANE = 0.35
_LINE = 0.5
_ARROW = 0.15

Made = list[Marker]


class TaskMarkers:
    """Builds the markers of one task."""

    def __init__(self, frame: str, namespace: str, size: float, level: bytes, text: str) -> None:
        """Begin. size: of the group, m. level: of the task's status; text: why it is not met."""
        self._frame, self._namespace, self._size = frame, namespace, size
        self._color, self._text = COLORS[level], text

    def goal(self, goal: Goal) -> Made:
        """Return a ball, the axes of a goal with an orientation, and the text above."""
        pose, length = matrix_to_pose(goal.pose), _AXIS * self._size
        made = [self._marker(0, Marker.SPHERE, self._color, cube(_TARGET * self._size), pose=pose)]
        if goal.orientation is not None:
            ends = (Point(x=length), Point(y=length), Point(z=length))
            made += [self._marker(1 + i, Marker.ARROW, color, arrow(length), pose=pose,
                                  points=[Point(), end])
                     for i, (color, end) in enumerate(zip(_AXES, ends))]
        if self._text:
            above = goal.pose[:3, 3] + [0.0, 0.0, _ABOVE * self._size]
            made.append(text_marker(self._frame, self._namespace, 4, self._text, above,
                                    _LETTERS * self._size, self._color))
        return made

    def markers(self, task: Any, frames: BodyFrames) -> Made:
        """Return the markers of a task of a body at its present frames, in the world."""
        build = _BUILDERS.get(type(task))
        return [] if build is None else build(self, task, frames)

    def _pose(self, task: tasks.Pose, frames: BodyFrames) -> Made:
        return self.goal(Goal.from_pose(task.target))

    def _orientation(self, task: tasks.Orientation, frames: BodyFrames) -> Made:
        """Return the target's axes at the link."""
        return self.goal(Goal(frames.position(task.link), task.target))

    def _relative_pose(self, task: tasks.RelativePose, frames: BodyFrames) -> Made:
        """Return the target's axes, where the reference has it now."""
        return self.goal(Goal.from_pose(frames.pose(task.reference) @ task.target))

    def _position(self, task: tasks.Position, frames: BodyFrames) -> Made:
        return self.goal(Goal(position=task.target))

    def _look_at(self, task: tasks.LookAt, frames: BodyFrames) -> Made:
        return [*self.goal(Goal(position=task.target)),
                self._line(5, [frames.position(task.link), task.target], self._color)]

    def _align_axis(self, task: tasks.AlignAxis, frames: BodyFrames) -> Made:
        """Return an arrow along the direction, at the link."""
        return [self._arrow(0, frames.position(task.link), task.direction, self._color)]

    def _point_on_line(self, task: tasks.PointOnLine, frames: BodyFrames) -> Made:
        along = _LINE * self._size * task.direction
        p = frames.position(task.link, task.point)
        middle = task.origin + task.direction * float(task.direction @ (p - task.origin))
        return [self._line(0, [middle - along, middle + along], self._color),
                self._ball(1, p, self._color)]

    def _point_on_plane(self, task: tasks.PointOnPlane, frames: BodyFrames) -> Made:
        """Return a piece of the plane below the point, the point, and the normal."""
        p, side = frames.position(task.link, task.point), _PLANE * self._size
        T = np.eye(4)
        T[:3, :3] = turn_z_onto(task.normal)
        T[:3, 3] = p - task.normal * float(task.normal @ (p - task.origin))
        return [self._marker(0, Marker.CUBE, mixed(self._color, self._color, 0.0, _FAINT),
                             Vector3(x=side, y=side, z=0.2 * _THICK * self._size),
                             pose=matrix_to_pose(T)),
                self._ball(1, p, self._color),
                self._arrow(2, T[:3, 3], task.normal, self._color)]

    def _center_of_mass(self, task: tasks.CenterOfMass, frames: BodyFrames) -> Made:
        """Return the centre of mass, its projection on the ground, its target, and the polygon."""
        com, _ = frames.center_of_mass()
        ground, width = np.array([com[0], com[1], 0.0]), 1.5 * _BALL * self._size
        disc = self._marker(1, Marker.CYLINDER, self._color,
                            Vector3(x=width, y=width, z=0.2 * _THICK * self._size))
        disc.pose.position = array_to_point(ground)
        made = [self._ball(0, com, _MASS), disc, self._line(2, [com, ground], GREY)]
        if task.target is not None:
            made.append(self._ball(3, np.where(np.isnan(task.target), com, task.target),
                                   self._color))
        if task.polygon is not None:
            corners = np.column_stack([task.polygon, np.zeros(len(task.polygon))])
            made.append(self._line(4, [*corners, corners[0]], self._color))
        return made

    def _connection(self, task: tasks.Distance | tasks.Spring, frames: BodyFrames) -> Made:
        """Return a line between the points of a distance or a spring."""
        b = task.point_b if task.link_b is None else frames.position(task.link_b, task.point_b)
        a = frames.position(task.link_a, task.point_a)
        color = _FORCE if isinstance(task, tasks.Spring) else self._color
        return [self._line(0, [a, b], color), self._ball(1, a, color), self._ball(2, b, color)]

    def _force(self, task: tasks.Force, frames: BodyFrames) -> Made:
        size = math.hypot(*task.force)
        return [] if size == 0.0 else [self._arrow(
            0, frames.position(task.link, task.point), task.force / size, _FORCE)]

    def _marker(self, number: int, kind: int, color: ColorRGBA, scale: Vector3,
                **fields: Any) -> Marker:
        return marker(self._frame, self._namespace, number, kind, color=color, scale=scale,
                      **fields)

    def _ball(self, number: int, p: np.ndarray, color: ColorRGBA) -> Marker:
        made = self._marker(number, Marker.SPHERE, color, cube(_BALL * self._size))
        made.pose.position = array_to_point(p)
        return made

    def _line(self, number: int, points: list[np.ndarray], color: ColorRGBA) -> Marker:
        return self._marker(number, Marker.LINE_STRIP, color, Vector3(x=_THICK * self._size),
                            points=[array_to_point(p) for p in points])

    def _arrow(self, number: int, p: np.ndarray, direction: np.ndarray,
               color: ColorRGBA) -> Marker:
        length = _ARROW * self._size
        return self._marker(number, Marker.ARROW, color, arrow(length), points=[
            array_to_point(p), array_to_point(p + length * direction)])


_BUILDERS: dict[type, Callable[..., Made]] = {
    tasks.Pose: TaskMarkers._pose, tasks.Orientation: TaskMarkers._orientation,
    tasks.RelativePose: TaskMarkers._relative_pose, tasks.Position: TaskMarkers._position,
    tasks.LookAt: TaskMarkers._look_at, tasks.AlignAxis: TaskMarkers._align_axis,
    tasks.PointOnLine: TaskMarkers._point_on_line, tasks.PointOnPlane: TaskMarkers._point_on_plane,
    tasks.HalfSpace: TaskMarkers._point_on_plane, tasks.CenterOfMass: TaskMarkers._center_of_mass,
    tasks.Distance: TaskMarkers._connection, tasks.Spring: TaskMarkers._connection,
    tasks.Force: TaskMarkers._force}
