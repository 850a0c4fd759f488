"""All solutions for a pose: branches refined on the true arm, verified, without duplicates."""

import math

import cython
import numpy as np

from ik_node.kinematics.forward import ChainRecord
from ik_node.solvers import codes
from ik_node.solvers.analytic.families.closed_family import EXACT_SLACK, ClosedFamily
from ik_node.solvers.analytic.refinement import newton, refinement
from ik_node.solvers.analytic.refinement.refinement import Refinement
from ik_node.solvers.kernel.settings import Settings
from ik_node.support import arrays, checks, clock
from ik_node.support.arrays import InMatrix, InPoses, InVector, OutIntegers, OutPoses, Vector, taken

if not cython.compiled:
    from ik_node.support.buffers import copy_rows

INF, TWO_PI = math.inf, 2.0 * math.pi
_PER_ROOT = 30.0      # pivot of elimination below which twins are sought, per root of the slack
_DOUBTFUL = 0.3       # of that pivot: where solutions may be missing
_BESIDE = 1e-4        # pivot below which even the general 6R may lack some
_MOVES = 16           # of branches along self-motions into the limits, for a goal
_SAME = 1e-6          # rad or m: solutions nearer to each other are duplicates


class Enumeration(Refinement):
    """The enumeration of all solutions for a goal, `most` at most."""

    def __init__(self, chain: ChainRecord, settings: Settings, family: ClosedFamily,
                 general: ClosedFamily | None) -> None:
        """Prepare.

        general: a slower family that has the solutions that an inexact one may lack near singular
        configurations, None for none.
        """
        super().__init__(chain, settings, family)
        self.general = family if general is None else general
        self.completes = general is not None
        self.thorough = False  # whether the search may take longer than one of many
        self.kept = self.moves = 0
        arm = self.family
        # At most eight solutions where the arm is exact, but rounding can split one into two.
        self.most = refinement.MOST_SOLUTIONS if arm.may_be_off else 16
        # With a joint to spare they would be elsewhere on the self-motion.
        self.adds_twins = arm.may_be_off and arm.n - arm.locks <= 6
        # Of a nominal arm that is off by ε pairs as far apart as √ε may be missing.
        self.pivot = _PER_ROOT * math.sqrt(arm.slack) if (
            arm.slack > EXACT_SLACK and arm.n - arm.locks == 6) else INF
        self.doubtful = newton.ALL_BUT_SINGULAR
        if self.completes:
            self.doubtful = _DOUBTFUL * self.pivot if self.pivot < INF else _BESIDE
        self.unmoved = self.memory.vector(np.zeros(self.chain.n))
        self.found = self.memory.rows(np.zeros((refinement.MOST_SOLUTIONS, self.chain.n)))

    def find(self, within: bool) -> None:
        """Write every solution into `found`, their number into `kept`."""
        self.kept = self.moves = 0
        self._refine_branches(self.find_branches(), within)
        if self.completes and self.thorough:
            self._complete(within)
        if self.adds_twins:
            self._add_twins(within)
        if within:
            self._drop(True)
        least = INF
        for i in range(self.kept):
            least = min(least, self.errors[i])
        if least <= refinement.PRECISE:
            self._drop(False)

    def _complete(self, within: bool) -> None:
        """Add solutions of the general 6R where some may be missing.

        That is where one found is near a singular configuration; on an inexact arm also where none
        is found.
        """
        least = INF if self.kept > 0 else _BESIDE
        for i in range(self.kept):
            least = min(least, self.smallest_pivot(self.found[i]))
        if least < self.doubtful:
            if least < _BESIDE:  # where most candidates are none
                self.closed_form.elimination.beside_motion, self.steps = True, newton.FEW_STEPS
            self._refine_branches(self.general.write_branches(self.task.T, self.closed_form),
                                  within)
            self.closed_form.elimination.beside_motion, self.steps = False, newton.STEPS

    def _refine_branches(self, count: int, within: bool) -> None:
        """Refine branches, and keep those that meet the goal."""
        trial, n = self.trial, self.chain.n
        self.invalidate_frames()
        for i in range(count):
            arrays.copy_to(trial, self.branches[i], n)
            if within:
                # Refinement hardly moves a branch, but near a singular configuration.
                self.wrap_to_nearest(trial)
                if refinement.limit_excess(self.chain, trial) > self.room and not (
                        self.thorough and self.smallest_pivot(trial) < self.doubtful):
                    continue
            self._refine_trial(i, within)

    def _refine_trial(self, branch: int, within: bool) -> None:
        """Refine `trial`, see `refine_branch`, and keep it where it meets the goal.

        On an inexact arm also outside the limits, since its twin may be inside.
        """
        error = self.refine_branch(self.trial, branch)
        if error < INF and within and refinement.limit_excess(self.chain, self.trial) > 0.0:
            self.moves += 1
            arrays.copy_to(self.unmoved, self.trial, self.chain.n)
            moved = self.move_inside_limits(self.trial) if self.moves <= _MOVES else INF
            if moved < INF or not self.family.may_be_off:
                error = moved
            else:
                arrays.copy_to(self.trial, self.unmoved, self.chain.n)
        if error < INF:
            self._keep(error)

    def _add_twins(self, within: bool) -> None:
        """Add the solutions across a singularity from others, and those across from them."""
        first, last = 0, self.kept
        while first < last and self.kept < self.most:
            for i in range(first, last):
                pivot = self.smallest_pivot(self.found[i])
                if pivot < newton.ALL_BUT_SINGULAR or pivot > self.pivot:
                    continue  # the twin coincides, or is far
                if newton.across_fold(self.chain, self.task, self.work, self.held, self.found[i],
                                      -1, self.trial):
                    self._refine_trial(-1, within)
            first, last = last, self.kept

    def _keep(self, error: float) -> None:
        """Add `trial` to the solutions if it is a new one, or more precise than the same one."""
        for i in range(self.kept):
            if _same(self.chain, self.trial, self.found[i]):
                if error < self.errors[i] and self.errors[i] > refinement.PRECISE:
                    self._put(i, self.trial, error)
                return
        if self.kept == self.most:
            return
        self._put(self.kept, self.trial, error)
        self.kept += 1

    def _put(self, i: int, q: Vector, error: float) -> None:
        """Write a solution q (n,) into row i."""
        arrays.copy_to(self.found[i], q, self.chain.n)
        self.errors[i] = error

    def _drop(self, outside: bool) -> None:
        """Drop the solutions outside the limits, or those that are just within the tolerances."""
        count, self.kept = self.kept, 0
        for i in range(count):
            if (refinement.limit_excess(self.chain, self.found[i]) == 0.0 if outside
                    else self.errors[i] <= refinement.PRECISE):
                self._put(self.kept, self.found[i], self.errors[i])
                self.kept += 1


