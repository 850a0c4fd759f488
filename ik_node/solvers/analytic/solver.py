"""The solver by closed forms: every branch, refined and verified on the true arm."""

import functools
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from ik_node.collision.model import CollisionModel
from ik_node.model.chain import Chain
from ik_node.solvers.analytic.elbow import Elbow
from ik_node.solvers.analytic.infeasibility import Infeasibility, Neighbourhood
from ik_node.solvers.analytic.plan import NOTHING, Plan, Plans
from ik_node.solvers.analytic.recognition.recognise import recognise
from ik_node.solvers.analytic.refinement.precision import Refiner
from ik_node.solvers.analytic.selection.arm_preference import ArmPreference
from ik_node.solvers.analytic.selection.redundant_selection import (
    GuidedSelection,
    RedundantSelection,
)
from ik_node.solvers.analytic.selection.selection import Selection
from ik_node.solvers.analytic.selection.swivel_selection import ArmSelection, SwivelSelection
from ik_node.solvers.analytic.structure import SWIVEL
from ik_node.solvers.analytic.windings import at_every_turn
from ik_node.solvers.avoidance import blocked, first_free
from ik_node.solvers.base import Solver
from ik_node.solvers.codes import FAR, NONE
from ik_node.solvers.driver import ends_by, share
from ik_node.solvers.found import Found, Verified
from ik_node.solvers.goal import ALL_AXES, Goal, as_goal, as_poses
from ik_node.solvers.jacobian.solver import DlsSolver
from ik_node.solvers.low_discrepancy import low_discrepancy
from ik_node.solvers.options import SWIVEL_OPTIONS, ClosedFormOptions
from ik_node.solvers.result import PROVEN, StopReason
from ik_node.spatial.rotations import EXACT
from ik_node.support.arguments import flag, vector
from ik_node.support.exceptions import InputError, OptionError, UnsupportedError

_SAMPLES = 400      # samples of the parameters of a redundant arm
_FEW = 6            # of these where the intervals within limits cover the rest
_SHOWN = 60         # of these for which all branches are returned
_SHARE, _SHARES = 128, 16  # poses per task of a core at least; number of tasks of larger batches
_AS_NEAR = 1.25     # ratio of distances from q0 up to which the largest joint change decides

