"""The preferred solution of a closed form: the branch of least cost that passes verification."""

import math
from collections.abc import Callable

import cython
import numpy as np

from ik_node.kinematics.forward import ChainRecord
from ik_node.solvers import codes
from ik_node.solvers.analytic.families.closed_family import ClosedFamily
from ik_node.solvers.analytic.refinement import newton, refinement
from ik_node.solvers.analytic.refinement.refinement import Refinement
from ik_node.solvers.kernel import search
from ik_node.solvers.kernel.settings import Settings
from ik_node.support import arrays, checks
from ik_node.support.arrays import InMatrix, InPoses, InVector, OutMatrix, OutVector, Vector, taken

INF = math.inf
OUT_OF_MARGIN = 1e9  # cost added to a branch that does not keep the margin
_NEAR = 0.1          # rad or m: largest joint change of a solution that counts as near
_NEARBY = 0.25       # squared error at the start, m² and rad², of a goal that is near it
_PRECISE = 1e-9      # m and rad: error above which a solution is refined
_BESIDE = 0.04       # squared error at the start, m² and rad², of a goal that is beside it
_EXACT = 1e-20       # squared error at which Newton's method ends
_REGULAR = 1e-2      # pivot of elimination far from singular configurations
_FEW_STEPS = 5


class Selection(Refinement):
    """The search for the preferred solution of one goal; each thread has its own.

    Subclasses override `choose`, where redundancy parameters are searched, and `cost`.
    """

    def __init__(self, chain: ChainRecord, settings: Settings, family: ClosedFamily,
                 margin: float) -> None:
        """Prepare for goals, which are written into `task`, `q0`, inside the limits, `parameters`.

        margin: soft distance from the limits, rad or m.
        """
        super().__init__(chain, settings, family)
        self.margin, n = margin, self.chain.n
        self.q, self.chosen = self.memory.vector(np.zeros(n)), self.memory.vector(np.zeros(n))
        self.refines_guesses = False  # whether `find_wrapped` changes the branches
        # NONE, FOUND, or FAR where a search from q0 may lead to a nearer solution than q
        self.end = codes.NONE
        self.position, self.orientation = INF, INF  # errors of q, m and rad

    def solve(self) -> None:
        """Set q, its errors and `end`; near a singularity q is refined once more."""
        self.choose()
        if self.end != codes.NONE and max(self.position, self.orientation) > _PRECISE:
            self._refine_to_precision()

    def choose(self) -> None:
        """Set q, its errors and `end`."""
        if not self._is_beside():
            self.prefer_branch()

    def _is_beside(self) -> bool:
        """Tell whether Newton's method meets the goal beside q0, far from singular; then end there.

        That is the nearest branch, in less than the time of all of them.
        """
        q, n = self.q, self.chain.n
        if (n != 6 or self.task.rows != 6 or self.settings.prefer != codes.NEAREST
                or self.margin > 0.0):
            return False
        arrays.copy_to(q, self.q0, n)
        self.invalidate_frames()
        error = self.squared_pose_error(q, -1)
        if error > _BESIDE:
            return False
        for _ in range(_FEW_STEPS):
            if error <= _EXACT:
                break
            if not newton.newton_step(self.chain, self.task.T, self.work, q, _REGULAR, _NEAR):
                return False
            error = self.squared_pose_error(q, -1)
        for k in range(n):
            if math.fabs(q[k] - self.q0[k]) > _NEAR:
                return False
        error, position, orientation = search.residual(self.chain, self.task, self.work, q)
        if (error > _EXACT or refinement.limit_excess(self.chain, q) > 0.0
                or not refinement.within_tolerances(self.settings, position, orientation)):
            return False
        self._end_at(position, orientation)
        return True

    def cost(self, q: Vector, room: float) -> float:
        """Return the selection cost of a branch q (n,); infinite where it is outside the limits.

        room: allowed excess, rad or m. Branches nearer to a limit than the margin rank after all
        others.
        """
        outside = refinement.limit_excess(self.chain, q)
        if outside > room:
            return INF
        if self.settings.prefer == codes.MANIPULABILITY:
            search.residual(self.chain, self.task, self.work, q)
        cost = search.selection_cost(self.chain, self.task, self.settings, self.work, self.q0,
                                         q)
        if outside > 0.0:
            cost += OUT_OF_MARGIN * (1.0 + outside)
        elif self.margin > 0.0 and not self.keeps_margin(q):
            cost += OUT_OF_MARGIN
        return cost

    def keeps_margin(self, q: Vector) -> bool:
        """Tell whether q (n,) keeps the margin from the limits."""
        for k in range(self.chain.n):
            if min(q[k] - self.chain.lower[k], self.chain.upper[k] - q[k]) < self.margin:
                return False
        return True

    def find_wrapped(self) -> int:
        """Write the branches for the parameters, at the turns nearest to q0; return how many."""
        count = self.find_branches()
        for i in range(count):
            self.wrap_to_nearest(self.branches[i])
        return count

    def prefer_branch(self) -> None:
        """Choose for the parameters: refine branches in the order of cost, until one passes."""
        found, costs, n, loose = self.branches, self.errors, self.chain.n, False
        self.end, self.position, self.orientation = codes.NONE, INF, INF
        count = self.find_wrapped()
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
            arrays.copy_to(self.q, found[best], n)
            if not self._verify(-1 if self.refines_guesses else best):
                continue
            if self.end != codes.NONE:
                return
            if not loose:  # kept for the case that no branch is precise
                loose = True
                arrays.copy_to(self.chosen, self.q, n)
        if loose or self._move_inside_limits(count):
            arrays.copy_to(self.q, self.chosen, n)
            self._refine_to_precision()
            self._end_at(self.position, self.orientation)

    def _refine_to_precision(self) -> None:
        """Refine q, and set its errors."""
        position, orientation = refinement.refine_to_precision(
            self.chain, self.task, self.settings, self.work, self.q)
        self.position, self.orientation = position, orientation

    def _verify(self, i: int) -> bool:
        """Refine q; tell whether it is inside the limits, and meets the tolerances.

        i: as for `refine_branch`. Where it is precise, the selection ends.
        """
        self.invalidate_frames()
        self.refine_branch(self.q, i)
        if refinement.limit_excess(self.chain, self.q) > 0.0:
            return False
        error, position, orientation = search.residual(self.chain, self.task, self.work, self.q)
        if not refinement.within_tolerances(self.settings, position, orientation):
            if not error <= refinement.PRECISE:
                return False
            # Tolerances near rounding.
            _error, position, orientation = newton.newton_refinement(
                self.chain, self.task, self.work, self.held, self.q, newton.STEPS)
            if (refinement.limit_excess(self.chain, self.q) > 0.0
                    or not refinement.within_tolerances(self.settings, position, orientation)):
                return False
        if error <= refinement.PRECISE:
            self._end_at(position, orientation)
        return True

    def _move_inside_limits(self, count: int) -> bool:
        """Choose among configurations inside the limits that self-motions of branches lead to."""
        found, least = self.branches, INF
        for i in range(count):
            if self.move_inside_limits(found[i]) < INF:
                cost = self.cost(found[i], 0.0)
                if cost < least:
                    least = cost
                    arrays.copy_to(self.chosen, found[i], self.chain.n)
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
        self.invalidate_frames()
        if self.task.rows == 6:
            error = self.squared_pose_error(self.q0, -1)
        else:
            error, _position, _orientation = search.residual(self.chain, self.task, self.work,
                                                             self.q0)
        if error < _NEARBY:
            self.end = codes.FAR


