"""The solver by closed forms: every branch, refined and verified on the true arm."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ik_node._arrays import flag, vector
from ik_node._jit import Kernel, time_is_over
from ik_node.exceptions import InputError, OptionError, UnsupportedError
from ik_node.model.chain import Chain
from ik_node.solvers.analytic.arm import arm_preference
from ik_node.solvers.analytic.elbow import Elbow
from ik_node.solvers.analytic.enumeration import NOTHING, Enumeration
from ik_node.solvers.analytic.families.parameters import parameters_of
from ik_node.solvers.analytic.infeasibility import Infeasibility
from ik_node.solvers.analytic.neighbourhood import Neighbourhood
from ik_node.solvers.analytic.path_candidates import path_candidates
from ik_node.solvers.analytic.plan import Plan, Plans
from ik_node.solvers.analytic.refinement.solution import refine_solution
from ik_node.solvers.analytic.selection.all_solutions import BEST, INSIDE
from ik_node.solvers.analytic.selection.arm_selection import ARM_SCRATCH
from ik_node.solvers.analytic.selection.best_solution import FAR, NONE
from ik_node.solvers.analytic.selection.kernels import BEST_ARM
from ik_node.solvers.analytic.selection.swivel_selection import (
    ROOM_SCRATCH,
    hinted_swivel,
    intervals_within,
)
from ik_node.solvers.base import Solver
from ik_node.solvers.batch import share
from ik_node.solvers.driver import ends_by
from ik_node.solvers.found import Found, Verified
from ik_node.solvers.goal import ALL_AXES, Goal, as_goal, as_poses
from ik_node.solvers.iterative import PREFERENCES
from ik_node.solvers.jacobian.dls import DlsSolver
from ik_node.solvers.low_discrepancy import low_discrepancy
from ik_node.solvers.options import SWIVEL_OPTIONS, ClosedFormOptions
from ik_node.solvers.packing import pack
from ik_node.solvers.result import PROVEN, StopReason
from ik_node.solvers.search import goal_error

_SAMPLES = 400      # samples of the parameters of a redundant arm
_FEW = 6            # of these where the intervals within limits cover the rest
_SHOWN = 60         # of these for which all branches are returned
_PRECISE = 1e-9       # m and rad: error above which a solution is refined
_AS_NEAR = 1.25     # ratio of distances from q0 up to which the largest joint change decides

_SPHERICAL = 'exactly spherical shoulder and wrist'


class AnalyticSolver(Solver):
    """Closed forms. Branches of the nominal arm are initial guesses for the true arm.

    - `family`: description of the arm.
    - `locked`: names of the locked joints of a redundant arm, whose values are its redundancy
      parameters; a swivel angle, and the angle of a planar arm's tip, belong to no joint.
    """

    name = 'analytic'
    Options = ClosedFormOptions

    def __init__(self, chain: Chain, **options: Any) -> None:
        """Recognise the arm. Raises UnsupportedError for one without a closed form."""
        super().__init__(chain, **options)
        self._plans = Plans(self.chain)
        self._whole = self._plans.whole
        self.family = self._plans.words
        self.locked = tuple(self.chain.joint_names[c] for c in self._plans.locked)
        hint = self.options.elbow
        self._hint = NOTHING if hint is None else hint
        self._elbow = Elbow(self._whole, self.chain) if self._whole.swivels else None
        for option in SWIVEL_OPTIONS:
            if self._elbow is None and getattr(self.options, option) is not None:
                raise OptionError(f'{self.name}.{option} is for an arm with {_SPHERICAL}; this one '
                                  f'is {self.family}')
        self._spread: dict[int, np.ndarray] = {}
        tolerances = {'position_tolerance': self.options.position_tolerance,
                      'orientation_tolerance': self.options.orientation_tolerance,
                      'joint_weights': self.options.joint_weights, 'seed': self.options.seed,
                      'timeout': self.options.timeout}
        self._nearest = DlsSolver(self.chain, **tolerances, max_restarts=0)
        self._searcher = DlsSolver(self.chain, **tolerances,
                                   max_restarts=self.options.max_restarts)
        arm = None if self._elbow is None else arm_preference(
            self.options, self._whole.structure, self.chain, self.name)
        self._has_arm = arm is not None
        self.packed = pack(self.chain.arrays, self._nearest.settings._replace(
            prefer=PREFERENCES[self.options.prefer], method=() if arm is None else arm))
        self._start_at = self.chain.neutral()
        self._listed = Enumeration(self.chain, self.packed, self._start_at,
                                   self.options.limit_margin)
        settings = self._nearest.settings
        self._neighbourhood = Neighbourhood(self.chain, settings, self._listed)
        self._infeasibility = Infeasibility(self.chain, self.options, settings.length, self._elbow)

    def solve_all(self, goal: Any, within_limits: bool = True,
                  redundancy: Any = None) -> np.ndarray:
        """Return every branch (k, n) that meets the goal, rad or m; turn copies not repeated.

        within_limits: omit branches that no whole turn brings inside the limits. redundancy: the
        parameter of a redundant arm, rad or m, or several (p,), see `redundancy_of`; by default
        many are tried. Where the closed form finds no branch, and redundancy is None, the one that
        `solve` finds is returned. Raises InputError for a malformed goal, UnsupportedError for one
        without a closed form.
        """
        if within_limits is not True and within_limits is not False:
            within_limits = flag(within_limits, 'within_limits')
        if redundancy is None and type(goal) is np.ndarray and not self._whole.searched:
            branches = self._listed.of_array(self._whole, goal, within_limits)
            if branches is not None:
                return branches
        wanted = as_goal(goal)
        plan, parameters = self._plans.plan_for(wanted)
        if redundancy is not None:
            return self._listed.of_pose(plan, wanted.pose, wanted.weights,
                                        plan.checked_parameters(redundancy), within_limits)
        branches = self._enumerated(plan, wanted, parameters, within_limits)
        if len(branches):
            return branches
        found = self._solve(wanted, self._start_at)
        return found.q[None] if found.success else branches

    def _enumerated(self, plan: Plan, goal: Goal, parameters: np.ndarray | None,
                    within_limits: bool) -> np.ndarray:
        """Return the branches (k, n) of `solve_all` by the closed form alone."""
        if parameters is not None or not plan.searched:
            return self._listed.of_pose(plan, goal.pose, goal.weights,
                                        NOTHING if parameters is None else parameters,
                                        within_limits)
        if plan.swivels and within_limits and self._elbow is not None:
            intervals = self._elbow.intervals(goal.pose)
            psi = Elbow.nearest(intervals, plan.parameters_at(self._start_at)[0])
            spread = Elbow.spread(intervals, self._samples(1)[:_SHOWN, 0])
            rows = [[psi], *spread[:, None]] if len(spread) else []
            return self._listed.at_each(plan, goal, rows, within_limits)
        lower, upper = plan.range_near(self._start_at)
        spread = lower + self._samples(len(lower))[:_SHOWN] * (upper - lower)
        own = np.clip(plan.parameters_at(self._start_at), lower, upper)
        return self._listed.at_each(plan, goal, [own, *spread], within_limits)

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
        return self._listed.of_batch(self._whole, poses, parameters, within_limits)

    def redundancy_of(self, q: Sequence[float] | np.ndarray) -> np.ndarray:
        """Return the redundancy parameters (p,) of a configuration q (n,), rad or m.

        One for each of `locked`; for an arm with spherical shoulder and wrist the swivel angle of
        its elbow; none without redundancy. With these values `solve_all` for the pose of q returns
        q among its branches.
        """
        return self._whole.parameters_at(vector(q, self.chain.n_joints, 'q'))

    def swivel_intervals(self, goal: Any) -> np.ndarray:
        """Return the swivel angles (k, 2), from and to, rad, with a branch inside the limits.

        Disjoint and ascending: −π ≤ from < to, where one that passes through π ends beyond it;
        (−π, π) where every angle is possible, shape (0, 2) where the goal cannot be met. goal: a
        full pose. After Shimizu, Kakuya, Yoon, Kitagaki & Kosuge 2008. Raises UnsupportedError for
        an arm or a goal without a swivel angle, InputError for a malformed goal.
        """
        elbow, pose = self._swivelling(goal)
        return elbow.intervals(pose)

    def redundancy_towards(self, goal: Any, elbow: Any, within_limits: bool = True) -> float:
        """Return the swivel angle, rad, with the elbow nearest to a point (3,), m, base frame.

        For `solve_all(goal, redundancy=…)`. goal: a full pose. within_limits: the nearest angle
        with a branch inside the limits, if there is one. Raises UnsupportedError as
        `swivel_intervals`, and InputError for a malformed goal or point, or a point on the line
        through shoulder and wrist, which determines no angle.
        """
        within_limits = flag(within_limits, 'within_limits')
        own, pose = self._swivelling(goal)
        psi = own.towards(pose, vector(elbow, 3, 'elbow'))
        if psi is None:
            raise InputError('elbow must be a point beside the line through shoulder and wrist, '
                             f'not {np.asarray(elbow, dtype=float).tolist()}')
        return Elbow.nearest(own.intervals(pose), psi) if within_limits else psi

    def is_complete(self, goal: Any = None) -> bool:
        """Tell whether the list of branches is complete; an empty one then proves that none exists.

        For an arm that holds where it equals its nominal geometry, and is not redundant except by
        a swivel angle: without a goal that is told. For a goal, it does not hold near a singular
        configuration that rounding may hide, nor where `solve` has no proof. Raises
        UnsupportedError for a goal without a closed form.
        """
        if goal is None:
            return self._whole.complete
        wanted = as_goal(goal)
        plan, parameters = self._plans.plan_for(wanted)
        if not plan.complete or not self._infeasibility.is_confirmed():
            return False
        if not len(self._enumerated(plan, wanted, parameters, True)):
            return self._solve(wanted, self._start_at).reason in PROVEN
        if plan.swivels:
            return True
        _, hidden = self._outside(plan, wanted, NOTHING if parameters is None else parameters)
        return next(hidden, None) is None

    def is_exact_for(self, goal: Any) -> bool:
        """Tell whether `is_complete` holds for most goals that constrain the same axes."""
        return self._plans.plan_for(as_goal(goal))[0].complete

    def best_solution(self, goal: Goal, q0: np.ndarray) -> np.ndarray | None:
        """Return the preferred solution (n,), rad or m; None, without a search for a reason.

        goal, q0 (n,): as for `solve`. Raises UnsupportedError for a goal without a closed form.
        """
        found, _, _ = self._preferred(as_goal(goal), self._start(q0))
        return None if found is None else found.q

    def kernels(self) -> tuple[Kernel, ...]:
        """Return the entries that goals for all six axes can reach; see `Solver`."""
        own = [self._whole.kernels.of_pose, self._whole.kernels.solutions]
        if self._whole.searched:
            own = [self._whole.kernels.best, *own]
        if self._elbow is not None:
            own += [intervals_within, hinted_swivel]
        if self._has_arm:
            own = [BEST_ARM, *own]
        return *own, parameters_of, refine_solution, *self._nearest.kernels()

    def rare_kernels(self) -> tuple[Kernel, ...]:
        """Return the entries for goals that leave axes free; see `Solver`.

        A free rotation is one more revolute joint at the tip, which makes another arm of it.
        """
        found = []
        for free in ([3], [4], [5], [3, 4, 5]):
            weights = np.ones(6)
            weights[free] = 0.0
            with contextlib.suppress(UnsupportedError):
                plan, _ = self._plans.plan_for(Goal(np.zeros(3), np.eye(3), weights))
                found += list(plan.kernels)
        return *dict.fromkeys(found), parameters_of, *super().rare_kernels()

    def _candidates(self, goals: Sequence[Goal], q0: np.ndarray | None,
                    density: int, deadline: float) -> list[np.ndarray] | None:
        """Return the branches (k, n) of every goal, a redundant arm's at many parameters."""
        if self._plans.planar or any(goal.weights is not ALL_AXES for goal in goals):
            return None
        start = self._start_at if q0 is None else q0
        return path_candidates(
            self._whole, goals, start, density, self.options.seed, deadline,
            lambda poses, rows, starts, out: self._listed.solve(
                self._whole, poses, ALL_AXES, rows, starts, INSIDE, out, np.empty((len(out), 3))))

    def _swivelling(self, goal: Any) -> tuple[Elbow, np.ndarray]:
        """Return the swivel angles of the arm, and the pose of a goal."""
        wanted = as_goal(goal)
        if self._elbow is None:
            raise UnsupportedError(f'a swivel angle is for an arm with {_SPHERICAL}; this one is '
                                   f'{self.family}')
        if self._plans.plan_for(wanted)[0] is not self._whole:
            raise UnsupportedError('a swivel angle is for a goal that constrains all six axes; '
                                   'this one leaves some free')
        return self._elbow, wanted.pose

    def _solve(self, goal: Goal, q0: np.ndarray) -> Found:
        found, plan, parameters = self._preferred(goal, q0)
        return self._failed(plan, goal, parameters, q0) if found is None else found

    def _preferred(self, goal: Goal, q0: np.ndarray) -> tuple[Found | None, Plan, np.ndarray]:
        """Return the preferred solution, None without one, its plan and its parameters."""
        plan, parameters = self._plans.plan_for(goal)
        q, scratch = np.empty(self._shape), self._listed.scratch()
        common = (plan.codes, plan.numbers, *self.packed, goal.pose, goal.weights)
        if plan.searched:
            lower, upper = plan.range_near(q0)
            parameters, samples = np.zeros(len(lower)), self._samples(len(lower))
            if plan.swivels:
                found = NONE
                if self._has_arm:
                    found, position, orientation = BEST_ARM(
                        *common, q0, self.options.limit_margin, scratch, np.empty(ARM_SCRATCH),
                        parameters, q)
                if not found:
                    found, position, orientation = plan.kernels.best(
                        *common, q0, lower, upper, samples[:_FEW], self.options.limit_margin,
                        self._hint, scratch, np.empty(ROOM_SCRATCH), parameters, q)
            else:
                found, position, orientation = plan.kernels.best(
                    *common, q0, lower, upper, samples, self.options.limit_margin, scratch,
                    parameters, q)
        else:
            parameters = NOTHING if parameters is None else parameters
            records = np.empty((1, 3))
            self._listed.solve(plan, goal.pose[None], goal.weights, parameters, q0[None], BEST,
                               q[None, None], records)
            found, position, orientation = records[0].tolist()
        if not found:
            return None, plan, parameters
        if max(position, orientation) > _PRECISE:  # near a singularity with a held joint
            position, orientation = refine_solution(*self.packed, goal.pose, goal.weights, scratch,
                                                    q)
        solution = Verified(q, True, StopReason.CONVERGED, position, orientation, 0, 0)
        return (self._nearer(goal, q0, solution) if found == FAR else solution), plan, parameters

    def _nearer(self, goal: Goal, q0: np.ndarray, far: Found) -> Found:
        """Return the result of a local search from q0 (n,) where it is nearer than `far`."""
        margin = self.options.limit_margin
        if len(self._hint) or self._has_arm:
            return far
        near = self._nearest._solve_verified(goal, q0)
        room = np.minimum(near.q - self.chain.lower, self.chain.upper - near.q).min()
        if not near.success or (margin > 0.0 and room < margin):
            return far
        scale = self._nearest.settings.scale
        moved, others = np.abs((near.q - q0) / scale), np.abs((far.q - q0) / scale)
        ratio = float(np.linalg.norm(moved) / np.linalg.norm(others))
        nearer = ratio < 1.0 or (ratio < _AS_NEAR and moved.max() < others.max())
        return near if nearer else far

    def _solve_many(self, goals: Sequence[Goal], starts: np.ndarray,
                    progress: Callable[[float], None]) -> list[Found]:
        """Solve all at once where no parameter is searched; failed ones one by one."""
        if self._whole.searched or self._plans.planar or any(
                goal.weights is not ALL_AXES for goal in goals):
            return super()._solve_many(goals, starts, progress)
        poses = np.array([goal.pose for goal in goals]).reshape(len(goals), 4, 4)
        q, records, plan = np.empty(starts.shape), np.empty((len(goals), 3)), self._whole

        def solve(part: slice) -> None:
            self._listed.solve(plan, poses[part], ALL_AXES, NOTHING, starts[part], BEST,
                               q[part, None], records[part])

        share(solve, len(goals), progress)
        return [self._failed(plan, goal, NOTHING, start) if not met else self._batched(
                    met, goal, start, Verified(one, True, StopReason.CONVERGED, position,
                                               orientation, 0, 0))
                for goal, start, one, (met, position, orientation)
                in zip(goals, starts, q, records.tolist())]

    def _batched(self, met: float, goal: Goal, start: np.ndarray, found: Found) -> Found:
        """Return a solution of a kernel, treated as by `_preferred`."""
        if max(found.position_error, found.orientation_error) > _PRECISE:
            found = self._refined(goal, found)
        return self._nearer(goal, start, found) if met == FAR else found

    def _samples(self, parameters: int) -> np.ndarray:
        """Return samples (k, p) in [0, 1], the last ones with locked joints at their limits."""
        if parameters not in self._spread:
            self._spread[parameters] = np.concatenate([
                low_discrepancy(_SAMPLES, parameters, self.options.seed),
                np.zeros((1, parameters)), np.ones((1, parameters))])
        return self._spread[parameters]

    def _failed(self, plan: Plan, goal: Goal, parameters: np.ndarray, q0: np.ndarray) -> Found:
        """Return the best configuration where no branch meets a goal, and the reason.

        Damped least squares refines the branches of the nominal arm. Where these prove nothing, it
        searches from q0, then with restarts. The timeout is that of all searches together.
        """
        with ends_by(self._deadline()):
            return self._searched(plan, goal, parameters, q0)

    def _searched(self, plan: Plan, goal: Goal, parameters: np.ndarray, q0: np.ndarray) -> Found:
        if not plan.complete:
            best = self._nearest._solve_verified(goal, q0)
            if best.success:
                return self._refined(goal, best)
        near = self._listed.nominal(plan, goal.pose[None], parameters, q0)
        start = min((self._start(q) for q in near), key=lambda q: self._error(goal, q), default=q0)
        if plan.complete:
            best = self._nearest._solve_verified(goal, start)
        else:
            best = self._searcher._solve_verified(goal, start)
        if best.success:
            return self._refined(goal, best)
        if best.reason is StopReason.TIMEOUT or time_is_over():
            return best._replace(reason=StopReason.TIMEOUT)
        if best.reason in PROVEN or not plan.complete:
            return best
        if plan.swivels:
            reason = self._infeasibility.swivel_reason(goal, best)
        else:
            outside, hidden = self._outside(plan, goal, parameters)
            doubtful = False
            for q in hidden:
                found, doubtful = self._refined(goal, best._replace(q=self._start(q))), True
                if found.success:
                    return found
            reason = None if doubtful else self._infeasibility.reason(goal, best, outside)
        return best if reason is None else best._replace(reason=reason)

    def _outside(self, plan: Plan, goal: Goal,
                 parameters: np.ndarray) -> tuple[np.ndarray, Iterator[np.ndarray]]:
        """Return every branch (k, n), whatever the limits, and others (n,) that rounding hides."""
        listed = self._listed.of_pose(plan, goal.pose, goal.weights, parameters, within=False)
        return listed, self._neighbourhood.hidden(goal, self._neighbourhood.candidates(
            plan, goal, parameters, self._start_at, listed), listed)

    def _error(self, goal: Goal, q: np.ndarray) -> float:
        """Return the squared weighted error at q (n,), m² and rad²."""
        return goal_error(*self._nearest.packed, goal.pose, goal.weights, self._nearest._scratch(),
                          q)[0]

    def _refined(self, goal: Goal, found: Found) -> Found:
        """Return a result refined to full precision, where that is better."""
        position, orientation = refine_solution(*self.packed, goal.pose, goal.weights,
                                                self._listed.scratch(), found.q)
        return self._judged(found, found.q, position, orientation)
