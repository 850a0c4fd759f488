"""The options that solvers share."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ik_node.model.chain import Chain
from ik_node.model.joint_space import at_limits
from ik_node.solvers.codes import PREFERENCES
from ik_node.support.exceptions import OptionError
from ik_node.support.options import Options, option

_ROUNDING = 1e-12  # of a limit


@dataclass(frozen=True)
class DriverOptions(Options):
    """Options of every solver, of an arm or of a body."""

    position_tolerance: float = option(
        1e-6, 'largest position error of a success', 'm', low=0.0, positive=True)
    orientation_tolerance: float = option(
        1e-6, 'largest orientation error of a success', 'rad', low=0.0, positive=True)
    max_iterations: int = option(
        100, 'iterations of one attempt', kind=int, low=1, high=10**9)
    max_restarts: int = option(
        100, 'restarts from other initial guesses after the attempt from q0 fails', kind=int,
        low=0, high=10**6)
    timeout: float | None = option(
        None, 'time limit of one solve, checked every few iterations; none: no limit', 's',
        low=0.0, optional=True)
    seed: int = option(
        0, 'seed of the restarts; results are reproducible for the same seed', kind=int, low=0,
        high=2**31 - 1)
    max_step: float = option(
        1.0, 'largest change of one joint in one iteration; for a prismatic joint a multiple of '
        'the arm length or, if greater and within its range, of the distance to the goal', 'rad',
        low=0.0, positive=True)
    joint_weights: Any = option(
        None, 'weight of each joint: a heavier joint moves less; none: equal weights', low=0.0,
        positive=True, optional=True, per_joint=True)
    consistency_limits: Any = option(
        None, 'largest distance of each joint from the initial guess, in solve_path from the pose '
        'before: what is farther is no solution, and is not searched for; none: any distance',
        'rad or m', low=0.0, optional=True, per_joint=True)
    closest: bool = option(
        False, 'whether to search for the closest configuration if the goal, or a task, is not '
        'met, which takes some milliseconds; otherwise the best one of the search is returned',
        kind=bool)

    def limits_about(self, q0: np.ndarray, lower: np.ndarray,
                     upper: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return limits (n,), narrowed to the consistency limits about q0 (n,)."""
        within = self.consistency_limits
        if within is None:
            return lower, upper
        return np.maximum(lower, q0 - within), np.minimum(upper, q0 + within)

    def allow(self, errors: tuple[float, float]) -> bool:
        """Tell whether errors, m and rad, are within the tolerances."""
        return bool(errors[0] <= self.position_tolerance
                    and errors[1] <= self.orientation_tolerance)


@dataclass(frozen=True)
class SolverOptions(DriverOptions):
    """Options of every solver of an arm."""

    lower: Any = option(
        None, 'lower limits, within those of the model; none: those of the model', 'rad or m',
        optional=True, per_joint=True)
    upper: Any = option(
        None, 'upper limits, within those of the model; none: those of the model', 'rad or m',
        optional=True, per_joint=True)
    limit_margin: float = option(
        0.0, 'soft limits: margin from the joint limits, kept if the goal can be met with it; less '
        'than half the range of every joint that can move', 'rad or m', low=0.0)
    prefer: str = option(
        'nearest', 'which of several solutions to return: the nearest to the initial guess (the '
        'one reached from it, else the nearest of the first few found), the first found, or among '
        'a few the one with the highest manipulability or farthest from the limits', kind=str,
        choices=tuple(PREFERENCES))


@dataclass(frozen=True)
class BodyOptions(DriverOptions):
    """Options of every solver of a body."""

    max_restarts: int = option(
        30, 'restarts from other initial guesses after the attempt from q0 fails', kind=int, low=0,
        high=10**6)
    max_step: float = option(
        1.0, 'largest change of a revolute joint in one iteration', 'rad', low=0.0, positive=True)


@dataclass(frozen=True)
class ClosedFormOptions(SolverOptions):
    """Options of solvers with closed forms."""

    elbow: Any = option(
        None, 'a point x y z in the base frame that the elbow is brought nearest to, for arms with '
        'spherical shoulder and wrist; takes precedence over prefer; none: no preference', 'm',
        listed=True, length=3, optional=True)
    hand_axis: Any = option(
        None, 'direction x y z in the tip frame that the forearm is brought in line with, for such '
        'arms, instead of elbow; none: no preference', listed=True, length=3, optional=True)
    comfort_zone: Any = option(
        None, 'part of the limits about their middle that is preferred, for such arms, before '
        'elbow and hand_axis; none: all of it', low=0.0, high=1.0, optional=True, per_joint=True)
    torso_plane: Any = option(
        None, 'a point x y z and a direction x y z in the base frame: the elbow and the forearm '
        'are kept on that side of the plane through the point, for such arms, before '
        'comfort_zone; none: no plane', 'm', listed=True, length=6, optional=True)
    torso_capsule: Any = option(
        None, 'two points x y z in the base frame and a radius: the elbow and the forearm are kept '
        'out of that capsule, likewise; none: no capsule', 'm', listed=True, length=7,
        optional=True)


SWIVEL_OPTIONS = ('elbow', 'hand_axis', 'comfort_zone', 'torso_plane', 'torso_capsule')
"""Those that require an arm with spherical shoulder and wrist."""


def restricted(chain: Chain, options: SolverOptions) -> Chain:
    """Return the chain with the limits of the options.

    Raises OptionError for wider limits, and for a margin that leaves a joint no range.
    """
    limits = []
    for name, own in (('lower', chain.lower), ('upper', chain.upper)):
        value = getattr(options, name)
        limit = own if value is None else at_limits(
            np.broadcast_to(value, own.shape), chain.lower, chain.upper)
        wider = limit < own if name == 'lower' else limit > own
        if wider.any():
            k = int(np.argmax(wider))
            raise OptionError(f'{name} must stay inside the limits of the model, {own[k]:g} for '
                              f'joint {chain.joint_names[k]!r}, not {limit[k]:g}')
        limits.append(limit)
    crossed = limits[0] > limits[1]
    if crossed.any():
        k = int(np.argmax(crossed))
        raise OptionError(f'lower {limits[0][k]:g} is greater than upper {limits[1][k]:g} for '
                          f'joint {chain.joint_names[k]!r}')
    if options.lower is not None or options.upper is not None:
        chain = chain.with_limits(*limits)
    lower, upper, margin = chain.lower, chain.upper, options.limit_margin
    # Half a range that the caller has rounded is half a range.
    size = np.maximum(np.abs(lower), np.abs(upper))
    none = (lower < upper) & np.isfinite(size) & (margin > 0.0)
    none[none] = margin >= 0.5 * (upper - lower)[none] - _ROUNDING * size[none]
    if none.any():
        k = int(np.argmax(none))
        raise OptionError(f'limit_margin must be less than half the range of every joint, '
                          f'{0.5 * (upper[k] - lower[k]):g} for joint {chain.joint_names[k]!r}, '
                          f'not {margin:g}')
    return chain
