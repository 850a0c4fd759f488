"""The search of an arm's solver: it checks options and goals, and verifies what a method finds."""

import functools
import time
from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar

import numpy as np

from ik_node.model.chain import Chain, check_chain
from ik_node.solvers.arm.kernel_cache import closest_of, verifier_of
from ik_node.solvers.collision.avoidance import search_free
from ik_node.solvers.driver import Driver, ends_by, reason_of
from ik_node.solvers.goal import ALL_AXES, Goal, as_goal
from ik_node.solvers.options import SolverOptions, restricted
from ik_node.solvers.result import PROVEN, Result, StopReason
from ik_node.solvers.solver_output import Found, Verified, joint_values
from ik_node.spatial.conversions import why_no_heading
from ik_node.support.arguments import floats, numbers, vector
from ik_node.support.bounds import MAX_NUMBER
from ik_node.support.exceptions import IkError, InputError, shown

_EXACT = 1e-5   # m and rad: tolerances of a goal at which a hand is where it would be at another q
_SLACK = 1e-4   # m, by which it is elsewhere at the most


class ArmSearch(Driver[tuple[Goal, np.ndarray], Found, Result]):
    """Searches by the `_solve` of a method. Its result is verified by forward kinematics."""

    name: ClassVar[str]
    Options: ClassVar[type[SolverOptions]] = SolverOptions
    _own_kernels: ClassVar[bool] = False
    _direct = False  # whether `_solve_from` is all that `solve` calls

    def __init_subclass__(cls, **parameters: Any) -> None:
        super().__init_subclass__(**parameters)
        cls._own_kernels = cls.__module__.startswith('ik_node.solvers.')

    def __init__(self, chain: Chain, **options: Any) -> None:
        """Prepare to solve for a chain. Raises OptionError for unknown or invalid options."""
        super().__init__(options, check_chain(chain))
        self.chain = restricted(chain, self.options)
        self._shape, self._has_balls = (chain.n_joints,), self.chain.has_balls
        self._verifier = verifier_of(self.chain)

    def _solve_verified(self, goal: Goal, q0: np.ndarray) -> Found:
        """Return the result of `_solve` from q0 (n,), as `_start` returned it, verified."""
        found = self._solve(goal, q0)
        if type(found) is Verified and self._own_kernels:
            return found
        return self._verified(goal, q0, found)

    @functools.cached_property
    def _anywhere(self) -> Any:
        """The same solver without consistency limits: solutions from other guesses than q0."""
        if self.options.consistency_limits is None:
            return self
        made = type(self)(*self._arguments, **{**self._own_options, 'consistency_limits': None})
        if self.collisions is not None:
            made.avoid(self.collisions)
        return made

    def _limits_about(self, q0: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the limits (n,), narrowed to the consistency limits about q0 (n,)."""
        start = np.array(q0, dtype=float)
        self._bring_inside(start)
        return self.options.limits_about(start, self.chain.lower, self.chain.upper)

    def _chain_about(self, q0: np.ndarray) -> Chain:
        """Return the chain within the consistency limits about q0 (n,)."""
        if self.options.consistency_limits is None:
            return self.chain
        return self.chain.with_limits(*self._limits_about(q0))

    def _is_consistent(self, q0: np.ndarray, q: np.ndarray) -> bool:
        """Tell whether q (n,), inside the limits, is within the consistency limits of q0 (n,)."""
        lower, upper = self._limits_about(q0)
        return bool(((lower <= q) & (q <= upper)).all())

    def _solve_free(self, goal: Goal, q0: np.ndarray) -> Found:
        """Do as `_solve_verified`; but where collisions matter, what touches is no success."""
        if self.collisions is None:
            return self._solve_verified(goal, q0)
        with ends_by(self._deadline()):  # of all searches together
            found = self._avoiding(goal, q0, self.collisions.is_free)
            if found.reason is StopReason.COLLISION and self.collisions.confirms and not (
                    self._is_blocked(goal, found.q)):
                return self._confirmed(goal, q0) or found
            return found

    def _is_blocked(self, goal: Goal, q: np.ndarray) -> bool:
        """Tell whether no solution is free, since a hand at the goal touches something, as at q."""
        assert self.collisions is not None
        options = self.options
        return bool(max(options.position_tolerance, options.orientation_tolerance) <= _EXACT
                    and goal.weights.all() and self.collisions.tip_touches(q, _SLACK))

    def _confirmed(self, goal: Goal, q0: np.ndarray) -> Found | None:
        """Search again: the kernels count as contact what a hull touches whose mesh may be free."""
        assert self.collisions is not None
        found = search_free(self._unchecked, goal, q0, self.collisions.is_free)
        return found if found.success else None

    def _avoiding(self, goal: Goal, q0: np.ndarray,
                  is_free: Callable[[np.ndarray], bool]) -> Found:
        """Return a verified result that is free; else one with the reason COLLISION, or why."""
        return search_free(self, goal, q0, is_free)

    def _solve_from(self, goal: Goal, q: np.ndarray) -> Found:
        """Solve from q (n,), which may be overwritten; return the verified result.

        q need not be inside the limits. Raises InputError where it is not finite.
        """
        self._bring_inside(q)
        return self._solve_verified(goal, q)

    def _solve_many_verified(self, goals: Sequence[Goal], starts: np.ndarray,
                     progress: Callable[[float], None]) -> list[Found]:
        """Return the results of `_solve_many` for goals from starts (m, n), verified."""
        if self.collisions is not None:
            return [self._solve_free(goal, start) for goal, start in zip(goals, starts)]
        found = self._solve_many(goals, starts, progress)
        if not isinstance(found, (list, tuple)) or len(found) != len(goals):
            raise IkError(f'the solver {self.name!r} must return a list of {len(goals)} results, '
                          f'not {shown(found)}')
        return [one if type(one) is Verified and self._own_kernels
                else self._verified(goal, start, one)
                for goal, start, one in zip(goals, starts, found)]

    @abstractmethod
    def _solve(self, goal: Goal, q0: np.ndarray) -> Found:
        """Solve from q0 (n,), as `_start` returned it."""

    def _candidates(self, goals: Sequence[Goal], q0: np.ndarray | None,
                    density: int, deadline: float) -> list[np.ndarray] | None:
        """Return the solutions (k, n) of every goal by a closed form; None without one.

        q0 (n,): the configuration before the path, or None. density: of the redundancy's values.
        deadline: by time.perf_counter, s; the goals that are left then have none.
        """
        return None

    def _problem(self, deadline: float, *arguments: Any) -> tuple[Goal, np.ndarray]:
        goal, q0 = arguments
        return as_goal(goal), self._start(q0)

    def _find(self, problem: tuple[Goal, np.ndarray]) -> Found:
        return self._solve_free(*problem)

    def _find_closest(self, problem: tuple[Goal, np.ndarray], found: Found) -> Found:
        """Return the closest configuration, unless only `found` meets the goal."""
        (goal, q0), q = problem, problem[1].copy()
        chain = self._chain_about(q0)
        self._verifier.into_limits(q)
        position, orientation = closest_of(chain).find(
            goal.pose, goal.weights, q, np.clip(found.q, chain.lower, chain.upper),
            self._deadline(), self.collisions)
        is_free = self._is_free(q)
        if is_free and self.options.allow((position, orientation)):
            found = found._replace(reason=StopReason.CONVERGED)  # also where others touch something
        nearest = self._judged(found, q, position, orientation)
        if self.collisions is not None and not nearest.success:
            nearest = self._closest_free(goal, q0, nearest, is_free)
        return found if found.success and not nearest.success else nearest

    def _closest_free(self, goal: Goal, q0: np.ndarray, nearest: Found, is_free: bool) -> Found:
        """Return the nearest configuration, if it is free, or a nearer one beside contacts."""
        from ik_node.solvers.collision.closest_free import (  # late: few need it
            closest_free,
            goal_rows,
        )
        assert self.collisions is not None
        T, far = goal.pose.copy(), float(np.abs(goal.pose[:3, 3]).max())
        T[:3, 3] *= min(1.0, MAX_NUMBER / max(far, 1.0))  # squares of what is beyond overflow
        rows = partial(goal_rows, self.chain, goal if far <= MAX_NUMBER else goal.moved_to(T))
        q = closest_free(q0, rows, self._chain_about(q0), self.collisions, self._deadline())
        if is_free and rows(nearest.q)[0].cost <= rows(q)[0].cost:
            return nearest
        there = self._verified(goal, q0, nearest._replace(q=q, reason=StopReason.CONVERGED))
        if there.success and self._is_free(there.q):
            return there
        return there._replace(success=False, reason=nearest.reason)

    def _report(self, problem: tuple[Goal, np.ndarray], found: Found, started: float) -> Result:
        if not found.success:
            self._check_heading(problem[0], found.q, found.reason)
        result = Result.of(found, time.perf_counter() - started, self.chain, problem[0])
        return result if self.collisions is None else result._with_contact(self.collisions)

    def _check_heading(self, goal: Goal, q: np.ndarray, reason: StopReason,
                       what: str = 'the goal') -> None:
        """Raise InputError where a goal is missed at q (n,) since the tip has no heading there."""
        if goal.weights is not ALL_AXES and reason not in PROVEN:
            why = why_no_heading(goal.pose, self.chain.forward(q), goal.weights)
            if why:
                raise InputError(f'{what} cannot be met: {why}')

    def _batch(self, poses: np.ndarray, starts: np.ndarray,
               progress: Callable[[float], None]) -> list[np.ndarray]:
        """Return the fields of `Found` as arrays, for poses (m, 4, 4) from starts (m, n)."""
        goals = [Goal._of_clean_pose(pose) for pose in poses]
        found = self._solve_many_verified(goals, starts, progress)
        if self.options.closest:
            found = [one if one.success else self._find_closest((goal, start), one)
                     for goal, start, one in zip(goals, starts, found)]
        columns = [np.array(column) for column in zip(*found)] or [np.empty(0)] * len(Found._fields)
        columns[0] = columns[0].reshape(len(goals), self.chain.n_joints)
        return columns

    def _verified(self, goal: Goal, q0: np.ndarray, found: Found) -> Found:
        """Return the result of a method with errors and success from forward kinematics.

        q is brought inside the limits, by whole turns or by clipping; q0 (n,) replaces a q that is
        not finite. Success means that both errors are within the tolerances, and q within the
        consistency limits. Raises IkError as `joint_values`.
        """
        q = joint_values(found, self.chain.n_joints, self.name)
        if not np.isfinite(q).all():
            q, found = np.array(q0, dtype=float), found._replace(reason=StopReason.STALLED)
        self._verifier.into_limits(q)
        _, position, orientation = self._verifier.errors(goal.pose, goal.weights, q)
        return self._judged(found, q, position, orientation, self._is_consistent(q0, q))

    def _judged(self, found: Found, q: np.ndarray, position: float, orientation: float,
                is_consistent: bool = True) -> Found:
        """Return the result for joint values (n,) with errors, m and rad."""
        met = (is_consistent and self.options.allow((position, orientation))
               and found.reason is not StopReason.COLLISION)
        return Verified(q, met, reason_of(met, found.reason), float(position), float(orientation),
                        found.iterations, found.restarts, found.method)

    def _solve_many(self, goals: Sequence[Goal], starts: np.ndarray,
                    progress: Callable[[float], None]) -> list[Found]:
        """Solve for goals from starts (m, n)."""
        found = []
        for k, (goal, start) in enumerate(zip(goals, starts), start=1):
            found.append(self._solve(goal, start))
            progress(k / len(goals))
        return found

    def _start(self, q0: Any) -> np.ndarray:
        """Return q0 (n,) as a new array inside the limits."""
        if q0 is None:
            return self.chain.neutral()
        start = numbers(q0, 'q0')
        self._bring_inside(start)
        if self._has_balls:
            self.chain.shorten_rotations(start)
        return start

    def _bring_inside(self, q0: np.ndarray) -> None:
        """Bring q0 inside the limits, in place. Raises InputError unless it is finite and (n,)."""
        if q0.shape != self._shape or not self._verifier.into_limits(q0):
            vector(q0, self.chain.n_joints, 'q0')

    def _starts(self, q0: Any, count: int) -> np.ndarray:
        """Return the initial guesses (count, n) of `count` solves."""
        if q0 is None:
            return np.tile(self._start(None), (count, 1))
        starts = floats(q0, 'q0')
        if starts.ndim == 1:
            return np.tile(self._start(starts), (count, 1))
        if starts.shape != (count, self.chain.n_joints):
            raise InputError(f'q0 must have the shape ({self.chain.n_joints},) or '
                             f'({count}, {self.chain.n_joints}), not {starts.shape}')
        return np.array([self._start(start) for start in starts]).reshape(starts.shape)
