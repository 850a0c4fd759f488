"""Selection of the swivel angle: by cost, by an elbow hint, or as a human-like arm prefers.

The intervals of swivel angles inside the limits contain every solution, however narrow they are;
without an interval there is no solution.
"""

import math
from typing import Any

import cython
import numpy as np

from ik_node.kinematics import forward
from ik_node.kinematics.forward import ChainRecord
from ik_node.solvers import codes
from ik_node.solvers.analytic.families.swivel import Swivel
from ik_node.solvers.analytic.families.swivel_intervals import Intervals
from ik_node.solvers.analytic.recognition.nominal import Structure
from ik_node.solvers.analytic.selection import redundant_selection, selection
from ik_node.solvers.analytic.selection.redundant_selection import RedundantSelection
from ik_node.solvers.kernel.settings import ArmData, Settings
from ik_node.solvers.options import ClosedFormOptions
from ik_node.spatial.vector3 import Vector3
from ik_node.support.arrays import Memory, Vector
from ik_node.support.exceptions import OptionError

if not cython.compiled:
    from ik_node.spatial.vector3 import *

INF, NAN, TWO_PI = math.inf, float('nan'), 2.0 * math.pi
_INWARDS = 1e-7        # rad: distance from the end of an interval, against rounding
_WIDER = 5e-10        # rad: excess at which a joint is set back to its limit
_HIDDEN = 1e-4        # rad: excess by which rounding may hide a straight elbow
_STEPS = 10           # of the refinement within an interval
_REFINED = 3          # minima among the samples that are refined for an arm's preferences
_ARM_STEPS = 16       # of such a refinement
# Exact penalties: weights so far apart that a preference gives way to those before it.
_DEPTH, _DISCOMFORT, _GUIDE, _OWN = 1e6, 1e3, 1.0, 1e-7  # per m, per rad, per rad or m
_UNGUIDED = 1e-2  # weight of the selection cost where nothing else guides the elbow
_ELBOW = 3        # articulation of the elbow
_SHORT = 1e-9     # length of a direction that is none
_ZERO = (0.0, 0.0, 0.0)


class ArmPreference:
    """Preferences for a human-like arm, as a cost; poses in the base frame [Parent CIS 682, HAL].

    The goal fixes the wrist, and leaves the elbow a circle. Four preferences choose a point of it,
    the first ones before the others:

        1. away from the torso: no depth of elbow and forearm in a half-space or a capsule,
        2. inside the comfort zone of every joint,
        3. the forearm in line with the hand, or the elbow near a point,
        4. the cost of the option `prefer`.

    Joint limits are no preference: a configuration outside them has no finite cost.
    """

    def __init__(self, options: ClosedFormOptions, structure: Structure, chain: Any,
                 owner: str) -> None:
        """Take what options prefer of a `Chain`.

        owner: the name of the solver, for the messages. Raises OptionError for contradictory
        options, and for directions without length.
        """
        self.memory = memory = Memory()
        hint, hand = options.elbow, options.hand_axis
        if hint is not None and hand is not None:
            raise OptionError(f'{owner}.hand_axis and {owner}.elbow both determine where the elbow '
                              'is: one of them must be None')
        self.guided, self.by_hand = hint is not None or hand is not None, hand is not None
        self.hint = _ZERO if hint is None else _three(hint)
        self.hand = _ZERO if hand is None else _unit(hand, f'{owner}.hand_axis')  # tip frame
        (s, _, _, p, w), h = structure.points[:5], structure.axes[3]
        elbow = p + h * (h @ (s - p))  # nearest to the shoulder on axis 4
        T = np.linalg.multi_dot(chain.arrays.placement[:4])
        # In the frame after the fourth articulation
        self.elbow = _three(np.linalg.solve(T, np.append(elbow, 1.0)))
        # Where the last three axes meet, tip frame
        self.wrist = _three(structure.T_tip_base[:3, :3] @ w + structure.T_tip_base[:3, 3])
        lower, upper = _comfort_zone(chain, options.comfort_zone)
        self.comfort_lower, self.comfort_upper = memory.vector(lower), memory.vector(upper)
        plane, capsule = options.torso_plane, options.torso_capsule
        self.plane_point = self.plane_normal = _ZERO  # a normal of zero: no plane
        if plane is not None:
            self.plane_point = _three(plane)
            self.plane_normal = _unit(plane[3:], f'{owner}.torso_plane[3:]')
        self.capsule_start, self.capsule_end, self.capsule_radius = _ZERO, _ZERO, 0.0
        if capsule is not None:
            if not capsule[6] > 0.0:
                raise OptionError(f'{owner}.torso_capsule[6], the radius, must be above 0 m, not '
                                  f'{capsule[6]:g}')
            self.capsule_start, self.capsule_end = _three(capsule), _three(capsule[3:])
            self.capsule_radius = capsule[6]

    def cost(self, chain: ChainRecord, work: ArmData, q: Vector, own: float) -> float:
        """Return the cost of a configuration q (7,); own: its cost as `Selection.cost`, finite."""
        total = 0.0
        if own >= selection.OUT_OF_MARGIN:
            total, own = selection.OUT_OF_MARGIN, own - selection.OUT_OF_MARGIN
        forward.chain_frames(chain, q, work.frames)
        elbow = transform_point(transform_of(work.frames[_ELBOW]), self.elbow)
        tip = transform_of(work.frames[chain.m])
        wrist = transform_point(tip, self.wrist)
        total += (_DEPTH * self.torso_depth(elbow, wrist)
                  + _DISCOMFORT * self.discomfort(q, chain.n))
        if not self.guided:
            return total + _UNGUIDED * own
        if self.by_hand:
            off = _angle_between(minus(wrist, elbow), rotated(tip, self.hand))
        else:
            off = norm(minus(elbow, self.hint))
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
        normal, at = self.plane_normal, self.plane_point
        elbow_depth = -dot(normal, minus(elbow, at))
        total = max(elbow_depth, 0.0) + max(elbow_depth, -dot(normal, minus(wrist, at)), 0.0)
        radius = self.capsule_radius
        if radius > 0.0:
            start, end = self.capsule_start, self.capsule_end
            total += max(radius - distance_of_segments(elbow, elbow, start, end), 0.0)
            total += max(radius - distance_of_segments(elbow, wrist, start, end), 0.0)
        return total


