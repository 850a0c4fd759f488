"""Every branch of a goal as a translucent stick figure."""

import colorsys
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from geometry_msgs.msg import Vector3
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker

from ik_node.model.chain import Chain
from ik_node.ros.conversions import array_to_point
from ik_node.ros.publishing.markers.shapes import cube, marker
from ik_node.spatial import inverse

_OPACITY = 0.45
# Of the arm's size.
_WIDTH, _BALL = 0.014, 0.03
_SHORTEST = 1e-6


class BranchList(NamedTuple):
    """The branches of a goal (k, n), rad or m, with their number or the reason for none."""

    branches: np.ndarray
    words: str


def sticks(chain: Chain, q: np.ndarray, shortest: float) -> np.ndarray:
    """Return the origins of the links and the tip at q (n,), (k, 3), m, base frame.

    Points closer than `shortest`, m, to the previous one are skipped.
    """
    T_root = chain.tree.forward(dict(zip(chain.joint_names, q.tolist())))
    T_base_root = inverse(T_root[chain.base_link])
    places = np.array([(T_base_root @ T_root[link])[:3, 3] for link in chain.links])
    apart = np.linalg.norm(np.diff(places, axis=0), axis=1) > shortest
    return places[np.concatenate([[True], apart])]


def ghost_markers(frame: str, namespace: str, chain: Chain, branches: np.ndarray,
                  size: float) -> list[Marker]:
    """Return lines along the links and balls at their ends, for branches (k, n), rad or m.

    Each branch has a colour of its own. size: of the arm, m.
    """
    ends, ends_colors, balls, balls_colors = [], [], [], []
    for i, q in enumerate(branches):
        color = _color(i, len(branches))
        places = [array_to_point(p) for p in sticks(chain, q, _SHORTEST * size)]
        for a, b in pairwise(places):
            ends += [a, b]
            ends_colors += [color, color]
        balls += places
        balls_colors += [color] * len(places)
    if not ends:
        return []
    plain = ColorRGBA(r=1.0, g=1.0, b=1.0, a=_OPACITY)
    return [marker(frame, namespace, 0, Marker.LINE_LIST, points=ends, colors=ends_colors,
                   color=plain, scale=Vector3(x=_WIDTH * size)),
            marker(frame, namespace, 1, Marker.SPHERE_LIST, points=balls, colors=balls_colors,
                   color=plain, scale=cube(_BALL * size))]


def _color(i: int, count: int) -> ColorRGBA:
    r, g, b = colorsys.hsv_to_rgb(i / count, 0.55, 0.95)
    return ColorRGBA(r=r, g=g, b=b, a=_OPACITY)
