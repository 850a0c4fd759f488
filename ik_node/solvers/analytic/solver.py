"""The solver by closed forms: every branch, refined and verified on the true arm."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from ik_node.collision.model import CollisionModel
from ik_node.model.chain import Chain
from ik_node.solvers.analytic.branch_search import SPHERICAL, BranchSearch, parameter_samples
from ik_node.solvers.analytic.elbow import Elbow
from ik_node.solvers.analytic.goal_closed_form import NOTHING, Plan
from ik_node.solvers.collision.avoidance import blocked
from ik_node.solvers.driver import share
from ik_node.solvers.goal import ALL_AXES, Goal, as_goal, as_poses, task_rows
from ik_node.solvers.result import PROVEN
from ik_node.solvers.solver_output import Found
from ik_node.spatial.rotations import EXACT
from ik_node.support.arguments import flag, vector
from ik_node.support.exceptions import InputError, UnsupportedError

_SHOWN = 60  # samples of a redundant arm's parameters for which all branches are returned
_TURN, _ROUNDING = 2.0 * math.pi, 1e-12  # rad; turns
_MOST_WINDINGS = 1_000_000
_SHARE, _SHARES = 128, 16  # poses per task of a core at least; number of tasks of larger batches


class AnalyticSolver(BranchSearch):
    """Closed forms. Branches of the nominal arm are initial guesses for the true arm."""

    name = 'analytic'

    def solve_all(self, goal: Any, within_limits: bool = True, redundancy: Any = None,
                  windings: bool = False) -> np.ndarray:
        """Return every branch (k, n) that meets the goal, rad or m; turn copies not repeated.

        within_limits: omit branches that no whole turn brings inside the limits. redundancy: the
        parameter of a redundant arm, rad or m, or several (p,), see `redundancy_of`; by default
        many are tried. windings: list each branch at every turn inside the limits; joints without
        limits are not turned. Where the closed form finds no branch, and redundancy is None, the
        one that `solve` finds is returned. Raises InputError for a malformed goal, for windings
        without within_limits, and for more than 1,000,000 of them; UnsupportedError for a goal
        without a closed form.
        """
        if windings is not False and flag(windings, 'windings'):
            if not flag(within_limits, 'within_limits'):
                raise InputError('windings are those inside the limits: within_limits must be true')
            return at_every_turn(self.chain, self.solve_all(goal, True, redundancy))
        if within_limits is not True and within_limits is not False:
            within_limits = flag(within_limits, 'within_limits')
        if redundancy is None and type(goal) is ndarray and self._of_pose is not None:
            try:  # as it is; a check of its own takes as long as a branch
                branches = self._of_pose(goal, within_limits, EXACT)
            except ValueError:  # other numbers, another order of the axes
                branches = None
            if branches is not None:
                return branches
        wanted = as_goal(goal)
        plan, parameters = self._plans.plan_for(wanted)
        if redundancy is not None:
            return plan.branches(wanted, plan.checked_parameters(redundancy), within_limits)
        branches = self._enumerated(plan, parameters, wanted, within_limits)
        if len(branches):
            return branches
        found = self._solve_anywhere(wanted, self._start_at)
        return found.q[None] if found.success else branches

    def avoid(self, collisions: CollisionModel) -> None:
        """Let the search that follows the branches check, too; see `Driver.avoid`."""
        super().avoid(collisions)
        self._local.avoid(collisions)

    def _avoiding(self, goal: Goal, q0: ndarray, is_free: Callable[[ndarray], bool]) -> Found:
        found = self._solve_verified(goal, q0)
        if not found.success or is_free(found.q):
            return found
        q = next(filter(is_free, self._branches_about(goal, q0)), None)
        if q is not None:
            return self._verified(goal, q0, found._replace(q=q))
        if self._whole.searched:
            searched = self._local._avoiding(goal, q0, is_free)
            if searched.success:
                return searched
        return blocked(found)

    def _consistent(self, goal: Goal, q0: ndarray, found: Found) -> Found:
        """Return a result of `_solve_anywhere`, or where that is too far from q0 (n,) another.

        That is the branch of least cost within the consistency limits, else what damped least
        squares finds there. A failure is the same: what is proved holds for every configuration.
        """
        if (self.options.consistency_limits is None or not found.success
                or self._is_consistent(q0, found.q)):
            return found
        for q in self._branches_about(goal, q0):
            near = self._verified(goal, q0, found._replace(q=q))
            if near.success:
                return near
        return self._local._solve_verified(goal, q0)

    def _branches_about(self, goal: Goal, q0: ndarray) -> list[ndarray]:
        """Return branches (n,), at the turns of q0 (n,), within its consistency limits, by cost."""
        if self.options.consistency_limits is None:
            branches = self.solve_all(goal)
        else:
            branches = self._enumerated(*self._plans.plan_for(goal), goal, True, q0)
        for branch in branches:
            self._verifier.nearest_turn(q0, branch)
        lower, upper = self._limits_about(q0)
        inside = branches[((lower <= branches) & (branches <= upper)).all(axis=1)]
        return sorted(inside, key=lambda q: self._cost(goal, q0, q))

    def _cost(self, goal: Goal, q0: ndarray, q: ndarray) -> float:
        """Return the selection cost of a branch q (n,); see `search.selection_cost`."""
        if self.options.prefer == 'limits':
            half = 0.5 * (self.chain.upper - self.chain.lower)
            bounded = np.isfinite(half) & (half > 0.0)
            away = np.abs((q - half)[bounded] - self.chain.lower[bounded]) / half[bounded]
            return float(away.max(initial=0.0))
        if self.options.prefer == 'manipulability':
            J = task_rows(self.chain, goal, q)[1]
            return -float(np.linalg.slogdet(J @ J.T)[1])
        return self._nearest._distance(q0, q)

    def _confirmed(self, goal: Goal, q0: ndarray) -> Found | None:
        return None if self._has_looked_at_all(goal) else super()._confirmed(goal, q0)

    def _has_looked_at_all(self, goal: Goal) -> bool:
        """Tell whether a goal in collision has no other solutions than the branches."""
        plan, parameters = self._plans.plan_for(goal)
        return plan.complete and (parameters is not None or not plan.searched)

    def _enumerated(self, plan: Plan, parameters: ndarray | None, goal: Goal,
                    within_limits: bool, q0: ndarray | None = None) -> ndarray:
        """Return the branches (k, n) of `solve_all` by the closed form alone.

        Of a redundant arm those about q0 (n,), within its consistency limits.
        """
        if parameters is not None or not plan.searched:
            return plan.branches(goal, NOTHING if parameters is None else parameters, within_limits)
        start = self._start_at if q0 is None else q0
        if plan.swivels and within_limits and self._elbow is not None:
            intervals = self._elbow.intervals(
                goal.pose, self.chain if q0 is None else self._chain_about(q0))
            psi = Elbow.nearest(intervals, plan.family.parameters_at(start)[0])
            spread = Elbow.spread(intervals, parameter_samples(1, self.options.seed)[:_SHOWN, 0])
            angles = np.array([psi, *spread]) if len(spread) else NOTHING
            return plan.branches(goal, angles[:, None], within_limits)
        plan = plan.guide
        lower, upper = plan.range_near(start)
        spread = lower + parameter_samples(len(lower), self.options.seed)[:_SHOWN] * (upper - lower)
        own = np.clip(plan.family.parameters_at(start), lower, upper)
        return plan.branches(goal, np.array([own, *spread]), within_limits)

    def solve_all_batch(self, goals: Any, within_limits: bool = True,
                        redundancy: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Return every branch for poses (m, 4, 4), m: (branches (m, k, n), counts (m,)).

        The first counts[i] rows of pose i are branches, rad or m, the others NaN; runs on all
        cores. redundancy: as for `solve_all`, but required for redundant arms. Raises InputError
        for malformed goals, naming the pose.
        """
        poses, within_limits = as_poses(goals), flag(within_limits, 'within_limits')
        parameters = NOTHING
        if redundancy is not None or self._whole.searched:
            parameters = self._whole.checked_parameters(redundancy)
        count, solutions = len(poses), self._whole.solutions
        branches = np.full((count, solutions.most, self.chain.n_joints), math.nan)
        counts = np.empty(count, dtype=np.int64)
        share(lambda part: solutions.of_batch(
            poses[part], ALL_AXES, parameters[None], self._start_at, within_limits, branches[part],
            counts[part], math.inf), count, size=max(_SHARE, count // _SHARES))
        return branches[:, :int(counts.max(initial=0))], counts

    def redundancy_of(self, q: Sequence[float] | np.ndarray) -> np.ndarray:
        """Return the redundancy parameters (p,) of a configuration q (n,), rad or m.

        One for each of `locked`; for an arm with spherical shoulder and wrist the swivel angle of
        its elbow; none without redundancy. With these values `solve_all` for the pose of q returns
        q among its branches; of a self-motion that keeps the values, one configuration.
        """
        found: np.ndarray = self._whole.family.parameters_at(vector(q, self.chain.n_joints, 'q'))
        return found

    def swivel_intervals(self, goal: Any) -> np.ndarray:
        """Return the swivel angles (k, 2), from and to, rad, with a branch inside the limits.

        Disjoint and ascending: −π ≤ from < to, where one that passes through π ends beyond it;
        (−π, π) where every angle is possible, shape (0, 2) where the goal cannot be met. goal: a
        full pose. After Shimizu, Kakuya, Yoon, Kitagaki & Kosuge 2008. Raises UnsupportedError for
        an arm or a goal without a swivel angle, InputError for a malformed goal.
        """
        elbow, pose = self._swivelling(goal)
        return elbow.intervals(pose, self.chain)

    def redundancy_towards(self, goal: Any, elbow: Any, within_limits: bool = True) -> float:
        """Return the swivel angle, rad, with the elbow nearest to a point (3,), m, base frame.

        For `solve_all(goal, redundancy=…)`. goal: a full pose. within_limits: the nearest angle
        with a branch inside the limits, if there is one. Raises UnsupportedError as
        `swivel_intervals`, and InputError for a malformed goal or point, or a point on the line
        through shoulder and wrist, which determines no angle.
        """
        within_limits = flag(within_limits, 'within_limits')
        own, pose = self._swivelling(goal)
        psi: float = self._whole.family.angle_towards(pose, vector(elbow, 3, 'elbow'))
        if math.isnan(psi):
            raise InputError('elbow must be a point beside the line through shoulder and wrist, '
                             f'not {np.asarray(elbow, dtype=float).tolist()}')
        return Elbow.nearest(own.intervals(pose, self.chain), psi) if within_limits else psi

    def is_complete(self, goal: Any = None) -> bool:
        """Tell whether the list of branches is complete; an empty one then proves that none exists.

        Without a goal: true where the arm equals its nominal geometry, and is not redundant except
        by a swivel angle. For a goal: false near a singular configuration that rounding may hide,
        too, and where `solve` has no proof. Raises UnsupportedError for a goal without a closed
        form.
        """
        if goal is None:
            return self._whole.complete
        wanted = as_goal(goal)
        plan, parameters = self._plans.plan_for(wanted)
        if not plan.complete or not self._infeasibility.is_confirmed():
            return False
        if not len(self._enumerated(plan, parameters, wanted, True)):
            return self._solve_anywhere(wanted, self._start_at).reason in PROVEN
        if plan.swivels:
            return True
        _, hidden = self._outside(plan, wanted, NOTHING if parameters is None else parameters)
        return next(hidden, None) is None

    def _candidates(self, goals: Sequence[Goal], q0: np.ndarray | None,
                    density: int, deadline: float) -> list[np.ndarray] | None:
        """Return the branches (k, n) of every goal, a redundant arm's at many parameters."""
        if self._plans.planar or any(goal.weights is not ALL_AXES for goal in goals):
            return None
        start = self._start_at if q0 is None else q0
        return self._whole.guide.candidates(goals, start, density, self.options.seed, deadline)

    def _swivelling(self, goal: Any) -> tuple[Elbow, np.ndarray]:
        """Return the swivel angles of the arm, and the pose of a goal."""
        wanted = as_goal(goal)
        if self._elbow is None:
            raise UnsupportedError(f'a swivel angle is for an arm with {SPHERICAL}; this one is '
                                   f'{self.family}')
        if self._plans.plan_for(wanted)[0] is not self._whole:
            raise UnsupportedError('a swivel angle is for a goal that constrains all six axes; '
                                   'this one leaves some free')
        return self._elbow, wanted.pose


def at_every_turn(chain: Chain, branches: np.ndarray) -> np.ndarray:
    """Return branches (k, n) at every turn inside the limits, those of a branch in sequence.

    Joints without limits are not turned. Raises InputError for more than 1,000,000.
    """
    lower, upper = chain.lower, chain.upper
    turning = chain.turns & np.isfinite(lower) & np.isfinite(upper)
    first = np.where(turning, np.ceil((lower - branches) / _TURN - _ROUNDING), 0.0)
    last = np.where(turning, np.floor((upper - branches) / _TURN + _ROUNDING), 0.0)
    counts = np.prod(last - first + 1.0, axis=1)
    if counts.sum() > _MOST_WINDINGS:
        raise InputError(f'the limits allow {counts.sum():.3g} windings of the branches, more '
                         f'than {_MOST_WINDINGS:,}')
    turns = [np.stack(np.meshgrid(*map(np.arange, low, high + 1.0), indexing='ij'), axis=-1)
             for low, high in zip(first, last)]
    found = [np.clip(q + _TURN * k.reshape(-1, len(q)), lower, upper)
             for q, k in zip(branches, turns)]
    return np.concatenate([branches[:0], *found])
