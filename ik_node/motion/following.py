"""Follows paths of the tip without jumps of the joints: pose by pose, else chosen as a whole."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.interpolate import CubicSpline

from ik_node.model.chain import Chain
from ik_node.motion.tip_path import TipPath
from ik_node.solvers.arm.base import Solver
from ik_node.solvers.goal import Goal
from ik_node.solvers.jacobian.solvers import DlsSolver
from ik_node.solvers.kernel.arm_kernel import verifier_of
from ik_node.solvers.result import StopReason
from ik_node.support.exceptions import MotionError

POSITION_TOLERANCE = 1e-4     # m: largest deviation of the tip from its path between solved poses
ORIENTATION_TOLERANCE = 1e-3  # rad

_LONGEST = 1.0 / 32.0    # of the path: the first step, and the longest
_SHORTEST = 2.0 ** -16   # of the path: a step that still fails at this length is a jump
_LARGEST_STEP = 0.15     # rad or m: of a joint, from pose to pose
_STARTS = 10             # restarts, to find the reason why there is no step to a pose
_REFINED = 8             # times that intervals are halved to keep the tolerances
# Of paths that are chosen as a whole:
_POSES = 64              # of a path
_MOST_POSES = 512        # of all paths
_WHOLE_STEP = 0.3        # rad or m: of a joint, from pose to pose
_PLANNING = 0.5          # s


class Followed(NamedTuple):
    """Joint values along a path."""

    parts: np.ndarray  # (k,) of the path, 0 to 1
    configurations: np.ndarray  # (k, n) rad or m

    def spline(self) -> CubicSpline:
        """Return the joints as functions of the part of the path, twice differentiable."""
        return CubicSpline(self.parts, self.configurations)


class Follower:
    """Follows paths with an arm's solver: each pose from the previous solution, without restarts.

    Where the solver jumps, as a closed form may, damped least squares continues from the same
    configuration if it can. Where that leads a redundant arm to a limit, the configurations of all
    poses are chosen as a whole; for other arms only the present branch is continuous.
    """

    def __init__(self, solver: Solver) -> None:
        self.chain, self._solver = solver.chain, solver
        options = solver.options
        self._own, self._anew = (
            solver._changed(timeout=None, prefer='nearest', closest=False, max_restarts=restarts)
            for restarts in (0, min(options.max_restarts, _STARTS)))
        self._steady = DlsSolver(
            solver.chain, max_restarts=0, position_tolerance=options.position_tolerance,
            orientation_tolerance=options.orientation_tolerance,
            joint_weights=options.joint_weights)

    def follow(self, goal: Goal, paths: Sequence[TipPath], q0: np.ndarray) -> list[Followed]:
        """Return joint values along paths, from q0 (n,), rad or m, at the beginning of the first.

        Each path begins where the one before ends. goal: its weights apply along the paths; free
        axes stay free. Between two poses, on the spline through the configurations, the tip stays
        within POSITION_TOLERANCE and ORIENTATION_TOLERANCE of the path too. Raises MotionError,
        with the place, where a pose cannot be met, and where a joint would have to jump.
        """
        followed: list[Followed] = []
        try:
            for path in paths:
                q = followed[-1].configurations[-1] if followed else q0
                followed.append(self._refined(goal, path, *self._march(goal, path, q)))
        except MotionError as error:
            if len(q0) <= np.count_nonzero(goal.weights):
                raise
            return self._as_a_whole(goal, paths, q0, error, len(followed) + error.part)
        return followed

    def _as_a_whole(self, goal: Goal, paths: Sequence[TipPath], q0: np.ndarray, error: MotionError,
                    reached: float) -> list[Followed]:
        """Return joint values chosen for all poses of the paths.

        Raises the error of following pose by pose, `reached` paths far, unless this leads farther.
        """
        count = min(_POSES, _MOST_POSES // len(paths))
        if count < 2:
            raise error
        parts = np.linspace(0.0, 1.0, count + 1)
        poses = [goal.moved_to(path.pose(s)) for path in paths for s in parts[1:].tolist()]
        found = self._solver.solve_path(poses, q0, _WHOLE_STEP, _PLANNING, join_q0=True)
        q = np.concatenate([q0[None], found.q])
        if not found.success.all():
            i = int(np.argmin(found.success))
            k, j = divmod(i, count)
            if k + parts[j] <= reached or found.reason[i] is StopReason.TIMEOUT:
                raise error
            raise self._no_step(paths[k], float(parts[j]), found.reason[i], q[i], q[i + 1])
        try:
            return [self._refined(goal, path, parts.tolist(), list(q[k * count:][:count + 1]))
                    for k, path in enumerate(paths)]
        except MotionError:
            raise error from None

    def _refined(self, goal: Goal, path: TipPath, parts: list[float],
                 configurations: list[np.ndarray]) -> Followed:
        """Add poses until the tip stays within the tolerances between them, too."""
        for _ in range(_REFINED):
            found = Followed(np.array(parts), np.array(configurations))
            middles = 0.5 * (found.parts[1:] + found.parts[:-1])
            guesses = np.clip(found.spline()(middles), self.chain.lower, self.chain.upper)
            off_by = np.array([_relative_error(self.chain, goal.moved_to(path.pose(s)), q)
                               for s, q in zip(middles.tolist(), guesses)])
            if off_by.max() <= 1.0:
                return found
            for k in np.flatnonzero(off_by > 1.0)[::-1].tolist():
                s = float(middles[k])
                parts.insert(k + 1, s)
                q = self._step(goal, path, s, guesses[k])
                if q is None:
                    raise self._stuck(goal, path, s, configurations[k], s)
                configurations.insert(k + 1, q)
        worst = float(middles[int(np.argmax(off_by))])
        raise MotionError(f'the path cannot be followed closely: at {path.place(worst)} the tip '
                          f'would deviate from it by more than {POSITION_TOLERANCE:g} m or '
                          f'{ORIENTATION_TOLERANCE:g} rad', worst)

    def _march(self, goal: Goal, path: TipPath,
               q0: np.ndarray) -> tuple[list[float], list[np.ndarray]]:
        """Follow the path in steps that shorten where joints move far."""
        parts, configurations, step = [0.0], [q0], _LONGEST
        while parts[-1] < 1.0:
            s = min(parts[-1] + step, 1.0)
            if 1.0 - s < 0.5 * _SHORTEST:
                s = 1.0
            q = self._step(goal, path, s, configurations[-1])
            if q is None:
                if step <= _SHORTEST:
                    raise self._stuck(goal, path, s, configurations[-1], parts[-1])
                step *= 0.5
                continue
            if np.abs(q - configurations[-1]).max() < 0.4 * _LARGEST_STEP:
                step = min(2.0 * step, _LONGEST)
            parts.append(s)
            configurations.append(q)
        return parts, configurations

    def _step(self, goal: Goal, path: TipPath, s: float, q: np.ndarray) -> np.ndarray | None:
        """Return the configuration at a part s of the path, near q (n,); None without one."""
        there = goal.moved_to(path.pose(s))
        for solver in (self._own, self._steady):
            result = solver.solve(there, q)
            if result.success and np.abs(result.q - q).max() <= _LARGEST_STEP:
                return result.q
        return None

    def _stuck(self, goal: Goal, path: TipPath, s: float, q: np.ndarray,
               place: float) -> MotionError:
        """Return the reason why there is no step from q (n,) to a part s of the path."""
        result = self._anew.solve(goal.moved_to(path.pose(s)), q)
        reason = StopReason.CONVERGED if result.success else result.reason
        return self._no_step(path, place, reason, q, result.q)

    def _no_step(self, path: TipPath, place: float, reason: StopReason, q: np.ndarray,
                 after: np.ndarray) -> MotionError:
        """Return the error of a part of a path at q (n,); after (n,): the next, if CONVERGED."""
        if reason is not StopReason.CONVERGED:
            return MotionError(f'the path cannot be followed beyond {path.place(place)}: '
                               f'{reason.value}', place)
        i = int(np.argmax(np.abs(after - q)))
        unit = 'm' if self.chain.prismatic[i] else 'rad'
        return MotionError(f'the path requires a jump at {path.place(place)}: of joint '
                           f'{self.chain.joint_names[i]!r} by {abs(after[i] - q[i]):.3g} '
                           f'{unit}', place)


def _relative_error(chain: Chain, goal: Goal, q: np.ndarray) -> float:
    """Return the error of the tip at q (n,) over a goal's weighted axes, in path tolerances."""
    _, position, rotation = verifier_of(chain).errors(goal.pose, goal.weights, q)
    return max(position / POSITION_TOLERANCE, rotation / ORIENTATION_TOLERANCE)
