"""The closed form and damped least squares: the faster one first, then the other one."""

import contextlib
import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ik_node.collision.model import CollisionModel
from ik_node.model.chain import Chain
from ik_node.solvers.analytic.solver import AnalyticSolver
from ik_node.solvers.arm.base import Solver
from ik_node.solvers.codes import SOLUTIONS
from ik_node.solvers.goal import ALL_AXES, Goal
from ik_node.solvers.jacobian.solvers import DlsSolver
from ik_node.solvers.kernel.arm_kernel import Search
from ik_node.solvers.options import SWIVEL_OPTIONS, ClosedFormOptions
from ik_node.solvers.result import PROVEN, StopReason
from ik_node.solvers.solver_output import Found, as_columns
from ik_node.support.exceptions import OptionError, UnsupportedError

# Time of the attempts of dls on six joints, in its iterations: from q0, and of a restart. Medians
# of 100 arms.
_ATTEMPT, _RESTART = 14.0, 8.0
_WORTH = 3.0     # time of dls before the closed form, as a multiple of that of the closed form
_MOST_KEPT = 64  # weights whose opening is kept
_POSE = Goal.from_pose(np.eye(4))
_PARTS = 3       # of a batch: dls, the closed form, dls again


def _by_closed_form(name: str) -> Any:
    """Return the method of a name that calls the one of `AnalyticSolver`."""
    @functools.wraps(getattr(AnalyticSolver, name))
    def method(self: 'AutoSolver', *arguments: Any, **named: Any) -> Any:
        if self.analytic is None:
            raise UnsupportedError(self.refusal, self._instead)
        return getattr(self.analytic, name)(*arguments, **named)
    return method


