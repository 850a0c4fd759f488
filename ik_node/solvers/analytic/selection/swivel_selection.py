"""Selection of the swivel angle: within the limits, by cost or nearest to an elbow hint.

The intervals of swivel angles inside the limits contain every solution, however narrow they are;
without an interval there is no solution.
"""

import math
from typing import Any

try:
    import cython
except ImportError:
    from ik_node.support import cython

from ik_node.kinematics.forward import ChainRecord
from ik_node.solvers import codes
from ik_node.solvers.analytic.families.swivel import Swivel
from ik_node.solvers.analytic.families.swivel_intervals import Intervals
from ik_node.solvers.analytic.selection.redundant_selection import RedundantSelection
from ik_node.solvers.settings import Settings
from ik_node.support.arrays import Points

if not cython.compiled:
    from ik_node.spatial.vector3 import composed, motion_of, row

INF, NAN, TWO_PI = math.inf, float('nan'), 2.0 * math.pi
INWARDS = 1e-7        # rad: distance from the end of an interval, against rounding
_WIDER = 5e-10        # rad: excess at which a joint is set back to its limit
_STEPS = 10           # of the refinement within an interval


class SwivelSelection(RedundantSelection):
    """Chooses the swivel angle of an arm with spherical shoulder and wrist.

    Samples are tried first, since they are cheap; the intervals contain the rest.
    """

    arm: Swivel
    """The family."""
    intervals: Intervals
    hinted: bool
    """Whether there is a hint."""
    hint: Points
    """(1, 3) point that the elbow is brought nearest to, m, base frame."""

    def __init__(self, chain: ChainRecord, settings: Settings, family: Swivel, margin: float,
                 samples: Any, hint: Any) -> None:
        """Prepare; samples (k, 1) in [0, 1). hint: (3,), or None."""
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
            RedundantSelection.choose(self)
            if self.end != codes.NONE and self._is_clear():
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

    def find_intervals(self, narrower: float) -> int:
        """Find the intervals inside limits narrowed by `narrower`, rad; return their number."""
        return self.intervals.find(
            self.family.structure,
            composed(motion_of(self.task.T), motion_of(self.family.structure.T_tip_base)),
            self.chain.lower, self.chain.upper, narrower)

    def _hinted_angle(self) -> float:
        """Return the swivel angle with the elbow nearest to the hint; NaN without one."""
        if not self.hinted:
            return NAN
        return self.arm.towards(
            composed(motion_of(self.task.T), motion_of(self.family.structure.T_tip_base)),
            row(self.hint, 0))

    def _is_clear(self) -> bool:
        """Tell whether q keeps the margin from the limits."""
        for k in range(self.chain.n):
            if min(self.q[k] - self.chain.lower[k],
                   self.chain.upper[k] - self.q[k]) < self.margin:
                return False
        return True

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
        if best < INF and self.settings.prefer != codes.FIRST:
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
            inwards = math.copysign(min(INWARDS, math.fabs(middle - near)), middle - near)
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
