"""Selection of the configuration that a human-like arm prefers; see `arm_preference`."""

import math
from typing import Any

import numpy as np

from ik_node.kinematics.forward import ChainRecord
from ik_node.solvers import codes
from ik_node.solvers.analytic.families.swivel import Swivel
from ik_node.solvers.analytic.selection import swivel_selection
from ik_node.solvers.analytic.selection.arm_preference import ArmPreference
from ik_node.solvers.analytic.selection.swivel_selection import SwivelSelection
from ik_node.solvers.settings import Settings
from ik_node.support.arrays import Vector

INF = math.inf
_ANGLES = 40      # samples of the whole circle
_SPACING = 2.0 * math.pi / _ANGLES
_REFINED = 3      # minima among the samples that are refined
_STEPS = 16       # of a refinement


class ArmSelection(SwivelSelection):
    """Chooses what a human-like arm prefers; where it has no configuration, as its base class.

    The cost has a kink wherever a preference begins to hold and jumps where a branch leaves its
    limits: samples of the circle and of each interval within the limits are refined where they are
    lowest.
    """

    wanted: ArmPreference
    by_arm: bool
    """Whether the cost is that of the preferences."""
    costs: Vector
    """Of the samples of the circle; infinite outside the intervals."""

    def __init__(self, chain: ChainRecord, settings: Settings, family: Swivel, margin: float,
                 samples: Any, hint: Any, wanted: ArmPreference) -> None:
        """Prepare; wanted: the preferences. The others: see `SwivelSelection`."""
        super().__init__(chain, settings, family, margin, samples, hint)
        self.wanted, self.by_arm = wanted, False
        self.costs = self.memory.vector(np.zeros(_ANGLES))

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
        return self.wanted.cost(self.chain, self.buffers.work, q, own)

    def _choose_by_arm(self) -> None:
        """Choose by the preferences; `end` is NONE where samples and intervals have no branch."""
        costs, parameters = self.costs, self.parameters
        self.end, self.position, self.orientation = codes.NONE, INF, INF
        self.find_intervals(0.0)
        best = self._best_of_intervals()
        at = parameters[0]
        self._sample_circle()
        for k in range(_REFINED + 1):
            x, cost = at, best
            if k > 0:
                lowest = self._take_lowest()
                if lowest < 0:
                    break
                x, cost = _angle(lowest), costs[lowest]
                costs[lowest] = INF
            if cost == INF:
                continue
            parameters[0] = self.minimum(x - _SPACING, x, x + _SPACING, cost, _STEPS)
            cost = self.least_cost(self.q)
            if cost < best:
                best, at = cost, parameters[0]
        if best < INF:
            parameters[0] = at
            self.prefer_branch()

    def _best_of_intervals(self) -> float:
        """Set the angle to the best among the ends and the middle of each interval.

        Return its cost.
        """
        parameters, best, at = self.parameters, INF, 0.0
        for i in range(self.intervals.count):
            begin, end = self.intervals.begin[i], self.intervals.end[i]
            inwards = min(swivel_selection.INWARDS, 0.5 * (end - begin))
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
                _near, off = swivel_selection.into_interval(
                    _angle(k), self.intervals.begin[i], self.intervals.end[i])
                if off == 0.0:
                    self.parameters[0] = _angle(k)
                    self.costs[k] = self.least_cost(self.q)
                    break

    def _take_lowest(self) -> int:
        """Return the lowest of the local minima among the samples, −1 without any."""
        costs, best, lowest = self.costs, INF, -1
        for k in range(_ANGLES):
            if (costs[k] < best and costs[k] <= costs[(k + 1) % _ANGLES]
                    and costs[k] <= costs[(k + _ANGLES - 1) % _ANGLES]):
                best, lowest = costs[k], k
        return lowest


def _angle(k: int) -> float:
    """Return the swivel angle of sample k, rad."""
    return (k + 0.5) * _SPACING - math.pi
