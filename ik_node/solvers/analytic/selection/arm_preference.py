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
from typing import Annotated, NamedTuple

from ik_node._jit import Layout, Shape, Vector, njit, rare
from ik_node.kinematics.forward import ChainArrays, chain_frames
from ik_node.solvers.analytic.selection.best_solution import OUT_OF_MARGIN, branch_cost
from ik_node.solvers.analytic.subproblems.vector3 import (
    Vector3,
    along,
    cross,
    dot,
    minus,
    motion_of,
    moved,
    norm,
    rotated,
)
from ik_node.solvers.settings import Settings, Work
from ik_node.solvers.task import Task

NOTHING, HINT, HAND = range(3)  # values of `ArmPreference.guide`

# Exact penalties: weights so far apart that a preference gives way to those before it.
_DEPTH, _DISCOMFORT, _GUIDE, _OWN = 1e6, 1e3, 1.0, 1e-7  # per m, per rad, per rad or m
_UNGUIDED = 1e-2  # weight of the selection cost where nothing else guides the elbow
_ELBOW = 3        # articulation of the elbow


class ArmPreference(NamedTuple):
    """What is preferred of a 7R arm with spherical shoulder and wrist; poses in the base frame."""

    guide: int
    """NOTHING, HINT or HAND."""
    hint: Annotated[Vector, Shape(3)]
    """Point that the elbow is brought near to, m, base frame."""
    hand: Annotated[Vector, Shape(3)]
    """Unit vector that the forearm is brought in line with, tip frame."""
    elbow: Annotated[Vector, Shape(3)]
    """The elbow point, m, frame after the fourth articulation."""
    wrist: Annotated[Vector, Shape(3)]
    """Where the last three axes meet, m, tip frame."""
    comfort_lower: Annotated[Vector, Shape('n')]
    """(n,) rad; −inf where there is no comfort zone."""
    comfort_upper: Annotated[Vector, Shape('n')]
    plane_point: Annotated[Vector, Shape(3)]
    """A point of the torso's plane, m."""
    plane_normal: Annotated[Vector, Shape(3)]
    """Unit vector out of the torso; zero for none."""
    capsule_start: Annotated[Vector, Shape(3)]
    """Ends of the axis of the torso's capsule, m."""
    capsule_end: Annotated[Vector, Shape(3)]
    capsule_radius: float
    """m; 0 for none."""


_LAYOUT = Layout(ArmPreference)
unpack_arm_preference = _LAYOUT.unpack


@rare
def arm_cost(chain: ChainArrays, settings: Settings, task: Task, work: Work, q0: Vector, q: Vector,
             margin: float, room: float) -> float:
    """Return the cost of a branch q (7,), infinite outside the limits.

    settings.method: an `ArmPreference`. As `best_solution.branch_cost`, whose cost comes last.
    """
    own = branch_cost(chain, settings, task, work, q0, q, margin, room)
    if own == math.inf:
        return own
    wanted = settings.method
    total = 0.0
    if own >= OUT_OF_MARGIN:
        total, own = OUT_OF_MARGIN, own - OUT_OF_MARGIN
    chain_frames(chain, q, work.frames)
    elbow = moved(motion_of(work.frames[_ELBOW]), _vector(wanted.elbow))
    tip = motion_of(work.frames[-1])
    wrist = moved(tip, _vector(wanted.wrist))
    total += _DEPTH * torso_depth(wanted, elbow, wrist) + _DISCOMFORT * discomfort(wanted, q)
    if wanted.guide == NOTHING:
        return total + _UNGUIDED * own
    if wanted.guide == HINT:
        off = norm(minus(elbow, _vector(wanted.hint)))
    else:
        off = _angle_between(minus(wrist, elbow), rotated(tip, _vector(wanted.hand)))
    return total + _GUIDE * off + _OWN * own


@njit
def discomfort(wanted: ArmPreference, q: Vector) -> float:
    """Return by how much the joints of q (n,) are beyond their comfort zones in total, rad."""
    total = 0.0
    for k in range(q.shape[0]):
        total += max(wanted.comfort_lower[k] - q[k], q[k] - wanted.comfort_upper[k], 0.0)
    return total


@njit
def torso_depth(wanted: ArmPreference, elbow: Vector3, wrist: Vector3) -> float:
    """Return how deep the elbow and the forearm are in the torso in total, m.

    Both, since the forearm's depth is constant where the wrist is the deepest point.
    """
    total = 0.0
    normal, at = _vector(wanted.plane_normal), _vector(wanted.plane_point)
    elbow_depth = -dot(normal, minus(elbow, at))
    total += max(elbow_depth, 0.0) + max(elbow_depth, -dot(normal, minus(wrist, at)), 0.0)
    radius = wanted.capsule_radius
    if radius > 0.0:
        start, end = _vector(wanted.capsule_start), _vector(wanted.capsule_end)
        total += max(radius - distance_of_segments(elbow, elbow, start, end), 0.0)
        total += max(radius - distance_of_segments(elbow, wrist, start, end), 0.0)
    return total


@njit
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


@njit
def _angle_between(a: Vector3, b: Vector3) -> float:
    """Return the angle between two vectors, rad, in [0, π]."""
    return math.atan2(norm(cross(a, b)), dot(a, b))


@njit
def _vector(v: Vector) -> Vector3:
    """Return an array (3,) as a vector."""
    return v[0], v[1], v[2]
