"""Common functions, colours, frames and lifetime of markers."""

from collections.abc import Sequence
from textwrap import wrap
from typing import Any

import numpy as np
from builtin_interfaces.msg import Duration
from geometry_msgs.msg import Vector3
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker

from ik_node.control.options import NodeOptions
from ik_node.control.robot import Robot
from ik_node.ros.conversions import array_to_point

GREEN = ColorRGBA(r=0.25, g=0.75, b=0.35, a=1.0)
AMBER = ColorRGBA(r=1.0, g=0.7, b=0.15, a=1.0)
RED = ColorRGBA(r=0.9, g=0.25, b=0.2, a=1.0)
GREY = ColorRGBA(r=0.75, g=0.77, b=0.8, a=1.0)

LINE = 1.6  # from a line of a text to the next, of the height of its letters

# Markers of a stopped node disappear; a running node sends them many times within it.
_LIFETIME = Duration(sec=2)
_BLANK = 0.4  # of a letter's height: how wide blanks are
_SMALLEST, _LARGEST = 0.05, 1000.0  # m: bounds of the size of markers


def shown_size(size: float) -> float:
    """Return the size of a group for its markers, m: within bounds."""
    return min(max(size, _SMALLEST), _LARGEST)


def frame_of(link: str | None, robot: Robot, options: NodeOptions) -> str:
    """Return the frame of a link, or with None of the world: the root link, unless it moves."""
    if link is None and robot.moves_root:
        return options.world
    return options.frame_prefix + (link or robot.tree.root)


def marker(frame: str, namespace: str, number: int, kind: int, **fields: Any) -> Marker:
    """Return a marker in a frame. Its stamp is zero: RViz uses the latest transform.

    fields: of the message.
    """
    made = Marker(ns=namespace, id=number, type=kind, lifetime=_LIFETIME, **fields)
    made.header.frame_id = frame
    return made


def text_marker(frame: str, namespace: str, number: int, text: str, p: np.ndarray, height: float,
                color: ColorRGBA) -> Marker:
    """Return text that faces the camera, at p (3,), m; height: of the letters, m."""
    # RViz has ASCII letters only, and blanks of letters 1 m high by default.
    made = marker(frame, namespace, number, Marker.TEXT_VIEW_FACING, color=color,
                  text=text.encode('ascii', 'replace').decode(),
                  scale=Vector3(x=_BLANK * height, z=height))
    made.pose.position = array_to_point(p)
    return made


def text_block(frame: str, namespace: str, lines: Sequence[str], bounds: tuple[int, int],
               bottom: np.ndarray, height: float, color: ColorRGBA) -> list[Marker]:
    """Return lines as a text above a point (3,), m; height: of the letters, m.

    bounds: the most letters of a line, and the most lines; `...` is in place of more.
    """
    letters, count = bounds
    parts = [part for line in lines for part in wrap(line, letters)]
    if len(parts) > count:
        parts[count - 1:] = ['...']
    middle = bottom + np.array([0.0, 0.0, 0.5 * len(parts) * LINE * height])
    return [text_marker(frame, namespace, 0, '\n'.join(parts), middle, height,
                        color)] if parts else []


def cube(size: float) -> Vector3:
    """Return a scale that is the same in all directions, m."""
    return Vector3(x=size, y=size, z=size)


def arrow(length: float) -> Vector3:
    """Return the scale of an arrow between two points: of its shaft and head, m."""
    return Vector3(x=0.1 * length, y=0.2 * length, z=0.25 * length)


def mixed(a: ColorRGBA, b: ColorRGBA, part: float, opacity: float = 1.0) -> ColorRGBA:
    """Return a colour between two; part: 0 for the first, 1 for the second."""
    return ColorRGBA(r=a.r + part * (b.r - a.r), g=a.g + part * (b.g - a.g),
                     b=a.b + part * (b.b - a.b), a=opacity)
