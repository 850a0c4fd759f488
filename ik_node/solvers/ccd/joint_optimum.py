"""The optimum of one joint, with all others fixed, in closed form [Welman 1993].

For the joint with the axis a through r, the tip's and the goal's positions seen from r are p_c and
p_d, and u_c, u_d the axes of the tip's and the goal's frames. A rotation by φ leaves
`c₁ cos φ + s₁ sin φ + c₂ cos 2φ + s₂ sin 2φ` to be maximised; the second harmonic is zero unless
axes of the goal's position have different weights. Welman's `k1(1 − cos φ) + k2 cos φ + k3 sin φ`
is the same with c₁ = k2 − k1 and s₁ = k3.
"""

import math
from typing import Any

import cython

from ik_node.kinematics import kinds
from ik_node.kinematics.forward import ChainRecord
from ik_node.solvers import codes
from ik_node.solvers.kernel.settings import Settings
from ik_node.solvers.kernel.task import TipTask
from ik_node.spatial import so3
from ik_node.spatial.vector3 import Vector3
from ik_node.support.arrays import Pose, Vector

if not cython.compiled:
    from ik_node.spatial.vector3 import *

INF, PI, TWO_PI = math.inf, math.pi, 2.0 * math.pi
LEAST_ACROSS = 0.1  # sine of an angle: of a smaller one a heading counts less


class CcdSettings:
    """The options of cyclic coordinate descent as numbers."""

    def __init__(self, options: Any) -> None:
        self.order, self.position_weight = codes.ORDERS[options.order], options.position_weight
        self.orientation_weight = options.orientation_weight


def joint_optimum(chain: ChainRecord, task: TipTask, settings: Settings, own: CcdSettings,
                  frame: Pose, T: Pose, k: int, limited: bool, swing: bool,
                  q: Vector) -> tuple[float, float]:
    """Return (best change of joint k, its gain); frame is joint k's, T the tip's.

    limited: whether joint limits and max_step hold; swing: whether a whole turn may bring it
    inside the limits.
    """
    column = chain.column[k]
    if chain.shared[k] or not chain.lower[column] < chain.upper[column]:
        return 0.0, 0.0
    ratio = chain.ratio[k]
    low, high = -INF, INF
    if limited:
        low, high = chain.lower[column] - q[column], chain.upper[column] - q[column]
        if ratio < 0.0:
            low, high = high, low
        low, high = ratio * low, ratio * high
    if chain.kind[k] == kinds.PRISMATIC:
        value, gain = _best_translation(task, frame, T, low, high)
    else:
        c1, s1, c2, s2 = _harmonics(task, settings, own, frame, T)
        value = _best_rotation(c1, s1, c2, s2, low, high, swing)
        gain = _score(c1, s1, c2, s2, value) - c1 - c2
    if gain <= 0.0:
        return 0.0, 0.0
    # A heavier joint moves less; a partial step still reduces the error.
    value *= settings.scale[column] ** 2
    if limited:
        bound = step_bound(settings, column) * math.fabs(ratio)
        value = min(max(value, -bound), bound)
    return value / ratio, gain


def step_bound(settings: Settings, column: int) -> float:
    """Return the largest change of a joint in one sweep, rad or m."""
    span = settings.span[column]
    return settings.max_step * (max(settings.length, span) if span > 0.0 else 1.0)


def _best_translation(task: TipTask, frame: Pose, T: Pose, low: float,
                      high: float) -> tuple[float, float]:
    """Return (best translation along the frame's z axis, its gain): (p_d − p_c)·a."""
    pull, length, error = 0.0, 0.0, minus(column_of(task.T, 3), column_of(T, 3))
    for j in range(3):
        weight, axis = task.weights[j] ** 2, _task_axis(task, j)
        share = dot(axis, column_of(frame, 2))
        pull += weight * dot(axis, error) * share
        length += weight * share * share
    if length < 1e-12:
        return 0.0, 0.0
    value = min(max(pull / length, low), high)
    return value, 2.0 * value * pull - value * value * length