class SwivelSelection(RedundantSelection):
    """Chooses the swivel angle of an arm with spherical shoulder and wrist.

    Samples are tried first, since they are cheap; the intervals contain the rest. The cost of a
    human-like arm's preferences has a kink wherever one begins to hold, and jumps where a branch
    leaves its limits: the lowest samples are refined, and the best of the intervals.
    """

    def __init__(self, chain: ChainRecord, settings: Settings, family: Swivel, margin: float,
                 samples: Any, hint: Any, wanted: ArmPreference | None = None) -> None:
        """Prepare; samples (k, 1) in [0, 1).

        hint: a point (3,) that the elbow is brought nearest to, m, base frame; None for none.
        wanted: what is preferred of a human-like arm; where it has no configuration, the rest
        decides.
        """
        super().__init__(chain, settings, family, margin, [-math.pi], [math.pi], samples)
        self.arm, self.intervals, self.hinted = family, Intervals(), hint is not None
        self.hint, self.wanted = _ZERO if hint is None else _three(hint), wanted
        self.by_arm = False  # whether the cost is that of the preferences

    def choose(self) -> None:
        """Set the swivel angle, q, its errors and `end`."""
        if self.wanted is not None:
            self.by_arm = True
            self._choose_by_arm()
            self.by_arm = False
            if self.end != codes.NONE:
                return
        wanted = NAN
        if self.hinted:
            wanted = self.arm.towards(self.arm.motion_to(self.task.T), self.hint)
        hinted = not math.isnan(wanted)
        if hinted:
            self.end, self.position, self.orientation = codes.NONE, INF, INF
        else:
            self.choose_by_samples()
            if self.end != codes.NONE and self.keeps_margin(self.q):
                return
            wanted = self.arm.own_parameter(self.q0)
            if self.end == codes.NONE:
                self.parameters[0] = wanted
        for stage in range(3):
            if stage == 0 and self.margin == 0.0:
                continue
            if stage > 0 and self.end != codes.NONE:  # inside the limits, none keeps the margin
                return
            narrower = self.margin if stage == 0 else (0.0 if stage == 1 else -_WIDER)
            if self.find_intervals(narrower) == 0:
                continue
            if not hinted:
                self.parameters[0] = wanted
                self.around = TWO_PI
                self._choose_near(self._best_of_intervals(wanted), _STEPS)
            if self.end == codes.NONE:
                self._choose_nearest(wanted)
        if self.end == codes.NONE:
            self.approach_limits()

    def cost(self, q: Vector, room: float) -> float:
        """Return the cost of a branch q (7,), infinite outside the limits; see `Selection`."""
        own = RedundantSelection.cost(self, q, room)
        if self.wanted is None or not self.by_arm or own == INF:
            return own
        return self.wanted.cost(self.chain, self.work, q, own)

    def approach_limits(self) -> None:
        """Choose from the intervals of wider limits.

        Rounding hides those inside the limits where the elbow is nearly straight.
        """
        for i in range(self.find_intervals(-_HIDDEN)):
            self.parameters[0] = 0.5 * (self.intervals.found[i][3] + self.intervals.found[i][4])
            if self.least_cost(self.q) < INF and self.is_met_inside():
                return

    def find_intervals(self, narrower: float) -> int:
        """Find the intervals inside limits narrowed by `narrower`, rad; return their number."""
        return self.intervals.find(self.arm, self.arm.motion_to(self.task.T), self.chain.lower,
                                   self.chain.upper, narrower)

    def _choose_by_arm(self) -> None:
        """Choose by the preferences; `end` is NONE where samples and intervals have no branch."""
        parameters, best, at = self.parameters, INF, 0.0
        self.end, self.position, self.orientation = codes.NONE, INF, INF
        self._bound()
        for k in range(self.tried):
            parameters[0] = self.low[0] + self.values[k] * (self.high[0] - self.low[0])
            self.costs[k] = self.least_cost(self.trial)
        around = TWO_PI / self.tried
        for k in range(_REFINED + 1):
            if k < _REFINED:
                cost = self.next_minimum(_ARM_STEPS)
            elif self.find_intervals(0.0) > 0:
                cost, x = self._best_of_intervals(self.arm.own_parameter(self.q0)), parameters[0]
                parameters[0] = self.minimum(x - around, x, x + around, cost, _ARM_STEPS)
                cost = self.least_cost(self.q)
            if cost < best:
                best, at = cost, parameters[0]
        if best < redundant_selection.OUTSIDE:
            parameters[0] = at
            self.prefer_branch()

    def _best_of_intervals(self, wanted: float) -> float:
        """Set the angle to the one of least cost among four of each interval; return that cost.

        These are the one nearest to `wanted`, the middle, and the ends. The bounds of the angle
        are then those of its interval.
        """
        parameters, best, at = self.parameters, INF, self.parameters[0]
        for i in range(self.intervals.count):
            begin, end = self.intervals.found[i][3], self.intervals.found[i][4]
            inwards = min(_INWARDS, 0.5 * (end - begin))
            for k in range(4):
                parameters[0], _off = into_interval(wanted, begin, end)
                if k > 0:
                    parameters[0] = (0.5 * (begin + end) if k == 1 else
                                     (begin + inwards if k == 2 else end - inwards))
                cost = self.least_cost(self.q)
                if cost < best:
                    best, at, self.low[0], self.high[0] = cost, parameters[0], begin, end
        parameters[0] = at
        return best

    def _choose_nearest(self, wanted: float) -> None:
        """Choose at the angle nearest to `wanted` in an interval, the nearest intervals first."""
        found, tried = self.intervals.found, self.intervals.tried
        for i in range(self.intervals.count):
            tried[i] = 0
        for _ in range(self.intervals.count):
            nearest, least = -1, INF
            for i in range(self.intervals.count):
                _near, off = into_interval(wanted, found[i][3], found[i][4])
                if not tried[i] and off < least:
                    nearest, least = i, off
            if nearest < 0:
                break
            tried[nearest] = 1
            middle = 0.5 * (found[nearest][3] + found[nearest][4])
            near, _off = into_interval(wanted, found[nearest][3], found[nearest][4])
            inwards = math.copysign(min(_INWARDS, math.fabs(middle - near)), middle - near)
            for k in range(3):
                self.parameters[0] = near if k == 0 else (near + inwards if k == 1 else middle)
                self.prefer_branch()
                if self.end != codes.NONE:
                    return


def into_interval(psi: float, begin: float, end: float) -> tuple[float, float]:
    """Return (the angle nearest to psi in an interval, how far it is from psi), rad."""
    off = psi - begin
    off -= TWO_PI * math.floor(off / TWO_PI)
    length = end - begin
    if off <= length:
        return begin + off, 0.0
    before = TWO_PI - off
    if before < off - length:
        return begin, before
    return end, off - length


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


def _three(values: Any) -> Vector3:
    """Return the first three of an array as a vector."""
    x, y, z = np.asarray(values, dtype=float)[:3].tolist()
    return x, y, z


def _unit(direction: np.ndarray, name: str) -> Vector3:
    """Return a direction (3,) as a unit vector. Raises OptionError for zero."""
    length = float(np.linalg.norm(direction))
    if not length > _SHORT:
        raise OptionError(f'{name} must be a direction, not {direction.tolist()}')
    return _three(direction / length)
