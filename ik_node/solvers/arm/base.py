"""Base class of the solvers of an arm, with the methods that users call."""

import contextlib
import math
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ik_node.kinematics.reach import extent
from ik_node.solvers.arm.arm_search import ArmSearch
from ik_node.solvers.arm.gradient import gradient_at
from ik_node.solvers.arm.self_motion import SelfMotion, self_motions
from ik_node.solvers.goal import Goal, as_goal, as_poses
from ik_node.solvers.kernel.low_discrepancy import initial_guess
from ik_node.solvers.path.path_result import plan
from ik_node.solvers.path.problem import PathProblem, choosing_time, stacked, travel_scale
from ik_node.solvers.path.projection import Projection
from ik_node.solvers.result import Result
from ik_node.solvers.solver_output import Verified
from ik_node.support import clock
from ik_node.support.arguments import flag, number
from ik_node.support.exceptions import InputError, UnsupportedError, names, shown

_GUESSES = 32  # initial guesses for self-motions where there is no closed form


class Solver(ArmSearch):
    """Finds joint values for a goal. Subclasses override `_solve` and `name`.

    The result of `_solve` is verified by forward kinematics, see `_verified`.
    """

    def solve(self, goal: Any, q0: Sequence[float] | np.ndarray | None = None, *,
              closest: bool | None = None) -> Result:
        """Return the joint values that meet a goal, or the best found with the reason of failure.

        goal: `Goal`, or a pose T_base_tip (4, 4), m, for all six axes. q0: (n,) initial guess, rad
        or m; by default zero where inside the limits, else the middle of the limits. Values outside
        the limits are clipped. Raises InputError for a malformed goal or q0, and for a goal for one
        rotation where the tip has no heading about its axis; a failure to converge is a result.
        closest: whether to do as `closest`; by default the option.
        """
        started, options = time.perf_counter(), self.options
        goal = goal if isinstance(goal, Goal) else as_goal(goal)
        kept = (self._copies_starts and type(q0) is np.ndarray and q0.dtype == float
                and q0.shape == self._shape and not self._has_balls and q0.flags.c_contiguous)
        start: Any = q0 if kept else self._start(q0)
        closest = options.closest if closest is None else flag(closest, 'closest')
        if self.collisions is None and options.timeout is None and not closest:
            found = self._solve(goal, start)
            if type(found) is not Verified or not self._own_kernels:
                found = self._verified(goal, start, found)
        else:
            found = self._find(goal, start, closest)
        if not found.success:
            self._check_heading(goal, found.q, found.reason)
        result = Result.of(found, time.perf_counter() - started, self.chain, goal)
        return result if self.collisions is None else result._with_contact(self.collisions)

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
        met and no joint moves more than max_joint_step, rad or m, from the pose before, nor more
        than its consistency limit, from q0 to the first pose, too. Travel
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
                 and all(isinstance(goal, Goal) for goal in poses)
                 else [Goal._of_clean_pose(pose) for pose in as_poses(poses)])
        start = None if q0 is None else Solver._start(self, q0)
        deadline = started + allowed - min(choosing_time(len(goals)), 0.5 * allowed)
        options, anywhere = self.options, self._anywhere
        problem = PathProblem(
            self.chain, Projection(self.chain.record), *stacked(goals),
            np.array([options.position_tolerance, options.orientation_tolerance]),
            travel_scale(self.chain, options.joint_weights), options.limit_margin, start, joined,
            most, lambda i, guess: anywhere._find(goals[i], guess), options.seed, deadline,
            self.collisions,
            math.inf if options.consistency_limits is None else options.consistency_limits)
        with clock.ends_by(deadline):
            found = plan(problem, lambda part, density: self._candidates(
                goals[part], start, density, deadline))
        share = (time.perf_counter() - started) / max(len(goals), 1)
        result = Result.of(found, np.full(len(goals), share), self.chain, *goals)
        for k in np.flatnonzero(~result.success):
            self._check_heading(goals[k], result.q[k], result.reason[k], f'goals[{k}]')
        return result if self.collisions is None else result._without_contacts(self.collisions)

    def closest(self, goal: Any, q0: Sequence[float] | np.ndarray | None = None) -> Result:
        """Return the joint values closest to a goal, whether it can be met or not.

        They minimise the sum of the squared weighted errors, m² and rad², where `solve` does not
        meet the goal; its result is one of the candidates, and the reason is its reason. goal, q0:
        as for `solve`. Raises InputError as `solve`.
        """
        return self.solve(goal, q0, closest=True)

    def gradient(self, result: Any) -> np.ndarray:
        """Return ∂q/∂(x, y, z, rotation about the base's axes) (n, 6) of a solution.

        Of its goal's pose: q + gradient @ [δp, ω] meets exp(ω) R at p + δp, m and rad, to the
        first order. Where the arm is redundant the change is the one of least norm, by
        `joint_weights`. Axes of weight 0 stay free. A joint at a limit stays there: its row is
        zero, and the others do what they can. Where they cannot meet every change, as with fewer
        joints than axes, the change minimises the squared weighted error, as `closest` does.
        Near a singularity, directions with a singular value below 1e-4 of the largest (linear rows
        in lengths of the arm) have a gradient of zero, which bounds the others.

        result: of `solve`, of this arm. Raises InputError for a failed one, for one of a batch,
        and for anything else.
        """
        return gradient_at(self.chain, result, self.options.joint_weights)

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
        q0, length = self.chain.neutral(), extent(self.chain.arrays).length_scale
        found = [self._anywhere._solve_verified(goal, initial_guess(
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


_SOLVER: Any = Solver  # mypy takes no abstract class for a type[Solver]


def _subclasses(solver: type[Solver]) -> set[type[Solver]]:
    direct = set(solver.__subclasses__())
    return direct.union(*(_subclasses(one) for one in direct))
