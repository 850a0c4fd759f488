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
import numpy as np

from ik_node.kinematics import forward
from ik_node.kinematics.forward import ChainRecord
from ik_node.solvers.analytic.selection import selection
from ik_node.solvers.analytic.structure import Structure
from ik_node.solvers.kernel.settings import Scratch
from ik_node.solvers.options import ClosedFormOptions
from ik_node.spatial.vector3 import Vector3
from ik_node.support.arrays import Memory, Vector
from ik_node.support.exceptions import OptionError

if not cython.compiled:
    from ik_node.spatial.vector3 import along, cross, dot, minus, motion_of, moved, norm, rotated

# Exact penalties: weights so far apart that a preference gives way to those before it.
_DEPTH, _DISCOMFORT, _GUIDE, _OWN = 1e6, 1e3, 1.0, 1e-7  # per m, per rad, per rad or m
_UNGUIDED = 1e-2  # weight of the selection cost where nothing else guides the elbow
_ELBOW = 3        # articulation of the elbow
_SHORT = 1e-9     # length of a direction that is none


class ArmPreference:
    """What is preferred of a 7R arm with spherical shoulder and wrist; poses in the base frame."""

    def __init__(self, options: ClosedFormOptions, structure: Structure, chain: Any,
                 owner: str) -> None:
        """Take what options prefer of a `model.ChainRecord`.

        owner: the name of the solver, for the messages. Raises OptionError for contradictory
        options, and for directions without length.
        """
        self.memory = memory = Memory()
        hint, hand = options.elbow, options.hand_axis
        if hint is not None and hand is not None:
            raise OptionError(f'{owner}.hand_axis and {owner}.elbow both determine where the elbow '
                              'is: one of them must be None')
        self.guided, self.by_hand = hint is not None or hand is not None, hand is not None
        self.hint = memory.vector(np.zeros(3) if hint is None else hint)
        self.hand = memory.vector(  # tip frame
            np.zeros(3) if hand is None else _unit(hand, f'{owner}.hand_axis'))
        (s, _, _, p, w), h = structure.points[:5], structure.axes[3]
        elbow = p + h * (h @ (s - p))  # nearest to the shoulder on axis 4
        T = np.linalg.multi_dot(chain.arrays.placement[:4])
        self.elbow = memory.vector(  # frame after the fourth articulation
            np.linalg.solve(T, np.append(elbow, 1.0))[:3])
        self.wrist = memory.vector(  # where the last three axes meet, tip frame
            structure.T_tip_base[:3, :3] @ w + structure.T_tip_base[:3, 3])
        lower, upper = _comfort_zone(chain, options.comfort_zone)
        self.comfort_lower, self.comfort_upper = memory.vector(lower), memory.vector(upper)
        plane, normal = options.torso_plane, np.zeros(3)  # a normal of zero: no plane
        if plane is not None:
            normal = _unit(plane[3:], f'{owner}.torso_plane[3:]')
        self.plane_point = memory.vector(np.zeros(3) if plane is None else plane[:3])
        self.plane_normal = memory.vector(normal)
        capsule = np.zeros(7) if options.torso_capsule is None else options.torso_capsule
        if options.torso_capsule is not None and not capsule[6] > 0.0:
            raise OptionError(f'{owner}.torso_capsule[6], the radius, must be above 0 m, not '
                              f'{capsule[6]:g}')
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


def _comfort_zone(chain: Any, part: np.ndarray | float | None) -> tuple[np.ndarray, np.ndarray]:
    """Return (lower, upper), (n,) each: the given part of the limits about their middle."""
    lower, upper = np.full(chain.n_joints, -math.inf), np.full(chain.n_joints, math.inf)
    if part is not None:
        bounded = np.isfinite(chain.lower) & np.isfinite(chain.upper)
        inside = 0.5 * (1.0 - np.broadcast_to(part, chain.n_joints)[bounded])
        span = chain.upper[bounded] - chain.lower[bounded]
        lower[bounded] = chain.lower[bounded] + inside * span
        upper[bounded] = chain.upper[bounded] - inside * span
    return lower, upper


def _unit(direction: np.ndarray, name: str) -> np.ndarray:
    """Return a direction (3,) as a unit vector. Raises OptionError for zero."""
    length = float(np.linalg.norm(direction))
    if not length > _SHORT:
        raise OptionError(f'{name} must be a direction, not {direction.tolist()}')
    return direction / length
