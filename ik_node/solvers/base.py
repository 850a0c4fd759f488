"""Base class of the solvers: checks options and goals, and verifies results."""

import contextlib
import math
import time
from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar

import numpy as np

from ik_node.kinematics.reach import length_scale
from ik_node.model.chain import Chain, check_chain
from ik_node.solvers.avoidance import search_free
from ik_node.solvers.driver import Driver, ends_by, reason_of
from ik_node.solvers.found import Found, Verified, joint_values
from ik_node.solvers.goal import Goal, as_goal, as_goals, as_poses
from ik_node.solvers.low_discrepancy import initial_guess
from ik_node.solvers.options import SolverOptions, restricted
from ik_node.solvers.path.planned import plan
from ik_node.solvers.path.problem import PathProblem, choosing_time, stacked, travel_scale
from ik_node.solvers.path.projection import Projection
from ik_node.solvers.records import closest_of, verifier_of
from ik_node.solvers.result import Result, StopReason
from ik_node.solvers.self_motion import SelfMotion, self_motions
from ik_node.support.arguments import flag, floats, number, numbers, vector
from ik_node.support.exceptions import IkError, InputError, UnsupportedError, names, shown

_GUESSES = 32   # initial guesses for self-motions where there is no closed form
_EXACT = 1e-5   # m and rad: tolerances of a goal at which a hand is where it would be at another q
_SLACK = 1e-4   # m, by which it is elsewhere at the most


