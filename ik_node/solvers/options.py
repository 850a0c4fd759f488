"""The options that every solver takes."""

from dataclasses import dataclass
from typing import Any

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
