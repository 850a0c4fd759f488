"""The preferred solution of a closed form: the branch of least cost that passes verification."""

import math

import numpy as np

from ik_node.kinematics.forward import ChainRecord
from ik_node.solvers import codes, search
from ik_node.solvers.analytic.families.closed_family import ClosedFamily
from ik_node.solvers.analytic.refinement import newton, precision, refinement
from ik_node.solvers.analytic.refinement.buffers import Buffers
from ik_node.solvers.analytic.selection.curve import Curve
from ik_node.solvers.settings import Settings
from ik_node.solvers.task import TipTask
from ik_node.support.arrays import Memory, Vector

INF = math.inf
OUT_OF_MARGIN = 1e9  # cost added to a branch that does not keep the margin
_NEAR = 0.1          # rad or m: largest joint change of a solution that counts as near
_NEARBY = 0.25       # squared error at the start, m² and rad², of a goal that is near it
_PRECISE = 1e-9      # m and rad: error above which a solution is refined


class Selection(Curve):
    """The search for the preferred solution of one goal; each thread has its own.

    Subclasses override `choose`, where redundancy parameters are searched, and `cost`. As a curve
    it is a function of the first of these parameters.
    """

    chain: ChainRecord
    settings: Settings
    family: ClosedFamily
    buffers: Buffers
    task: TipTask
    """The goal."""
    margin: float
    """Soft distance from the limits, rad or m."""
    room: float
    """Excess over the limits allowed before refinement, rad or m."""
    q0: Vector
    """(n,) initial guess, inside the limits."""
    q: Vector
    """(n,) the solution."""
    parameters: Vector
    """The redundancy parameters, rad or m."""
    chosen: Vector
    """(n,) scratch."""
    end: int
    """NONE, FOUND, or FAR where a search from q0 may lead to a nearer solution."""
    position: float
    """Position error of the solution, m."""
    orientation: float
    """Orientation error, rad."""

    def __init__(self, chain: ChainRecord, settings: Settings, family: ClosedFamily,
                 margin: float) -> None:
        """Prepare for goals, which are written into `task`, `q0` and `parameters`."""
        self.memory = memory = Memory()
        self.chain, self.settings, self.family, self.margin = chain, settings, family, margin
        self.room = refinement.allowed_excess(self.family.structure)
        self.buffers = Buffers(chain.m, chain.n, self.family.structure)
        self.task, self.parameters = self.buffers.work.task, self.buffers.parameters
        self.q0, self.q = self.buffers.q0, memory.vector(np.zeros(chain.n))
        self.chosen = memory.vector(np.zeros(chain.n))
        self.end, self.position, self.orientation = codes.NONE, INF, INF

    def solve(self) -> None:
        """Set q, its errors and `end`; near a singularity q is refined once more."""
        self.choose()
        if self.end != codes.NONE and max(self.position, self.orientation) > _PRECISE:
            position, orientation = precision.refine_to_precision(
                self.chain, self.task, self.settings, self.buffers.work, self.q)
            self.position, self.orientation = position, orientation

    def choose(self) -> None:
        """Set q, its errors and `end`."""
        self.prefer_branch()

    def cost(self, q: Vector, room: float) -> float:
        """Return the selection cost of a branch q (n,); infinite where it is outside the limits.

        room: allowed excess, rad or m. Branches nearer to a limit than the margin rank after all
        others.
        """
        lower, upper = self.chain.lower, self.chain.upper
        outside = refinement.limit_excess(self.chain, q)
        if outside > room:
            return INF
        if self.settings.prefer == codes.MANIPULABILITY:
            search.residual(self.chain, self.task, self.buffers.work, q)
        cost = search.selection_cost(self.chain, self.task, self.settings, self.buffers.work,
                                         self.q0, q)
        if outside > 0.0:
            cost += OUT_OF_MARGIN * (1.0 + outside)
        elif self.margin > 0.0:
            for k in range(self.chain.n):
                if min(q[k] - lower[k], upper[k] - q[k]) < self.margin:
                    return cost + OUT_OF_MARGIN
        return cost

    def write_branches(self) -> int:
        """Write the branches for the parameters, at the turns nearest to q0; return how many."""
        found = self.buffers.branches
        count = self.family.branches(self.task.T, self.parameters, self.q0, self.chain.n,
                                     self.buffers.closed_form, found)
        for i in range(count):
            refinement.wrap_to_nearest(self.chain, self.q0, found[i])
        return count

    def prefer_branch(self) -> None:
        """Choose for the parameters as they are.

        Branches are refined in the order of their cost, until one passes.
        """
        found, costs, n = self.buffers.branches, self.buffers.errors, self.chain.n
        loose = False
        self.end, self.position, self.orientation = codes.NONE, INF, INF
        count = self.write_branches()
        for i in range(count):
            costs[i] = self.cost(found[i], self.room)
        for _ in range(count):
            best = 0
            for i in range(1, count):
                if costs[i] < costs[best]:
                    best = i
            if costs[best] == INF:
                break
            costs[best] = INF
            refinement.copy_to(self.q, found[best], n)
            if not self._verify():
                continue
            if self.end != codes.NONE:
                return
            if not loose:  # kept for the case that no branch is precise
                loose = True
                refinement.copy_to(self.chosen, self.q, n)
        if loose or self._move_inside_limits(count):
            refinement.copy_to(self.q, self.chosen, n)
            position, orientation = precision.refine_to_precision(
                self.chain, self.task, self.settings, self.buffers.work, self.q)
            self._end_at(position, orientation)

    def _verify(self) -> bool:
        """Refine q; tell whether it is inside the limits, and meets the tolerances.

        Where it is precise, the selection ends.
        """
        refinement.invalidate_frames(self.chain, self.buffers)
        refinement.refine_branch(self.chain, self.settings, self.task, self.buffers, self.q0,
                                 self.q)
        if refinement.limit_excess(self.chain, self.q) > 0.0:
            return False
        error, position, orientation = search.residual(self.chain, self.task, self.buffers.work,
                                                       self.q)
        if not refinement.within_tolerances(self.settings, position, orientation):
            if not error <= precision.PRECISE:
                return False
            # Tolerances near rounding.
            _error, position, orientation = newton.newton_refinement(
                self.chain, self.task, self.buffers.work, self.buffers.held, self.q, newton.STEPS)
            if (refinement.limit_excess(self.chain, self.q) > 0.0
                    or not refinement.within_tolerances(self.settings, position, orientation)):
                return False
        if error <= precision.PRECISE:
            self._end_at(position, orientation)
        return True

    def _move_inside_limits(self, count: int) -> bool:
        """Choose among configurations inside the limits that self-motions of branches lead to."""
        found, least = self.buffers.branches, INF
        for i in range(count):
            if precision.self_motion_inside_limits(self.chain, self.task, self.buffers,
                                                   found[i]) <= precision.PRECISE:
                _error, position, orientation = search.residual(self.chain, self.task,
                                                                self.buffers.work, found[i])
                if not refinement.within_tolerances(self.settings, position, orientation):
                    continue
                cost = self.cost(found[i], 0.0)
                if cost < least:
                    least = cost
                    refinement.copy_to(self.chosen, found[i], self.chain.n)
        return least < INF

    def _end_at(self, position: float, orientation: float) -> None:
        """End with q: FOUND, or FAR where it is far from q0 though the goal is near its tip.

        Near a singular configuration a closed form may yield only farther branches, or the exact
        solution may be far while a configuration within the tolerances is near.
        """
        self.end, self.position, self.orientation = codes.FOUND, position, orientation
        if self.settings.prefer != codes.NEAREST:
            return
        farthest = 0.0
        for k in range(self.chain.n):
            farthest = max(farthest, math.fabs(self.q[k] - self.q0[k]))
        if farthest <= _NEAR:
            return
        refinement.invalidate_frames(self.chain, self.buffers)
        if self.task.rows == 6:
            error = refinement.squared_pose_error(self.chain, self.task, self.buffers, self.q0)
        else:
            error, _position, _orientation = search.residual(self.chain, self.task,
                                                             self.buffers.work, self.q0)
        if error < _NEARBY:
            self.end = codes.FAR