class Solver(Driver[tuple[Goal, np.ndarray], Found, Result]):
    """Finds joint values for a goal. Subclasses override `_solve` and `name`.

    The result of `_solve` is verified by forward kinematics, see `_verified`.
    """

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

    def solve(self, goal: Any, q0: Sequence[float] | np.ndarray | None = None) -> Result:
        """Return the joint values that meet a goal, or the best found with the reason of failure.

        goal: `Goal`, or a pose T_base_tip (4, 4), m, for all six axes. q0: (n,) initial guess, rad
        or m; by default zero where inside the limits, else the middle of the limits. Values outside
        the limits are clipped. Raises InputError for a malformed goal or q0; a failure to converge
        is a result.
        """
        if not self._direct or self.collisions is not None:
            return self._drive(self.options.closest, goal, q0)
        started = time.perf_counter()
        wanted = goal if isinstance(goal, Goal) else as_goal(goal)
        if type(q0) is np.ndarray and q0.dtype == float and q0.shape == self._shape and (
                not self._has_balls):
            q = q0.copy()
        else:
            q = self._start(q0)
        found = self._solve_from(wanted, q)
        return Result.of(found, time.perf_counter() - started, self.chain, wanted)

    def solve_batch(self, goals: Any, q0: Any = None,
                    progress: Callable[[float], None] | None = None) -> Result:
        """Return a Result of arrays for poses (m, 4, 4), m.

        q0: (n,), the initial guess of every solve, or (m, n). progress: called now and then with
        the completed fraction, 0 to 1; its exceptions propagate. Raises InputError as `solve`,
        naming the pose.
        """
        if progress is not None and not callable(progress):
            raise InputError(f'progress must be a function of one number, not {shown(progress)}')
        started = time.perf_counter()
        poses = as_poses(goals)
        starts = self._starts(q0, len(poses))
        columns = self._batch(poses, starts, (lambda done: None) if progress is None else progress)
        share = (time.perf_counter() - started) / max(len(poses), 1)
        result = Result.of(tuple(columns), np.full(len(poses), share), self.chain, poses=poses)
        return result if self.collisions is None else result._with_contact(self.collisions)

    def solve_path(self, poses: Any, q0: Sequence[float] | np.ndarray | None = None,
                   max_joint_step: float = 0.5, timeout: float | None = None, *,
                   join_q0: bool = False) -> Result:
        """Return a Result of arrays for a path of poses (m, 4, 4), m, chosen as a whole.

        poses may be a list of `Goal`, which leave axes free, as well. A pose succeeds when it is
        met and no joint moves more than max_joint_step, rad or m, from the pose before. Travel
        from q0 (n,) to the first pose counts, but may be of any size unless join_q0 is true: it is
        then limited, too. Without q0 the path begins anywhere. Of all paths through the candidates
        the one with the fewest breaks is chosen, then the shortest, away from limits. After a break
        the rest is still solved: a pose that is met, but only by a longer step, has no success and
        the reason CONVERGED. With avoid_collisions the straight lines in joint space between the
        configurations keep the margin less 0.1 mm, too; a pose that only another step leads to has
        the reason COLLISION. The option `prefer` does not apply. timeout: s after which the path is
        chosen from the candidates there are, of many from some; a pose that is not met then has the
        reason TIMEOUT; None: no limit. Raises InputError as `solve`, naming the pose, for a
        max_joint_step that is not positive, and for a negative timeout.
        """
        started = time.perf_counter()
        most = number(max_joint_step, 'max_joint_step')
        if not most > 0.0:
            raise InputError(f'max_joint_step must be greater than 0, not {most:g}')
        allowed = math.inf if timeout is None else number(timeout, 'timeout')
        joined = flag(join_q0, 'join_q0')
        if allowed < 0.0:
            raise InputError(f'timeout must be at least 0, or None, not {timeout:g}')
        goals = (list(poses) if isinstance(poses, (list, tuple)) and len(poses)
                 and all(isinstance(goal, Goal) for goal in poses) else as_goals(poses))
        start = None if q0 is None else Solver._start(self, q0)
        deadline = started + allowed - min(choosing_time(len(goals)), 0.5 * allowed)
        options = self.options
        problem = PathProblem(
            self.chain, Projection(self.chain.record), *stacked(goals),
            np.array([options.position_tolerance, options.orientation_tolerance]),
            travel_scale(self.chain, options.joint_weights), options.limit_margin, start, joined,
            most, lambda i, guess: self._solve_free(goals[i], guess), options.seed, deadline,
            self.collisions)
        with ends_by(deadline):
            found = plan(problem, lambda part, density: self._candidates(
                goals[part], start, density, deadline))
        share = (time.perf_counter() - started) / max(len(goals), 1)
        result = Result.of(found, np.full(len(goals), share), self.chain, *goals)
        return result if self.collisions is None else result._without_contacts(self.collisions)

    def closest(self, goal: Any, q0: Sequence[float] | np.ndarray | None = None) -> Result:
        """Return the joint values closest to a goal, whether it can be met or not.

        They minimise the sum of the squared weighted errors, m² and rad², where `solve` does not
        meet the goal; its result is one of the candidates, and the reason is its reason. goal, q0:
        as for `solve`. Raises InputError as `solve`.
        """
        return self._drive(True, goal, q0)

    def self_motion(self, goal: Any) -> list[SelfMotion]:
        """Return the curves of configurations that meet a goal, and why they end: `SelfMotion`.

        They pass through the solutions of `solve_all`, or where there is no closed form of solves
        from several initial guesses; one that passes through none of them is not found. Whole turns
        of a curve are not repeated. Raises InputError for a malformed goal, and UnsupportedError
        where the goal leaves the arm no redundancy, or more than one degree of it.
        """
        wanted = as_goal(goal)
        return self_motions(self.chain, wanted, self._some_solutions(wanted))

    def _some_solutions(self, goal: Goal) -> np.ndarray:
        """Return solutions (k, n) of a goal, from which self-motions are followed."""
        with contextlib.suppress(UnsupportedError):
            return self.solve_all(goal)
        q0, length = self.chain.neutral(), length_scale(self.chain.arrays)
        found = [self._solve_verified(goal, initial_guess(
            self.chain, q0, number, self.options.seed, length)) for number in range(_GUESSES)]
        return np.array([one.q for one in found if one.success]).reshape(-1, self.chain.n_joints)

    def step(self, goal: Any, q: Sequence[float] | np.ndarray) -> np.ndarray:
        """Return one bare step Δq (n,) from q (n,). Raises UnsupportedError without iterations."""
        raise self._lacks('step')

    def solve_all(self, goal: Any, within_limits: bool = True, redundancy: Any = None,
                  windings: bool = False) -> np.ndarray:
        """Return every branch (k, n). Raises UnsupportedError without a closed form."""
        raise self._lacks('solve_all')

    def solve_all_batch(self, goals: Any, within_limits: bool = True,
                        redundancy: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Return every branch for many poses. Raises UnsupportedError without a closed form."""
        raise self._lacks('solve_all_batch')

    def swivel_intervals(self, goal: Any) -> np.ndarray:
        """Return the swivel angles (k, 2) inside the limits. Raises UnsupportedError without."""
        raise self._lacks('swivel_intervals')

    def redundancy_of(self, q: Sequence[float] | np.ndarray) -> np.ndarray:
        """Return the redundancy parameters (p,) at q (n,). Raises UnsupportedError without."""
        raise self._lacks('redundancy_of')

    def redundancy_towards(self, goal: Any, elbow: Any, within_limits: bool = True) -> float:
        """Return the swivel angle nearest to an elbow point. Raises UnsupportedError without."""
        raise self._lacks('redundancy_towards')

    def is_complete(self, goal: Any = None) -> bool:
        """Tell whether the list of branches is complete. Raises UnsupportedError without any."""
        raise self._lacks('is_complete')

    def _shown_arguments(self) -> tuple[str, ...]:
        return (repr(self.chain),)

    def _lacks(self, method: str) -> UnsupportedError:
        """Return the error for a method that other solvers have, with their names."""
        own = {cls.name for cls in _subclasses(_SOLVER) if hasattr(cls, 'name')
               and getattr(cls, method) is not getattr(Solver, method)}
        return UnsupportedError(f'{self.name} has no {method}; the solvers that have it are '
                                f'{names(sorted(own))}')

    def _solve_verified(self, goal: Goal, q0: np.ndarray) -> Found:
        """Return the result of `_solve` from q0 (n,), as `_start` returned it, verified."""
        found = self._solve(goal, q0)
        if type(found) is Verified and self._own_kernels:
            return found
        return self._verified(goal, q0, found)

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
        free = None if self.collisions is None else self.collisions.free
        position, orientation = closest_of(self.chain).find(goal.pose, goal.weights, q, found.q,
                                                            self._deadline(), free)
        is_free = self._is_free(q)
        if is_free and self.options.allow((position, orientation)):
            found = found._replace(reason=StopReason.CONVERGED)  # also where others touch something
        nearest = self._judged(found, q, position, orientation)
        if self.collisions is not None and not nearest.success:
            nearest = self._slid(goal, q0, nearest, is_free)
        return found if found.success and not nearest.success else nearest

    def _slid(self, goal: Goal, q0: np.ndarray, nearest: Found, is_free: bool) -> Found:
        """Return the nearest configuration, if it is free, or a nearer one beside contacts."""
        from ik_node.solvers.sliding import goal_rows, slid  # late: few need it
        assert self.collisions is not None
        rows = partial(goal_rows, self.chain, goal)
        q = slid(q0, rows, self.chain, self.collisions, self._deadline())
        if is_free and rows(nearest.q)[0].cost <= rows(q)[0].cost:
            return nearest
        there = self._verified(goal, q0, nearest._replace(q=q, reason=StopReason.CONVERGED))
        if there.success and self._is_free(there.q):
            return there
        return there._replace(success=False, reason=nearest.reason)

    def _report(self, problem: tuple[Goal, np.ndarray], found: Found, started: float) -> Result:
        result = Result.of(found, time.perf_counter() - started, self.chain, problem[0])
        return result if self.collisions is None else result._with_contact(self.collisions)

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
        not finite. Success means that both errors are within the tolerances. Raises IkError as
        `joint_values`.
        """
        q = joint_values(found, self.chain.n_joints, self.name)
        if not np.isfinite(q).all():
            q, found = np.array(q0, dtype=float), found._replace(reason=StopReason.STALLED)
        self._verifier.into_limits(q)
        _, position, orientation = self._verifier.errors(goal.pose, goal.weights, q)
        return self._judged(found, q, position, orientation)

    def _judged(self, found: Found, q: np.ndarray, position: float, orientation: float) -> Found:
        """Return the result for joint values (n,) with errors, m and rad."""
        met = (self.options.allow((position, orientation))
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


_SOLVER: Any = Solver  # mypy takes no abstract class for a type[Solver]


def _subclasses(solver: type[Solver]) -> set[type[Solver]]:
    direct = set(solver.__subclasses__())
    return direct.union(*(_subclasses(one) for one in direct))
