"""Preferences for the configuration of a human-like arm, as a cost [Parent CIS 682, HAL].

The goal fixes the wrist, and leaves the elbow a circle. Four preferences choose a point of it, the
first ones before the others:

    1. away from the torso: no depth of elbow and forearm in a half-space or a capsule,
    2. inside the comfort zone of every joint,
    3. the forearm in line with the hand, or the elbow near a point,
    4. the cost of the option `prefer`.

Joint limits are no preference: a configuration outside them has no finite cost.
"""

import math
from typing import Any

try:
    import cython
except ImportError:
    from ik_node.support import cython

from ik_node.kinematics import forward
from ik_node.kinematics.forward import ChainRecord
from ik_node.solvers.analytic.selection import selection
from ik_node.solvers.settings import Scratch
from ik_node.spatial.vector3 import Vector3
from ik_node.support.arrays import Memory, Vector

if not cython.compiled:
    from ik_node.spatial.vector3 import (
        along,
        cross,
        dot,
        minus,
        motion_of,
        moved,
        norm,
        rotated,
    )

# Exact penalties: weights so far apart that a preference gives way to those before it.
_DEPTH, _DISCOMFORT, _GUIDE, _OWN = 1e6, 1e3, 1.0, 1e-7  # per m, per rad, per rad or m
_UNGUIDED = 1e-2  # weight of the selection cost where nothing else guides the elbow
_ELBOW = 3        # articulation of the elbow


class ArmPreference:
    """What is preferred of a 7R arm with spherical shoulder and wrist; poses in the base frame."""

    guided: bool
    """Whether a hint or the hand guides the elbow."""
    by_hand: bool
    """Whether that is the hand."""
    hint: Vector
    """(3,) point that the elbow is brought near to, m, base frame."""
    hand: Vector
    """(3,) unit vector that the forearm is brought in line with, tip frame."""
    elbow: Vector
    """(3,) the elbow point, m, frame after the fourth articulation."""
    wrist: Vector
    """(3,) where the last three axes meet, m, tip frame."""
    comfort_lower: Vector
    """(n,) rad; −inf where there is no comfort zone."""
    comfort_upper: Vector
    plane_point: Vector
    """(3,) a point of the torso's plane, m."""
    plane_normal: Vector
    """(3,) unit vector out of the torso; zero for none."""
    capsule_start: Vector
    """(3,) ends of the axis of the torso's capsule, m."""
    capsule_end: Vector
    capsule_radius: float
    """m; 0 for none."""

    def __init__(self, hint: Any, hand: Any, elbow: Any, wrist: Any, comfort: Any, plane: Any,
                 capsule: Any) -> None:
        """Copy what is preferred.

        hint, hand: (3,) or None. elbow, wrist (3,). comfort: (lower (n,), upper (n,)). plane (6,):
        point and normal. capsule (7,): both ends and the radius.
        """
        self.memory = memory = Memory()
        self.guided, self.by_hand = hint is not None or hand is not None, hand is not None
        self.hint = memory.vector((0.0, 0.0, 0.0) if hint is None else hint)
        self.hand = memory.vector((0.0, 0.0, 0.0) if hand is None else hand)
        self.elbow, self.wrist = memory.vector(elbow), memory.vector(wrist)
        self.comfort_lower = memory.vector(comfort[0])
        self.comfort_upper = memory.vector(comfort[1])
        self.plane_point = memory.vector(plane[:3])
        self.plane_normal = memory.vector(plane[3:])
        self.capsule_start = memory.vector(capsule[:3])
        self.capsule_end, self.capsule_radius = memory.vector(capsule[3:6]), capsule[6]

    def cost(self, chain: ChainRecord, work: Scratch, q: Vector, own: float) -> float:
        """Return the cost of a configuration q (7,); own: its cost as `Selection.cost`, finite."""
        total = 0.0
        if own >= selection.OUT_OF_MARGIN:
            total, own = selection.OUT_OF_MARGIN, own - selection.OUT_OF_MARGIN
        forward.chain_frames(chain, q, work.frames)
        elbow = moved(motion_of(work.frames[_ELBOW]), _vector(self.elbow))
        tip = motion_of(work.frames[chain.m])
        wrist = moved(tip, _vector(self.wrist))
        total += (_DEPTH * self.torso_depth(elbow, wrist)
                  + _DISCOMFORT * self.discomfort(q, chain.n))
        if not self.guided:
            return total + _UNGUIDED * own
        if self.by_hand:
            off = _angle_between(minus(wrist, elbow), rotated(tip, _vector(self.hand)))
        else:
            off = norm(minus(elbow, _vector(self.hint)))
        return total + _GUIDE * off + _OWN * own

    def discomfort(self, q: Vector, n: int) -> float:
        """Return by how much the joints of q (n,) are beyond their comfort zones in total, rad."""
        total = 0.0
        for k in range(n):
            total += max(self.comfort_lower[k] - q[k], q[k] - self.comfort_upper[k], 0.0)
        return total

    def torso_depth(self, elbow: Vector3, wrist: Vector3) -> float:
        """Return how deep the elbow and the forearm are in the torso in total, m.

        Both, since the forearm's depth is constant where the wrist is the deepest point.
        """
        normal, at = _vector(self.plane_normal), _vector(self.plane_point)
        elbow_depth = -dot(normal, minus(elbow, at))
        total = max(elbow_depth, 0.0) + max(elbow_depth, -dot(normal, minus(wrist, at)), 0.0)
        radius = self.capsule_radius
        if radius > 0.0:
            start, end = _vector(self.capsule_start), _vector(self.capsule_end)
            total += max(radius - distance_of_segments(elbow, elbow, start, end), 0.0)
            total += max(radius - distance_of_segments(elbow, wrist, start, end), 0.0)
        return total


def distance_of_segments(a: Vector3, b: Vector3, c: Vector3, d: Vector3) -> float:
    """Return the distance of the line segments a b and c d, m [Ericson 2004, 5.1.9].

    Each may be a point. The nearest points are a + s (b − a) and c + t (d − c).
    """
    u, v, r = minus(b, a), minus(d, c), minus(a, c)
    uu, vv, uv, ur, vr = dot(u, u), dot(v, v), dot(u, v), dot(u, r), dot(v, r)
    s = 0.0
    across = uu * vv - uv * uv
    if across > 0.0:
        s = min(max((uv * vr - ur * vv) / across, 0.0), 1.0)
    t = min(max((uv * s + vr) / vv, 0.0), 1.0) if vv > 0.0 else 0.0
    s = min(max((uv * t - ur) / uu, 0.0), 1.0) if uu > 0.0 else 0.0
    return norm(minus(along(a, s, u), along(c, t, v)))


def _angle_between(a: Vector3, b: Vector3) -> float:
    """Return the angle between two vectors, rad, in [0, π]."""
    return math.atan2(norm(cross(a, b)), dot(a, b))


def _vector(v: Vector) -> Vector3:
    """Return an array (3,) as a vector."""
    return v[0], v[1], v[2]