class Solutions:
    """The solutions of one arm. Threads may use it at the same time."""

    def __init__(self, chain: ChainRecord, settings: Settings, family: ClosedFamily,
                 start: InVector, general: ClosedFamily | None = None) -> None:
        """Prepare.

        start (n,): the configuration that whole turns are nearest to. general: see `Enumeration`;
        it is used for single parameters.
        """
        self.chain, self.settings, self.family, self.general = chain, settings, family, general
        self.start = start
        self.ones: InVector = np.ones(6)
        one = Enumeration(chain, settings, family, general)
        self.idle, self.most = [one], one.most

    def of_pose(self, T_base_goal: InMatrix, within: bool,
                tolerance: float) -> np.ndarray | None:
        """Return every solution (k, n) for a pose (4, 4), rad or m; within: inside the limits.

        For arms without redundancy parameters. None without solutions, and for an array that is
        not within a tolerance of a pose, see `checks.is_pose`.
        """
        if (T_base_goal.shape[0] != 4 or T_base_goal.shape[1] != 4
                or not checks.is_pose(T_base_goal, tolerance)):
            return None
        checks.check_lengths(self.family.parameters == 0)
        one = self._take(self.start)
        one.thorough = True
        refinement.load_goal(one.task, T_base_goal, self.ones, self.settings)
        with cython.nogil:
            one.find(within)
        out = None
        if one.kept > 0:
            out = np.empty((one.kept, self.chain.n))
            copy_rows(one.found, out)
        self.idle.append(one)
        return out

    def of_batch(self, T_base_goal: InPoses, weights: InVector, parameters: InMatrix,
                 q0: InVector, within: bool, out: OutPoses, counts: OutIntegers,
                 deadline: float) -> None:
        """Write every solution for checked goals into out (m, k, n), their numbers into counts.

        k: see `most`; the rest is left. Into out (1, m k, n) one after the other. T_base_goal
        (m, 4, 4), m, or (1, 4, 4) for all. weights (6,): of all goals. parameters (m, p), or (1, p)
        for all. q0 (n,): what whole turns are nearest to. counts (m,). deadline: by `clock`, s; the
        goals after it are left. Raises ValueError for arrays of other lengths.
        """
        m, n, sets, goals = counts.shape[0], self.chain.n, parameters.shape[0], T_base_goal.shape[0]
        total, packed = 0, out.shape[0] == 1
        checks.check_lengths(
            T_base_goal.shape[1] == 4 and T_base_goal.shape[2] == 4 and weights.shape[0] == 6
            and (sets == m or sets == 1) and (goals == m or goals == 1) and q0.shape[0] == n
            and parameters.shape[1] == self.family.parameters and (packed or out.shape[0] == m)
            and out.shape[1] == (m if packed else 1) * self.most and out.shape[2] == n)
        one = self._take(q0)
        one.thorough = m == 1 or self.family.parameters == 0
        with cython.nogil:
            for i in range(m):
                if i % codes.LOOK == codes.LOOK - 1 and clock.is_over(deadline):
                    break
                if i < goals:
                    refinement.load_goal(one.task, T_base_goal[i], weights, self.settings)
                for k in range(parameters.shape[1]):
                    one.parameters[k] = parameters[min(i, sets - 1), k]
                one.find(within)
                arrays.copy_matrix(one.found,
                                   out[0 if packed else i, total:total + one.kept])
                if packed:
                    total += one.kept
                counts[i] = one.kept
        self.idle.append(one)

    def _take(self, q0: InVector) -> Enumeration:
        """Return an enumeration that no other thread uses, with whole turns nearest to q0 (n,)."""
        one: Enumeration = taken(self.idle, Enumeration, self.chain, self.settings, self.family,
                                 self.general)
        arrays.read_vector(q0, one.q0)
        return one


def _same(chain: ChainRecord, a: Vector, b: Vector) -> bool:
    """Tell whether two configurations are equal, whole turns aside."""
    for k in range(chain.n):
        off = math.fabs(a[k] - b[k])
        if off > _SAME:
            if not chain.turns[k] or off < TWO_PI - _SAME:  # the usual case, without a division
                return False
            if math.fabs(off - TWO_PI * round(off / TWO_PI)) > _SAME:
                return False
    return True
