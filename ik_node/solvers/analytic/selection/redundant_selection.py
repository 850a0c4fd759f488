"""Redundant arms: optimal choice of the redundancy parameters of a closed form.

A parameter is the value of a locked joint, the swivel angle of an arm with spherical shoulder and
wrist, or the angle of a planar arm's tip. Each choice of it gives a few branches; the search runs
over parameters and branches.
"""

import math
from typing import Any

import numpy as np

from ik_node.kinematics.forward import ChainRecord
from ik_node.solvers import codes
from ik_node.solvers.analytic.families.closed_family import ClosedFamily
from ik_node.solvers.analytic.refinement import newton, refinement
from ik_node.solvers.analytic.selection.selection import Selection
from ik_node.solvers.kernel import search
from ik_node.solvers.kernel.settings import Settings
from ik_node.support import arrays
from ik_node.support.arrays import Vector

INF, PI = math.inf, math.pi
FEASIBLE = 1e8     # costs below are of branches inside the limits and their margin
OUTSIDE = 1e12     # costs from here on are of branches outside the limits
_MINIMA, _DESCENT = 8, 40  # of the excess over the limits: how many are tried, steps of each
_NEAR = 0.05       # squared distance, rad² or m², within which no samples are needed
_AROUND = 0.05     # rad or m: half width of the search around the initial parameter
_FEW_STEPS, _STEPS = 5, 10  # of Brent's method: of the best sample, and near the initial guess
_NEARBY = 0.25     # squared error at the start, m² and rad², of a goal that is near it
_FIRST_STEPS = 8
_MET = 1e-12       # squared error, m² and rad²
_FINEST = 1e-6     # least distance of two parameters of Brent's method, rad or m
_GUESS_STEPS = 2   # of Newton's method, of a guess before its cost is computed
_GOLDEN = 0.5 * (3.0 - math.sqrt(5.0))