class AutoSolver(Solver):
    """Uses `analytic` and `dls`, in an order that depends on the time that a closed form takes.

    Where that is less than an attempt of dls, the closed form is first. Else dls is, for some
    attempts where the closed form takes as long as a few, for all where it takes longer; the
    closed form solves the remaining goals, or proves them infeasible. The times are constants, so
    that results are reproducible. `result.method` names the solver of the result.

    - `analytic`, `iterative`: the solver by closed forms, None without one, and the other one.
    - `refusal`: why the arm has no closed form; '' where it has one.
    """

    name = 'auto'
    Options = ClosedFormOptions
    _copies_starts = True

    def __init__(self, chain: Chain, **options: Any) -> None:
        super().__init__(chain, **options)
        own = {**options, 'closest': False}  # searched once, where neither meets the goal
        self.iterative = DlsSolver(chain, **{k: own[k] for k in own if k not in SWIVEL_OPTIONS})
        self.analytic: AnalyticSolver | None = None
        self.refusal = self._instead = ''
        try:
            self.analytic = AnalyticSolver(chain, **{**own, 'max_restarts': 0})  # those are of dls
        except UnsupportedError as error:
            self.refusal, self._instead = str(error), error.found or str(error)
            for option in SWIVEL_OPTIONS:
                if own.get(option) is not None:
                    raise OptionError(f'auto.{option} is for arms that have a closed form; this '
                                      f'one is {self._instead}') from error
        self.iterative.credited = self.iterative.name
        # Damped least squares does not know what guides an elbow.
        self._guided = any(own.get(name) is not None for name in SWIVEL_OPTIONS)
        self._openings: dict[tuple[bytes, bool], Search | None] = {}
        self._usual = self._opening_for(_POSE)

    @property
    def family(self) -> str:
        """Description of the closed form, or why there is none."""
        if self.analytic is not None:
            return self.analytic.family
        return f'no closed form, dls is used: {self._instead}'

    # Those of the closed form; UnsupportedError, with the reason, where there is none.
    solve_all = _by_closed_form('solve_all')
    solve_all_batch = _by_closed_form('solve_all_batch')
    is_complete = _by_closed_form('is_complete')
    swivel_intervals = _by_closed_form('swivel_intervals')
    redundancy_of = _by_closed_form('redundancy_of')
    redundancy_towards = _by_closed_form('redundancy_towards')

    def _candidates(self, goals: Sequence[Goal], q0: np.ndarray | None,
                    density: int, deadline: float) -> list[np.ndarray] | None:
        return None if self.analytic is None else self.analytic._candidates(
            goals, q0, density, deadline)

    def avoid(self, collisions: CollisionModel) -> None:
        """Let both check for collisions; see `Driver.avoid`."""
        super().avoid(collisions)
        self.iterative.avoid(collisions)
        if self.analytic is not None:
            self.analytic.avoid(collisions)

    def _avoiding(self, goal: Goal, q0: np.ndarray,
                  is_free: Callable[[np.ndarray], bool]) -> Found:
        found = None
        if self.analytic is None or self._opening(goal) is not None:
            found = self.iterative._avoiding(goal, q0, is_free)
            if self.analytic is None or _ends(found):
                return found
        with contextlib.suppress(UnsupportedError):
            closed = _named(self.analytic._avoiding(goal, q0, is_free))
            if _ends(closed) or found is not None or self.analytic._has_looked_at_all(goal):
                return closed
        return self.iterative._avoiding(goal, q0, is_free) if found is None else found

    def _confirmed(self, goal: Goal, q0: np.ndarray) -> Found | None:
        with contextlib.suppress(UnsupportedError):
            if self.analytic is not None and self.analytic._has_looked_at_all(goal):
                return None
        return super()._confirmed(goal, q0)

    def _solve(self, goal: Goal, q0: np.ndarray) -> Found:
        opening, whole, found, closed = self._usual, self.iterative._entry, None, None
        if goal._weights is not ALL_AXES:
            opening = self._opening(goal)
        if opening is not None:
            found = self.iterative._solve(goal, q0, self.iterative._search_about(q0, opening))
            if found.success or _ends(found, opening is whole):
                return found
        if self.analytic is not None and not _is_hopeless(found):
            try:
                closed = _named(self.analytic._solve_verified(goal, self.analytic._start(q0)))
                if _ends(closed):
                    return closed
            except UnsupportedError:  # it needs an axis that the goal leaves free
                closed = None
        if found is None or opening is not whole:
            found = self.iterative._solve(goal, q0)
        return found if closed is None else self._better(goal, closed, found)

    def _batch(self, poses: np.ndarray, starts: np.ndarray,
               progress: Callable[[float], None]) -> list[np.ndarray]:
        """Do as `_solve`, for all poses."""
        if self.collisions is not None or self.options.consistency_limits is not None:
            return super()._batch(poses, starts, progress)
        found: list[Any] = [None] * len(poses)
        forms, every = found.copy(), range(len(poses))
        opening, whole = self._usual, self.iterative._entry

        def solve(batch: Callable, which: Sequence[int], part: int, out: list[Any]) -> None:
            progress(part / _PARTS)
            for k, one in zip(which, zip(*batch(
                    poses[which], starts[which],
                    lambda done: progress((part + done) / _PARTS))) if which else ()):
                out[k] = Found(*one)

        if opening is not None:
            solve(functools.partial(self.iterative._batch, search=opening), every, 0, found)
        rest = [k for k in every if found[k] is None or not _ends(found[k], opening is whole)]
        if self.analytic is not None:
            likely = [k for k in rest if not _is_hopeless(found[k])]
            with contextlib.suppress(UnsupportedError):
                solve(self.analytic._batch, likely, 1, forms)
                forms = [one if one is None else _named(one) for one in forms]
        rest = [k for k in rest if forms[k] is None or not _ends(forms[k])]
        if opening is not whole:
            solve(self.iterative._batch, rest, 2, found)
        for k in rest:
            forms[k] = found[k] if forms[k] is None else self._better(
                Goal._of_clean_pose(poses[k]), forms[k], found[k])
        progress(1.0)
        return self._finished_batch(as_columns(
            [found[k] if forms[k] is None else forms[k] for k in every], self.chain.n_joints),
            poses, starts)

    def _opening(self, goal: Goal) -> Search | None:
        """Return the search by dls that precedes the closed form; None where that is first."""
        weights = goal._weights.tobytes(), goal._has_orientation
        if weights not in self._openings:
            if len(self._openings) == _MOST_KEPT:
                self._openings.clear()
            self._openings[weights] = self._opening_for(goal)
        return self._openings[weights]

    def _opening_for(self, goal: Goal) -> Search | None:
        whole, attempts = self.iterative._entry, math.inf
        if self.analytic is not None:
            cost = self.analytic._plans.cost_for(goal)
            expected = 1 if self.options.prefer in ('nearest', 'first') else SOLUTIONS
            size = self.chain.n_joints / 6.0
            if self._guided or cost < expected * _ATTEMPT * size:
                return None
            attempts = _WORTH * cost / (_RESTART * size)
        return whole if attempts > self.options.max_restarts else whole.altered(
            attempts=math.ceil(attempts))

    def _better(self, goal: Goal, first: Found, second: Found) -> Found:
        """Return the result of dls if it meets the goal, else the nearer with its reason."""
        if second.success:
            return second
        nearer = min(second, first, key=lambda found: self._verifier.errors(
            goal.pose, goal.weights, found.q)[0])
        return nearer._replace(reason=second.reason)


def _ends(found: Found, proves: bool = True) -> bool:
    """Tell whether the goal is met or, where a failure proves that, cannot be; or time is over."""
    return (found.success or found.reason is StopReason.TIMEOUT
            or (proves and found.reason in PROVEN))


def _is_hopeless(found: Found | None) -> bool:
    """Tell whether an opening has found a goal beyond the reach of the arm, or of its wrist."""
    return found is not None and found.reason is StopReason.UNREACHABLE


def _named(found: Found) -> Found:
    named: Found = tuple.__new__(type(found), (*found[:-1], AnalyticSolver.name))  # faster
    return named
