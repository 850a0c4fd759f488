"""Markers of one task: its target, and the line, plane, polygon or spring that it is about."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from geometry_msgs.msg import Vector3
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker

from ik_node import tasks
from ik_node.model.body import BodyFrames
from ik_node.ros.conversions import array_to_point, matrix_to_pose
from ik_node.ros.publishing.markers.goal import ShownGoal, goal_markers
from ik_node.ros.publishing.markers.shapes import GREY, cube, marker, mixed
from ik_node.solvers.goal import Goal
from ik_node.spatial import turn_z_onto

_MASS = ColorRGBA(r=0.95, g=0.6, b=0.9, a=0.9)
_FORCE = ColorRGBA(r=0.95, g=0.85, b=0.25, a=0.9)
# Of the figure's size.
_THICK = 0.006
_BALL = 0.03
_PLANE = 0.35
_LINE = 0.5
_ARROW = 0.15
_FAINT = 0.35  # opacity of planes

Made = list[Marker]


class TaskMarkers:
    """Builds the markers of one task in the world frame; size: of the figure, m."""

    def __init__(self, frame: str, namespace: str, size: float, color: ColorRGBA,
                 missed: str) -> None:
        """Begin. color: of the task's outcome; missed: by how much, in words, or ''."""
        self._frame, self._namespace, self._size = frame, namespace, size
        self._color, self._missed = color, missed

    def markers(self, task: Any, frames: BodyFrames, level: bytes) -> Made:
        """Return the markers of a task at the present frames; level: of its status."""
        build = _BUILDERS.get(type(task))
        return [] if build is None else build(self, task, frames, level)

    def pose(self, task: tasks.Pose, frames: BodyFrames, level: bytes) -> Made:
        """Return the target's ball and axes."""
        return self._goal(Goal.from_pose(task.target), level)

    def orientation(self, task: tasks.Orientation, frames: BodyFrames, level: bytes) -> Made:
        """Return the target's axes at the link."""
        T = frames.pose(task.link).copy()
        T[:3, :3] = task.target
        return self._goal(Goal.from_pose(T), level)

    def relative_pose(self, task: tasks.RelativePose, frames: BodyFrames, level: bytes) -> Made:
        """Return the target's axes, where the reference has it now."""
        return self._goal(Goal.from_pose(frames.pose(task.reference) @ task.target), level)

    def position(self, task: tasks.Position, frames: BodyFrames, level: bytes) -> Made:
        """Return the target's ball."""
        return self._goal(Goal(position=task.target), level)

    def look_at(self, task: tasks.LookAt, frames: BodyFrames, level: bytes) -> Made:
        """Return the target's ball, and a line to it."""
        return [*self._goal(Goal(position=task.target), level),
                self._line(5, [frames.position(task.link), task.target], self._color)]

    def align_axis(self, task: tasks.AlignAxis, frames: BodyFrames, level: bytes) -> Made:
        """Return an arrow along the direction, at the link."""
        return [self._arrow(0, frames.position(task.link), task.direction, self._color)]

    def point_on_line(self, task: tasks.PointOnLine, frames: BodyFrames, level: bytes) -> Made:
        """Return a piece of the line, and the point."""
        along = _LINE * self._size * task.direction
        p = frames.position(task.link, task.point)
        middle = task.origin + task.direction * float(task.direction @ (p - task.origin))
        return [self._line(0, [middle - along, middle + along], self._color),
                self._ball(1, p, self._color)]

    def point_on_plane(self, task: tasks.PointOnPlane, frames: BodyFrames, level: bytes) -> Made:
        """Return a piece of the plane below the point, the point, and the normal."""
        p = frames.position(task.link, task.point)
        T = np.eye(4)
        T[:3, :3] = turn_z_onto(task.normal)
        T[:3, 3] = p - task.normal * float(task.normal @ (p - task.origin))
        side = _PLANE * self._size
        plane = self._marker(0, Marker.CUBE, mixed(self._color, self._color, 0.0, _FAINT), Vector3(
            x=side, y=side, z=0.2 * _THICK * self._size))
        plane.pose = matrix_to_pose(T)
        return [plane, self._ball(1, p, self._color),
                self._arrow(2, T[:3, 3], task.normal, self._color)]

    def center_of_mass(self, task: tasks.CenterOfMass, frames: BodyFrames, level: bytes) -> Made:
        """Return the centre of mass, its projection on the ground, its target, and the polygon."""
        com, _ = frames.center_of_mass()
        ground = np.array([com[0], com[1], 0.0])
        disc = self._marker(1, Marker.CYLINDER, self._color, Vector3(
            x=1.5 * _BALL * self._size, y=1.5 * _BALL * self._size, z=0.2 * _THICK * self._size))
        disc.pose.position = array_to_point(ground)
        made = [self._ball(0, com, _MASS), disc, self._line(2, [com, ground], GREY)]
        if task.target is not None:
            made.append(self._ball(3, np.where(np.isnan(task.target), com, task.target),
                                   self._color))
        if task.polygon is not None:
            corners = np.column_stack([task.polygon, np.zeros(len(task.polygon))])
            made.append(self._line(4, [*corners, corners[0]], self._color))
        return made

    def connection(self, task: tasks.Distance | tasks.Spring, frames: BodyFrames,
                   level: bytes) -> Made:
        """Return a line between the points of a distance or a spring."""
        b = task.point_b if task.link_b is None else frames.position(task.link_b, task.point_b)
        a = frames.position(task.link_a, task.point_a)
        color = _FORCE if isinstance(task, tasks.Spring) else self._color
        return [self._line(0, [a, b], color), self._ball(1, a, color), self._ball(2, b, color)]

    def force(self, task: tasks.Force, frames: BodyFrames, level: bytes) -> Made:
        """Return an arrow along the force."""
        size = math.sqrt(float(task.force @ task.force))
        return [] if size == 0.0 else [self._arrow(
            0, frames.position(task.link, task.point), task.force / size, _FORCE)]

    def _goal(self, goal: Goal, level: bytes) -> Made:
        return goal_markers(self._frame, self._namespace, ShownGoal(goal, level, self._missed),
                            self._size)

    def _marker(self, number: int, kind: int, color: ColorRGBA, scale: Vector3) -> Marker:
        return marker(self._frame, self._namespace, number, kind, color=color, scale=scale)

    def _ball(self, number: int, p: np.ndarray, color: ColorRGBA) -> Marker:
        made = self._marker(number, Marker.SPHERE, color, cube(_BALL * self._size))
        made.pose.position = array_to_point(p)
        return made

    def _line(self, number: int, points: list[np.ndarray], color: ColorRGBA) -> Marker:
        made = self._marker(number, Marker.LINE_STRIP, color, Vector3(x=_THICK * self._size))
        made.points = [array_to_point(p) for p in points]
        return made

    def _arrow(self, number: int, p: np.ndarray, direction: np.ndarray,
               color: ColorRGBA) -> Marker:
        length = _ARROW * self._size
        made = self._marker(number, Marker.ARROW, color, Vector3(
            x=0.1 * length, y=0.2 * length, z=0.25 * length))
        made.points = [array_to_point(p), array_to_point(p + length * direction)]
        return made


_BUILDERS: dict[type, Callable[..., Made]] = {
    tasks.Pose: TaskMarkers.pose, tasks.Orientation: TaskMarkers.orientation,
    tasks.RelativePose: TaskMarkers.relative_pose, tasks.Position: TaskMarkers.position,
    tasks.LookAt: TaskMarkers.look_at, tasks.AlignAxis: TaskMarkers.align_axis,
    tasks.PointOnLine: TaskMarkers.point_on_line, tasks.PointOnPlane: TaskMarkers.point_on_plane,
    tasks.HalfSpace: TaskMarkers.point_on_plane, tasks.CenterOfMass: TaskMarkers.center_of_mass,
    tasks.Distance: TaskMarkers.connection, tasks.Spring: TaskMarkers.connection,
    tasks.Force: TaskMarkers.force}