class RedundantSelection(Selection):
    """Chooses the parameters, too: near those of q0, else among samples, and by Brent's method."""

    def __init__(self, chain: ChainRecord, settings: Settings, family: ClosedFamily, margin: float,
                 lower: Any, upper: Any, samples: Any) -> None:
        """Prepare.

        lower, upper (p,): bounds of the parameters, rad or m, ±inf for none; for a goal these are
        replaced by half a turn from q0's. samples (k, p) in [0, 1): of the range between.
        """
        super().__init__(chain, settings, family, margin)
        self.count, self.tried, self.sampled = len(lower), len(samples), 0
        self.lowest, self.highest = self.memory.vector(lower), self.memory.vector(upper)
        self.low, self.high = self.memory.vector(lower), self.memory.vector(upper)
        self.samples = self.memory.rows(samples)
        # The samples of a single parameter in order, their costs, and where each of them is
        order = np.argsort(samples[:, 0])
        self.values = self.memory.vector(samples[order, 0])
        self.costs = self.memory.vector(np.full(len(samples), INF))
        self.rank = self.memory.integers(np.argsort(order))
        self.around = _AROUND  # half width of the search around the parameter, rad or m

    def choose(self) -> None:
        """Set the parameters, q, its errors and `end`."""
        self.choose_by_samples()
        if self.end == codes.NONE:
            self.approach_limits()

    def choose_by_samples(self) -> None:
        """Do as `choose`, if a sample has a branch inside the limits.

        The best branch of an inexact arm may meet no goal; then more samples are tried.
        """
        self.end, self.position, self.orientation = codes.NONE, INF, INF
        for k in range(self.tried):
            self.costs[k] = INF
        self._bound()
        self._begin_nearby()
        self.sampled = 0
        if search.beyond_reach(self.task, self.settings):
            return
        prefer, best = self.settings.prefer, self.least_cost(self.q)
        self.around = _AROUND
        if best < FEASIBLE and (prefer == codes.FIRST or (
                prefer == codes.NEAREST and (self.count > 1 or best < _NEAR))):
            self._choose_near(best, _STEPS)
            best = INF
        while self.end == codes.NONE and self.sampled < self.tried:
            self._choose_near(self._sample(best), _FEW_STEPS)
            best = INF

    def _choose_near(self, best: float, steps: int) -> None:
        """Choose near the parameters, whose least cost is `best`."""
        if best < OUTSIDE:
            if self.count == 1 and self.settings.prefer != codes.FIRST:
                at = self.parameters[0]
                self.parameters[0] = self.minimum(
                    max(self.low[0], at - self.around), at, min(self.high[0], at + self.around),
                    best, steps)
            self.prefer_branch()

    def approach_limits(self) -> None:
        """Choose where branches outside the limits come nearest to them, if that is inside.

        Samples miss what is inside for a small interval of the parameter, or a single value.
        """
        if self.count > 1:
            return
        for _ in range(_MINIMA):
            if self.next_minimum(_DESCENT) < INF and self.is_met_inside():
                return

    def next_minimum(self, steps: int) -> float:
        """Set the parameter to the lowest minimum that is left of the samples' costs, refined.

        Write its branch into q, and return its cost; infinite where none is left. steps: of Brent's
        method.
        """
        low, span, values = self.low[0], self.high[0] - self.low[0], self.values
        i, _cost = take_minimum(self.costs, self.tried)
        if i < 0:
            return INF
        self.parameters[0] = low + values[i] * span
        self.parameters[0] = self.minimum(
            low + values[max(i - 1, 0)] * span, self.parameters[0],
            low + values[min(i + 1, self.tried - 1)] * span, self.least_cost(self.trial), steps)
        return self.least_cost(self.q)

    def is_met_inside(self) -> bool:
        """Refine q, with joints outside the limits set to them; end if it meets the goal."""
        held = self.trial
        for k in range(self.chain.n):
            held[k] = 0.0
        refinement.refine_inside_limits(self.chain, self.task, self.work, held, self.q)
        if refinement.limit_excess(self.chain, self.q) > 0.0:
            return False
        _error, position, orientation = search.residual(self.chain, self.task, self.work, self.q)
        if not refinement.within_tolerances(self.settings, position, orientation):
            return False
        self._end_at(position, orientation)
        return True

    def minimum(self, low: float, x: float, high: float, fx: float, steps: int) -> float:
        """Return where the cost is least near a parameter x, in [low, high] [Brent 1973].

        Parabolas through the three best points, golden sections where these fail. fx: the cost at
        x. steps: maximum number of steps.
        """
        v, w, fv, fw = x, x, fx, fx
        moved, before = 0.0, 0.0
        for _ in range(steps):
            middle = 0.5 * (low + high)
            if high - low < 4.0 * _FINEST:
                break
            golden = True
            if math.fabs(before) > _FINEST and fv < INF and fw < INF:
                r, p = (x - w) * (fx - fv), (x - v) * (fx - fw)
                top = (x - v) * p - (x - w) * r
                bottom = 2.0 * (p - r)
                if bottom > 0.0:
                    top = -top
                bottom = math.fabs(bottom)
                if math.fabs(top) < math.fabs(0.5 * bottom * before) and (
                        bottom * (low - x) < top and top < bottom * (high - x)):
                    before, moved = moved, top / bottom
                    golden = False
            if golden:
                before = (high if x < middle else low) - x
                moved = _GOLDEN * before
            u = x + (moved if math.fabs(moved) >= _FINEST else math.copysign(_FINEST, moved))
            self.parameters[0] = u
            fu = self.least_cost(self.trial)
            if fu <= fx:
                if u < x:
                    high = x
                else:
                    low = x
                v, w, x, fv, fw, fx = w, x, u, fw, fx, fu
            else:
                if u < x:
                    low = u
                else:
                    high = u
                if fu <= fw or w == x:
                    v, w, fv, fw = w, u, fw, fu
                elif fu <= fv or v in (x, w):
                    v, fv = u, fu
        return x

    def least_cost(self, q: Vector) -> float:
        """Return the least cost of the branches for the parameters; write that branch into q.

        Outside the limits it is OUTSIDE and more, by the excess.
        """
        found, least = self.branches, INF
        count = self.find_wrapped()
        for i in range(count):
            cost = self.cost(found[i], self.room)
            if cost == INF:
                cost = OUTSIDE * (1.0 + refinement.limit_excess(self.chain, found[i]))
            if cost < least:
                least = cost
                arrays.copy_to(q, found[i], self.chain.n)
        return least

    def _bound(self) -> None:
        """Set the bounds of the parameters: half a turn about q0's where they are infinite."""
        lowest, highest, own = self.lowest, self.highest, self.parameters
        self.family.parameters_of(self.q0, own)
        for i in range(self.count):
            self.low[i] = lowest[i] if lowest[i] > -INF else min(own[i], highest[i]) - PI
            self.high[i] = highest[i] if highest[i] < INF else max(own[i], lowest[i]) + PI

    def _begin_nearby(self) -> None:
        """Set the parameters to q0's; of a goal near it, to those that Newton's method leads to."""
        q, held, n = self.q, self.trial, self.chain.n
        for k in range(n):
            q[k], held[k] = self.q0[k], 0.0
        error, _position, _orientation = search.residual(self.chain, self.task, self.work, q)
        if error < _NEARBY:
            error, _position, _orientation = newton.newton_refinement(
                self.chain, self.task, self.work, held, q, _FIRST_STEPS)
            self.wrap_to_nearest(q)
        self.family.parameters_of(q if error < _MET else self.q0, self.parameters)
        for i in range(self.count):
            self.parameters[i] = min(max(self.parameters[i], self.low[i]), self.high[i])

    def _sample(self, best: float) -> float:
        """Set the parameters to the best among themselves, of cost `best`, and samples.

        Return their cost. It ends where one is inside the limits: with FIRST at once, else after
        one of a few stages. The next call goes on with the samples that are left.
        """
        parameters, chosen, low, high = self.parameters, self.chosen, self.low, self.high
        first = self.settings.prefer == codes.FIRST
        arrays.copy_to(chosen, parameters, self.count)
        while self.sampled < self.tried:
            k = self.sampled
            if best < FEASIBLE and (first or k == 6 or k == 12 or k == 48 or k == 192):
                break
            for i in range(self.count):
                parameters[i] = low[i] + self.samples[k][i] * (high[i] - low[i])
            cost = self.least_cost(self.trial)
            self.costs[self.rank[k]] = cost
            if cost < best:
                best = cost
                arrays.copy_to(chosen, parameters, self.count)
                arrays.copy_to(self.q, self.trial, self.chain.n)
            self.around = 1.5 * (high[0] - low[0]) / (k + 1)
            self.sampled += 1
        arrays.copy_to(parameters, chosen, self.count)
        return best


