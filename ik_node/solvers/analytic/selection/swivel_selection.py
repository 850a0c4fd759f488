"""Selection of the swivel angle: by cost, by an elbow hint, or as a human-like arm prefers.

The intervals of swivel angles inside the limits contain every solution, however narrow they are;
without an interval there is no solution.
"""

import math
from typing import Any

try:
    import cython
except ImportError:
    from ik_node.support import cython
import numpy as np

from ik_node.kinematics.forward import ChainRecord
from ik_node.solvers import codes
from ik_node.solvers.analytic.families.swivel import Swivel
from ik_node.solvers.analytic.families.swivel_intervals import Intervals
from ik_node.solvers.analytic.selection import redundant_selection
from ik_node.solvers.analytic.selection.arm_preference import ArmPreference
from ik_node.solvers.analytic.selection.redundant_selection import RedundantSelection
from ik_node.solvers.kernel.settings import Settings
from ik_node.support.arrays import Vector

if not cython.compiled:
    from ik_node.spatial.vector3 import row

INF, NAN, TWO_PI = math.inf, float('nan'), 2.0 * math.pi
_INWARDS = 1e-7        # rad: distance from the end of an interval, against rounding
_WIDER = 5e-10        # rad: excess at which a joint is set back to its limit
_HIDDEN = 1e-4        # rad: excess by which rounding may hide a straight elbow
_STEPS = 10           # of the refinement within an interval
_ANGLES = 40          # samples of the whole circle
_SPACING = 2.0 * math.pi / _ANGLES
_REFINED = 3          # minima among the samples that are refined
_ARM_STEPS = 16       # of such a refinement


class SwivelSelection(RedundantSelection):
    """Chooses the swivel angle of an arm with spherical shoulder and wrist.

    Samples are tried first, since they are cheap; the intervals contain the rest.
    """

    def __init__(self, chain: ChainRecord, settings: Settings, family: Swivel, margin: float,
                 samples: Any, hint: Any) -> None:
        """Prepare; samples (k, 1) in [0, 1).

        hint: a point (3,) that the elbow is brought nearest to, m, base frame; None for none.
        """
        super().__init__(chain, settings, family, margin, [-math.pi], [math.pi], samples)
        self.arm, self.intervals, self.hinted = family, Intervals(), hint is not None
        self.hint = self.memory.points([(0.0, 0.0, 0.0) if hint is None else hint])

    def choose(self) -> None:
        """Set the swivel angle, q, its errors and `end`."""
        wanted = self._hinted_angle()
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
                self._choose_within(wanted)
                self.prefer_branch()
            if self.end == codes.NONE:
                self._choose_nearest(wanted)
        if self.end == codes.NONE:
            self.approach_limits()

    def approach_limits(self) -> None:
        """Choose from the intervals of wider limits.

        Rounding hides those inside the limits where the elbow is nearly straight.
        """
        for i in range(self.find_intervals(-_HIDDEN)):
            self.parameters[0] = 0.5 * (self.intervals.begin[i] + self.intervals.end[i])
            if self.least_cost(self.q) < INF and self.is_met_inside():
                return

    def find_intervals(self, narrower: float) -> int:
        """Find the intervals inside limits narrowed by `narrower`, rad; return their number."""
        return self.intervals.find(self.arm, self.arm.motion_to(self.task.T), self.chain.lower,
                                   self.chain.upper, narrower)

    def _hinted_angle(self) -> float:
        """Return the swivel angle with the elbow nearest to the hint; NaN without one."""
        if not self.hinted:
            return NAN
        return self.arm.towards(self.family.motion_to(self.task.T), row(self.hint, 0))

    def _choose_within(self, wanted: float) -> None:
        """Set the angle to the one of least cost in the intervals."""
        begin, end, parameters = self.intervals.begin, self.intervals.end, self.parameters
        best, at, low, high = INF, wanted, wanted, wanted
        for i in range(self.intervals.count):
            for k in range(2):
                if k == 0:
                    parameters[0], _off = into_interval(wanted, begin[i], end[i])
                else:
                    parameters[0] = 0.5 * (begin[i] + end[i])
                cost = self.least_cost(self.q)
                if cost < best:
                    best, at, low, high = cost, parameters[0], begin[i], end[i]
        parameters[0] = at
        if best < redundant_selection.OUTSIDE and self.settings.prefer != codes.FIRST:
            parameters[0] = self.minimum(low, at, high, best, _STEPS)

    def _choose_nearest(self, wanted: float) -> None:
        """Choose at the angle nearest to `wanted` in an interval, the nearest intervals first."""
        begin, end, tried = self.intervals.begin, self.intervals.end, self.intervals.tried
        for i in range(self.intervals.count):
            tried[i] = 0
        for _ in range(self.intervals.count):
            nearest, least = -1, INF
            for i in range(self.intervals.count):
                _near, off = into_interval(wanted, begin[i], end[i])
                if not tried[i] and off < least:
                    nearest, least = i, off
            if nearest < 0:
                break
            tried[nearest] = 1
            middle = 0.5 * (begin[nearest] + end[nearest])
            near, _off = into_interval(wanted, begin[nearest], end[nearest])
            inwards = math.copysign(min(_INWARDS, math.fabs(middle - near)), middle - near)
            for k in range(3):
                self.parameters[0] = near if k == 0 else (near + inwards if k == 1 else middle)
                self.prefer_branch()
                if self.end != codes.NONE:
                    return


