"""Closed-form solutions: every branch, polished on the true arm and checked on it."""

from typing import Any

import numpy as np

from ik_node.exceptions import InputError, UnsupportedError
from ik_node.kinematics.forward import BALL_X
from ik_node.model.chain import Chain
from ik_node.solvers.analytic.planar import find_planar
from ik_node.solvers.base import Found, Solver
from ik_node.solvers.goal import Goal, as_goal
from ik_node.solvers.jacobian.dls import DlsSolver
from ik_node.solvers.result import StopReason, task_singular_values
from ik_node.solvers.search import goal_error, into_limits, nearest_turn
from ik_node.solvers.settings import CONVERGED

_POLISHED = 1e-10     # m and rad: what a branch is brought to on the true arm
_POLISH_STEPS = 10
_SAME_BRANCH = 1e-6   # rad
_AT_LIMIT = 1e-9      # rad: what is beyond a limit by less is a rounding error
_CLOSEST_OF = 8       # branches compared for the closest posture where none meets the goal


class AnalyticSolver(Solver):
    """Closed form. A file's numbers are never exact: the ideal arm's branches are only the start.

    - `family`: what was found, in words.
    """

    name = 'analytic'

    def __init__(self, chain: Chain, **options: Any) -> None:
        """Recognise the arm. Raises UnsupportedError for one that has no closed form here."""
        super().__init__(chain, **options)
        found = find_planar(chain)
        if isinstance(found, str):
            balls = (chain.arrays.kind >= BALL_X).any()
            raise UnsupportedError(
                f'analytic has no closed form for the arm from {chain.base_link!r} to '
                f'{chain.tip_link!r}: found {found}; it knows planar arms with two or three '
                'parallel revolute axes; what fits this one is dls, pseudoinverse'
                f'{" and transpose" if balls else ", transpose and ccd"}', found)
        self.arm = found
        self.family = found.description
        self._polisher = DlsSolver(
            chain.without_limits(), position_tolerance=_POLISHED, orientation_tolerance=_POLISHED,
            max_iterations=_POLISH_STEPS, max_restarts=0)

    def solve_all(self, goal: Any, within_limits: bool = True,
                  redundancy: float | None = None) -> np.ndarray:
        """Return every branch (k, n) that meets the goal, rad or m; turn copies not repeated.

        within_limits: leave out what no whole turn brings inside the limits. redundancy: the
        value of what the goal leaves free, rad; by default many are tried. Of a planar 3R it is
        the angle of the tip, from where it is at q = 0. Raises InputError for a malformed goal,
        UnsupportedError for one that has no closed form.
        """
        number = isinstance(redundancy, (int, float, np.integer, np.floating))
        if redundancy is not None and not (number and np.isfinite(redundancy)):
            raise InputError(f'redundancy must be a finite number, not {redundancy!r}')
        wanted, start = as_goal(goal), self.chain.neutral()
        found: list[np.ndarray] = []
        for ideal in self.arm.branches(wanted, start, redundancy):
            q = self._turned(self._polished(wanted, ideal), start)
            if (self._meets(wanted, q) and (self._inside(q) or not within_limits)
                    and not any(_same(q, other) for other in found)):
                found.append(q)
        return np.array(found).reshape(len(found), self.chain.n_joints)

    def compiled(self) -> bool:
        """Tell whether the kernels are on disk; see `Solver.compiled`."""
        return self._polisher.compiled()

    def _solve(self, goal: Goal, q0: np.ndarray) -> Found:
        branches = [self._turned(q, q0) for q in self.arm.branches(goal, q0, None)]
        branches.sort(key=lambda q: (not self._inside(q), self._within_margin(q),
                                     self._regret(goal, q), self._distance(q, q0)))
        outside = False
        for ideal in branches:
            q = self._turned(self._polished(goal, ideal), q0)
            if self._meets(goal, q):
                if self._inside(q):
                    _, position, orientation = self._error(goal, q)
                    return Found(q, True, StopReason.CONVERGED, position, orientation, 0, 0)
                outside = True
        for q in branches:
            into_limits(self.chain.arrays, q)
        (_, position, orientation), q = min(
            ((self._error(goal, q), q) for q in branches[:_CLOSEST_OF]),
            key=lambda error_and_q: error_and_q[0])
        reason = StopReason.LIMITS if outside else StopReason.UNREACHABLE
        return Found(q, False, reason, position, orientation, 0, 0)

    def _polished(self, goal: Goal, ideal: np.ndarray) -> np.ndarray:
        """Return a branch of the ideal arm brought onto the true one, where that succeeds."""
        q, outcome, _ = self._polisher.search(goal, ideal)
        return q if outcome[0] == CONVERGED else ideal

    def _error(self, goal: Goal, q: np.ndarray) -> tuple[float, float, float]:
        """Return (squared error, position error in m, orientation error in rad) at q (n,)."""
        return goal_error(*self._polisher.packed, goal.pose, goal.weights,
                          self._polisher.scratch(), q)

    def _meets(self, goal: Goal, q: np.ndarray) -> bool:
        _, position, orientation = self._error(goal, q)
        return bool(position <= self.options.position_tolerance
                    and orientation <= self.options.orientation_tolerance)

    def _turned(self, q: np.ndarray, q0: np.ndarray) -> np.ndarray:
        """Return q by whole turns nearest q0, inside the limits where that is possible."""
        turned = q.copy()
        nearest_turn(self.chain.arrays, q0, turned)
        inside = np.clip(turned, self.chain.lower, self.chain.upper)
        return np.where(np.abs(turned - inside) < _AT_LIMIT, inside, turned)

    def _inside(self, q: np.ndarray) -> bool:
        return bool(((self.chain.lower <= q) & (q <= self.chain.upper)).all())

    def _within_margin(self, q: np.ndarray) -> bool:
        """Tell whether q (n,) is nearer a limit than the option limit_margin has it."""
        room = min((q - self.chain.lower).min(), (self.chain.upper - q).min())
        return bool(room < self.options.limit_margin)

    def _regret(self, goal: Goal, q: np.ndarray) -> float:
        """Return how little q (n,) is what the option prefer asks for; 0 where that is nearness."""
        if self.options.prefer == 'manipulability':
            return -float(np.prod(task_singular_values(self.chain, goal, q)))
        if self.options.prefer == 'limits':
            half = 0.5 * (self.chain.upper - self.chain.lower)
            limited = np.isfinite(half) & (half > 0.0)
            return float(np.max(np.abs(q - self.chain.lower - half)[limited] / half[limited],
                                initial=0.0))
        return 0.0

    def _distance(self, q: np.ndarray, q0: np.ndarray) -> float:
        weights = self.options.joint_weights
        return float((np.square(q - q0) * (1.0 if weights is None else weights)).sum())


def _same(q: np.ndarray, other: np.ndarray) -> bool:
    """Tell whether two postures of revolute joints are one, whole turns aside."""
    apart = np.abs(np.remainder(q - other + np.pi, 2.0 * np.pi) - np.pi)
    return bool(apart.max() < _SAME_BRANCH)
