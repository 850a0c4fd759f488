"""Common functions, colours and lifetime of markers."""

from collections.abc import Sequence
from textwrap import wrap
from typing import Any

import numpy as np
from builtin_interfaces.msg import Duration
from geometry_msgs.msg import Vector3
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker

from ik_node.ros.conversions import array_to_point

GREEN = ColorRGBA(r=0.25, g=0.75, b=0.35, a=1.0)
AMBER = ColorRGBA(r=1.0, g=0.7, b=0.15, a=1.0)
RED = ColorRGBA(r=0.9, g=0.25, b=0.2, a=1.0)
GREY = ColorRGBA(r=0.75, g=0.77, b=0.8, a=1.0)

# Markers of a stopped node disappear; a running node sends them many times within it.
_LIFETIME = Duration(sec=2)
_BLANK = 0.4  # of a letter's height: how wide blanks are


def marker(frame: str, namespace: str, number: int, kind: int, **fields: Any) -> Marker:
    """Return a marker in a frame. Its stamp is zero: RViz uses the latest transform.

    fields: of the message.
    """
    made = Marker(ns=namespace, id=number, type=kind, lifetime=_LIFETIME, **fields)
    made.header.frame_id = frame
    return made


def text(frame: str, namespace: str, number: int, words: str, p: np.ndarray, height: float,
         color: ColorRGBA) -> Marker:
    """Return text that faces the camera, at p (3,), m; height: of the letters, m."""
    # RViz has ASCII letters only, and blanks of letters 1 m high by default.
    made = marker(frame, namespace, number, Marker.TEXT_VIEW_FACING, color=color,
                  text=words.encode('ascii', 'replace').decode(),
                  scale=Vector3(x=_BLANK * height, z=height))
    made.pose.position = array_to_point(p)
    return made


def wrapped(lines: Sequence[str], letters: int, count: int) -> list[str]:
    """Return lines as at most `count` lines of at most `letters` letters; `...` ends cut ones."""
    parts = [part for line in lines for part in wrap(line, letters)]
    return parts if len(parts) <= count else [*parts[:count - 1], '...']


def cube(size: float) -> Vector3:
    """Return a scale that is the same in all directions, m."""
    return Vector3(x=size, y=size, z=size)


def mixed(a: ColorRGBA, b: ColorRGBA, part: float, opacity: float = 1.0) -> ColorRGBA:
    """Return a colour between two; part: 0 for the first, 1 for the second."""
    return ColorRGBA(r=a.r + part * (b.r - a.r), g=a.g + part * (b.g - a.g),
                     b=a.b + part * (b.b - a.b), a=opacity)
