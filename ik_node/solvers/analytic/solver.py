"""Closed-form solutions: every branch, brought onto the true arm and checked on it."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ik_node._arrays import vector
from ik_node._jit import compiled
from ik_node.exceptions import InputError, OptionError, UnsupportedError
from ik_node.model.chain import Chain
from ik_node.solvers.analytic.answers import all_answers, all_answers_batch
from ik_node.solvers.analytic.best_answer import best_answer, best_answer_batch
from ik_node.solvers.analytic.desk import make_answer_scratch
from ik_node.solvers.analytic.elbow import Elbow
from ik_node.solvers.analytic.plan import Plan, Plans
from ik_node.solvers.analytic.redundancy import best_redundant
from ik_node.solvers.analytic.sharpening import sharpen
from ik_node.solvers.analytic.swivel_choice import ROOM_SCRATCH, best_swivel
from ik_node.solvers.base import Found, Solver
from ik_node.solvers.batch import share
from ik_node.solvers.goal import ALL_AXES, Goal, as_goal, is_plain_pose
from ik_node.solvers.iterative import PREFERENCES
from ik_node.solvers.jacobian.dls import DlsSolver
from ik_node.solvers.options import ClosedFormOptions
from ik_node.solvers.packing import pack
from ik_node.solvers.result import StopReason
from ik_node.solvers.search import goal_error
from ik_node.solvers.starts import low_discrepancy

_NOTHING = np.zeros(0)
_SAMPLES = 400      # of the parameters of an arm with joints to spare
_FEW = 6            # of them where the limits themselves say what is left
_SHOWN = 60         # of them for which all branches are returned
_SHARP = 1e-9       # m and rad: error above which an answer is brought to the last digits

_BALLS = 'exactly spherical shoulder and wrist'


class AnalyticSolver(Solver):
    """Closed form. A file's numbers are never exact: the ideal arm's branches are only the start.

    - `family`: what was found, in words.
    - `locked`: names of the joints that have to be given, of an arm with joints to spare; a
      swivel angle, and the angle of a planar arm's tip, are no joint's.
    """

    name = 'analytic'
    Options = ClosedFormOptions

    def __init__(self, chain: Chain, **options: Any) -> None:
        """Recognise the arm. Raises UnsupportedError for one that has no closed form here."""
        super().__init__(chain, **options)
        self._plans = Plans(self.chain)
        self._whole = self._plans.whole
        self.family = self._plans.words
        self.locked = tuple(self.chain.joint_names[c] for c in self._plans.locked)
        hint = self.options.elbow
        self._hint = _NOTHING if hint is None else hint
        self._elbow = Elbow(self._whole, self.chain) if self._whole.swivels else None
        if hint is not None and self._elbow is None:
            raise OptionError(f'{self.name}.elbow is for an arm with {_BALLS}; this one is '
                              f'{self.family}')
        self._spread: dict[int, np.ndarray] = {}
        n = self.chain.n_joints
        tolerances = {'position_tolerance': self.options.position_tolerance,
                      'orientation_tolerance': self.options.orientation_tolerance,
                      'joint_weights': self.options.joint_weights, 'seed': self.options.seed,
                      'timeout': self.options.timeout}
        self._nearest = DlsSolver(self.chain, **tolerances, max_restarts=0)
        self._searcher = DlsSolver(self.chain, **tolerances,
                                   max_restarts=self.options.max_restarts)
        self.packed = pack(self.chain.arrays, self._nearest.settings._replace(
            prefer=PREFERENCES[self.options.prefer], method=()))
        self._scratch_size = len(make_answer_scratch(n, n))
        self._start_at = self.chain.neutral()

    def solve_all(self, goal: Any, within_limits: bool = True,
                  redundancy: Any = None) -> np.ndarray:
        """Return every branch (k, n) that meets the goal, rad or m; turn copies not repeated.

        within_limits: leave out what no whole turn brings inside the limits. redundancy: the
        parameter of an arm with a joint to spare, rad or m, or several (p,), see `redundancy_of`;
        by default many are tried. Raises InputError for a malformed goal, UnsupportedError for one
        that has no closed form.
        """
        if redundancy is None and not self._whole.searched and is_plain_pose(goal):
            return self._all(self._whole, goal, ALL_AXES, _NOTHING, within_limits)
        wanted = as_goal(goal)
        plan, given = self._plans.plan_for(wanted)
        if redundancy is not None:
            given = plan.given(redundancy)
        if given is not None or not plan.searched:
            return self._all(plan, wanted.pose, wanted.weights,
                             _NOTHING if given is None else given, within_limits)
        if plan.swivels and within_limits and self._elbow is not None:
            intervals = self._elbow.intervals(wanted.pose)
            psi = Elbow.nearest(intervals, plan.parameters_at(self._start_at)[0])
            spread = Elbow.spread(intervals, self._samples(1)[:_SHOWN, 0])
            return self._all_at(plan, wanted, [[psi], *spread[:, None]] if len(spread) else [],
                                within_limits)
        lower, upper = plan.range_near(self._start_at)
        spread = lower + self._samples(len(lower))[:_SHOWN] * (upper - lower)
        own = np.clip(plan.parameters_at(self._start_at), lower, upper)
        return self._all_at(plan, wanted, [own, *spread], within_limits)

    def solve_all_batch(self, goals: Any, within_limits: bool = True,
                        redundancy: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Return every branch for poses (m, 4, 4), m: (branches (m, k, n), counts (m,)).

        Of pose i the first counts[i] rows are branches, rad or m, the rest is NaN; on all cores.
        redundancy: as for `solve_all`, but an arm with joints to spare needs it. Raises InputError
        for malformed goals, naming the pose.
        """
        poses = self._poses(goals)
        given = _NOTHING
        if redundancy is not None or self._whole.searched:
            given = self._whole.given(redundancy)
        out = np.empty((len(poses), self._whole.most, self.chain.n_joints))
        counts = np.zeros(len(poses), dtype=np.int64)
        plan = self._whole

        def solve(part: slice) -> None:
            all_answers_batch(plan.codes, plan.numbers, *self.packed, poses[part], ALL_AXES, given,
                              self._start_at, within_limits, np.empty(self._scratch_size),
                              out[part], counts[part])

        share(solve, len(poses))
        return out[:, :int(counts.max(initial=0))], counts

    def redundancy_of(self, q: Sequence[float] | np.ndarray) -> np.ndarray:
        """Return the parameters (p,) that a posture q (n,) has, rad or m; none without redundancy.

        One for each of `locked`; of an arm with spherical shoulder and wrist the swivel angle of
        its elbow. With one of them `solve_all` returns q, among others, for the pose it has.
        """
        return self._whole.parameters_at(np.asarray(q, dtype=float))

    def swivel_intervals(self, goal: Any) -> np.ndarray:
        """Return the swivel angles (k, 2), from and to, rad, with a branch inside the limits.

        They do not touch, and rise: −π ≤ from < to, where one that goes round through π ends
        beyond it; (−π, π) where every angle will do, none (0, 2) where the goal cannot be met.
        goal: a whole pose. After Shimizu, Kakuya, Yoon, Kitagaki & Kosuge 2008. Raises
        UnsupportedError for an arm or a goal without a swivel angle, InputError for a malformed
        goal.
        """
        elbow, pose = self._swivelling(goal)
        return elbow.intervals(pose)

    def redundancy_towards(self, goal: Any, elbow: Any, within_limits: bool = True) -> float:
        """Return the swivel angle, rad, with the elbow nearest to a point (3,), m, base frame.

        For `solve_all(goal, redundancy=…)`. goal: a whole pose. within_limits: the nearest at which
        a branch is inside the limits, where there is one. Raises UnsupportedError as
        `swivel_intervals`, and InputError for a malformed goal or point, or one on the line through
        shoulder and wrist, which is as near to every elbow.
        """
        own, pose = self._swivelling(goal)
        psi = own.towards(pose, vector(elbow, 3, 'elbow'))
        if psi is None:
            raise InputError('elbow must be a point beside the line through shoulder and wrist, '
                             f'not {np.asarray(elbow, dtype=float).tolist()}')
        return Elbow.nearest(own.intervals(pose), psi) if within_limits else psi

    def is_complete(self, goal: Any = None) -> bool:
        """Tell whether no answer to such a goal proves that there is none; by default a whole pose.

        So it is where the arm is exactly the one of its closed form, and none of its joints is to
        spare but by a swivel angle. Raises UnsupportedError for a goal that has no closed form.
        """
        return (self._whole if goal is None else self._plans.plan_for(as_goal(goal))[0]).complete

    def proves(self, goal: Goal, reason: StopReason) -> bool:
        """Tell whether no answer to a goal, for a reason, is a proof that there is none.

        As `is_complete`, but for poses at which limits may leave a swivel angle no length.
        """
        if not self.is_complete(goal):
            return False
        return (reason is not StopReason.LIMITS or self._elbow is None
                or not self._elbow.may_be_singular(goal.pose))

    def answer(self, goal: Goal, q0: np.ndarray) -> np.ndarray | None:
        """Return the closed form's answer (n,), rad or m; None, without a look for why, of none.

        goal, q0 (n,): as for `solve`. Raises UnsupportedError for a goal that has no closed form.
        """
        found, _, _ = self._answer(goal, self._start(q0))
        return None if found is None else found.q

    def compiled(self) -> bool:
        """Tell whether the kernels are on disk; see `Solver.compiled`."""
        searching = best_swivel if self._whole.swivels else best_redundant
        kernel: Any = searching if self._whole.searched else best_answer
        return compiled(kernel.__name__) and self._nearest.compiled()

    def _swivelling(self, goal: Any) -> tuple[Elbow, np.ndarray]:
        """Return the swivel angles of the arm, and the pose a goal asks for."""
        wanted = as_goal(goal)
        if self._elbow is None:
            raise UnsupportedError(f'a swivel angle is for an arm with {_BALLS}; this one is '
                                   f'{self.family}')
        if self._plans.plan_for(wanted)[0] is not self._whole:
            raise UnsupportedError('a swivel angle is for a goal that asks for all six axes; this '
                                   'one leaves some free')
        return self._elbow, wanted.pose

    def _all(self, plan: Plan, pose: np.ndarray, weights: np.ndarray, given: np.ndarray,
             within: bool) -> np.ndarray:
        out = np.empty((plan.most, self.chain.n_joints))
        return out[:all_answers(plan.codes, plan.numbers, *self.packed, pose, weights, given,
                                self._start_at, within, np.empty(self._scratch_size), out)]

    def _all_at(self, plan: Plan, goal: Goal, parameters: Iterable[Any],
                within: bool) -> np.ndarray:
        """Return the branches (k, n) for each of some parameters (p,)."""
        found = [self._all(plan, goal.pose, goal.weights, np.asarray(given, dtype=float), within)
                 for given in parameters]
        return np.concatenate([np.empty((0, self.chain.n_joints)), *found])

    def _solve(self, goal: Goal, q0: np.ndarray) -> Found:
        found, plan, given = self._answer(goal, q0)
        return self._failed(plan, goal, given, q0) if found is None else found

    def _answer(self, goal: Goal, q0: np.ndarray) -> tuple[Found | None, Plan, np.ndarray]:
        """Return the answer that is preferred, if there is one, and of what plan and parameters."""
        plan, given = self._plans.plan_for(goal)
        q, scratch = np.empty(self._shape), np.empty(self._scratch_size)
        asked = (plan.codes, plan.numbers, *self.packed, goal.pose, goal.weights)
        if plan.searched:
            lower, upper = plan.range_near(q0)
            given, samples = np.zeros(len(lower)), self._samples(len(lower))
            if plan.swivels:
                found, position, orientation = best_swivel(
                    *asked, q0, lower, upper, samples[:_FEW], self.options.limit_margin,
                    self._hint, scratch, np.empty(ROOM_SCRATCH), given, q)
            else:
                found, position, orientation = best_redundant(
                    *asked, q0, lower, upper, samples, self.options.limit_margin, scratch, given, q)
        else:
            given = _NOTHING if given is None else given
            found, position, orientation = best_answer(
                *asked, given, q0, self.options.limit_margin, scratch, q)
        if found:
            if max(position, orientation) > _SHARP:  # a joint held where it is all but singular
                position, orientation = sharpen(*self.packed, goal.pose, goal.weights, scratch, q)
            return Found(q, True, StopReason.CONVERGED, position, orientation, 0, 0), plan, given
        return None, plan, given

    def _solve_many(self, goals: Sequence[Goal], starts: np.ndarray,
                    progress: Callable[[float], None]) -> list[Found]:
        """Solve all at once where nothing has to be looked for; the failed ones one by one."""
        if self._whole.searched or self._plans.flat or any(
                goal.weights is not ALL_AXES for goal in goals):
            return super()._solve_many(goals, starts, progress)
        poses = np.array([goal.pose for goal in goals]).reshape(len(goals), 4, 4)
        q, known, plan = np.empty(starts.shape), np.empty((len(goals), 3)), self._whole

        def solve(part: slice) -> None:
            best_answer_batch(plan.codes, plan.numbers, *self.packed, poses[part], ALL_AXES,
                              _NOTHING, starts[part], self.options.limit_margin,
                              np.empty(self._scratch_size), q[part], known[part])

        share(solve, len(goals), progress)
        return [Found(posture, True, StopReason.CONVERGED, position, orientation, 0, 0) if met
                else self._failed(plan, goal, _NOTHING, start)
                for goal, start, posture, (met, position, orientation)
                in zip(goals, starts, q, known.tolist())]

    def _samples(self, parameters: int) -> np.ndarray:
        if parameters not in self._spread:
            self._spread[parameters] = low_discrepancy(_SAMPLES, parameters, self.options.seed)
        return self._spread[parameters]

    def _failed(self, plan: Plan, goal: Goal, given: np.ndarray, q0: np.ndarray) -> Found:
        """Return why no branch meets a goal, and the best there is instead.

        That is what damped least squares makes of the branches of the ideal arm. Where these prove
        nothing, it goes on from other starts.
        """
        near = plan.nearest_postures(goal, given, q0)
        starts = [self._start(q) for q in near] or [q0]
        errors = [goal_error(*self._nearest.packed, goal.pose, goal.weights,
                             self._nearest.scratch(), q)[0] for q in starts]
        start = starts[int(np.argmin(errors))]
        if plan.complete:
            best = self._nearest._solve(goal, start)
        else:
            best = self._searcher._solve(goal, start)
        if best.success:
            position, orientation = sharpen(*self.packed, goal.pose, goal.weights,
                                            np.empty(self._scratch_size), best.q)
            return best._replace(position_error=position, orientation_error=orientation)
        outside = len(self._all(plan, goal.pose, goal.weights, given, within=False)) > 0
        return best._replace(reason=StopReason.LIMITS if outside else StopReason.UNREACHABLE)