def _harmonics(task: TipTask, settings: Settings, own: CcdSettings, frame: Pose,
               T: Pose) -> tuple[float, float, float, float]:
    """Return (c₁, s₁, c₂, s₂) of the score of a rotation about the frame's z axis."""
    G, a, r = task.T, column_of(frame, 2), column_of(frame, 3)
    c1, s1, c2, s2 = 0.0, 0.0, 0.0, 0.0
    p, goal = minus(column_of(T, 3), r), minus(column_of(G, 3), r)
    # p(φ) = height·a + b cos φ + c sin φ; d is the desired position less the constant part.
    height = dot(a, p)
    b, c, d = along(p, -height, a), cross(a, p), along(goal, -height, a)
    for j in range(3):
        weight = task.weights[j] ** 2
        if weight == 0.0:
            continue
        axis = _task_axis(task, j)
        on_b, on_c, on_d = dot(axis, b), dot(axis, c), dot(axis, d)
        c1 += weight * on_d * on_b
        s1 += weight * on_d * on_c
        if task.along_goal:
            c2 += 0.25 * weight * (on_c * on_c - on_b * on_b)
            s2 -= 0.5 * weight * on_b * on_c
    near, far = norm(p), norm(goal)
    nearness = min(near, far) / max(near, far) if max(near, far) > 0.0 else 1.0
    # w_p = k (1 + ρ)/W², since p·p is in m² (the slides print k/W).
    scale = own.position_weight * (1.0 + nearness) / settings.length ** 2
    c1, s1, c2, s2 = scale * c1, scale * s1, scale * c2, scale * s2
    if task.heading >= 0:
        # The desired axis has the heading of the goal's, and the tip's angle to the constrained.
        i, j = task.heading, (task.heading + 1) % 3
        cosine = dot(column_of(G, i), column_of(T, j))
        across = math.sqrt(max(1.0 - cosine * cosine, 0.0))
        if across < so3.NO_HEADING:
            cosine, across = 0.0, 1.0
        weight = 2.0 * own.orientation_weight * (
            task.weights[3 + i] / max(across, LEAST_ACROSS)) ** 2
        wanted = along(times(cosine, column_of(G, i)), across, column_of(G, j))
        on_b, on_c = _alignment(a, column_of(T, j), wanted, weight)
        return c1 + on_b, s1 + on_c, c2, s2
    for j in range(3):
        # A rotation about one axis misaligns the other two: axis weights from rotation weights.
        weight = 0.0
        for i in range(3):
            weight += (-1.0 if i == j else 1.0) * task.weights[3 + i] ** 2
        weight *= own.orientation_weight
        if weight != 0.0:
            on_b, on_c = _alignment(a, column_of(T, j), column_of(G, j), weight)
            c1 += on_b
            s1 += on_c
    return c1, s1, c2, s2


def _alignment(a: Vector3, u: Vector3, v: Vector3, weight: float) -> tuple[float, float]:
    """Return what (c₁, s₁) have of a weight on u·v, for a rotation of u about a."""
    return weight * (dot(u, v) - dot(u, a) * dot(v, a)), weight * dot(a, cross(u, v))


def _task_axis(task: TipTask, j: int) -> Vector3:
    """Return axis j of the position weights, base frame."""
    if task.along_goal:
        return column_of(task.T, j)
    return (1.0, 0.0, 0.0) if j == 0 else (0.0, 1.0, 0.0) if j == 1 else (0.0, 0.0, 1.0)


def _score(c1: float, s1: float, c2: float, s2: float, angle: float) -> float:
    score = c1 * math.cos(angle) + s1 * math.sin(angle)
    if c2 == 0.0 and s2 == 0.0:
        return score
    return score + c2 * math.cos(2.0 * angle) + s2 * math.sin(2.0 * angle)


def _best_rotation(c1: float, s1: float, c2: float, s2: float, low: float, high: float,
                   swing: bool) -> float:
    """Return the angle in [low, high] of the highest score.

    swing: whether it may lie a whole turn further, at the same configuration.
    """
    first = c1 * c1 + s1 * s1
    second = c2 * c2 + s2 * s2
    if first + second == 0.0:
        return 0.0
    peak = math.atan2(s1, c1)
    if second > 1e-20 * first:
        peak = _highest_peak(c1, s1, c2, s2)
    if low <= peak <= high:
        return peak
    for i in range(2):
        turned = peak + (TWO_PI if i == 0 else -TWO_PI)
        if swing and low <= turned <= high:
            return turned
    if _score(c1, s1, c2, s2, low) > _score(c1, s1, c2, s2, high):
        return low
    return high


def _highest_peak(c1: float, s1: float, c2: float, s2: float) -> float:
    """Return where the score with a second harmonic is highest: sampled, then Newton's method."""
    peak, highest = 0.0, -INF
    for i in range(16):
        angle = (i - 7.5) * PI / 8.0
        score = _score(c1, s1, c2, s2, angle)
        if score > highest:
            peak, highest = angle, score
    for _ in range(20):
        slope = (-c1 * math.sin(peak) + s1 * math.cos(peak)
                 - 2.0 * c2 * math.sin(2.0 * peak) + 2.0 * s2 * math.cos(2.0 * peak))
        bend = (-c1 * math.cos(peak) - s1 * math.sin(peak)
                - 4.0 * c2 * math.cos(2.0 * peak) - 4.0 * s2 * math.sin(2.0 * peak))
        if not bend < 0.0:
            break
        peak -= slope / bend
        if math.fabs(slope) < 1e-14 * math.fabs(bend):
            break
    return peak - TWO_PI * round(peak / TWO_PI)
