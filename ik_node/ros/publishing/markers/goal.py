"""A goal: its frame, in the colour of its outcome, and why it is not met above it."""

from typing import NamedTuple

from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import Point, Vector3
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker

from ik_node.ros.conversions import matrix_to_pose
from ik_node.ros.publishing.markers.shapes import AMBER, GREEN, GREY, RED, cube, marker, text
from ik_node.solvers.goal import Goal

COLORS = {DiagnosticStatus.OK: GREEN, DiagnosticStatus.WARN: AMBER, DiagnosticStatus.ERROR: RED,
          DiagnosticStatus.STALE: GREY}

NO_GOAL = 'no goal yet'
"""The status where there is no goal; the page reads it."""

_AXES = (ColorRGBA(r=0.9, g=0.2, b=0.2, a=1.0), ColorRGBA(r=0.2, g=0.7, b=0.2, a=1.0),
         ColorRGBA(r=0.2, g=0.4, b=0.95, a=1.0))
# Of the arm's size.
_BALL = 0.035
_AXIS = 0.12
_LETTERS = 0.04
_ABOVE = 0.23  # of the words: above the arrows of a handle at the goal


class ShownGoal(NamedTuple):
    """A goal with the level of its status, and in a few words why it is not met.

    STALE and no words where the status is no longer valid.
    """

    goal: Goal
    level: bytes
    words: str


def goal_markers(frame: str, namespace: str, shown: ShownGoal, size: float) -> list[Marker]:
    """Return a ball, the axes of a goal with an orientation, and the words; size: m."""
    goal, color = shown.goal, COLORS[shown.level]
    pose = matrix_to_pose(goal.pose)
    above = goal.pose[:3, 3].copy()
    above[2] += _ABOVE * size
    return [marker(frame, namespace, 0, Marker.SPHERE, pose=pose, color=color,
                   scale=cube(_BALL * size)),
            *([] if goal.orientation is None else _axes(frame, namespace, pose, _AXIS * size)),
            *([text(frame, namespace, 4, shown.words, above, _LETTERS * size, color)]
              if shown.words else [])]


def _axes(frame: str, namespace: str, pose: object, length: float) -> list[Marker]:
    scale = Vector3(x=0.1 * length, y=0.2 * length, z=0.25 * length)
    ends = (Point(x=length), Point(y=length), Point(z=length))
    return [marker(frame, namespace, 1 + i, Marker.ARROW, pose=pose, color=color, scale=scale,
                   points=[Point(), end])
            for i, (color, end) in enumerate(zip(_AXES, ends))]
