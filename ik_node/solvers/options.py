"""The options that every solver takes."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ik_node.exceptions import OptionError
from ik_node.model.chain import Chain
from ik_node.options import Options, option


@dataclass(frozen=True)
class SolverOptions(Options):
    """What every solver takes."""

    position_tolerance: float = option(
        1e-6, 'largest position error of a success', 'm', low=0.0, positive=True)
    orientation_tolerance: float = option(
        1e-6, 'largest orientation error of a success', 'rad', low=0.0, positive=True)
    max_iterations: int = option(
        100, 'iterations of one attempt', kind=int, low=1, high=10**9)
    max_restarts: int = option(
        100, 'attempts from other starts after the first, from q0, failed', kind=int, low=0,
        high=10**6)
    timeout: float | None = option(
        None, 'time for one solve, looked at between attempts; none: no bound', 's', low=0.0,
        optional=True)
    seed: int = option(
        0, 'of the random starts: the same seed, the same answer', kind=int, low=0, high=2**31 - 1)
    max_step: float = option(
        1.0, 'largest change of one joint in one iteration', 'rad or m', low=0.0, positive=True)
    joint_weights: Any = option(
        None, 'one weight per joint: a heavier one moves less; none: all alike', low=0.0,
        positive=True, optional=True, per_joint=True)
    lower: Any = option(
        None, 'lower limits inside the model\'s own; none: those', 'rad or m', optional=True,
        per_joint=True)
    upper: Any = option(
        None, 'upper limits inside the model\'s own; none: those', 'rad or m', optional=True,
        per_joint=True)
    limit_margin: float = option(
        0.0, 'how far from the limits answers stay, wherever the goal can be met so: soft limits',
        'rad or m', low=0.0)
    closest: bool = option(
        False, 'whether to look for the closest posture where the goal is not met, some '
        'milliseconds; else it is the best that was met on the way', kind=bool)
    prefer: str = option(
        'nearest', 'which of several answers: nearest to the start (what the start leads to, else '
        'of the first few found), the first found, or of a few the one with the highest '
        'manipulability or farthest from the limits', kind=str,
        choices=('nearest', 'first', 'manipulability', 'limits'))


@dataclass(frozen=True)
class ClosedFormOptions(SolverOptions):
    """What solvers that know closed forms take."""

    elbow: Any = option(
        None, 'a point x y z in the base frame that the elbow should come nearest to, of an arm '
        'with spherical shoulder and wrist; it goes before prefer; none: anywhere', 'm',
        listed=True, length=3, optional=True)


def restricted(chain: Chain, options: SolverOptions) -> Chain:
    """Return the chain with the limits the options ask for. Raises OptionError for wider ones."""
    if options.lower is None and options.upper is None:
        return chain
    limits = []
    for name, own in (('lower', chain.lower), ('upper', chain.upper)):
        given = getattr(options, name)
        wanted = own if given is None else np.broadcast_to(given, own.shape)
        wider = wanted < own if name == 'lower' else wanted > own
        if wider.any():
            k = int(np.argmax(wider))
            raise OptionError(f'{name} must stay inside the limits of the model, {own[k]:g} for '
                              f'joint {chain.joint_names[k]!r}, not {wanted[k]:g}')
        limits.append(wanted)
    crossed = limits[0] > limits[1]
    if crossed.any():
        k = int(np.argmax(crossed))
        raise OptionError(f'lower {limits[0][k]:g} is greater than upper {limits[1][k]:g} for '
                          f'joint {chain.joint_names[k]!r}')
    return chain.with_limits(*limits)
