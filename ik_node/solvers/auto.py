"""Closed form where available, damped least squares otherwise."""

import contextlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ik_node.model.chain import Chain
from ik_node.solvers.analytic.solver import AnalyticSolver
from ik_node.solvers.base import Solver
from ik_node.solvers.found import Found
from ik_node.solvers.goal import Goal
from ik_node.solvers.jacobian.solver import DlsSolver
from ik_node.solvers.options import SWIVEL_OPTIONS, ClosedFormOptions
from ik_node.solvers.records import verifier_of
from ik_node.solvers.result import PROVEN, StopReason
from ik_node.support.exceptions import OptionError, UnsupportedError

_HALF = 0.5           # of the progress of a batch: the share of the closed form


class AutoSolver(Solver):
    """Uses `analytic` where it supports the arm and the goal, and `dls` otherwise.

    `dls` solves, from the same initial guess, where the arm or the goal has no closed form, and
    where the closed form finds nothing without a proof: it only samples free axes, except for a
    swivel angle. `result.method` names the solver of the result.

    - `analytic`, `iterative`: the solver by closed forms, None without one, and the other one.
    - `refusal`: why the arm has no closed form; '' where it has one.
    """

    name = 'auto'
    Options = ClosedFormOptions

    def __init__(self, chain: Chain, **options: Any) -> None:
        """Prepare both for a chain, with the same options; see `Solver`."""
        super().__init__(chain, **options)
        own = {**options, 'closest': False}  # searched once, where neither meets the goal
        self.iterative = DlsSolver(chain, **{k: own[k] for k in own if k not in SWIVEL_OPTIONS})
        self.analytic: AnalyticSolver | None = None
        self.refusal = self._instead = ''
        try:
            self.analytic = AnalyticSolver(chain, **own)
        except UnsupportedError as error:
            self.refusal, self._instead = str(error), error.found or str(error)
            for option in SWIVEL_OPTIONS:
                if own.get(option) is not None:
                    raise OptionError(f'auto.{option} is for arms that have a closed form; this '
                                      f'one is {self._instead}') from error

    @property
    def family(self) -> str:
        """Description of the closed form, or why there is none."""
        if self.analytic is not None:
            return self.analytic.family
        return f'no closed form, dls is used: {self._instead}'

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
        """Return the redundancy parameters (p,) at q (n,); see `AnalyticSolver.redundancy_of`."""
        return self._closed_form().redundancy_of(q)

    def redundancy_towards(self, goal: Any, elbow: Any, within_limits: bool = True) -> float:
        """Return the swivel angle with the elbow nearest to a point; see `AnalyticSolver`."""
        return self._closed_form().redundancy_towards(goal, elbow, within_limits)

    def _closed_form(self) -> AnalyticSolver:
        if self.analytic is None:
            raise UnsupportedError(self.refusal, self._instead)
        return self.analytic

    def _candidates(self, goals: Sequence[Goal], q0: np.ndarray | None,
                    density: int, deadline: float) -> list[np.ndarray] | None:
        return None if self.analytic is None else self.analytic._candidates(
            goals, q0, density, deadline)

    def _solve(self, goal: Goal, q0: np.ndarray) -> Found:
        first = None
        if self.analytic is not None:
            # The goal may leave an axis free that the closed form needs.
            with contextlib.suppress(UnsupportedError):
                first = _named(self.analytic, self.analytic._solve_verified(goal, q0))
        if first is not None and (_settled(first) or first.reason is StopReason.TIMEOUT):
            return first
        second = _named(self.iterative, self.iterative._solve_verified(goal, q0))
        return second if first is None else self._better(goal, first, second)

    def _solve_many(self, goals: Sequence[Goal], starts: np.ndarray,
                    progress: Callable[[float], None]) -> list[Found]:
        """Solve all by the closed form, and unsettled goals by dls."""
        found: dict[int, Found] = {}
        begun = 0.0 if self.analytic is None else _HALF
        if self.analytic is not None:
            with contextlib.suppress(UnsupportedError):
                found = {k: _named(self.analytic, one) for k, one in enumerate(
                    self.analytic._solve_many_verified(
                        goals, starts, lambda done: progress(begun * done)))}
        rest = [k for k in range(len(goals)) if not (k in found and _settled(found[k]))]
        seconds = self.iterative._solve_many_verified(
            [goals[k] for k in rest], starts[rest],
            lambda done: progress(begun + (1.0 - begun) * done))
        for k, one in zip(rest, seconds):
            second = _named(self.iterative, one)
            found[k] = self._better(goals[k], found[k], second) if k in found else second
        progress(1.0)
        return [found[k] for k in range(len(goals))]

    def _better(self, goal: Goal, first: Found, second: Found) -> Found:
        """Return the result of dls if it meets the goal, else the nearer with its reason."""
        if second.success:
            return second
        nearer = min(second, first, key=lambda found: verifier_of(self.chain).errors(
            goal.pose, goal.weights, found.q)[0])
        return nearer._replace(reason=second.reason)


def _settled(found: Found) -> bool:
    """Tell whether the goal is met, or proved to be infeasible, so that dls is not needed."""
    return found.success or found.reason in PROVEN


def _named(solver: Solver, found: Found) -> Found:
    return found._replace(method=solver.name)
