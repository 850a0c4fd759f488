"""Solutions by the branches of a closed form, and by a search near them where none meets a goal."""

import functools
import itertools
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ik_node.model.chain import Chain
from ik_node.solvers.analytic.elbow import Elbow
from ik_node.solvers.analytic.goal_closed_form import NOTHING, Plan, Plans
from ik_node.solvers.analytic.infeasibility import Infeasibility
from ik_node.solvers.analytic.recognition.nominal import SWIVEL
from ik_node.solvers.analytic.recognition.recognise import recognise
from ik_node.solvers.analytic.refinement.refinement import Refiner
from ik_node.solvers.analytic.selection.redundant_selection import (
    GuidedSelection,
    RedundantSelection,
)
from ik_node.solvers.analytic.selection.selection import Selection
from ik_node.solvers.analytic.selection.swivel_selection import ArmPreference, SwivelSelection
from ik_node.solvers.arm.base import Solver
from ik_node.solvers.codes import FAR, NONE
from ik_node.solvers.driver import share
from ik_node.solvers.goal import ALL_AXES, Goal
from ik_node.solvers.jacobian.solvers import DlsSolver
from ik_node.solvers.kernel.low_discrepancy import low_discrepancy
from ik_node.solvers.options import SWIVEL_OPTIONS, ClosedFormOptions
from ik_node.solvers.result import PROVEN, StopReason
from ik_node.solvers.solver_output import Found, Verified, as_columns
from ik_node.support import clock
from ik_node.support.exceptions import OptionError, UnsupportedError

_SAMPLES = 400   # samples of the parameters of a redundant arm
_FEW = 6         # of these where the intervals within limits cover the rest
_OF_CIRCLE = 40  # of these where the preferences of a human-like arm decide
_AS_NEAR = 1.25  # ratio of distances from q0 up to which the largest joint change decides
_ROUGH = 1e-3    # slack of a guide whose branches are refined before they are compared

SPHERICAL = 'exactly spherical shoulder and wrist'


class BranchSearch(Solver):
    """Solves by the branches of a closed form, and searches near them where none meets the goal.

    - `family`: description of the arm.
    - `locked`: names of the locked joints of a redundant arm, whose values are its redundancy
      parameters; a swivel angle, and the angle of a planar arm's tip, belong to no joint.
    """

    Options = ClosedFormOptions

    def __init__(self, chain: Chain, **options: Any) -> None:
        """Recognise the arm. Raises UnsupportedError for one without a closed form."""
        super().__init__(chain, **options)
        whole = recognise(self.chain)
        common = {name: getattr(self.options, name) for name in (
            'position_tolerance', 'orientation_tolerance', 'joint_weights', 'seed', 'timeout')}
        self._nearest = DlsSolver(self.chain, **common, max_restarts=0)
        self._searcher = DlsSolver(self.chain, **common, max_restarts=self.options.max_restarts)
        within = self.options.consistency_limits
        self._local = self._searcher if within is None else DlsSolver(
            self.chain, **common, max_restarts=self.options.max_restarts, consistency_limits=within)
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
            raise OptionError(f'{self.name}.{guided[0]} is for an arm with {SPHERICAL}; this one '
                              f'is {self.family}')
        # What guides the elbow matters more than how far the solution is.
        self._takes_nearer = not guided
        self._refiner = Refiner(self.chain.record, self._preferring)
        self._infeasibility = Infeasibility(self.chain, self.options, self._preferring, self._elbow)

    def _selection(self, plan: Plan) -> Selection:
        """Return a new selection of the preferred solution for a plan."""
        common = self.chain.record, self._preferring, plan.family, self.options.limit_margin
        if not plan.searched:
            return Selection(*common)
        samples = parameter_samples(len(plan.lower), self.options.seed)
        if not plan.swivels:
            guided = plan.structure.family == SWIVEL and plan.structure.slack > _ROUGH
            return (GuidedSelection if guided else RedundantSelection)(
                *common, plan.lower, plan.upper, samples)
        if all(getattr(self.options, name) is None for name in SWIVEL_OPTIONS[1:]):
            return SwivelSelection(*common, samples[:_FEW], self.options.elbow)
        return SwivelSelection(
            *common, samples[:_OF_CIRCLE], self.options.elbow,
            ArmPreference(self.options, plan.structure, self.chain, self.name))

    def _solve(self, goal: Goal, q0: np.ndarray) -> Found:
        return self._consistent(goal, q0, self._solve_anywhere(goal, q0))

    def _solve_anywhere(self, goal: Goal, q0: np.ndarray) -> Found:
        """Solve from q0 (n,), whatever the consistency limits."""
        found, plan, parameters = self._preferred(goal, q0)
        return self._failed(plan, goal, parameters, q0) if found is None else found

    @abstractmethod
    def _consistent(self, goal: Goal, q0: np.ndarray, found: Found) -> Found:
        """Return a result of `_solve_anywhere`, or one within the consistency limits of q0 (n,)."""

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

    def _batch(self, poses: np.ndarray, starts: np.ndarray,
               progress: Callable[[float], None]) -> list[np.ndarray]:
        """Solve all at once; failed ones one by one."""
        if self.collisions is not None or not self._own_kernels:
            return super()._batch(poses, starts, progress)
        plan, q, records = self._whole, np.empty(starts.shape), np.empty((len(poses), 3))
        parameters = np.zeros((len(poses), len(plan.lower)))
        share(lambda part: plan.guide.selector.solve_batch(
            poses[part], ALL_AXES, parameters[part], starts[part], q[part], records[part]),
            len(poses), progress)
        found = []
        for goal, start, one, record in zip(map(Goal._of_clean_pose, poses), starts, q,
                                            records.tolist()):
            selected = self._selected(goal, start, one, record) or self._solve_anywhere(goal, start)
            found.append(self._consistent(goal, start, selected))
        return self._finished_batch(as_columns(found, self.chain.n_joints), poses, starts)

    def _failed(self, plan: Plan, goal: Goal, parameters: np.ndarray, q0: np.ndarray) -> Found:
        """Return the best configuration where no branch meets a goal, and the reason.

        Damped least squares refines the branches of the nominal arm. Where these prove nothing, it
        searches from q0, then with restarts. The timeout is that of all searches together.
        """
        with clock.ends_by(self._deadline()):
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
                    else self._solve_anywhere(relaxed, q0).reason is StopReason.UNREACHABLE):
                return True
        return False

    def _searched(self, plan: Plan, goal: Goal, parameters: np.ndarray,
                  q0: np.ndarray) -> Found:
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
        return listed, self._infeasibility.hidden(plan, goal, parameters, self._start_at, listed)

    def _refined(self, goal: Goal, found: Found) -> Found:
        """Return a result refined to full precision, where that is better."""
        position, orientation = self._refiner.refine(goal.pose, goal.weights, found.q)
        return self._judged(found, found.q, position, orientation)


@functools.lru_cache(maxsize=64)
def parameter_samples(parameters: int, seed: int) -> np.ndarray:
    """Return samples (k, p) in [0, 1], the last ones with locked joints at their limits."""
    return np.concatenate([low_discrepancy(_SAMPLES, parameters, seed),
                           np.zeros((1, parameters)), np.ones((1, parameters))])
