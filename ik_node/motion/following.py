"""Following a way of the tip pose by pose: postures along it, close enough that none jumps."""

from typing import NamedTuple

import numpy as np
from scipy.interpolate import CubicSpline

from ik_node.exceptions import MotionError
from ik_node.model.chain import Chain
from ik_node.motion.time_scaling import quickest_pace
from ik_node.motion.tip_way import TipWay
from ik_node.solvers.base import Solver
from ik_node.solvers.goal import Goal
from ik_node.solvers.jacobian.dls import DlsSolver
from ik_node.spatial import rotation_log

POSITION_TOLERANCE = 1e-4     # m: how far the tip may be off its way between solved poses
ORIENTATION_TOLERANCE = 1e-3  # rad

_LONGEST = 1.0 / 32.0    # of the way: the step at the beginning, and the longest
_SHORTEST = 2.0 ** -16   # of the way: where not even this helps there is a jump
_TURN = 0.15             # rad or m: how far a joint may go from pose to pose
_STARTS = 10             # from which a pose is tried to say why there is no step to it
_REFINED = 8             # times that intervals are halved for the sake of the tolerances


class Followed(NamedTuple):
    """Joint values along a way."""

    parts: np.ndarray
    """(k,) of the way, 0 to 1."""
    postures: np.ndarray
    """(k, n) rad or m."""

    def spline(self) -> CubicSpline:
        """Return the joints as functions of the part of the way, twice differentiable."""
        return CubicSpline(self.parts, self.postures)


class Follower:
    """Follows ways with an arm's solver, each pose from the posture before; it never starts anew.

    Where the solver leaps, as a closed form may between branches or values of a redundancy, damped
    least squares is asked from the same posture: it goes on where joints can.
    """

    def __init__(self, solver: Solver) -> None:
        """Prepare solvers with the same tolerances and limits."""
        self.chain = solver.chain
        asked = {name: value for name, value in vars(solver.options).items()
                 if name not in ('timeout', 'prefer')}
        asked['closest'] = False
        self._own = type(solver)(solver.chain, **{**asked, 'max_restarts': 0})
        self._anew = type(solver)(solver.chain, **{
            **asked, 'max_restarts': min(solver.options.max_restarts, _STARTS)})
        shared = {name: getattr(solver.options, name) for name in (
            'position_tolerance', 'orientation_tolerance', 'joint_weights')}
        self._steady = DlsSolver(solver.chain, **shared, max_restarts=0)

    def warm_up(self, q: np.ndarray) -> None:
        """Compile what following needs, and what the motion along a way does, at q (n,)."""
        self._steady.warm_up(q)
        still = np.zeros((2, self.chain.n_joints))
        quickest_pace(np.array([0.0, 1.0]), still, still, still + 1.0, still + 1.0)

    def compiled(self) -> bool:
        """Tell whether nothing is left to compile that takes long."""
        return self._steady.compiled()

    def follow(self, goal: Goal, way: TipWay, q0: np.ndarray) -> Followed:
        """Return joint values along a way, from q0 (n,), rad or m, which stands at its beginning.

        goal: what is asked for along it; axes that it leaves free stay so. Between two poses, too,
        the tip keeps within POSITION_TOLERANCE and ORIENTATION_TOLERANCE of the way, on the spline
        through the postures. Raises MotionError, with the place, where a pose cannot be met, and
        where a joint would have to jump.
        """
        parts, postures = self._march(goal, way, q0)
        for _ in range(_REFINED):
            found = Followed(np.array(parts), np.array(postures))
            middles = 0.5 * (found.parts[1:] + found.parts[:-1])
            guesses = np.clip(found.spline()(middles), self.chain.lower, self.chain.upper)
            off_by = np.array([off(self.chain, goal.moved_to(way.pose(s)), q)
                               for s, q in zip(middles.tolist(), guesses)])
            if off_by.max() <= 1.0:
                return found
            for k in np.flatnonzero(off_by > 1.0)[::-1].tolist():
                s = float(middles[k])
                parts.insert(k + 1, s)
                q = self._step(goal, way, s, guesses[k])
                if q is None:
                    raise self._stuck(goal, way, s, postures[k], s)
                postures.insert(k + 1, q)
        worst = float(middles[int(np.argmax(off_by))])
        raise MotionError(f'the way cannot be followed closely: at {way.place(worst)} the tip '
                          f'would leave it by more than {POSITION_TOLERANCE:g} m or '
                          f'{ORIENTATION_TOLERANCE:g} rad', worst)

    def _march(self, goal: Goal, way: TipWay,
               q0: np.ndarray) -> tuple[list[float], list[np.ndarray]]:
        """Go along the way in steps that shorten where joints move much."""
        parts, postures = [0.0], [q0]
        step = _LONGEST
        while parts[-1] < 1.0:
            s = min(parts[-1] + step, 1.0)
            if 1.0 - s < 0.5 * _SHORTEST:
                s = 1.0
            q = self._step(goal, way, s, postures[-1])
            if q is None:
                if step <= _SHORTEST:
                    raise self._stuck(goal, way, s, postures[-1], parts[-1])
                step *= 0.5
                continue
            if np.abs(q - postures[-1]).max() < 0.4 * _TURN:
                step = min(2.0 * step, _LONGEST)
            parts.append(s)
            postures.append(q)
        return parts, postures

    def _step(self, goal: Goal, way: TipWay, s: float, q: np.ndarray) -> np.ndarray | None:
        """Return the posture at a part s of the way, next to q (n,); None where there is none."""
        there = goal.moved_to(way.pose(s))
        result = self._own.solve(there, q)
        if result.success and np.abs(result.q - q).max() <= _TURN:
            return result.q
        steady = self._steady.solve(there, q)
        if steady.success and np.abs(steady.q - q).max() <= _TURN:
            return steady.q
        return None

    def _stuck(self, goal: Goal, way: TipWay, s: float, q: np.ndarray,
               place: float) -> MotionError:
        """Say why there is no step from q (n,) to a part s of the way."""
        result = self._anew.solve(goal.moved_to(way.pose(s)), q)
        if not result.success:
            return MotionError(f'the way leads where the arm does not get: beyond '
                               f'{way.place(place)}: {result.reason.value}', place)
        i = int(np.argmax(np.abs(result.q - q)))
        unit = 'm' if self.chain.prismatic[i] else 'rad'
        return MotionError(f'the way asks for a jump at {way.place(place)}: of joint '
                           f'{self.chain.joint_names[i]!r} by {abs(result.q[i] - q[i]):.3g} '
                           f'{unit}', place)


def off(chain: Chain, goal: Goal, q: np.ndarray) -> float:
    """Return how far the tip at q (n,) is off a goal, in tolerances of a way, where it is asked."""
    T = chain.forward(q)
    G, asked = goal.pose[:3, :3], goal.weights > 0.0
    position = (G.T @ (goal.pose[:3, 3] - T[:3, 3]))[asked[:3]]
    turn = (G.T @ np.array(rotation_log(G @ T[:3, :3].T)))[asked[3:]]
    return max(float(np.linalg.norm(position)) / POSITION_TOLERANCE,
               float(np.linalg.norm(turn)) / ORIENTATION_TOLERANCE)
