"""Redundant arms: optimal choice of the redundancy parameters of a closed form.

A parameter is the value of a locked joint, the swivel angle of an arm with spherical shoulder and
wrist, or the angle of a planar arm's tip. Each choice of it gives a few branches; the search runs
over parameters and branches.
"""

import math
from typing import Any

from ik_node.kinematics.forward import ChainRecord
from ik_node.solvers import codes, search
from ik_node.solvers.analytic.families.closed_family import ClosedFamily
from ik_node.solvers.analytic.refinement import newton, refinement
from ik_node.solvers.analytic.selection.selection import Selection
from ik_node.solvers.settings import Settings
from ik_node.support.arrays import Rows, Vector

INF, PI = math.inf, math.pi
FEASIBLE = 1e8     # costs below are of branches inside the limits and their margin
_NEAR = 0.05       # squared distance, rad² or m², within which no samples are needed
_AROUND = 0.05     # rad or m: half width of the search around the initial parameter
_FEW_STEPS, _STEPS = 5, 10  # of Brent's method: of the best sample, and near the initial guess
_NEARBY = 0.25     # squared error at the start, m² and rad², of a goal that is near it
_FIRST_STEPS = 8
_MET = 1e-12       # squared error, m² and rad²


class RedundantSelection(Selection):
    """Chooses the parameters, too: near those of q0, else among samples, and by Brent's method."""

    count: int
    """Number of parameters."""
    lowest: Vector
    """(p,) bounds of the parameters, rad or m; ±inf for none."""
    highest: Vector
    low: Vector
    """(p,) the same for a goal: where there are none, half a turn from q0's."""
    high: Vector
    samples: Rows
    """(tried, p) in [0, 1), of the range between these."""
    tried: int
    """Number of samples."""
    around: float
    """Half width of the search around the parameter, rad or m."""

    def __init__(self, chain: ChainRecord, settings: Settings, family: ClosedFamily, margin: float,
                 lower: Any, upper: Any, samples: Any) -> None:
        """Prepare; lower, upper (p,), samples (k, p): see above."""
        super().__init__(chain, settings, family, margin)
        self.count, self.tried = len(lower), len(samples)
        self.lowest, self.highest = self.memory.vector(lower), self.memory.vector(upper)
        self.low, self.high = self.memory.vector(lower), self.memory.vector(upper)
        self.samples, self.around = self.memory.rows(samples), _AROUND

    def choose(self) -> None:
        """Set the parameters, q, its errors and `end`."""
        self.end, self.position, self.orientation = codes.NONE, INF, INF
        self._bound()
        self._begin_nearby()
        if search.beyond_reach(self.task, self.settings):
            return
        prefer, count = self.settings.prefer, self.count
        best = self.least_cost(self.q)
        self.around, steps = _AROUND, _STEPS
        if not (best < FEASIBLE and (prefer == codes.FIRST or (
                prefer == codes.NEAREST and (count > 1 or best < _NEAR)))):
            best, steps = self._sample(best), _FEW_STEPS
        if best == INF:
            return
        if count == 1 and prefer != codes.FIRST:
            at = self.parameters[0]
            self.parameters[0] = self.minimum(
                max(self.low[0], at - self.around), at, min(self.high[0], at + self.around), best,
                steps)
        self.prefer_branch()

    def value(self, x: float) -> float:
        """Return the least cost of the branches where the first parameter is x."""
        self.parameters[0] = x
        return self.least_cost(self.buffers.trial)

    def least_cost(self, q: Vector) -> float:
        """Return the least cost of the branches for the parameters; write that branch into q."""
        found, least = self.buffers.branches, INF
        count = self.write_branches()
        for i in range(count):
            cost = self.cost(found[i], self.room)
            if cost < least:
                least = cost
                refinement.copy_to(q, found[i], self.chain.n)
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
        q, held, n = self.q, self.buffers.trial, self.chain.n
        for k in range(n):
            q[k], held[k] = self.q0[k], 0.0
        error, _position, _orientation = search.residual(self.chain, self.task, self.buffers.work,
                                                         q)
        if error < _NEARBY:
            error, _position, _orientation = newton.newton_refinement(
                self.chain, self.task, self.buffers.work, held, q, _FIRST_STEPS)
            refinement.wrap_to_nearest(self.chain, self.q0, q)
        self.family.parameters_of(q if error < _MET else self.q0, self.parameters)
        for i in range(self.count):
            self.parameters[i] = min(max(self.parameters[i], self.low[i]), self.high[i])

    def _sample(self, best: float) -> float:
        """Set the parameters to the best among themselves, of cost `best`, and samples.

        Return their cost. The search ends where one is inside the limits: with FIRST at once, else
        after one of a few stages.
        """
        parameters, chosen, low, high = self.parameters, self.chosen, self.low, self.high
        first = self.settings.prefer == codes.FIRST
        refinement.copy_to(chosen, parameters, self.count)
        for k in range(self.tried):
            if best < FEASIBLE and (first or k == 6 or k == 12 or k == 48 or k == 192):
                break
            for i in range(self.count):
                parameters[i] = low[i] + self.samples[k][i] * (high[i] - low[i])
            cost = self.least_cost(self.buffers.trial)
            if cost < best:
                best = cost
                refinement.copy_to(chosen, parameters, self.count)
                refinement.copy_to(self.q, self.buffers.trial, self.chain.n)
            self.around = 1.5 * (high[0] - low[0]) / (k + 1)
        refinement.copy_to(parameters, chosen, self.count)
        return best
