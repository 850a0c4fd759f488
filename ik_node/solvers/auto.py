"""Closed form where there is one, damped least squares elsewhere."""

import contextlib
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ik_node.exceptions import OptionError, UnsupportedError
from ik_node.kinematics.reach import reach
from ik_node.model.chain import Chain
from ik_node.solvers.analytic.solver import AnalyticSolver
from ik_node.solvers.base import Found, Solver
from ik_node.solvers.goal import Goal
from ik_node.solvers.jacobian.dls import DlsSolver
from ik_node.solvers.options import ClosedFormOptions
from ik_node.solvers.result import StopReason, task_singular_values
from ik_node.solvers.search import goal_error

# A closed form that misses by less may miss by rounding, its own or the model's.
_NEAR_MISS = 1e-3     # of the arm's reach, and rad
_TOLERANCES = 10.0    # and in tolerances
_REGULAR = 1e-3       # the smallest singular value over the largest: no joint is to spare
_POSTURES = 3         # looked at for that: one alone might be singular
_HALF = 0.5           # of the progress of a batch: the closed form's part

# What damped least squares says only where it met the goal from another start.
_CAN_BE_MET = (StopReason.SINGULAR, StopReason.STALLED)


class AutoSolver(Solver):
    """Takes `analytic` where it fits the arm and the goal, and `dls` elsewhere.

    A success of either is one. `dls` is asked, from the same start, where the arm or the goal has
    no closed form, and where the closed form finds nothing and that is no proof: of what a goal
    leaves free it tries samples only, but for a swivel angle. `result.method` says which of the
    two it was.

    - `analytic`: the closed form's solver, None where there is none; `iterative`: the other.
    - `refusal`: why there is no closed form for the arm; '' where there is one.
    """

    name = 'auto'
    Options = ClosedFormOptions

    def __init__(self, chain: Chain, **options: Any) -> None:
        """Prepare both for a chain, with the same options; see `Solver`."""
        super().__init__(chain, **options)
        own = {**options, 'closest': False}  # looked for once, where neither meets the goal
        hint = own.get('elbow')
        self.iterative = DlsSolver(chain, **{k: own[k] for k in own if k != 'elbow'})
        self.analytic: AnalyticSolver | None = None
        self.refusal = self._instead = ''
        try:
            self.analytic = AnalyticSolver(chain, **own)
        except UnsupportedError as error:
            self.refusal, self._instead = str(error), error.found or str(error)
            if hint is not None:
                raise OptionError(f'auto.elbow is for arms that have a closed form; this one is '
                                  f'{self._instead}') from error
        radius = reach(self.chain.arrays)[1]
        self._length = radius if 0.0 < radius < math.inf else 1.0
        self._anywhere = np.random.default_rng(0).uniform(-1.0, 1.0, (_POSTURES, chain.n_joints))

    @property
    def family(self) -> str:
        """What closed form was found, in words, or why none was."""
        if self.analytic is not None:
            return self.analytic.family
        return f'no closed form, dls answers: {self._instead}'

    def solve_all(self, goal: Any, within_limits: bool = True,
                  redundancy: Any = None) -> np.ndarray:
        """Return every branch (k, n) that meets the goal; see `AnalyticSolver.solve_all`.

        Raises UnsupportedError, with the reason, where the arm or the goal has no closed form.
        """
        return self._closed_form().solve_all(goal, within_limits, redundancy)

    def solve_all_batch(self, goals: Any, within_limits: bool = True,
                        redundancy: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Return every branch for many poses; see `AnalyticSolver.solve_all_batch`.

        Raises UnsupportedError as `solve_all`.
        """
        return self._closed_form().solve_all_batch(goals, within_limits, redundancy)

    def swivel_intervals(self, goal: Any) -> np.ndarray:
        """Return the swivel angles (k, 2) inside the limits; see `AnalyticSolver`."""
        return self._closed_form().swivel_intervals(goal)

    def redundancy_of(self, q: Sequence[float] | np.ndarray) -> np.ndarray:
        """Return the parameters (p,) that a posture has; see `AnalyticSolver.redundancy_of`."""
        return self._closed_form().redundancy_of(q)

    def redundancy_towards(self, goal: Any, elbow: Any, within_limits: bool = True) -> float:
        """Return the swivel angle with the elbow nearest to a point; see `AnalyticSolver`."""
        return self._closed_form().redundancy_towards(goal, elbow, within_limits)

    def compiled(self) -> bool:
        """Tell whether the kernels of both are on disk; see `Solver.compiled`."""
        return self.iterative.compiled() and (self.analytic is None or self.analytic.compiled())

    def warm_up(self, q: Sequence[float] | np.ndarray) -> None:
        """Make both ready; see `Solver.warm_up`."""
        self.iterative.warm_up(q)
        if self.analytic is not None:
            self.analytic.warm_up(q)

    def _closed_form(self) -> AnalyticSolver:
        if self.analytic is None:
            raise UnsupportedError(self.refusal, self._instead)
        return self.analytic

    def _solve(self, goal: Goal, q0: np.ndarray) -> Found:
        first = None
        if self.analytic is not None:
            # The goal may leave free what the closed form has to know.
            with contextlib.suppress(UnsupportedError):
                first = _named(self.analytic, self.analytic._solve(goal, q0))
        if first is not None and self._settled(goal, first):
            return first
        second = _named(self.iterative, self.iterative._solve(goal, q0))
        return second if first is None else self._better(goal, first, second)

    def _solve_many(self, goals: Sequence[Goal], starts: np.ndarray,
                    progress: Callable[[float], None]) -> list[Found]:
        """Give all to the closed form, and what it does not settle to dls."""
        firsts: list[Found] = []
        begun = 0.0 if self.analytic is None else _HALF
        if self.analytic is not None:
            with contextlib.suppress(UnsupportedError):
                firsts = [_named(self.analytic, one) for one in self.analytic._solve_many(
                    goals, starts, lambda done: progress(begun * done))]
        rest = [k for k, goal in enumerate(goals)
                if not (firsts and self._settled(goal, firsts[k]))]
        seconds = self.iterative._solve_many(
            [goals[k] for k in rest], starts[rest],
            lambda done: progress(begun + (1.0 - begun) * done))
        found = dict(enumerate(firsts))
        for k, one in zip(rest, seconds):
            second = _named(self.iterative, one)
            found[k] = self._better(goals[k], found[k], second) if k in found else second
        progress(1.0)
        return [found[k] for k in range(len(goals))]

    def _better(self, goal: Goal, first: Found, second: Found) -> Found:
        """Return the one that meets the goal, else the nearer one with the reason that says most.

        first: the closed form's; second: of damped least squares.
        """
        if second.success:
            return second
        nearer = min(second, first, key=lambda found: self._error(goal, found.q))
        outside = first.reason is StopReason.LIMITS and second.reason not in _CAN_BE_MET
        return nearer._replace(reason=first.reason if outside else second.reason)

    def _error(self, goal: Goal, q: np.ndarray) -> float:
        """Return the squared weighted error at q (n,), m² and rad²."""
        return goal_error(*self.iterative.packed, goal.pose, goal.weights,
                          self.iterative.scratch(), q)[0]

    def _settled(self, goal: Goal, found: Found) -> bool:
        """Tell whether dls has nothing to add: the goal is met, or it is proven that it cannot be.

        It is where the closed form lists all there is and by far misses the goal: no joint could
        move meanwhile, or it knows all the swivel angles at which they do.
        """
        if found.success:
            return True
        options = self.options
        if (found.position_error <= max(_NEAR_MISS * self._length,
                                        _TOLERANCES * options.position_tolerance)
                and found.orientation_error <= max(_NEAR_MISS,
                                                   _TOLERANCES * options.orientation_tolerance)):
            return False
        if np.count_nonzero(goal.weights) < self.chain.n_joints:
            return self._closed_form().proves(goal, found.reason)
        if found.reason is StopReason.UNREACHABLE:
            return any(self._regular(goal, q) for q in self._anywhere)
        if found.reason is StopReason.LIMITS:
            outside = self.solve_all(goal, within_limits=False)
            return len(outside) > 0 and all(self._regular(goal, q) for q in outside)
        return False

    def _regular(self, goal: Goal, q: np.ndarray) -> bool:
        """Tell whether no motion of the joints at q (n,) leaves what the goal asks for as it is."""
        values = task_singular_values(self.chain, goal, q, self._length)
        n = self.chain.n_joints
        return len(values) == n and bool(values[-1] > _REGULAR * values[0])


def _named(solver: Solver, found: Found) -> Found:
    """Return what a solver found, with its name."""
    return found._replace(method=solver.name)
