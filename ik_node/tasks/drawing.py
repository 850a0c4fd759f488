"""Shapes that show a task, in the world frame, m; what draws them gives them their sizes."""

from enum import Enum
from typing import NamedTuple

import numpy as np


class Color(Enum):
    """The meaning of a colour."""

    STATUS = 'whether the task is met'
    MASS = 'the centre of mass'
    FORCE = 'a force'
    GROUND = 'a projection on the ground'


class DrawnTarget(NamedTuple):
    """A target: a ball, the axes of its orientation, and why it is not met."""

    pose: np.ndarray  # (4, 4)
    has_orientation: bool = True


class Ball(NamedTuple):
    """A point."""

    centre: np.ndarray  # (3,)
    color: Color = Color.STATUS


class Polyline(NamedTuple):
    """Lines from point to point."""

    points: list[np.ndarray]  # (3,) each
    color: Color = Color.STATUS


class Arrow(NamedTuple):
    """A direction at a point."""

    start: np.ndarray      # (3,)
    direction: np.ndarray  # (3,) unit vector
    color: Color = Color.STATUS


class Plane(NamedTuple):
    """A piece of a plane."""

    centre: np.ndarray  # (3,)
    normal: np.ndarray  # (3,) unit vector


class Disc(NamedTuple):
    """A level disc."""

    centre: np.ndarray  # (3,)


Shape = DrawnTarget | Ball | Polyline | Arrow | Plane | Disc


def target_at(p: np.ndarray, R: np.ndarray | None = None) -> DrawnTarget:
    """Return a target at a position (3,), with an orientation R (3, 3) or without."""
    T = np.eye(4)
    T[:3, 3] = p
    if R is not None:
        T[:3, :3] = R
    return DrawnTarget(T, R is not None)