_ROUGH = 1e-3       # slack of a guide whose branches are refined before they are compared

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
        whole = recognise(self.chain)
        common = {name: getattr(self.options, name) for name in (
            'position_tolerance', 'orientation_tolerance', 'joint_weights', 'seed', 'timeout')}
        self._nearest = DlsSolver(self.chain, **common, max_restarts=0)
        self._searcher = DlsSolver(self.chain, **common, max_restarts=self.options.max_restarts)
        settings = self._nearest.settings
        self._preferring = self._nearest._make_settings(prefer=self.options.prefer)
        self._start_at = self.chain.neutral()
        self._plans = Plans(self.chain, self._preferring, self._selection, whole)
        self._whole = self._plans.whole
        self._of_pose = None if self._whole.searched else self._whole.solutions.of_pose
        self.family = whole.description
        self.locked = tuple(self.chain.joint_names[c] for c in whole.locked)
        tolerance = (self.options.position_tolerance / settings.length
                     + self.options.orientation_tolerance)
        self._elbow = Elbow(self._whole, self.chain, tolerance) if self._whole.swivels else None
        guided = [name for name in SWIVEL_OPTIONS if getattr(self.options, name) is not None]
        if guided and self._elbow is None:
            raise OptionError(f'{self.name}.{guided[0]} is for an arm with {_SPHERICAL}; this one '
                              f'is {self.family}')
        # What guides the elbow matters more than how far the solution is.
        self._takes_nearer = not guided
        self._refiner = Refiner(self.chain.record, self._preferring)
        self._neighbourhood = Neighbourhood(self.chain, self._preferring, settings.length)
        self._infeasibility = Infeasibility(self.chain, self.options, settings.length, self._elbow)
        self._direct = (self._own_kernels and not self.options.closest
                        and self.options.timeout is None)

    def _selection(self, plan: Plan) -> Selection:
        """Return a new selection of the preferred solution for a plan."""
        common = self.chain.record, self._preferring, plan.family, self.options.limit_margin
        if not plan.searched:
            return Selection(*common)
        samples = _samples(len(plan.lower), self.options.seed)
        if not plan.swivels:
            guided = plan.structure.family == SWIVEL and plan.structure.slack > _ROUGH
            return (GuidedSelection if guided else RedundantSelection)(
                *common, plan.lower, plan.upper, samples)
        own = *common, samples[:_FEW], self.options.elbow
        if all(getattr(self.options, name) is None for name in SWIVEL_OPTIONS[1:]):
            return SwivelSelection(*own)
        return ArmSelection(*own, ArmPreference(self.options, plan.structure, self.chain,
                                                self.name))

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
        branches = self._enumerated(plan, wanted, parameters, within_limits)
        if len(branches):
            return branches
        found = self._solve(wanted, self._start_at)
        return found.q[None] if found.success else branches

    def avoid(self, collisions: CollisionModel) -> None:
        """Let the search that follows the branches check, too; see `Driver.avoid`."""
        super().avoid(collisions)
        self._searcher.avoid(collisions)

    def _avoiding(self, goal: Goal, q0: ndarray, is_free: Callable[[ndarray], bool]) -> Found:
        found = self._solve_verified(goal, q0)
        if not found.success or is_free(found.q):
            return found
        branches = self.solve_all(goal)
        for branch in branches:
            self._verifier.nearest_turn(q0, branch)
        q = first_free(branches, lambda branch: self._cost(goal, q0, branch), is_free)
        if q is not None:
            return self._verified(goal, q0, found._replace(q=q))
        if self._whole.searched:
            searched = self._searcher._avoiding(goal, q0, is_free)
            if searched.success:
                return searched
        return blocked(found)

    def _cost(self, goal: Goal, q0: ndarray, q: ndarray) -> float:
        """Return the selection cost of a branch q (n,); see `search.selection_cost`."""
        if self.options.prefer == 'limits':
            half = 0.5 * (self.chain.upper - self.chain.lower)
            bounded = np.isfinite(half) & (half > 0.0)
            away = np.abs(q - self.chain.lower - half)[bounded] / half[bounded]
            return float(away.max(initial=0.0))
        if self.options.prefer == 'manipulability':
            J, R = self.chain.jacobian(q), goal.pose[:3, :3].T
            J = np.concatenate([R @ J[:3], R @ J[3:]])[goal.weights > 0.0]
            return -float(np.linalg.slogdet(J @ J.T)[1])
        return self._nearest._distance(q0, q)

    def _confirmed(self, goal: Goal, q0: ndarray) -> Found | None:
        return None if self._has_looked_at_all(goal) else super()._confirmed(goal, q0)

    def _has_looked_at_all(self, goal: Goal) -> bool:
        """Tell whether a goal in collision has no other solutions than the branches."""
        plan, parameters = self._plans.plan_for(goal)
        return plan.complete and (parameters is not None or not plan.searched)

    def _enumerated(self, plan: Plan, goal: Goal, parameters: np.ndarray | None,
                    within_limits: bool) -> np.ndarray:
        """Return the branches (k, n) of `solve_all` by the closed form alone."""
        if parameters is not None or not plan.searched:
            return plan.branches(goal, NOTHING if parameters is None else parameters, within_limits)
        if plan.swivels and within_limits and self._elbow is not None:
            intervals = self._elbow.intervals(goal.pose)
            psi = Elbow.nearest(intervals, plan.family.parameters_at(self._start_at)[0])
            spread = Elbow.spread(intervals, _samples(1, self.options.seed)[:_SHOWN, 0])
            angles = np.array([psi, *spread]) if len(spread) else NOTHING
            return plan.branches(goal, angles[:, None], within_limits)
        plan = plan.guide
        lower, upper = plan.range_near(self._start_at)
        spread = lower + _samples(len(lower), self.options.seed)[:_SHOWN] * (upper - lower)
        own = np.clip(plan.family.parameters_at(self._start_at), lower, upper)
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
        branches = np.empty((count, solutions.most, self.chain.n_joints))
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
        psi: float = own.within_limits.towards(pose, vector(elbow, 3, 'elbow'))
        if math.isnan(psi):
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
            raise UnsupportedError(f'a swivel angle is for an arm with {_SPHERICAL}; this one is '
                                   f'{self.family}')
        if self._plans.plan_for(wanted)[0] is not self._whole:
            raise UnsupportedError('a swivel angle is for a goal that constrains all six axes; '
                                   'this one leaves some free')
        return self._elbow, wanted.pose

    def _solve_from(self, goal: Goal, q: np.ndarray) -> Found:
        self._bring_inside(q)
        return self._solve_verified(goal, q)

    def _solve(self, goal: Goal, q0: np.ndarray) -> Found:
        found, plan, parameters = self._preferred(goal, q0)
        return self._failed(plan, goal, parameters, q0) if found is None else found

    def _preferred(self, goal: Goal, q0: np.ndarray) -> tuple[Found | None, Plan, np.ndarray]:
        """Return the preferred solution, None without one, its plan and its parameters."""
        plan, parameters = self._plans.plan_for(goal)
        if parameters is None:
            parameters = np.zeros(len(plan.lower)) if plan.searched else NOTHING
        q = np.empty(self._shape)
        record = plan.guide.selector.solve(goal.pose, goal.weights, parameters, q0, q)
        if record[0] == NONE and plan.guide is not plan:
            record = plan.selector.solve(goal.pose, goal.weights, parameters, q0, q)
        return self._selected(goal, q0, q, record), plan, parameters

    def _selected(self, goal: Goal, q0: np.ndarray, q: np.ndarray,
                  record: Sequence[float]) -> Found | None:
        """Return the solution q (n,) of a selection, by its record; None without one.

        Where that is far from q0 (n,), the result of a local search from there, if it is nearer.
        """
        end, position, orientation = record
        if end == NONE:
            return None
        far: Found = tuple.__new__(Verified, (q, True, StopReason.CONVERGED, position, orientation,
                                              0, 0, ''))
        if end != FAR or not self._takes_nearer:
            return far
        near = self._nearest._solve_verified(goal, q0)
        room = np.minimum(near.q - self.chain.lower, self.chain.upper - near.q).min()
        if not near.success or room < self.options.limit_margin:
            return far
        scale = self._nearest._scale
        moved, others = np.abs((near.q - q0) / scale), np.abs((far.q - q0) / scale)
        ratio = float(np.linalg.norm(moved) / np.linalg.norm(others))
        nearer = ratio < 1.0 or (ratio < _AS_NEAR and moved.max() < others.max())
        return near if nearer else far

    def _solve_many(self, goals: Sequence[Goal], starts: np.ndarray,
                    progress: Callable[[float], None]) -> list[Found]:
        """Solve all at once; failed ones one by one."""
        if any(goal.weights is not ALL_AXES for goal in goals):
            return super()._solve_many(goals, starts, progress)
        poses = np.array([goal.pose for goal in goals]).reshape(len(goals), 4, 4)
        plan, q, records = self._whole, np.empty(starts.shape), np.empty((len(goals), 3))
        parameters = np.zeros((len(goals), len(plan.lower)))
        share(lambda part: plan.guide.selector.solve_batch(
            poses[part], ALL_AXES, parameters[part], starts[part], q[part], records[part]),
            len(goals), progress)
        if plan.guide is not plan:
            return [self._selected(goal, start, one, record) or self._solve(goal, start)
                    for goal, start, one, record in zip(goals, starts, q, records.tolist())]
        return [self._selected(goal, start, one, record) or self._failed(plan, goal, own, start)
                for goal, own, start, one, record
                in zip(goals, parameters, starts, q, records.tolist())]

    def _failed(self, plan: Plan, goal: Goal, parameters: np.ndarray, q0: np.ndarray) -> Found:
        """Return the best configuration where no branch meets a goal, and the reason.

        Damped least squares refines the branches of the nominal arm. Where these prove nothing, it
        searches from q0, then with restarts. The timeout is that of all searches together.
        """
        with ends_by(self._deadline()):
            best = self._searched(plan, goal, parameters, q0)
            if best.success:
                return self._refined(goal, best)
            if best.reason in (*PROVEN, StopReason.TIMEOUT) or not plan.complete:
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
            few = len(plan.structure.kind) < 6
            if few and reason is StopReason.UNREACHABLE and not self._is_proved(goal, q0):
                reason = None
            if self._infeasibility.is_loose or few:
                # What is within the tolerances of a pose is no branch of the pose itself.
                found = self._searcher._solve_verified(goal, q0)
                if found.success or found.reason is StopReason.TIMEOUT:
                    return found
            return best if reason is None else best._replace(reason=reason)

    def _is_proved(self, goal: Goal, q0: np.ndarray) -> bool:
        """Tell whether a goal is beyond fewer than six joints, by the branches of relaxed ones.

        A planar arm's branches are those of the goal's projection, which is nearest.
        """
        if self._plans.planar:
            return True
        for free in itertools.combinations((5, 4, 3), 6 - self.chain.n_joints):
            weights = goal.weights.copy()
            weights[list(free)] = 0.0
            relaxed = Goal(goal.pose[:3, 3], goal.orientation, weights)
            try:
                plan, parameters = self._plans.plan_for(relaxed)
            except UnsupportedError:
                continue
            if not plan.complete or parameters is not None:
                continue
            branches, hidden = self._outside(plan, relaxed, NOTHING)
            if next(hidden, None) is None and (
                    self._infeasibility.is_missed(goal, relaxed, branches) if len(branches)
                    else self._solve(relaxed, q0).reason is StopReason.UNREACHABLE):
                return True
        return False

    def _searched(self, plan: Plan, goal: Goal, parameters: np.ndarray, q0: np.ndarray) -> Found:
        """Return what damped least squares finds from the nominal arm's branches, or from q0."""
        if not plan.complete:
            best = self._nearest._solve_verified(goal, q0)
            if best.success:
                return best
        near = plan.loose.branches(goal.pose[None], parameters, q0)

        def error(q: np.ndarray) -> float:
            return self._refiner.errors(goal.pose, goal.weights, q)[0]
        starts = sorted(map(self._start, near[np.isfinite(near).all(axis=1)]), key=error) or [q0]
        if not plan.complete:
            return self._searcher._solve_verified(goal, starts[0])
        # Fewer joints than axes meet a goal within the tolerances by branches that miss it.
        found: list[Found] = []
        for start in starts[:1 if len(plan.structure.kind) >= 6 else None]:
            found.append(self._nearest._solve_verified(goal, start))
            if found[-1].success:
                break
        return found[-1] if found[-1].success else min(found, key=lambda one: error(one.q))

    def _outside(self, plan: Plan, goal: Goal,
                 parameters: np.ndarray) -> tuple[np.ndarray, Iterator[np.ndarray]]:
        """Return every branch (k, n), whatever the limits, and others (n,) that rounding hides."""
        listed = plan.branches(goal, parameters, within=False)
        return listed, self._neighbourhood.hidden(plan, goal, parameters, self._start_at, listed)

    def _refined(self, goal: Goal, found: Found) -> Found:
        """Return a result refined to full precision, where that is better."""
        position, orientation = self._refiner.refine(goal.pose, goal.weights, found.q)
        return self._judged(found, found.q, position, orientation)


@functools.lru_cache(maxsize=64)
def _samples(parameters: int, seed: int) -> np.ndarray:
    """Return samples (k, p) in [0, 1], the last ones with locked joints at their limits."""
    return np.concatenate([low_discrepancy(_SAMPLES, parameters, seed),
                           np.zeros((1, parameters)), np.ones((1, parameters))])