def take_minimum(costs: Vector, count: int) -> tuple[int, float]:
    """Return the place and the cost of the lowest of costs (count,), local minima on a circle.

    It becomes infinite, with those that descend to it; the place is −1 where all are.
    """
    best, lowest = INF, -1
    for k in range(count):
        if (costs[k] < best and costs[k] <= costs[(k + 1) % count]
                and costs[k] <= costs[(k + count - 1) % count]):
            best, lowest = costs[k], k
    for side in range(2 if lowest >= 0 else 0):
        step, before = (1 if side == 0 else count - 1), best
        k = (lowest + step) % count
        while k != lowest and before <= costs[k] < INF:
            before, costs[k] = costs[k], INF
            k = (k + step) % count
    if lowest >= 0:
        costs[lowest] = INF
    return lowest, best


class GuidedSelection(RedundantSelection):
    """Chooses the swivel angle of a nominal arm whose branches are far from the true arm's.

    Each is refined before it is compared, and what Newton's method leads to from q0 is, too.
    """

    def choose(self) -> None:
        """Set the parameters, q, its errors and `end`."""
        self.refines_guesses = True
        RedundantSelection.choose(self)
        near, best = self.chosen, INF
        if self.end != codes.NONE:
            best = self.cost(self.q, 0.0)
        arrays.copy_to(near, self.q0, self.chain.n)
        newton.newton_refinement(self.chain, self.task, self.work, self.held, near, newton.STEPS)
        self.wrap_to_nearest(near)
        if not self.cost(near, 0.0) < best:
            return
        error, position, orientation = search.residual(self.chain, self.task, self.work, near)
        if error <= refinement.PRECISE and refinement.within_tolerances(
                self.settings, position, orientation):
            arrays.copy_to(self.q, near, self.chain.n)
            self._end_at(position, orientation)

    def find_wrapped(self) -> int:
        """Write the branches for the parameters, nearly refined; return how many."""
        found, count = self.branches, RedundantSelection.find_wrapped(self)
        for i in range(count):
            if refinement.limit_excess(self.chain, found[i]) <= self.room:
                newton.newton_refinement(self.chain, self.task, self.work, self.held, found[i],
                                         _GUESS_STEPS)
                self.wrap_to_nearest(found[i])
        return count
