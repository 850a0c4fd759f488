"""Markers of a chain besides its goal: trail, ellipsoid and branches."""

import colorsys
import math
from collections import deque
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from geometry_msgs.msg import Point, Vector3
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker

from ik_node.model.chain import Chain
from ik_node.ros.conversions import array_to_point, matrix_to_pose
from ik_node.ros.publishing.markers.shapes import cube, marker
from ik_node.spatial import inverse

# Sizes are of the arm's size.
_TRAIL = ColorRGBA(r=0.3, g=0.55, b=0.95, a=0.8)
_MOST = 500         # points of a trail
_STEP = 1e-3        # between two points
_JUMP = 0.15        # between two points that no line joins
_TRAIL_WIDTH = 0.006

_ELLIPSOID = ColorRGBA(r=0.75, g=0.55, b=1.0, a=0.8)
_SEGMENTS = 36      # of each ellipse
_SHOWN = 0.2        # a semi-axis whose singular value is the arm's size
_THINNEST, _LONGEST = 0.002, 0.3  # semi-axes: a degenerate ellipsoid stays visible as a disc
_ELLIPSE_WIDTH = 0.005

_OPACITY = 0.45     # of branches
_STICK, _BALL = 0.014, 0.03
_SHORTEST = 1e-6    # of a stick


class Trail:
    """Past positions of the tip, computed from configurations when the markers are needed."""

    def __init__(self, chain: Chain, size: float) -> None:
        """Begin without points; size: of the arm, m."""
        self._chain, self._size = chain, size
        # not converted to points yet
        self._configurations: deque[np.ndarray] = deque(maxlen=_MOST)
        # each with whether a line joins it to the one before
        self._points: deque[tuple[Point, bool]] = deque(maxlen=_MOST)
        self._last = np.full(3, np.inf)

    def add(self, q: np.ndarray) -> None:
        """Add the position of the tip at q (n,)."""
        self._configurations.append(q)

    def markers(self, frame: str, namespace: str) -> list[Marker]:
        """Return the lines between the positions; a jump of the tip is left open."""
        while self._configurations:
            p = self._chain.forward(self._configurations.popleft())[:3, 3]
            distance = math.dist(self._last, p)
            if distance > _STEP * self._size:
                self._points.append((array_to_point(p), distance <= _JUMP * self._size))
                self._last = p
        ends = [end for (a, _), (b, joined) in pairwise(self._points) if joined for end in (a, b)]
        return [marker(frame, namespace, 0, Marker.LINE_LIST, color=_TRAIL, points=ends,
                       scale=Vector3(x=_TRAIL_WIDTH * self._size))] if ends else []


def _unit_circles() -> np.ndarray:
    """Return the ends (k, 3) of lines along the circles about x, y and z."""
    angles = np.linspace(0.0, 2.0 * np.pi, _SEGMENTS + 1)
    circle = np.column_stack([np.cos(angles), np.sin(angles), np.zeros(_SEGMENTS + 1)])
    lines = np.stack([circle[:-1], circle[1:]], axis=1).reshape(-1, 3)
    return np.concatenate([np.roll(lines, shift, axis=1) for shift in range(3)])


_CIRCLES = _unit_circles()


def velocity_ellipsoid(chain: Chain, q: np.ndarray, size: float) -> tuple[np.ndarray, np.ndarray]:
    """Return axes R (3, 3), one a column, right-handed, and semi-axes (3,), m, at q (n,).

    The ellipsoid {J_v q̇ : |q̇| ≤ 1}: its axes are the eigenvectors of J_v J_vᵀ, its semi-axes the
    roots of the eigenvalues [Yoshikawa, Int. J. Robotics Research 4 (1985) 3]. The column of a
    prismatic joint is scaled by the arm's size, m; semi-axes are zero where the tip cannot move.
    """
    J_v = chain.jacobian(q)[:3] * np.where(chain.prismatic, size, 1.0)
    U, sigma, _ = np.linalg.svd(J_v)
    if np.linalg.det(U) < 0.0:
        U[:, 2] = -U[:, 2]
    semi_axes = np.zeros(3)
    semi_axes[:len(sigma)] = sigma
    return U, semi_axes


def ellipsoid_markers(frame: str, namespace: str, chain: Chain, q: np.ndarray,
                      size: float) -> list[Marker]:
    """Return the ellipsoid about the tip at q (n,); size: of the arm, m.

    Only the three ellipses about its axes are drawn, so that a handle inside can be grasped.
    """
    T = chain.forward(q)
    T[:3, :3], semi_axes = velocity_ellipsoid(chain, q, size)
    shown = np.clip(_SHOWN * semi_axes, _THINNEST * size, _LONGEST * size)
    return [marker(frame, namespace, 0, Marker.LINE_LIST, pose=matrix_to_pose(T), color=_ELLIPSOID,
                   scale=Vector3(x=_ELLIPSE_WIDTH * size),
                   points=[array_to_point(p) for p in (_CIRCLES * shown).tolist()])]


class BranchList(NamedTuple):
    """The branches of a goal (k, n), rad or m, with their number or the reason for none."""

    branches: np.ndarray
    text: str


def sticks(chain: Chain, q: np.ndarray, shortest: float) -> np.ndarray:
    """Return the origins of the links and the tip at q (n,), (k, 3), m, base frame.

    Points closer than `shortest`, m, to the previous one are skipped.
    """
    T_root = chain.tree.forward(dict(zip(chain.joint_names, q.tolist())))
    T_base_root = inverse(T_root[chain.base_link])
    places = np.array([*((T_base_root @ T_root[link])[:3, 3] for link in chain.links),
                       chain.forward(q)[:3, 3]])
    apart = np.linalg.norm(np.diff(places, axis=0), axis=1) > shortest
    return places[np.concatenate([[True], apart])]


def branch_markers(frame: str, namespace: str, chain: Chain, branches: np.ndarray,
                   size: float) -> list[Marker]:
    """Return branches (k, n), rad or m, as translucent stick figures, each in its own colour.

    Lines along the links, and balls at their ends. size: of the arm, m.
    """
    ends, ends_colors, balls, balls_colors = [], [], [], []
    for i, q in enumerate(branches):
        r, g, b = colorsys.hsv_to_rgb(i / len(branches), 0.55, 0.95)
        color = ColorRGBA(r=r, g=g, b=b, a=_OPACITY)
        places = [array_to_point(p) for p in sticks(chain, q, _SHORTEST * size)]
        lines = [end for line in pairwise(places) for end in line]
        ends += lines
        ends_colors += [color] * len(lines)
        balls += places
        balls_colors += [color] * len(places)
    if not ends:
        return []
    plain = ColorRGBA(r=1.0, g=1.0, b=1.0, a=_OPACITY)
    return [marker(frame, namespace, 0, Marker.LINE_LIST, points=ends, colors=ends_colors,
                   color=plain, scale=Vector3(x=_STICK * size)),
            marker(frame, namespace, 1, Marker.SPHERE_LIST, points=balls, colors=balls_colors,
                   color=plain, scale=cube(_BALL * size))]
