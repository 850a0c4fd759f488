"""The search of an arm's solver: it checks options and goals, and verifies what a method finds."""

import functools
from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar

import numpy as np

from ik_node.model.chain import Chain, check_chain
from ik_node.solvers.collision.avoidance import search_free
from ik_node.solvers.collision.guarded_steps import closest_free, goal_rows
from ik_node.solvers.driver import Driver, reason_of
from ik_node.solvers.goal import ALL_AXES, Goal
from ik_node.solvers.kernel.arm_kernel import closest_of, verifier_of
from ik_node.solvers.options import SolverOptions, restricted
from ik_node.solvers.result import PROVEN, StopReason
from ik_node.solvers.solver_output import Found, Verified, as_columns
from ik_node.spatial.conversions import why_no_heading
from ik_node.support import clock
from ik_node.support.arguments import floats, numbers, vector
from ik_node.support.bounds import MAX_NUMBER
from ik_node.support.exceptions import IkError, InputError, shown

_EXACT = 1e-5   # m and rad: with tolerances up to this every solution has the same tip pose
_SLACK = 1e-4   # m, the largest displacement of the tip within them


class ArmSearch(Driver):
    """Searches by the `_solve` of a method. Its result is verified by forward kinematics."""

    name: ClassVar[str]
    Options: ClassVar[type[SolverOptions]] = SolverOptions
    _own_kernels: ClassVar[bool] = False
    _copies_starts: ClassVar[bool] = False  # whether `_solve` copies q0, and brings it inside

    def __init_subclass__(cls, **parameters: Any) -> None:
        super().__init_subclass__(**parameters)
        cls._own_kernels = cls.__module__.startswith('ik_node.solvers.')
        cls._copies_starts = cls._copies_starts and cls._own_kernels

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
        made = self._changed(consistency_limits=None)
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

    def _find(self, goal: Goal, q0: np.ndarray, closest: bool = False) -> Found:
        """Do as `_solve_verified`; but where collisions matter, what touches is no success.

        closest: see `Solver.solve`.
        """
        with clock.ends_by(self._deadline()):  # of all searches together
            found = (self._solve_verified(goal, q0) if self.collisions is None
                     else self._avoiding(goal, q0, self.collisions.is_free))
            return found if found.success else self._finished(goal, q0, found, closest)

    def _finished(self, goal: Goal, q0: np.ndarray, found: Found, closest: bool) -> Found:
        """Return what follows a search that has failed; closest: see `Solver.solve`."""
        if (found.reason is StopReason.COLLISION and self.collisions is not None
                and self.collisions.confirms and not self._is_blocked(goal, found.q)):
            found = self._confirmed(goal, q0) or found
        return self._find_closest(goal, q0, found) if closest and not found.success else found

    def _finished_batch(self, columns: list[np.ndarray], poses: np.ndarray,
                        starts: np.ndarray) -> list[np.ndarray]:
        """Return columns of results with what follows the searches that have failed."""
        if self.options.closest or (self.collisions is not None and self.collisions.confirms):
            for k in np.flatnonzero(~columns[1]):
                found = self._finished(Goal._of_clean_pose(poses[k]), starts[k].copy(),
                                       Found(*(column[k] for column in columns)),
                                       self.options.closest)
                for column, value in zip(columns, found):
                    column[k] = value
        return columns

    def _is_blocked(self, goal: Goal, q: np.ndarray) -> bool:
        """Tell whether no solution is free, since the tip collides at the goal itself, as at q."""
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

    def _find_closest(self, goal: Goal, q0: np.ndarray, found: Found) -> Found:
        """Return the closest configuration, unless only `found` meets the goal."""
        q = q0.copy()
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
        found = []
        for k, (pose, start) in enumerate(zip(poses, starts), start=1):
            found.append(self._find(Goal._of_clean_pose(pose), start, self.options.closest))
            progress(k / len(poses))
        return as_columns(found, self.chain.n_joints)

    def _verified(self, goal: Goal, q0: np.ndarray, found: Found) -> Found:
        """Return the result of a method with errors and success from forward kinematics.

        q is brought inside the limits, by whole turns or by clipping; q0 (n,) replaces a q that is
        not finite. Success means that both errors are within the tolerances, and q within the
        consistency limits. Raises IkError for anything but a valid `Found`.
        """
        solver, n = f'the solver {self.name!r} must return', self.chain.n_joints
        if not isinstance(found, Found):
            raise IkError(f'{solver} a Found, not {shown(found)}')
        array = np.asarray(found.q)
        if array.shape != (n,) or array.dtype.kind not in 'iuf':
            raise IkError(f'{solver} q as numbers of the shape {(n,)}, not {shown(found.q)}')
        if not isinstance(found.reason, StopReason):
            raise IkError(f'{solver} a StopReason, not {shown(found.reason)}')
        q = np.array(array, dtype=float)
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