class Selector:
    """Selects solutions. Threads may use it at the same time: each has its own `Selection`."""

    def __init__(self, make: Callable[[], Selection]) -> None:
        """Prepare; make: returns a new selection."""
        self.make, self.idle = make, [make()]

    def solve(self, T_base_goal: InMatrix, weights: InVector, parameters: OutVector,
              q0: InVector, q: OutVector) -> tuple:
        """Write the preferred solution for a goal into q (n,); return its record.

        That is (end, position error, orientation error), m and rad, see `Selection`. T_base_goal
        (4, 4), m, weights (6,): of a checked goal. parameters (p,): the redundancy parameters, rad
        or m; they are written where the selection searches them. q0 (n,): inside the limits.
        Raises ValueError for arrays of other lengths.
        """
        selection: Selection = taken(self.idle, self.make)
        checks.check_lengths(
            T_base_goal.shape[0] == 4 and T_base_goal.shape[1] == 4 and weights.shape[0] == 6
            and parameters.shape[0] == selection.family.parameters
            and q0.shape[0] == selection.chain.n and q.shape[0] == selection.chain.n)
        with cython.nogil:
            solve_one(selection, T_base_goal, weights, parameters, q0, q)
        self.idle.append(selection)
        return selection.end, selection.position, selection.orientation

    def solve_batch(self, T_base_goal: InPoses, weights: InVector, parameters: OutMatrix,
                    q0: InMatrix, q: OutMatrix, records: OutMatrix) -> None:
        """Do as `solve` for goals (m, 4, 4) of the same weights; records (m, 3).

        parameters (m, p), q0 (m, n), q (m, n).
        """
        selection: Selection = taken(self.idle, self.make)
        m = T_base_goal.shape[0]
        checks.check_lengths(
            T_base_goal.shape[1] == 4 and T_base_goal.shape[2] == 4 and weights.shape[0] == 6
            and parameters.shape[0] == m and q0.shape[0] == m and q.shape[0] == m
            and parameters.shape[1] == selection.family.parameters
            and q0.shape[1] == selection.chain.n and q.shape[1] == selection.chain.n
            and records.shape[0] == m and records.shape[1] == 3)
        with cython.nogil:
            for i in range(m):
                solve_one(selection, T_base_goal[i], weights, parameters[i], q0[i], q[i])
                records[i, 0] = selection.end
                records[i, 1] = selection.position
                records[i, 2] = selection.orientation
        self.idle.append(selection)


def solve_one(selection: Selection, T_base_goal: InMatrix, weights: InVector,
              parameters: OutVector, q0: InVector, q: OutVector) -> None:
    """Select for one goal, see `Selector.solve`."""
    refinement.load_goal(selection.task, T_base_goal, weights, selection.settings)
    arrays.read_vector(parameters, selection.parameters)
    arrays.read_vector(q0, selection.q0)
    selection.solve()
    arrays.copy_vector(selection.parameters, parameters)
    arrays.copy_vector(selection.q, q)
