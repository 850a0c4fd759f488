"""The optimum of one joint, with all others fixed, in closed form [Welman 1993].

For the joint with the axis a through r, the tip's and the goal's positions seen from r are p_c and
p_d, and u_c, u_d the axes of the tip's and the goal's frames. A rotation by φ leaves
`c₁ cos φ + s₁ sin φ + c₂ cos 2φ + s₂ sin 2φ` to be maximised; the second harmonic is zero unless
axes of the goal's position have different weights. Welman's `k1(1 − cos φ) + k2 cos φ + k3 sin φ`
is the same with c₁ = k2 − k1 and s₁ = k3.
"""

import math
from typing import Any

from ik_node.kinematics import kinds
from ik_node.kinematics.forward import ChainRecord
from ik_node.solvers import codes
from ik_node.solvers.kernel.settings import Settings
from ik_node.solvers.kernel.task import TipTask
from ik_node.spatial import so3
from ik_node.support.arrays import Pose, Vector

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
    along, length = 0.0, 0.0
    for j in range(3):
        weight = task.weights[j] ** 2
        if weight == 0.0:
            continue
        error, share = 0.0, 0.0
        for i in range(3):
            axis = _task_axis(task, i, j)
            error += axis * (task.T[i][3] - T[i][3])
            share += axis * frame[i][2]
        along += weight * error * share
        length += weight * share * share
    if length < 1e-12:
        return 0.0, 0.0
    value = min(max(along / length, low), high)
    return value, 2.0 * value * along - value * value * length


def _harmonics(task: TipTask, settings: Settings, own: CcdSettings, frame: Pose,
               T: Pose) -> tuple[float, float, float, float]:
    """Return (c₁, s₁, c₂, s₂) of the score of a rotation about the frame's z axis."""
    G = task.T
    c1, s1, c2, s2 = 0.0, 0.0, 0.0, 0.0
    px, py, pz = T[0][3] - frame[0][3], T[1][3] - frame[1][3], T[2][3] - frame[2][3]
    dx, dy, dz = G[0][3] - frame[0][3], G[1][3] - frame[1][3], G[2][3] - frame[2][3]
    ax, ay, az = frame[0][2], frame[1][2], frame[2][2]
    along = ax * px + ay * py + az * pz
    # p(φ) = along·a + b cos φ + c sin φ; d is the desired position less the constant part.
    bx, by, bz = px - along * ax, py - along * ay, pz - along * az
    cx, cy, cz = ay * pz - az * py, az * px - ax * pz, ax * py - ay * px
    dx, dy, dz = dx - along * ax, dy - along * ay, dz - along * az
    for j in range(3):
        weight = task.weights[j] ** 2
        if weight == 0.0:
            continue
        gx, gy, gz = _task_axis(task, 0, j), _task_axis(task, 1, j), _task_axis(task, 2, j)
        b = gx * bx + gy * by + gz * bz
        c = gx * cx + gy * cy + gz * cz
        d = gx * dx + gy * dy + gz * dz
        c1 += weight * d * b
        s1 += weight * d * c
        if task.along_goal:
            c2 += 0.25 * weight * (c * c - b * b)
            s2 -= 0.5 * weight * b * c
    tip, goal = math.sqrt(px * px + py * py + pz * pz), math.sqrt(
        (G[0][3] - frame[0][3]) ** 2 + (G[1][3] - frame[1][3]) ** 2 + (G[2][3] - frame[2][3]) ** 2)
    nearness = min(tip, goal) / max(tip, goal) if max(tip, goal) > 0.0 else 1.0
    # w_p = k (1 + ρ)/W², since p·p is in m² (the slides print k/W).
    scale = own.position_weight * (1.0 + nearness) / settings.length ** 2
    c1, s1, c2, s2 = scale * c1, scale * s1, scale * c2, scale * s2
    if task.heading >= 0:
        # The desired axis has the heading of the goal's, and the tip's angle to the constrained.
        i, j = task.heading, (task.heading + 1) % 3
        ux, uy, uz = T[0][j], T[1][j], T[2][j]
        a = G[0][i] * ux + G[1][i] * uy + G[2][i] * uz
        across = math.sqrt(max(1.0 - a * a, 0.0))
        if across < so3.NO_HEADING:
            a, across = 0.0, 1.0
        weight = 2.0 * own.orientation_weight * (
            task.weights[3 + i] / max(across, LEAST_ACROSS)) ** 2
        vx, vy, vz = (a * G[0][i] + across * G[0][j], a * G[1][i] + across * G[1][j],
                      a * G[2][i] + across * G[2][j])
        c1 += weight * (ux * vx + uy * vy + uz * vz
                        - (ux * ax + uy * ay + uz * az) * (vx * ax + vy * ay + vz * az))
        s1 += weight * (ax * (uy * vz - uz * vy) + ay * (uz * vx - ux * vz)
                        + az * (ux * vy - uy * vx))
        return c1, s1, c2, s2
    for j in range(3):
        # A rotation about one axis misaligns the other two: axis weights from rotation weights.
        weight = 0.0
        for i in range(3):
            weight += (-1.0 if i == j else 1.0) * task.weights[3 + i] ** 2
        weight *= own.orientation_weight
        if weight == 0.0:
            continue
        ux, uy, uz = T[0][j], T[1][j], T[2][j]
        vx, vy, vz = G[0][j], G[1][j], G[2][j]
        c1 += weight * (ux * vx + uy * vy + uz * vz
                        - (ux * ax + uy * ay + uz * az) * (vx * ax + vy * ay + vz * az))
        s1 += weight * (ax * (uy * vz - uz * vy) + ay * (uz * vx - ux * vz)
                        + az * (ux * vy - uy * vx))
    return c1, s1, c2, s2


def _task_axis(task: TipTask, i: int, j: int) -> float:
    """Return component i of axis j of the position weights, base frame."""
    if task.along_goal:
        return task.T[i][j]
    return 1.0 if i == j else 0.0


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