class ArmSelection(SwivelSelection):
    """Chooses what a human-like arm prefers; where it has no configuration, as its base class.

    The cost has a kink wherever a preference begins to hold and jumps where a branch leaves its
    limits: samples of the circle and of each interval within the limits are refined where they are
    lowest.
    """

    def __init__(self, chain: ChainRecord, settings: Settings, family: Swivel, margin: float,
                 samples: Any, hint: Any, wanted: ArmPreference) -> None:
        """Prepare; wanted: the preferences. The others: see `SwivelSelection`."""
        super().__init__(chain, settings, family, margin, samples, hint)
        self.wanted, self.by_arm = wanted, False  # whether the cost is that of the preferences
        self.costs = self.memory.vector(np.zeros(_ANGLES))  # of the samples; inf outside limits

    def choose(self) -> None:
        """Set the swivel angle, q, its errors and `end`."""
        self.by_arm = True
        self._choose_by_arm()
        self.by_arm = False
        if self.end == codes.NONE:
            SwivelSelection.choose(self)

    def cost(self, q: Vector, room: float) -> float:
        """Return the cost of a branch q (7,), infinite outside the limits; see `Selection`."""
        own = SwivelSelection.cost(self, q, room)
        if not self.by_arm or own == INF:
            return own
        return self.wanted.cost(self.chain, self.work, q, own)

    def _choose_by_arm(self) -> None:
        """Choose by the preferences; `end` is NONE where samples and intervals have no branch."""
        parameters = self.parameters
        self.end, self.position, self.orientation = codes.NONE, INF, INF
        self.find_intervals(0.0)
        best = self._best_of_intervals()
        at = parameters[0]
        self._sample_circle()
        for k in range(_REFINED + 1):
            x, cost = at, best
            if k > 0:
                lowest, cost = redundant_selection.take_minimum(self.costs, _ANGLES)
                if lowest < 0:
                    break
                x = _angle(lowest)
            if cost >= redundant_selection.OUTSIDE:
                continue
            parameters[0] = self.minimum(x - _SPACING, x, x + _SPACING, cost, _ARM_STEPS)
            cost = self.least_cost(self.q)
            if cost < best:
                best, at = cost, parameters[0]
        if best < redundant_selection.OUTSIDE:
            parameters[0] = at
            self.prefer_branch()

    def _best_of_intervals(self) -> float:
        """Set the angle to the best among the ends and the middle of each interval.

        Return its cost.
        """
        parameters, best, at = self.parameters, INF, 0.0
        for i in range(self.intervals.count):
            begin, end = self.intervals.begin[i], self.intervals.end[i]
            inwards = min(_INWARDS, 0.5 * (end - begin))
            for k in range(3):
                parameters[0] = (begin + inwards if k == 0 else
                                 (end - inwards if k == 1 else 0.5 * (begin + end)))
                cost = self.least_cost(self.q)
                if cost < best:
                    best, at = cost, parameters[0]
        parameters[0] = at
        return best

    def _sample_circle(self) -> None:
        """Write the cost of each sample of the circle, infinite outside the intervals."""
        for k in range(_ANGLES):
            self.costs[k] = INF
            for i in range(self.intervals.count):
                _near, off = into_interval(
                    _angle(k), self.intervals.begin[i], self.intervals.end[i])
                if off == 0.0:
                    self.parameters[0] = _angle(k)
                    self.costs[k] = self.least_cost(self.q)
                    break


def _angle(k: int) -> float:
    """Return the swivel angle of sample k, rad."""
    return (k + 0.5) * _SPACING - math.pi


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
